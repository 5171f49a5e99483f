"""A public projection of the columns:  answer_i = z_i P,  P (m, width) known to everybody, drawn or chosen before any record is read.

    |z P - z' P| <= 2 C |P|_2,    sharper where ranges are known (module `linear`)

For a FIXED P (published before, derived from a public seed, or used for more than one release) this is the sensitivity, of the realised P. A bound
that holds for each pair of records with high probability over P does not: neighbours are all pairs, and the worst is known once P is (Tu 2013,
theorem 1, fails here). A P that is drawn anew, after the records are fixed, and used once: mechanism FreshProjection.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.data import Domain, Records
from discreet.kernels.public_randomness import public_generator
from discreet.queries.base import UP, Released, Target, reach, released
from discreet.queries.linear import LinearMap, resolution


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Projection:
    """Records times a public matrix. Build it with `of` (a matrix of your choice) or `from_public_seed` (Gaussian, E P P' = I)."""

    domain: Domain
    target: Target
    map: LinearMap
    seed: int | None = None
    """The public seed that P was drawn from, where it was."""

    @classmethod
    def of(cls, domain: Domain, matrix: Floats, *, target: Target | str = Target.OMITTED) -> "Projection":
        """With P = `matrix` (m, width), rounded to 2^-25 of its longest column. Raises InvalidInput for a wrong number of rows."""
        read = released(domain, target)
        _checked(read, np.asarray(matrix))
        return cls(domain=domain, target=read.target, map=LinearMap.on_grid(matrix))

    @classmethod
    def from_public_seed(cls, domain: Domain, *, width: int, seed: int, target: Target | str = Target.OMITTED) -> "Projection":
        """P with independent N(0, 1 / width) entries, from a seed that everybody may know."""
        read = released(domain, target)
        return cls(domain=domain, target=read.target, map=LinearMap.on_grid(public_matrix(seed, read.columns, width)), seed=seed)

    @property
    def read(self) -> Released:
        """See RowQuery."""
        return Released(self.domain, self.target)

    @property
    def columns(self) -> int:
        """See RowQuery."""
        return self.map.matrix.shape[1]

    def sensitivity(self, neighbours: Neighbours) -> float:
        """See RowQuery."""
        rounding = self.map.spectral_norm * resolution(self.read) * math.sqrt(self.read.columns)
        return (self.map.shift(self.read, reach(neighbours)) + rounding) * UP

    def require(self, data: Records) -> None:
        """See RowQuery."""
        self.read.require(data)

    def answer(self, data: Records) -> Iterator[tuple[slice, Floats]]:
        """See RowQuery."""
        return self.read.blocks(data, partial(self.map.apply, resolution=resolution(self.read)))

    def to_dict(self) -> dict[str, Json]:
        """See RowQuery: the seed where there is one, the matrix otherwise."""
        source: dict[str, Json] = {"seed": self.seed} if self.seed is not None else {"matrix": [[float(v) for v in row] for row in self.map.matrix]}
        return {"query": "projection", **self.read.record(), "width": self.columns, **source}


def public_matrix(seed: int, rows: int, width: int) -> Floats:
    """Independent N(0, 1 / width) entries from a public seed, (rows, width)."""
    if isinstance(width, bool) or not isinstance(width, int) or width < 1:
        raise InvalidInput(f"the width of a projection must be a positive integer; {width!r} was given.")
    return public_generator(seed).standard_normal((rows, width)) / math.sqrt(width)


def _checked(read: Released, matrix: Floats) -> None:
    if matrix.ndim != 2 or len(matrix) != read.columns:
        raise InvalidInput(
            f"a projection of {read.columns} numbers a record needs a matrix with {read.columns} rows; shape {matrix.shape} was given."
        )
