"""Tables in rounds: how far records and persons move them, what that costs, what is chosen, and that certificates verify and lies do not."""

import json
import math

import numpy as np
import pytest
from scipy.special import ndtr

from discreet.certificates import Certificate
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Persons
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.margins import GaussianMargins, Margins
from discreet.mechanisms.margins.problem import Cut
from discreet.noise import SeededNoise, SystemNoise
from discreet.words.counting import WHOLE

SIZES = {"a": 4, "b": 4, "c": 3, "y": 2}
PROBLEM = {"columns": tuple(SIZES.items()), "tables": ((0, 3), (1, 3), (2, 3)), "linked": (0, 1, 2), "hub": 3, "most": 2}


class Counted:
    """Counts of codes (n, columns), of rows that weigh `shares` (n,)."""

    sizes = tuple(SIZES.values())

    def __init__(self, codes, shares=None):
        self.codes, self.shares = codes, shares

    def of(self, tables):
        places = [np.ravel_multi_index([self.codes[:, one] for one in table], [self.sizes[one] for one in table]) for table in tables]
        weights = np.full(len(self.codes), WHOLE) if self.shares is None else np.floor(WHOLE * self.shares)
        lengths = [math.prod(self.sizes[one] for one in table) for table in tables]
        return [np.bincount(place, weights=weights, minlength=length).astype(np.int64) for place, length in zip(places, lengths, strict=True)]


def codes(records=3000):
    """Columns a and b nearly alike, and y a function of a; c is by itself."""
    generator = np.random.default_rng(0)
    a = generator.integers(0, 4, records)
    return np.column_stack([a, (a + (generator.uniform(size=records) < 0.1)) % 4, generator.integers(0, 3, records), a > 1]).astype(np.int64)


def calibrated(neighbours, persons=None, epsilon=1.0, **other):
    problem = Margins(**PROBLEM | other, persons=persons)
    return problem, GaussianMargins.calibrate(problem, epsilon=epsilon, delta=1e-6, neighbours=neighbours, shares=[1, 1, 1, 0.5, 2])


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
@pytest.mark.parametrize("persons", [None, Persons(rows=3), Persons(rows=3, weight="row")], ids=["records", "persons", "rows"])
def test_no_person_moves_a_round_farther_than_its_noise_is_for(neighbours, persons):
    """All moves of the rows of one person, or one for another, by brute force: of every table of the first round, score, and any pairs."""
    problem, made = calibrated(neighbours, persons)
    moves = problem.moves(neighbours, made.scales)
    several = persons is not None
    base = codes(12)
    shares = np.full(12, 1 / 3 if several else 1.0)
    generator = np.random.default_rng(1)
    farthest = np.zeros(problem.parts)
    for _ in range(150):
        rows = 3 if several else 1
        mine, others = (np.column_stack([generator.integers(0, size, rows) for size in SIZES.values()]) for _ in range(2))
        weights = np.concatenate((shares, np.full(rows, 1 / rows)))
        here = Counted(np.vstack((base, mine)), weights)
        there = Counted(base, shares) if neighbours is ADD_REMOVE else Counted(np.vstack((base, others)), weights)
        apart = [
            np.linalg.norm((first - second).astype(float)) for first, second in zip(here.of(problem.tables), there.of(problem.tables), strict=True)
        ]
        expected = [generator.integers(0, 2 * WHOLE, problem.cells(pair)) for pair in problem.candidates]
        scores = [problem.scores(one.of(problem.candidates), expected, neighbours) for one in (here, there)]
        pairs = problem.candidates[: 1 + generator.integers(problem.most)]
        chosen = len(pairs) ** -0.5 * math.hypot(
            *(float(np.linalg.norm((a - b).astype(float))) for a, b in zip(here.of(pairs), there.of(pairs), strict=True))
        )
        farthest = np.maximum(farthest, [*apart, float(np.linalg.norm((scores[0] - scores[1]).astype(float))), chosen])
    allowed = np.array([one.mu * one.scale for one in moves])
    assert np.all(farthest <= allowed * (1 + 1e-12))
    assert np.all(farthest[:3] > 0.57 * allowed[:3])


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_the_rounds_cost_what_one_gaussian_mechanism_costs_and_half_the_noise_is_caught(neighbours):
    problem, made = calibrated(neighbours)
    one = 1 if neighbours is ADD_REMOVE else 2
    lengths = np.sqrt([one, one, one, 3, one]) * WHOLE

    def delta(factor):
        mu = math.sqrt(sum((length / (factor * scale)) ** 2 for length, scale in zip(lengths, made.scales, strict=True)))
        return float(ndtr(0.5 * mu - 1.0 / mu) - math.e * ndtr(-0.5 * mu - 1.0 / mu))

    claimed = made.guarantee(problem).delta_at_epsilon
    assert claimed <= 1e-6
    assert 0.999 * claimed < delta(1.0) <= claimed
    assert delta(0.5) > 10 * claimed


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
@pytest.mark.parametrize("persons", [None, Persons(), Persons(rows=3)], ids=["records", "one row", "persons"])
def test_certificates_verify_and_lies_do_not(neighbours, persons):
    problem, made = calibrated(neighbours, persons)
    released = made.run(problem, Numbers(Counted(codes())), SystemNoise())
    released.certificate.verify(released.value).require()
    assert [0, 1] in released.certificate.parameters["pairs"]  # the two that are alike
    truth = json.loads(released.certificate.to_json())
    lies = [
        ("fewer columns linked", "problem", {"linked": [0, 1]}),
        ("fewer tables", "problem", {"tables": [[0, 3], [1, 3]]}),
        ("a column twice", "problem", {"tables": [[0, 0], [1, 3], [2, 3]]}),
        ("an unknown hub", "problem", {"hub": 4}),
        ("an unknown column", "problem", {"tables": [[0, 3], [1, 3], [2, 4]]}),
        ("nobody linked", "problem", {"linked": [], "most": 0}),
        ("less noise", "parameters", {"scales": [0.9 * scale for scale in made.scales]}),
        ("less noise on scores", "parameters", {"scales": [*made.scales[:3], 0.5 * made.scales[3], made.scales[4]]}),
        ("hardly any noise", "parameters", {"scales": [1.0] * 5}),
        ("more pairs", "parameters", {"pairs": [[0, 1], [0, 2], [1, 2]]}),
        ("a pair twice", "parameters", {"pairs": [[0, 1], [0, 1]]}),
        ("a pair of the hub", "parameters", {"pairs": [[0, 3]]}),
        ("no pairs", "parameters", {"pairs": None}),
    ]
    for name, part, lie in lies:
        document = json.loads(json.dumps(truth))
        document[part].update(lie)
        assert not Certificate.from_dict(document).verify(released.value).ok, name
    assert not released.certificate.verify(released.value + np.eye(1, len(released.value)).ravel()).ok


