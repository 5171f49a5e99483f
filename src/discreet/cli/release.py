"""`discreet release`: publish a table as a folder of noisy or sketched data.

As in `fit`, everything that can fail without a record fails before one is read: the method and its numbers, the calibration, the schema, the folder
(tried), what is left in the ledger.
"""

from typing import TYPE_CHECKING, Any, TypeAlias

import click

from discreet.cli.numbers import NUMBER
from discreet.cli.output import answer, examples, json_option, refuse_same_file, step
from discreet.cli.report import check_report, report_option, told, within, written_report
from discreet.cli.spending import account_from, check_would_fit, ledger_options, left_after
from discreet.cli.tables import cluster_of, files_within, in_blocks, named_tables, worker_options
from discreet.cli.training import warn_of_seed
from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.quiet import quietly

if TYPE_CHECKING:
    from discreet.data import Cluster, RealDataset, Schema
    from discreet.ledger import Account
    from discreet.releases import About, Publication, PublishedRelease

Numbers: TypeAlias = dict[str, Any]
"""What a method may need, None where nothing was said; see `discreet.releases.Request`."""

_EXAMPLES = examples(
    "discreet release people.csv --schema people.toml --method additive --epsilon 1 --delta 1e-6 --out noisy",
    "discreet release people.csv --schema people.toml --method sketch --rows 500 --epsilon 1 --delta 1e-6 \\\n"
    "      --neighbours add-remove --out sketched --ledger team.ledger --data-set people",
    "discreet release people.csv --schema people.toml --method fresh-projection --columns 20 --epsilon 1 --delta 1e-6 --out projected",
    "discreet release people.csv --schema people.toml --method information-sketch --rows 500 --bits 0.5 --out sketched",
    "discreet release people/ --schema people.toml --method additive --epsilon 1 --delta 1e-6 --jobs 2 --out noisy",
    "discreet release records.jsonl --schema people.toml --method local --out collected",
)
_METHODS = """\b
Methods, and the numbers that each needs (and takes):
  additive             every record with noise           --epsilon --delta (--slots), or --bits
  projection           records times a public matrix     --epsilon --delta --columns (--projection-seed --slots)
  fresh-projection     the same, matrix drawn anew       --epsilon --delta --columns (--slots)
  sketch               secret combinations of records    --epsilon --delta --rows (--most-records)
  eigenvalue-sketch    less noise for spread-out tables  --epsilon --delta --rows (--most-records)
  information-sketch   bits about an entry               --bits --rows (--most-records)
  clear-target-sketch  the same, target without noise    --bits --rows (--most-records)
  fisher               less noise where weights are      --epsilon --delta (--weights --slots)
                       larger                            or --level --epsilon (--weights)
  bounded              noise that never exceeds a width  --half-width --epsilon (--level)
  null-space           NOT private                       --variance --calibration published
  local                records randomised by owners      none: TABLE holds lines of `discreet randomise`
With --calibration published: projection, fresh-projection, fisher, and sketch or information-sketch with --bits --rows."""


