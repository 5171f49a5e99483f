"""Ten classes of 784 columns, as pictures of digits have: one model of all classes, and one-vs-rest."""

import numpy as np
from sklearn.linear_model import LogisticRegression as PlainRegression

from compared.fits import quietly
from compared.made import Floats
from compared.measured import Claim, Contestant, Table, compete, load, local
from discreet import LinearSVC, LogisticRegression

COLUMNS, CLASSES, DRAWN, WRONG = 784, 10, 0.19, 0.1
"""Columns, classes, the share of columns that a picture uses, about, and of pictures whose class is drawn anew."""
LIMIT = 10.0

TEXT = f"""\
Invented pictures: {COLUMNS} columns, of which each class uses its own, about {DRAWN:.0%} at a time, rows of norm 1, dense; {WRONG:.0%} are of any
class. Epsilon 1, delta 1e-5, settings as they come; scikit-learn to its own tolerance, at most 100 iterations."""


def pictures(count: int) -> tuple[Floats, Floats]:
    """Rows of norm 1, and digits."""
    rng = np.random.default_rng(0)
    shapes = rng.random((CLASSES, COLUMNS)) ** 4
    digits = rng.integers(0, CLASSES, count)
    rows = np.empty((count, COLUMNS))
    for start in range(0, count, 8192):
        part = slice(start, min(start + 8192, count))
        ink = rng.random((part.stop - part.start, COLUMNS))
        rows[part] = np.where(ink < shapes[digits[part]] * DRAWN / 0.2, ink + 0.2, 0.0)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return rows, np.where(rng.random(count) < WRONG, rng.integers(0, CLASSES, count), digits)


def digits(*, count: int) -> Table:
    """The table."""
    before = load()
    rows, codes = pictures(count)
    budget = {"epsilon": 1.0, "delta": 1e-5, "data_norm": 1.0, "classes": list(range(CLASSES))}
    peer, several, apart = PlainRegression(), LogisticRegression(**budget), LinearSVC(**budget)

    def right(model: object) -> str:
        return f"{np.mean(model.predict(rows[:5000]) == codes[:5000]):.3f} right"  # type: ignore[attr-defined]

    contestants = [
        Contestant(name="scikit-learn lbfgs, as it comes", side="peer", run=local(lambda: quietly(peer, rows, codes)), note=lambda: right(peer)),
        Contestant(name="LogisticRegression, all classes", side="ours", run=local(lambda: several.fit(rows, codes)), note=lambda: right(several)),
        Contestant(name="LinearSVC, one-vs-rest", side="ours", run=local(lambda: apart.fit(rows, codes)), note=lambda: right(apart)),
    ]
    seen = compete({"fits": contestants}, 1)
    busy = seen[0].rows[-1].busy[0]
    claims = [Claim(text=f"seconds for LinearSVC, one-vs-rest: at most {LIMIT:g}", seen=busy, limit=LIMIT, at_most=True)]
    title = f"Ten classes, dense, {count:,} x {COLUMNS}"
    return Table(key="digits", title=title, text=TEXT, unit="s", groups=seen, load=(before, load()), claims=claims)
