"""Peak memory of one fit, in a fresh process of each: growth of the resident size over the imports, over the size of the data.

python -m compared.memory WHO COUNT COLUMNS      from benchmarks/; WHO is one of WHO below; imports what WHO needs alone
"""

import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from compared.made import Floats, long_table
from compared.measured import Claim, Group, Row, Table, load

TEXT = """\
The growth of the peak resident size over the imports and a first small fit, divided by the size of the rows. scikit-learn and diffprivlib fit to
their own tolerance."""

WHO = ("bare solve", "private fit", "private linear fit", "scikit-learn newton-cholesky", "scikit-learn lbfgs", "diffprivlib", "diffprivlib linear")


def fit_of(who: str) -> Callable[[Floats, Floats, Floats], Any]:
    """A function of rows, classes and targets."""
    if who == "bare solve":
        from fit_speed import DenseMatrix, objective_for, solve  # noqa: PLC0415 - imports are what is measured

        return lambda rows, classes, _: solve(objective_for(DenseMatrix(rows), 2.0 * classes - 1.0), tolerance=1e-10 * len(rows))
    if who == "private fit":
        from discreet import LogisticRegression  # noqa: PLC0415

        settings = {"epsilon": 1.0, "delta": 1e-6, "alpha": 1e-3, "fit_intercept": False, "classes": [0, 1]}
        return lambda rows, classes, _: LogisticRegression(**settings).fit(rows, classes)
    if who == "private linear fit":
        from discreet import LinearRegression  # noqa: PLC0415

        return lambda rows, _, targets: LinearRegression(epsilon=1.0, delta=1e-6, fit_intercept=False, target_bound=1.0).fit(rows, targets)
    if who.startswith("scikit-learn"):
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

        solver = who.split()[1]
        return lambda rows, classes, _: LogisticRegression(C=1e3 / len(rows), fit_intercept=False, solver=solver).fit(rows, classes)
    from diffprivlib import models  # noqa: PLC0415 - not in our environment

    if who == "diffprivlib":
        return lambda rows, classes, _: models.LogisticRegression(data_norm=1.0, C=1e3 / len(rows), fit_intercept=False).fit(rows, classes)
    return lambda rows, _, targets: models.LinearRegression(bounds_X=(-0.5, 0.5), bounds_y=(-1.0, 1.0), fit_intercept=False).fit(rows, targets)


def peak() -> int:
    """Peak resident bytes of this process; Linux only."""
    status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return 1024 * int(next(line for line in status if line.startswith("VmHWM")).split()[1])


def seen(interpreter: str, who: str, count: int, columns: int) -> tuple[float, float]:
    """Peak with the data made, and with the fit, over the size of the data; from a process of its own."""
    command = [interpreter, "-W", "ignore", "-m", "compared.memory", who, str(count), str(columns)]
    ours = {} if interpreter == sys.executable else {"PYTHONPATH": ""}
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", **ours}
    shown = subprocess.run(  # noqa: S603 - this file
        command, cwd=Path(__file__).parents[1], env={**os.environ, **one_thread}, capture_output=True, text=True, check=True
    ).stdout.split()
    return float(shown[-2]), float(shown[-1])


def memory(peers: Path | None, *, count: int, columns: int) -> Table:
    """The table."""
    before = load()
    rows = []
    for who in WHO:
        other = who.startswith("diffprivlib")
        if other and peers is None:
            continue
        made, fitted = seen(str(peers) if other else sys.executable, who, count, columns)
        side = "peer" if other or who.startswith("scikit") else "bare" if who.startswith("bare") else "ours"
        rows.append(Row(name=who, side=side, count=1.0, clock=[], busy=[made, fitted], note=f"{made:.2f} with the data alone"))
    claims = [Claim(text="bare solve: at most 1.3 times the data", seen=rows[0].busy[-1], limit=1.3, at_most=True)]
    groups = [Group(title="a fresh process each", rows=rows)]
    title = f"Peak memory of one fit, dense, {count:,} x {columns}"
    return Table(key="memory", title=title, text=TEXT, unit="memory", groups=groups, load=(before, load()), claims=claims)


def main() -> None:
    """See module docstring."""
    who, count, columns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    fit = fit_of(who)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit(*long_table(2000, columns))
        before = peak()
        rows, classes, targets = long_table(count, columns)
        made = peak() - before
        fit(rows, classes, targets)
    print(made / rows.nbytes, (peak() - before) / rows.nbytes)


if __name__ == "__main__":
    main()
