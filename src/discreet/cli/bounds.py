"""`discreet bounds`: bounds for the numeric columns of a schema where nobody knows them, chosen from the records as a release of its own.

Everything that can fail without a record fails before one is read. After the release the budget is spent, so what was chosen is printed even where a
file cannot be written.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from discreet.cli.files import check_output, same_path, written
from discreet.cli.options import ARGUMENT, File, Hidden, Seed, command, noise_of
from discreet.cli.output import Outcome, step
from discreet.cli.spending import Spending, check_fits, receipt
from discreet.core.errors import InvalidInput


@dataclass(frozen=True, kw_only=True)
class _Bounds:
    table: Annotated[File, ARGUMENT]
    schema: Annotated[File, "The schema, with open bounds."]
    epsilon: Annotated[float, "Privacy loss that the choice may cost, > 0."]
    delta: Annotated[float, "Probability that the loss is exceeded."] = 0.0
    neighbours: Annotated[Hidden, "What is hidden, the content of one record or also whether it is there at all."] = "replace-one"
    grid: Annotated[Literal["one-two-five", "powers-of-two", "powers-of-ten"], "Candidates on both sides of 0, for columns that list none."] = (
        "one-two-five"
    )
    out: Annotated[File, "The finished schema to write."]
    certificate: Annotated[File | None, "The certificate to write; OUT.certificate.json if left out."] = None
    overwrite: Annotated[bool, "Replace these files where they exist."] = False
    spending: Spending
    seed: Seed = None


@command(
    "Choose bounds that nobody knows, privately.",
    "discreet bounds people.csv --schema draft.toml --epsilon 0.1 --delta 1e-6 --out people.toml",
    "discreet bounds people.csv --schema draft.toml --epsilon 0.2 --grid powers-of-two --out people.toml --json",
    "discreet bounds people.csv --schema draft.toml --epsilon 0.1 --out people.toml --ledger team.ledger --data-set people",
)
def bounds(given: _Bounds) -> Outcome:
    """Choose bounds for the open columns of a schema from the records of TABLE, privately.

    A numeric column is open where its lower and upper are left out, or are still the stub's placeholder. Bounds are chosen among public candidates,
    never taken from the records; it costs that much privacy, besides what a fit will cost. Records beyond the bounds are clipped later on.
    """
    with step("Checking what can be checked without the records"):
        from discreet.data import read_table
        from discreet.data.draft import SchemaDraft
        from discreet.mechanisms.bounds_choice.release import prepare_bounds, release_bounds

        draft = SchemaDraft.load(given.schema)
        certified = f"{given.out}.certificate.json" if given.certificate is None else given.certificate
        for path in (given.out, certified):
            check_output(path, given.table, given.schema, given.spending.ledger, overwrite=given.overwrite)
        if same_path(given.out, certified):
            raise InvalidInput("--out and --certificate name the same file. Give each its own.")
        prepared = prepare_bounds(draft, epsilon=given.epsilon, delta=given.delta, neighbours=given.neighbours, grid=given.grid)
        account = given.spending.account()
        check_fits(account, prepared.mechanism.guarantee(prepared.problem))
    noise = noise_of(given.seed)
    with step("Reading the table"):
        frame = read_table(given.table, draft.open)
    with step("Choosing bounds"):
        released = release_bounds(prepared, frame, noise, account=account)
        del frame
    text = "" if released.schema is None else released.schema.to_toml()
    document, paid = receipt(released.certificate, released.verify(), account)
    failure = written((certified, lambda: released.certificate.to_json() + "\n"), (given.out, lambda: text), overwrite=given.overwrite)
    width = max(map(len, released.bounds)) + 2
    following = [f"Written to   {given.out}, {certified}", "", f"Next: discreet fit TABLE --schema {given.out} --epsilon E --out MODEL"]
    return Outcome(
        document={**released.to_dict(), "schema": text, **document, "written": None if failure else [given.out, certified]},
        lines=[
            "Chosen among public candidates, with noise:",
            *(f"  {name:<{width}}{low:.10g} to {high:.10g}" for name, (low, high) in released.bounds.items()),
            "",
            *paid,
            *([] if failure else following),
        ],
        lost=[(failure, "The bounds above are complete.")],
    )
