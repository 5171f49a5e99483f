"""What a synthetic table will be worth, said before anything is spent: from public numbers alone, by the noise on its counts.

    share          of a category, or of a bin: its h counts by the cells of the target added up, s sqrt(h) / n
    correlation    of two columns whose values are spread evenly over their cells, as it is read off their noisy table of b x h cells: with values a_i
                   and c_j in the cells, of variances v and w, the noise on sum_ij a_i c_j N_ij / (n sqrt(v w)) has the variance
                   s^2 (b v) (h w) / (n^2 v w), so its deviation is s sqrt(b h) / n

s is the deviation of the noise on one count: of a table with the target, of a chosen pair. This is of counts as they are released; nothing is known
of how two columns of a pair that is not chosen go together, beyond what the target tells of both.
"""

import math
from dataclasses import dataclass

from discreet.accounting import Json
from discreet.core.errors import quoted
from discreet.core.foreseen import SAY, WANTED, judged, with_two_digits
from discreet.core.short import short_repr
from discreet.core.validate import whole
from discreet.releases.synthetic.plan import SyntheticPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticOutlook:
    """What a synthetic table will be worth. Build it with `of`."""

    plan: SyntheticPlan
    records: int
    """Rows that it is said of: their public number, or SAY."""
    public: bool
    """Whether that is their public number."""

    __repr__ = short_repr

    @classmethod
    def of(cls, plan: SyntheticPlan, records: int | None) -> "SyntheticOutlook":
        """`records` is their number, where it is public. Raises InvalidInput for what is no number of records."""
        known = SAY if records is None else whole(records, "records")
        return cls(plan=plan, records=known, public=records is not None)

    @property
    def share(self) -> float:
        """Of a category or a bin."""
        return self.plan.noise()[0] * math.sqrt(self._of_hub) / self.records

    @property
    def error(self) -> float:
        """Of the correlation of a column with the target, the one with the most cells; without a target of a chosen pair of these."""
        return self._off / self.records

    @property
    def needed(self) -> int:
        """Records with which it is WANTED."""
        return math.ceil(self._off / WANTED)

    def lines(self) -> list[tuple[str, str]]:
        """For people: (label, words)."""
        plan, rows = self.plan, f"{self.records:,} rows" + ("" if self.public else ", say")
        column, few, many = plan.noise()
        said = [f"standard deviation {column:.3g} records on every count of a column" + (" with the target" if plan.target else "")]
        if plan.problem.linked:
            pairs = f"{max(1, plan.problem.most // 6)} to {plan.problem.most} pairs that will be chosen"
            said.append(f"{few:.3g} to {many:.3g} on every count of {pairs}")
        if plan.problem.cut:
            cut = [plan.columns[one.column].name for one in plan.problem.cut]
            said.append(f"bins of {quoted(cut)} are chosen from noisy counts of finer cells, in the same budget")
        between = "of a column with the target" if plan.target else "of two columns that are counted together"
        learning = judged(
            self.error,
            f"with {rows}, the error of a correlation {between} is at most {self.error:.2g}; "
            f"an error of {WANTED:g} needs {with_two_digits(self.needed)} rows",
        )
        return [
            *((("" if place else "Noise"), words) for place, words in enumerate(said)),
            ("Mean", f"of {rows}, deviation: {self.share:.2g} on the share of a category"),
            ("Learning", learning),
            *([("", self._classes)] if plan.target and plan.columns[-1].labels else []),
            ("Otherwise", "discreet fit is more accurate, at the same price, if one model is all you need; discreet describe for counts and means"),
        ]

    def to_dict(self) -> dict[str, Json]:
        """For programs."""
        plan = self.plan
        column, few, many = plan.noise()
        of_pairs: dict[str, Json] = {"noise_of_few_pairs": few, "noise_of_many_pairs": many, "most_pairs": plan.problem.most}
        return {
            "method": "synthetic",
            "known": True,
            "records": self.records,
            "records_public": self.public,
            "noise_of_columns": column,
            **(of_pairs if plan.problem.linked else {}),
            "share_error": self.share,
            "correlation_error": self.error,
            "records_needed": self.needed,
        }

    @property
    def _classes(self) -> str:
        return "if a class is rare and hard to predict, a classifier trained on the rows can be worse than the same answer for everybody"

    @property
    def _of_hub(self) -> int:
        return self.plan.columns[-1].bins if self.plan.target else 1

    @property
    def _off(self) -> float:
        sizes = sorted(column.bins for column in (self.plan.columns[:-1] if self.plan.target else self.plan.columns))
        with_target, _, many = self.plan.noise()
        return with_target * math.sqrt(sizes[-1] * self._of_hub) if self.plan.target else many * math.sqrt(sizes[-1] * sizes[-2])
