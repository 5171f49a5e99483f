"""Intervals of a model: the release behind them, the curvature of its records at its weights, with a budget of its own; and their file.

    estimator, X, y        the records of the fit, through the same door as in `fit`
    Model, table           a model file and the table it was fitted on, through the model's schema

What is released, and what it costs: module `mechanisms.curvature`. What follows from it, for free: module `uncertainty`.

An interval file is JSON: {"format", "level", "target", "covers", "coefficients", "references", "coding", "weights", "value",
"guarantee_with_the_model", "model_certificate", "certificate"}, "labels" of more than two classes,
and "prior" of a fit with one. `value` are the released integers, `weights`
the model's, `coding` which features the schema made of one column. Reading one computes the intervals again, and refuses one that says others.
"""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.accounting import Guarantee, Json
from discreet.certificates import Certificate, Check, Verification
from discreet.core.arrays import Floats
from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.files.strict_json import read_back
from discreet.core.files.text_file import read_parsed
from discreet.core.files.whole_file import write_whole
from discreet.core.short import short_repr
from discreet.core.validate import number, positive
from discreet.data import EncodedTable
from discreet.data.coding import Coding
from discreet.data.labels import canonical
from discreet.data.reader import on_scale
from discreet.estimators.forms import KernelForm
from discreet.estimators.linear_classifier import LinearClassifier
from discreet.estimators.model import Model
from discreet.estimators.prior import prior_again
from discreet.estimators.regression_model import RegressionModel
from discreet.estimators.released_noise import fit_within
from discreet.estimators.uncertainty import PENALISED, UNPENALISED, Uncertainty, problem_of
from discreet.ledger import Account
from discreet.matrices import Matrix
from discreet.mechanisms.curvature import CurvatureQuery, CurvatureRecords, GaussianCurvature
from discreet.mechanisms.persons import Owners, owners_of
from discreet.noise import Noise, SeededNoise, SystemNoise
from discreet.problems.prior import Prior

