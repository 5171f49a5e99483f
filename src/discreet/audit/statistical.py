"""A statistical audit: a lower confidence bound on epsilon from independent runs on two neighbouring tables.

    P(S) <= e^epsilon P'(S) + delta for all events S    implies    epsilon >= ln((P(S) - delta) / P'(S))

The runs on each table are divided in three. On the first quarter scores are learnt (module `scores`), on the second the event S is chosen, one for
each order of the two tables; on the other half, which had no part in either, S is counted. With Clopper-Pearson bounds p_low <= P(S) and
q_high >= P'(S), ln((p_low - delta) / q_high) is a lower bound on epsilon (Jagielski, Ullman, Oprea 2020). The failure 1 - confidence is divided
equally by five: two bounds for each of the two orders, and one share for the advantage of a third event, p_low - q_high, half of it for either bound.
So the probability that `bound` exceeds the true epsilon, or `advantage` the true one, is at most 1 - confidence, whatever the laws are.

Hypotheses: runs are independent, and the two tables are neighbours; both are the caller's. A report never speaks of other pairs: "no violation found"
is no proof.

Counts become bounds on a probability without approximation (Clopper, Pearson 1934):

    lower(k of n) = the p at which P(Bin(n, p) >= k) = failure,     upper(k of n) = the p at which P(Bin(n, p) <= k) = failure

Each fails with probability at most `failure`, whatever p is. By the incomplete beta function, lower = B^-1(failure; k, n - k + 1) and
upper = B^-1(1 - failure; k + 1, n - k); the inverses are widened by a relative 1e-9 for rounding.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import betainccinv, betaincinv

from discreet.audit.claim import Claim, Progress
from discreet.audit.report import AuditReport, Event, LawPicture
from discreet.audit.scores import Named, learnt
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, quietly
from discreet.ledger import without_ledger

OneRun: TypeAlias = Callable[[Any, int], Any]
"""From (table, seed) to an output: a number, or an array of numbers of the same shape in every run."""

LEAST_RUNS = 100
_CHUNK = 500
_THRESHOLDS = np.concatenate((np.geomspace(1e-3, 0.05, 12, endpoint=False), np.linspace(0.05, 0.95, 37), 1.0 - np.geomspace(0.05, 1e-3, 12)[1:]))
_PICTURE_BINS = 48
_ROOM = 1e-9


class Chosen(NamedTuple):
    """An event: a score beyond a threshold."""

    score: Named
    sign: float
    threshold: float

    def of(self, outputs: Floats) -> np.ndarray:
        """Whether the event occurred, (n,)."""
        return self.sign * self.score.score(outputs) >= self.threshold

    @property
    def description(self) -> str:
        """The event that is counted, in words."""
        return f"{self.score.name} {'>=' if self.sign > 0 else '<='} {self.sign * self.threshold:.4g}"


def audit(  # noqa: PLR0913 - what is run, on what, against what; and how it is reported
    run: OneRun,
    pair: tuple[Any, Any],
    claim: Claim,
    *,
    runs: int = 2000,
    confidence: float = 0.999,
    batch: bool = False,
    subject: str = "a mechanism",
    described: str = "two neighbouring tables",
    progress: Progress | None = None,
) -> AuditReport:
    """Look for a violation of `claim` by `run` on the neighbouring tables of `pair`.

    Parameters: `run` maps (table, seed) to an output, with a different seed for every run, 0 to 2 runs - 1; a run that ignores the seed must be
    random by itself. With `batch`, it maps (table, count) to an array of `count` independent outputs, (count, ...). `runs` is the number of runs on
    each table, at least 100. `subject` and `described` name the mechanism and the pair in the report. No ledger records the runs: the tables must be
    simulated or public. Raises InvalidInput for numbers outside their range and for outputs that are not numbers, or of different shapes.
    """
    first, second = outputs_of(run, pair, runs=runs, confidence=confidence, batch=batch, progress=progress)
    return of_outputs(first, second, claim, confidence=confidence, subject=subject, described=described)


def outputs_of(run: OneRun, tables: Sequence[Any], *, runs: int, confidence: float, batch: bool, progress: Progress | None = None) -> list[Floats]:
    """Outputs (runs, k) on each of `tables`; arguments and errors as of `audit`."""
    if isinstance(runs, bool) or not isinstance(runs, int) or runs < LEAST_RUNS:
        raise InvalidInput(f"an audit needs at least {LEAST_RUNS} runs on each table; {runs!r} was given.")
    if not 0.5 <= confidence < 1:
        raise InvalidInput(f"the confidence of an audit lies in [0.5, 1); {confidence!r} was given.")
    total = runs * len(tables)
    several = run if batch else _one_by_one(run, total)
    done = 0
    parts: list[list[Floats]] = []
    with without_ledger():
        for table in tables:
            parts.append([])
            for count in _chunks(runs):
                parts[-1].append(_as_numbers(several(table, count), count))
                done += count
                if progress is not None:
                    progress(done, total)
    if len({part.shape[1] for one in parts for part in one}) > 1:
        raise InvalidInput("all runs must have outputs of one shape: an audit compares numbers place by place.")
    outputs = [np.concatenate(one) for one in parts]
    odd = [~np.isfinite(one) for one in outputs]
    if not any(one.any() for one in odd):
        return outputs
    return [np.column_stack((np.where(off, 0.0, one), off.any(axis=1))) for one, off in zip(outputs, odd, strict=True)]


def of_outputs(first: Floats, second: Floats, claim: Claim, *, confidence: float, subject: str, described: str) -> AuditReport:
    """The audit of outputs (runs, k) that were drawn already: independent runs on the first table, and on the second."""
    runs = len(first)
    quarter = runs // 4
    scores = list(learnt(first[:quarter], second[:quarter]))
    sides = (first[quarter : 2 * quarter], second[quarter : 2 * quarter]), (first[2 * quarter :], second[2 * quarter :])
    tested = len(sides[1][0])
    failure = (1.0 - confidence) / 5.0
    events, chosen = [], []
    for order, name in ((1, "the first"), (-1, "the second")):
        near, far = sides[0][::order]
        best = best_event(scores, order, near, far, lambda p, q: _bounds(p, q, quarter, claim.delta, failure))
        hits, misses = (int(best.of(side).sum()) for side in sides[1][::order])
        low, high = float(lower_share(hits, tested, failure)), float(upper_share(misses, tested, failure))
        bound = math.log((low - claim.delta) / high) if low > claim.delta + high else 0.0
        events.append(Event(description=best.description, likelier=name, hits=hits, misses=misses, share=low, other_share=high, bound=bound))
        chosen.append(best)
    test = best_event(scores, 1, *sides[0], lambda p, q: p - q)
    hits, misses = (int(test.of(side).sum()) for side in sides[1])
    advantage = max(0.0, float(lower_share(hits, tested, 0.5 * failure) - upper_share(misses, tested, 0.5 * failure)))
    bound = max(event.bound for event in events)
    return AuditReport(
        subject=subject,
        method="statistical",
        claim=claim,
        bound=bound,
        violated=bound > claim.epsilon or advantage > claim.advantage,
        pair=described,
        events=tuple(events),
        confidence=confidence,
        runs=runs,
        advantage=advantage,
        picture=_picture(chosen[int(np.argmax([event.bound for event in events]))], *sides[1]),
    )


def lower_share(hits: npt.ArrayLike, runs: int, failure: float) -> Floats:
    """Lower bounds on the probability of each event from its number of occurrences in `runs` independent runs; 0 for no occurrence."""
    k = np.asarray(hits, dtype=float)
    found = betaincinv(np.maximum(k, 1.0), runs - k + 1.0, failure)
    return np.where(k > 0, found * (1.0 - _ROOM), 0.0)


def upper_share(hits: npt.ArrayLike, runs: int, failure: float) -> Floats:
    """Upper bounds, likewise; 1 for an event that always occurred."""
    k = np.asarray(hits, dtype=float)
    found = betainccinv(k + 1.0, np.maximum(runs - k, 1.0), failure)
    return np.where(k < runs, np.minimum(1.0, found * (1.0 + _ROOM)), 1.0)


def best_event(scores: list[Named], order: int, near: Floats, far: Floats, worth: Callable[[Floats, Floats], Floats]) -> Chosen:
    """The event worth most on these outputs, `near` being the side on which it should be likelier; both signs of every score are tried."""
    found, most = Chosen(scores[0], float(order), 0.0), -math.inf
    for named in scores:
        a, b = named.score(near), named.score(far)
        for sign in (float(order), -float(order)):
            levels = np.unique(np.quantile(sign * np.concatenate((a, b)), _THRESHOLDS, method="higher"))
            p, q = (len(side) - np.searchsorted(np.sort(sign * side), levels, side="left") for side in (a, b))
            values = worth(p.astype(float), q.astype(float))
            at = int(np.argmax(values))
            if values[at] > most:
                found, most = Chosen(named, sign, float(levels[at])), float(values[at])
    return found


def _bounds(hits: Floats, misses: Floats, runs: int, delta: float, failure: float) -> Floats:
    """The bound on epsilon for every event; below zero where there is none, so that the least hopeless one wins."""
    low, high = lower_share(hits, runs, failure), upper_share(misses, runs, failure)
    return np.where(low > delta + high, np.log(np.maximum(low - delta, 1e-300) / high), low - delta - high)


def _one_by_one(run: OneRun, total: int) -> Callable[[Any, int], list[Any]]:
    """A batch of single runs, each with a seed of its own."""
    seeds = iter(range(total))
    return lambda table, count: [run(table, next(seeds)) for _ in range(count)]


def _chunks(runs: int) -> list[int]:
    """Counts of batches that sum to `runs`."""
    return [min(_CHUNK, runs - start) for start in range(0, runs, _CHUNK)]


def _as_numbers(given: Any, count: int) -> Floats:  # noqa: ANN401 - what a black box returns
    outputs = quietly(lambda: np.asarray(given, dtype=float), InvalidInput("a run must return numbers, or arrays of numbers of one shape."))
    if outputs.ndim == 0 or len(outputs) != count:
        raise InvalidInput(f"{count} outputs were asked for; a batch run must return an array whose first axis is that long.")
    return outputs.reshape(count, -1)


def _picture(chosen: Chosen, first: Floats, second: Floats) -> LawPicture:
    a, b = chosen.score.score(first), chosen.score.score(second)
    low, high = np.quantile(np.concatenate((a, b)), [0.002, 0.998])
    edges = np.linspace(low, high if high > low else low + 1.0, _PICTURE_BINS + 1)
    shares = [np.histogram(np.clip(side, edges[0], edges[-1]), bins=edges)[0] / len(side) for side in (a, b)]
    return LawPicture(label=chosen.score.name, edges=edges, first=shares[0], second=shares[1], thresholds=(chosen.sign * chosen.threshold,))
