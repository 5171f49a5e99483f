"""What the counting mechanisms share: integers in, the same integers with exact integer noise out, under one certificate.

    release_j = answer_j(records) + K_j,      K_j independent integers of a discrete law of scale scales[j], for the queries j = 1, 2

Claim and proof: counting.md.
"""

from collections.abc import Sequence

import numpy as np

from discreet.core.errors import InvalidInput
from discreet.mechanisms.base import Drawn, Mechanism, Numbers
from discreet.mechanisms.counting.queries import Queries
from discreet.noise import Integers, Noise
from discreet.words.counting import CountsSpec


class CountingMechanism(CountsSpec, Mechanism[Queries, Numbers[Sequence[Integers]]]):
    """A mechanism whose value is all answers one after the other, (sum of sizes,), as float64 numbers that are integers."""

    __slots__ = ()

    def draw(self, problem: Queries, data: Numbers[Sequence[Integers]], noise: Noise) -> Drawn:
        """See Mechanism; `data` holds exact answers, as `Queries.answered` gives them, or sums of those of parts of the records."""
        drawn = [self.law_of(scale).draw(noise, query.size, 1)[:, 0] for query, scale in zip(problem.each, self.scales, strict=True)]
        noisy = np.concatenate([answer + integers for answer, integers in zip(data.held, drawn, strict=True)]).astype(np.float64)
        return Drawn.of(noisy, chosen={} if data.records is None else {"records": data.records})

    def _require_scales(self, problem: Queries) -> None:
        """Raise InvalidInput unless there is one scale for each query."""
        if len(problem.each) != len(self.scales):
            raise InvalidInput(
                f"the mechanism has {len(self.scales)} noise scales; {len(problem.each)} queries were given. It needs one scale for each."
            )
