"""The fits inside a search: estimators that spend nothing themselves, and whose promises are known before they see a record.

What an estimator promises depends on public numbers only: its parameters, the shape of the table, the classes. So the certificate of a fit is known
beforehand, in everything but digest and identifiers (`plan` of an estimator), and a fit whose certificate differs from the one planned raises: then
something would be learnt from the records outside of the mechanism.

Fits of a small table in memory are spread over threads, those of a long one and of a table in blocks follow each other, and spread its blocks.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from discreet.accounting import Guarantee, Json
from discreet.certificates import Certificate
from discreet.core.errors import InfeasibleTarget, VerificationFailure
from discreet.core.neighbours import Neighbours
from discreet.core.workers import map_in_order
from discreet.estimators.search_table import SearchTable
from discreet.kernels import fresh_public_seed
from discreet.ledger import without_ledger
from discreet.mechanisms.selection import whole_curve

SET_BY_THE_SEARCH = ("epsilon", "delta", "neighbours", "ledger", "random_state", "classes", "public_records")
Setting = Mapping[str, Any]
T = TypeVar("T")
R = TypeVar("R")


class PrivateEstimator(Protocol):
    """What a search needs of an estimator."""

    certificate_: Certificate

    def plan(self, *, features: int, records: int | None = None) -> Certificate:
        """What a fit would promise."""

    def fit(self, X: Any, y: Any) -> Any:
        """Fit, and leave a certificate."""

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """A class for each row by itself."""

    def get_params(self, *, deep: bool) -> dict[str, Any]:
        """The settings by name."""


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
    n_jobs: int | None = None
    """As the user gave it; `jobs` threads."""
    jobs: int = 1
    feature_seed: int = field(default_factory=fresh_public_seed)
    """Public; of settings that ask for a fresh one, so that every fit draws the random features that were planned."""

    def spread(self, table: SearchTable, work: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """work(item) for every item, in order, each about a fit of `table` or of a part of it. Items are taken in this thread."""
        return map_in_order(work, items, self.jobs if table.one_part else 1)

    def prepared(self, number: int, *, epsilon: float, delta: float, seed: int | None, share_of_records: int = 1) -> PrivateEstimator:
        """An unfitted copy with this setting and target, which has no ledger of its own.

        Under add-remove a declared public number of records is divided by `share_of_records`, the number of parts that the records are cut into.
        """
        known = self.estimator.get_params(deep=False)
        fixed: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "random_state": seed, "classes": self.classes.tolist()}
        if "ledger" in known:
            fixed["ledger"] = None
        if "n_jobs" in known and self.n_jobs is not None:
            fixed["n_jobs"] = self.n_jobs
        declared = known.get("public_records")
        if isinstance(declared, Integral) and share_of_records > 1:
            fixed["public_records"] = max(1, int(declared) // share_of_records)
        setting = {**known, **self.settings[number]}
        if "feature_seed" in setting and setting["feature_seed"] is None:
            fixed["feature_seed"] = self.feature_seed
        copy: PrivateEstimator = clone(self.estimator).set_params(**{**self.settings[number], **fixed})
        return copy

    def planned(
        self, *, records: int, features: int, in_blocks: bool, epsilon: float, delta: float, share_of_records: int = 1, number: int | None = None
    ) -> list[Certificate]:
        """The certificate of every setting (or of one), without a record. Raises InfeasibleTarget, naming the setting, where one has no fit."""
        found = []
        for each in range(len(self.settings)) if number is None else [number]:
            copy = self.prepared(each, epsilon=epsilon, delta=delta, seed=0, share_of_records=share_of_records)
            weighted = {"weighted": True} if in_blocks and "max_sample_weight" in copy.get_params(deep=False) else {}
            try:
                found.append(copy.plan(features=features, records=records, **weighted))
            except InfeasibleTarget as error:
                refusal = InfeasibleTarget(
                    f"the setting {dict(self.settings[each])} cannot be fitted with what the search leaves to one fit, epsilon={epsilon:.4g} and "
                    f"delta={delta:.3g}: {error} Or leave this setting out."
                )
                break
        else:
            return found
        raise refusal

    @staticmethod
    def fit_as_planned(copy: PrivateEstimator, table: SearchTable, planned: Certificate) -> None:
        """Fit on the records, and leave a certificate that is as planned. Raises VerificationFailure if it is not."""
        with without_ledger():
            copy.fit(table.X, table.y)
        certificate = copy.certificate_
        if any(getattr(certificate, name) != getattr(planned, name) for name in ("mechanism", "parameters", "problem", "guarantee", "releases")):
            raise VerificationFailure(
                "the certificate of a fit differs from the one planned for its public parameters, so the search cannot rest on it."
            )


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


def _plain(value: Any) -> Json:
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, bool | int | float | str) or value is None else repr(value)
