"""How often intervals of three measures cover, over populations: what the benchmarks of numbers and of times have in common."""

import argparse
import time
from collections.abc import Callable, Collection, Sequence

import numpy as np
import numpy.typing as npt

from discreet.evaluation.intervals import Estimate

Floats = npt.NDArray[np.float64]
Cell = tuple[Floats, Floats]


def covered(truth: Sequence[float], measured: Callable[[np.random.Generator, int], Sequence[Estimate | None]], runs: int) -> Cell:
    """Shares of intervals that cover, and their median widths, of what `measured` releases in each run."""
    draw, held, widths = np.random.default_rng(7), [], []
    for run in range(runs):
        found = [one for one in measured(draw, run) if one is not None]
        held.append([one.low <= true <= one.high for one, true in zip(found, truth, strict=True)])
        widths.append([one.high - one.low for one in found])
    return np.mean(held, axis=0), np.median(widths, axis=0)


def tabulate(
    about: str,
    populations: Collection[str],
    cell: Callable[[str, int, float, int], Cell],
    *,
    records: Sequence[int],
    epsilons: Sequence[float],
    measures: Sequence[str],
    worst: int,
) -> None:
    """Print the worst population for each n and epsilon: cell(population, n, epsilon, runs) covers `measures`; `worst` of them says where that is."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--records", type=int, nargs="*", default=records)
    parser.add_argument("--epsilons", type=float, nargs="*", default=epsilons)
    given, started = parser.parse_args(), time.perf_counter()
    print(f"Least share over {len(populations)} populations, {given.runs} runs each, nominal 95 %; widths of the first population.\n")
    heads = [*measures[: worst + 1], "where", *measures[worst + 1 :], f"width of {measures[0]}", *(f"of {one}" for one in measures[1:])]
    print(f"| records | epsilon | {' | '.join(heads)} |\n|{'---|' * (2 + len(heads))}")
    for n in given.records:
        for epsilon in given.epsilons:
            cells = {name: cell(name, n, epsilon, given.runs) for name in populations}
            least = [f"{share:.3f}" for share in np.min([shares for shares, _ in cells.values()], axis=0)]
            where = min(cells, key=lambda name: cells[name][0][worst])
            wide = [f"{width:.4f}" for width in next(iter(cells.values()))[1]]
            print(f"| {n:,} | {epsilon:g} | {' | '.join([*least[: worst + 1], where, *least[worst + 1 :], *wide])} |", flush=True)
    print(f"\n{time.perf_counter() - started:.0f} s")