OF_KERNELS = (
    "coefficients of random features mean nothing by themselves, so there is no file of their intervals. For intervals of decisions, use "
    "Python after the fit: release_uncertainty(estimator, X, y, ...).decisions(estimator.random_features(rows))."
)
Learnable: TypeAlias = LinearClassifier | RegressionModel
"""Estimators that intervals may be released for."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreparedUncertainty:
    """Everything that the release needs, settled before a record is read; public."""

    query: CurvatureQuery
    mechanism: GaussianCurvature
    model_certificate: Certificate
    prior: Floats | None = None
    """The point that the ridge of the fit pulls towards; None for zero."""

    @property
    def guarantee(self) -> Guarantee:
        """What the release will cost."""
        return self.mechanism.guarantee(self.query)


def prepare_uncertainty(model: Learnable | Model, *, epsilon: float, delta: float, prior: Any = None) -> PreparedUncertainty:
    """The calibrated release. Raises InvalidInput for a model that there are no intervals for, or a target that there is no noise for.

    `prior` of a Model that was fitted with one: the same. An estimator has its own.
    """
    if isinstance(model, Model):
        weights, certificate = model.weights, model.certificate
        if isinstance(model.form, KernelForm):
            raise InvalidInput(OF_KERNELS)
    elif isinstance(model, Learnable) and "weights_" in vars(model):
        weights, certificate, prior = model.weights_, model.certificate_, vars(model).get("prior") if prior is None else prior
        if model._privacy().neighbours is not certificate.guarantee.neighbours:  # noqa: SLF001
            raise InvalidInput("the model's parameters were changed after the fit. Fit again, or set them back.")
    else:
        raise InvalidInput("intervals need a fitted classifier, a fitted regression without a constraint set, or a model read from a file.")
    query = CurvatureQuery(problem=problem_of(certificate), weights=weights)
    pulled = prior_again(fit_within(certificate)[2], prior, query.problem.domain)
    mechanism = GaussianCurvature.calibrate(
        query, epsilon=positive(epsilon, "epsilon"), delta=number(delta, "delta"), neighbours=certificate.guarantee.neighbours
    )
    point = None if pulled is None else pulled.point
    return PreparedUncertainty(query=query, mechanism=mechanism, model_certificate=certificate, prior=point)


def measure_uncertainty(
    prepared: PreparedUncertainty,
    rows: Matrix,
    targets: npt.NDArray[Any],
    record_weights: Floats | None,
    noise: Noise,
    *,
    account: Account | None = None,
    coding: Coding | None = None,
    said: npt.NDArray[Any] | None = None,
) -> Uncertainty:
    """Spend, and release. `rows` (n, d) as the fit got them, `targets` (n,) signs, codes or numbers, which a ledger sees unless some are `said`."""
    query, mechanism = prepared.query, prepared.mechanism
    if rows.shape[1] != query.problem.domain.features:
        raise InvalidInput(f"the model was fitted on {query.problem.domain.features} features; rows with {rows.shape[1]} were given.")
    records = CurvatureRecords(
        rows=rows,
        targets=np.asarray(targets, dtype=np.float64),
        record_weights=record_weights,
        table=content_of(rows, targets if said is None else said),
    )
    release = mechanism.run(query, records, noise, account=account)
    return Uncertainty(
        problem=query.problem,
        weights=query.weights,
        matrices=query.read(release.value, mechanism.scale),
        model_certificate=prepared.model_certificate,
        certificate=release.certificate,
        value=release.value,
        coding=Coding() if coding is None else coding,
        prior=prepared.prior,
    )


def release_uncertainty(
    model: Learnable | Model,
    X: Any,
    y: Any = None,
    *,
    epsilon: float,
    delta: float,
    sample_weight: Any = None,
    persons: Any = None,
    ledger: Account | None = None,
    random_state: int | None = None,
    prior: Any = None,
) -> Uncertainty:
    """Spend (epsilon, delta), besides what the model cost, on the curvature at its weights; all intervals follow from it for free.

    `model` a fitted classifier of any number of classes or a regression, without a set; X, y, sample_weight and persons those of the fit, as `fit`
    takes them; or a `Model`, and X the table with its target. Of a KernelClassifier decisions at random features have intervals that say something.
    `ledger` an account, else that of the estimator, or the ledger in use; `random_state` an integer for tests: the certificate then never verifies.
    `prior` of a Model that was fitted with one: the same coefficients and intercept, which its file names by their digest alone.

    Raises InvalidInput for another model or input, or delta = 0, BudgetExceeded before anything is drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet import LogisticRegression, release_uncertainty
    >>> draw = np.random.default_rng(0)
    >>> X = draw.uniform(-1.0, 1.0, (20_000, 1))
    >>> y = draw.random(20_000) < 1.0 / (1.0 + np.exp(-2.0 * X[:, 0]))
    >>> model = LogisticRegression(epsilon=1.0, delta=1e-6, classes=[False, True]).fit(X, y)
    >>> found = release_uncertainty(model, X, y, epsilon=1.0, delta=1e-6)  # a second release from the same records
    >>> found.coef_interval(0.95).low.shape, round(found.guarantee.epsilon, 6)  # of both releases
    ((1,), 2.0)
    """
    prepared = prepare_uncertainty(model, epsilon=epsilon, delta=delta, prior=prior)
    noise = SystemNoise() if random_state is None else SeededNoise(random_state)
    if isinstance(model, Model):
        if y is not None or sample_weight is not None or persons is not None:
            raise InvalidInput("for a model read from a file, pass a table that contains the target; leave y, sample_weight and persons out.")
        return measure_uncertainty(prepared, *table_records(prepared, model, X, noise), noise, account=ledger, coding=model.schema.coding)
    again = records_again(prepared, model, X, y, sample_weight, persons, noise)
    account = model._account() if ledger is None else ledger  # noqa: SLF001
    return measure_uncertainty(prepared, *again.records, noise, account=account, coding=again.coding, said=again.said)


class Again(NamedTuple):
    """The records of a fit, read once more."""

    records: tuple[Matrix, Floats, Floats | None]
    """Rows (n, d), targets (n,), and weights (n,) or None."""
    coding: Coding | None
    largest: float
    """The most that a record may weigh."""
    owners: Owners
    said: npt.NDArray[Any]
    """Targets as a ledger sees them in a fit."""


def records_of(model: Learnable, X: Any, y: Any, sample_weight: Any, persons: Any, noise: Noise, *, classes: Any, reset: bool) -> Again:
    """Through the door of `fit`; `noise` draws which rows of a person are kept. Raises InvalidInput for other records than `classes` say."""
    rows, coding = model._rows(X, reset=reset), X.coding if isinstance(X, EncodedTable) else None  # noqa: SLF001
    weights, largest = None, 1.0
    if isinstance(model, LinearClassifier):
        found, codes, _ = model._targets(X, y, rows.shape[0], classes)  # noqa: SLF001
        if not reset and found.tolist() != classes.tolist():
            raise InvalidInput("the classes differ from those of the fit. Pass the records of the fit, and declare classes.")
        weights, largest = model._weights(sample_weight, codes, found)  # noqa: SLF001
        said: npt.NDArray[Any] = np.where(codes == 1, 1.0, -1.0) if len(found) == 2 else np.asarray(codes, dtype=np.int64)
        targets: Floats = said.astype(np.float64)
    else:
        if sample_weight is not None:
            raise InvalidInput("intervals of a regression need records of equal weight; leave sample_weight out.")
        encoded = isinstance(X, EncodedTable)
        said = (model._encoded(X, y) if encoded else model._targets(y, rows.shape[0], None))[0]  # noqa: SLF001
        targets = said if encoded else on_scale(said, model._span())  # noqa: SLF001
        if targets.ndim > 1:
            raise InvalidInput("intervals that count sampling error need a single target; fit each target separately.")
    owners = model._owners(X, persons, rows.shape[0], noise)  # noqa: SLF001
    return Again((rows, targets, owners.shared(weights)), coding, largest, owners, said)


def records_again(prepared: PreparedUncertainty, model: Learnable, X: Any, y: Any, sample_weight: Any, persons: Any, noise: Noise) -> Again:
    """The records of the fit of this model. Raises InvalidInput for other ones."""
    classes = model.classes_ if isinstance(model, LinearClassifier) else None
    again = records_of(model, X, y, sample_weight, persons, noise, classes=classes, reset=False)
    if again.largest > getattr(prepared.query.problem, "max_weight", 1.0):
        raise InvalidInput("a record has a larger weight than in the fit. Pass the sample_weight of the fit, or declare max_sample_weight.")
    if again.owners.rule != prepared.query.problem.persons:
        raise InvalidInput(_OTHERS)
    return again


def table_records(prepared: PreparedUncertainty, model: Model, frame: Any, noise: Noise) -> tuple[Matrix, npt.NDArray[Any], Floats | None]:
    """Rows, targets and weights of the table (or EncodedTable) that a model was fitted on.

    `noise` draws which rows of a person are kept. Raises InvalidInput for a model whose records had weights, and for persons of whom the model's
    schema does not tell.
    """
    if model.certificate.problem.get("max_weight", 1.0) != 1.0:
        raise InvalidInput("the records of this model had weights, which its file does not hold. Use the estimator that was fitted.")
    encoded = frame if isinstance(frame, EncodedTable) else model.schema.encode(frame, target=True)
    kinds = (encoded.signs, encoded.codes, encoded.one_number)
    targets = next((np.asarray(one) for one in kinds if one is not None), None)
    if targets is None:
        raise InvalidInput("the table was encoded without its target; encode it with target=True.")
    rule = prepared.query.problem.persons
    if (encoded.rule if encoded.persons is not None else None) != (None if rule is None or not rule.told_apart else rule):
        raise InvalidInput(_OTHERS)
    return encoded.rows, targets, owners_of(encoded.persons, rule=rule, rows=encoded.rows.shape[0], noise=noise).weights


_OTHERS = "the fit declared persons differently. Pass the same persons as in the fit, or none if it had none."


def content_of(rows: Matrix, targets: npt.NDArray[Any]) -> Iterator[bytes]:
    """Rows and targets as bytes, for a ledger's keyed digest; private."""
    yield from rows.content()
    yield targets.tobytes()


