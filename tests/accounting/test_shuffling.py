"""Shuffled rows: all outputs of few rows, and rows on grids and lines, against the bound; and what it is of many, in closed form."""

import math
from itertools import combinations_with_replacement, permutations, product

import numpy as np
import pytest
from scipy.special import ndtr

from discreet.accounting import gaussian_delta
from discreet.accounting.shuffling import (
    Answered,
    RowLaw,
    missing_share,
    normal_laws,
    over_rows,
    ratio_laws,
    share_for,
    shuffled_delta,
    shuffled_normal,
    shuffled_ratio,
    shuffled_reports,
)
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.verification.shuffled_rows import _Loss, _shuffled


def hockey_stick(here, there, epsilon):
    return max(float(np.maximum(a - math.exp(epsilon) * b, 0).sum()) for a, b in ((here, there), (there, here)))


def histograms(laws):
    """Of answers of independent owners, as an array over counts of all answers but the last."""
    answers = len(laws[0])
    found = np.zeros((len(laws) + 1,) * (answers - 1))
    found[(0,) * (answers - 1)] = 1.0
    for law in laws:
        after = law[-1] * found
        for axis in range(answers - 1):
            after += law[axis] * np.roll(found, 1, axis=axis)
        found = after
    return found.ravel()


def response(answers, local):
    """The laws of all answers, the true one e^local times likelier."""
    law = np.full((answers, answers), 1.0) + (math.exp(local) - 1.0) * np.eye(answers)
    return law / law.sum(axis=1)


def response_law(epsilon, answers, local):
    """W uniform: that of every answer is p of it and the truth otherwise."""
    share = answers / (math.exp(local) + answers - 1.0)
    high, growth = share * math.exp(local), math.exp(epsilon)
    values = np.array([high - growth * share, share - growth * high, share - growth * share])
    return RowLaw(values=values, masses=np.array([1.0, 1.0, answers - 2.0]) / answers, share=share)


def worst_of_responses(rows, answers, local, epsilon):
    law = response(answers, local)
    others = combinations_with_replacement(range(answers), rows - 1)
    tables = [(histograms(law[[0, *rest]]), histograms(law[[1, *rest]])) for rest in others]
    return max(hockey_stick(here, there, epsilon) for here, there in tables)


@pytest.mark.parametrize(("answers", "local"), [(2, 1.0), (2, 3.0), (3, 2.0), (4, 2.0)])
def test_no_output_of_few_shuffled_answers_tells_more_than_the_bound(answers, local):
    for rows, epsilon in product(range(1, 7 if answers < 4 else 5), (0.0, 0.3, 1.0)):
        bound = shuffled_delta(epsilon, rows, (response_law(epsilon, answers, local),))
        exact = worst_of_responses(rows, answers, local, epsilon)
        assert exact <= bound + 1e-14
        if rows == 1:
            assert bound == pytest.approx(exact, rel=2e-3, abs=1e-12), "one row hides behind nobody"


def encoding(cells, odds):
    """The laws of all strings of bits, for every own category."""
    ones = np.array(list(product((0, 1), repeat=cells)))
    own = np.where(np.eye(cells), 0.5, 1.0 / (odds + 1.0))
    return np.array([np.prod(np.where(ones, each, 1.0 - each), axis=1) for each in own])


def beside(first, second):
    """The laws of two columns, answered independently."""
    return np.array([np.outer(one, other).ravel() for one in first for other in second])


def histogram_of(laws):
    """Of so many outcomes that only those of as many rows as there are are kept: sums of laws over multisets."""
    found = {(): 1.0}
    for law in laws:
        after = {}
        for seen, mass in found.items():
            for answer, each in enumerate(law):
                key = tuple(sorted((*seen, answer)))
                after[key] = after.get(key, 0.0) + mass * each
        found = after
    return np.array([mass for _, mass in sorted(found.items())])


REPORTS = {
    "encoding": (encoding(2, 4.0), [Answered(False, 2, 4.0)]),
    "longer encoding": (encoding(3, 9.0), [Answered(False, 3, 9.0)]),
    "response": (response(3, math.log(6.0)), [Answered(True, 3, 6.0)]),
    "two columns": (beside(response(2, math.log(3.0)), response(3, math.log(3.0))), [Answered(True, 2, 3.0), Answered(True, 3, 3.0)]),
    "both laws": (beside(response(2, math.log(3.0)), encoding(2, 3.0)), [Answered(True, 2, 3.0), Answered(False, 2, 3.0)]),
}


