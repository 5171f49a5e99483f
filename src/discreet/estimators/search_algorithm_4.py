"""Algorithm 4 of Chaudhuri, Monteleoni, Sarwate (2011) over private fits (mechanisms/selection/exponential.md).

Cut the records into m + 1 parts; fit setting i on part i; choose one by its mistakes on the last part. Parts share no record, so fits and choice
spend the whole epsilon each.

Which part a record goes to is decided without looking at it: by a random order of row numbers under replace-one, where n is public, and by a die of
its own under add-remove, where equal portions would move other records when one is added. Of a table in blocks, the order is one of each block.
"""

import math
from dataclasses import replace

import numpy as np

from discreet.accounting import ApproximateDP, Guarantee, Json, PureDP, parallel
from discreet.accounting.base import scope, together
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE
from discreet.estimators.search_fits import Fits, Found, candidate_records
from discreet.estimators.search_plans import PrivateEstimator
from discreet.estimators.search_stopping import fit_seed
from discreet.estimators.search_table import SearchTable
from discreet.ledger import Account, spending_on
from discreet.mechanisms.base import certified
from discreet.mechanisms.selection import ALGORITHM_4, Candidates, ExponentialMechanism
from discreet.noise import Noise


def algorithm_4(fits: Fits, table: SearchTable, noise: Noise, *, epsilon: float, delta: float, account: Account | None) -> Found:
    """The chosen fit with its certificate. Raises InvalidInput for too few records, SolverFailure, having spent, when a fit fails."""
    if not 0 < epsilon < math.inf:
        raise InvalidInput(f"a private search needs 0 < epsilon < infinity; {epsilon!r} was given. Without privacy, use scikit-learn's own search.")
    records, features = table.shape
    count = len(fits.settings)
    hidden = fits.neighbours is ADD_REMOVE
    if not hidden and records < count + 1:
        raise InvalidInput(f"Algorithm 4 needs a record at least for each of {count} settings and one for the choice; use fewer settings.")
    sizes = [len(part) for part in np.array_split(np.arange(0 if hidden else records), count + 1)]
    planned = [
        fits.planned(
            records=sizes[i], features=features, in_blocks=table.in_blocks, epsilon=epsilon, delta=delta, share_of_records=count + 1, number=i
        )[0]
        for i in range(count)
    ]
    choice = ExponentialMechanism.calibrate(epsilon=epsilon, sensitivity=1, neighbours=fits.neighbours, monotone=hidden)
    guarantee = _total([*(each.guarantee for each in planned), choice.guarantee(Candidates(count))])
    with spending_on(account, guarantee, purpose=f"{ALGORITHM_4} over {count} settings", table=table.content()) as reservation:
        parts = table.parts(count + 1, noise, hidden=hidden)
        models = [fits.prepared(i, epsilon=epsilon, delta=delta, seed=fit_seed(noise), share_of_records=count + 1) for i in range(count)]

        def fitted(i: int) -> PrivateEstimator:
            fits.fit_as_planned(models[i], parts[i], planned[i])
            return models[i]

        last = parts[count]
        mistakes = [last.shape[0] - last.correct(model) for model in fits.spread(table, fitted, range(count))]
        index = choice.chosen(np.array(mistakes, dtype=np.int64), noise)
    chosen = vars(models[index])["certificate_"]
    parameters: dict[str, Json] = {
        "rate": choice.rate,
        "sensitivity": 1,
        "monotone": choice.monotone,
        "neighbours": str(fits.neighbours),
        "parts": count + 1,
        "in_blocks": table.in_blocks,
        "chosen": index,
        "candidates": candidate_records(fits.settings, planned),
    }
    private = noise.private and chosen.noise_private
    issued = certified(ALGORITHM_4, parameters, dict(chosen.problem), guarantee, chosen.digest, noise.description, noise_private=private)
    certificate = replace(issued, declared=chosen.declared, ledger_entry=None if reservation is None else reservation.id)
    return Found(index=index, model=models[index], score=math.nan, certificate=certificate)


def _total(stated: list[Guarantee]) -> Guarantee:
    """The worst of the parts, as one pure or one (epsilon, delta) guarantee."""
    shared = scope(together(stated, "parallel composition"))
    if not all(isinstance(part, PureDP | ApproximateDP) for part in stated):
        return parallel(stated, part_of_a_record_stays=True)
    epsilon = max(part.epsilon for part in stated if isinstance(part, PureDP | ApproximateDP))
    deltas = [part.delta_at_epsilon for part in stated if isinstance(part, ApproximateDP)]
    return ApproximateDP(epsilon=epsilon, delta_at_epsilon=max(deltas), **shared) if deltas else PureDP(epsilon=epsilon, **shared)
