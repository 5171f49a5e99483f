"""The two searches over private fits: what to reserve, then the fits, then the choice.

The fits spend nothing themselves, and their promises are known before they see a record.

What an estimator promises depends on public numbers only: its parameters, the shape of the table, the classes. So the certificate of a fit is known
beforehand, in everything but digest and identifiers (`plan` of an estimator), and a fit whose certificate differs from the one planned raises: then
something would be learnt from the records outside of the mechanism.

Fits of a small table in memory are spread over threads, those of a long one and of a table in blocks follow each other, and spread its blocks.

Random stopping (mechanisms/selection/stopping.md): a secret number of fits on all records, the best by a noisy score.

Algorithm 4 of Chaudhuri, Monteleoni, Sarwate (2011; mechanisms/selection/exponential.md): cut the records into m + 1 parts; fit setting i on part i;
choose one by its mistakes on the last part. Parts share no record, so fits and choice spend the whole epsilon each.

Which part a record goes to is decided without looking at it: by a random order of row numbers under replace-one, where n is public, and by a die of
its own under add-remove, where equal portions would move other records when one is added. Of a table in blocks, the order is one of each block.
"""

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Integral
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from discreet.accounting import ApproximateDP, Guarantee, Json, PureDP, Unit, parallel
from discreet.accounting.base import scope, together
from discreet.accounting.stopping import NegativeBinomialRuns
from discreet.certificates import Certificate
from discreet.core.advice import caller, mostly_noise
from discreet.core.errors import InfeasibleTarget, InvalidInput, PrivacyAdvice, SolverFailure, VerificationFailure
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours, Persons, Privacy
from discreet.core.workers import map_in_order
from discreet.estimators.door.fit_with_norm import require_declared
from discreet.estimators.door.private_estimator import PrivateModel
from discreet.estimators.inputs import require_target_bound
from discreet.estimators.search.tables import Scoring, SearchTable
from discreet.kernels import fresh_public_seed
from discreet.ledger import Account, Reservation, spending_on, without_ledger
from discreet.mechanisms.base import as_planned, certified
from discreet.mechanisms.selection import ALGORITHM_4, Candidates, CountNoise, ExponentialMechanism, InnerTarget, calibrated, whole_curve
from discreet.noise import Noise

