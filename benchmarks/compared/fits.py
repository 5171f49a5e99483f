"""One fit of an Adult-like table: a private one from end to end, the bare solve, scikit-learn's solvers, and diffprivlib's logistic regression."""

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from fit_speed import PEERS, PRECISION, SIZES, adult_like, explicit, objective_for, ours, peer
from scipy import sparse
from sklearn.linear_model import LogisticRegression as PlainRegression

from compared.link import Link
from compared.measured import Claim, Contestant, Group, Table, compete, load, local, ratio_claim
from discreet import LogisticRegression
from discreet.core.arrays import Floats
from discreet.data import CategoricalColumn, Domain, NumericColumn, Records, Schema, Target
from discreet.matrices import DenseMatrix, Matrix, SparseMatrix

RIDGE = 1e-3
"""Over the number of records."""
DEFAULT_TOL = 1e-4
"""scikit-learn's, and diffprivlib's."""

TEXT = """\
Everybody minimises `sum_i log(1 + exp(-y_i <x_i, w>)) + (ridge / 2) |w|^2`, ridge = 1e-3 n, without intercept, on rows of norm 1 with 14 non-zeros
of 105. The *bare solve* is this library's solver alone, on a matrix made beforehand, to a certified gradient norm of 1e-10 n. A *private fit* is
`LogisticRegression(epsilon=1, delta=1e-6, alpha=1e-3, fit_intercept=False, classes=[0, 1]).fit(X, y)`: conversion and checks of X and y, norms and
clipping, calibration, noise, the solve to the tolerance that the proof asks for (smaller than 1e-10 n), the last stage on its grid, and the
certificate. scikit-learn fits without privacy, once with its own tolerance and once with the largest of 1e-6, 1e-8, 1e-9, ... that gets the
gradient norm, measured here, below 1e-10 n (the note says so where none does). diffprivlib fits with epsilon 1 and delta 0, to scikit-learn's default
tolerance of 1e-4, where its proof is about exact minimisers; it takes dense rows only."""


def private(**changed: object) -> LogisticRegression:
    """The estimator that everybody is compared with."""
    settings: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-6, "alpha": RIDGE, "fit_intercept": False, "classes": [0, 1], **changed}
    return LogisticRegression(**settings)


def plain(ridge: float, solver: str, tol: float) -> PlainRegression:
    """scikit-learn's, on the same objective."""
    return PlainRegression(C=1.0 / ridge, fit_intercept=False, solver=solver, tol=tol, max_iter=10_000)


