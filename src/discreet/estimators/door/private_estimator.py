"""What all private estimators share: parameters, doors for records, and scikit-learn's manners.

An estimator is a dataclass of its parameters: the constructor keeps them as they are, as scikit-learn's `clone` and `get_params` want it, and `fit`
checks them. Those of privacy become one value, `Privacy`, that is passed on. Attributes with a trailing underscore are there after a fit.

Records come through one of three doors:

    held        an array, data frame, sparse matrix or device array, with targets y beside it
    encoded     an EncodedTable, which brings its own targets and the classes that its schema declares
    in blocks   a BlockTable, which brings its own targets, and is read in every pass

A `score` on private records is a number that nobody has paid for; `evaluate_privately` releases one.
"""

import math
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from numbers import Integral
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.utils.validation import validate_data

from discreet.certificates import Certificate
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, quietly
from discreet.core.lazily import lazily
from discreet.core.neighbours import ADD_REMOVE, DELTA, Neighbours, Persons, Privacy, neighbours_of
from discreet.core.showing import shown
from discreet.core.validate import job_count, number
from discreet.data import BlockTable, Domain, EncodedTable
from discreet.estimators.advice import Answering, advise, refuse_bad_names, refuse_wrong_types
from discreet.estimators.inputs import feature_rows, whole_or_none
from discreet.estimators.model_kinds import KINDS, MODELS, OWN, Saved, TargetKind
from discreet.estimators.prediction_rules import Form, LinearForm
from discreet.estimators.summaries.summary import MOST, Summary
from discreet.ledger.account import Account, check_may_travel, current
from discreet.matrices import Matrix
from discreet.mechanisms.persons import Owners, declared_rule, held_rule, owners_of, table_rule
from discreet.noise import Noise, SeededNoise, SystemNoise
from discreet.statements.base import about_records

if TYPE_CHECKING:
    from discreet.data import Schema
    from discreet.estimators.intervals.uncertainty import Uncertainty
    from discreet.mechanisms import learning

array_models, summarise = lazily("discreet.estimators.files.array_model"), lazily("discreet.estimators.summaries.summarise")
metrics = lazily("sklearn.metrics")

_MOST_EPSILON = 1e9
"""Finite, but without any meaning."""


@dataclass(kw_only=True, eq=False, repr=False)
class PrivateEstimator(BaseEstimator, metaclass=Answering):  # type: ignore[misc]
    """What spends a budget: the parameters of every estimator here, and of searches over them."""

    epsilon: float = 1.0
    delta: float = DELTA
    ledger: Account | None = None
    n_jobs: int | None = None
    random_state: Any = None
    rows_per_person: int | None = None
    person_weight: str = "person"

    n_features_in_: int = field(init=False)
    certificate_: Certificate = field(init=False)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """For notebooks: scikit-learn's diagram, and below it the certificate of a fitted estimator."""
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        if isinstance(certificate := vars(self).get("certificate_"), Certificate) and "text/html" in bundle:
            bundle["text/html"] += shown("estimators.fitted_view", certificate, vars(self).get("weights_"))
        return bundle

    def set_params(self, **params: Any) -> Self:
        """As scikit-learn does. Raises InvalidInput for a name of another library, with the one that it has here."""
        refuse_bad_names(self, params)
        return cast("Self", super().set_params(**params))

    def _account(self) -> Account | None:
        """Raises InvalidInput for what is no account."""
        return account_of(self.ledger)

    def _noise(self) -> Noise:
        """The operating system's noise for None; a seeded one, under which no certificate is valid, for what else scikit-learn takes."""
        state = self.random_state
        if state is None:
            return SystemNoise()
        if isinstance(state, Integral) and not isinstance(state, bool):
            return SeededNoise(int(state))
        if isinstance(state, np.random.RandomState):
            return SeededNoise(int(state.randint(2**31 - 1)))
        if isinstance(state, np.random.Generator):
            return SeededNoise(int(state.integers(2**63 - 1)))
        raise InvalidInput(f"random_state must be None, an integer or a NumPy random source; an object of type {type(state).__name__} was given.")

    def _public_rule(self, *, told_apart: bool) -> Persons | None:
        """Whose rows are whose, before there are any: more than one of a person are told apart by ids, one perhaps. Raises as `declared_rule`."""
        apart = self.rows_per_person is not None and (told_apart or self.rows_per_person != 1)
        return declared_rule(self.rows_per_person, self.person_weight, told_apart=apart)

    def _jobs(self) -> int:
        return job_count(self.n_jobs)

    @contextmanager
    def _unless_refused(self) -> Iterator[None]:
        """Around what a fit does: one that raises leaves all attributes as they were. Parameters of a wrong type are refused first."""
        refuse_wrong_types(self)
        before = dict(vars(self))
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise


