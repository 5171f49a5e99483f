"""`describe`: counts, means, deviations, quantiles, histograms and tables of a table with a schema, for one budget.

    description = describe(table, schema, epsilon=1.0, delta=1e-6, by="sex")

One query (mechanisms/counting/summaries.py) asks for all of it, so that one noise pays for everything: with c columns the noise on each is about
sqrt(c) that of a single one, and groups cost nothing more. Everything else is computed from the noisy integers.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from discreet.accounting import Guarantee, gaussian_mu
from discreet.core.errors import InvalidInput
from discreet.core.frameless import frameless
from discreet.core.neighbours import ADD_REMOVE, DELTA, REPLACE_ONE, Neighbours, neighbours_of
from discreet.core.validate import job_count, number, small_delta
from discreet.data import EncodedTable, Schema
from discreet.data.frames import Frame
from discreet.descriptions.asked import QUARTILES, Asked
from discreet.descriptions.outlook import DescriptionOutlook
from discreet.descriptions.read import read_description
from discreet.descriptions.records import counted, plain_schema
from discreet.descriptions.report import Description
from discreet.evaluation.intervals import checked_level
from discreet.ledger import Account
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.bounds_choice.release import noise_of
from discreet.mechanisms.counting import CountingMechanism, least_noise
from discreet.mechanisms.cuts.columns import Opened, known_content, whose_rows
from discreet.mechanisms.cuts.grid import equal_steps
from discreet.noise import Integers, Noise


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """Everything except the records; public."""

    asked: Asked
    mechanism: CountingMechanism
    level: float

    @property
    def guarantee(self) -> Guarantee:
        """The cost of the description."""
        return self.mechanism.guarantee(self.asked.queries)

    def outlook(self, records: int | None = None) -> DescriptionOutlook:
        """What it will be worth; `records` is their number, where it is public."""
        return DescriptionOutlook.of(self.asked, self.mechanism, records)


def prepare_description(  # noqa: PLR0913 - each is a public choice
    schema: Schema,
    *,
    epsilon: float,
    delta: float = DELTA,
    neighbours: Neighbours | str = REPLACE_ONE,
    columns: Sequence[str] | None = None,
    by: str | None = None,
    pairs: Sequence[tuple[str, str]] = (),
    quantiles: Sequence[float] = QUARTILES,
    whole: Sequence[str] = (),
    level: float = 0.95,
) -> Prepared:
    """Everything about `describe` that needs no records, including its guarantee; raises the same errors about its arguments."""
    checked_level(level)
    relation, epsilon, delta = neighbours_of(neighbours), number(epsilon, "epsilon"), number(delta, "delta")
    small_delta(delta)
    if not (math.isfinite(epsilon) and epsilon > 0):
        raise InvalidInput(f"epsilon must be positive and finite; {epsilon!r} was given.")
    coarse = Asked(
        schema=schema,
        neighbours=relation,
        columns=None if columns is None else tuple(columns),
        by=by,
        pairs=tuple((first, second) for first, second in pairs),
        quantiles=tuple(number(share, "a quantile") for share in quantiles),
        whole=tuple(whole),
        steps=64,
    )
    # About the deviation of the noise on a column of counts: fine cells are as fine as it allows.
    moved = len(coarse.described) + len(coarse.numbers) + len(coarse.pairs)
    moved *= 1 if relation is ADD_REMOVE else 2
    deviation = moved * math.sqrt(2.0) / epsilon
    deviation = min(deviation, math.sqrt(moved) / gaussian_mu(epsilon, delta)) if delta > 0 else deviation
    asked = Asked.from_dict(schema, relation, {**coarse.to_dict(), "steps": equal_steps(deviation)})
    mechanism = least_noise(asked.queries, epsilon=epsilon, delta=delta, neighbours=relation)
    return Prepared(asked=asked, mechanism=mechanism, level=float(level))


@frameless
def describe(  # noqa: PLR0913 - each is a public choice
    records: Frame | Opened,
    schema: Schema,
    *,
    epsilon: float,
    delta: float = DELTA,
    neighbours: Neighbours | str = REPLACE_ONE,
    columns: Sequence[str] | None = None,
    by: str | None = None,
    pairs: Sequence[tuple[str, str]] = (),
    quantiles: Sequence[float] = QUARTILES,
    whole: Sequence[str] = (),
    level: float = 0.95,
    account: Account | None = None,
    random_state: int | None = None,
    n_jobs: int | None = None,
) -> Description:
    """Release a description of private records at a cost of (epsilon, delta): a table for a paper, with the numbers behind it.

    `records` are as for `Schema.encode`, or a function from a schema to an EncodedTable or a BlockTable of the same records. For numbers and dates
    the description has mean, standard deviation, quantiles and a histogram; for categories counts and shares; for `pairs` of categorical columns
    their tables. `columns` None means all columns of the schema, including the target. With `by`, a categorical column, it also has all of that for
    each of the column's groups, at no further cost; the groups are those of the schema. `whole` names columns that you know, without looking at the
    records, to be whole numbers: their quantiles are whole. `level` is the level of each interval separately. Intervals include noise and sampling
    error; those of counts, which are about these records, include only the noise. Counts are integers, at least 0, and consistent: they add up
    wherever the same records are counted.

    If the schema has a person column, the unit is a person. `account` is the account to charge; None charges the ledger in use. `random_state` None
    draws noise from the operating system; a seed makes the certificate invalid. Raises InvalidInput or SchemaError, before anything is spent, if the
    columns cannot be described, and BudgetExceeded before noise is drawn. No message contains a value of the table.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet import Schema, describe
    >>> from discreet.data import NumericColumn, Target
    >>> age, pay = NumericColumn(name="age", lower=0, upper=100), Target(column="pay", classes=("low", "high"))
    >>> schema = Schema(name="people", target=pay, numeric=(age,))
    >>> found = describe({"age": np.tile([20.0, 60.0], 5_000), "pay": ["low", "high"] * 5_000}, schema, epsilon=1.0, delta=1e-6)
    >>> round(found.whole.numbers["age"].mean.value)
    40
    """
    prepared = prepare_description(
        schema,
        epsilon=epsilon,
        delta=delta,
        neighbours=neighbours,
        columns=columns,
        by=by,
        pairs=pairs,
        quantiles=quantiles,
        whole=whole,
        level=level,
    )
    return describe_prepared(prepared, records, noise_of(random_state), account=account, jobs=job_count(n_jobs))


@frameless
def describe_prepared(prepared: Prepared, records: Frame | Opened, noise: Noise, *, account: Account | None = None, jobs: int = 1) -> Description:
    """Spend, release, and read the description from what was released."""
    asked = prepared.asked
    plain = plain_schema(asked)
    table = records(plain) if callable(records) else plain.encode(records, target=True)
    whose = whose_rows(table, noise, rows_per_person=None, person_weight="person", jobs=jobs)
    if whose.rule != asked.persons:
        raise InvalidInput("the schema and the table disagree about person ids. Encode the table with the schema that you pass.")
    found = counted(asked, plain, whose, jobs=jobs)
    if found.records == 0 and asked.public_total:
        raise InvalidInput("there are no records; under replace-one at least one is needed.")
    whole = len(plain.layout.own) == len(asked.schema.layout.own)
    opened = records if callable(records) else lambda one: one.encode(records, target=True)
    content = known_content(opened, asked.schema) if isinstance(table, EncodedTable) and whole else None
    answers: Numbers[Sequence[Integers]] = Numbers((found.answer,), content, records=found.records if asked.public_total else None)
    release = prepared.mechanism.run(asked.queries, answers, noise, account=account)
    return read_description(asked, prepared.mechanism, release, answers.records, level=prepared.level)
