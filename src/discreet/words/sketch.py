"""The words of released sketches."""

import math
from typing import NamedTuple

from discreet.accounting import Unit
from discreet.core.fields import finite, not_negative, positive, whole
from discreet.core.rounding import raising
from discreet.queries import SecondMoments
from discreet.statements.base import Fields, Hypothesis, Record, Words, condition, power_of_two, read_fields, register_words, relation
from discreet.words.learning import GAUSSIAN_GRID
from discreet.words.release import entry_hypotheses, moments_query, record_hypotheses

GAUSSIAN_SKETCH = "Gaussian sketch, exact chi-square curve (sketch.md)"
EIGENVALUE_SKETCH = "Gaussian sketch with a private least eigenvalue (sketch.md)"
INFORMATION_SKETCH = "Gaussian sketch, bits about an entry (sketch.md)"
CLEAR_TARGET_SKETCH = "Gaussian sketch with targets in clear, bits about an entry of the features (sketch.md)"
PUBLISHED_SKETCH = (
    "as printed (Showkatbakhsh et al. 2018, eq. 13) this release claims a bound of bits about each entry. The noise was set from the records "
    "themselves, and columns that nearly repeat each other, or a target that the columns predict, let anybody read single entries off the release. "
    "Nothing is promised"
)
SECRET = ("the sketching matrix",)
"""What must stay secret besides the noise."""

_GRID: Fields = {"rows": whole, "variance": positive, "step": power_of_two, "scale": positive, "neighbours": relation}
SKETCH: Fields = {**_GRID, "epsilon": positive, "last_epsilon": positive, "least_eigenvalue": not_negative}


class Errors(NamedTuple):
    """What arithmetic costs a sketch, by the formulas of sketch.md, section 3; in units of q or q^2."""

    eta: float
    closeness: float
    radius: float


def errors_of(rows: int, columns: int, trace: float, floor: float) -> Errors:
    """Of a sketch of a matrix of this trace whose eigenvalues are at least `floor`."""
    eta = 12.0 * (columns + 3) * 2.0**-53 * trace / floor
    size, share = rows * columns, eta / (1.0 - eta)
    radius = 1.02 * 37.0 * math.sqrt(size * trace) * (2.0**-48 + (columns + 4) * 2.0**-53)
    return Errors(eta, share * (math.sqrt(100.0 * size) + 100.0) + 0.5 * size * share**2, radius)


def trace_of(query: SecondMoments, variance: float) -> float:
    """The largest trace of the second moments with noise, in units of q^2."""
    return (query.most_records * (query.norm / query.unit) ** 2 + query.columns * variance) * raising(4_096)


def credit_of(query: SecondMoments, least: float) -> float:
    """What a declared least eigenvalue is worth, in units of q^2, every number having been rounded towards zero by less than q."""
    return max(math.sqrt(least) / query.unit - math.sqrt(query.most_records * query.columns), 0.0) ** 2 if least > 0 else 0.0


_EXACT = "integer sums of products in exact arithmetic; the factor is multiplied out and compared, and the release fails otherwise"


def _law(parameters: Record, query: SecondMoments, variance: float, credit: float = 0.0) -> tuple[Hypothesis, ...]:
    """The conditions on the law of the sketch and on arithmetic."""
    errors = errors_of(whole(parameters["rows"]), query.columns, trace_of(query, variance), variance + credit)
    return (
        condition(
            "rows are independent N(0, second moments + noise), every record of norm at most {query.norm:.10g}; random numbers stay secret",
            "drawn by the noise source anew; noise is on all columns, and its size depends on public and released numbers only",
            query=query,
        ),
        condition(
            "the second moments are exact, of at most {query.most_records} records; its factor's error is below {errors.eta:.2g}",
            _EXACT,
            query=query,
            errors=errors,
        ),
    )


def _last_stage(query: SecondMoments, parameters: Record, why: str) -> Hypothesis:
    return condition(
        "{rows} rows with noise of variance {variance:.17g} q^2, q = {unit:.10g}, are released on the grid of step {gap:.6g} plus {law}, scale "
        "{scale:.10g}" + (", for {last_epsilon:.17g} of epsilon" if "last_epsilon" in parameters else ""),
        why,
        parameters,
        unit=query.unit,
        gap=positive(parameters["step"]) * query.unit,
        law=GAUSSIAN_GRID,
    )


