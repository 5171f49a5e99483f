"""Making a synthetic table: what is asked, checked, spent, fitted, drawn, written and read back, in this order.

Whatever can fail without a record fails before anything is spent. Once counts are released they are paid for, whether a distribution can be fitted to
them or not; a failure then leaves no folder.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl

from discreet.accounting import Guarantee
from discreet.core.arrays import Floats
from discreet.core.errors import DiscreetError, InvalidInput, quietly
from discreet.core.files.strict_json import printable
from discreet.core.files.whole_folder import check_folder, whole_folder
from discreet.core.neighbours import REPLACE_ONE, Neighbours, Weight, neighbours_of
from discreet.data import BlockTable, EncodedTable, Schema
from discreet.data.frames import Frame
from discreet.ledger import Account
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.cuts.choose import projected
from discreet.mechanisms.cuts.columns import Whose, whose_rows
from discreet.mechanisms.margins import pair_scale
from discreet.mechanisms.margins.problem import Rounds, Table
from discreet.mechanisms.persons import schema_rule
from discreet.noise import Noise, SeededNoise
from discreet.releases.manifest import NAME, manifest_text
from discreet.releases.parts import FOLDER, Part, described, part_path, write_part
from discreet.releases.publication import About
from discreet.releases.synthetic.cells import CellColumn, Coder, Codes, counting_schema, fine_places
from discreet.releases.synthetic.counts import TableCounts
from discreet.releases.synthetic.fit import Part as FittedPart
from discreet.releases.synthetic.fit import fitted, require_mbi
from discreet.releases.synthetic.folder import (
    MARGINS,
    Synthetic,
    SyntheticTable,
    begins_of,
    fidelity_of,
    is_synthetic,
    pairs_of,
    read_synthetic,
)
from discreet.releases.synthetic.likely import Counted, likely
from discreet.releases.synthetic.outlook import SyntheticOutlook
from discreet.releases.synthetic.plan import CutsFrom, SyntheticPlan
from discreet.releases.synthetic.rows import Words, drawn_codes, spread, uniforms
from discreet.statements.counting import WHOLE

_MOST_ROWS = 10**8
_MOST_TABLES = 100
_DRAWN = "rows of a synthetic table"
_REDRAWN = "noise of further synthetic tables"


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticPublication:
    """A planned release. Build it with `planned`."""

    plan: SyntheticPlan
    rows: int | None
    """Of a table; None for as many as there are records, or about so many where that is secret."""
    tables: int
    about: About

    @classmethod
    def planned(cls, plan: SyntheticPlan, *, rows: int | None = None, tables: int = 1, about: About | None = None) -> Self:
        """Raises InvalidInput for numbers that nobody can release, and where mbi is not installed."""
        require_mbi()
        for what, number, most in (("rows", 1 if rows is None else rows, _MOST_ROWS), ("tables", tables, _MOST_TABLES)):
            if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= most:
                raise InvalidInput(f"{what} of a synthetic release must be a whole number from 1 to {most}; {number!r} was given.")
        if tables > 1 and rows is not None:
            raise InvalidInput("with several synthetic tables, the intervals assume as many rows as records; leave rows out.")
        said = About() if about is None else about
        if not printable([*(column.name for column in plan.columns), *(word for word in said if word is not None)]):
            raise InvalidInput("names of columns, and the name, description and license of a release, must be free of control characters.")
        return cls(plan=plan, rows=rows, tables=tables, about=said)

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee, before any record is read."""
        return self.plan.guarantee

    def outlook(self, records: int | None = None) -> SyntheticOutlook:
        """What the release will be worth, before any record is read; `records` is their number, where it is public."""
        return SyntheticOutlook.of(self.plan, records)

    def check(self, folder: str | Path, *, overwrite: bool) -> None:
        """Raise InvalidInput unless the folder could be written now. An existing one is replaced only if it holds a synthetic table."""
        check_folder(folder, overwrite=overwrite, replaceable=is_synthetic)

    def write(
        self,
        table: EncodedTable | BlockTable,
        folder: str | Path,
        noise: Noise,
        *,
        account: Account | None = None,
        overwrite: bool = False,
        row_seed: int | None = None,
        jobs: int = 1,
    ) -> SyntheticTable:
        """Release a table that `counting_schema(schema)` encoded. `row_seed` makes the drawing of rows, not the noise, one that can be repeated.

        Raises as `Mechanism.run` does, InvalidInput for a table of another rule of persons, SolverFailure once the budget is spent.
        """
        plan = self.plan
        rule = plan.problem.persons
        whose = whose_rows(table, noise, rows_per_person=None, person_weight="person", jobs=jobs)
        if whose.rule != rule:
            raise InvalidInput("the schema and the table disagree about person ids. Encode the table with the schema that you pass.")
        public = _records(whose) if plan.mechanism.neighbours is REPLACE_ONE else None
        if public == 0:
            raise InvalidInput("the table has no records; under replace-one at least one is needed.")
        coder = Coder(counting_schema(plan.schema), plan.columns)
        counts = TableCounts(whose, coder, plan.sizes, target=plan.target, jobs=jobs, cut=plan.problem.cut)
        released = plan.mechanism.run(plan.problem, Numbers(counts, _content(table)), noise, account=account)
        pairs = pairs_of(released.certificate)
        # What follows is post-processing: it reads released numbers, and randomness that protects nobody.
        words = noise.beside(_DRAWN).words() if row_seed is None else _repeated(row_seed)
        try:
            # Rows that count alike add up to fewer records than there are persons, so that their sum is taken as it was released.
            known = None if rule is not None and rule.by_rows else public
            rounds = plan.problem.split(released.value, pairs)
            cuts = begins_of(plan.problem, rounds, plan.mechanism.scales)
            drawn = Drawing(plan=plan.with_bins(cuts), rounds=rounds, pairs=pairs, records=known)
            frames, codes = drawn.frames(self.rows, self.tables, words, noise.beside(_REDRAWN))
        except DiscreetError as error:
            refusal = type(error)(f"{error} No table was written, and the budget of this release counts as spent.")
        else:
            standard = "Rows of nobody, drawn from noisy counts."
            with whole_folder(folder, overwrite=overwrite, replaceable=is_synthetic) as temporary:
                (temporary / FOLDER).mkdir()
                parts = tuple(_written(temporary, part_path(number), frame) for number, frame in enumerate(frames))
                made = Synthetic(
                    schema=plan.schema,
                    target=plan.target,
                    cuts=cuts,
                    whole=tuple(column.name for column in plan.columns if column.whole and not column.days),
                    certificate=released.certificate,
                    parts=parts,
                    margins=write_part(temporary, MARGINS, ["value"], released.value[:, np.newaxis]),
                    fidelity=tuple(fidelity_of(plan.problem, drawn.rounds, pairs, plan.mechanism.scales, codes)),
                    redrawn=self.tables > 1,
                    name=plan.schema.name if self.about.name is None else self.about.name,
                    description=standard if self.about.description is None else self.about.description,
                    license=self.about.license,
                )
                (temporary / NAME).write_text(manifest_text(made.manifest()), encoding="utf-8")
            return read_synthetic(folder)
        raise refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """From released counts to rows: public."""

    plan: SyntheticPlan
    rounds: Rounds
    pairs: Sequence[Table]
    records: int | None
    """Their number, where it is public."""

    @property
    def total(self) -> float:
        """About the number of records: the released sums, each by how well it is known."""
        if self.records is not None:
            return float(self.records)
        scales = self.plan.mechanism.scales
        known = [(each.sum(), len(each) * scale**2) for each, scale in zip(self.rounds.tables, scales, strict=False)]
        return float(np.average([total for total, _ in known], weights=[1.0 / variance for _, variance in known]))

    def frames(self, rows: int | None, tables: int, words: Words, noise: Noise) -> tuple[list[pl.DataFrame], dict[int, Codes]]:
        """So many tables of rows, and the cells of the first. Where there are several, counts have noise of the same law once more in each."""
        number = rows if rows is not None else max(1, round(self.total))
        found: list[pl.DataFrame] = []
        first: dict[int, Codes] = {}
        for rounds in [self.rounds] if tables == 1 else (self._again(noise) for _ in range(tables)):
            codes = drawn_codes(self._fitted(rounds, again=tables > 1), number, words, independent=tables > 1)
            first = first or codes
            found.append(self._typed(codes, rounds, words))
        return found, first

    @property
    def _of_pairs(self) -> float:
        return pair_scale(self.plan.mechanism.scales, len(self.pairs))

    def _again(self, noise: Noise) -> Rounds:
        scales = self.plan.mechanism.scales

        def redrawn(each: Floats, scale: float) -> Floats:
            more: Floats = each + noise.gaussian(scale=scale / WHOLE, dimension=len(each), draws=1)[:, 0]
            return more

        first = [redrawn(each, scale) for each, scale in zip(self.rounds.tables, scales, strict=False)]
        return Rounds(first, self.rounds.scores, [redrawn(each, self._of_pairs) for each in self.rounds.pairs])

    def _fitted(self, rounds: Rounds, *, again: bool) -> list[FittedPart]:
        """`again`: the noise is there twice, and intervals of several tables are about counts as they were measured."""
        plan, columns = self.plan, len(self.plan.columns)
        measured = [*zip(plan.problem.tables, rounds.tables, plan.mechanism.scales, strict=False)]
        measured += [(pair, each, self._of_pairs) for pair, each in zip(self.pairs, rounds.pairs, strict=True)]
        used = [Counted(table, each, scale / WHOLE) for table, each, scale in measured if table[-1] < columns]
        if plan.problem.hub is not None and not again:
            used = likely(used, plan.columns, plan.problem.hub)
        tables, counts, deviations = zip(*used, strict=True)
        return fitted(plan.sizes[:columns], tables, counts, deviations, total=max(1.0, self.total))

    def _typed(self, codes: dict[int, Codes], rounds: Rounds, words: Words) -> pl.DataFrame:
        """Cells as values of the columns' types."""
        fine = fine_places(self.plan.columns)
        by_table = dict(zip(self.plan.problem.tables, rounds.tables, strict=True))
        found = []
        for place, column in enumerate(self.plan.columns):
            cells = codes[place]
            if column.fine:
                cells = spread(_within_bins(column, by_table[(fine[place],)]), cells, words)
            found.append(column.values(cells, uniforms(words, len(cells))))
        return pl.DataFrame(found)