@pytest.mark.parametrize("name", REPORTS)
def test_no_output_of_few_shuffled_reports_tells_more_than_the_bound(name):
    """Of all pairs of owners, in the same category of a column or not, and all others; reports of half the noise, and more of them, break it."""
    laws, columns = REPORTS[name]
    for rows in (1, 2, 3):
        others = list(combinations_with_replacement(range(len(laws)), rows - 1))[:12]
        tables = {(own, rest): histogram_of(laws[[own, *rest]]) for own in range(len(laws)) for rest in others}
        for epsilon in (0.2, 0.8):
            pairs = [(one, other) for one in range(len(laws)) for other in range(one)]
            exact = max(hockey_stick(tables[one, rest], tables[other, rest], epsilon) for one, other in pairs for rest in others)
            bound = shuffled_reports(epsilon, columns, rows)
            assert exact <= bound + 1e-14
            if rows == 1:
                assert bound == pytest.approx(exact, rel=2e-3, abs=1e-12), "one report hides behind nobody, and all columns differ"
            less = [each._replace(odds=math.sqrt(each.odds)) for each in columns]
            assert exact > shuffled_reports(epsilon, less, rows), "half the noise"
    assert exact > shuffled_reports(epsilon, columns, 40), "more reports than there are"


@pytest.mark.parametrize("name", REPORTS)
def test_many_reports_are_counted_for_what_an_integral_along_a_line_finds(name):
    """As the recheck of rows has it: no grid, and every answer by itself."""
    columns, rows = REPORTS[name][1], 2_000
    for epsilon in (0.2, 0.4):
        atoms = [(1.0, 1.0, 1.0)]
        for column in columns:
            atoms = [(up * a, down * b, mass * each) for up, down, mass in atoms for a, b, each in column.atoms]
        up, down, masses = map(np.array, zip(*atoms, strict=True))
        share = math.prod(column.share for column in columns)
        found = _shuffled(rows, share, _Loss(up - math.exp(epsilon) * down, masses, 0.0))
        counted = shuffled_reports(epsilon, columns, rows)
        assert found * (1 - 1e-4) <= counted <= 1.07 * found + 1e-12


def test_no_output_tells_more_of_a_person_with_several_rows_than_the_bound():
    """Two of four answers differ, whatever they were; counted as one row, or at all of epsilon for each, the bound fails."""
    answers, rows = 3, 4
    law = response(answers, 1.5)
    pairs = [*combinations_with_replacement(range(answers), 2)]
    tables = {(one, rest): histograms(law[[*one, *rest]]) for one in pairs for rest in pairs}
    for epsilon in (0.1, 0.5, 1.5):
        exact = max(hockey_stick(tables[one, rest], tables[other, rest], epsilon) for one in pairs for other in pairs for rest in pairs)

        def curve(each):
            return shuffled_delta(each, rows, (response_law(each, answers, 1.5),))

        assert exact <= over_rows(curve, epsilon, 2) + 1e-14
        assert exact > curve(epsilon)


def test_faults_of_shuffled_answers_are_caught():
    bound = shuffled_delta(0.3, 4, (response_law(0.3, 3, 1.0),))
    assert worst_of_responses(4, 3, 1.0, 0.3) <= bound < worst_of_responses(4, 3, 2.0, 0.3), "half the noise"
    one = response(3, 1.0)
    assert hockey_stick(one[0], one[1], 0.3) > bound, "no shuffle"
    assert worst_of_responses(4, 3, 1.0, 0.3) > shuffled_delta(0.3, 24, (response_law(0.3, 3, 1.0),)), "more rows than there are"


def shuffled_law(laws):
    """Of three rows in a uniform order, over all outputs."""
    return sum(np.einsum("i,j,k->ijk", *(laws[place] for place in order)) for order in permutations(range(3))).ravel() / 6.0


@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
def test_no_output_of_three_shuffled_rows_on_a_grid_tells_more_than_the_bound(neighbours):
    grid = np.arange(-16, 17)
    for reach, scale, epsilon in ((1, 1.5, 0.2), (2, 2.0, 0.5), (1, 0.6, 1.0)):
        laws = {x: np.exp(-np.abs(grid - x) / scale) * math.tanh(0.5 / scale) for x in range(-reach, reach + 1)}
        bound = shuffled_delta(epsilon, 3, ratio_laws(epsilon, ratio=reach / scale, neighbours=neighbours))
        pairs = [(x, 0) for x in laws] if neighbours is ADD_REMOVE else product(laws, laws)
        others = list(combinations_with_replacement(laws, 2))
        cut = sum(1.0 - laws[reach].sum() for _ in range(3))
        outputs = {(x, *rest): shuffled_law([laws[x], *(laws[one] for one in rest)]) for x in laws for rest in others}
        found = max(hockey_stick(outputs[x, *rest], outputs[y, *rest], epsilon) for x, y in pairs for rest in others)
        assert found <= bound + cut