def test_pairs_follow_from_what_was_released_and_noise_alone_chooses_none():
    problem, made = calibrated(ADD_REMOVE)
    for data in (codes(), codes(0)):
        released = made.run(problem, Numbers(Counted(data)), SeededNoise(3))
        pairs = [tuple(pair) for pair in released.certificate.parameters["pairs"]]
        rounds = problem.split(released.value, pairs)
        assert problem.chosen(rounds.tables, rounds.scores, made.scales[-1] / WHOLE, ADD_REMOVE) == pairs
        assert ((0, 1) in pairs) is bool(len(data))
    nobody = problem.expected([np.full(problem.cells(table), -5.0) for table in problem.tables])
    assert all(not each.any() for each in nobody)


CUT = {
    "columns": (*SIZES.items(), ("finer a", 9)),
    "tables": ((0, 3), (1, 3), (2, 3), (4,)),
    "cut": (Cut(column=0, fine=4, gap=True, starts=(0, 3, 5)),),
}


class Finer(Counted):
    """Column a has three bins and one for what is missing, of eight fine cells and one."""

    def __init__(self, fine, codes, begins=(0, 3, 5)):
        self.fine = fine
        column = np.where(fine == 8, 3, np.searchsorted(begins[1:], fine, side="right"))
        super().__init__(np.column_stack((column, codes[:, 1:], fine)))

    sizes = (*SIZES.values(), 9)

    def binned(self, begins):
        return Finer(self.fine, self.codes[:, :4], begins[0])


