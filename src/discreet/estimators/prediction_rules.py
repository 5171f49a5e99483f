"""From rows to decision values, and from these to probabilities: one rule for estimators and for models read from files.

    <w, x> min(1, data_norm / |x|) + intercept          for one function, or for each class its own w and intercept
    <w, (clipped and shortened x, t)>                   for a model over a set, whose constant t is among its features

Rows are shortened as they were when the model was fitted. Sums are taken in a fixed order, so that the decision about a record is a function of this
record and the model, to the last bit, whatever other records stand beside it: a count of correct decisions then changes by one record at most when
one record changes, as the sensitivity of a private score or evaluation says.

Probabilities come through the link that a loss brings with it. A differentiable margin loss l with l' < 0 is a proper composite loss (Reid and
Williamson 2010, theorem 5 and corollary 12): the decision f that minimises p l(f) + (1 - p) l(-f) tells p,

    p(f) = l'(-f) / (l'(-f) + l'(f)),        log odds(f) = ln |l'(-f)| - ln |l'(f)|

    logistic                            log odds = f
    softplus hinge of temperature T     log odds = q(f) = ln s((1 + f) / T) - ln s((1 - f) / T),   s(x) = 1 / (1 + e^-x)

That is of the minimiser among all functions. The one of linear ones, and of private ones even more, is moved: by the penalty, by the noise, and by
what no line can say. Across the bend of the hinge, where q goes from nearly flat to steep, that makes q tell too much of long decisions and too
little of short ones, so half of its chord from 0 to f = 2 is mixed into it,

    softplus hinge                      log odds = (q(f) + q(2) f / 2) / 2

odd and rising as q is: no decision changes. The half was chosen on eight public tables; benchmarks/probabilities.py compares (docs/classes.md). It is
a public number, and everything here is post-processing. Integrating the noise's own law out, p = E s(q(f + N(0, v(x)))), was tried and is not done:
the penalty has shrunk decisions by more than that already, so it makes the log loss of logistic models worse even at the true v(x), which is private.
Of v(x) no more is public than an upper bound, mostly too large by orders.

The link belongs to the loss (`losses/base.py`), to one that a user adds as well. Losses with a flat part (Huber hinge, smoothed hinge) answer 0 / 0
there: they tell classes apart and have no probabilities.

A form is how released weights answer about rows, from what a certificate states of its problem, and from nothing else:

    linear    <w, x> min(1, R / |x|_2) + t v        of two classes; with K > 2, one f_k for each, their weights one after the other
    kernel    the same with R = 1 for the features v(x) of a kernel, whose frequencies are drawn again from their public seed
    bounded   <(w, v), (x, t)>, x clipped and shortened to the declared bounds: of two classes, or of numbers; of several targets (n, m)
    made      (n, M), the log odds of the M yes-or-no rows that are made of a record of which a time, or an ordered class, is known

A form is public, and made anew whenever a model is read.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.certificates import digest_of
from discreet.core.arrays import Floats
from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.fields import Json, count, finite, flag, not_negative, numbers, text, whole
from discreet.core.lazily import lazily
from discreet.core.validate import positive
from discreet.data import Domain
from discreet.data.domain import split_weights
from discreet.losses import MarginLoss
from discreet.problems.made_rows import MadeRows
from discreet.words.learning import model_units

if TYPE_CHECKING:
    from discreet import kernels
    from discreet.data import records
    from discreet.kernels import feature_map as maps
    from discreet.kernels import matrix as mapped
    from discreet.kernels.feature_map import FeatureMap
    from discreet.matrices import Matrix, bounded
else:
    kernels, maps, mapped = lazily("discreet.kernels"), lazily("discreet.kernels.feature_map"), lazily("discreet.kernels.matrix")
    records, bounded = lazily("discreet.data.records"), lazily("discreet.matrices.bounded")

special = lazily("scipy.special")
SCHEMES = ("multinomial", "one-vs-rest")


def linear_decision(rows: "Matrix", *, weights: Floats, intercept: float | Floats, data_norm: float) -> Floats:
    """Decisions (n,) for `rows` (n, d) and `weights` (d,); (n, K) for `weights` (d, K) and `intercept` (K,)."""
    rows = bounded.brought_near(rows, data_norm)
    products, factors = rows.ordered_matvec(weights), bounded.factors_in_order(rows, data_norm)
    if factors is not None:
        products *= factors if weights.ndim == 1 else factors[:, np.newaxis]
    products += intercept
    return products


def bounded_decision(rows: "Matrix", *, weights: Floats, domain: Domain, units: tuple[float, ...] = ()) -> Floats:
    """Decisions, or predicted numbers, (n,) for `rows` (n, features) that are brought within the domain, and `weights` (domain.dimension,).

    (n, m) of m targets with these `units`, for weights (m domain.dimension,), one target after the other.
    """
    within = records.bounded_rows(rows, domain)
    if not units:
        return within.ordered_matvec(weights)
    return np.column_stack([unit * within.ordered_matvec(own) for unit, own in zip(units, weights.reshape(len(units), -1), strict=True)])


def chosen_codes(decision: Floats) -> npt.NDArray[np.intp]:
    """Numbers of the chosen classes, (n,), from decisions (n,) or (n, K)."""
    codes: npt.NDArray[np.intp] = (decision > 0).astype(np.intp) if decision.ndim == 1 else decision.argmax(axis=1)
    return codes


def threshold_for(*, false_positive: float, false_negative: float) -> float:
    """The probability of the second class above which predicting it costs less, given public costs of the two errors. Raises InvalidInput."""
    wrong, missed = positive(false_positive, "the cost of a false positive"), positive(false_negative, "the cost of a false negative")
    return wrong / (wrong + missed)


def codes_above(chances: Floats, threshold: float) -> npt.NDArray[np.intp]:
    """1 where the probability of the second class, of (n, 2), is above it, (n,). Raises InvalidInput for more classes, or one outside (0, 1)."""
    if chances.shape[1] != 2:
        raise InvalidInput(f"a threshold is for models of two classes; this one has {chances.shape[1]}. Leave it out.")
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 < threshold < 1:
        raise InvalidInput(
            f"threshold must lie between 0 and 1; {threshold!r} was given. From public costs: cost of a false positive / (cost of a false "
            "positive + cost of a false negative)."
        )
    return np.asarray(chances[:, 1] > threshold, dtype=np.intp)


def log_odds(loss: MarginLoss, decision: Floats) -> Floats:
    """ln(p / (1 - p)) at decision values of any shape: see the module docstring. Raises TypeError for a loss without a link."""
    if not loss.linked:
        raise TypeError(f"the {loss.name} loss has no link")
    return loss.log_odds(decision)


def probabilities(loss: MarginLoss, decision: Floats, *, multinomial: bool) -> Floats:
    """Rows of probabilities: (n, 2) from decisions (n,), (n, K) from (n, K).

    K classes: the softmax of a multinomial model; for one-vs-rest the K probabilities divided by their sum, equal ones where all are zero.
    """
    if decision.ndim == 1:
        odds = log_odds(loss, decision)
        return np.column_stack((special.expit(-odds), special.expit(odds)))
    if multinomial:
        chances: Floats = special.softmax(decision, axis=1)
        return chances
    return np.exp(log_probabilities(loss, decision, multinomial=False))


def log_probabilities(loss: MarginLoss, decision: Floats, *, multinomial: bool) -> Floats:
    """Logarithms of `probabilities`, accurate where these are tiny."""
    if decision.ndim == 1:
        odds = log_odds(loss, decision)
        return np.column_stack((special.log_expit(-odds), special.log_expit(odds)))
    logs: Floats = special.log_softmax(log_chances(loss, decision, multinomial=multinomial), axis=1)
    return logs


def log_chances(loss: MarginLoss, decision: Floats, *, multinomial: bool) -> Floats:
    """Logarithms of the probabilities of K classes, (n, K), but for one constant a row: entry by entry from decisions (n, K)."""
    return decision if multinomial else np.asarray(special.log_expit(log_odds(loss, decision)))


Problem: TypeAlias = Mapping[str, Json]
"""What a certificate states."""

_LONGEST = 1 << 53
"""Counts beyond are not written out."""


class Form(ABC):
    """See the module docstring."""

    __slots__ = ()
    data_norm: float
    """R, the bound to which rows are shortened; infinity where only entries are bounded, 1 for features of a kernel."""
    intercept_scale: float
    """t, the constant feature of the intercept; 0 without one."""

    additive: ClassVar[bool] = True
    """Whether decisions are sums of what the features add, each by itself, for rows within the bound."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many weights there are."""

    @abstractmethod
    def decision(self, rows: "Matrix", weights: Floats) -> Floats:
        """(n,), or (n, K) for K > 2 classes, for rows (n, d) and weights (size,)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearForm(Form):
    """Rows are shortened to `data_norm`."""

    features: int
    data_norm: float
    intercept_scale: float
    classes: int

    @property
    def size(self) -> int:
        """See Form."""
        return (self.features + (self.intercept_scale > 0)) * (1 if self.classes == 2 else self.classes)

    def decision(self, rows: "Matrix", weights: Floats) -> Floats:
        """See Form."""
        coef, intercept = split_weights(weights[:, np.newaxis], features=self.features, intercept_scale=self.intercept_scale, classes=self.classes)
        if self.classes > 2:
            return linear_decision(rows, weights=coef[0].T, intercept=intercept[0], data_norm=self.data_norm)
        return linear_decision(rows, weights=coef[0], intercept=float(intercept[0]), data_norm=self.data_norm)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KernelForm(LinearForm):
    """A linear form on features of a kernel."""

    feature_map: "FeatureMap"
    additive = False

    def decision(self, rows: "Matrix", weights: Floats) -> Floats:
        """See Form."""
        return LinearForm.decision(self, mapped.FeatureMapMatrix(rows, self.feature_map), weights)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedForm(Form):
    """Rows are brought within `domain`."""

    domain: Domain
    units: tuple[float, ...] = ()
    """Of several targets, or ones for each of more than two classes, whose weights stand one after the other; none of one target."""
    data_norm: float = field(init=False)
    intercept_scale: float = field(init=False)

    def __post_init__(self) -> None:
        """Those of the domain."""
        object.__setattr__(self, "data_norm", self.domain.norm_bound)
        object.__setattr__(self, "intercept_scale", self.domain.intercept_scale)

    @property
    def size(self) -> int:
        """See Form."""
        return self.domain.dimension * (len(self.units) or 1)

    def decision(self, rows: "Matrix", weights: Floats) -> Floats:
        """See Form; (n, m) of several targets."""
        return bounded_decision(rows, weights=weights, domain=self.domain, units=self.units)


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeForm(Form):
    """Rows are shortened to `data_norm`; what the log odds mean says `made`."""

    features: int
    made: MadeRows
    data_norm: float = field(init=False)
    intercept_scale: float = field(init=False)

    def __post_init__(self) -> None:
        """That of the rows that were given; their constants are none of one intercept."""
        object.__setattr__(self, "data_norm", self.made.bound)
        object.__setattr__(self, "intercept_scale", 0.0)

    @property
    def size(self) -> int:
        """See Form."""
        return self.features + 1 + self.made.rows

    def decision(self, rows: "Matrix", weights: Floats) -> Floats:
        """The log odds of the M rows that are made of each record, (n, M)."""
        along = linear_decision(rows, weights=weights[: self.features], intercept=0.0, data_norm=self.data_norm)
        return self.made.log_odds(along, weights)


def form_of(problem: Problem, *, columns: int, classes: int, weights: int) -> Form:
    """The form of a model of rows with `columns` features, as the schema makes them, with so many classes, 0 for numbers, and so many weights.

    Raises FileFormatError for a problem that states none, or another one; before anything of the size that it states is made.
    """
    try:
        stated, bounded = problem.get("feature_map"), "norm_bound" in problem
        if "made_rows" in problem:
            made = MadeRows.stated(problem["made_rows"])
            _check_features(whole(problem["features"]) - 1 - made.rows, columns)
            return MadeForm(features=whole(problem["features"]) - 1 - made.rows, made=made)
        if bounded or stated is None:
            _check_features(whole(problem["features"]), columns)
        if bounded:
            return BoundedForm(domain=_domain(problem), units=model_units(problem))
        features, bounds = whole(problem["features"]), {name: not_negative(problem[name]) for name in ("data_norm", "intercept_scale")}
        linear = LinearForm(features=features, classes=classes, **bounds)
        if stated is None:
            return linear
        _check_weights(linear.size, weights)
        return KernelForm(feature_map=_feature_map(stated, features, columns), features=features, classes=classes, **bounds)
    except FileFormatError:
        raise
    except (KeyError, TypeError, ValueError, InvalidInput) as error:
        said = f": {error}" if isinstance(error, InvalidInput) else ""
    raise FileFormatError(
        f"the certificate's problem lacks its data_norm, another bound of its rows or its intercept_scale, or states none that can be used{said}."
    )


def _check_features(stated: int, columns: int) -> None:
    if stated > columns:
        words = str(stated) if stated <= _LONGEST else "more of them"
        raise FileFormatError(
            f"the schema gives {columns} features, but the certificate states {words}. Take weights, schema and certificate from the same fit."
        )


def _check_weights(size: int, held: int) -> None:
    if size != held:
        words = str(size) if size <= _LONGEST else "more"
        raise FileFormatError(
            f"the certificate is for {words} weights, but the model has {held}. Take weights, schema and certificate from the same fit."
        )


def _domain(problem: Problem) -> Domain:
    entry, norm = (math.inf if problem[name] is None else finite(problem[name]) for name in ("entry_bound", "norm_bound"))
    return Domain(
        features=whole(problem["features"]),
        entry_bound=entry,
        norm_bound=norm,
        target_bound=finite(problem["target_bound"]),
        intercept_scale=not_negative(problem["intercept_scale"]),
    )


def _feature_map(stated: Json, features: int, columns: int) -> "FeatureMap":
    """Drawn again: the same seed gives the same frequencies, as their digest shows."""
    if not isinstance(stated, dict):
        raise TypeError
    kernel = kernels.kernel_named(text(stated["kernel"]), numbers(stated["kernel_parameters"]))
    drawn = kernels.draw_frequencies(
        kernel, seed=count(stated["seed"]), features=columns, count=max(1, features // 2), orthogonal=flag(stated["orthogonal"])
    )
    if digest_of(drawn) != stated["frequencies"]:
        raise InvalidInput("its seed draws other frequencies than the certificate was issued for")
    return maps.FeatureMap(frequencies=drawn)
