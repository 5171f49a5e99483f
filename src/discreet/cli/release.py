"""`discreet release`: publish a table as a folder of noisy or sketched data; `randomise`: one record, by its owner.

As in `fit`, everything that can fail without a record fails before one is read: the method and its numbers, the calibration, the schema, the folder
(tried), what is left in the ledger. A record to be randomised comes on standard input, as a JSON object or as CSV with a header and one line, or as
NAME=VALUE arguments (which other users of the machine may see while the command runs, and shells keep).
"""

import csv
import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, make_dataclass
from functools import cache
from textwrap import wrap
from typing import Annotated, Any, TypeAlias

import discreet
from discreet.cli import synthetic
from discreet.cli.inputs import Records, Spending, Whose, ask, check_fits, lines_in, read, receipt
from discreet.cli.options import (
    LATER,
    Argument,
    File,
    Neighbours,
    Option,
    PublicRecords,
    Report,
    SchemaFile,
    Seed,
    Target,
    command,
    noise_of,
    typed,
    usage_error,
)
from discreet.cli.output import Outcome, announce, check_report, labelled, refuse_same_file, step, tried, within, written_report
from discreet.core.errors import FileFormatError, InvalidInput, quietly, quoted
from discreet.core.files.strict_json import read_object
from discreet.core.files.whole_file import reason_of
from discreet.core.foreseen import LITTLE

_Published: TypeAlias = "discreet.releases.PublishedRelease | discreet.releases.SyntheticTable"
_WIDTH = 100
_LONGEST = 1 << 20
_SETTLED_BY_OWNERS = ("person", "rows_per_person", "target", "calibration", "ledger", "data_set", "part", "seed")


@cache
def _methods() -> tuple[type, str]:
    """The numbers that methods may need, an option each; and the methods, with those that each needs and takes."""
    from discreet.releases.methods import ALL_METHODS

    numbers = []
    for one in discreet.releases.SETTINGS.values():
        kind = str if one.kind in (list, dict) else one.kind
        numbers.append((one.name, Annotated[kind | None, Option(name=one.option, help=one.help)], None))
    lines = ["\b", "Methods, and the numbers that each needs (and takes):"]
    for method in ALL_METHODS.values():
        lines += wrap(f"{method.name}: {method.says}", _WIDTH, initial_indent="  ", subsequent_indent="    ")
        for way in method.ways:
            taken = f" ({' '.join(one.option for one in way.takes)})" if way.takes else ""
            as_published = " --calibration published" if way.calibration == "published" else ""
            lines.append(f"      {' '.join(one.option for one in way.needs)}{taken}{as_published}")
        lines += [] if method.ways else ["      none: TABLE holds lines of `discreet randomise`"]
    lines += wrap(f"{synthetic.METHOD}: {synthetic.SAYS}", _WIDTH, initial_indent="  ", subsequent_indent="    ")
    lines.append("      --epsilon --delta (--rows --workload --whole --cuts --tables --row-seed); needs pip install 'discreet[synthetic]'")
    return make_dataclass("Numbers", numbers, kw_only=True), "\n".join(lines)


@dataclass(frozen=True, kw_only=True)
class _About:
    name: Annotated[str | None, "Name in the manifest.  [default: the schema's]"] = None
    description: Annotated[str | None, "Description in the manifest."] = None
    license: Annotated[str | None, "Licence of the release, in the manifest."] = None


@dataclass(frozen=True, kw_only=True)
class _Release:
    schema: SchemaFile
    whose: Whose
    method: Annotated[str, "Method of release; see below."]
    neighbours: Neighbours = "replace-one"
    target: Target = "noisy"
    numbers: Annotated[Any, LATER]
    synthetic: synthetic.Options
    calibration: Annotated[str, "tight, or published: as printed in the papers, with no guarantee where that is false."] = "tight"
    spending: Spending
    records: Records
    seed: Seed = None
    about: _About
    dry_run: Annotated[bool, "Say how useful the release would be, and stop: no table is read, nothing is drawn, spent or written."] = False
    known_records: PublicRecords = None
    out: Annotated[File | None, "The folder to write; not needed with --dry-run."] = None
    report: Report = None
    overwrite: Annotated[bool, "Overwrite the folder if it holds a release, and the page."] = False

    def __post_init__(self) -> None:
        """Raise InvalidInput for a number that nobody can know."""
        if self.known_records is not None:
            from discreet.core.validate import whole

            whole(self.known_records, "--public-records")


