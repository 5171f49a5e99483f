"""The input of a fit, as it is read through the door: public numbers about its records, and the records, held in memory or read in blocks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.neighbours import Persons
from discreet.core.private import holds_records
from discreet.data import Domain
from discreet.data.coding import Coding
from discreet.data.reader import as_known, class_numbers
from discreet.matrices import Matrix
from discreet.mechanisms.persons import Owners


@dataclass(frozen=True, slots=True, kw_only=True)
class FitShape:
    """The public numbers that problem and mechanism of a fit follow from, beside the parameters of its estimator."""

    features: int
    records: int | None = None
    """n, of persons where they are declared; None where it is private."""
    persons: Persons | None = None
    classes: int = 0
    """K; 0 of targets that are numbers."""
    weighted: bool = False
    """Whether records have weights of their own, or may have them."""
    largest: float = 1.0
    """A bound on the weight of a record."""
    units: tuple[float, ...] = ()
    """The units of several targets."""


@holds_records
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Targets:
    """The checked targets of held records; private but for the classes and what was declared."""

    values: npt.NDArray[Any]
    """The targets that are fitted: numbers (n,) or (n, m) on the scale of the model, signs, or whole numbers of classes."""
    classes: npt.NDArray[Any]
    """(K,); none of targets that are numbers."""
    declared: tuple[str, ...]
    """The sentences for the certificate, that the caller declared them public."""
    given: npt.NDArray[Any] | None = None
    """The targets as a ledger sees them, where these are other numbers."""

    @property
    def said(self) -> npt.NDArray[Any]:
        """The targets as a ledger sees them: numbers as they were given, signs of two classes, whole numbers of more."""
        if self.given is not None:
            return self.given
        count = len(self.classes)
        return as_known(self.values if self.values.dtype.kind == "f" else class_numbers(self.values, count), count)


@holds_records
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class HeldRecords:
    """The records of a fit in memory, private, read for it or once more."""

    rows: Matrix
    targets: Targets
    weights: Floats | None
    """(n,), with the shares of persons in them, or None."""
    owners: Owners
    coding: Coding | None = None
    """The features that are dummies of one column, of a table that a schema encoded."""
    largest: float = 1.0
    """The most that a record may weigh."""
    units: tuple[float, ...] = ()
    """The units of several targets."""

    @property
    def numbers(self) -> Floats:
        """The targets as the curvature sees them: numbers in their units, signs of two classes, numbers of more."""
        values = self.targets.values
        if self.units:
            return np.asarray(values / np.array(self.units))
        return values if values.dtype.kind == "f" else np.asarray(self.targets.said, dtype=np.float64)

    def content(self) -> Iterator[bytes]:
        """The rows and targets as bytes, for a ledger's keyed digest; private."""
        yield from self.rows.content()
        yield self.targets.said.tobytes()


@dataclass(frozen=True, slots=True, kw_only=True)
class FitInput:
    """The checked records of a fit: `data_of(domain)` holds or reads them."""

    shape: FitShape
    records: int
    """n; private under add-remove."""
    classes: npt.NDArray[Any]
    """(K,); none of targets that are numbers."""
    declared: tuple[str, ...]
    """The sentences for the certificate about what the caller declared public."""
    data_of: Callable[[Domain], Any]
    """The maker of Records, or of a TargetTable of several targets."""
