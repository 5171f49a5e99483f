"""Fits of tables that are wide, of several classes, and on as many threads of linear algebra as users have."""

import os
from collections.abc import Callable
from typing import Any

from threadpoolctl import threadpool_limits

from compared.fits import DEFAULT_TOL, RIDGE, plain, quietly
from compared.made import Floats, long_table
from compared.measured import Claim, Contestant, Group, Table, Timed, compete, load, local, ratio_claim
from discreet import LinearSVC, LogisticRegression

WIDE = ((20_000, 500), (20_000, 1000), (20_000, 2000), (100_000, 500))
USUAL, COLUMNS, CLASSES = 20_000, 50, 3
ROWS = 45_222
PEER = "scikit-learn lbfgs, its tolerance"
LOGISTIC, HINGE = "LogisticRegression", "LinearSVC"
ONE, ALL = "private fit, one thread", "private fit, default threads"

TEXT = """\
Epsilon 1, delta 1e-6, no intercept, logistic ridge 1e-3 n for everybody (`LinearSVC` chooses its own), data_norm 1; about half of the rows are longer
and are shortened. scikit-learn's logistic regression stands beside both losses, also beside one-vs-rest. A fit holds the linear algebra library to
one thread, so default threads should cost nothing."""


def shapes(*, less: int, rounds: int) -> Table:
    """The table; `less` rows of everything."""
    before = load()
    groups = {f"{count // less:,} x {columns}": wide(count // less, columns) for count, columns in WIDE}
    groups[f"{CLASSES} classes, {USUAL // less:,} x {COLUMNS}"] = classes(USUAL // less)
    groups[f"threads, {ROWS // less:,} x {2 * COLUMNS}"] = threads(ROWS // less)
    seen = compete(groups, rounds)
    return Table(
        key="shapes",
        title="One fit, dense: wide tables, several classes, threads",
        text=TEXT,
        unit="ms",
        groups=seen,
        load=(before, load()),
        claims=claims(seen),
    )


def settings(known: int) -> dict[str, Any]:
    """Of all our models here."""
    return {"epsilon": 1.0, "delta": 1e-6, "data_norm": 1.0, "fit_intercept": False, "classes": list(range(known))}


def against(rows: Floats, codes: Floats, known: int) -> list[Contestant]:
    """scikit-learn, and ours with either loss."""
    peer = plain(RIDGE * len(rows), "lbfgs", DEFAULT_TOL)
    ours = {LOGISTIC: LogisticRegression(alpha=RIDGE, **settings(known)), HINGE: LinearSVC(**settings(known))}
    found = [Contestant(name=PEER, side="peer", run=local(lambda: quietly(peer, rows, codes)))]
    return found + [Contestant(name=name, side="ours", run=local(lambda model=model: model.fit(rows, codes))) for name, model in ours.items()]


def wide(count: int, columns: int) -> list[Contestant]:
    """Two classes."""
    rows, codes, _ = long_table(count, columns)
    return against(rows, codes.astype(int), 2)


def classes(count: int) -> list[Contestant]:
    """Multinomial, and one-vs-rest."""
    rows, _, _ = long_table(count, COLUMNS)
    return against(rows, rows[:, :CLASSES].argmax(axis=1), CLASSES)


def threads(count: int) -> list[Contestant]:
    """The same fit twice."""
    rows, codes, _ = long_table(count, 2 * COLUMNS)
    fit: Callable[[], object] = lambda: LogisticRegression(alpha=RIDGE, **settings(2)).fit(rows, codes)  # noqa: E731 - as the other contestants

    def loose() -> Timed:
        with threadpool_limits(os.cpu_count()):
            return local(fit)()

    return [Contestant(name=ONE, side="ours", run=local(fit)), Contestant(name=ALL, side="ours", run=loose)]


def claims(seen: list[Group]) -> list[Claim]:
    """What was aimed at."""
    *widths, several, held = seen
    found: list[Claim] = []
    for group in widths:
        for name in (LOGISTIC, HINGE):
            found += ratio_claim(f"{name} over lbfgs, {group.title}: at most 1.3", group, (name, PEER), limit=1.3, at_most=True)
    for name, limit in ((LOGISTIC, 1.3), (HINGE, 2.0)):
        found += ratio_claim(f"{name} over lbfgs, {several.title}: at most {limit:g}", several, (name, PEER), limit=limit, at_most=True)
    return found + ratio_claim("default threads over one thread: at most 1.1", held, (ALL, ONE), limit=1.1, at_most=True)