def quietly(model: PlainRegression, rows: object, classes: Floats) -> object:
    """A fit without warnings of convergence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(rows, classes)


def frame_like(count: int, signs: Floats) -> tuple[pl.DataFrame, Schema]:
    """A data frame of six numbers, eight categories and a target, and its schema."""
    rng = np.random.default_rng(1)
    columns: dict[str, Any] = {f"number {j}": rng.uniform(0.0, 100.0, count) for j in range(6)}
    names = [[f"category {code}" for code in range(size)] for size in SIZES]
    for j, labels in enumerate(names):
        columns[f"labels {j}"] = np.array(labels)[rng.choice(len(labels), count, p=rng.dirichlet(np.full(len(labels), 0.5)))]
    columns["target"] = np.where(signs > 0, "yes", "no")
    schema = Schema(
        name="people",
        target=Target(column="target", classes=("no", "yes")),
        numeric=tuple(NumericColumn(name=f"number {j}", lower=0.0, upper=100.0) for j in range(6)),
        categorical=tuple(CategoricalColumn(name=f"labels {j}", categories=tuple(labels)) for j, labels in enumerate(names)),
    )
    return pl.DataFrame(columns), schema


def in_form(title: str, rows: object, matrix: Matrix, signs: Floats) -> list[Contestant]:
    """The contestants whose rows are an array or a sparse matrix."""
    count, classes = len(signs), (signs > 0).astype(np.int64)
    bare, norm = ours(matrix, signs)
    found = [Contestant(name=f"bare solve, {title}", side="bare", run=local(bare), note=f"gradient norm / n {norm:.0e}")]
    model = private()
    tau = model.fit(rows, classes).certificate_.parameters["tolerance"]
    note = f"gradient norm / n at most {tau / count:.0e}"
    found.append(Contestant(name=f"private fit, {title}", side="ours", run=local(lambda: private().fit(rows, classes)), note=note))
    default = private(alpha=None)
    found.append(
        Contestant(name=f"private fit, default alpha, {title}", side="ours", run=local(lambda: default.fit(rows, classes)), note="less ridge")
    )
    for solver in PEERS:
        fit, reached = peer(rows, signs, solver)
        short = "" if reached <= PRECISION else ", gets no further"
        found.append(Contestant(name=f"scikit-learn {solver}, {title}", side="peer", run=local(fit), note=f"gradient norm / n {reached:.0e}{short}"))
    found += [loose(f"scikit-learn {solver}, its tolerance, {title}", rows, matrix, signs, solver) for solver in PEERS[:2]]
    return found


def loose(name: str, rows: object, matrix: Matrix, signs: Floats, solver: str) -> Contestant:
    """scikit-learn as it comes."""
    model, objective = plain(RIDGE * len(signs), solver, DEFAULT_TOL), objective_for(matrix, signs)
    weights = quietly(model, rows, signs).coef_[0]  # type: ignore[attr-defined]
    reached = float(np.linalg.norm(objective.gradient(weights, objective.margins(weights)))) / len(signs)
    return Contestant(name=name, side="peer", run=local(lambda: quietly(model, rows, signs)), note=f"gradient norm / n {reached:.0e}")


def by_schema(frame: pl.DataFrame, schema: Schema) -> list[Contestant]:
    """The contestants whose rows are a data frame."""
    encoded = schema.encode(frame, target=True)
    data = Records(rows=encoded.rows, targets=encoded.signs, domain=Domain(features=schema.features, norm_bound=1.0, records=frame.height, classes=2))
    bare, norm = ours(data.matrix, data.signs)
    model = private(classes=None)
    whole: Callable[[], object] = lambda: model.fit(schema.encode(frame, target=True))  # noqa: E731 - as the other contestants
    return [
        Contestant(name="bare solve, encoded rows", side="bare", run=local(bare), note=f"gradient norm / n {norm:.0e}"),
        Contestant(name="private fit, encoded rows", side="ours", run=local(lambda: model.fit(encoded))),
        Contestant(name="private fit, data frame by a schema", side="ours", run=local(whole), note="texts encoded in the fit"),
    ]


def fits(link: Link | None, *, count: int, rounds: int) -> Table:
    """The table."""
    before = load()
    tabular, signs = adult_like(count)
    matrix = explicit(tabular)
    dense, compressed = matrix.toarray(), sparse.csr_matrix(matrix)
    groups = {
        "CSR rows": in_form("CSR", compressed, SparseMatrix(matrix), signs),
        "dense rows": in_form("dense", dense, DenseMatrix(dense), signs),
        "a schema's columns, held as numbers and codes": by_schema(*frame_like(count, signs)),
    }
    if link is not None:
        with tempfile.TemporaryDirectory() as name:
            paths = [str(Path(name) / part) for part in ("rows.npy", "classes.npy")]
            np.save(paths[0], dense)
            np.save(paths[1], (signs > 0).astype(np.int64))
            link.ask("table", rows=paths[0], classes=paths[1])
        given = {"epsilon": 1.0, "ridge": RIDGE * count, "fits": 1}
        for tol, named in ((DEFAULT_TOL, "its tolerance"), (1e-10, "tolerance 1e-10")):
            run = lambda tol=tol: link.timed("logistic", tol=tol, **given)  # noqa: E731
            groups["dense rows"].append(Contestant(name=f"diffprivlib, {named}, dense", side="peer", run=run, note="epsilon 1, delta 0"))
    seen = compete(groups, rounds)
    title = f"One fit, Adult-like, {count:,} x {matrix.shape[1]}"
    return Table(key="fits", title=title, text=TEXT, unit="ms", groups=seen, load=(before, load()), claims=claims(seen))


def claims(seen: list[Group]) -> list[Claim]:
    """What was aimed at."""
    found = []
    for group, form in zip(seen, ("CSR", "dense", "encoded rows"), strict=True):
        names = (f"private fit, {form}", f"bare solve, {form}")
        found += ratio_claim(f"private fit over the bare solve, {form}: at most 1.5", group, names, limit=1.5, at_most=True)
    for group, form in zip(seen, ("CSR", "dense"), strict=False):
        names = (f"scikit-learn newton-cholesky, {form}", f"private fit, {form}")
        found += ratio_claim(f"newton-cholesky over the private fit, {form}: at least 2", group, names, limit=2.0, at_most=False)
    return found