@click.command(short_help="Publish a table as noisy or sketched data.", epilog=f"{_METHODS}\n\n{_EXAMPLES}")
@click.argument("table", type=click.Path(), nargs=-1, required=True)
@click.option("--schema", "schema_path", type=click.Path(), required=True, help="What is public about the table, in TOML.")
@click.option("--method", required=True, help="What leaves; see below.")
@click.option("--epsilon", type=NUMBER, help="Privacy loss that the release may cost, > 0.")
@click.option("--delta", type=NUMBER, help="Probability that the loss is exceeded; well below 1 / records.")
@click.option("--bits", type=NUMBER, help="Bits that may be learned about any one number.")
@click.option(
    "--neighbours",
    type=click.Choice(["replace-one", "add-remove"]),
    default="replace-one",
    show_default=True,
    help="What is hidden: the content of one record, or also whether it is there at all.",
)
@click.option(
    "--target",
    type=click.Choice(["noisy", "clear", "omitted"]),
    default="noisy",
    show_default=True,
    help="The target's column: protected like the others, released as it is, or left out.",
)
@click.option("--rows", type=int, help="Rows of a sketch.")
@click.option("--columns", "width", type=int, help="Columns of a projection.")
@click.option("--projection-seed", type=int, help="Public seed of a projection; 0 if left out.")
@click.option("--slots", type=int, help="With add-remove: rows that are released, a public number of at least as many as there are records.")
@click.option("--most-records", type=int, help="A public bound of the number of sketched records; 10,000,000 if left out.")
@click.option("--weights", help="One positive number a released column, separated by commas.")
@click.option("--half-width", type=NUMBER, help="The largest bounded noise, where encoded numbers lie within +-1.")
@click.option("--level", type=NUMBER, help="Of Fisher-optimal or bounded noise; the larger, the less noise.")
@click.option("--variance", type=NUMBER, help="Of null-space noise.")
@click.option(
    "--calibration", default="tight", show_default=True, help="tight, or published: as printed in the papers, with no guarantee where that is false."
)
@ledger_options
@worker_options
@click.option("--seed", type=int, help="Reproducible noise, for tests: the certificate is then not valid.")
@click.option("--name", help="Name in the manifest; the schema's if left out.")
@click.option("--description", help="Description in the manifest.")
@click.option("--license", "licence", help="Licence of the release, in the manifest.")
@click.option("--out", type=click.Path(), required=True, help="The folder to write.")
@report_option
@click.option("--overwrite", is_flag=True, help="Replace the folder where it holds a release, and the page.")
@json_option
def release(  # noqa: PLR0913 - one argument an option
    *,
    table: tuple[str, ...],
    schema_path: str,
    method: str,
    epsilon: float | None,
    delta: float | None,
    bits: float | None,
    neighbours: str,
    target: str,
    rows: int | None,
    width: int | None,
    projection_seed: int | None,
    slots: int | None,
    most_records: int | None,
    weights: str | None,
    half_width: float | None,
    level: float | None,
    variance: float | None,
    calibration: str,
    ledger_path: str | None,
    data_set: str | None,
    part: str | None,
    jobs: int | None,
    dask: str | None,
    seed: int | None,
    name: str | None,
    description: str | None,
    licence: str | None,
    out: str,
    report_path: str | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Publish TABLE as a folder of data that others may train on, with a manifest and its certificate.

    TABLE is a .csv, .csv.gz, .tsv or .parquet file with the columns that the schema names, or - for CSV on standard input. Several .parquet, .arrow,
    .feather or .ipc files, a folder of .parquet files, and every table for --dask are read in blocks, and rows go out as they come in, so that
    neither needs to fit into memory. Method, schema, folder and what is left in the ledger are checked before a record is read. Numbers are encoded
    to [-1, 1] where the schema says rows = "bound", which is better for a release than "normalise".
    """
    numbers: Numbers = {
        "epsilon": epsilon,
        "delta": delta,
        "bits": bits,
        "rows": rows,
        "width": width,
        "projection_seed": projection_seed,
        "slots": slots,
        "most_records": most_records,
        "weights": _weights(weights),
        "half_width": half_width,
        "level": level,
        "variance": variance,
    }
    with step("Checking what can be checked without the records"):
        from discreet.data import Schema  # noqa: PLC0415 - imports of the library wait until they are needed
        from discreet.noise import SeededNoise, SystemNoise  # noqa: PLC0415
        from discreet.releases import About  # noqa: PLC0415
        from discreet.releases.columns import released_schema  # noqa: PLC0415

        schema = released_schema(Schema.load(schema_path))
        about = About(name=name, description=description, license=licence)
        tables = named_tables(table)
        others = (*tables, *files_within(tables), schema_path, *([] if ledger_path is None else [ledger_path]))
        refuse_same_file(out, *others)
        _check_page(report_path, out, *others, overwrite=overwrite)
        account = account_from(ledger_path, data_set, part)
        if method == "local":
            _refuse_numbers(numbers, account, tables, {"--jobs": jobs, "--dask": dask})
            _finish(_collected(tables[0], out, schema, about, overwrite=overwrite), out, None, report_path, overwrite=overwrite, as_json=as_json)
            return
        publication = _planned(method, schema, numbers, about, neighbours=neighbours, target=target, calibration=calibration)
        publication.check(out, overwrite=overwrite)
        if account is not None:
            check_would_fit(account, publication.guarantee)
    warn_of_seed(seed)
    noise = SystemNoise() if seed is None else SeededNoise(seed)
    with cluster_of(dask, jobs) as client:
        data = _records(tables, schema, publication, jobs, client)
        with step("Releasing"):
            made = publication.write(data, out, noise, account=account, overwrite=overwrite)
        del data  # before a cluster is closed, whose blocks it may hold
    _finish(made, out, account, report_path, overwrite=overwrite, as_json=as_json)


def _records(tables: list[str], schema: "Schema", publication: "Publication", jobs: int | None, client: "Cluster | None") -> "RealDataset":
    """One table in memory, or files in blocks; private."""
    from discreet.data import read_table  # noqa: PLC0415
    from discreet.releases.records import file_records, held_records  # noqa: PLC0415

    request = publication.request
    if client is not None or in_blocks(tables, None):
        with step("Reading the table"):
            return file_records(tables, schema, request.target, n_jobs=None if client is not None else jobs, client=client)
    with step("Reading the table"):
        frame = read_table(tables[0], schema.columns(target=str(request.target) != "omitted"))
    with step("Encoding"):
        return held_records(frame, request.domain, request.target, schema=schema, y=None, n_jobs=jobs)


def _check_page(report_path: str | None, out: str, *others: str, overwrite: bool) -> None:
    """As `check_report`; nor may the page be in the folder, which holds what its manifest lists and nothing else."""
    if report_path is not None and within(report_path, out):
        raise InvalidInput(f"the report {report_path!r} would be written into the release itself. Choose a path outside {out!r}.")
    check_report(report_path, out, *others, overwrite=overwrite)


def _finish(made: "PublishedRelease", out: str, account: "Account | None", report_path: str | None, *, overwrite: bool, as_json: bool) -> None:
    """The page, where one is wanted, then everything that is said."""
    failure = written_report(made, report_path, account, name=out, overwrite=overwrite)
    _report(made, out, account, report_path=None if failure else report_path, as_json=as_json)
    if (code := told(failure, as_json=as_json)) != 0:
        click.get_current_context().exit(code)


def _planned(method: str, schema: "Schema", numbers: Numbers, about: "About", *, neighbours: str, target: str, calibration: str) -> "Publication":
    from discreet.core.neighbours import Neighbours  # noqa: PLC0415
    from discreet.queries import Target  # noqa: PLC0415
    from discreet.releases import Publication, Request  # noqa: PLC0415
    from discreet.releases.columns import schema_domain  # noqa: PLC0415

    request = Request(domain=schema_domain(schema), target=Target(target), neighbours=Neighbours(neighbours), **numbers)
    return Publication.planned(method, request, calibration=calibration, schema=schema, about=about)


def _weights(text: str | None) -> list[float] | None:
    if text is None:
        return None
    refusal = click.UsageError("--weights needs numbers separated by commas, one a released column", click.get_current_context())
    return quietly(lambda: [float(one) for one in text.split(",")], refusal)


def _refuse_numbers(numbers: Numbers, account: "Account | None", tables: list[str], workers: dict[str, object]) -> None:
    """Collecting spends nothing: what its records are worth was settled when their owners randomised them."""
    if len(tables) > 1 or any(value is not None for value in workers.values()):
        raise click.UsageError("--method local takes one file of lines, and neither --jobs nor --dask", click.get_current_context())
    given = [name for name, value in numbers.items() if value is not None]
    if given or account is not None:
        raise click.UsageError(
            f"--method local takes no {given[0] if given else 'ledger'}: the records were randomised by their owners", click.get_current_context()
        )


def _collected(table: str, out: str, schema: "Schema", about: "About", *, overwrite: bool) -> "PublishedRelease":
    from discreet.releases import collect  # noqa: PLC0415

    try:
        with click.open_file(table, encoding="utf-8") as lines:
            return collect(lines, out, schema=schema, about=about, overwrite=overwrite)
    except FileFormatError as error:
        refusal: InvalidInput = FileFormatError(f"{table!r} cannot be collected: {error}")
    except (OSError, UnicodeDecodeError) as error:
        refusal = InvalidInput(f"{table!r} cannot be read ({type(error).__name__}). A file of lines from `discreet randomise` is needed.")
    raise refusal


def _report(made: "PublishedRelease", out: str, account: "Account | None", *, report_path: str | None, as_json: bool) -> None:
    """What left, what was spent, what is left, and what to do next."""
    from discreet.cli import words  # noqa: PLC0415

    with step("Checking the release"):
        verification = made.verify()
    certificate = made.certificate
    left, ledger = (None, None) if account is None else left_after(account, certificate.ledger_entry)
    document = {
        "command": "release",
        "release": out,
        **made.inspection_record(),
        "ledger": ledger,
        "noise": certificate.noise,
        "verification": verification.to_dict(),
        "report": report_path,
    }
    (_, what), (_, protected), (_, exposed), _ = made.inspection()
    lines = [
        f"Release      {what[0]}",
        f"Numbers      {what[1]}",
        *(f"{'Protects' if place == 0 else '':<13}{line}" for place, line in enumerate(protected)),
        *(f"{'Not' if place == 0 else '':<13}{line}" for place, line in enumerate(exposed)),
        *([] if left is None else [f"Left         {left}"]),
        f"Noise        {certificate.noise}",
        f"Certificate  {words.verdict(verification)}",
        f"Written to   {out}",
        *([] if report_path is None else [f"Report       {report_path}"]),
        "",
        f"Next: discreet inspect {out}, discreet verify {out}",
    ]
    answer(document, lines, as_json=as_json)
    if certificate.noise_private and certificate.guarantee.to_dict()["kind"] != "none":
        verification.require()
