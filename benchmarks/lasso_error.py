"""Excess risk of the private LASSO, as published and ours, in one run.

    python -m benchmarks.lasso_error [--runs 10] [--epsilons 0.5 1 4]
    python -m benchmarks.lasso_error --shares          shares 1 / t (ours) against 2 / (t + 2), at the same noise

Data, invented: n = 20,000 records, d = 1000 features, entries +1 and -1 with equal chances, y = <x, theta> + 0.1 noise clipped to [-1, 1], theta
with five coordinates (0.4, -0.25, 0.15, -0.1, 0.1); squared loss over the unit l1 ball; delta = 1e-6. Risk is the mean squared error on these records
above its minimum over the ball. Published: Talwar, Thakurta and Zhang (2014), Algorithm 4 (Laplace noise, shares 2 / (t + 2)) with the T of theorem
5.5. Seconds are those of one fit, calibration included once for all runs.

Required at epsilon = 1: ours at most 0.008 (replace-one) and 0.004 (add-remove).
"""

import argparse
import math
import time

import numpy as np

from discreet import Lasso
from discreet.accounting import gumbel_scale
from studies.talwar.lasso import DELTA, SLOPE, SparseProblem

RECORDS, FEATURES = 20_000, 1000
REQUIRED = {"replace-one": 0.008, "add-remove": 0.004}


def compare_shares(problem: SparseProblem, draw: np.random.Generator, runs: int) -> None:
    """Both rules at epsilon = 1, add-remove, with floating-point Gumbel noise: a simulation, not a release."""
    for steps in (20, 28, 45, 80):
        scale = gumbel_scale(1.0, DELTA, sensitivity=SLOPE / RECORDS, count=steps)
        for name, offset in (("shares 1 / t", 0.0), ("shares 2 / (t + 2)", 2.0)):
            walks = [problem.walk(steps + 1, lambda z, b=scale: int(np.argmax(draw.gumbel(0.0, b, len(z)) - z)), offset=offset) for _ in range(runs)]
            show(1.0, name, steps, [problem.excess(theta) for theta in walks], math.nan)


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=10)
    options.add_argument("--epsilons", type=float, nargs="+", default=[0.5, 1.0, 4.0])
    options.add_argument("--shares", action="store_true")
    given = options.parse_args()
    problem, draw = SparseProblem(RECORDS, FEATURES, np.random.default_rng(0)), np.random.default_rng(1)
    print(f"n = {RECORDS}, d = {FEATURES}, delta = {DELTA:g}, {given.runs} runs; least risk {problem.least:.5f}, at zero {problem.square:.4f}")
    print(f"{'epsilon':>7} {'':<24}{'T':>5} {'excess risk':>22}  {'seconds':>7}")
    if given.shares:
        compare_shares(problem, draw, given.runs)
        return
    for epsilon in given.epsilons:
        found = [problem.published(epsilon, draw) for _ in range(given.runs)]
        show(epsilon, "published", found[0][1], [problem.excess(theta) for theta, _ in found], math.nan)
        for relation, most in REQUIRED.items():
            model = Lasso(
                epsilon=epsilon,
                delta=DELTA,
                neighbours=relation,
                radius=1.0,
                data_bound=1.0,
                target_bound=1.0,
                fit_intercept=False,
                public_records=RECORDS,
            )
            start = time.perf_counter()
            risks = [problem.excess(model.fit(problem.rows, problem.targets).coef_) for _ in range(given.runs)]
            seconds = (time.perf_counter() - start) / given.runs
            model.certificate_.verify(model.weights_).require()
            show(epsilon, f"ours, {relation}", int(model.certificate_.parameters["steps"]), risks, seconds)
            if epsilon == 1.0:
                verdict = "met" if np.mean(risks) <= most else "NOT MET"
                print(f"{'':>7} required at most {most}: {verdict}")


def show(epsilon: float, name: str, steps: int, risks: list[float], seconds: float) -> None:
    """One line."""
    error = np.std(risks, ddof=1) / math.sqrt(len(risks)) if len(risks) > 1 else math.nan
    print(f"{epsilon:7g} {name:<24}{steps:5d} {np.mean(risks):12.5f} +- {error:.5f}  {seconds:7.2f}", flush=True)


if __name__ == "__main__":
    main()
