"""diffprivlib's logistic regression, and ours, under the same audit: fits on two neighbouring tables, and a lower bound on epsilon.

    python benchmarks/peer_audit.py [--runs 20000] [--python INTERPRETER] [--confidence 0.999]

INTERPRETER has diffprivlib 0.6.6 installed, which needs scikit-learn below 1.8; without it, an environment is made in a temporary folder. Claimed
everywhere: epsilon = 1, delta = 0. Pairs:

    curvature   rows of norm up to 100: the record (100, +) replaced by (0, +), beside (0, +) and (0, -); no intercept, data_norm = 100. The slack of
                the Jacobian is computed from c R where the theorem needs c R^2
    intercept   the record (1, +) replaced by (0, +), beside (0, +) and (0, -); data_norm = 1, default intercept. It is not regularised, so the
                objective is not strongly convex and most perturbed objectives have no minimiser
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from discreet import LogisticRegression
from discreet.audit import Claim
from discreet.audit.fits import many_fits
from discreet.audit.report import AuditReport
from discreet.audit.statistical import of_outputs, outputs_of

CLAIM = Claim(epsilon=1.0)
WORKER = Path(__file__).with_name("peer_worker.py")


def pair(norm: float) -> list[tuple[list[list[float]], list[int]]]:
    """Two tables of three records that differ in the first."""
    return [([[first], [0.0], [0.0]], [1, 1, -1]) for first in (norm, 0.0)]


CASES = {"curvature": (100.0, False), "intercept": (1.0, True)}


def environment(folder: Path) -> str:
    """An interpreter with the peer installed."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)  # noqa: S603 - our own arguments
    interpreter = folder / "bin" / "python"
    subprocess.run([str(interpreter), "-m", "pip", "install", "-q", "diffprivlib==0.6.6", "scikit-learn<1.8"], check=True)  # noqa: S603
    return str(interpreter)


def peer(interpreter: str, norm: float, runs: int, *, intercept: bool, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Outputs of the peer on both tables."""
    specification, out = folder / "specification.json", folder / "outputs.npz"
    settings = {"epsilon": CLAIM.epsilon, "data_norm": norm, "C": 1.0, "fit_intercept": intercept}
    specification.write_text(json.dumps({"pair": pair(norm), "runs": runs, "settings": settings}))
    subprocess.run([interpreter, str(WORKER), str(specification), str(out)], check=True)  # noqa: S603
    found = np.load(out)
    return found["first"], found["second"]


def ours(norm: float, runs: int, confidence: float, *, intercept: bool) -> AuditReport:
    """The same for Discreet."""
    model = LogisticRegression(epsilon=CLAIM.epsilon, delta=0.0, data_norm=norm, classes=[-1, 1], fit_intercept=intercept)
    tables = [(np.array(rows), np.array(signs)) for rows, signs in pair(norm)]
    outputs = outputs_of(many_fits(model), tables, runs=runs, confidence=confidence, batch=True)
    return of_outputs(*outputs, CLAIM, confidence=confidence, subject="Discreet LogisticRegression", described="as above")


def main() -> None:
    """Print both reports of each case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--python")
    parser.add_argument("--confidence", type=float, default=0.999)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        interpreter = given.python or environment(folder / "environment")
        for case, (norm, intercept) in CASES.items():
            outputs = peer(interpreter, norm, given.runs, intercept=intercept, folder=folder)
            report = of_outputs(*outputs, CLAIM, confidence=given.confidence, subject="diffprivlib LogisticRegression", described=case)
            print(f"{report}\n")
            if intercept:
                far = [float(np.mean(np.abs(side[:, -1]) > 25.0)) for side in outputs]
                print(f"Intercepts beyond 25: {far[0]:.1%} of the fits on the first table, {far[1]:.1%} on the second\n")
            print(f"{ours(norm, given.runs, given.confidence, intercept=intercept)}\n")


if __name__ == "__main__":
    main()
