"""The noise of counts, choices and matrices of integers, which leave as integers: what left less the exact answer of an invented table."""

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from discreet.accounting.stopping import NegativeBinomialRuns
from discreet.audit.claim import Target
from discreet.audit.parts import Watch, chosen, of_noise, released
from discreet.core.arrays import Floats
from discreet.core.fields import real
from discreet.data import Domain
from discreet.losses import Logistic
from discreet.matrices import DenseMatrix
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.bounds_choice import BoundsChoice, BoundsGrid, OpenColumns
from discreet.mechanisms.counting import (
    MISSING,
    BoundedSum,
    Cells,
    GaussianCounting,
    Histogram,
    IntegerQuery,
    LaplaceCounting,
    Moments,
    Queries,
    Summary,
)
from discreet.mechanisms.curvature import CurvatureQuery, CurvatureRecords, GaussianCurvature
from discreet.mechanisms.cuts import CutsPlan, Interval
from discreet.mechanisms.margins import GaussianMargins, Margins
from discreet.mechanisms.margins.problem import Cut, Table
from discreet.mechanisms.selection import Candidates, CountNoise, ExponentialMechanism, RandomStopping
from discreet.noise import Integers, SystemNoise
from discreet.noise.laws import DiscreteGaussian, DiscreteLaplace
from discreet.problems import RegularisedRisk
from discreet.problems.regularised_risk import MultinomialRisk
from discreet.words.counting import WHOLE

_RUNS = 300
_QUERIES = Queries((Histogram(cells=3), BoundedSum(largest=7)))
_CELLS = np.array([0, 1, 1, 2, 0, 1])
_PARTS = np.array([3, 0, 7, 1, 1, 2])


def counting_laplace(target: Target) -> Watch:
    """A histogram and a sum."""
    made = LaplaceCounting.calibrate(_QUERIES, epsilon=target.epsilon, neighbours=target.neighbours, shares=[0.75, 0.25])
    return _counting(made, DiscreteLaplace)


def counting_gaussian(target: Target) -> Watch:
    """A histogram and a sum."""
    made = GaussianCounting.calibrate(_QUERIES, **target.target, shares=[0.75, 0.25])
    return _counting(made, DiscreteGaussian)