def publish_synthetic(  # noqa: PLR0913 - what is public about a table, and what becomes of it
    table: Frame | Callable[[Schema], EncodedTable | BlockTable],
    folder: str | Path,
    noise: Noise,
    *,
    schema: Schema,
    epsilon: float,
    delta: float,
    neighbours: Neighbours | str = REPLACE_ONE,
    target: bool = True,
    workload: Sequence[Sequence[str]] = (),
    whole: Sequence[str] = (),
    cuts: CutsFrom = "schema",
    rows: int | None = None,
    tables: int = 1,
    row_seed: int | None = None,
    persons: Any = None,  # noqa: ANN401 - refused
    rows_per_person: int | None = None,
    person_weight: Weight = "person",
    account: Account | None = None,
    n_jobs: int = 1,
    overwrite: bool = False,
    name: str | None = None,
    description: str | None = None,
    license: str | None = None,  # noqa: A002 - Croissant's word
) -> SyntheticTable:
    """Spend (epsilon, delta) on noisy counts of `table`, draw artificial rows from them, and write both into `folder`, completely or not at all.

    `table` is anything that `schema` encodes, or a function from a schema to an EncodedTable or a BlockTable of the same records. With `target` False
    the schema's target is left out. `workload` names columns whose tables are always counted, such as [("age", "education")]; `whole` names columns
    of whole numbers. With `cuts` "private" the bins of numbers without cuts in the schema are chosen within the same budget; columns whose cuts the
    schema calls private always are. `rows` is the number of rows per table; None is the number of records, or about that number under add-remove.
    With `tables` > 1 each table also has its own noise, so that `combined` gives intervals. `row_seed` is a public seed for drawing rows, never for
    the noise. If the schema has a person column, the unit is a person; `rows_per_person=1` declares that nobody has a second row.

    Raises InvalidInput for a release that is not possible, for a folder that cannot be written, and if mbi is not installed, InfeasibleTarget if no
    amount of noise is enough, and BudgetExceeded before noise is drawn.
    """
    if persons is not None:
        raise InvalidInput("a synthetic table takes person ids from the schema: add [person] with their column, and leave persons out.")
    rule = schema_rule(schema.persons, None, rows_per_person, person_weight)
    used = replace(schema, rows_per_person=1) if schema.persons is None and rule is not None else schema
    relation = neighbours_of(neighbours)
    plan = SyntheticPlan.calibrate(used, epsilon=epsilon, delta=delta, neighbours=relation, target=target, workload=workload, whole=whole, cuts=cuts)
    about = About(name=name, description=description, license=license)
    publication = SyntheticPublication.planned(plan, rows=rows, tables=tables, about=about)
    publication.check(folder, overwrite=overwrite)
    counting = counting_schema(used)
    data = table(counting) if callable(table) else counting.encode(table, target=target, persons=True)
    return publication.write(data, folder, noise, account=account, overwrite=overwrite, row_seed=row_seed, jobs=n_jobs)


