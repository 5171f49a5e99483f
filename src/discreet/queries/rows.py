"""The records themselves: what additive noise is for.  answer_i = z_i,  |z - z'| <= 2 C  (module `base`)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.core.neighbours import Neighbours
from discreet.data import Domain, Records
from discreet.queries.base import UP, Released, Target, reach, released


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Every number of every record. A box (`entry_bound`), a ball (`norm_bound`) or both bound what one record may move."""

    domain: Domain
    target: Target = Target.OMITTED

    def __post_init__(self) -> None:
        """Refuse what cannot be released."""
        object.__setattr__(self, "target", released(self.domain, self.target).target)

    @property
    def read(self) -> Released:
        """See RowQuery."""
        return Released(self.domain, self.target)

    @property
    def columns(self) -> int:
        """See RowQuery."""
        return self.read.columns

    def sensitivity(self, neighbours: Neighbours) -> float:
        """See RowQuery."""
        return reach(neighbours) * min(self.read.norm, float(np.linalg.norm(self.read.entries))) * UP

    def require(self, data: Records) -> None:
        """See RowQuery."""
        self.read.require(data)

    def answer(self, data: Records) -> Iterator[tuple[slice, Floats]]:
        """See RowQuery."""
        return self.read.blocks(data)

    def to_dict(self) -> dict[str, Json]:
        """See RowQuery."""
        return {"query": "rows", **self.read.record()}
