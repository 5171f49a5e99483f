"""What the rows of a person cost in a planned fit, and what keeping more of them gains; all numbers are public.

Three ways to the same (epsilon, delta) for one person of whom nobody has more than M rows that are kept, of P persons with N such rows in all:

    shared     the rows of a person share one record's weight: P records at (epsilon, delta), with the noise of persons (proof note persons.md)
    by groups  a fit on N rows at (epsilon / M, delta / (1 + e^(epsilon / M) + ... + e^((M - 1) epsilon / M))), from which `accounting.to_persons`
               makes (epsilon, delta)
    one row    one row of each person, drawn at random: P records at (epsilon, delta)

The noise that is compared is its median norm on the mean objective, at the lambda that each is planned with. By groups it is about M P / N times that
of one row a person: nothing is lost where everybody has M rows, M where nearly everybody has one. What is proved of the error does not change with
the way: rows of one person are no independent sample, so it is the number of persons that counts (note localised.md).
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.rounding import lowering
from discreet.core.validate import whole
from discreet.planning.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to protect persons with several rows, and what it costs."""

    name: str
    """shared, groups or one row."""
    records: int
    """That the fit counts: persons, or rows."""
    rows: int | None
    """That it sees; None where their number is not known."""
    epsilon: float
    """Of one record."""
    noise: float | None
    """None where no noise is enough."""

    def to_dict(self) -> dict[str, object]:
        """Plain dicts, lists and numbers, as JSON has them."""
        return asdict(self)


def rows_kept(counts: Mapping[int, int], rows: int) -> int:
    """How many rows are left where at most `rows` of each person are; counts[m] persons have m rows. Raises InvalidInput for what are no counts."""
    whole(rows, "rows_per_person")
    if not counts:
        raise InvalidInput("the counts of persons by their number of rows are empty. Give at least one.")
    for size, persons in counts.items():
        whole(size, "a number of rows")
        whole(persons, "a number of persons")
    return sum(min(size, rows) * persons for size, persons in counts.items())


def by_groups(plan: Plan) -> Plan:
    """The plan of a fit on single rows that promises to groups of `plan.rows_per_person` rows what `plan` promises to persons."""
    rows = plan.rows_per_person or 1
    epsilon = plan.epsilon / rows * lowering(8)
    failures = math.fsum(math.exp(min(700.0, step * epsilon)) for step in range(rows))
    return replace(plan, rows_per_person=None, epsilon=epsilon, delta=plan.delta / failures * lowering(8_192))


def ways_of(plan: Plan, persons: int, counts: Mapping[int, int] | None = None) -> tuple[Way, ...]:
    """The three ways for this many persons. `counts[m]` of them have m rows; without it `by groups` is given all M of each, which is the best for it.

    Raises InvalidInput where `plan` is not for persons.
    """
    if plan.rows_per_person is None:
        raise InvalidInput("the plan is for single rows. Pass rows_per_person, the largest number of rows kept per person.")
    kept = None if counts is None else round(persons * rows_kept(counts, plan.rows_per_person) / sum(counts.values()))
    return (
        _way("shared", plan, persons, kept),
        _way("groups", by_groups(plan), persons * plan.rows_per_person if kept is None else kept, kept),
        _way("one row", replace(plan, rows_per_person=1), persons, persons),
    )


def _way(name: str, plan: Plan, records: int, rows: int | None) -> Way:
    try:
        noise: float | None = plan.noise(records, plan.bound(records).ridge)
    except InfeasibleTarget:
        noise = None
    return Way(name=name, records=records, rows=rows, epsilon=plan.epsilon, noise=noise)
