"""The hypotheses that releases share, in words for certificates."""

from discreet.certificates import Hypothesis
from discreet.neighbours import ADD_REMOVE, Neighbours
from discreet.queries import Released, RowQuery, Target


def record_hypotheses(read: Released, neighbours: Neighbours, slots: int | None = None) -> tuple[Hypothesis, ...]:
    """Conditions on the records."""
    domain = read.domain
    if neighbours is ADD_REMOVE:
        how = "" if slots is None else f": {slots} rows, those that are no record's are zeros with noise, in a secret uniform order"
        counted = Hypothesis(required="the number of records may itself be secret", enforced=f"relation {neighbours}{how}")
    else:
        counted = Hypothesis(required="the number of records is public: neighbours have equally many", enforced=f"relation {neighbours}")
    bounds = [f"entries within +-{domain.entry_bound:.10g}"] if domain.entry_bound is not None else []
    bounds += [f"Euclidean norm at most {domain.norm_bound:.10g}"] if domain.norm_bound is not None else []
    bounds += [f"target within +-{domain.target_bound:.10g}"] if read.target is Target.NOISY else []
    clear = (
        (
            Hypothesis(
                required="targets need no protection: they are released as they are", enforced="by nothing; the unit is the features of a record"
            ),
        )
        if read.target is Target.CLEAR
        else ()
    )
    return (
        counted,
        Hypothesis(
            required=f"every record has {', '.join(bounds)}; the bounds are public and were not taken from the records",
            enforced="records are brought within the bounds one by one when the data set is built; where the bounds come from is the caller's word",
        ),
        *clear,
    )


def grid_hypothesis(query: RowQuery, neighbours: Neighbours, step: float, scale: float) -> Hypothesis:
    """The condition on arithmetic and noise."""
    return Hypothesis(
        required=f"computed rows of two records are at most {query.sensitivity(neighbours):.10g} apart; each number is released on the grid of step "
        f"{step:.6g} plus a secret discrete Gaussian integer of scale {scale:.10g}",
        enforced="a row is a function of its record to the last bit (integers in exact arithmetic); noise is drawn without floating-point decisions",
    )
