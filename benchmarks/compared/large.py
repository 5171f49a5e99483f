"""One private fit of a long dense table, logistic and linear, by us and by diffprivlib, with scikit-learn's fits without privacy."""

import numpy as np
from fit_speed import PRECISION
from sklearn.linear_model import LinearRegression as PlainLinear

from compared.fits import DEFAULT_TOL, RIDGE, plain, private, quietly
from compared.link import Link
from compared.made import Floats, long_table
from compared.measured import Contestant, Table, compete, load, local
from discreet import LinearRegression
from discreet.data import Domain, Records
from discreet.losses import Logistic
from discreet.matrices import DenseMatrix
from discreet.objectives import objective_of
from discreet.problems import RegularisedRisk
from discreet.solvers import solve

TEXT = """\
Epsilon 1 (delta 1e-6 for ours, 0 for diffprivlib), no intercept, logistic ridge 1e-3 n; about half of the rows are longer than the declared bound
of 1 and are shortened. The note says what comes out: the share of these records that is classified right, and R^2 on them. `moments` is the mechanism
of ours that is nearest to diffprivlib's in its work, sums of squares and products; ours by default puts noise into an objective that is robust."""


def large(link: Link | None, *, count: int, columns: int, rounds: int) -> Table:
    """The table."""
    before = load()
    rows, classes, targets = long_table(count, columns)
    groups = {"logistic regression": logistic(rows, classes), "linear regression": linear(rows, targets)}
    if link is not None:
        link.ask("long", count=count, columns=columns)
        found: dict[str, float] = {}

        def fit() -> tuple[float, float]:
            answer = link.ask("logistic", epsilon=1.0, ridge=RIDGE * count, tol=DEFAULT_TOL, fits=1)
            found["right"] = answer["right"]
            return answer["clock"], answer["busy"]

        def line() -> tuple[float, float]:
            answer = link.ask("linear", epsilon=1.0)
            found["explained"] = answer["explained"]
            return answer["clock"], answer["busy"]

        note = lambda: f"epsilon 1, delta 0; {found['right']:.3f} right"  # noqa: E731
        groups["logistic regression"].append(Contestant(name="diffprivlib, its tolerance", side="peer", run=fit, note=note))
        explained = lambda: f"epsilon 1, delta 0; R^2 {found['explained']:.3g}"  # noqa: E731
        groups["linear regression"].append(Contestant(name="diffprivlib", side="peer", run=line, rounds=1, note=explained))
    seen = compete(groups, rounds)
    return Table(key="large", title=f"One fit, dense, {count:,} x {columns}", text=TEXT, unit="s", groups=seen, load=(before, load()))


def logistic(rows: Floats, classes: Floats) -> list[Contestant]:
    """Without the peers' process."""
    count = len(rows)
    domain = Domain(features=rows.shape[1], norm_bound=1.0, records=count, classes=2)
    data = Records(rows=DenseMatrix(rows), targets=2.0 * classes - 1.0, domain=domain)
    risk = RegularisedRisk(loss=Logistic(), ridge=RIDGE * count, domain=domain)
    model = private()
    found = [
        Contestant(
            name="bare solve, rows shortened beforehand",
            side="bare",
            run=local(lambda: solve(objective_of(risk, data), tolerance=PRECISION * count)),
            note=f"gradient norm / n at most {PRECISION:.0e}",
        ),
        Contestant(
            name="private fit",
            side="ours",
            run=local(lambda: model.fit(rows, classes)),
            note=lambda: f"{np.mean(model.predict(rows) == classes):.3f} right",
        ),
    ]
    for solver in ("newton-cholesky", "lbfgs"):
        peer = plain(RIDGE * count, solver, DEFAULT_TOL)
        found.append(
            Contestant(
                name=f"scikit-learn {solver}, its tolerance",
                side="peer",
                run=local(lambda peer=peer: quietly(peer, rows, classes)),
                note=lambda peer=peer: f"{np.mean(peer.predict(rows) == classes):.3f} right",
            )
        )
    return found


def linear(rows: Floats, targets: Floats) -> list[Contestant]:
    """Without the peers' process."""
    plain_line = PlainLinear(fit_intercept=False)
    found = [
        Contestant(
            name="scikit-learn, without privacy",
            side="peer",
            run=local(lambda: plain_line.fit(rows, targets)),
            rounds=1,
            note=lambda: f"R^2 {plain_line.score(rows, targets):.3f}",
        )
    ]
    for mechanism in ("auto", "moments", "refined"):
        model = LinearRegression(epsilon=1.0, delta=1e-6, fit_intercept=False, mechanism=mechanism, target_bound=1.0)
        named = "private fit, default" if mechanism == "auto" else f"private fit, {mechanism}"
        fit = local(lambda model=model: model.fit(rows, targets))
        found.append(Contestant(name=named, side="ours", run=fit, note=lambda model=model: f"R^2 {model.score(rows, targets):.3f}"))
    return found
