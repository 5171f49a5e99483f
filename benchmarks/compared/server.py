"""Runs in the peers' environment, without Discreet: one JSON request a line, one JSON answer a line, with times measured here.

python -m compared.server      from benchmarks/
"""

import gc
import json
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import diffprivlib.mechanisms as peer_mechanisms
import dp_accounting
import numpy as np
import opendp.prelude as dp
from diffprivlib.models import LinearRegression, LogisticRegression
from dp_accounting import pld, rdp
from dp_accounting.pld import common, privacy_loss_mechanism

from compared.made import long_table

dp.enable_features("contrib")

Answer = dict[str, Any]
TABLES: dict[str, Any] = {}


def timed(work: Callable[[], object]) -> tuple[object, Answer]:
    """What it returns, and its times."""
    gc.collect()
    start, busy = time.perf_counter(), time.process_time()
    found = work()
    return found, {"clock": time.perf_counter() - start, "busy": time.process_time() - busy}


def versions() -> Answer:
    """Of what is compared."""
    return {"versions": {name: version(name) for name in ("diffprivlib", "scikit-learn", "opendp", "dp-accounting", "numpy")}}


def table(rows: str, classes: str) -> Answer:
    """Read the table that logistic fits are of."""
    TABLES["rows"], TABLES["classes"] = np.load(rows), np.load(classes)
    return {}


def long(count: int, columns: int) -> Answer:
    """Make the long table instead."""
    TABLES["rows"], TABLES["classes"], TABLES["targets"] = long_table(count, columns)
    return {}


def logistic(epsilon: float, ridge: float, tol: float, fits: int) -> Answer:
    """So many fits of diffprivlib's logistic regression."""

    def work() -> LogisticRegression:
        for _ in range(fits):
            model = LogisticRegression(epsilon=epsilon, data_norm=1.0, C=1.0 / ridge, tol=tol, fit_intercept=False, max_iter=10_000)
            model.fit(TABLES["rows"], TABLES["classes"])
        return model

    model, times = timed(work)
    return {**times, "right": float(np.mean(model.predict(TABLES["rows"]) == TABLES["classes"]))}


def linear(epsilon: float) -> Answer:
    """One fit of diffprivlib's linear regression, with entries declared between -0.5 and 0.5."""
    model = LinearRegression(epsilon=epsilon, bounds_X=(-0.5, 0.5), bounds_y=(-1.0, 1.0), fit_intercept=False)
    _, times = timed(lambda: model.fit(TABLES["rows"], TABLES["targets"]))
    return {**times, "explained": float(model.score(TABLES["rows"], TABLES["targets"]))}


def opendp_draws(law: str, scale: float, count: int) -> Answer:
    """A vector of OpenDP's noise: integers, or floats on its grid."""
    whole = law.startswith("discrete")
    domain = dp.vector_domain(dp.atom_domain(T=int) if whole else dp.atom_domain(T=float, nan=False))
    if law.endswith("Gaussian"):
        measure = dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale=scale)
    else:
        measure = dp.m.make_laplace(domain, dp.l1_distance(T=int if whole else float), scale=scale)
    zeros = [0 if whole else 0.0] * count
    return timed(lambda: measure(zeros))[1]


def diffprivlib_draws(law: str, scale: float, count: int) -> Answer:
    """One number after the other, as its mechanisms work."""
    if law == "discrete Gaussian":
        mechanism = peer_mechanisms.GaussianDiscrete(epsilon=1.0, delta=1e-6, sensitivity=1)
        mechanism._scale = scale  # noqa: SLF001 - the law at the scale that everybody draws
        value: float = 0
    elif law == "discrete Laplace":
        mechanism, value = peer_mechanisms.Geometric(epsilon=1.0 / scale, sensitivity=1), 0
    elif law == "Gaussian":
        mechanism, value = peer_mechanisms.GaussianAnalytic(epsilon=1.0, delta=1e-6, sensitivity=scale), 0.0
    elif law == "snapping":
        bound = 1000.0 * scale
        mechanism, value = peer_mechanisms.Snapping(epsilon=1.0, sensitivity=scale, lower=-bound, upper=bound), 0.0
    else:
        mechanism, value = peer_mechanisms.Laplace(epsilon=1.0, sensitivity=scale), 0.0
    return timed(lambda: [mechanism.randomise(value) for _ in range(count)])[1]


def calibration(how: str, epsilon: float, delta: float, count: int) -> Answer:
    """Standard deviation of Gaussian noise of sensitivity 1."""

    def event(sigma: float) -> dp_accounting.DpEvent:
        return dp_accounting.GaussianDpEvent(sigma)

    def measurement(scale: float) -> object:
        space = (dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float))
        return dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*space, scale=scale)), delta)

    def by_losses() -> float:
        target = common.DifferentialPrivacyParameters(epsilon, delta)
        return float(privacy_loss_mechanism.GaussianPrivacyLoss.from_privacy_guarantee(target).standard_deviation)

    ways: dict[str, Callable[[], float]] = {
        "analytic": lambda: peer_mechanisms.GaussianAnalytic(epsilon=epsilon, delta=delta, sensitivity=1.0)._scale,  # noqa: SLF001
        "opendp": lambda: dp.binary_search_param(measurement, d_in=1.0, d_out=(epsilon, delta)),
        "losses": by_losses,
        "rdp": lambda: dp_accounting.calibrate_dp_mechanism(rdp.RdpAccountant, event, epsilon, delta),
        "pld": lambda: dp_accounting.calibrate_dp_mechanism(pld.PLDAccountant, event, epsilon, delta),
    }
    found, times = timed(lambda: [ways[how]() for _ in range(count)][-1])
    return {**times, "sigma": found}


TASKS: dict[str, Callable[..., Answer]] = {
    task.__name__: task for task in (versions, table, long, logistic, linear, opendp_draws, diffprivlib_draws, calibration)
}


def main() -> None:
    """Answer until the input ends."""
    for line in sys.stdin:
        given = json.loads(line)
        try:
            answer = TASKS[given.pop("task")](**given)
        except Exception as failure:  # noqa: BLE001 - the other side says what went wrong
            answer = {"error": f"{type(failure).__name__}: {failure}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
