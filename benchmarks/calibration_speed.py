"""Time of a calibration: the analytic Gaussian, and theorem T1 for every loss, with and without slack, under both neighbouring relations.

    python benchmarks/calibration_speed.py

Targets: 0.2 ms for the analytic Gaussian, 20 ms for T1 (medians, one core).
"""

import os
import time
from collections.abc import Callable
from statistics import median

from discreet.accounting import gaussian_mu
from discreet.core.neighbours import Neighbours
from discreet.data import Domain
from discreet.losses import HuberHinge, Logistic, MarginLoss, SmoothedHinge, SoftplusHinge
from discreet.mechanisms.learning.margin import MARGIN
from discreet.problems import RegularisedRisk

EPSILON, DELTA = 1.0, 1e-6


def problem(loss: MarginLoss, ridge: float) -> RegularisedRisk:
    """105 features in the unit ball."""
    return RegularisedRisk(loss=loss, ridge=ridge, domain=Domain(features=105, norm_bound=1.0, classes=2))


def milliseconds(action: Callable[[], object], repeat: int) -> float:
    """Median time of one call."""
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        action()
        times.append(time.perf_counter() - begin)
    return 1e3 * median(times)


def main() -> None:
    """Print the table."""
    print(f"load average {os.getloadavg()[0]:.1f}, epsilon {EPSILON}, delta {DELTA}")
    print(f"analytic Gaussian {milliseconds(lambda: gaussian_mu(EPSILON, DELTA), 200):.3f} ms")
    for loss in (Logistic(), SoftplusHinge(), HuberHinge(), SmoothedHinge()):
        for neighbours in Neighbours:
            comfortable = MARGIN.comfortable_ridge(problem(loss, 1.0), epsilon=EPSILON, delta=DELTA, neighbours=neighbours)
            for factor in (0.55, 1.0, 3.0):
                chosen = problem(loss, factor * comfortable)
                spent = milliseconds(
                    lambda chosen=chosen, relation=neighbours: MARGIN.scale(chosen, epsilon=EPSILON, delta=DELTA, neighbours=relation), 9
                )
                print(f"T1 {loss.name:15s} {neighbours:12s} lambda {factor:4.2f} x slack-free   {spent:6.2f} ms")


if __name__ == "__main__":
    main()
