"""What fitted models say of a long dense table, with as many threads of linear algebra as users have: scikit-learn's and ours."""

import os
import warnings
from collections.abc import Callable

from sklearn.linear_model import LogisticRegression as PlainRegression
from threadpoolctl import threadpool_limits

from compared.fits import RIDGE
from compared.made import Floats, long_table
from compared.measured import Claim, Contestant, Group, Table, compete, load, local, ratio_claim
from discreet import LogisticRegression, evaluate_privately

FITTED = 20_000
"""Rows of the fits."""
CLASSES = 10
ASKED = ("predict", "predict_proba", "score")

TEXT = f"""\
Models of {FITTED:,} of the rows are asked about all of them, by default threads; about half of the rows are longer than the declared bound of 1 and
are shortened. Our answer about a record has the same bits wherever it stands, beside whatever other records and on any number of threads; those of
a library for matrix products have not. A private evaluation is asked for accuracy and confusion (epsilon 1, delta 1e-6) and stands beside
scikit-learn's `score`; the last group has {CLASSES} classes."""


def answers(*, count: int, columns: int, rounds: int) -> Table:
    """The table."""
    before = load()
    rows, classes, _ = long_table(count, columns)
    groups = {title: contestants(rows, classes, title) for title in (*ASKED, "private evaluation")}
    groups[f"predict, {CLASSES} classes"] = contestants(rows, rows[:, :CLASSES].argmax(axis=1), "predict", known=CLASSES)
    with threadpool_limits(os.cpu_count()):
        seen = compete(groups, rounds)
    title = f"Answers about records, dense, {count:,} x {columns}"
    return Table(key="answers", title=title, text=TEXT, unit="ms", groups=seen, load=(before, load()), claims=claims(seen))


def contestants(rows: Floats, classes: Floats, asked: str, *, known: int = 2) -> list[Contestant]:
    """scikit-learn first."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the bound that is left as it is, and of what does not converge
        ours = LogisticRegression(epsilon=1.0, delta=1e-6, alpha=RIDGE, classes=list(range(known))).fit(rows[:FITTED], classes[:FITTED])
        plain = PlainRegression(C=1.0 / (RIDGE * FITTED)).fit(rows[:FITTED], classes[:FITTED])

    def ask(model: object, what: str) -> Callable[[], object]:
        method = getattr(model, what)
        return (lambda: method(rows, classes)) if what == "score" else lambda: method(rows)

    if asked == "private evaluation":
        measured = lambda: evaluate_privately(ours, rows, classes, epsilon=1.0, delta=1e-6)  # noqa: E731
        return [
            Contestant(name="scikit-learn, score", side="peer", run=local(ask(plain, "score"))),
            Contestant(name="evaluate_privately", side="ours", run=local(measured)),
        ]
    return [
        Contestant(name="scikit-learn", side="peer", run=local(ask(plain, asked))),
        Contestant(name="discreet", side="ours", run=local(ask(ours, asked))),
    ]


def claims(seen: list[Group]) -> list[Claim]:
    """What was aimed at."""
    found: list[Claim] = []
    for group in seen[: len(ASKED)]:
        text = f"{group.title} over scikit-learn's: at most 1.5"
        found += ratio_claim(text, group, ("discreet", "scikit-learn"), limit=1.5, at_most=True)
    names = ("evaluate_privately", "scikit-learn, score")
    return found + ratio_claim("private evaluation over scikit-learn's score: at most 3", seen[len(ASKED)], names, limit=3.0, at_most=True)
