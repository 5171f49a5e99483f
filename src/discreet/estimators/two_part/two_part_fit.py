"""A fit that shares its budget with a question asked at its weights: planned from public numbers, paid for once, then drawn.

What the question is, and what becomes of the answer, is said by `fit_with_intervals` and `fit_with_calibration`.
"""

from dataclasses import dataclass, replace
from typing import Any

from sklearn.base import clone

from discreet.accounting import Json
from discreet.certificates import Certificate
from discreet.core.errors import VerificationFailure
from discreet.core.neighbours import ADD_REMOVE, Persons
from discreet.data import BlockTable, EncodedTable
from discreet.estimators.door.fit_input import FitInput, HeldRecords
from discreet.estimators.models.linear_classifier import LinearClassifier
from discreet.estimators.models.survival_ordinal import PersonRows
from discreet.estimators.search.methods import fit_seed
from discreet.mechanisms.base import as_planned, certified
from discreet.mechanisms.selection import ThenFit
from discreet.noise import Noise


@dataclass(frozen=True, slots=True, kw_only=True)
class FitWithQuery:
    """The estimator and the records of a fit, read through its own door."""

    estimator: Any
    given: FitInput | HeldRecords
    """Records in memory, or those of a table in blocks, which are read anew in every pass."""
    known: int | None
    """Records, where their number is public."""
    noise: Noise
    X: Any
    y: Any
    sample_weight: Any
    persons: Any

    @classmethod
    def of(cls, estimator: Any, X: Any, y: Any, sample_weight: Any, persons: Any, *, classes: Any) -> "FitWithQuery":
        """Raises InvalidInput, as `fit` does, for what it refuses."""
        privacy, noise, scratch = estimator._privacy(), estimator._noise(), clone(estimator)  # noqa: SLF001 - of this package
        # The same door as in fit: what is refused is refused before it is paid for.
        given: FitInput | HeldRecords
        if isinstance(X, BlockTable) and isinstance(scratch, LinearClassifier):
            given = read = scratch._read_blocks(X, y, sample_weight, persons, noise)  # noqa: SLF001
            number = read.records
        else:
            given = held = scratch.held_records(X, y, sample_weight, persons, noise, classes=classes, reset=True)
            number = held.owners.number
        scratch._advise(X, privacy, number)  # noqa: SLF001
        known = None if privacy.neighbours is ADD_REMOVE else number
        return cls(estimator=estimator, given=given, known=known, noise=noise, X=X, y=y, sample_weight=sample_weight, persons=persons)

    @property
    def held(self) -> HeldRecords:
        """The records, of a table in memory. Raises TypeError for one in blocks."""
        if not isinstance(self.given, HeldRecords):
            raise TypeError("the records of a table in blocks are not held.")
        return self.given

    @property
    def rule(self) -> Persons | None:
        """Whose rows are whose."""
        return self.given.shape.persons if isinstance(self.given, FitInput) else self.given.owners.rule

    def planned(self, epsilon: float, delta: float) -> Certificate:
        """What the fit would promise for this target."""
        rule = self.rule
        classes = isinstance(self.estimator, LinearClassifier)
        asked: dict[str, Any] = {"weighted": self.sample_weight is not None} if classes else {"targets": self.targets}
        if isinstance(self.estimator, PersonRows):
            asked = {}
        told_apart = rule is not None and rule.told_apart and not isinstance(self.estimator, PersonRows)
        features = self.given.shape.features if isinstance(self.given, FitInput) else self.given.rows.shape[1]
        found: Certificate = self._made(epsilon, delta, 0).plan(features=features, records=self.known, told_apart=told_apart, **asked)
        return found

    @property
    def targets(self) -> int:
        """How many numbers a record has to be predicted."""
        return 1 if self.held.targets.said.ndim == 1 else self.held.targets.said.shape[1]

    def fitted(self, both: ThenFit[Any]) -> Any:
        """A model for its part of the budget. Raises VerificationFailure where it promises anything but what was planned."""
        weights = {"sample_weight": self.sample_weight} if isinstance(self.estimator, LinearClassifier) else {}
        model = self._made(*both.target, fit_seed(self.noise)).fit(self.X, self.y, persons=self.persons, **weights)
        if not as_planned(model.certificate_, both.fit):
            raise VerificationFailure("the certificate of the fit differs from the one planned from public parameters. Nothing was released.")
        return model

    def issued(self, both: ThenFit[Any], fit: Certificate, digest: str, *, entry: str | None, more: dict[str, Json] | None = None) -> Certificate:
        """What both promise together, of a value of this digest; `more` are parameters besides those of the two parts."""
        private = self.noise.private and fit.noise_private
        parameters = {**both.parameters(fit), **(more or {})}
        issued = certified(both.name, parameters, dict(fit.problem), both.guarantee, digest, self.noise.description, noise_private=private)
        return replace(issued, declared=tuple(dict.fromkeys((*issued.declared, *fit.declared))), ledger_entry=entry)

    def _made(self, epsilon: float, delta: float, seed: int | None) -> Any:
        classifier, rule = isinstance(self.estimator, LinearClassifier), self.rule
        declared = {"classes": list(self.X.classes)} if classifier and isinstance(self.X, EncodedTable) else {}
        if isinstance(self.estimator, PersonRows):
            declared, rule = self.estimator.declared_for(self.X), None
        # What is asked beside the fit is settled before anything is drawn, the width of the loss too, so no records are counted.
        return self.estimator.with_share(epsilon, delta, seed=seed, rule=rule, records_share=0.0, **declared)
