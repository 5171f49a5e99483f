"""A table of a few hundred rows, where a fit costs what is done for any: checks, calibration, noise, certificate."""

from collections.abc import Callable
from typing import Any

from sklearn.linear_model import LinearRegression as PlainLine
from sklearn.linear_model import LogisticRegression as PlainRegression

from compared.fits import quietly
from compared.made import long_table
from compared.measured import Claim, Contestant, Group, Table, Timed, compete, load, local
from discreet import LinearRegression, LinearSVC, LogisticRegression
from discreet.core.remembered import forget

COUNT, COLUMNS = 200, 3
BUDGET: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-6, "data_norm": 2.0}
AGAIN = 20
"""Fits a run."""
LIMIT = 4.0

TEXT = f"""\
Epsilon 1, delta 1e-6, settings as they come. Calibrations are functions of public numbers, and are remembered in a process: *a first fit* is one
where nothing is, *again* the mean of {AGAIN} fits like it. scikit-learn's logistic regression stands beside classifiers, and its least squares
beside regression."""


def small(*, rounds: int) -> Table:
    """The table."""
    before = load()
    rows, classes, targets = long_table(COUNT, COLUMNS)
    three = (classes + (rows[:, 0] > 0)).astype(int)
    plain, line = PlainRegression(), PlainLine()
    given: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "logistic": (lambda: quietly(plain, rows, classes), lambda: LogisticRegression(classes=[0, 1], **BUDGET).fit(rows, classes)),
        "hinge": (lambda: quietly(plain, rows, classes), lambda: LinearSVC(classes=[0, 1], **BUDGET).fit(rows, classes)),
        "one-vs-rest, three classes": (lambda: quietly(plain, rows, three), lambda: LinearSVC(classes=[0, 1, 2], **BUDGET).fit(rows, three)),
        "least squares": (lambda: line.fit(rows, targets), lambda: LinearRegression(target_bound=1.0, **BUDGET).fit(rows, targets)),
    }
    groups = {
        title: [
            Contestant(name="scikit-learn", side="peer", count=AGAIN, run=local(times(peer))),
            Contestant(name="again", side="ours", count=AGAIN, run=again(ours)),
            Contestant(name="a first fit", side="ours", run=local(first(ours))),
        ]
        for title, (peer, ours) in given.items()
    }
    for _, ours in given.values():
        ours()  # what a process loads once
    seen = compete(groups, rounds)
    return Table(key="small", title=f"One fit, {COUNT} x {COLUMNS}", text=TEXT, unit="ms", groups=seen, load=(before, load()), claims=claims(seen))


def times(work: Callable[[], object]) -> Callable[[], object]:
    """`AGAIN` times."""
    return lambda: [work() for _ in range(AGAIN)]


def again(work: Callable[[], object]) -> Callable[[], Timed]:
    """`AGAIN` times, after a fit that is not timed: another group's first fit may have been between."""
    timed = local(times(work))

    def run() -> Timed:
        work()
        return timed()

    return run


def first(work: Callable[[], object]) -> Callable[[], object]:
    """With nothing remembered."""

    def run() -> object:
        forget()
        return work()

    return run


def claims(seen: list[Group]) -> list[Claim]:
    """What was aimed at."""
    rows = ((group.title, row) for group in seen for row in group.rows if row.name == "again")
    text = "milliseconds for a fit again of {} rows, {}: at most {:g}"
    return [Claim(text=text.format(COUNT, title, LIMIT), seen=1e3 * row.each(), limit=LIMIT, at_most=True) for title, row in rows]
