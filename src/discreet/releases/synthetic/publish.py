"""Making a synthetic table: what is asked, checked, spent, fitted, drawn, written and read back, in this order.

Whatever can fail without a record fails before anything is spent. Once counts are released they are paid for, whether a distribution can be fitted to
them or not: they are written first, and rows are drawn from what was written (`draw`), at once or later.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Self

import numpy as np

from discreet.accounting import Guarantee
from discreet.certificates import Release
from discreet.core.errors import InvalidInput
from discreet.core.files.strict_json import printable
from discreet.core.files.whole_folder import check_folder, check_room, whole_folder
from discreet.core.frameless import frameless
from discreet.core.neighbours import REPLACE_ONE, Neighbours, Weight, neighbours_of
from discreet.data import BlockTable, EncodedTable, Schema
from discreet.data.frames import Frame
from discreet.ledger import Account
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.cuts.columns import Whose, whose_rows
from discreet.mechanisms.persons import schema_rule
from discreet.noise import Noise, SeededNoise
from discreet.releases.manifest import NAME, manifest_text
from discreet.releases.parts import write_part
from discreet.releases.publication import About
from discreet.releases.synthetic.cells import Coder, counting_schema
from discreet.releases.synthetic.counts import TableCounts
from discreet.releases.synthetic.drawing import kept_counts, resume_synthetic
from discreet.releases.synthetic.fit import require_mbi
from discreet.releases.synthetic.folder import MARGINS, Synthetic, SyntheticTable, begins_of, is_synthetic, pairs_of, read_synthetic
from discreet.releases.synthetic.outlook import SyntheticOutlook
from discreet.releases.synthetic.pending import Pending
from discreet.releases.synthetic.plan import CutsFrom, SyntheticPlan

_MOST_ROWS = 10**8
_MOST_TABLES = 100


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

    @frameless
    def count(
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
        """Release the noisy counts of a table that `counting_schema(schema)` encoded, and write them: `resume_synthetic` draws rows from them.

        Room for the counts, and for rows whose number is public, is looked for before anything is spent. `row_seed` makes the drawing of rows, not
        the noise, one that can be repeated. Raises as `Mechanism.run` does, and InvalidInput for a table of another rule of persons.
        """
        plan = self.plan
        rule = plan.problem.persons
        whose = whose_rows(table, noise, rows_per_person=None, person_weight="person", jobs=jobs)
        if whose.rule != rule:
            raise InvalidInput("the schema and the table disagree about person ids. Encode the table with the schema that you pass.")
        public = _records(whose) if plan.mechanism.neighbours is REPLACE_ONE else None
        if public == 0:
            raise InvalidInput("the table has no records; under replace-one at least one is needed.")
        if row_seed is not None:
            SeededNoise(row_seed)  # refused now, if ever
        check_room(folder, self._most_bytes(public))
        coder = Coder(counting_schema(plan.schema), plan.columns)
        counts = TableCounts(whose, coder, plan.sizes, target=plan.target, jobs=jobs, cut=plan.problem.cut)
        released = plan.mechanism.run(plan.problem, Numbers(counts, _content(table)), noise, account=account)
        # Rows that count alike add up to fewer records than there are persons, so that their sum is taken as it was released.
        known = None if rule is not None and rule.by_rows else public
        pending = Pending(rows=self.rows, tables=self.tables, records=known, row_seed=row_seed)
        try:
            self._keep(released, pending, folder, overwrite=overwrite)
        except KeyboardInterrupt:
            self._keep(released, pending, folder, overwrite=True)  # paid for: once more, and then it ends
            raise
        except InvalidInput as error:
            refusal = InvalidInput(f"{error} {self._kept_elsewhere(released, pending)}")
        else:
            return read_synthetic(folder)
        raise refusal

    def made(self, counts: SyntheticTable) -> bool:
        """Whether these counts, whose rows are missing, are those of this release."""
        asked = (self.plan.schema, self.plan.target, self.plan.problem, self.plan.guarantee, self.rows, self.tables)
        waiting = counts.pending
        return waiting is not None and asked == (counts.schema, counts.target, counts.problem, counts.guarantee, waiting.rows, waiting.tables)

    def _most_bytes(self, public: int | None) -> int:
        """On disk, from public numbers alone: of counts, and of rows where their number is public."""
        problem = self.plan.problem
        pairs = sorted(map(problem.cells, problem.candidates), reverse=True)
        counts = sum(map(problem.cells, problem.tables)) + len(pairs) + sum(pairs[: problem.most])
        rows = self.rows if self.rows is not None else public or 0
        return 9 * (counts + self.tables * rows * len(self.plan.columns)) + (1 << 20)

    def _keep(self, released: Release, pending: Pending, folder: str | Path, *, overwrite: bool) -> None:
        """Write the counts: the folder is whole, and says that rows are missing."""
        plan, standard = self.plan, "Rows of nobody, drawn from noisy counts."
        rounds = plan.problem.split(released.value, pairs_of(released.certificate))
        with whole_folder(folder, overwrite=overwrite, replaceable=is_synthetic) as temporary:
            made = Synthetic(
                schema=plan.schema,
                target=plan.target,
                cuts=begins_of(plan.problem, rounds, plan.mechanism.scales),
                whole=tuple(column.name for column in plan.columns if column.whole and not column.days),
                certificate=released.certificate,
                parts=(),
                margins=write_part(temporary, MARGINS, ["value"], released.value[:, np.newaxis]),
                fidelity=(),
                redrawn=self.tables > 1,
                pending=pending,
                name=plan.schema.name if self.about.name is None else self.about.name,
                description=standard if self.about.description is None else self.about.description,
                license=self.about.license,
            )
            (temporary / NAME).write_text(manifest_text(made.manifest()), encoding="utf-8")

    def _kept_elsewhere(self, released: Release, pending: Pending) -> str:
        """Where the counts are, since they could not be written where they were to be."""
        try:
            other = Path(mkdtemp(prefix="discreet-")) / "counts"
            self._keep(released, pending, other, overwrite=False)
        except (OSError, InvalidInput):
            return "The budget of this release counts as spent, and its counts could be written nowhere."
        return kept_counts(read_synthetic(other))


@frameless
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
    """Spend (epsilon, delta) on noisy counts of `table`, write them into `folder`, and draw artificial rows from them, which are written beside them.

    `table` is anything that `schema` encodes, or a function from a schema to an EncodedTable or a BlockTable of the same records. With `target` False
    the schema's target is left out. `workload` names columns whose tables are always counted, such as [("age", "education")]; `whole` names columns
    of whole numbers. With `cuts` "private" the bins of numbers without cuts in the schema are chosen within the same budget; columns whose cuts the
    schema calls private always are. `rows` is the number of rows per table; None is the number of records, or about that number under add-remove.
    With `tables` > 1 each table also has its own noise, so that `combined` gives intervals. `row_seed` is a public seed for drawing rows, never for
    the noise. If the schema has a person column, the unit is a person; `rows_per_person=1` declares that nobody has a second row.

    Where rows could not be drawn, or the process ended, the counts are in `folder`, and `resume_synthetic` goes on from there.

    Raises InvalidInput for a release that is not possible, for a folder that cannot be written, and if mbi is not installed, InfeasibleTarget if no
    amount of noise is enough, BudgetExceeded before noise is drawn, and SolverFailure where no distribution can be fitted.
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
    publication.count(data, folder, noise, account=account, overwrite=overwrite, row_seed=row_seed, jobs=n_jobs)
    return resume_synthetic(folder, noise)


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
