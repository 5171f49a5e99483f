"""Planted faults against audits: the bound on epsilon that each audit reaches without the fault and with it, and how often an audit cries wolf.

    python benchmarks/fault_table.py [--seeds 100] [--runs 2000]

Every fault must be caught, and no audit of a right mechanism may report a violation: in the table, and in `--seeds` repetitions of statistical audits
of right mechanisms at 99.9 % confidence, fresh noise each time. The faults are those of tests/audit/faults.py, where the test suite finds them too.
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from discreet import LinearSVC, LogisticRegression
from discreet.audit import AuditReport, Claim, audit
from discreet.audit.drawn.named import CATALOGUE, Target
from discreet.audit.fits import many_fits
from discreet.cli.audit_estimators import ESTIMATORS
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.noise import SystemNoise
from tests.audit.faults import CASES


def shown(report: AuditReport) -> str:
    """Bound and advantage."""
    return f"{report.bound:8.3f} {report.advantage:7.3f} {'violated' if report.violated else '-':9}"


def table() -> bool:
    """Print it; whether all is as it must be."""
    print(f"{'fault':62} {'audited':64} {'claim':>6} | {'bound':>8} {'advant.':>7} {'right':9} | {'bound':>8} {'advant.':>7} {'wrong':9}")
    good = True
    for case in CASES:
        right, wrong = case.right(), case.wrong()
        good = good and wrong.violated and not right.violated
        print(f"{case.fault:62} {case.audited:64} {wrong.claim.epsilon:6.3g} | {shown(right)} | {shown(wrong)}", flush=True)
    return good


def alarms(seeds: int, runs: int) -> bool:
    """Audits of right mechanisms at 99.9 %, again and again: laws that reach their claim exactly, and estimators end to end."""
    noise = SystemNoise()

    def laplace(shift: float, count: int) -> np.ndarray:
        return shift + noise.spherical(rate=1.0, dimension=1, draws=count).T

    def response(bit: int, count: int) -> np.ndarray:
        kept = noise.words()(count) < np.uint64(2.0**64 / (1.0 + np.exp(-1.0)))
        return np.where(kept, bit, 1 - bit)[:, np.newaxis]

    claim = Claim(epsilon=1.0)
    good = True
    tight = {"Laplace noise": (laplace, (1.0, 0.0)), "randomised response": (response, (1, 0))}
    for name, (run, pair) in tight.items():
        reports = [audit(run, pair, claim, runs=runs, confidence=0.999, batch=True) for _ in range(seeds)]
        good = summary(name, reports) and good
    for name, model in (("LogisticRegression", LogisticRegression), ("LinearSVC", LinearSVC)):
        signs = np.where(np.arange(400) % 2, 1, -1)
        others = np.column_stack((np.zeros(400), -0.05 * signs))
        first = np.vstack((others, [[0.9, 0.4]])), np.append(signs, 1)
        fits = many_fits(model(epsilon=1.0, neighbours="add-remove", classes=[-1, 1], fit_intercept=False))
        good = summary(name, [audit(fits, (first, (others, signs)), claim, runs=runs, batch=True) for _ in range(seeds)]) and good
    return good


def summary(name: str, reports: list[AuditReport]) -> bool:
    """Print how many of the reports speak of a violation; whether none does."""
    bounds = [report.bound for report in reports]
    false = sum(report.violated for report in reports)
    print(
        f"{name:24} {len(reports)} audits, claim 1: largest bound {max(bounds):.3f}, mean {np.mean(bounds):.3f}, violations reported: {false}",
        flush=True,
    )
    return false == 0


def catalogue() -> bool:
    """All named audits at their defaults."""
    good = True
    for entry in {**CATALOGUE, **ESTIMATORS}.values():
        for neighbours in (ADD_REMOVE, REPLACE_ONE):
            if entry.name in {"rows", "fresh-projection"} and neighbours is ADD_REMOVE:
                continue
            delta = 0.0 if entry.pure else 1e-6 if entry.method == "exact" else 0.01
            report = entry.run(Target(epsilon=1.0, delta=delta, neighbours=neighbours))
            good = good and not report.violated
            print(
                f"{entry.name:24} {neighbours!s:12} {entry.method:12} epsilon >= {report.bound:.4f} at delta {delta:g}; {report.verdict}", flush=True
            )
    return good


def main() -> int:
    """All three parts; 1 where something is not as it must be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--runs", type=int, default=2000)
    given = parser.parse_args()
    good = True
    for title, part in (
        ("Planted faults", table),
        ("Named audits, epsilon 1", catalogue),
        ("False alarms", lambda: alarms(given.seeds, given.runs)),
    ):
        begin = time.perf_counter()
        print(f"\n{title}\n")
        good = part() and good
        print(f"\n({time.perf_counter() - begin:.0f} s)")
    print("\nAll faults caught, no false alarm." if good else "\nNOT as it must be.")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