FORMAT = "discreet-intervals/1"
"""The format of an interval file; another version is refused."""
INTERCEPT = "(intercept)"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IntervalFile:
    """Intervals of one level for one target; public. Raises InvalidInput unless there is one name for each feature."""

    uncertainty: Uncertainty
    names: tuple[str, ...]
    """Of the features."""
    level: float = 0.95
    target: str = PENALISED
    """"penalised" or "unpenalised", as for `Uncertainty.coefficients`."""
    labels: tuple[str, ...] = ()
    """Of more than two classes, whose coefficients come one class after the other; none otherwise."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """See class docstring."""
        features, functions = self.uncertainty.problem.domain.features, self.uncertainty.functions
        if len(self.names) != features:
            raise InvalidInput(f"the model has {features} features; {len(self.names)} names were given.")
        if len(self.labels) != (functions if functions > 1 else 0):
            raise InvalidInput(f"the model has {functions} functions; {len(self.labels)} labels of classes were given.")

    @property
    def certificate(self) -> Certificate:
        """Of the release that the intervals were computed from; the model's is another."""
        return self.uncertainty.certificate

    @property
    def references(self) -> tuple[str, ...]:
        """Names of the categories that others of their column are relative to, with target "unpenalised"; their own coefficients are 0."""
        return tuple(self.names[place] for place in self.uncertainty.references) if self.target == UNPENALISED else ()

    def rows(self) -> list[tuple[str, float, float, float]]:
        """Name, lower end, estimate and upper end of every coefficient, the intercept's last; an end may be infinite.

        Of more than two classes the name is that of the class and of the feature.
        """
        found = [self.uncertainty.coef_interval(self.level, target=self.target)]
        names = list(self.names)
        if self.uncertainty.problem.domain.intercept_scale > 0:
            found.append(self.uncertainty.intercept(self.level, target=self.target))
            names.append(INTERCEPT)
        if self.labels:
            names = [f"{label}: {name}" for label in self.labels for name in names]
        low, middle, high = (np.concatenate([getattr(part, end) for part in found], axis=-1).ravel().tolist() for end in ("low", "estimate", "high"))
        return list(zip(names, low, middle, high, strict=True))

    def verify(self) -> Verification:
        """Check both certificates against weights and integers, and that the second is about the first one's weights."""
        held = self.uncertainty
        asked = CurvatureQuery(problem=held.problem, weights=held.weights).to_dict() == dict(held.certificate.problem)
        found = "the intervals were released at the weights of this model" if asked else "the certificate is for another model or problem"
        model = [Check(f"model: {check.name}", check.ok, check.detail) for check in held.model_certificate.verify(held.weights).checks]
        return Verification(checks=(*held.verify().checks, *model, Check("question", asked, found)))

    def to_dict(self) -> dict[str, Json]:
        """A plain table for JSON; null for an infinite end."""
        held, domain = self.uncertainty, self.uncertainty.problem.domain
        coding = held.coding if self.target == UNPENALISED else Coding()
        stated = held.to_dict(self.level, target=self.target)
        return {
            "format": FORMAT,
            "level": self.level,
            "target": self.target,
            "covers": stated["target"],
            "coefficients": [{"name": name, "low": _end(low), "estimate": middle, "high": _end(high)} for name, low, middle, high in self.rows()],
            "references": list(self.references),
            **({"labels": list(self.labels)} if self.labels else {}),
            **({} if held.prior is None else {"prior": held.prior.tolist()}),
            "coding": coding.to_dict(intercept_scale=domain.intercept_scale, norm_bound=domain.norm_bound),
            "weights": held.weights.tolist(),
            "value": [int(number) for number in held.value.tolist()],
            "guarantee_with_the_model": stated["guarantee_with_the_model"],
            "model_certificate": held.model_certificate.to_dict(),
            "certificate": held.certificate.to_dict(),
        }

    def to_json(self) -> str:
        """`to_dict` as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the file, whole or not at all. Raises InvalidInput where it exists (unless `overwrite`) or cannot be written."""
        write_whole(path, self.to_json(), overwrite=overwrite)

    @classmethod
    def load(cls, path: str | Path) -> "IntervalFile":
        """The intervals in a file. Raises InvalidInput where there is none, FileFormatError, with the path, for its content."""
        return read_parsed(path, cls.from_json, what="interval file", remedy="Check the path, or write one with `discreet intervals --out`.")

    @classmethod
    def from_json(cls, text: str) -> "IntervalFile":
        """What `to_json` wrote. Raises FileFormatError for anything else."""
        return read_back(text, _read, what="an interval file", format_=FORMAT, basis="the released integers")


