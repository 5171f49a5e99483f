"""Estimators under audit, end to end: what `fit` releases on two neighbouring invented tables that are hard to hide; and how searches cut tables."""

from collections.abc import Callable
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.audit import AuditReport, audit
from discreet.audit.claim import Target
from discreet.audit.drawn.named import NamedAudit
from discreet.audit.fits import many_fits, single_fits
from discreet.audit.parts import Part, Watch, chosen
from discreet.audit.persons import WorstPerson, directions
from discreet.cli.audit_persons import persons_watch
from discreet.core.arrays import Floats
from discreet.core.neighbours import ADD_REMOVE, Neighbours, Persons
from discreet.data import Block, BlockTable, FunctionTable
from discreet.estimators import ConstrainedERM, Lasso, LassoClassifier, LinearSVC, LogisticRegression
from discreet.estimators.search.blocks import streamed_table
from discreet.estimators.search.tables import SearchTable, held_table
from discreet.matrices import DenseMatrix, as_matrix
from discreet.mechanisms.persons import owners_of
from discreet.mechanisms.selection import ALGORITHM_4
from discreet.noise import SystemNoise
from discreet.sets import L2Ball

Tables: TypeAlias = Callable[[Any, Target], tuple[tuple[Any, Any], str]]
"""From an estimator and what is audited to two neighbouring tables, and what they are in words."""
_SHORT = 0.05
_ANGLE = 0.5
_MARGIN = 5.0
_SPARSE = 20
_CUTS, _THROWN = 100, 60


def _estimator(name: str, summary: str, make: Callable[..., Any], tables: Tables, **settings: Any) -> NamedAudit:
    """End to end, from (X, y) to released weights, on two tables that `tables` makes."""

    def run(target: Target) -> AuditReport:
        rule = None if target.person is None else target.person.rule
        owned = {} if rule is None else rule.as_declared
        model = make(epsilon=target.epsilon, delta=target.delta, neighbours=str(target.neighbours), **settings, **owned)
        pair, words = tables(model, target)
        fits = many_fits(model) if isinstance(model, LinearSVC | LogisticRegression) else single_fits(model)
        subject = f"{type(model).__name__}, {target.neighbours}"
        return audit(fits, pair, target.claim, **target.sampling, batch=True, subject=subject, described=words)

    return NamedAudit(name=name, summary=summary, run=run, statistical=True, persons=tables is not single_feature_tables)


def _pulled_by_plan(model: LinearSVC | LogisticRegression, target: Target) -> tuple[tuple[Any, Any], str]:
    plan = model.plan(features=2, told_apart=target.person is not None)
    return pulled_tables(float(plan.problem["ridge"]), target.neighbours, target.person)  # type: ignore[arg-type]


def pulled_tables(ridge: float, neighbours: Neighbours, person: WorstPerson | None = None) -> tuple[tuple[Any, Any], str]:
    """Short records that pull the weights far down, half of them with either label; and one that is missing, or turned nearly round.

    With a person, rows of that person in the place of the one record, in two halves before and after the others, who have one row each.
    """
    rows_alike = person is not None and person.rule.weight == "row"  # then a person with one row weighs less
    count = 2 * int(np.ceil(ridge * _MARGIN / np.sin(_ANGLE) / _SHORT)) * (person.rule.rows if person is not None and rows_alike else 1)
    signs = np.where(np.arange(count) % 2, 1, -1)
    others = np.column_stack((np.zeros(count), -_SHORT * signs))
    here = directions(np.zeros(1) if person is None else person.owned, turned=_ANGLE)
    signed = here * (-1.0, 1.0)  # nearly the opposite, as signed records
    whole = others, signs, np.arange(count)
    first = _among(whole, here, 1)
    second = whole if neighbours is ADD_REMOVE else _among(whole, -signed, -1)
    whom = "one record" if person is None else person.words
    changed = f"{whom} of the largest norm more" if neighbours is ADD_REMOVE else f"{whom} of the largest norm replaced by the nearly opposite one"
    columns = 2 if person is None else 3
    return (first[:columns], second[:columns]), f"{count} short records on either side, and {changed}"


def _among(others: tuple[Any, Any, Any], rows: Floats, sign: int) -> tuple[Any, Any, Any]:
    """Rows of one person, some before the others and some after them."""
    half, (X, y, ids) = len(rows) // 2, others
    new = len(ids)
    return (
        np.vstack((rows[:half], X, rows[half:])),
        np.concatenate((np.full(half, sign), y, np.full(len(rows) - half, sign))),
        np.concatenate((np.full(half, new), ids, np.full(len(rows) - half, new))),
    )


def single_feature_tables(_: object, target: Target) -> tuple[tuple[Any, Any], str]:
    """Records without features, and one that alone has all of them: there or not, or with either target."""
    blank = np.zeros((2, _SPARSE))
    one = np.ones((1, _SPARSE))
    first = np.vstack((one, blank)), np.array([1, 1, -1])
    removed = target.neighbours is ADD_REMOVE
    second = (blank, np.array([1, -1])) if removed else (first[0], np.array([-1, 1, -1]))
    changed = "left out" if removed else "with the other target"
    return (first, second), f"{_SPARSE} features that one record alone has; the record {changed}"


