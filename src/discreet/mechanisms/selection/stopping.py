"""Random stopping: a private search over settings that pays for little more than one fit (proof note stopping.md).

    K ~ truncated negative binomial(eta, gamma);  K times: a setting drawn uniformly, a private fit, a private score;  release the best scored

Guarantee: `selected` (accounting/selection.py) of the base mechanism, which is a fit of a setting drawn at random, composed with its score.
With one pure epsilon for fit and score together the search is at most (2 + eta) epsilon; with a curve it is charged less.

Every setting has its own mechanism, with its own curve. They are known before a record is read, and the mean of the curves is what one run promises.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from discreet.accounting import Guarantee, Json, PureDP, compose
from discreet.accounting.selection import drawn_at_random, selected
from discreet.accounting.stopping import NegativeBinomialRuns
from discreet.core.neighbours import Neighbours
from discreet.core.remembered import remembered
from discreet.mechanisms.selection.score import CountNoise
from discreet.noise import Noise
from discreet.noise.stopping import number_of_runs
from discreet.noise.words import uniform_below

RANDOM_STOPPING = "random-stopping"


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomStopping:
    """The law of the number of runs, and the noise of every score."""

    name = RANDOM_STOPPING
    law: NegativeBinomialRuns
    score: CountNoise
    neighbours: Neighbours

    def guarantee(self, curves: Sequence[Guarantee]) -> Guarantee:
        """What the whole search promises, for one curve a setting. Raises InvalidInput for unlike neighbouring relations."""
        return _promised(self, tuple(curves))

    def runs(self, noise: Noise) -> int:
        """K, which must stay secret."""
        return number_of_runs(noise.words(), eta=self.law.eta, gamma=self.law.gamma)

    def setting(self, noise: Noise, count: int) -> int:
        """The index of one of `count` settings, uniformly."""
        return int(uniform_below(noise.words(), count, count=1)[0])

    def parameters(self) -> dict[str, Json]:
        """For certificates."""
        return {
            "eta": self.law.eta,
            "gamma": self.law.gamma,
            "expected_runs": self.law.mean,
            "score_noise": self.score.law,
            "score_scale": self.score.scale,
            "neighbours": str(self.neighbours),
        }


@remembered
def _promised(mechanism: RandomStopping, curves: tuple[Guarantee, ...]) -> Guarantee:
    """A search states what its calibration tried last, and the next one of the same settings again."""
    fit, score = drawn_at_random(curves), mechanism.score.guarantee(mechanism.neighbours)
    pure = isinstance(fit, PureDP) and isinstance(score, PureDP)
    return selected(compose([fit, score], planned=not pure), mechanism.law)
