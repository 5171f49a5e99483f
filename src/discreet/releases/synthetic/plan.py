"""What a synthetic table's budget is spent on: from a schema and a target to a public problem and its mechanism, before a record is read.

    share of mu^2    .45  each column's bins with the target's (alone where there is none), equally
                     .05  each number's fine cells, alone
                     .10  scores of all pairs of columns
                     .40  chosen pairs, and those of the workload

Where bins are chosen privately, fine cells have twice as much beside the rest: they say where bins begin, and are counted first.

A workload's tables are counted in the first round, each for about the share that it would have as a chosen pair. At most three times as many pairs
as columns are chosen; their share is divided among those that are, so that fewer have less noise each.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self, TypeAlias, get_args

from discreet.accounting import Guarantee
from discreet.core.errors import InvalidInput, did_you_mean
from discreet.core.files.strict_json import canonical_bytes
from discreet.core.neighbours import Neighbours
from discreet.core.validate import number
from discreet.data import Schema
from discreet.data.encodings.bins import PRIVATE
from discreet.data.metric import require_no_metric
from discreet.mechanisms.margins import GaussianMargins, Margins, pair_scale
from discreet.mechanisms.margins.problem import Cut, Table
from discreet.releases.synthetic.cells import CellColumn, cell_columns, columns_to_cut, cuts_asked, fine_places
from discreet.words.counting import WHOLE

CutsFrom: TypeAlias = Literal["schema", "private"]
FINE = "{} (fine cells)"
_BY_TARGET, _FINE, _SCORES, _PAIRS = 0.45, 0.05, 0.10, 0.40


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticPlan:
    """All that is public before a record is read. Build it with `calibrate`."""

    schema: Schema
    columns: tuple[CellColumn, ...]
    """Of the table, the target last where it is released."""
    target: bool
    problem: Margins
    mechanism: GaussianMargins

    @classmethod
    def calibrate(
        cls,
        schema: Schema,
        *,
        epsilon: float,
        delta: float,
        neighbours: Neighbours,
        target: bool = True,
        workload: Sequence[Sequence[str]] = (),
        whole: Sequence[str] = (),
        cuts: CutsFrom = "schema",
    ) -> Self:
        """The least noise for (epsilon, delta). `target` False leaves the schema's target out; `workload` names columns whose tables are counted too.

        `cuts` "private" chooses the bins of columns whose cuts the schema does not give from noisy counts; those whose cuts it calls private always.
        Raises InvalidInput for names that are no columns, and for tables that are too large to be counted.
        """
        require_no_metric(schema, "a synthetic table")
        epsilon, delta = number(epsilon, "epsilon"), number(delta, "delta")
        if cuts not in get_args(CutsFrom):
            raise InvalidInput(f"cuts of a synthetic release must be 'schema' or 'private'; {cuts!r} was given.")
        columns = cell_columns(schema, target=target, whole=whole)
        if len(columns) < 2:
            raise InvalidInput("a synthetic table needs at least two columns; the schema has one.")
        cut = cuts_asked(columns, columns_to_cut(schema, columns, every=cuts == PRIVATE))
        by_target, fine = _of_columns(columns, target=target)
        asked = [table for table in _asked(columns, workload) if table not in by_target]
        problem = problem_of(schema, columns, target=target, asked=asked, cut=cut)
        usual = problem.most // 2 + 1
        each = _PAIRS / (usual + len(asked)) if problem.most + len(asked) else 0.0
        shares = [_BY_TARGET / len(by_target)] * len(by_target) + [_FINE * (2 if cut else 1) / max(1, len(fine))] * len(fine) + [each] * len(asked)
        shares += [_SCORES, each * usual] if problem.linked else []
        mechanism = GaussianMargins.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours, shares=shares)
        return cls(schema=schema, columns=columns, target=target, problem=problem, mechanism=mechanism)

    @property
    def guarantee(self) -> Guarantee:
        """What it will promise."""
        return self.mechanism.guarantee(self.problem)

    def noise(self) -> tuple[float, float, float]:
        """Standard deviations in records, before anything is spent: of a count of a column with the target, of one of few pairs, of one of many."""
        scales = self.mechanism.scales
        few, many = (pair_scale(scales, pairs) if self.problem.linked else math.nan for pairs in (max(1, self.problem.most // 6), self.problem.most))
        return scales[0] / WHOLE, few / WHOLE, many / WHOLE

    @property
    def sizes(self) -> tuple[int, ...]:
        """Cells of the coded columns."""
        return tuple(cells for _, cells in self.problem.columns)


def problem_of(schema: Schema, columns: Sequence[CellColumn], *, target: bool, asked: Sequence[Table], cut: Sequence[Cut]) -> Margins:
    """The public problem of a schema's columns, with the tables that are asked for besides those of each column.

    It names, by its SHA-256, what gives the cells their meaning: the schema with the order of its labels, its target's part, which numbers are whole.
    """
    by_target, fine = _of_columns(columns, target=target)
    features = tuple(range(len(columns) - target))
    linked = features if len(features) > 1 else ()
    meaning = {"schema": schema.to_dict(), "target": target, "whole": [column.name for column in columns if column.whole and not column.days]}
    with_fine = [column for column in columns if column.fine]
    return Margins(
        columns=(*((one.name, one.bins) for one in columns), *((FINE.format(one.name), one.fine) for one in with_fine)),
        tables=(*by_target, *fine, *asked),
        linked=linked,
        hub=len(columns) - 1 if target else None,
        most=min(3 * len(features), len(features) * (len(features) - 1) // 2) if linked else 0,
        persons=schema.persons,
        cut=tuple(cut),
        asked=hashlib.sha256(canonical_bytes(meaning)).hexdigest(),
    )


def tables_asked(problem: Margins, columns: Sequence[CellColumn], *, target: bool) -> tuple[Table, ...]:
    """The tables of a problem that are asked for besides those of each column."""
    return problem.tables[sum(map(len, _of_columns(columns, target=target))) :]


def _of_columns(columns: Sequence[CellColumn], *, target: bool) -> tuple[list[Table], list[Table]]:
    """The table of each column with the target, or alone, and those of fine cells."""
    by_target: list[Table] = [(place, len(columns) - 1) if target else (place,) for place in range(len(columns) - target)]
    return by_target, [(place,) for place in fine_places(columns).values()]


def listed(text: str) -> list[str]:
    """Names with commas between them, as in age,children."""
    return [name.strip() for name in text.split(",") if name.strip()]


def listed_tables(text: str) -> list[list[str]]:
    """The workload that is written as age*education,sex*income."""
    return [[name.strip() for name in table.split("*")] for table in listed(text)]


def _asked(columns: Sequence[CellColumn], workload: Sequence[Sequence[str]]) -> list[Table]:
    """The workload's tables, each once."""
    places = {column.name: place for place, column in enumerate(columns)}
    found: list[Table] = []
    for names in workload:
        if unknown := [name for name in names if name not in places]:
            raise InvalidInput(f"the workload names {unknown[0]!r}, which is not a column of the synthetic table.{did_you_mean(unknown[0], places)}")
        table = tuple(sorted({places[name] for name in names}))
        if len(table) < 2:
            raise InvalidInput("a table of the workload needs two or more columns, such as age*education.")
        if table not in found:
            found.append(table)
    return found
