"""What somebody should weigh before a run, and what would be refused: the warnings of command line and report.

They follow from public numbers, the header of the table and what is left in the ledger. Nothing is spent, reserved or drawn.
"""

from discreet.accounting import ApproximateDP, Guarantee, PureDP, Unit
from discreet.core.errors import DiscreetError, quoted
from discreet.core.neighbours import Neighbours
from discreet.data import Schema, read_header
from discreet.display.promise import cautions
from discreet.ledger import Account
from discreet.releases.methods import ALL_METHODS
from discreet.workbench.runs import Recipe
from discreet.workbench.tradeoff import Budget
from discreet.workbench.wire import Fields, Refused
from discreet.workbench.worth import worth


def foreseen(recipe: Recipe, schema: Schema | None, budget: Budget, given: Fields, *, records: int | None) -> dict[str, object]:
    """Sentences to weigh, those that say why the run would be refused, and facts about what it would be worth."""
    refusals: list[str] = []
    weighed = [_whose(schema)] if schema is not None and schema.persons is None else []
    said: list[list[str]] = []
    if schema is not None:
        wanted = schema.columns(target=True)
        absent = sorted(set(wanted) - set(read_header(recipe.table, schema.file)))
        refusals += [f"The table has no column {quoted(absent)} of the description."] if absent else []
    if recipe.job.spends:
        promised = _promised(budget, schema, recipe)
        weighed += cautions(promised, records)
        if recipe.ledger is None or recipe.data_set is None:
            weighed.append("No ledger: nothing adds this to other releases about the same people.")
        elif schema is not None:  # of a model's own schema nothing is known here
            refusals += _left(recipe.ledger, recipe.data_set, promised)
    if recipe.chosen in ALL_METHODS and given.text("--target") == "clear":  # of other jobs it is the name of a column
        weighed.append("The target column is released as it is: it is not protected.")
    if schema is not None:
        try:
            said = worth(schema, recipe.job.name, recipe.chosen, budget, given, records=records)
        except (DiscreetError, Refused) as error:
            refusals.append(str(error))
    return {"weighed": weighed, "refused": refusals, "said": said}


def _whose(schema: Schema) -> str:
    return f"Single rows of {schema.name!r} are protected: a person with several rows is protected less than these numbers say."


def _promised(budget: Budget, schema: Schema | None, recipe: Recipe) -> Guarantee:
    """What was asked for."""
    unit = Unit.PERSON if schema is not None and schema.persons is not None else Unit.RECORD
    neighbours = Neighbours(budget.neighbours)
    takes_delta = any(word.startswith("--delta=") for word in recipe.words)
    if budget.delta > 0 and takes_delta:
        return ApproximateDP(epsilon=budget.epsilon, delta_at_epsilon=budget.delta, neighbours=neighbours, unit=unit, theorem="as asked for")
    return PureDP(epsilon=budget.epsilon, neighbours=neighbours, unit=unit, theorem="as asked for")


def _left(ledger: str, data_set: str, promised: Guarantee) -> list[str]:
    """Why the ledger would refuse it, if it would."""
    try:
        Account(ledger, data_set).check_fits(promised)
    except DiscreetError as error:
        return [str(error)]
    return []
