"""A prior from public data, as estimators take it: a model, or its coefficients, that the ridge pulls towards in place of zero.

    prior=(coef, intercept)     coef (d,) or (1, d) and a number; of K > 2 classes (K, d) and (K,)
    prior=coef                  the same without intercept: where weights of 0 have theirs
    prior=model                 whatever has coef_ and intercept_, of the same classes: of this library, fitted on public records or released, or
                                scikit-learn's

It is public, as a setting is: no privacy is spent on it, and none is kept of the records that it was learnt from. Units are those of coef_ and
intercept_: of rows as they are given to `fit`, of an encoded table as they are encoded.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, quietly
from discreet.data import Domain
from discreet.problems import MadeRisk
from discreet.problems.made_rows import ORDERED
from discreet.problems.prior import Prior
from discreet.statements.base import PRIOR

Problem: TypeAlias = Mapping[str, Json]
_PLACES = 64
_WHAT = "prior must be (coef, intercept), coef alone, or a fitted linear model with coef_ and intercept_"


@runtime_checkable
class Linear(Protocol):
    """A fitted linear model."""

    coef_: Floats
    intercept_: Any


def prior_of(given: Any, domain: Domain, data_norm: float | str | None, *, level: float = 0.0) -> Prior:
    """In the weights of a problem of this domain, whose model has this intercept where its weights are 0.

    Raises InvalidInput for what is no prior of it, without its numbers.
    """
    if isinstance(data_norm, str):
        raise InvalidInput(
            'a prior needs rows in public units, and data_norm="private" rescales them by a private choice. Set data_norm to a number.'
        )
    coef, intercept = _read(given, level)
    rows = domain.classes if domain.classes > 2 else 1
    coef = coef[np.newaxis] if coef.ndim == 1 else coef
    if coef.shape != (rows, domain.features) or intercept.size not in (1, rows):
        raise InvalidInput(
            f"prior must have coefficients of shape {(rows, domain.features)} and {rows} intercept(s), or one; "
            f"{coef.shape} and {intercept.size} were given."
        )
    intercept = intercept - level
    if domain.intercept_scale == 0:
        if np.any(intercept):
            raise InvalidInput("prior has an intercept, but fit_intercept=False. Give it without one: prior=coef.")
        return Prior.at(coef.ravel())
    constants = np.broadcast_to(intercept.reshape(-1, 1), (rows, 1)) / domain.intercept_scale
    return Prior.at(np.concatenate([coef, constants], axis=1).ravel())


def prior_again(problem: Problem, given: Any, domain: Domain, level: float) -> Prior | None:
    """The prior of a fit whose certificate states this problem, as `given` says it again; None of a fit without one.

    A certificate has the digest of the point alone. Raises InvalidInput where none is given, for another one, and where there was none.
    """
    if "prior" not in problem:
        if given is not None:
            raise InvalidInput("this model was fitted without a prior; leave prior out.")
        return None
    if given is None:
        raise InvalidInput("this model was fitted with a prior, whose numbers are not in its certificate. Pass it again: prior=..")
    found = prior_of(given, domain, None, level=level)
    if found.without_point != Prior.stated(problem["prior"]):
        raise InvalidInput("this is not the prior of the fit: the certificate states another digest. Give the same coefficients and intercept.")
    return found


def made_prior(stated: Json, problem: MadeRisk) -> Prior:
    """The point of a model of times or of ordered classes, from its certificate. Raises InvalidInput for another one.

    Of classes it follows from their number. Of times it is one number, as large as the stated norm but for rounding:
    of the few such numbers the digest tells which.
    """
    known, made = Prior.stated(stated), problem.made
    points: Iterable[Floats]
    if made.of == ORDERED:
        points = [np.concatenate((np.zeros(problem.dimension - made.rows), equal_classes(made.rows) / made.step))]
    else:
        step = np.finfo(np.float64).eps * known.norm
        sizes = np.unique(known.norm - 0.5 * step * np.arange(_PLACES + 4 * problem.dimension)).tolist()
        points = (_at(problem, sign * size) for size in sizes for sign in (1.0, -1.0))
    for point in points:
        if Prior.at(point).digest == known.digest:
            return Prior.at(point)
    raise InvalidInput("the certificate of this model names another prior than models of its kind have. Use the model as it was fitted.")


def _at(problem: MadeRisk, level: float) -> Floats:
    found: Floats = np.zeros(problem.dimension)
    found[-1 - problem.made.rows] = level
    return found


def equal_classes(rows: int) -> Floats:
    """Log odds of lying below each of the thresholds between classes of equal size, (M,)."""
    below = np.arange(1, rows + 1) / (rows + 1)
    return np.asarray(np.log(below / (1.0 - below)))


def declared_prior(given: Any, classes: npt.NDArray[Any]) -> tuple[str, ...]:
    """What is declared public by it; `classes` of the fit, none for numbers. Raises InvalidInput for a model of others, or in another order."""
    if isinstance(given, Linear):
        known = np.asarray(getattr(given, "classes_", ())).tolist()
        if known != classes.tolist():
            raise InvalidInput(f"prior is a model of the classes {known}; this fit has {classes.tolist()}, in this order.")
    return (PRIOR,)


def _read(given: Any, level: float) -> tuple[Floats, Floats]:
    refusal = InvalidInput(f"{_WHAT}. No numbers were found; in a search, which clones estimators, pass (model.coef_, model.intercept_).")
    if isinstance(given, Linear):
        found: tuple[Any, Any] = (given.coef_, given.intercept_)
    elif isinstance(given, tuple):
        if len(given) != 2:
            raise refusal
        found = given
    else:
        found = (given, level)
    coef, intercept = (quietly(lambda: np.array(part, dtype=np.float64), refusal) for part in found)  # noqa: B023 - called at once
    if coef.ndim not in (1, 2) or intercept.ndim > 1 or not (np.all(np.isfinite(coef)) and np.all(np.isfinite(intercept))):
        raise InvalidInput(f"{_WHAT}; coef must be finite with one or two dimensions, intercept with at most one.")
    return coef, intercept
