"""Declaration of counting with one scale: that of counting with Laplace noise, under a name of its own."""

from dataclasses import dataclass

from discreet.statements.spec import declared
from discreet.words.counting import LaplaceCounts


@declared
@dataclass(frozen=True, slots=True, kw_only=True)
class AlikeCounts(LaplaceCounts):
    """Counting queries with pure epsilon, all answers equally noisy."""

    name = "counting-alike"
