"""The fits inside a search: estimators that spend nothing themselves, and whose promises are known before they see a record.

What an estimator promises depends on public numbers only: its parameters, the shape of the table, the classes. So the certificate of a fit on a
table of zeros of the same shape is the one of the fit on the records, in everything but digest and identifiers. `planned` makes these, and a fit
whose certificate differs from the one planned raises: then something would be learnt from the records outside of the mechanism.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from discreet.certificates import Certificate, Hypothesis
from discreet.errors import InfeasibleTarget, InvalidInput, VerificationFailure
from discreet.estimators.search_table import stand_in
from discreet.guarantees import Guarantee, Json
from discreet.ledger import without_ledger
from discreet.mechanisms.selection import whole_curve
from discreet.neighbours import ADD_REMOVE, Neighbours

SET_BY_THE_SEARCH = ("epsilon", "delta", "neighbours", "ledger", "random_state", "classes", "public_records")
Setting = Mapping[str, Any]


class PrivateEstimator(Protocol):
    """What a search needs of a fitted estimator."""

    certificate_: Certificate

    def fit(self, X: Any, y: Any) -> Any:
        """Fit, and leave a certificate."""

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """A class for each row by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search releases."""

    index: int
    model: Any
    score: float
    certificate: Certificate


@dataclass(frozen=True, slots=True, kw_only=True)
class Fits:
    """An estimator, the settings that it is tried with, and what is the same for all of them."""

    estimator: Any
    settings: Sequence[Setting]
    classes: npt.NDArray[Any]
    neighbours: Neighbours

    def prepared(self, number: int, *, epsilon: float, delta: float, seed: int | None, share_of_records: int = 1) -> PrivateEstimator:
        """An unfitted copy with this setting and target, which has no ledger of its own.

        Under add-remove a declared public number of records is divided by `share_of_records`, the number of parts that the records are cut into.
        """
        known = self.estimator.get_params(deep=False)
        fixed: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "random_state": seed, "classes": self.classes.tolist()}
        if "ledger" in known:
            fixed["ledger"] = None
        declared = known.get("public_records")
        if isinstance(declared, Integral) and share_of_records > 1:
            fixed["public_records"] = max(1, int(declared) // share_of_records)
        copy: PrivateEstimator = clone(self.estimator).set_params(**self.settings[number], **fixed)
        return copy

    def planned(
        self, *, records: int, features: int, epsilon: float, delta: float, share_of_records: int = 1, number: int | None = None
    ) -> list[Certificate]:
        """The certificate of every setting (or of one), from fits on zeros. Raises InfeasibleTarget, naming the setting, where one has no fit."""
        few = 2 * len(self.classes)
        X, y = stand_in(few if self.neighbours is ADD_REMOVE else records, features, self.classes)
        found = []
        for each in range(len(self.settings)) if number is None else [number]:
            copy = self.prepared(each, epsilon=epsilon, delta=delta, seed=0, share_of_records=share_of_records)
            try:
                found.append(self._certificate(copy, X, y))
            except InfeasibleTarget as error:
                raise InfeasibleTarget(
                    f"the setting {dict(self.settings[each])} cannot be fitted with what the search leaves to one fit, epsilon={epsilon:.4g} and "
                    f"delta={delta:.3g}: {error} Or leave this setting out."
                ) from None
        return found

    def fitted(self, copy: PrivateEstimator, X: Any, y: Any, planned: Certificate) -> Certificate:
        """Fit on the records, and return the certificate, which is as planned. Raises VerificationFailure if it is not."""
        certificate = self._certificate(copy, X, y)
        if any(getattr(certificate, name) != getattr(planned, name) for name in ("mechanism", "parameters", "problem", "guarantee", "releases")):
            raise VerificationFailure(
                "the certificate of a fit differs from the one planned for its public parameters, so the search cannot rest on it."
            )
        return certificate

    @staticmethod
    def _certificate(copy: PrivateEstimator, X: Any, y: Any) -> Certificate:
        with without_ledger():
            if y is None:
                copy.fit(X, None)
            else:
                copy.fit(X, y)
        certificate = vars(copy).get("certificate_")
        if not isinstance(certificate, Certificate):
            raise InvalidInput(
                "PrivateSearchCV needs an estimator whose fit leaves a certificate, such as LogisticRegression or LinearSVC; "
                f"{type(copy).__name__} does not."
            )
        return certificate


def curves(certificates: Sequence[Certificate]) -> list[Guarantee]:
    """The privacy curve of every fit."""
    return [whole_curve(each.mechanism, each.parameters, each.problem, each.guarantee) for each in certificates]


def candidate_records(settings: Sequence[Setting], certificates: Sequence[Certificate]) -> list[Json]:
    """For the certificate of the search: every setting with what its fit promises and why."""
    return [
        {
            "setting": {key: _plain(value) for key, value in setting.items()},
            "mechanism": each.mechanism,
            "parameters": dict(each.parameters),
            "problem": dict(each.problem),
            "guarantee": each.guarantee.to_dict(),
        }
        for setting, each in zip(settings, certificates, strict=True)
    ]


def common_hypotheses(certificates: Sequence[Certificate]) -> tuple[Hypothesis, ...]:
    """The hypotheses of all fits, each once."""
    return tuple(dict.fromkeys(line for each in certificates for line in each.hypotheses))


def _plain(value: Any) -> Json:
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, bool | int | float | str) or value is None else repr(value)
