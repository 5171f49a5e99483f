"""Fits beside what no fit can do without: sweeps over the rows, Gram matrices; checks of a fit beside it; lengths where layouts change."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

import numpy as np
from fit_speed import adult_like, explicit
from scipy import sparse

from compared.made import Floats, long_table
from compared.measured import Claim, Contestant, Group, Table, compete, load, local, ratio_claim
from discreet import LinearSVC, LogisticRegression
from discreet.matrices import DenseMatrix, SparseMatrix

BUDGET: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-6, "data_norm": 1.0, "classes": [0, 1]}
LENGTHS = (60_000, 65_536, 65_537, 100_000, 131_072)
COLUMNS = 50
FLOOR, GRAM, CHECK, FIT = "floor", "one Gram matrix of SciPy's CSR rows", "verify", "fit"
KINDS = (("LogisticRegression", LogisticRegression, 1.5), ("LinearSVC", LinearSVC, 2.0))

TEXT = f"""\
Adult-like rows, epsilon 1, delta 1e-6, settings as they come. The *floor* of a fit of dense rows is what it asks of them, products with a vector and
Hessians each counted as one sweep, at the time of one product of NumPy with a vector: how many are asked for is counted in the fit itself. A Hessian
of CSR rows stands beside `X.T @ (h X)` of SciPy. A check recomputes a fit's guarantee from its certificate. Times a thousand rows are those of a fit
of {COLUMNS} dense columns; tables of up to 65,536 rows are held whole, longer ones are worked on in parts."""


def floors(*, count: int, less: int, rounds: int) -> Table:
    """The table; `less` is by what lengths are divided."""
    before = load()
    tabular, signs = adult_like(count)
    matrix, classes = explicit(tabular), (signs > 0).astype(np.int64)
    dense = matrix.toarray()
    groups = {f"dense rows, {name}": over_floor(dense, classes, kind) for name, kind, _ in KINDS}
    groups["CSR rows, one Hessian"] = hessians(sparse.csr_matrix(matrix))
    groups |= {f"a check, {name}": checks(dense, classes, kind) for name, kind, _ in KINDS}
    groups["a thousand rows"] = lengths(less)
    seen = compete(groups, rounds)
    title = f"Fits and their floors, {count:,} x {dense.shape[1]}"
    return Table(key="floors", title=title, text=TEXT, unit="ms", groups=seen, load=(before, load()), claims=claims(seen))


@contextmanager
def counted(asked: list[float]) -> Iterator[None]:
    """Meanwhile every product with rows of a DenseMatrix is noted, as a number of rows."""
    names = ("matvec", "rmatvec", "banded", "gram")
    kept = {name: getattr(DenseMatrix, name) for name in names}

    def noting(method: Callable[..., Any]) -> Callable[..., Any]:
        def noted(self: DenseMatrix, *given: object, **named: object) -> object:
            asked.append(float(self.shape[0]))
            return method(self, *given, **named)

        return noted

    for name, method in kept.items():
        setattr(DenseMatrix, name, noting(method))
    try:
        yield
    finally:
        for name, method in kept.items():
            setattr(DenseMatrix, name, method)


def over_floor(rows: Floats, classes: Floats, kind: Callable[..., Any]) -> list[Contestant]:
    """A fit, and as many sweeps as it makes."""
    asked: list[float] = []
    with counted(asked):
        kind(**BUDGET).fit(rows, classes)
    sweeps, point = round(sum(asked) / len(rows)), np.ones(rows.shape[1])
    return [
        Contestant(name=FLOOR, side="bare", run=local(lambda: [rows @ point for _ in range(sweeps)]), note=f"{sweeps} sweeps"),
        Contestant(name=FIT, side="ours", run=local(lambda: kind(**BUDGET).fit(rows, classes))),
    ]


def hessians(rows: sparse.csr_matrix) -> list[Contestant]:
    """One Hessian in either way."""
    held, weights = SparseMatrix(rows), np.full(rows.shape[0], 0.25)

    def plain() -> object:
        scaled = rows.copy()
        scaled.data = rows.data * np.repeat(weights, np.diff(rows.indptr))
        return (rows.T @ scaled).toarray()

    return [
        Contestant(name=GRAM, side="peer", run=local(plain)),
        Contestant(name="discreet, one Hessian", side="ours", run=local(lambda: held.gram(weights))),
    ]


def checks(rows: Floats, classes: Floats, kind: Callable[..., Any]) -> list[Contestant]:
    """A fit, and its check."""
    certificate = kind(**BUDGET).fit(rows, classes).certificate_
    return [
        Contestant(name=FIT, side="ours", run=local(lambda: kind(**BUDGET).fit(rows, classes))),
        Contestant(name=CHECK, side="ours", run=local(certificate.verify)),
    ]


def lengths(less: int) -> list[Contestant]:
    """Fits of a little fewer and of more rows than are held whole."""
    rows, classes, _ = long_table(max(LENGTHS) // less, COLUMNS)

    def fit(count: int) -> Contestant:
        model = LogisticRegression(**BUDGET)
        return Contestant(name=f"{count:,} rows", side="ours", count=count / 1e3, run=local(lambda: model.fit(rows[:count], classes[:count])))

    return [fit(count // less) for count in LENGTHS]


def claims(seen: list[Group]) -> list[Claim]:
    """What was aimed at."""
    found: list[Claim] = []
    for group, (name, _, limit) in zip(seen, KINDS, strict=False):
        found += ratio_claim(f"{name} of dense rows over its floor: at most {limit:g}", group, (FIT, FLOOR), limit=limit, at_most=True)
    found += ratio_claim("a Hessian of CSR rows over SciPy's: at most 1.5", seen[2], ("discreet, one Hessian", GRAM), limit=1.5, at_most=True)
    for group in seen[3:5]:
        found += ratio_claim(f"{group.title} over the fit: at most .2", group, (CHECK, FIT), limit=0.2, at_most=True)
    times = [median(row.busy) / row.count for row in seen[5].rows]
    worst = max(after / before for place, after in enumerate(times) for before in times[:place])
    return [*found, Claim(text="a row of a longer table over one of a shorter table: at most 1.25", seen=worst, limit=1.25, at_most=True)]