def test_two_shuffled_normal_rows_tell_no_more_than_the_bound_whatever_the_share():
    points, step = np.linspace(-9, 9, 361, retstep=True)
    for mu, epsilon in ((0.5, 0.1), (1.0, 0.5)):
        laws = {x: np.exp(-0.5 * np.square(points - x * mu)) * step / math.sqrt(2 * math.pi) for x in (-1.0, 0.0, 0.5, 1.0)}
        outputs = {pair: np.outer(laws[pair[0]], laws[pair[1]]) for pair in product(laws, laws)}
        exact = max(hockey_stick(*(0.5 * (outputs[x, other] + outputs[other, x]) for x in (-1.0, 1.0)), epsilon) for other in laws)
        bounds = [shuffled_normal(epsilon, mu=mu, rows=2, share=share, neighbours=REPLACE_ONE) for share in (0.01, 0.2, 0.5, 0.8)]
        assert exact <= min(bounds) + 1e-9
        assert min(bounds) <= gaussian_delta(epsilon, 2 * mu) + (1 + math.exp(epsilon)) * missing_share(0.5, mu)
        half = [shuffled_normal(epsilon, mu=0.5 * mu, rows=2, share=share, neighbours=REPLACE_ONE) for share in (0.01, 0.2, 0.5)]
        assert exact > min(half), "half the noise is caught"


def test_opposite_records_are_the_worst_pair_of_the_ball():
    nodes, weights = np.polynomial.hermite_e.hermegauss(10)
    weights = weights / weights.sum()
    draws = np.array(list(product(nodes, repeat=4))).reshape(-1, 2, 2)
    masses = np.prod(np.array(list(product(weights, repeat=4))), axis=1)

    def first_term(x, y, epsilon):
        ratios = [np.exp(draws @ point - 0.5 * point @ point) for point in (x, y)]
        return float(masses @ np.maximum((ratios[0] - math.exp(epsilon) * ratios[1]).sum(axis=1), 0))

    generator = np.random.default_rng(5)
    for mu, epsilon in ((0.4, 0.0), (0.9, 0.5)):
        worst = first_term(np.array([mu, 0.0]), np.array([-mu, 0.0]), epsilon)
        angles, lengths = generator.uniform(0, 2 * math.pi, (12, 2)), mu * np.sqrt(generator.uniform(0, 1, (12, 2)))
        for (one, other), (long, short) in zip(angles, lengths, strict=True):
            x, y = long * np.array([math.cos(one), math.sin(one)]), short * np.array([math.cos(other), math.sin(other)])
            assert first_term(x, y, epsilon) <= worst * (1 + 1e-2), "the quadrature's own error"


def test_a_law_has_the_mean_and_the_positive_part_that_it_bounds():
    for mu, epsilon in ((0.2, 0.3), (1.0, 1.0), (2.0, 3.0)):
        for law, mean in zip(normal_laws(epsilon, mu=mu, share=0.1, cut=1e-12, neighbours=ADD_REMOVE), (1, 1), strict=True):
            assert law.masses.sum() == pytest.approx(mean, rel=1e-9)
            assert law.values @ law.masses == pytest.approx(1 - math.exp(epsilon), rel=1e-4)
        (law,) = normal_laws(epsilon, mu=mu, share=0.1, cut=1e-12, neighbours=REPLACE_ONE)
        found = float(np.maximum(law.values, 0) @ law.masses)
        assert gaussian_delta(epsilon, 2 * mu) <= found * (1 + 1e-9) <= gaussian_delta(epsilon, 2 * mu) * (1 + 1e-4) + 1e-9


def test_many_rows_hide_better_and_more_noise_too():
    args = {"share": share_for(1e-14, mu=1.0), "neighbours": REPLACE_ONE}
    found = [shuffled_normal(1.0, mu=1.0, rows=rows, **args) for rows in (10**4, 10**5, 10**6)]
    assert found[0] > found[1] > found[2]
    assert shuffled_normal(1.0, mu=0.9, rows=10**5, **args) < found[1]
    assert shuffled_ratio(1.0, ratio=3.0, rows=10**5, neighbours=REPLACE_ONE) < shuffled_ratio(1.0, ratio=4.0, rows=10**5, neighbours=REPLACE_ONE)


def test_the_missing_share_is_that_of_a_gaussian_curve():
    share = share_for(1e-10, mu=0.8)
    assert missing_share(share, 0.8) <= 1e-10 < missing_share(1.01 * share, 0.8)
    at = -math.log(share)
    assert missing_share(share, 0.8) == pytest.approx(share * (ndtr(0.4 - at / 0.8) - ndtr(-0.4 - at / 0.8) / share), rel=1e-6)


def test_what_cannot_be_counted_is_refused():
    with pytest.raises(InvalidInput, match="shuffled rows are counted"):
        shuffled_normal(60.0, mu=1.0, rows=10, share=0.1, neighbours=REPLACE_ONE)
    with pytest.raises(InvalidInput, match="number of shuffled rows"):
        shuffled_ratio(1.0, ratio=1.0, rows=0, neighbours=REPLACE_ONE)
