"""The records: the only private type of the library.

Rows are clipped to the domain's norm bound at the door, by a factor min(1, bound / |x|) a row that depends on this row alone and is kept beside the
caller's matrix, which is neither copied nor changed. Nothing here prints, pickles or copies: `repr` shows the domain only.
"""

from collections.abc import Iterator
from typing import NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.data.domain import Domain
from discreet.designs import AugmentedDesign, Design
from discreet.errors import InvalidInput, PrivateDataError

Codes: TypeAlias = npt.NDArray[np.integer]
"""Numbers of classes, from 0."""


class Dataset:
    """Clipped rows with their classes and public non-negative weights.

    Parameters: `rows` a Design of shape (n, domain.features); the classes either as `signs` (n,) of +1.0 and -1.0 or as `codes` (n,) of integers in
    0..K-1, K = domain.classes, exactly one of the two; `weights` (n,) or None for ones.
    The caller guarantees finite entries. Raises InvalidInput when shapes disagree with each other or with the domain.
    """

    __slots__ = ("_codes", "_signs", "design", "domain", "weights")

    def __init__(
        self, *, rows: Design, signs: Floats | None = None, codes: Codes | None = None, domain: Domain, weights: Floats | None = None
    ) -> None:
        """Clip the rows and append the intercept's constant feature, both lazily."""
        count, features = rows.shape
        if features != domain.features:
            raise InvalidInput(f"the domain declares {domain.features} features; rows with {features} were given.")
        if (signs is None) == (codes is None):
            raise InvalidInput("the classes of a data set are given either as signs or as codes, not both.")
        if any(column is not None and column.shape != (count,) for column in (signs, codes, weights)):
            raise InvalidInput("rows, targets and weights must have the same length.")
        if signs is not None and domain.classes != 2:
            raise InvalidInput(f"signs tell two classes apart; the domain declares {domain.classes}. Pass codes.")
        if codes is not None and not (np.issubdtype(codes.dtype, np.integer) and np.all((codes >= 0) & (codes < domain.classes))):
            raise InvalidInput(f"codes must be integers in 0..{domain.classes - 1}, the declared classes.")
        norms = rows.row_norms()
        if not np.all(np.isfinite(norms)):
            raise InvalidInput("rows must be finite, and so must their norms.")
        self.domain = domain
        self._signs = signs
        self._codes = codes
        self.weights = weights
        self.design = AugmentedDesign(rows, scale=_clipping(norms, domain.norm_bound, rows.width), constant=domain.intercept_scale)

    @property
    def signs(self) -> Floats:
        """+1.0 for the second class, -1.0 for the first, (n,). Raises InvalidInput where there are more than two classes."""
        if self._signs is not None:
            return self._signs
        if self.domain.classes != 2:
            raise InvalidInput(f"signs tell two classes apart; the domain declares {self.domain.classes}.")
        return np.where(self.codes == 1, 1.0, -1.0)

    @property
    def codes(self) -> Codes:
        """Numbers of the classes, (n,), from 0."""
        return (self.signs > 0).astype(np.intp) if self._codes is None else self._codes

    def content(self) -> Iterator[bytes]:
        """Rows and classes as bytes, for a ledger's keyed digest; private."""
        yield from self.design.content()
        yield self.codes.astype(np.int64).tobytes() if self.domain.classes > 2 else self.signs.tobytes()

    def __repr__(self) -> str:
        """The domain only: not even the number of rows, which add-remove keeps private."""
        return f"Dataset({self.domain!r})"

    def _refuse(self, *_: object) -> NoReturn:
        raise PrivateDataError("a Dataset holds private records and can be neither copied nor pickled; pass it on as it is.")

    __copy__ = __deepcopy__ = __reduce__ = __reduce_ex__ = __getstate__ = _refuse


def _clipping(norms: Floats, bound: float, width: int) -> Floats | None:
    """Factors min(1, bound / |x|), rounded down so that the exact clipped norm never exceeds the bound; None when all are 1.

    A computed norm of `width` numbers is within a relative width 2^-53 of the exact one; the room left is twice that and 1e-12.
    """
    safe = bound * (1.0 - 1e-12 - width * 2.0**-52)
    if not np.any(norms > safe):
        return None
    return safe / np.maximum(norms, safe)  # nothing is divided by a small norm: an overflow would be a warning about one record