def _within_bins(column: CellColumn, noisy: Floats) -> Floats:
    """Counts (bins, fine cells) of the fine cells of each bin, nothing elsewhere; where there are none, by the width of cells."""
    cells = len(column.edges) - 1
    kept = projected(noisy, max(0.0, float(noisy.sum())))
    widths = np.diff(np.asarray(column.edges))
    found = np.zeros((column.bins, cells + column.gap))
    for place in range(len(column.starts)):
        inside = column.within(place)
        found[place, inside] = kept[inside] if kept[inside].sum() > 0 else widths[inside]
    if column.gap:
        found[-1, -1] = 1.0
    return found


def _records(whose: Whose) -> int:
    """Of records, or persons, where their number is public."""
    if whose.persons is not None:
        return whose.persons
    table = whose.table
    return table.rows.shape[0] if isinstance(table, EncodedTable) else sum(table.map(_rows_of, 1))


def _rows_of(_: int, block: Any) -> int:  # noqa: ANN401 - a block
    count: int = block.rows.shape[0]
    return count


def _content(table: EncodedTable | BlockTable) -> Iterator[bytes] | None:
    """What a ledger's digest is made of; private."""
    return table.content() if isinstance(table, EncodedTable) else None


def _repeated(seed: int) -> Words:
    """The words of a public seed."""
    return SeededNoise(seed).words()


def _written(folder: Path, path: str, frame: pl.DataFrame) -> Part:
    quietly(lambda: frame.write_parquet(folder / path), OSError("Parquet: it cannot be written"), pl.exceptions.PolarsError)
    return described(folder, path, frame.height)