_COVERED = "integers drawn without floating-point decisions; their scale covers the distance of the computed sketch from an ideal one"
_IN_BITS = "the last stage's bits are counted: the computed sketch is surely within a public distance of an ideal one"


def sketch_words(parameters: Record, query: SecondMoments) -> Words:
    """Of a sketch with a public floor."""
    least = not_negative(parameters["least_eigenvalue"])
    declared = () if least == 0 else (f"the second moments of every admissible table, without any one record, have no eigenvalue below {least:.10g}",)
    law = _law(parameters, query, positive(parameters["variance"]), credit_of(query, least))
    hypotheses = (*record_hypotheses(query.read, parameters), *law, _last_stage(query, parameters, _COVERED))
    return Words(GAUSSIAN_SKETCH, hypotheses, declared, secret=SECRET)


@register_words("release-gaussian-sketch", parameters=SKETCH, problem=None, shared=True)
def _sketch(parameters: Record, problem: Record) -> Words:
    return sketch_words(parameters, moments_query(problem))


_EIGENVALUE: Fields = {
    **_GRID,
    "variance": not_negative,
    "floor": positive,
    "eigenvalue_step": power_of_two,
    "eigenvalue_scale": positive,
    "quantile": whole,
    "epsilon": positive,
    "last_epsilon": positive,
    "noisy_eigenvalue": finite,
}


@register_words("release-eigenvalue-sketch", parameters=None, problem=None, shared=True)
def _eigenvalue(parameters: Record, problem: Record) -> Words:
    # Certificates made when epsilons and deltas of both parts were added up say how much of epsilon the eigenvalue had.
    summed = "eigenvalue_epsilon" in parameters
    read_fields("parameters", parameters, {**_EIGENVALUE, "eigenvalue_epsilon": positive} if summed else _EIGENVALUE)
    query, floor = moments_query(problem), positive(parameters["floor"])
    computed = condition(
        "the least eigenvalue is computed within {error:.3g}",
        "eigenvectors are multiplied out and compared, and the release fails otherwise",
        error=200.0 * (query.columns + 3) * 2.0**-53 * trace_of(query, floor) * query.unit**2,
    )
    released = condition(
        "the eigenvalue is released in steps of {eigenvalue_step:.6g} plus {law}, scale {eigenvalue_scale:.10g}, "
        + ("for {eigenvalue_epsilon:.17g} of epsilon" if summed else "its loss composed with the sketch's")
        + "; it came out as {noisy_eigenvalue:.17g}, "
        "which less {quantile} raises a floor of {floor:.17g}; sigma^2 follows from it alone",
        "integers drawn without floating-point decisions; the certificate's variance is a function of its eigenvalue",
        parameters,
        law=GAUSSIAN_GRID,
    )
    hypotheses = (*record_hypotheses(query.read, parameters), *_law(parameters, query, floor), computed, released)
    return Words(EIGENVALUE_SKETCH, (*hypotheses, _last_stage(query, parameters, _COVERED)), secret=SECRET)


@register_words("release-information-sketch", parameters=_GRID, problem=None)
def _information(parameters: Record, problem: Record) -> Words:
    query = moments_query(problem)
    law = _law(parameters, query, positive(parameters["variance"]))
    hypotheses = (*entry_hypotheses(query, parameters), *law, _last_stage(query, parameters, _IN_BITS))
    return Words(INFORMATION_SKETCH, hypotheses, unit=Unit.ENTRY, secret=SECRET)


@register_words("release-clear-target-sketch", parameters=_GRID, problem=None)
def _clear_target(parameters: Record, problem: Record) -> Words:
    query = moments_query(problem)
    clear = condition("targets need no protection", "by nothing: they are sketched without noise, and count as known")
    exact = condition(
        "the second moments are exact, of at most {query.most_records} records; noise does not depend on the records", _EXACT, query=query
    )
    hypotheses = (*entry_hypotheses(query, parameters), clear, exact, _last_stage(query, parameters, _IN_BITS))
    return Words(CLEAR_TARGET_SKETCH, hypotheses, ("the targets of all records",), unit=Unit.ENTRY)


@register_words("release-published-sketch", parameters=None, problem=None)
def _published(parameters: Record, problem: Record) -> Words:
    needed = condition("columns and target do not predict each other", "by nothing")
    return Words(PUBLISHED_SKETCH, (*entry_hypotheses(moments_query(problem), parameters), needed))
