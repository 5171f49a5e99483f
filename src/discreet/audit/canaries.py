"""Auditing with one run: many canaries, each put into the table or left out by a fair coin, and guessed from one output.

Theorem (Steinke, Nasr, Jagielski 2023, theorem 5.2). Let M take S, uniform on {-1, 1}^m, as its input and be (epsilon, delta)-private in each
coordinate of S. Let T = T(M(S)) in {-1, 0, 1}^m be guesses of which at most r are not 0. Then for every v,

    P(number of right guesses >= v) <= P(W >= v) + alpha m delta,       W ~ Bin(r, e^epsilon / (1 + e^epsilon)),
    alpha = max over i in 1 .. m of (2 / i) P(v > W >= v - i)

The right side, at the number of guesses that were right, is a p-value of the claim (epsilon, delta): it grows with epsilon, so the largest epsilon at
which it is at most 1 - confidence is a lower confidence bound. Coordinates: record i is there (S_i = 1) or not, for add-remove; or record i is one of
two, for replace-one. Which records are guessed at all may depend on the output, their number r not: it is fixed beforehand.

One run cannot show an epsilon above about ln(r): with all r guesses right, (e^epsilon / (1 + e^epsilon))^r = 1 - confidence.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from scipy.stats import binom

from discreet.audit.claim import Claim
from discreet.audit.report import AuditReport, Event
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.ledger import without_ledger
from discreet.noise import SystemNoise

Guess: TypeAlias = Callable[[np.ndarray], Floats]
"""From the coins (m,) of booleans to scores (m,): runs the mechanism once on the table with those canaries, and says how likely each seems there."""

_LARGEST = 60.0


def p_value(*, canaries: int, guesses: int, right: int, claim: Claim) -> float:
    """The theorem's bound on the probability of at least `right` correct guesses out of `guesses`, about `canaries` canaries; right <= guesses."""
    if not 0 <= right <= guesses <= canaries:
        raise InvalidInput(f"0 <= right <= guesses <= canaries is needed; {right}, {guesses}, {canaries} were given.")
    accuracy = 1.0 / (1.0 + float(np.exp(-claim.epsilon)))
    tail = float(binom.sf(right - 1, guesses, accuracy))
    if claim.delta == 0 or right == 0:
        return min(1.0, tail)
    below = np.cumsum(binom.pmf(np.arange(right - 1, -1, -1), guesses, accuracy))
    alpha = float(np.max(2.0 * below / np.arange(1, right + 1)))
    return min(1.0, tail + alpha * canaries * claim.delta)


def epsilon_from_guesses(*, canaries: int, guesses: int, right: int, delta: float, confidence: float) -> float:
    """The largest epsilon that the guesses refute at `delta`, rounded down to 1e-9; 0 if they refute none."""

    def refuted(epsilon: float) -> bool:
        return p_value(canaries=canaries, guesses=guesses, right=right, claim=Claim(epsilon=epsilon, delta=delta)) <= 1.0 - confidence

    if not refuted(0.0):
        return 0.0
    low, high = 0.0, _LARGEST
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return low


def one_run_audit(
    guess: Guess,
    claim: Claim,
    *,
    canaries: int,
    guesses: int | None = None,
    confidence: float = 0.999,
    subject: str = "a mechanism",
    described: str = "each canary there or not, by a fair coin",
) -> AuditReport:
    """Audit with a single run on `canaries` simulated records.

    `guess` gets coins (canaries,), True where the canary is in the table (or is the first of two), runs the mechanism once and returns a score for
    each canary, large if it seems to be in. The guesses / 2 largest scores are guessed in, the guesses / 2 smallest out; `guesses` None is a quarter
    of the canaries. Raises InvalidInput for numbers outside their range.
    """
    count = 2 * (canaries // 8) if guesses is None else guesses
    if not (canaries >= 1 and 2 <= count <= canaries and count % 2 == 0 and 0.5 <= confidence < 1):
        raise InvalidInput("an audit in one run needs an even number of guesses, from 2 to the number of canaries, and a confidence in [0.5, 1).")
    coins = (SystemNoise().words()(canaries) & np.uint64(1)).astype(bool)
    with without_ledger():
        scores = np.asarray(guess(coins.copy()), dtype=float)
    if scores.shape != coins.shape or not np.all(np.isfinite(scores)):
        raise InvalidInput(f"one finite score for each of {canaries} canaries is needed.")
    order = np.argsort(scores, kind="stable")
    right = int(np.sum(~coins[order[: count // 2]]) + np.sum(coins[order[canaries - count // 2 :]]))
    bound = epsilon_from_guesses(canaries=canaries, guesses=count, right=right, delta=claim.delta, confidence=confidence)
    event = Event(
        description=f"{right} of {count} guesses about {canaries} canaries are right",
        likelier="the table with each",
        hits=right,
        misses=count - right,
        share=right / count,
        other_share=1.0 - right / count,
        bound=bound,
    )
    return AuditReport(
        subject=subject,
        method="one run",
        claim=claim,
        bound=bound,
        violated=bound > claim.epsilon,
        pair=described,
        events=(event,),
        confidence=confidence,
        runs=canaries,
        advantage=max(0.0, 2.0 * right / count - 1.0),
    )
