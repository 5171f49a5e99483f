"""`discreet bounds`: bounds for the numeric columns of a schema where nobody knows them, chosen from the records as a release of its own.

Everything that can fail without a record fails before one is read. After the release the budget is spent, so what was chosen is printed even where a
file cannot be written.
"""

from typing import TYPE_CHECKING

import click

from discreet.cli.numbers import NUMBER
from discreet.cli.output import answer, examples, json_option, refuse, refuse_same_file, step, warn
from discreet.cli.spending import account_from, check_would_fit, ledger_options, left_after
from discreet.cli.training import warn_of_seed
from discreet.core.errors import DiscreetError, InvalidInput

if TYPE_CHECKING:
    from discreet.ledger import Account
    from discreet.mechanisms.bounds_choice import ReleasedBounds


@click.command(
    short_help="Choose bounds that nobody knows, privately.",
    epilog=examples(
        "discreet bounds people.csv --schema draft.toml --epsilon 0.1 --delta 1e-6 --out people.toml",
        "discreet bounds people.csv --schema draft.toml --epsilon 0.2 --grid powers-of-two --out people.toml --json",
        "discreet bounds people.csv --schema draft.toml --epsilon 0.1 --out people.toml --ledger team.ledger --data-set people",
    ),
)
@click.argument("table", type=click.Path())
@click.option("--schema", "schema_path", type=click.Path(), required=True, help="The schema, with open bounds.")
@click.option("--epsilon", type=NUMBER, required=True, help="Privacy loss that the choice may cost, > 0.")
@click.option("--delta", type=NUMBER, default=0.0, show_default=True, help="Probability that the loss is exceeded.")
@click.option(
    "--neighbours",
    type=click.Choice(["replace-one", "add-remove"]),
    default="replace-one",
    show_default=True,
    help="What is hidden, the content of one record or also whether it is there at all.",
)
@click.option(
    "--grid",
    type=click.Choice(["one-two-five", "powers-of-two", "powers-of-ten"]),
    default="one-two-five",
    show_default=True,
    help="Candidates on both sides of 0, for columns that list none.",
)
@click.option("--out", type=click.Path(), required=True, help="The finished schema to write.")
@click.option("--certificate", "certificate_path", type=click.Path(), help="The certificate to write; OUT.certificate.json if left out.")
@click.option("--overwrite", is_flag=True, help="Replace these files where they exist.")
@ledger_options
@click.option("--seed", type=int, help="Reproducible noise, for tests: the certificate is then not valid.")
@json_option
@click.pass_context
def bounds(  # noqa: PLR0913 - one argument an option
    context: click.Context,
    *,
    table: str,
    schema_path: str,
    epsilon: float,
    delta: float,
    neighbours: str,
    grid: str,
    out: str,
    certificate_path: str | None,
    overwrite: bool,
    ledger_path: str | None,
    data_set: str | None,
    part: str | None,
    seed: int | None,
    as_json: bool,
) -> None:
    """Choose bounds for the open columns of a schema from the records of TABLE, privately.

    A numeric column is open where its lower and upper are left out, or are still the stub's placeholder. Bounds are chosen among public candidates,
    never taken from the records; it costs that much privacy, besides what a fit will cost. Records beyond the bounds are clipped later on.
    """
    with step("Checking what can be checked without the records"):
        from discreet.core.files.whole_file import check_writable  # noqa: PLC0415
        from discreet.data import read_table  # noqa: PLC0415 - imports of the library wait until they are needed
        from discreet.data.draft import SchemaDraft  # noqa: PLC0415
        from discreet.mechanisms.bounds_choice.release import prepare_bounds, release_bounds  # noqa: PLC0415
        from discreet.noise import SeededNoise, SystemNoise  # noqa: PLC0415

        draft = SchemaDraft.load(schema_path)
        certificate_out = f"{out}.certificate.json" if certificate_path is None else certificate_path
        for path in (out, certificate_out):
            refuse_same_file(path, table, schema_path, *([] if ledger_path is None else [ledger_path]))
            check_writable(path, overwrite=overwrite)
        if out == certificate_out:
            raise InvalidInput("--out and --certificate name the same file. Give each its own.")
        prepared = prepare_bounds(draft, epsilon=epsilon, delta=delta, neighbours=neighbours, grid=grid)
        account = account_from(ledger_path, data_set, part)
        if account is not None:
            check_would_fit(account, prepared.mechanism.guarantee(prepared.grids))
    warn_of_seed(seed)
    with step("Reading the table"):
        frame = read_table(table, draft.open)
    with step("Choosing bounds"):
        released = release_bounds(prepared, frame, SystemNoise() if seed is None else SeededNoise(seed), account=account)
        del frame
    code = _report(released, out, certificate_out, account, overwrite=overwrite, as_json=as_json)
    if code != 0:
        context.exit(code)


def _report(released: "ReleasedBounds", out: str, certificate_out: str, account: "Account | None", *, overwrite: bool, as_json: bool) -> int:
    """Write both files; what was chosen, what it cost, what is left; the exit code."""
    from discreet.cli import words  # noqa: PLC0415
    from discreet.core.files.whole_file import write_whole  # noqa: PLC0415

    certificate, verification = released.certificate, released.verify()
    text = "" if released.schema is None else released.schema.to_toml()
    left, ledger = (None, None) if account is None else left_after(account, certificate.ledger_entry)
    failure: DiscreetError | None = None
    try:
        write_whole(certificate_out, certificate.to_json() + "\n", overwrite=overwrite)
        write_whole(out, text, overwrite=overwrite)
    except DiscreetError as error:
        failure = error
    document = {
        "command": "bounds",
        **released.to_dict(),
        "schema": text,
        "guarantee": words.budget(certificate),
        "ledger": ledger,
        "verification": verification.to_dict(),
        "written": None if failure else [out, certificate_out],
    }
    width = max(map(len, released.bounds)) + 2
    lines = [
        "Chosen among public candidates, with noise:",
        *(f"  {name:<{width}}{low:.10g} to {high:.10g}" for name, (low, high) in released.bounds.items()),
        "",
        f"Spent        {words.spent(certificate)}",
        *([] if left is None else [f"Left         {left}"]),
        f"Noise        {certificate.noise}",
        f"Certificate  {words.verdict(verification)}",
        *([] if failure else [f"Written to   {out}, {certificate_out}", "", f"Next: discreet fit TABLE --schema {out} --epsilon E --out MODEL"]),
    ]
    answer(document, lines, as_json=as_json)
    if failure is not None:
        if as_json:
            warn(f"{failure} The bounds above are complete.")
            return failure.exit_code
        return refuse(type(failure).__name__, f"{failure} The bounds above are complete.", as_json=False, code=failure.exit_code)
    return 0
