"""A fit that shares its budget with a question asked at its weights: planned from public numbers, paid for once, then drawn.

What the question is, and what becomes of the answer, is said by `interval_fit` and `calibrated_fit`.
"""

from dataclasses import dataclass, replace
from typing import Any

from sklearn.base import clone

from discreet.accounting import Json
from discreet.certificates import Certificate
from discreet.core.errors import VerificationFailure
from discreet.core.neighbours import ADD_REMOVE
from discreet.data import EncodedTable
from discreet.estimators.intervals import Again, Learnable, records_of
from discreet.estimators.linear_classifier import LinearClassifier
from discreet.estimators.search_methods import fit_seed
from discreet.mechanisms.base import certified
from discreet.mechanisms.selection import ThenFit
from discreet.noise import Noise


@dataclass(frozen=True, slots=True, kw_only=True)
class FitBeside:
    """The estimator and the records of a fit, read through its own door."""

    estimator: Learnable
    given: Again
    known: int | None
    """Records, where their number is public."""
    noise: Noise
    X: Any
    y: Any
    sample_weight: Any
    persons: Any

    @classmethod
    def of(cls, estimator: Learnable, X: Any, y: Any, sample_weight: Any, persons: Any, *, classes: Any) -> "FitBeside":
        """Raises InvalidInput, as `fit` does, for what it refuses."""
        privacy, noise, scratch = estimator._privacy(), estimator._noise(), clone(estimator)  # noqa: SLF001 - of this package
        # The same door as in fit: what is refused is refused before it is paid for.
        given = records_of(scratch, X, y, sample_weight, persons, noise, classes=classes, reset=True)
        scratch._advise(X, privacy, given.owners.number)  # noqa: SLF001
        known = None if privacy.neighbours is ADD_REMOVE else given.owners.number
        return cls(estimator=estimator, given=given, known=known, noise=noise, X=X, y=y, sample_weight=sample_weight, persons=persons)

    def planned(self, epsilon: float, delta: float) -> Certificate:
        """What the fit would promise for this target."""
        rule = self.given.owners.rule
        weighted = {"weighted": self.sample_weight is not None} if isinstance(self.estimator, LinearClassifier) else {}
        told_apart = rule is not None and rule.told_apart
        found: Certificate = self._made(epsilon, delta, 0).plan(
            features=self.given.records[0].shape[1], records=self.known, told_apart=told_apart, **weighted
        )
        return found

    def fitted(self, both: ThenFit[Any]) -> Any:
        """A model for its part of the budget. Raises VerificationFailure where it promises anything but what was planned."""
        weights = {"sample_weight": self.sample_weight} if isinstance(self.estimator, LinearClassifier) else {}
        model = self._made(*both.target, fit_seed(self.noise)).fit(self.X, self.y, persons=self.persons, **weights)
        if any(
            getattr(model.certificate_, name) != getattr(both.fit, name) for name in ("mechanism", "parameters", "problem", "guarantee", "releases")
        ):
            raise VerificationFailure("the certificate of the fit differs from the one planned from public parameters. Nothing was released.")
        return model

    def issued(self, both: ThenFit[Any], fit: Certificate, digest: str, *, entry: str | None, more: dict[str, Json] | None = None) -> Certificate:
        """What both promise together, of a value of this digest; `more` are parameters besides those of the two parts."""
        private = self.noise.private and fit.noise_private
        parameters = {**both.parameters(fit), **(more or {})}
        issued = certified(both.name, parameters, dict(fit.problem), both.guarantee, digest, self.noise.description, noise_private=private)
        return replace(issued, declared=tuple(dict.fromkeys((*issued.declared, *fit.declared))), ledger_entry=entry)

    def _made(self, epsilon: float, delta: float, seed: int | None) -> Any:
        known, rule = self.X if isinstance(self.X, EncodedTable) else None, self.given.owners.rule
        declared: dict[str, Any] = {"classes": list(known.classes)} if known is not None and isinstance(self.estimator, LinearClassifier) else {}
        declared |= {} if rule is None else dict(rule.as_declared)  # as a schema may say, and a plan does not see the table
        return clone(self.estimator).set_params(epsilon=epsilon, delta=delta, random_state=seed, ledger=None, **declared)
