"""`discreet intervals`: intervals for the coefficients of a model, from a release of its own on the records of the fit.

Everything that can fail without a record fails before one is read. After the release the budget is spent, so what was found is printed even where the
file cannot be written.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from discreet.cli.files import check_output, keep
from discreet.cli.options import ARGUMENT, Argument, File, Seed, command, noise_of
from discreet.cli.output import Outcome, labelled, step, table
from discreet.cli.spending import Spending, check_fits, receipt
from discreet.core.errors import InvalidInput

if TYPE_CHECKING:
    from discreet.estimators.interval_file import IntervalFile


@dataclass(frozen=True, kw_only=True)
class _Intervals:
    model: Annotated[File, Argument(metavar="MODEL")]
    table: Annotated[File, ARGUMENT]
    epsilon: Annotated[float, "Privacy loss that the intervals may cost, besides the model, > 0."]
    delta: Annotated[float, "Probability that the loss is exceeded, > 0."]
    level: Annotated[float, "How often each interval should cover."] = 0.95
    target: Annotated[Literal["penalised", "unpenalised"], "What to cover: the population's weights with the fit's penalty, or without any."] = (
        "penalised"
    )
    out: Annotated[File | None, "Write intervals and certificate to this JSON file."] = None
    overwrite: Annotated[bool, "Replace that file where it exists."] = False
    spending: Spending
    seed: Seed = None


@command(
    "Intervals for coefficients, privately.",
    "discreet intervals model.json people.csv --epsilon 0.5 --delta 1e-6",
    "discreet intervals model.json people.csv --epsilon 0.5 --delta 1e-6 --level 0.9 --out intervals.json",
    "discreet intervals model.json people.csv --epsilon 0.5 --delta 1e-6 --ledger team.ledger --data-set people",
)
def intervals(given: _Intervals) -> Outcome:
    """Release intervals for the coefficients of MODEL, which was fitted on TABLE.

    They count the noise of privacy and the sampling of records. That takes a second release from the same records, whose cost adds to the model's.
    TABLE needs the columns of the model's schema, the target's too; - is CSV on standard input.
    """
    with step("Checking what can be checked without the records"):
        from discreet.data import read_table
        from discreet.estimators.interval_file import IntervalFile
        from discreet.estimators.model import Model
        from discreet.estimators.uncertainty_release import measure_uncertainty, prepare_uncertainty, table_records

        if not 0 < given.level < 1:
            raise InvalidInput(f"--level lies between 0 and 1; {given.level!r} was given.")
        model = Model.load(given.model)
        prepared = prepare_uncertainty(model, epsilon=given.epsilon, delta=given.delta)
        check_output(given.out, given.table, given.model, given.spending.ledger, overwrite=given.overwrite)
        account = given.spending.account()
        check_fits(account, prepared.guarantee)
    noise = noise_of(given.seed)
    with step("Reading the table"):
        frame = read_table(given.table, model.schema.columns(target=True))
    with step("Releasing the curvature"):
        rows, signs = table_records(model, frame)
        del frame
        found = measure_uncertainty(prepared, rows, signs, None, noise, account=account, coding=model.schema.coding)
    held = IntervalFile(uncertainty=found, names=tuple(model.schema.feature_names), level=given.level, target=given.target)
    document, paid = receipt(held.certificate, held.verify(), account)
    if given.out is not None:
        keep(held, "interval file", given.out, overwrite=given.overwrite)
    return Outcome(
        document={**held.to_dict(), **document, "written": given.out}, lines=[*interval_lines(held), *paid, *labelled(("Written to", given.out))]
    )


def interval_lines(held: "IntervalFile") -> list[str]:
    """The intervals as a table, and what they are for."""
    width, references = max(len(name) for name, *_ in held.rows()) + 2, held.references
    cells = ((name, f"{middle:.4f}", f"{low:.4f}", f"{high:.4f}") for name, low, middle, high in held.rows())
    covered = f"{100 * held.level:g} % each; noise and sampling error together, for the {held.target} weights of the population"
    others = f"{', '.join(references)}: 0; the other categories of a column are relative to it" if references else None
    return [*table((-width, 12, 12, 12), ("", "estimate", "low", "high"), *cells), "", *labelled(("Intervals", covered), ("Reference", others))]
