"""A model on columns that are cut where their records are: cuts and fit in one go, under one guarantee and with one entry in a ledger.

    share of the budget -> noisy counts of all columns -> cuts -> the schema that has them -> a fit with the rest

Everything but the noise is settled before a record counts: the noise of the counts, what the fit promises on so many features, and what both promise
together (mechanisms/selection/then_fit.py). The total is reserved, then the counts are drawn, then the fit. What fails afterwards has been paid for.

Persons, where the schema tells them apart. Which of their rows are kept is drawn for the counts, and anew by the fit: two draws, independent of each
other and of the records, each the business of its own release (cuts.md).
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from discreet.certificates import Certificate
from discreet.core.arrays import is_finite
from discreet.core.errors import InvalidInput, InvalidType, VerificationFailure
from discreet.core.frameless import frameless
from discreet.core.neighbours import ADD_REMOVE, Persons, Privacy
from discreet.core.short import short_repr
from discreet.core.validate import job_count
from discreet.data import BlockTable, EncodedTable, NumberTargets, Schema, Target, TimeTarget
from discreet.data.frames import Frame
from discreet.data.labels import label_array
from discreet.estimators.advice import advise
from discreet.estimators.door.private_estimator import PrivateModel, account_of
from discreet.estimators.search.methods import fit_seed
from discreet.estimators.two_part.fit_with_calibration import fit_with_calibration, require_calibrated_table, settled
from discreet.ledger import current, spending_on, without_ledger
from discreet.mechanisms.base import as_planned, certified
from discreet.mechanisms.cuts import ReleasedCuts
from discreet.mechanisms.cuts.choose import public_cuts
from discreet.mechanisms.cuts.columns import (
    Opened,
    Whose,
    columns_to_cut,
    counting_schema,
    counts_of,
    cut_schema,
    known_content,
    known_schema,
    uncut_schema,
    whose_rows,
)
from discreet.mechanisms.cuts.release import CutsPlan
from discreet.mechanisms.scores import Shrinkage
from discreet.mechanisms.selection import SHARE, ThenFit
from discreet.statements.base import CUTS_THEN_FIT, by_schema

_NOT_PLANNED = "the certificate of the fit differs from the one planned from public parameters. Nothing was released."


@dataclass(frozen=True, slots=True, kw_only=True)
class CutFit:
    """The result; public."""

    model: Any
    """Fitted; its certificate states what cuts and fit promise together."""
    schema: Schema
    """With the cuts; it encodes what the model predicts for."""
    cuts: ReleasedCuts | None
    """None where public numbers say that cuts do not pay: public curves have nothing to hide, and the fit has the whole budget."""
    shrinkage: Shrinkage | None = None
    """Of a calibrated fit: see `CalibratedFit`."""

    __repr__ = short_repr


@frameless
def fit_with_cuts(
    estimator: PrivateModel,
    records: Frame | Opened,
    schema: Schema,
    *,
    share: float = SHARE,
    columns: list[str] | None = None,
    calibrate: bool = False,
) -> CutFit:
    """Choose cuts for the numeric columns of `schema` where the records lie, and fit a copy of `estimator` on them; its epsilon and delta cover both.

    `records` are as for `Schema.encode`, or a function from a schema to an EncodedTable or a BlockTable of the same records; `share` is the part of
    mu^2 (of epsilon if delta = 0) for the cuts; `columns` names the columns to cut, by default all numeric ones that the schema does not cut;
    `calibrate`: whether the rest is for a calibrated fit (`fit_with_calibration`). The estimator's data_norm and classes are those of the schema.
    Raises InvalidInput and InfeasibleTarget before anything is spent, BudgetExceeded before noise is drawn, and what a fit raises, after spending.
    """
    if (
        not isinstance(estimator, PrivateModel)
        or "data_norm" not in estimator.get_params(deep=False)
        or not callable(getattr(estimator, "plan", None))
    ):
        raise InvalidType("private cuts need a linear model whose guarantee is known before the fit, such as LinearSVC.")
    privacy = estimator._privacy()  # noqa: SLF001 - of this package
    if not is_finite(privacy.epsilon):
        raise InvalidInput("epsilon must be finite; without privacy, choose the cuts yourself.")
    opened = records if callable(records) else lambda one: one.encode(records, target=True)
    intervals = columns_to_cut(schema, columns)
    if estimator.get_params(deep=False).get("prior") is not None:
        raise InvalidInput("a prior needs known features, and private cuts decide what the features are: leave out either the prior or the cuts.")
    public = cut_schema(schema, {column.name: public_cuts(column.lower, column.upper) for column in intervals})
    copy, noise, account = _Copy(estimator, public, calibrate=calibrate), estimator._noise(), account_of(estimator.ledger)  # noqa: SLF001
    counting = counting_schema(schema, intervals)
    counted = opened(counting)
    in_blocks = isinstance(counted, BlockTable)
    copy.require(privacy, counted)
    jobs = job_count(estimator.n_jobs)
    whose = whose_rows(counted, noise, rows_per_person=estimator.rows_per_person, person_weight=estimator.person_weight, jobs=jobs)
    copy.rule = whose.rule
    known = None if privacy.neighbours is ADD_REMOVE else _records(whose, jobs)

    def planned(epsilon: float, delta: float) -> Certificate:
        return copy.planned(replace(privacy, epsilon=epsilon, delta=delta), records=known, in_blocks=in_blocks)

    plan = partial(CutsPlan.calibrate, intervals, neighbours=privacy.neighbours, persons=whose.rule)
    both = ThenFit.calibrate(CUTS_THEN_FIT, plan, epsilon=privacy.epsilon, delta=privacy.delta, share=share, planned=planned)
    if not both.choice.pays(known if privacy.neighbours is not ADD_REMOVE else estimator.public_records):
        uncut = uncut_schema(schema, [column.name for column in intervals])
        alone = _Copy(estimator, uncut, whose.rule, calibrate=calibrate)
        promised = alone.planned(privacy, records=known, in_blocks=in_blocks)
        content = None if in_blocks else known_content(opened, schema)
        with spending_on(account, promised.guarantee, purpose=promised.mechanism, table=content) as reservation, without_ledger():
            model, shrinkage = alone.fitted(opened(uncut), privacy.epsilon, privacy.delta, seed=fit_seed(noise))
        if model.certificate_.guarantee != promised.guarantee:
            raise VerificationFailure(_NOT_PLANNED)
        entry = None if reservation is None else reservation.id
        model.certificate_ = replace(model.certificate_, declared=by_schema(model.certificate_.declared), ledger_entry=entry)
        return CutFit(model=model, schema=uncut, cuts=None, shrinkage=shrinkage)
    content = None
    if not isinstance(counted, BlockTable):
        every = opened(known_schema(schema))  # a cell that the schema does not cover is found before anything is spent
        content = every.content() if isinstance(every, EncodedTable) else None
    answer = counts_of(whose, counting, both.choice.cells, jobs=jobs)
    with spending_on(account, both.guarantee, purpose=both.name, table=content) as reservation, without_ledger():
        cuts = both.choice.release(answer, noise)
        final = cut_schema(schema, cuts.cuts)
        model, shrinkage = copy.fitted(opened(final), *both.target, seed=fit_seed(noise))
    fit: Certificate = model.certificate_
    if not as_planned(fit, both.fit):
        raise VerificationFailure(_NOT_PLANNED)
    entry = None if reservation is None else reservation.id
    issued = certified(
        both.name,
        both.parameters(fit),
        dict(fit.problem),
        both.guarantee,
        fit.digest,
        noise.description,
        noise_private=noise.private and fit.noise_private,
    )
    declared = dict.fromkeys((*issued.declared, *by_schema(fit.declared)))
    model.certificate_ = replace(issued, declared=tuple(declared), ledger_entry=entry)
    return CutFit(model=model, schema=final, cuts=cuts, shrinkage=shrinkage)


class _Copy:
    """Copies of an estimator for rows of a schema."""

    def __init__(self, estimator: PrivateModel, schema: Schema, rule: Persons | None = None, *, calibrate: bool = False) -> None:
        self.estimator = estimator
        self.schema = schema
        self.rule = rule
        self.calibrate = calibrate
        self.known = estimator.get_params(deep=False)
        self.classes = len(schema.target.classes) if isinstance(schema.target, Target) else 0

    def made(self, epsilon: float, delta: float, *, seed: int | None) -> Any:
        """An unfitted one for this target, without a ledger of its own."""
        fixed: dict[str, Any] = {"data_norm": self.schema.norm_bound}
        if isinstance(self.schema.target, Target):
            fixed["classes"] = label_array(self.schema.target.classes).tolist()
        if isinstance(self.schema.target, TimeTarget):
            fixed["ends"] = self.schema.target.ends
        if self.calibrate:
            fixed["records_share"] = 0.0  # as fit_with_calibration has it, which is what is planned
        return self.estimator.with_share(epsilon, delta, seed=seed, rule=self.rule, **fixed)

    def require(self, privacy: Privacy, table: EncodedTable | BlockTable) -> None:
        """Raise InvalidType or InvalidInput for what cannot be calibrated, where it is to be; and say what is legal and tells more than it seems."""
        counted, seeded = account_of(self.estimator.ledger) is not None or current() is not None, self.estimator.random_state is not None
        advise(self.estimator, table, privacy=privacy, records=None, encoded=True, on_a_ledger=counted, seeded=seeded)
        if self.calibrate:
            require_calibrated_table(self.made(privacy.epsilon, privacy.delta, seed=0), table)

    def fitted(self, table: EncodedTable | BlockTable, epsilon: float, delta: float, *, seed: int | None) -> tuple[Any, Shrinkage | None]:
        """One that was fitted, and how it was calibrated."""
        made = self.made(epsilon, delta, seed=seed)
        if not self.calibrate:
            return made.fit(table), None
        found = fit_with_calibration(made, table)
        return found.model, found.shrinkage

    def planned(self, privacy: Privacy, *, records: int | None, in_blocks: bool) -> Certificate:
        """What it would promise."""

        def of_fit(epsilon: float, delta: float) -> Certificate:
            return self._planned(epsilon, delta, records=records, in_blocks=in_blocks)

        return settled(privacy, self.rule, of_fit, classes=self.classes).planned if self.calibrate else of_fit(privacy.epsilon, privacy.delta)

    def _planned(self, epsilon: float, delta: float, *, records: int | None, in_blocks: bool) -> Certificate:
        more: dict[str, Any] = {"weighted": True} if in_blocks and self.known.get("max_sample_weight") is not None else {}
        if self.rule is not None and self.rule.told_apart:
            more["told_apart"] = True
        if isinstance(self.schema.target, NumberTargets):
            more["targets"] = len(self.schema.target.parts)
        certificate: Certificate = self.made(epsilon, delta, seed=0).plan(features=self.schema.features, records=records, **more)
        return certificate


def _records(whose: Whose, jobs: int) -> int:
    """Of persons, where they are told apart."""
    table = whose.table
    if whose.persons is not None:
        return whose.persons
    if isinstance(table, EncodedTable):
        return table.rows.shape[0]
    return sum(table.map(lambda _, block: block.rows.shape[0], jobs))