SET_BY_THE_SEARCH = (
    "epsilon",
    "delta",
    "neighbours",
    "ledger",
    "random_state",
    "classes",
    "ends",
    "public_records",
    "rows_per_person",
    "person_weight",
)
_TOLD_APART = 0.05
"""Of all records: settings that are nearer to each other than the noise of their scores are chosen by it."""
Setting = Mapping[str, Any]
T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search releases."""

    index: int
    model: Any
    score: float
    certificate: Certificate


@dataclass(frozen=True, slots=True, kw_only=True)
class Fits:
    """An estimator, the settings that it is tried with, and what is the same for all of them."""

    estimator: Any
    settings: Sequence[Setting]
    classes: npt.NDArray[Any]
    neighbours: Neighbours
    n_jobs: int | None = None
    """As the user gave it; `jobs` threads."""
    jobs: int = 1
    persons: Persons | None = None
    """Whose rows are whose; None where the unit of privacy is a row."""
    scoring: Scoring = field(default_factory=Scoring)
    feature_seed: int = field(default_factory=fresh_public_seed)
    """Public; of settings that ask for a fresh one, so that every fit draws the random features that were planned."""

    def spread(self, table: SearchTable, work: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """work(item) for every item, in order, each about a fit of `table` or of a part of it. Items are taken in this thread."""
        return map_in_order(work, items, self.jobs if table.one_part else 1)

    def prepared(self, number: int, *, epsilon: float, delta: float, seed: int | None, share_of_records: int = 1) -> PrivateModel:
        """An unfitted copy with this setting and target, which has no ledger of its own.

        Under add-remove a declared public number of records is divided by `share_of_records`, the number of parts that the records are cut into.
        """
        own = clone(self.estimator).set_params(**self.settings[number])
        known, fixed = own.get_params(deep=False), dict[str, Any]()
        if len(self.classes):
            fixed["classes"] = self.classes.tolist()
        if self.n_jobs is not None:
            fixed["n_jobs"] = self.n_jobs
        declared = known.get("public_records")
        if isinstance(declared, Integral) and share_of_records > 1:
            fixed["public_records"] = max(1, int(declared) // share_of_records)
        if self.scoring.of_times:
            fixed["ends"] = self.scoring.ends
        if "feature_seed" in known and known["feature_seed"] is None:
            fixed["feature_seed"] = self.feature_seed
        copy: PrivateModel = own.with_share(epsilon, delta, seed=seed, rule=self.persons, **fixed)
        return copy

    def planned(
        self, *, records: int, features: int, in_blocks: bool, epsilon: float, delta: float, share_of_records: int = 1, number: int | None = None
    ) -> list[Certificate]:
        """The certificate of every setting (or of one), without a record. Raises InfeasibleTarget, naming the setting, where one has no fit."""
        found = []
        for each in range(len(self.settings)) if number is None else [number]:
            copy = self.prepared(each, epsilon=epsilon, delta=delta, seed=0, share_of_records=share_of_records)
            weighted = {"weighted": True} if in_blocks and "max_sample_weight" in copy.get_params(deep=False) else {}
            if self.persons is not None and self.persons.told_apart:
                weighted["told_apart"] = True
            several = {"targets": len(self.scoring.units)} if self.scoring.units else {}
            try:
                require_declared(copy.get_params(deep=False).get("data_norm"), "a search")
                found.append(copy.plan(features=features, records=records, **weighted, **several))
            except InfeasibleTarget as error:
                refusal = InfeasibleTarget(
                    f"the setting {dict(self.settings[each])} cannot be fitted with the budget of a single fit, epsilon={epsilon:.4g} and "
                    f"delta={delta:.3g}: {error} Or leave this setting out."
                )
                break
        else:
            return found
        raise refusal

    def require_target_bounds(self, X: Any) -> None:
        """Raise InvalidInput for a setting that would ask how large the targets of X may be, before anything is spent."""
        for number in range(len(self.settings)):
            require_target_bound(self.prepared(number, epsilon=1.0, delta=0.0, seed=0), X)

    @staticmethod
    def fit_as_planned(copy: PrivateModel, table: SearchTable, planned: Certificate) -> None:
        """Fit on the records, and leave a certificate that is as planned. Raises VerificationFailure if it is not."""
        with without_ledger():
            copy.fit(table.X, table.y, **({} if table.persons is None else {"persons": table.persons}))
        if not as_planned(copy.certificate_, planned):
            raise VerificationFailure("the certificate of a fit differs from the one planned from public parameters, so the search cannot use it.")


def curves(certificates: Sequence[Certificate]) -> list[Guarantee]:
    """The privacy curve of every fit."""
    return [whole_curve(each.mechanism, each.parameters, each.problem, each.guarantee) for each in certificates]


def candidate_records(settings: Sequence[Setting], certificates: Sequence[Certificate]) -> list[Json]:
    """For the certificate of the search: every setting with what its fit promises and why."""
    return [
        {
            "setting": {key: _plain(value) for key, value in setting.items()},
            "mechanism": each.mechanism,
            "parameters": dict(each.parameters),
            "problem": dict(each.problem),
            "guarantee": each.guarantee.to_dict(),
        }
        for setting, each in zip(settings, certificates, strict=True)
    ]


def _plain(value: Any) -> Json:
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, bool | int | float | str) or value is None else repr(value)


def random_stopping(
    fits: Fits,
    table: SearchTable,
    noise: Noise,
    *,
    epsilon: float,
    delta: float,
    law: NegativeBinomialRuns,
    share: float,
    account: Account | None,
) -> Found:
    """The best scored of a random number of private fits, with its certificate; raises SolverFailure, having spent, when no run succeeded."""
    records, features = table.shape
    plans: dict[tuple[float, float], list[Certificate]] = {}

    def curves_at(fit_epsilon: float, fit_delta: float) -> Sequence[Guarantee]:
        planned = fits.planned(records=records, features=features, in_blocks=table.in_blocks, epsilon=fit_epsilon, delta=fit_delta)
        plans[fit_epsilon, fit_delta] = planned
        return curves(planned)

    target = calibrated(
        Privacy(epsilon=epsilon, delta=delta, neighbours=fits.neighbours),
        law=law,
        score_share=share,
        curves_at=curves_at,
        score=partial(CountNoise, persons=fits.persons, fine=fits.scoring.fine),
    )
    planned = plans[target.epsilon, target.delta]
    guarantee = _stated(target.mechanism.guarantee(curves(planned)), epsilon, delta)
    least = math.ceil(target.mechanism.score.deviation / _TOLD_APART)
    for words in mostly_noise("a choice by scores", least, records if fits.neighbours is REPLACE_ONE else None):
        warnings.warn(f"{words} Fit one setting with the whole budget, or raise epsilon or score_share.", PrivacyAdvice, stacklevel=caller())
    purpose = f"{target.mechanism.name} over {len(fits.settings)} settings"
    with spending_on(account, guarantee, purpose=purpose, table=table.content()) as reservation:
        index, model, score = _best(fits, table, noise, target, planned)
    chosen, parts = vars(model)["certificate_"], target.mechanism.score.parts
    counted = score / parts if parts > 1 else score  # in records
    parameters: dict[str, Json] = {
        **target.mechanism.parameters(),
        **fits.scoring.document(),
        "fit_epsilon": target.epsilon,
        "fit_delta": target.delta,
        "chosen": index,
        "score": counted,
        "candidates": candidate_records(fits.settings, planned),
    }
    certificate = _issued(target.mechanism.name, parameters, guarantee, chosen, noise, reservation)
    public = records if fits.neighbours is REPLACE_ONE else chosen.problem.get("records")
    if fits.persons is not None and fits.persons.by_rows:
        counted, public = counted * fits.persons.rows, None
    stated = fits.scoring.stated(float(counted), public if isinstance(public, int) else None)
    return Found(index=index, model=model, score=stated, certificate=certificate)


def _best(fits: Fits, table: SearchTable, noise: Noise, target: InnerTarget, planned: Sequence[Certificate]) -> tuple[int, PrivateModel, int]:
    """The runs. A fit that fails is an outcome with the worst score, as the theorem wants it: when it fails may depend on the records.

    What is drawn is drawn here, in an order that does not depend on who fits: settings and seeds first, then the noise of the scores.
    """
    drawn = [(target.mechanism.setting(noise, len(fits.settings)), fit_seed(noise)) for _ in range(target.mechanism.runs(noise))]
    runs = ((index, fits.prepared(index, epsilon=target.epsilon, delta=target.delta, seed=seed)) for index, seed in drawn)

    def fitted(run: tuple[int, PrivateModel]) -> tuple[int, PrivateModel, int] | None:
        index, model = run
        try:
            fits.fit_as_planned(model, table, planned[index])
        except SolverFailure:
            return None
        return index, model, table.correct(model)

    best: tuple[int, PrivateModel, int] | None = None
    for found in fits.spread(table, fitted, runs):
        if found is None:
            continue
        index, model, correct = found
        score = target.mechanism.score.score(correct, noise)
        if best is None or score > best[2]:
            best = index, model, score
    if best is None:
        raise SolverFailure("no fit of the search could certify its minimiser. The budget counts as spent. Raise alpha in the settings.")
    return best


def fit_seed(noise: Noise) -> int | None:
    """A seed of its own for a fit of a seeded search; none where noise is private."""
    return None if noise.private else int(noise.words()(1)[0] >> 2)


def _stated(total: Any, epsilon: float, delta: float) -> Guarantee:
    """The target, which the total keeps to: that was checked when it was calibrated, and is checked here."""
    if not (math.isfinite(epsilon) and total.delta(epsilon) <= delta):
        raise SolverFailure("the search cannot keep to its target epsilon and delta. No noise was drawn.")
    if delta == 0:
        return PureDP(epsilon=epsilon, **scope(total))
    return ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta, **scope(total))


def algorithm_4(fits: Fits, table: SearchTable, noise: Noise, *, epsilon: float, delta: float, account: Account | None) -> Found:
    """The chosen fit with its certificate. Raises InvalidInput for too few records, SolverFailure, having spent, when a fit fails."""
    if not 0 < epsilon < math.inf:
        raise InvalidInput(f"a private search needs 0 < epsilon < infinity; {epsilon!r} was given. Without privacy, use scikit-learn's own search.")
    records, features = table.shape
    count = len(fits.settings)
    hidden = fits.neighbours is ADD_REMOVE
    if not hidden and records < count + 1:
        raise InvalidInput(
            f"a search by parts needs at least one record for each of the {count} settings and one for the choice. Use fewer settings."
        )
    sizes = [len(part) for part in np.array_split(np.arange(0 if hidden else records), count + 1)]
    planned = [
        fits.planned(
            records=sizes[i], features=features, in_blocks=table.in_blocks, epsilon=epsilon, delta=delta, share_of_records=count + 1, number=i
        )[0]
        for i in range(count)
    ]
    choice = ExponentialMechanism.calibrate(epsilon=epsilon, sensitivity=1, neighbours=fits.neighbours, monotone=hidden)
    chooses = choice.promise(Candidates(count))
    guarantee = _total([*(each.guarantee for each in planned), chooses if fits.persons is None else replace(chooses, unit=Unit.PERSON)])
    with spending_on(account, guarantee, purpose=f"{ALGORITHM_4} over {count} settings", table=table.content()) as reservation:
        parts = table.parts(count + 1, noise, hidden=hidden)
        models = [fits.prepared(i, epsilon=epsilon, delta=delta, seed=fit_seed(noise), share_of_records=count + 1) for i in range(count)]

        def fitted(i: int) -> PrivateModel:
            fits.fit_as_planned(models[i], parts[i], planned[i])
            return models[i]

        last = parts[count]
        everything = last.weight
        mistakes = [everything - last.correct(model) for model in fits.spread(table, fitted, range(count))]
        index = choice.chosen(np.array(mistakes, dtype=np.int64), noise, parts=fits.scoring.unit(fits.persons))
    chosen = vars(models[index])["certificate_"]
    parameters: dict[str, Json] = {
        "rate": choice.rate,
        "sensitivity": 1,
        "monotone": choice.monotone,
        "neighbours": str(fits.neighbours),
        "parts": count + 1,
        "in_blocks": table.in_blocks,
        **fits.scoring.document(),
        "chosen": index,
        "candidates": candidate_records(fits.settings, planned),
    }
    certificate = _issued(ALGORITHM_4, parameters, guarantee, chosen, noise, reservation)
    return Found(index=index, model=models[index], score=math.nan, certificate=certificate)


def _total(stated: list[Guarantee]) -> Guarantee:
    """The worst of the parts, as one pure or one (epsilon, delta) guarantee."""
    shared = scope(together(stated, "parallel composition"))
    if not all(isinstance(part, PureDP | ApproximateDP) for part in stated):
        return parallel(stated, part_of_a_record_stays=True)
    epsilon = max(part.epsilon for part in stated if isinstance(part, PureDP | ApproximateDP))
    deltas = [part.delta_at_epsilon for part in stated if isinstance(part, ApproximateDP)]
    return ApproximateDP(epsilon=epsilon, delta_at_epsilon=max(deltas), **shared) if deltas else PureDP(epsilon=epsilon, **shared)


def _issued(
    name: str, parameters: Mapping[str, Json], guarantee: Guarantee, chosen: Certificate, noise: Noise, reservation: Reservation | None
) -> Certificate:
    """The certificate of a search whose model is that of the fit with the certificate `chosen`."""
    private = noise.private and chosen.noise_private
    issued = certified(name, parameters, dict(chosen.problem), guarantee, chosen.digest, noise.description, noise_private=private)
    return replace(issued, declared=chosen.declared, ledger_entry=None if reservation is None else reservation.id)