@command(
    "Publish a table as noisy, sketched or synthetic data.",
    "discreet release people.csv --schema people.toml --method moments --epsilon 1 --delta 1e-6 --dry-run",
    "discreet release people.csv --schema people.toml --method moments --epsilon 1 --delta 1e-6 --out sums",
    "discreet release people.csv --schema people.toml --method additive --epsilon 1 --delta 1e-6 --out noisy",
    "discreet release people.csv --schema people.toml --method sketch --rows 500 --epsilon 1 --delta 1e-6 \\\n"
    "      --neighbours add-remove --out sketched --ledger team.ledger --data-set people",
    "discreet release people.csv --schema people.toml --method fresh-projection --columns 20 --epsilon 1 --delta 1e-6 --out projected",
    "discreet release people.csv --schema people.toml --method information-sketch --rows 500 --bits 0.5 --out sketched",
    "discreet release people.csv --schema people.toml --method synthetic --epsilon 1 --delta 1e-6 --whole age --out invented",
    "discreet release people/ --schema people.toml --method additive --epsilon 1 --delta 1e-6 --jobs 2 --out noisy",
    "discreet release records.jsonl --schema people.toml --method local --out collected",
    later=lambda _: _methods(),
)
def release(given: _Release) -> Outcome:
    """Publish TABLE as a folder of protected data, with a manifest and a certificate.

    TABLE is a .csv, .csv.gz, .tsv, .xlsx or .parquet file with the columns that the schema names, or - for CSV on standard input. Several .parquet,
    .arrow, .feather or .ipc files, a folder of .parquet files, and every table for --dask are read in blocks, and rows are written as they are read,
    so that neither needs to fit into memory. Method, schema, folder and the remaining budget are checked before a record is read. Numbers are
    encoded to [-1, 1] where the schema says rows = "bound", which is better for a release than "normalise".

    Before anything is spent, the command says, from public numbers alone, how large the noise is on a number and on a mean, what a learner could
    achieve with the release, and which method would be more accurate for the same budget; --dry-run stops there.
    """
    from discreet.releases.methods import ALL_METHODS
    from discreet.releases.methods.columns import released_domain, released_schema

    if given.out is None and not given.dry_run:
        raise usage_error("--out is needed: the folder to write (or --dry-run, which writes nothing)")
    numbers = {name: _written(name, value) if isinstance(value, str) else value for name, value in vars(given.numbers).items()}
    with step("Checking what can be checked without the records"):
        chosen = ALL_METHODS.get(given.method)
        by_owners = chosen is not None and not chosen.ways
        public = discreet.Schema.load(given.schema) if by_owners else given.whose.schema(given.schema)
        schema = public if given.method == synthetic.METHOD else released_schema(public)
        about = discreet.releases.About(**vars(given.about))
        sources = (*given.records.paths, *given.records.files, given.schema, given.spending.ledger)
        if given.out is not None:
            _check_places(given, given.out, sources)
        if by_owners:
            if given.out is None:
                raise usage_error(f"--method {given.method} needs --out, and has no --dry-run: it spends nothing")
            return _shown(given, given.out, _collected(given, given.out, numbers, schema, about), None)
        account = given.spending.account("release", given.out)
        rows_of_nobody = given.method == synthetic.METHOD
        if not rows_of_nobody:
            synthetic.refuse_options(given.synthetic, given.method)
    if rows_of_nobody:
        with step("Checking what can be checked without the records"):
            plan = synthetic.planned(given.synthetic, public, numbers, target=given.target, neighbours=given.neighbours, about=about)
        foreseen = plan.outlook(given.known_records)
        lines = labelled(*foreseen.lines())
        if given.dry_run or given.out is None:
            check_fits(account, plan.guarantee)
            return tried(foreseen.to_dict(), plan.guarantee, lines)
        announce(*lines)
        where = synthetic.Where(folder=given.out, schema=given.schema, overwrite=given.overwrite)
        return _shown(given, given.out, synthetic.released(plan, given.synthetic, given.records, where, noise_of(given.seed), account), account)
    with step("Checking the method and the folder"):
        request = discreet.releases.Request(
            domain=released_domain(schema),
            target=discreet.queries.Target(given.target),
            neighbours=discreet.Neighbours(given.neighbours),
            schema=schema,
            **numbers,
        )
        publication = discreet.releases.Publication.planned(given.method, request, calibration=given.calibration, schema=schema, about=about)
        if given.out is not None:
            publication.check(given.out, overwrite=given.overwrite)
        check_fits(account, publication.guarantee)
    ask(schema, given.schema, run=True)
    if given.dry_run or given.out is None:
        outlook = publication.outlook(given.known_records)
        return tried(outlook.to_dict(), publication.guarantee, _foreseen(outlook, publication))
    noise = noise_of(given.seed)
    data = _opened(given.records, schema, request, noise)
    known = data.records if request.neighbours is discreet.REPLACE_ONE and request.records.read.in_order else given.known_records
    outlook = publication.outlook(known or None)
    announce(*_foreseen(outlook, publication))
    with step("Releasing"):
        made = publication.write(data, given.out, noise, account=account, overwrite=given.overwrite)
    return _shown(given, given.out, made, account, outlook)


