"""`discreet release --method synthetic`: a table of rows of nobody, drawn from noisy counts of columns and pairs of them."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import discreet
from discreet.cli.inputs import Records, ask, check_fits, read
from discreet.cli.options import Option, typed, usage_error
from discreet.cli.output import kept_whatever_happens, step
from discreet.core.errors import InvalidInput

METHOD = "synthetic"
SAYS = "invented rows with the columns' own types, drawn from noisy counts of columns and chosen pairs; any learner trains on them"
_TAKES = ("epsilon", "delta", "rows")


@dataclass(frozen=True, kw_only=True)
class Options:
    """What --method synthetic takes besides."""

    workload: Annotated[
        str | None, Option(metavar="TABLES", help="Synthetic: columns that are always counted together, such as age*education,sex*income.")
    ] = None
    whole: Annotated[str | None, Option(metavar="COLUMNS", help="Synthetic: columns of whole numbers, such as age,children.")] = None
    cuts: Annotated[
        Literal["schema", "private"] | None,
        "Synthetic: where numbers are cut into bins: as the schema says, or chosen privately within the same budget, for the columns whose cuts the "
        "schema calls private, or if there are none, for all columns without cuts.  [default: schema]",
    ] = None
    tables: Annotated[int | None, "Synthetic: number of tables, each with fresh noise; together they give intervals.  [default: 1]"] = None
    row_seed: Annotated[int | None, "Synthetic: a public seed for drawing rows; the noise has none."] = None
    resume: Annotated[
        bool,
        "Synthetic: draw the rows of a release whose counts are in --out and whose rows are missing, as the same command without --resume says where "
        "it could not. No record is read and nothing is spent.",
    ] = False


def refuse_options(given: Options, method: str) -> None:
    """Usage error for an option that another method does not take."""
    if wrong := [name for name in ("workload", "whole", "cuts", "tables", "row_seed", "resume") if getattr(given, name) not in (None, False)]:
        raise usage_error(f"--{wrong[0].replace('_', '-')} is for --method {METHOD}, not for method {method!r}")


def planned(
    given: Options, schema: "discreet.Schema", numbers: dict[str, Any], *, target: str, neighbours: str, about: "discreet.releases.About"
) -> "discreet.releases.synthetic.SyntheticPublication":
    """Everything public, settled before a record is read."""
    from discreet.releases.synthetic import SyntheticPlan, SyntheticPublication
    from discreet.releases.synthetic.plan import listed, listed_tables

    wrong = [name for name, value in numbers.items() if value is not None and name not in _TAKES]
    if numbers.get("shuffle") is not None:
        raise usage_error(f"--method {METHOD} takes no shuffle: its rows are invented, and no order of them tells of a record")
    if wrong or typed("calibration"):
        raise usage_error(f"--method {METHOD} takes no {(wrong or ['calibration'])[0].replace('_', ' ')}; it takes {', '.join(_TAKES)}")
    if missing := [name for name in ("epsilon", "delta") if numbers[name] is None]:
        raise usage_error(f"--method {METHOD} needs --{' and --'.join(missing)}")
    if target == "clear":
        raise usage_error(
            f"--method {METHOD} never releases the target as it is: --target noisy counts it with the other columns, omitted leaves it out"
        )
    plan = SyntheticPlan.calibrate(
        schema,
        epsilon=numbers["epsilon"],
        delta=numbers["delta"],
        neighbours=discreet.Neighbours(neighbours),
        target=target != "omitted",
        workload=listed_tables(given.workload or ""),
        whole=listed(given.whole or ""),
        cuts=given.cuts or "schema",
    )
    return SyntheticPublication.planned(plan, rows=numbers["rows"], tables=1 if given.tables is None else given.tables, about=about)


@dataclass(frozen=True, kw_only=True)
class Where:
    """Files of a run."""

    folder: str
    schema: str
    overwrite: bool


def released(
    publication: "discreet.releases.synthetic.SyntheticPublication",
    given: Options,
    records: Records,
    where: Where,
    noise: "discreet.noise.Noise",
    account: "discreet.ledger.Account | None",
) -> "discreet.releases.synthetic.SyntheticTable":
    """Read, spend, write counts, draw and write rows; with --resume the last two."""
    from discreet.releases.synthetic import counting_schema, read_synthetic, resume_synthetic
    from discreet.releases.synthetic.drawing import kept_counts

    if given.resume:
        counts = read_synthetic(where.folder)
        if counts.pending is not None and not publication.made(counts):
            raise InvalidInput(f"the counts in {where.folder!r} are those of another release. Repeat the command that made them, and add --resume.")
        with step("Fitting and drawing rows"):
            return resume_synthetic(where.folder, noise)
    schema, target = publication.plan.schema, publication.plan.target
    publication.check(where.folder, overwrite=where.overwrite)
    check_fits(account, publication.guarantee)
    ask(schema, where.schema, run=True)
    counting = counting_schema(schema)
    table: discreet.EncodedTable | discreet.data.BlockTable
    if records.in_blocks:
        files, cluster = discreet.data.schema_files(records.paths, counting, target=target, persons=True), records.cluster()
        table = files if cluster is None else files.on(cluster)
    else:
        frame = read(records.paths[0], counting.columns(target=target, persons=True), counting.file)
        with step("Encoding"):
            table = counting.encode(frame, target=target, persons=True)
    with step("Counting"):
        jobs = 1 if records.jobs is None else records.jobs
        counts = publication.count(table, where.folder, noise, account=account, overwrite=where.overwrite, row_seed=given.row_seed, jobs=jobs)
        del table
    with step("Fitting and drawing rows"), kept_whatever_happens(kept_counts(counts)):
        return resume_synthetic(where.folder, noise)