def cuts(target: Target) -> Watch:
    """The counts of three columns together."""
    plan = CutsPlan.calibrate([Interval(name, 0.0, 1.0) for name in "abc"], **target.target)
    exact = plan.cells.answer(plan.cells.cells_of(np.array([[0.1, 0.9, 0.5], [0.2, 0.3, np.nan], [1.0, 0.0, 0.7]])))
    stated, values = released(plan.mechanism, plan.problem, Numbers([exact]), _RUNS // 10)
    (scale,) = (real(one) for one in stated["scales"])  # type: ignore[union-attr]
    law = DiscreteLaplace if target.delta == 0 else DiscreteGaussian
    return Watch(mechanism=plan.mechanism.name, parts=(of_noise("noise on the cells of all columns", values - exact, law(scale)),))


def moments(target: Target) -> Watch:
    """The sums of powers of errors and targets."""
    return _one_query(target, Moments(targets=True, counted=True), [[3, -5], [1 << 20, 1 << 20], [1 << 19, -77]], "noise on sums of powers")


def summaries(target: Target) -> Watch:
    """Tables and sums of two groups."""
    table = Cells(cells=3, levels=((1, 1 << 19), (2, 1 << 18)))
    query = Summary(groups=2, tables=(table,), sums=((1 << 19, 1 << 18),))
    return _one_query(target, query, [[0, 2, 5], [1, 0, -(1 << 20)], [1, 1, MISSING]], "noise on tables and sums")


def _one_query(target: Target, query: IntegerQuery, records: list[list[int]], name: str) -> Watch:
    """A query whose answers have noise of one scale."""
    queries = Queries((query,))
    exact = queries.answered((np.array(records),))
    made: LaplaceCounting | GaussianCounting
    if target.delta == 0:
        made = LaplaceCounting.calibrate(queries, epsilon=target.epsilon, neighbours=target.neighbours)
    else:
        made = GaussianCounting.calibrate(queries, **target.target)
    stated, values = released(made, queries, exact, _RUNS)
    (scale,) = (real(one) for one in stated["scales"])  # type: ignore[union-attr]
    law = DiscreteLaplace if target.delta == 0 else DiscreteGaussian
    return Watch(mechanism=made.name, parts=(of_noise(name, values - exact.held[0], law(scale)),))


def margins(target: Target) -> Watch:
    """Tables of three columns, one of them cut, the scores of their pairs, and the tables of two of these, of which there is much to be seen."""
    columns, cut = (("a", 2), ("b", 3), ("c", 2), ("finer b", 5)), (Cut(column=1, fine=3, gap=False, starts=(0, 1, 2)),)
    problem = Margins(columns=columns, tables=((0,), (1,), (2,), (3,)), linked=(0, 1, 2), most=2, cut=cut)
    made = GaussianMargins.calibrate(problem, **target.target, shares=[0.2, 0.2, 0.1, 0.1, 0.1, 0.4])
    runs = [made.run(problem, Numbers(InventedCounts()), SystemNoise()) for _ in range(_RUNS // 3)]
    *of_tables, of_scores, of_pair = (real(one) for one in made.parameters()["scales"])  # type: ignore[union-attr]
    first: list[list[Floats]] = [[] for _ in problem.tables]
    scores, pairs = [], []
    for run in runs:
        stated: Any = run.certificate.parameters["pairs"]
        chosen_pairs = [tuple(pair) for pair in stated]
        parts = problem.split(run.value, chosen_pairs)
        # What bins and a score are, exactly, follows from what was released before in the same run.
        counts = InventedCounts().binned(problem.begins([parts.tables[3]], [of_tables[3] / WHOLE]))
        expected = problem.expected(parts.tables)
        scores.append(WHOLE * parts.scores - problem.scores(counts.of(problem.candidates), expected, target.neighbours))
        for place, (found, each) in enumerate(zip(parts.tables, counts.of(problem.tables), strict=True)):
            first[place].append(WHOLE * found - each)
        pairs.append((WHOLE * np.concatenate(parts.pairs) - np.concatenate(counts.of(chosen_pairs)))[:8])
    watched = [of_noise(f"noise on table {place + 1}", each, DiscreteGaussian(of_tables[place])) for place, each in enumerate(first)]
    watched.append(of_noise("noise on scores", scores, DiscreteGaussian(of_scores)))
    watched.append(of_noise("noise on two chosen pairs", pairs, DiscreteGaussian(math.sqrt(2.0) * of_pair)))
    return Watch(mechanism=made.name, parts=tuple(watched))


class InventedCounts:
    """Half a million records of three columns that tell each other; of the second one finer cells too."""

    def __init__(self, begins: tuple[int, ...] = (0, 1, 2)) -> None:
        """`begins` are the finer cells that bins begin with."""
        self._begins = begins

    def binned(self, begins: Sequence[tuple[int, ...]]) -> "InventedCounts":
        """See Counts of the margins."""
        return InventedCounts(begins[0])

    def of(self, tables: Sequence[Table]) -> list[Integers]:
        """See Counts of the margins."""
        table = np.zeros((2, 3, 2, 5), dtype=np.int64)
        for a, fine, c, records in ((0, 0, 0, 300_000), (1, 3, 1, 200_000), (1, 4, 1, 1)):
            table[a, int(np.searchsorted(self._begins[1:], fine, side="right")), c, fine] += records
        return [table.sum(axis=tuple({0, 1, 2, 3} - set(each))).ravel() * WHOLE for each in tables]


def exponential(target: Target) -> Watch:
    """One of four candidates, whose scores are as far apart as matters at this rate."""
    made = ExponentialMechanism.calibrate(sensitivity=1, epsilon=target.epsilon, neighbours=target.neighbours)
    scores = np.rint(np.array([0.0, 1.0, 2.0, 3.0]) / made.rate).astype(np.int64)
    stated, picked = released(made, Candidates(len(scores)), Numbers(scores), 3 * _RUNS)
    rate = real(stated["rate"])
    law = chosen("the candidate", _odds(rate, "score_i"), picked, np.exp(-rate * scores))
    return Watch(mechanism=made.name, parts=(law,))


def bounds(target: Target) -> Watch:
    """Bounds of two columns, on both sides: the law of each pair, both at the centre moved out by one."""
    grid = BoundsGrid(lower=(0.0, -1.0, -10.0), upper=(0.0, 1.0, 10.0))
    problem = OpenColumns({"a": grid, "b": grid})
    made = BoundsChoice.calibrate(problem, **target.target)
    # As many records beyond the centre as make its odds to the next candidate e: a doubled rate shows most.
    beyond = 3 * made.toll - round(1.0 / made.rate)
    columns = [np.repeat([0.5, -0.5], beyond), np.repeat([-0.2, 0.7], beyond)]
    stated, values = released(made, problem, Numbers(columns), 3 * _RUNS)
    parts = []
    for place, column in enumerate(columns):
        outcomes = _bounds_law(grid, column, rate=real(stated["rate"]), toll=real(stated["toll"]))
        pairs = list(outcomes)
        seen = [[pairs.index((float(low), float(high)))] for low, high in values[:, place]]
        parts.append(chosen(f"bounds of column {place + 1}", _odds(real(stated["rate"]), "z_j"), seen, np.array(list(outcomes.values()))))
    return Watch(mechanism=made.name, parts=tuple(parts))


def curvature(target: Target) -> Watch:
    """Both matrices, as integers: of two classes, and of three by a softmax."""
    rows, parts, name = DenseMatrix(np.array([[0.6, 0.1], [-0.3, 0.8], [0.2, -0.5]])), [], ""
    two, three = (Domain(features=2, norm_bound=1.0, classes=classes) for classes in (2, 3))
    asked = (
        (RegularisedRisk(loss=Logistic(), ridge=1.0, domain=two), np.array([1.0, -1.0, 1.0]), "two classes"),
        (MultinomialRisk(ridge=1.0, domain=three), np.array([0.0, 2.0, 1.0]), "three classes"),
    )
    for problem, targets, said in asked:
        query = CurvatureQuery(problem=problem, weights=np.resize([0.5, -0.25], problem.dimension))
        made = GaussianCurvature.calibrate(query, **target.target)
        records = CurvatureRecords(rows=rows, targets=targets, record_weights=None)
        exact = np.array([float(value) for value in query.answer(rows, targets, None)])
        stated, values = released(made, query, records, _RUNS)
        name = made.name
        parts.append(of_noise(f"noise on entries of both matrices, {said}", values - exact, DiscreteGaussian(real(stated["scale"]))))
    return Watch(mechanism=name, parts=tuple(parts))


def random_stopping(target: Target) -> Watch:
    """The number of runs, the setting of a run, and the noise of a score, of both laws."""
    parts, name = [], ""
    for eta, noise in ((0.0, CountNoise(law="discrete-laplace", scale=2.0 / target.epsilon)), (1.0, CountNoise(law="discrete-gaussian", scale=3.0))):
        made = RandomStopping(law=NegativeBinomialRuns.with_mean(5.0, eta=eta), score=noise, neighbours=target.neighbours)
        stated, name = made.parameters(), made.name
        gamma = real(stated["gamma"])
        counts = np.arange(1, 2000)
        masses = np.exp(counts * np.log1p(-gamma)) / (1 if real(stated["eta"]) == 1.0 else counts)
        runs = [[made.runs(SystemNoise()) - 1] for _ in range(2 * _RUNS)]
        scores = [[made.score.score(100, SystemNoise()) - 100] for _ in range(_RUNS)]
        settings = [[made.setting(SystemNoise(), 5)] for _ in range(_RUNS)]
        law = DiscreteLaplace if stated["score_noise"] == "discrete-laplace" else DiscreteGaussian
        parts += [
            chosen(f"number of runs, eta {eta:g}", f"truncated negative binomial, gamma {gamma:.6g}", runs, masses),
            chosen(f"setting of a run, eta {eta:g}", "every setting equally likely", settings, np.ones(5)),
            of_noise("noise of a score", scores, law(real(stated["score_scale"]))),
        ]
    return Watch(mechanism=name, parts=tuple(parts))


def _counting(made: LaplaceCounting | GaussianCounting, law: type[DiscreteGaussian | DiscreteLaplace]) -> Watch:
    exact = _QUERIES.answered((_CELLS, _PARTS))
    stated, values = released(made, _QUERIES, exact, _RUNS)
    of_cells, of_sum = (real(scale) for scale in stated["scales"])  # type: ignore[union-attr]
    noise = values - np.concatenate(exact.held)
    parts = of_noise("noise on cells", noise[:, :3], law(of_cells)), of_noise("noise on a bounded sum", noise[:, 3:], law(of_sum))
    return Watch(mechanism=made.name, parts=parts)


def _bounds_law(grid: BoundsGrid, column: Floats, *, rate: float, toll: float) -> dict[tuple[float, float], float]:
    """Of what leaves: pairs (lower, upper) and their masses."""

    def odds(edges: tuple[float, ...], sign: float) -> Floats:
        scores = [np.sum(sign * column > sign * edge) + toll * (step + 2 * (step > 0)) for step, edge in enumerate(edges)]
        masses: Floats = np.exp(-rate * (np.array(scores) - min(scores)))
        return masses / masses.sum()

    outcomes: dict[tuple[float, float], float] = {}
    lower, upper = odds(grid.lower, -1.0), odds(grid.upper, 1.0)
    for low, high in product(range(len(grid.lower)), range(len(grid.upper))):
        pair = (grid.lower[low], grid.upper[high + (low == high == 0)])
        outcomes[pair] = outcomes.get(pair, 0.0) + float(lower[low] * upper[high])
    return outcomes


def _odds(rate: float, score: str) -> str:
    return f"P proportional to exp(-{rate:.6g} {score})"