def _parts(target: Target) -> Watch:  # noqa: ARG001 - how records are cut has no epsilon
    """Which of two parts a record is in, of a table in memory and of one in blocks: a die of its own for each, or a random half; and a person."""
    halves: list[tuple[int, ...]] = list(combinations(range(4), 2))
    parts: list[Part] = []
    for whose, each in (("records", 1), ("persons", 2)):
        for where, made in (("in memory", _held), ("in blocks", _streamed)):
            few, many = made(4, each), made(_THROWN, each)
            thrown = np.array([np.isin(np.arange(_THROWN), _in_first(many, each, hidden=True)) for _ in range(_CUTS)])
            orders = [[_place(halves, _in_first(few, each, hidden=False))] for _ in range(_CUTS)]
            parts += [
                chosen(f"parts of {whose} {where}, add-remove", "each part equally likely", thrown, np.ones(2)),
                chosen(f"parts of {whose} {where}, replace-one", "each half equally likely", orders, np.ones(6)),
            ]
    return Watch(mechanism=ALGORITHM_4, parts=tuple(parts))


def _place(halves: list[tuple[int, ...]], found: tuple[int, ...]) -> int:
    """Of a half; of what is none, as where a person is cut in two, that of the first."""
    return halves.index(found) if found in halves else 0


def _invented(units: int, each: int) -> tuple[Floats, npt.NDArray[np.integer], npt.NDArray[np.integer]]:
    """Rows that hold their numbers, labels, and ids of `units` persons with `each` row; the rows of one lie far from each other."""
    numbers = np.arange(units * each)
    return numbers[:, np.newaxis].astype(np.float64), numbers % 2, numbers % units


def _held(units: int, each: int) -> SearchTable:
    rows, labels, ids = _invented(units, each)
    if each == 1:
        return held_table(rows, labels, classes=[0, 1], name="a search")
    return held_table(
        rows,
        labels,
        classes=[0, 1],
        name="a search",
        owners_of_rows=lambda count: owners_of(ids, rule=Persons(rows=each), rows=count, noise=SystemNoise()),
        ids=ids,
    )


def _streamed(units: int, each: int) -> SearchTable:
    rows, labels, ids = _invented(units, each)
    told = None if each == 1 else ids
    rule = None if each == 1 else Persons(rows=each)

    def block(number: int) -> Block:
        some = slice(number * units, (number + 1) * units)
        return Block(DenseMatrix(rows[some]), labels[some], None, None if told is None else told[some])

    blocks = FunctionTable(block, blocks=each, features=1)
    return streamed_table(blocks, None, classes=[0, 1], max_weight=None, jobs=1, rule=rule, noise=SystemNoise())


def _in_first(table: SearchTable, each: int, *, hidden: bool) -> tuple[int, ...]:
    """Numbers of the records in the first of two parts, rising; of persons all of whose rows are there."""
    rows = table.parts(2, SystemNoise(), hidden=hidden)[0].X
    found = [block.rows for block in rows.map(lambda _, block: block, 1)] if isinstance(rows, BlockTable) else [as_matrix(rows)]
    numbers = np.array([number for some in found for number in some.matvec(np.ones(1))], dtype=np.int64)
    units = table.shape[0]
    return tuple(np.flatnonzero(np.bincount(numbers % units, minlength=units) == each).tolist())


_BINARY: dict[str, Any] = {"classes": [-1, 1]}
ESTIMATORS: dict[str, NamedAudit] = {
    one.name: one
    for one in (
        _estimator(
            "logistic-regression",
            "LogisticRegression with its defaults, weights as released; delta 0 or more",
            LogisticRegression,
            _pulled_by_plan,
            **_BINARY,
        ),
        _estimator("linear-svc", "LinearSVC with its defaults, weights as released; delta 0 or more", LinearSVC, _pulled_by_plan, **_BINARY),
        _estimator("lasso", "Lasso on a feature that one record alone has", Lasso, single_feature_tables, fit_intercept=False, target_bound=1.0),
        _estimator("lasso-classifier", "LassoClassifier, likewise", LassoClassifier, single_feature_tables, fit_intercept=False, **_BINARY),
        _estimator(
            "constrained-erm",
            "ConstrainedERM, logistic loss over a ball",
            ConstrainedERM,
            lambda _, target: pulled_tables(0.05, target.neighbours, target.person),
            loss="logistic",
            constraint=L2Ball(dimension=2),
            **_BINARY,
        ),
        NamedAudit(name="persons", summary="weights and keeping of the rows of persons, in memory and in blocks", drawn=persons_watch, persons=True),
        NamedAudit(name="search-parts", summary="how Algorithm 4 cuts records, and persons, into parts", drawn=_parts, pure=True),
    )
}
"""By name, beside discreet.audit.drawn.named.CATALOGUE."""