@dataclass(kw_only=True, eq=False, repr=False)
class PrivateModel(PrivateEstimator):
    """An estimator of one linear model.

    One whose models are files says so in its class, with what its certificates state; module `model_kinds` knows those that are read without it.
    """

    models: ClassVar[MutableMapping[str, type["PrivateModel"]]] = MODELS
    """See module `model_kinds`."""
    saved_as: ClassVar[str]
    """The kind of its model files."""
    form: ClassVar[type[Form]] = LinearForm
    set_name: ClassVar[str | None] = None
    """The set that its weights lie in; "" for any, None for all vectors."""
    loss_names: ClassVar[tuple[str, ...]] = ()
    """Its loss for two classes, and for more of them at once; () for any."""
    targets: ClassVar[tuple[TargetKind, ...]] = ()
    """What it learns."""
    standard_for: ClassVar[tuple[TargetKind, ...]] = ()
    """Of those the ones for which it is taken where nobody chooses a model."""
    suited: ClassVar[Mapping[TargetKind, Mapping[str, Any]]] = MappingProxyType({})
    """Settings that a kind of target needs, where nobody chooses them and a schema says which it is."""
    makes_rows: ClassVar[str] = ""
    """Where it makes several rows of each record, so that nobody may have a second record: what takes persons who have, in a message."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Keep the kinds of model files. Raises TypeError for a kind that another class has: its files would be read as this one's."""
        super().__init_subclass__(**kwargs)
        if "saved_as" not in vars(cls):
            return
        known = PrivateModel.models.get(cls.saved_as, cls)
        if (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
            raise TypeError(
                f"{cls.__qualname__}: the kind {cls.saved_as!r} of model file belongs to {known.__module__}.{known.__qualname__}. Choose "
                "another saved_as, or leave it out."
            )
        PrivateModel.models[cls.saved_as] = cls
        if cls.saved_as in KINDS:
            _, cls.form, cls.set_name, cls.loss_names = KINDS[cls.saved_as]
        else:
            OWN[cls.saved_as] = Saved(cls.__module__, cls.form, cls.set_name, cls.loss_names)

    neighbours: str = "replace-one"
    public_records: int | None = None

    weights_: Floats = field(init=False)

    def __getstate__(self) -> dict[str, Any]:
        """For pickling. An unfitted model without an account does not leave a process where a ledger is in use: its spending would be lost."""
        if "weights_" not in vars(self):
            check_may_travel(self.ledger)
        state: dict[str, Any] = super().__getstate__()
        return state

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there are weights: a fit that failed, or `fit_many`, leaves other attributes behind."""
        return "weights_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        """Dense and sparse input."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def learns(self) -> tuple[TargetKind, ...]:
        """Of its targets those that it learns with these settings."""
        return type(self).targets

    def require_one_row(self, rule: Persons | None, *, told: bool = True) -> None:
        """Raise InvalidInput where it makes several rows of a record and somebody may have a second one; `told` whether a table would say."""
        unsaid = rule is None and told and self.rows_per_person is None
        if self.makes_rows and (unsaid or self.rows_per_person not in (None, 1) or (rule is not None and rule.told_apart)):
            raise InvalidInput(
                f"{self.described} expands each record into several rows, so it needs one record per person, without ids. If each person has "
                f"one row, say so by rows_per_person = 1, in the schema or in the estimator. If a person may have more, {self.makes_rows}."
            )

    @property
    def described(self) -> str:
        """In a message."""
        return f"{'an' if self.saved_as[0] in 'aeiou' else 'a'} {self.saved_as}"

    def summary(self, *, level: float = 0.95, uncertainty: "Uncertainty | None" = None, schema: "Schema | None" = None, most: int = MOST) -> Summary:
        """The coefficients with names, how sure they are, and what was paid for: `print` it. It is free (module `summarise`).

        Parameters: `level` of the intervals; `uncertainty` what `release_uncertainty` released about this model: intervals then count the sample too;
        `schema` of the table that X was encoded from, for its names and units; `most` how many coefficients, the most important ones.
        Raises NotFittedError before a fit, InvalidInput for another model's uncertainty, and for a schema of other features.
        """
        return summarise.summary_of_estimator(self, level=level, uncertainty=uncertainty, schema=schema, most=most)

    def outlook(self, *, features: int, records: int | None = None, classes: int | None = None) -> "learning.Outlook | None":  # noqa: ARG002
        """Whether a fit may be expected to beat one answer for everybody, from public numbers; None where there is nothing to say, as here."""
        return None

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the fitted model to a file that knows no schema: `ArrayModel.load` reads it, and predicts on arrays.

        Raises InvalidInput where there was no fit, or the file exists (unless `overwrite`) or cannot be written.
        """
        array_models.ArrayModel.from_estimator(self).save(path, overwrite=overwrite)

    def with_share(self, epsilon: float, delta: float, *, seed: int | None, rule: Persons | None, **settings: Any) -> Self:
        """An unfitted copy for a part of a budget, without a ledger; `settings` that follow from its table are for those that have them.

        `rule` says whose rows are whose, as a schema may: a plan does not see the table.
        """
        known = self.get_params(deep=False)
        own = {name: value for name, value in settings.items() if name in known} | ({} if rule is None else dict(rule.as_declared))
        return cast("Self", clone(self).set_params(**own, epsilon=epsilon, delta=delta, random_state=seed, ledger=None))

    def _span(self) -> tuple[float, float] | None:
        """The numbers that -1 and 1 stand for, where targets are brought to that scale."""
        return None

    def _privacy(self) -> Privacy:
        """What a fit may spend. Raises InvalidInput for what are no numbers, and no relation; for any parameter of a wrong type first."""
        refuse_wrong_types(self)
        epsilon = number(self.epsilon, "epsilon")
        if not epsilon > 0:
            raise InvalidInput(f"epsilon must be greater than 0; {epsilon!r} was given. Use epsilon=inf for a fit without privacy.")
        if _MOST_EPSILON < epsilon < math.inf:
            raise InvalidInput(f"epsilon must be at most {_MOST_EPSILON:g}; {epsilon!r} was given. Use epsilon=inf for a fit without privacy.")
        return Privacy(epsilon=epsilon, delta=number(self.delta, "delta"), neighbours=neighbours_of(self.neighbours))

    def _advise(self, X: Any, privacy: Privacy, records: int | None) -> None:
        """Warn of what tells more than its user may think (module `advice`); `records` of a table, used where it is public."""
        counted, seeded = self._account() is not None or current() is not None, self.random_state is not None
        encoded, known = isinstance(X, EncodedTable | BlockTable), self._known_records(records, privacy.neighbours)
        advise(self, X, privacy=privacy, records=known, encoded=encoded, on_a_ledger=counted, seeded=seeded)

    def _known_records(self, records: int | None, neighbours: Neighbours) -> int | None:
        """The number of records that may be used as public: `records` where one is replaced, else what the caller declared."""
        declared = whole_or_none(self.public_records, "public_records")
        return declared if neighbours is ADD_REMOVE else records

    def _declared_records(self, neighbours: Neighbours, *, steps: bool = False) -> tuple[str, ...]:
        """For the certificate, that the number of records was declared public, where it was; `steps` if that of steps was chosen for it."""
        declared = self._known_records(None, neighbours)
        return () if declared is None else (about_records(declared, steps=steps),)

    def _rows(self, X: Any, *, reset: bool) -> Matrix:
        """Rows of X, held or encoded; `reset` in a fit. Raises InvalidInput or InvalidType, without any value of X."""
        rows = X.rows if (encoded := isinstance(X, EncodedTable)) else feature_rows(X)
        if not encoded and not (reset and type(X) is np.ndarray and "feature_names_in_" not in vars(self)):  # names that there may be
            validate_data(self, X, reset=reset, skip_check_array=True)
            return rows
        if not reset:
            self._check_features(rows.shape[1])
        self.n_features_in_ = rows.shape[1]
        return rows

    def _owners(self, X: Any, persons: Any, rows: int, noise: Noise) -> Owners:
        """Of held rows, as the caller says, or the schema of an encoded table. Raises InvalidInput as module `persons` says."""
        rule, ids = held_rule(X, persons, self.rows_per_person, self.person_weight)
        return owners_of(ids, rule=rule, rows=rows, noise=noise)

    def _block_rule(self, table: BlockTable, persons: Any) -> Persons | None:
        """Of a table in blocks, which brings its own ids. Raises InvalidInput as module `persons` says."""
        return table_rule(table, persons, self.rows_per_person, self.person_weight)

    def _block_rows(self) -> Callable[[Matrix], Matrix]:
        """From the rows of a block to those that the linear model sees; public numbers only, so that it may travel to where the rows are."""
        return _unchanged

    def _check_features(self, features: int) -> None:
        if features != self.n_features_in_:
            raise InvalidInput(f"the model was fitted on {self.n_features_in_} features; rows with {features} were given.")

    def _of_rows(self, X: Any, work: Callable[[Matrix], Floats]) -> Floats:
        """work(rows), (n, ..), of all rows of X, blocks one after the other; `work` holds what is public, and not the estimator."""
        if isinstance(X, BlockTable):
            self._check_features(X.features)
            seen = self._block_rows()
            return np.concatenate(list(X.map(lambda _, block: work(seen(block.rows)), self._jobs())))
        return work(self._rows(X, reset=False))


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Checked records: `data_of(domain)` holds or reads them; all else is public, the number of records under replace-one only."""

    features: int
    records: int
    """n: of persons, where they are declared."""
    persons: Persons | None
    classes: npt.NDArray[Any]
    """(K,); none of targets that are numbers."""
    largest: float = 1.0
    """Bound on the weight of a record."""
    declared: tuple[str, ...]
    data_of: Callable[[Domain], Any]
    """Records, or a TargetTable of several targets."""
    units: tuple[float, ...] = ()
    """Of several targets."""


class ScoredClassifier(ClassifierMixin):  # type: ignore[misc]
    """A classifier's manners; its score is scikit-learn's but for the refusals, which there quote labels."""

    def __sklearn_tags__(self) -> Any:
        """With noise, small data sets score poorly."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of records whose class is predicted, not private. Raises InvalidInput for labels of another kind, shape or number."""
        return measured(metrics.accuracy_score, y, self.predict(X), sample_weight)


class ScoredRegressor(RegressorMixin):  # type: ignore[misc]
    """Scores and checks as scikit-learn expects them of a regression."""

    def __sklearn_tags__(self) -> Any:
        """With noise, small data sets score poorly."""
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R^2 of the predictions, not private. Raises InvalidInput for targets that are no finite numbers, one for each record."""
        return measured(metrics.r2_score, y, self.predict(X), sample_weight)


def measured(measure: Callable[..., float], y: Any, predicted: Any, sample_weight: Any = None) -> float:
    """A measure of scikit-learn. Raises InvalidInput, without any value, for what it refuses."""
    refusal = InvalidInput("score needs one target for each row of X (labels of the model's kind, or finite numbers), and numeric weights.")
    return quietly(lambda: float(measure(y, predicted, sample_weight=sample_weight)), refusal)


def account_of(ledger: Any) -> Account | None:
    """An account or None. Raises InvalidInput for anything else."""
    if ledger is None or isinstance(ledger, Account):
        return ledger
    raise InvalidInput(f"ledger must be an Account(path, name) or None; an object of type {type(ledger).__name__} was given.")


def require_own_targets(*beside: Any, weights: bool) -> None:
    """Raise InvalidInput for targets (and weights of records) that are passed beside a table in blocks."""
    if any(each is not None for each in beside):
        own, out = ("targets and weights", "y and sample_weight") if weights else ("targets", "y")
        raise InvalidInput(f"a table read in blocks already contains its {own}; leave {out} out.")


def _unchanged(rows: Matrix) -> Matrix:
    return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class ManyFits:
    """Independent private fits of one model on the same records, under one certificate for all of them together: what `fit_many` returns."""

    coef: Floats = field(repr=False)
    """(count, d), with K > 2 classes (count, K, d)."""
    intercept: Floats = field(repr=False)
    """(count,), with K > 2 classes (count, K)."""
    certificate: Certificate
