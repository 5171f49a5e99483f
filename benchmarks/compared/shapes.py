"""Fits of tables that are wide, of several classes, and on as many threads of linear algebra as users have."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression as PlainRegression
from threadpoolctl import threadpool_limits

from compared.fits import DEFAULT_TOL, RIDGE, plain, private, quietly
from compared.made import Floats, long_table
from compared.measured import Claim, Contestant, Group, Table, Timed, compete, load, local, ratio_claim
from discreet import LinearSVC, LogisticRegression

WIDE = ((20_000, 500), (20_000, 1000), (20_000, 2000), (100_000, 500))
USUAL, COLUMNS, CLASSES = 20_000, 50, 3
DECIDING = 20
"""Columns of a wide table whose sum has the sign that is to be learnt."""
ROWS = 45_222
BUDGET: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-6, "data_norm": 1.0}
PEER = "scikit-learn lbfgs, as it comes"
LOGISTIC, HINGE = "LogisticRegression", "LinearSVC"
ONE, ALL = "private fit, one thread", "private fit, default threads"

TEXT = f"""\
Epsilon 1, delta 1e-6, data_norm 1, and all else as it comes, with everybody: independent columns, rows of norm about 1, of which half are shortened,
and classes that {DECIDING} of the columns decide. scikit-learn's logistic regression stands beside both losses, also beside one-vs-rest. In *one
ridge* everybody has 1e-3 n, no intercept, and correlated columns with noisy classes: lbfgs is soon done to its own tolerance, and ours goes on to the
one of its proof. A fit holds the linear algebra library to one thread, so default threads should cost nothing."""


def shapes(*, less: int, rounds: int) -> Table:
    """The table; `less` is by what rows are divided."""
    before = load()
    groups = {f"{count // less:,} x {columns}": against(*wide_table(count // less, columns), 2) for count, columns in WIDE}
    groups[f"{CLASSES} classes, {USUAL // less:,} x {COLUMNS}"] = against(*table_of_classes(USUAL // less), CLASSES)
    groups[f"one ridge, {USUAL // less:,} x {WIDE[0][1]}"] = one_ridge(USUAL // less, WIDE[0][1])
    groups[f"threads, {ROWS // less:,} x {2 * COLUMNS}"] = threads(ROWS // less)
    seen = compete(groups, rounds)
    title = "One fit, dense: wide tables, several classes, threads"
    return Table(key="shapes", title=title, text=TEXT, unit="ms", groups=seen, load=(before, load()), claims=claims(seen))


def wide_table(count: int, columns: int) -> tuple[Floats, Floats]:
    """Rows, and two classes."""
    rows = np.random.default_rng(0).standard_normal((count, columns)) / np.sqrt(columns)
    return rows, (rows[:, :DECIDING].sum(axis=1) > 0).astype(int)


def table_of_classes(count: int) -> tuple[Floats, Floats]:
    """Rows, and the largest of three scores."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((count, COLUMNS)) / np.sqrt(COLUMNS)
    return rows, (rows @ rng.standard_normal((COLUMNS, CLASSES))).argmax(axis=1)


def against(rows: Floats, codes: Floats, known: int) -> list[Contestant]:
    """scikit-learn, and ours with either loss."""
    peer = PlainRegression()
    ours = {name: kind(classes=list(range(known)), **BUDGET) for name, kind in ((LOGISTIC, LogisticRegression), (HINGE, LinearSVC))}
    found = [Contestant(name=PEER, side="peer", run=local(lambda: quietly(peer, rows, codes)))]
    return found + [Contestant(name=name, side="ours", run=local(lambda model=model: model.fit(rows, codes))) for name, model in ours.items()]


def one_ridge(count: int, columns: int) -> list[Contestant]:
    """The same objective, which is easy."""
    rows, codes, _ = long_table(count, columns)
    peer, ours = plain(RIDGE * count, "lbfgs", DEFAULT_TOL), private(data_norm=1.0)
    return [
        Contestant(name="scikit-learn lbfgs, its tolerance", side="peer", run=local(lambda: quietly(peer, rows, codes))),
        Contestant(name=LOGISTIC, side="ours", run=local(lambda: ours.fit(rows, codes))),
    ]


def threads(count: int) -> list[Contestant]:
    """The same fit twice."""
    rows, codes, _ = long_table(count, 2 * COLUMNS)
    fit: Callable[[], object] = lambda: private(data_norm=1.0).fit(rows, codes)  # noqa: E731 - as the other contestants

    def loose() -> Timed:
        with threadpool_limits(os.cpu_count()):
            return local(fit)()

    return [Contestant(name=ONE, side="ours", run=local(fit)), Contestant(name=ALL, side="ours", run=loose)]


def claims(seen: list[Group]) -> list[Claim]:
    """What was aimed at."""
    *widths, several, _, held = seen
    found: list[Claim] = []
    for group in widths:
        for name in (LOGISTIC, HINGE):
            found += ratio_claim(f"{name} over lbfgs, {group.title}: at most 1.3", group, (name, PEER), limit=1.3, at_most=True)
    for name, limit in ((LOGISTIC, 1.3), (HINGE, 2.0)):
        found += ratio_claim(f"{name} over lbfgs, {several.title}: at most {limit:g}", several, (name, PEER), limit=limit, at_most=True)
    return found + ratio_claim("default threads over one thread: at most 1.1", held, (ALL, ONE), limit=1.1, at_most=True)
