"""Many fits of one table with different noise: one call, against loops of the others, of which a few fits are run and the rest extrapolated."""

import numpy as np
from fit_speed import PRECISION, adult_like, explicit, objective_for
from scipy import sparse

from compared.fits import RIDGE, frame_like, plain, private, quietly
from compared.link import Link
from compared.measured import Claim, Contestant, Group, Table, Timed, compete, load, local, timed
from discreet.core.arrays import Floats
from discreet.matrices import DenseMatrix, SparseMatrix
from discreet.solvers import solve_many

TARGETS = {1.0: 250.0, 0.1: 40.0}
"""Fits a CPU second that are aimed at, by epsilon."""

TEXT = """\
The same table and ridge. `solve_many` takes 500 linear terms of the length that pure noise at this epsilon has, and certifies a gradient norm of
1e-10 n for each; `fit_many` is the estimator's whole way to 500 private fits (epsilon each, delta = 0), certificate included. scikit-learn has no
linear term: its warm loop is `warm_start=True` from each of a few of our 500 minimisers back to the minimiser without noise, as far a way as the one
there. diffprivlib fits anew each time."""


def seeds(link: Link | None, *, count: int, models: int, few: int, rounds: int) -> Table:
    """The table."""
    before = load()
    tabular, signs = adult_like(count)
    held_rows = explicit(tabular)
    dense, compressed = held_rows.toarray(), sparse.csr_matrix(held_rows)
    frame, schema = frame_like(count, signs)
    encoded = schema.encode(frame, target=True)
    classes = (signs > 0).astype(np.int64)
    forms = {"CSR": SparseMatrix(held_rows), "dense": DenseMatrix(dense), "numbers and codes": tabular}
    groups: dict[str, list[Contestant]] = {}
    for epsilon in TARGETS:
        most = 2 if epsilon >= 1.0 else 1  # half a minute each otherwise
        rng = np.random.default_rng(3)
        linears = rng.standard_normal((held_rows.shape[1], models))
        linears *= rng.gamma(held_rows.shape[1], 2.0 / epsilon, models) / np.linalg.norm(linears, axis=0)
        group = []
        for form, matrix in forms.items():
            objective = objective_for(matrix, signs)
            solve = local(lambda objective=objective, linears=linears: solve_many(objective, linears, tolerance=PRECISION * count))
            group.append(Contestant(name=f"solve_many, {form}", side="bare", run=solve, count=models, rounds=most))
        model = private(epsilon=epsilon, delta=0.0)
        for form, rows in (("CSR", compressed), ("dense", dense)):
            many = local(lambda model=model, rows=rows: model.fit_many(rows, classes, count=models))
            group.append(Contestant(name=f"fit_many, {form}", side="ours", run=many, count=models, rounds=most))
        by_codes = private(epsilon=epsilon, delta=0.0, classes=None)
        many = local(lambda model=by_codes: model.fit_many(encoded, count=models))
        group.append(Contestant(name="fit_many, encoded rows", side="ours", run=many, count=models, rounds=most))
        starts = solve_many(objective_for(forms["CSR"], signs), linears[:, :few], tolerance=PRECISION * count)[0]
        for solver, tol in (("newton-cholesky", 1e-6), ("lbfgs", 1e-9)):
            run = lambda starts=starts, solver=solver, tol=tol: warm(compressed, signs, starts, solver, tol)  # noqa: E731
            group.append(
                Contestant(
                    name=f"scikit-learn {solver}, warm, CSR", side="peer", run=run, count=few, rounds=most, note=f"{few} run, tolerance {tol:.0e}"
                )
            )
        if link is not None:
            given = {"epsilon": epsilon, "ridge": RIDGE * count, "tol": 1e-4, "fits": few}
            run = lambda given=given: link.timed("logistic", **given)  # noqa: E731
            group.append(Contestant(name="diffprivlib, its tolerance, dense", side="peer", run=run, count=few, rounds=most, note=f"{few} run"))
        groups[f"epsilon {epsilon:g}"] = group
    seen = compete(groups, rounds)
    title = f"{models} seeds, Adult-like, {count:,} x {held_rows.shape[1]}"
    return Table(key="seeds", title=title, text=TEXT, unit="fits", groups=seen, load=(before, load()), claims=claims(seen))


def warm(rows: object, signs: Floats, starts: Floats, solver: str, tol: float) -> Timed:
    """A fit from each start."""
    model = plain(RIDGE * len(signs), solver, tol).set_params(warm_start=True)
    quietly(model, rows, signs)

    def loop() -> None:
        for start in starts.T:
            model.coef_ = start[np.newaxis].copy()
            quietly(model, rows, signs)

    return timed(loop)


def claims(seen: list[Group]) -> list[Claim]:
    """What was aimed at: by the fastest form of the whole way."""
    found = []
    for group, (epsilon, target) in zip(seen, TARGETS.items(), strict=True):
        for kind in ("solve_many", "fit_many"):
            best = max(1.0 / row.each() for row in group.rows if row.name.startswith(kind))
            text = f"{kind} at epsilon {epsilon:g}: at least {target:g} fits a CPU second"
            found.append(Claim(text=text, seen=best, limit=target, at_most=False))
    return found