def _foreseen(outlook: "discreet.releases.Outlook", publication: "discreet.releases.Publication") -> list[str]:
    """What is said of a release before it is made; for rows that say nothing, what says more of rows and of columns."""
    hopeless = publication.method.kind is discreet.releases.Kind.ROWS and outlook.error >= LITTLE
    also = (("", f"--method {synthetic.METHOD}, for {synthetic.SAYS}"), ("", "discreet describe, for counts, means and quantiles with intervals"))
    return labelled(*outlook.lines(), *(also if hopeless else ()))


def _check_places(given: _Release, out: str, sources: Sequence[str | None]) -> None:
    """Raise InvalidInput where folder or report would be in the way of each other, or of what is read."""
    refuse_same_file(out, *sources)
    if held := next((source for source in sources if source not in (None, "-") and within(source, out)), None):
        raise InvalidInput(f"--out names a folder that holds {held!r}, which this command uses. Choose another path.")
    if given.report is not None and within(given.report, out):
        raise InvalidInput(f"the report {given.report!r} would be inside the release. Choose a path outside {out!r}.")
    check_report(given.report, out, *sources, overwrite=given.overwrite)


def _opened(records: Records, schema: "discreet.Schema", request: "discreet.releases.Request", noise: "discreet.noise.Noise") -> "discreet.Records":
    """One table in memory, or files in blocks; private."""
    from discreet.releases.records import file_records, held_records

    cluster = records.cluster()
    if records.in_blocks:
        with step("Reading the table"):
            jobs = None if cluster is not None else records.jobs
            return file_records(records.paths, schema, request.domain, request.target, n_jobs=jobs, client=cluster, noise=noise)
    frame = read(records.paths[0], schema.columns(target=str(request.target) != "omitted", persons=True), schema.file)
    with step("Encoding"):
        return held_records(frame, request.domain, request.target, schema=schema, y=None, n_jobs=records.jobs, noise=noise)


def _written(name: str, text: str) -> object:
    """A number of several parts."""
    one = discreet.releases.SETTINGS[name]
    return quietly(lambda: one.read(text), usage_error(f"{one.option} needs {one.form}"), ValueError)


def _collected(
    given: _Release, out: str, numbers: dict[str, Any], schema: "discreet.Schema", about: "discreet.releases.About"
) -> "discreet.releases.PublishedRelease":
    """Lines of many owners. That spends nothing: what their records are worth was settled when they were randomised.

    So were relation, target, calibration and noise. A ledger that only the environment names is for other commands.
    """
    if given.records.jobs is not None or given.records.dask is not None:
        raise usage_error(f"--method {given.method} draws no noise and adds nothing up: lines are read one by one. Leave --jobs and --dask out")
    wrong = [name for name, value in numbers.items() if value is not None]
    wrong += [name.replace("_", " ") for name in _SETTLED_BY_OWNERS if typed(name)]
    if given.neighbours != "replace-one":
        wrong.append(f"neighbours {given.neighbours}")
    if wrong:
        raise usage_error(f"--method {given.method} takes no {' and no '.join(wrong)}: the records were randomised by their owners")
    table = ""

    def lines() -> Iterator[str]:
        nonlocal table
        for table in given.records.files:
            with lines_in(table) as found:
                yield from found

    try:
        return discreet.releases.collect(lines(), out, schema=schema, about=about, overwrite=given.overwrite)
    except FileFormatError as error:
        refusal: InvalidInput = FileFormatError(f"{table!r} cannot be collected: {error}")
    except (OSError, UnicodeDecodeError) as error:
        refusal = InvalidInput(f"{table!r} cannot be read ({reason_of(error)}). A file of lines from `discreet randomise` is needed.")
    raise refusal


def _shown(
    given: _Release,
    out: str,
    made: "_Published",
    account: "discreet.ledger.Account | None",
    outlook: "discreet.releases.Outlook | None" = None,
) -> Outcome:
    """What left, what was spent, what is left, and what to do next."""
    page = written_report(made, given.report, account, name=out, overwrite=given.overwrite)
    with step("Checking the release"):
        verification = made.verify()
    foreseen = {} if outlook is None else {"outlook": outlook.to_dict()}
    document, paid, checked = receipt(made.certificate, verification, account, spent=False)
    (_, what), (_, protected), (_, exposed), _ = made.inspection()
    return Outcome(
        document={"release": out, **foreseen, **document, **made.inspection_record(), "report": page.path},
        lines=[
            *labelled(("Release", what[0]), ("Numbers", what[1])),
            *labelled(*((("" if place else "Protects"), line) for place, line in enumerate(protected))),
            *labelled(*((("" if place else "Not"), line) for place, line in enumerate(exposed))),
            *paid,
            *labelled(("Written to", out), ("Report", page.path)),
            "",
            f"Next: discreet inspect {out}, discreet verify {out}",
        ],
        checked=checked,
        lost=[page.lost],
    )


