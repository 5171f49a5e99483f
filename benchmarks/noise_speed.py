"""Exact discrete noise and exact selection: draws a second, side by side with other samplers in one run.

    python benchmarks/noise_speed.py [--quick] [--repeat 5]

`ours` includes a fresh key for each call and takes the staircase of its scale from the cache; making it is the column `first`. `fractions` is
the algorithm of Canonne, Kamath and Steinke as it stands (2020, algorithms 1 to 3), with Fractions and the operating system's random integers.
`opendp` is that library's vector of discrete noise, if it can be imported. `float` is NumPy's normal or Laplace on its default generator: not
exact, and no noise for a release. Repetitions are interleaved; medians of seconds of processor time are printed, with ratios and the load of the
machine.
"""

import argparse
import os
import secrets
import time
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from statistics import median

import numpy as np

from discreet.noise.choice import select
from discreet.noise.discrete import discrete_gaussian, discrete_laplace
from discreet.noise.envelope import Exponent, envelope_for
from discreet.noise.source import system_words
from discreet.noise.words import Integers

SCALES = (1.0, 10.0, 1e3, 1e6, 1e9)
COUNTS = {"ours": 4_000_000, "float": 2_000_000, "opendp": 20_000, "fractions": 1_000}


def bernoulli(p: Fraction) -> bool:
    """True with probability p."""
    return secrets.randbelow(p.denominator) < p.numerator


def bernoulli_exp(x: Fraction) -> bool:
    """True with probability exp(-x)."""
    while x > 1:
        if not bernoulli_exp(Fraction(1)):
            return False
        x -= 1
    count = 1
    while bernoulli(x / count):
        count += 1
    return count % 2 == 1


def one_laplace(scale: int) -> int:
    """One discrete Laplace integer of a whole scale."""
    while True:
        rest = secrets.randbelow(scale)
        if not bernoulli_exp(Fraction(rest, scale)):
            continue
        whole = 0
        while bernoulli_exp(Fraction(1)):
            whole += 1
        size = rest + scale * whole
        if secrets.randbelow(2):
            return size
        if size:
            return -size


def one_gaussian(variance: Fraction, sigma: int) -> int:
    """One discrete Gaussian integer; sigma is about the root of the variance."""
    scale = sigma + 1
    while True:
        k = one_laplace(scale)
        if bernoulli_exp((abs(k) - variance / scale) ** 2 / (2 * variance)):
            return k


def contestants(law: str, scale: float) -> dict[str, Callable[[int], object]]:
    """Name -> a function that draws so many integers of a law."""
    variance, whole = Fraction(scale) ** 2, int(scale)

    if law == "gaussian":
        found: dict[str, Callable[[int], object]] = {
            "ours": lambda count: discrete_gaussian(system_words(), variance=variance, count=count),
            "float": lambda count: np.random.default_rng().normal(0.0, scale, count),
            "fractions": lambda count: [one_gaussian(variance, whole) for _ in range(count)],
        }
    else:
        found = {
            "ours": lambda count: discrete_laplace(system_words(), scale=scale, count=count),
            "float": lambda count: np.random.default_rng().laplace(0.0, scale, count),
            "fractions": lambda count: [one_laplace(whole) for _ in range(count)],
        }
    if find_spec("opendp"):
        dp = import_module("opendp.prelude")
        dp.enable_features("contrib")
        domain = dp.vector_domain(dp.atom_domain(T=int))
        if law == "gaussian":
            measure = dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale=scale)
        else:
            measure = dp.m.make_laplace(domain, dp.l1_distance(T=int), scale=scale)
        found["opendp"] = lambda count: measure([0] * count)
    return found


def interleaved(runs: dict[str, Callable[[int], object]], counts: dict[str, int], repeat: int) -> dict[str, float]:
    """Median seconds of one draw of each, one turn of each per round, after a turn that is not counted."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(repeat + 1):
        for name, run in runs.items():
            start = time.process_time()
            run(counts[name])
            if turn:
                times[name].append((time.process_time() - start) / counts[name])
    return {name: median(values) for name, values in times.items()}


def first_time(law: str, scale: float) -> float:
    """Seconds to make the staircase of a scale."""
    exponent = Exponent(square=1 / (2 * Fraction(scale) ** 2)) if law == "gaussian" else Exponent(linear=1 / Fraction(scale))
    envelope_for.cache_clear()
    start = time.process_time()
    envelope_for(exponent)
    return time.process_time() - start


def noise_table(counts: dict[str, int], repeat: int) -> None:
    """Draws of each law and scale."""
    words = interleaved({"ours": system_words()}, counts, repeat)["ours"]
    print(f"ChaCha20 alone: {1e-6 / words:.1f} million words a second\n")
    for law in ("gaussian", "laplace"):
        print(f"discrete {law}: million draws a second of one core (ours is so many times as fast)")
        for scale in SCALES:
            seconds = interleaved(contestants(law, scale), counts, repeat)
            cells = [f"{name} {1e-6 / seconds[name]:8.4g} ({seconds[name] / seconds['ours']:7.1f}x)" for name in seconds if name != "ours"]
            print(f"  scale {scale:7.0e}  ours {1e-6 / seconds['ours']:6.1f}  first {1e3 * first_time(law, scale):5.2f} ms   {'  '.join(cells)}")
        print()


def selection_table(sizes: tuple[int, ...], repeat: int) -> None:
    """One index of many, with float Gumbel noise beside it."""
    print("selection: milliseconds for one draw")
    rng = np.random.default_rng(0)
    for size in sizes:
        scores = rng.integers(-(10**6), 10**6, size)

        def gumbel(count: int, scores: Integers = scores) -> None:
            generator = np.random.default_rng()
            for _ in range(count):
                np.argmax(generator.gumbel(size=len(scores)) - 1e-4 * scores)

        def exact(count: int, scores: Integers = scores) -> None:
            for _ in range(count):
                select(system_words(), scores, rate=1e-4, count=1)

        seconds = interleaved({"ours": exact, "gumbel": gumbel}, {"ours": 5, "gumbel": 5}, repeat)
        print(f"  {size:8d} scores   ours {1e3 * seconds['ours']:8.3f}   float Gumbel, one each {1e3 * seconds['gumbel']:8.3f}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer draws and repetitions")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    repeat = 1 if options.quick else options.repeat
    counts = {name: count // 10 if options.quick else count for name, count in COUNTS.items()}
    print(f"load of the machine before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores; medians of {repeat}")
    noise_table(counts, repeat)
    selection_table((100, 47_000) if options.quick else (100, 47_000, 1_000_000), repeat)
    print(f"load of the machine after: {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
