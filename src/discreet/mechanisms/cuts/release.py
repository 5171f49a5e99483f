"""From columns of numbers to private cuts: one noisy histogram of all of them, under one certificate (proof note cuts.md).

The mechanism is that of counting queries: discrete Gaussian noise, or discrete Laplace noise, which has delta = 0. What is chosen from the counts
is public at no further cost, and so is what is left of a column that cannot be cut.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from discreet.accounting import Json
from discreet.accounting.base import guarantee_words
from discreet.certificates import Certificate, Verification
from discreet.core.arrays import Floats
from discreet.core.neighbours import Neighbours, Persons
from discreet.core.short import short_repr
from discreet.core.told import Tabled, Told
from discreet.data import Schema
from discreet.ledger import Account
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.counting import CountingMechanism, CountsPlan, Queries, deviation_of, noise_to_compose
from discreet.mechanisms.cuts.choose import Cuts, chosen_cuts, pays
from discreet.mechanisms.cuts.grid import ColumnCells, ColumnHistograms, equal_steps
from discreet.noise import Integers, Noise
from discreet.verification.base import Check

"""Cuts and a fit on them, under one guarantee (selection/then_fit.py, proof note cuts.md, theorem 2): whatever the cuts are, the fit has the same
public problem (choose.py)."""


class Interval(NamedTuple):
    """A column to be cut, between public bounds."""

    name: str
    lower: float
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CutsPlan(CountsPlan):
    """Counts of columns by their cells."""

    cells: ColumnHistograms

    @classmethod
    def calibrate(
        cls,
        columns: Sequence[Interval],
        *,
        epsilon: float,
        delta: float,
        neighbours: Neighbours,
        persons: Persons | None = None,
        noise: Callable[..., CountingMechanism] = noise_to_compose,
    ) -> "CutsPlan":
        """Noise for (epsilon, delta), `least_noise` for a release of its own, and cells as fine as it allows.

        Raises InvalidInput for no column, or what is no target.
        """
        coarse = Queries([_cells(columns, steps=2)], persons)
        made = noise(coarse, epsilon=epsilon, delta=delta, neighbours=neighbours)
        # How far one record moves the counts depends on the columns and not on their cells, so the noise is known before the cells are.
        steps = equal_steps(deviation_of(made) / coarse.parts)
        return cls(cells=_cells(columns, steps=steps), mechanism=made, persons=persons)

    @property
    def problem(self) -> Queries:
        """The problem of the mechanism."""
        return Queries([self.cells], self.persons)

    def pays(self, records: int | None) -> bool:
        """Whether there is anything to be learnt, as far as public numbers tell; `records` where their number is public."""
        return pays(self.deviation, cells=max(column.size for column in self.cells.columns), records=records)

    def release(self, answer: Integers, noise: Noise, *, content: Iterable[bytes] | None = None, account: Account | None = None) -> "ReleasedCuts":
        """Spend, and choose; `answer` are the exact counts, as `cells.answer` gives them, or sums of those of parts of the records."""
        released = self.mechanism.run(self.problem, Numbers([answer], content), noise, account=account)
        counts = released.value
        return ReleasedCuts(cuts=self.chosen(counts), counts=counts, certificate=released.certificate, plan=self)

    def chosen(self, counts: Floats) -> dict[str, Cuts]:
        """The cuts of every column."""
        parts = self.cells.split(counts / self.problem.parts)
        present = [float(part[:-1].sum()) for part in parts]
        # All columns count the same records: those that are not missing in one, and those that are.
        everybody = float(np.mean([part.sum() for part in parts]))
        totals = [min(each, everybody) for each in present]
        return {
            column.name: chosen_cuts(column.edges, part[:-1], total=total, deviation=self.deviation)
            for column, part, total in zip(self.cells.columns, parts, totals, strict=True)
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedCuts(Tabled):
    """Cuts that were chosen privately, with what they cost; public."""

    cuts: Mapping[str, Cuts]
    """By the name of the column, for each resolution where it is cut."""
    counts: Floats
    """What was released: the noisy counts of all cells, those of missing values last of each column."""
    certificate: Certificate
    plan: CutsPlan
    schema: Schema | None = None
    """The schema that has the cuts, where one was cut."""

    __repr__ = short_repr

    def told(self) -> Told:
        """The text shown by `print` and in notebooks."""
        return Told(
            title="Cuts that were chosen privately",
            facts=[("Privacy", guarantee_words(self.certificate.guarantee.to_dict()))],
            caption="Where each column is cut, for each of its resolutions",
            header=("Column", "Cuts"),
            rows=[(name, ", ".join(f"{cut:.6g}" for cut in each)) for name, resolutions in self.cuts.items() for each in resolutions],
            texts=(1,),
        )

    def verify(self) -> Verification:
        """Check the certificate, that the counts are those that it was issued for, and that the cuts follow from them."""
        checks = self.certificate.verify(self.counts).checks
        same = dict(self.cuts) == self.plan.chosen(self.counts)
        detail = "they follow from the released counts" if same else "they are not those that follow from the released counts"
        return Verification(checks=(*checks, Check("cuts", same, detail)))

    def to_dict(self) -> dict[str, Json]:
        """For JSON: cuts, counts and certificate."""
        cuts: dict[str, Json] = {name: [list(each) for each in resolutions] for name, resolutions in self.cuts.items()}
        return {"cuts": cuts, "counts": self.counts.tolist(), "certificate": self.certificate.to_dict()}


def _cells(columns: Sequence[Interval], *, steps: int) -> ColumnHistograms:
    return ColumnHistograms(tuple(ColumnCells(**column._asdict(), steps=steps) for column in columns))