def test_bins_are_chosen_from_released_counts_and_a_certificate_says_so():
    """Where many share a value its cell is a bin of its own; where noise leaves nothing to be told, bins are the public ones."""
    problem, made = cut_problem(1.0)
    fine = np.repeat([2, 0, 1, 3, 4, 5, 6, 7, 8], [3000, *[300] * 7, 500])
    data = Finer(fine, np.tile(codes(3), (len(fine) // 3 + 1, 1))[: len(fine)])
    released = made.run(problem, Numbers(data), SystemNoise())
    rounds = problem.split(released.value, [tuple(pair) for pair in released.certificate.parameters["pairs"]])
    (begins,) = problem.begins([rounds.tables[3]], [made.scales[3] / WHOLE])
    assert begins == (0, 2, 3)
    bins = rounds.tables[0].reshape(4, 2).sum(axis=1)
    assert np.allclose(bins, [600, 3000, 1500, 500], atol=10 * made.scales[0] / WHOLE)  # of the chosen bins, not of the public ones
    released.certificate.verify(released.value).require()
    assert any("bins of a" in one.enforced for one in released.certificate.hypotheses)
    (few,) = problem.begins([rounds.tables[3]], [1e4])
    assert few == (0, 3, 5)
    truth = json.loads(released.certificate.to_json())
    cut = truth["problem"]["cut"][0]
    for lie in ({"column": 1}, {"column": 9}, {"fine": 3}, {"gap": False}, {"starts": [0, 5, 3]}, {"starts": [1, 3, 5]}, {"starts": [0, 3, 8]}):
        document = json.loads(json.dumps(truth))
        document["problem"]["cut"] = [cut | lie]
        assert not Certificate.from_dict(document).verify(released.value).ok, lie
    for wrong in (CUT["cut"] * 2, (CUT["cut"][0]._replace(fine=3),), (CUT["cut"][0]._replace(starts=(0, 3)),)):
        with pytest.raises(InvalidInput, match="cut"):
            Margins(**PROBLEM | CUT | {"cut": wrong})


def cut_problem(epsilon):
    problem = Margins(**PROBLEM | CUT)
    return problem, GaussianMargins.calibrate(problem, epsilon=epsilon, delta=1e-6, neighbours=ADD_REMOVE, shares=[1, 1, 1, 1, 0.5, 2])


def test_cliques_stay_small_enough_to_be_fitted():
    """Of columns that all depend on each other: without a bound all pairs are chosen, with one as many as leave no clique above it."""
    columns = tuple((name, 10) for name in "abcdef")
    tables = tuple((place,) for place in range(6))
    scores = np.arange(1000.0, 1015.0)
    for largest, least, most in ((10**6, 15, 15), (1000, 6, 14), (100, 5, 5)):
        problem = Margins(columns=columns, tables=tables, linked=tuple(range(6)), most=15, largest=largest)
        pairs = problem.chosen([np.full(10, 50.0)] * 6, scores, 0.1, ADD_REMOVE)
        assert least <= len(pairs) <= most
        assert (4, 5) in pairs


@pytest.mark.parametrize(
    "wrong",
    [
        {"tables": ()},
        {"tables": ((0, 3), (1, 3))},
        {"tables": ((3, 0), (1, 3), (2, 3))},
        {"tables": ((0, 3), (1, 3), (2, 9))},
        {"linked": (1, 0)},
        {"most": 0},
        {"most": 4},
        {"linked": (), "most": 1},
        {"columns": (("a", 0), ("b", 4), ("c", 3), ("y", 2))},
        {"columns": (("a", 2**24), ("b", 4), ("c", 3), ("y", 2))},
    ],
)
def test_other_problems_are_refused(wrong):
    with pytest.raises(InvalidInput):
        Margins(**PROBLEM | wrong)


def test_other_budgets_and_counts_are_refused():
    problem = Margins(**PROBLEM)
    for epsilon, delta in ((0.0, 1e-6), (101.0, 1e-6), (1.0, 0.0), (1.0, 1.0), (1.0, 1e-31), (math.nan, 1e-6)):
        with pytest.raises(InvalidInput):
            GaussianMargins.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE, shares=[1] * 5)
    for shares in ([1] * 4, [1, 1, 1, 1, 0], [1, 1, 1, 1, math.inf]):
        with pytest.raises(InvalidInput):
            GaussianMargins.calibrate(problem, epsilon=1.0, delta=1e-6, neighbours=ADD_REMOVE, shares=shares)
    with pytest.raises(InfeasibleTarget):
        GaussianMargins.calibrate(problem, epsilon=1e-9, delta=1e-29, neighbours=ADD_REMOVE, shares=[1] * 5)
    made = calibrated(ADD_REMOVE)[1]

    class Others:
        def of(self, tables):
            return [np.zeros(3, dtype=np.int64) for _ in tables]

    with pytest.raises(InvalidInput):
        made.run(problem, Numbers(Others()), SeededNoise(0))
    with pytest.raises(InvalidInput):
        made.guarantee(Margins(columns=(("a", 2),), tables=((0,),)))