@command(
    "Add noise to one record on its owner's device.",
    "discreet randomise --schema people.toml --epsilon 4 --delta 1e-6 < me.json >> records.jsonl",
    "discreet randomise age=41 hours=38 answer=yes --schema people.toml --epsilon 4 --delta 1e-6",
    "discreet randomise transport=bike answer=yes --schema answers.toml --epsilon 1 --delta 0",
    "discreet release records.jsonl --schema people.toml --method local --out collected",
    "discreet frequencies answers.jsonl --schema answers.toml",
)
def randomise(
    *,
    cells: Annotated[tuple[str, ...], Argument(metavar="[NAME=VALUE]...")] = (),
    schema: Annotated[File, "What is public about the records, in TOML; the same for all owners."],
    epsilon: Annotated[float, "Privacy loss of this record, > 0."],
    delta: Annotated[
        float, "Probability that the loss is exceeded. With 0, categories are randomised as what they are, and numbers get Laplace noise."
    ],
    target: Target = "noisy",
    shuffle: Annotated[
        int | None,
        "For categories: the number of reports that will be collected. Together, seen in a secret order or as shares, they have this epsilon and a "
        "delta above 0; a single report has the larger epsilon of its certificate.",
    ] = None,
    seed: Seed = None,
) -> Outcome:
    """Add noise to one record on its owner's device, and print it as one line of JSON with its certificate.

    The record is a JSON object or CSV with a header on standard input, or NAME=VALUE arguments. Lines of many owners are collected by
    `discreet release --method local`. Answering twice spends twice.

    With --delta 0, categorical columns and the classes of the target of a schema without numbers are randomised directly, by k-ary response or unary
    encoding, whichever has less noise: much less than numbers need. `discreet frequencies` turns the lines of many owners into shares with
    intervals. Records with numbers get Laplace noise on all of their columns.
    """
    public, released = discreet.Schema.load(schema), discreet.queries.Target(target)
    of_classes = isinstance(public.target, discreet.data.Target) or released is discreet.queries.Target.OMITTED
    survey: discreet.releases.LocalSurvey | discreet.releases.CategorySurvey
    if shuffle is not None or (delta == 0 and of_classes and not (public.numeric or public.date)):
        survey = discreet.releases.CategorySurvey.planned(public, epsilon=epsilon, target=released, delta=delta, shuffled=shuffle)
    else:
        survey = discreet.releases.LocalSurvey.planned(public, epsilon=epsilon, delta=delta, target=released)
    noise = noise_of(seed)
    record = _arguments(cells, public.columns(target=True, persons=True)) if cells else _standard_input()
    with step("Randomising"):
        made = survey.randomise(record, noise)
        if seed is None:
            made.verify().require()  # of what does not hold nobody is told: the record has not left its owner
    return Outcome(named=False, document=made.to_dict(), lines=[made.to_line()])


def _arguments(cells: Sequence[str], known: Sequence[str]) -> dict[str, object]:
    record: dict[str, object] = {}
    for cell in cells:
        name, equals, value = cell.partition("=")
        if not equals or not name or name in record:
            raise usage_error("give a record as NAME=VALUE, each column once")
        record[name] = value
    if not record.keys() <= set(known):
        raise usage_error(f"an argument names a column that the schema does not have; its columns are {quoted(known)}")
    return record


def _standard_input() -> dict[str, object]:
    """One record. No message repeats any of it, and none is chained to one that does."""
    refusal = InvalidInput("one record is needed on standard input: a JSON object, or CSV with a header and one line.")
    try:
        text = sys.stdin.buffer.read(_LONGEST).decode("utf-8-sig")
        record = _json_record(text) if text.lstrip().startswith("{") else _csv_record(text)
    except (UnicodeDecodeError, ValueError, RecursionError, csv.Error):
        record = None
    if record is None:
        raise refusal
    return record


def _json_record(text: str) -> dict[str, object] | None:
    found = read_object(text, what="a record")
    flat = all(isinstance(cell, str | int | float | bool | None) for cell in found.values())
    return found if flat else None


def _csv_record(text: str) -> dict[str, object] | None:
    lines = [line for line in csv.reader(io.StringIO(text), strict=True, skipinitialspace=True) if line]
    if len(lines) != 2 or len(lines[0]) != len(lines[1]) or len(set(lines[0])) != len(lines[0]):
        return None
    return dict(zip(lines[0], lines[1], strict=True))
