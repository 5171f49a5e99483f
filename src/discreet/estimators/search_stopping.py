"""Random stopping over private fits: what to reserve, then the runs (mechanisms/selection/stopping.md)."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from discreet.accounting import ApproximateDP, Guarantee, Json, PureDP
from discreet.accounting.base import scope
from discreet.accounting.stopping import NegativeBinomialRuns
from discreet.certificates import Certificate
from discreet.core.errors import SolverFailure
from discreet.core.neighbours import REPLACE_ONE
from discreet.estimators.search_fits import Fits, Found, candidate_records, curves
from discreet.estimators.search_plans import PrivateEstimator
from discreet.estimators.search_table import SearchTable
from discreet.ledger import Account, spending_on
from discreet.mechanisms.base import certified
from discreet.mechanisms.selection import InnerTarget, calibrated
from discreet.noise import Noise


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

    target = calibrated(epsilon=epsilon, delta=delta, law=law, score_share=share, neighbours=fits.neighbours, curves_at=curves_at)
    planned = plans[target.epsilon, target.delta]
    guarantee = _stated(target.mechanism.guarantee(curves(planned)), epsilon, delta)
    purpose = f"{target.mechanism.name} over {len(fits.settings)} settings"
    with spending_on(account, guarantee, purpose=purpose, table=table.content()) as reservation:
        index, model, score = _best(fits, table, noise, target, planned)
    chosen = vars(model)["certificate_"]
    parameters: dict[str, Json] = {
        **target.mechanism.parameters(),
        "fit_epsilon": target.epsilon,
        "fit_delta": target.delta,
        "chosen": index,
        "score": score,
        "candidates": candidate_records(fits.settings, planned),
    }
    private = noise.private and chosen.noise_private
    issued = certified(target.mechanism.name, parameters, dict(chosen.problem), guarantee, chosen.digest, noise.description, noise_private=private)
    certificate = replace(issued, declared=chosen.declared, ledger_entry=None if reservation is None else reservation.id)
    public = records if fits.neighbours is REPLACE_ONE else chosen.problem.get("records")
    return Found(index=index, model=model, score=score / public if isinstance(public, int) else float(score), certificate=certificate)


def _best(fits: Fits, table: SearchTable, noise: Noise, target: InnerTarget, planned: Sequence[Certificate]) -> tuple[int, PrivateEstimator, int]:
    """The runs. A fit that fails is an outcome with the worst score, as the theorem wants it: when it fails may depend on the records.

    What is drawn is drawn here, in an order that does not depend on who fits: settings and seeds first, then the noise of the scores.
    """
    drawn = [(target.mechanism.setting(noise, len(fits.settings)), fit_seed(noise)) for _ in range(target.mechanism.runs(noise))]
    runs = ((index, fits.prepared(index, epsilon=target.epsilon, delta=target.delta, seed=seed)) for index, seed in drawn)

    def fitted(run: tuple[int, PrivateEstimator]) -> tuple[int, PrivateEstimator, int] | None:
        index, model = run
        try:
            fits.fit_as_planned(model, table, planned[index])
        except SolverFailure:
            return None
        return index, model, table.correct(model)

    best: tuple[int, PrivateEstimator, int] | None = None
    for found in fits.spread(table, fitted, runs):
        if found is None:
            continue
        index, model, correct = found
        score = target.mechanism.score.score(correct, noise)
        if best is None or score > best[2]:
            best = index, model, score
    if best is None:
        raise SolverFailure("no run of the search could certify its minimiser; the budget counts as spent. Raise alpha in the settings.")
    return best


def fit_seed(noise: Noise) -> int | None:
    """A seed of its own for a fit of a seeded search; none where noise is private."""
    return None if noise.private else int(noise.words()(1)[0] >> 2)


def _stated(total: Any, epsilon: float, delta: float) -> Guarantee:
    """The target, which the total keeps to: that was checked when it was calibrated, and is checked here."""
    if not (math.isfinite(epsilon) and total.delta(epsilon) <= delta):
        raise SolverFailure("the guarantee of the search does not reach its target. Nothing was drawn.")
    if delta == 0:
        return PureDP(epsilon=epsilon, **scope(total))
    return ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta, **scope(total))
