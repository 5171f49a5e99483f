"""The words of shuffled rows."""

from discreet.core.fields import positive, whole
from discreet.queries import Rows, Target
from discreet.statements.base import Fields, Hypothesis, Record, Words, condition, optional, power_of_two, register_words, relation
from discreet.words.release import record_hypotheses, row_query

SHUFFLED_GAUSSIAN = "Gaussian noise on shuffled rows, on a grid (shuffled_rows.md)"
SHUFFLED_LAPLACE = "Laplace noise on shuffled rows, on a grid (shuffled_rows.md)"
ORDER = "the order of the rows"
_SHUFFLED: Fields = {
    "step": power_of_two,
    "scale": positive,
    "neighbours": relation,
    "epsilon": positive,
    "slots": optional(whole),
    "shuffled": whole,
}


@register_words("release-shuffled-gaussian-rows", parameters={**_SHUFFLED, "share": positive}, problem=None, apart=True)
def _gaussian(parameters: Record, problem: Record) -> Words:
    return Words(SHUFFLED_GAUSSIAN, _hypotheses(parameters, problem, "Gaussian"), unit=row_query(problem).read.unit, secret=(ORDER,))


@register_words("release-shuffled-laplace-rows", parameters=_SHUFFLED, problem=None, apart=True)
def _laplace(parameters: Record, problem: Record) -> Words:
    if not isinstance(row_query(problem), Rows):
        raise TypeError("problem: a query of plain rows is needed")
    return Words(SHUFFLED_LAPLACE, _hypotheses(parameters, problem, "Laplace"), unit=row_query(problem).read.unit, secret=(ORDER,))


def _hypotheses(parameters: Record, problem: Record, law: str) -> tuple[Hypothesis, ...]:
    read = row_query(problem).read
    if read.target is Target.CLEAR or (not read.in_order and parameters["slots"] is None):
        raise ValueError("problem: shuffled rows have no target in clear, and those of persons leave among slots")
    grid = condition(
        "each of {columns} numbers is released on the grid of step {step:.6g} plus a secret discrete {law} integer of scale {scale:.10g}, by the "
        "holder of the table",
        "a row is a function of its record to the last bit; noise is drawn without floating-point decisions",
        parameters,
        columns=row_query(problem).columns,
        law=law,
    )
    order = condition(
        "rows leave in a uniformly random order that nobody knows, and there are at least {shuffled} of them, a public number",
        "the order is drawn by the noise source inside the run and kept nowhere; smaller tables are refused",
        parameters,
    )
    return (*record_hypotheses(read, parameters), grid, order)
