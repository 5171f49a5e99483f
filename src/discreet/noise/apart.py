"""Sources for work that several threads share, each with noise of its own, whoever draws first.

    apart(noise, k) = k sources, independent of each other and of what `noise` draws later

A source that is keyed by the operating system takes a fresh key for every call, in any thread, so it may be shared. A seeded one counts its calls: in
threads their order would be a race, and noise would not repeat. It is replaced by sources with seeds of their own, drawn from it here, in order.
"""

from collections.abc import Sequence

from discreet.noise.source import Noise, SeededNoise


def apart(noise: Noise, count: int) -> Sequence[Noise]:
    """`count` sources; see the module docstring."""
    if isinstance(noise, SeededNoise):
        return [SeededNoise(int(word)) for word in noise.words()(count)]
    return [noise] * count