def _read(record: Mapping[str, Any]) -> IntervalFile:
    model, certificate = Certificate.from_dict(record["model_certificate"]), Certificate.from_dict(record["certificate"])
    problem = problem_of(model)
    weights, value = np.array(record["weights"], dtype=np.float64), np.array(record["value"], dtype=np.float64)
    query = CurvatureQuery(problem=problem, weights=weights)
    if value.shape != (query.size,) or not np.array_equal(value, np.rint(value)):
        raise FileFormatError(f"this model needs {query.size} released integers; the file has another number.")
    scale = certificate.parameters["scale"]
    if isinstance(scale, bool) or not isinstance(scale, int | float) or not (math.isfinite(scale) and scale > 0):
        raise TypeError
    prior = None if "prior" not in record else Prior.at(np.array(record["prior"], dtype=np.float64))
    if (None if prior is None else prior.to_dict()) != fit_within(model)[2].get("prior"):
        raise FileFormatError("the certificate of its model names another prior, or none.")
    names, labels = [row["name"] for row in record["coefficients"]], record.get("labels", [])
    if not all(isinstance(name, str) for name in (*names, *labels)):
        raise TypeError
    if labels:
        names = [name.removeprefix(f"{labels[0]}: ") for name in names]
    return IntervalFile(
        uncertainty=Uncertainty(
            problem=problem,
            weights=weights,
            matrices=query.read(value, scale),
            model_certificate=model,
            certificate=certificate,
            value=value,
            coding=Coding.from_dict(record["coding"], features=problem.domain.features, norm_bound=problem.domain.norm_bound),
            prior=None if prior is None else prior.point,
        ),
        names=tuple(names[: problem.domain.features]),
        level=record["level"],
        target=record["target"],
        labels=tuple(labels),
    )


def interval_labels(model: Model) -> tuple[str, ...]:
    """For an IntervalFile."""
    return tuple(map(canonical, model.classes)) if len(model.classes) > 2 else ()


def _end(value: float) -> float | None:
    """JSON has no infinity."""
    return value if math.isfinite(value) else None
