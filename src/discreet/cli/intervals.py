"""`discreet intervals`: intervals for the coefficients of a model, from a release of its own on the records of the fit.

Everything that can fail without a record fails before one is read. After the release the budget is spent, so what was found is printed even where the
file cannot be written.
"""

from typing import TYPE_CHECKING

import click

from discreet.cli.numbers import NUMBER
from discreet.cli.output import answer, examples, json_option, refuse_same_file, step
from discreet.cli.saving import save_or_show
from discreet.cli.spending import account_from, check_would_fit, ledger_options, left_after
from discreet.cli.training import warn_of_seed
from discreet.core.errors import InvalidInput

if TYPE_CHECKING:
    from discreet.estimators.interval_file import IntervalFile
    from discreet.estimators.model import Model
    from discreet.estimators.uncertainty import Uncertainty
    from discreet.ledger import Account


@click.command(
    short_help="Intervals for coefficients, privately.",
    epilog=examples(
        "discreet intervals model.json people.csv --epsilon 0.5 --delta 1e-6",
        "discreet intervals model.json people.csv --epsilon 0.5 --delta 1e-6 --level 0.9 --out intervals.json",
        "discreet intervals model.json people.csv --epsilon 0.5 --delta 1e-6 --ledger team.ledger --data-set people",
    ),
)
@click.argument("model_path", metavar="MODEL", type=click.Path())
@click.argument("table", type=click.Path())
@click.option("--epsilon", type=NUMBER, required=True, help="Privacy loss that the intervals may cost, besides the model, > 0.")
@click.option("--delta", type=NUMBER, required=True, help="Probability that the loss is exceeded, > 0.")
@click.option("--level", type=NUMBER, default=0.95, show_default=True, help="How often each interval should cover.")
@click.option(
    "--target",
    type=click.Choice(["penalised", "unpenalised"]),
    default="penalised",
    show_default=True,
    help="What to cover: the population's weights with the fit's penalty, or without any.",
)
@click.option("--out", type=click.Path(), help="Write intervals and certificate to this JSON file.")
@click.option("--overwrite", is_flag=True, help="Replace that file where it exists.")
@ledger_options
@click.option("--seed", type=int, help="Reproducible noise, for tests: the certificate is then not valid.")
@json_option
@click.pass_context
def intervals(  # noqa: PLR0913 - one argument an option
    context: click.Context,
    *,
    model_path: str,
    table: str,
    epsilon: float,
    delta: float,
    level: float,
    target: str,
    out: str | None,
    overwrite: bool,
    ledger_path: str | None,
    data_set: str | None,
    part: str | None,
    seed: int | None,
    as_json: bool,
) -> None:
    """Release intervals for the coefficients of MODEL, which was fitted on TABLE.

    They count the noise of privacy and the sampling of records. That takes a second release from the same records, whose cost adds to the model's.
    TABLE needs the columns of the model's schema, the target's too; - is CSV on standard input.
    """
    with step("Checking what can be checked without the records"):
        from discreet.core.files.whole_file import check_writable  # noqa: PLC0415
        from discreet.data import read_table  # noqa: PLC0415 - imports of the library wait until they are needed
        from discreet.estimators.model import Model  # noqa: PLC0415
        from discreet.estimators.uncertainty_release import measure_uncertainty, prepare_uncertainty, table_records  # noqa: PLC0415
        from discreet.noise import SeededNoise, SystemNoise  # noqa: PLC0415

        if not 0 < level < 1:
            raise InvalidInput(f"--level lies between 0 and 1; {level!r} was given.")
        model = Model.load(model_path)
        prepared = prepare_uncertainty(model, epsilon=epsilon, delta=delta)
        if out is not None:
            refuse_same_file(out, table, model_path, *([] if ledger_path is None else [ledger_path]))
            check_writable(out, overwrite=overwrite)
        account = account_from(ledger_path, data_set, part)
        if account is not None:
            check_would_fit(account, prepared.guarantee)
    warn_of_seed(seed)
    with step("Reading the table"):
        frame = read_table(table, model.schema.columns(target=True))
    with step("Releasing the curvature"):
        rows, signs = table_records(model, frame)
        del frame
        found = measure_uncertainty(
            prepared, rows, signs, None, SystemNoise() if seed is None else SeededNoise(seed), account=account, coding=model.schema.coding
        )
    code = _report(model, found, level, target, out, account, overwrite=overwrite, as_json=as_json)
    if code != 0:
        context.exit(code)


def _report(
    model: "Model", found: "Uncertainty", level: float, target: str, out: str | None, account: "Account | None", *, overwrite: bool, as_json: bool
) -> int:
    """What was found, what it cost, what is left; the exit code."""
    from discreet.cli import words  # noqa: PLC0415
    from discreet.estimators.interval_file import IntervalFile  # noqa: PLC0415

    held = IntervalFile(uncertainty=found, names=tuple(model.schema.feature_names), level=level, target=target)
    certificate, verification = held.certificate, held.verify()
    left, ledger = (None, None) if account is None else left_after(account, certificate.ledger_entry)
    if out is not None and (code := save_or_show(held, "interval file", out, overwrite=overwrite, as_json=as_json)) != 0:
        return code
    document = {
        "command": "intervals",
        **held.to_dict(),
        "guarantee": words.budget(certificate),
        "ledger": ledger,
        "verification": verification.to_dict(),
        "written": out,
    }
    lines = [
        *interval_lines(held),
        f"Spent        {words.spent(certificate)}",
        *([] if left is None else [f"Left         {left}"]),
        f"Noise        {certificate.noise}",
        f"Certificate  {words.verdict(verification)}",
        *([] if out is None else [f"Written to   {out}"]),
    ]
    answer(document, lines, as_json=as_json)
    return 0


def interval_lines(held: "IntervalFile") -> list[str]:
    """The intervals as a table, and what they are for."""
    table, references = held.rows(), held.references
    width = max(len(name) for name, *_ in table) + 2
    return [
        f"{'':<{width}}{'estimate':>12}{'low':>12}{'high':>12}",
        *(f"{name:<{width}}{middle:>12.4f}{low:>12.4f}{high:>12.4f}" for name, low, middle, high in table),
        "",
        f"Intervals    {100 * held.level:g} % each; noise and sampling error together, for the {held.target} weights of the population",
        *([f"Reference    {', '.join(references)}: 0; the other categories of a column are relative to it"] if references else []),
    ]
