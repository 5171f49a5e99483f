"""The words of released second moments."""

from discreet.core.fields import positive
from discreet.core.neighbours import REPLACE_ONE
from discreet.statements.base import Fields, Record, Words, condition, power_of_two, register_words, relation, relation_of
from discreet.words.learning import GAUSSIAN_GRID
from discreet.words.release import moments_query, record_hypotheses

GAUSSIAN_MOMENTS = "Gaussian noise on second moments, exact integers (moments.md)"
MOMENTS: Fields = {"moment_noise": positive, "step": power_of_two, "neighbours": relation, "epsilon": positive}


@register_words("release-gaussian-moments", parameters=MOMENTS, problem=None, shared=True)
def _moments(parameters: Record, problem: Record) -> Words:
    query = moments_query(problem, counted=True)
    if parameters["step"] != query.unit / max(1.0, query.constant**2):
        raise ValueError("parameters: 'step' is the grid of the second moments")
    known = "; their number, which neighbours share, has none" * (relation_of(parameters) is REPLACE_ONE and query.read.in_order)
    exact = condition(
        "sums over at most {query.most_records} records, of products of their numbers and of a constant {query.constant:.10g}, are exact",
        "integer sums of products: every number is rounded towards zero to a multiple of {query.unit:.10g}, record by record",
        query=query,
    )
    noise = condition(
        "every sum has a secret integer in units of {square:.10g}, {law}, of deviation {diagonal:.10g} for squares, {off:.10g} for others{known}",
        "integers drawn without floating-point decisions; in Frobenius norm, squared, a record is at most {bound:.10g}, and two are twice that apart",
        law=GAUSSIAN_GRID,
        square=query.unit**2,
        diagonal=positive(parameters["moment_noise"]) * (query.norm / query.unit) ** 2,
        off=positive(parameters["moment_noise"]) * (query.norm / query.unit) ** 2 / 2.0**0.5,
        bound=query.norm**4,
        known=known,
    )
    return Words(GAUSSIAN_MOMENTS, (*record_hypotheses(query.read, parameters), exact, noise))
