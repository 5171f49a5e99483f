"""What leaves every mechanism has the noise that its certificate states, and noise of another size or shape is seen."""

import math
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from discreet.audit.claim import Target
from discreet.audit.drawn import regression
from discreet.audit.drawn.learning import one_model, several_classes
from discreet.audit.drawn.named import CATALOGUE
from discreet.audit.parts import FALSE_ALARM, Part, Watch, chosen, of_law, of_noise
from discreet.audit.persons import WorstPerson
from discreet.cli.audit_estimators import ESTIMATORS
from discreet.core.neighbours import ADD_REMOVE, PARTS, REPLACE_ONE, Persons
from discreet.data import Domain, NumericColumn, PersonColumn, Records, Schema, persons
from discreet.data import Target as Classes
from discreet.descriptions.asked import Asked
from discreet.descriptions.records import counted, plain_schema
from discreet.estimators.search.tables import OF_NUMBERS, Scoring
from discreet.evaluation import TIME_METRICS, TimeSurvey
from discreet.evaluation.outcomes import Outcomes
from discreet.matrices import as_matrix
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.counting import Cells, Moments, ScoredClasses, Summary
from discreet.mechanisms.cuts.columns import whose_rows
from discreet.mechanisms.learning.counted import parts_of
from discreet.mechanisms.margins import Margins
from discreet.mechanisms.release import Categories, EigenvalueSketch, LaplaceRelease, RandomisedCategories, ShuffledGaussianRows
from discreet.mechanisms.release.answers import answers
from discreet.mechanisms.release.categories import probabilities
from discreet.mechanisms.selection import CountNoise
from discreet.noise import SystemNoise
from discreet.noise.laws import DiscreteGaussian, DiscreteLaplace, Normal, Spherical
from discreet.problems import Prior
from discreet.queries import Projection, Rows, SecondMoments
from discreet.queries import Target as Column
from discreet.words.categories import RESPONSE, UNARY
from discreet.words.counting import WHOLE
from tests.accounting.test_profile import test_a_bound_across_zero_is_never_below_a_law_and_randomised_response_reaches_it as keep_the_laws
from tests.accounting.test_shuffling import test_no_output_of_few_shuffled_reports_tells_more_than_the_bound as keep_the_count
from tests.estimators.door.test_weights_of_numbers import DOORS, check_weights
from tests.estimators.models.test_person_period import MODELS, check_made_rows
from tests.estimators.two_part.test_calibrated_cuts import check_counts_by_score
from tests.mechanisms.constrained.test_objective_set_audit import check_factors
from tests.mechanisms.constrained.test_softmax_audit import check_slopes
from tests.mechanisms.constrained.test_transcript_audit import check_the_first_step
from tests.mechanisms.learning.test_class_supremum import check_recheck as check_recheck_of_classes
from tests.mechanisms.learning.test_counted_objective import check_a_person_of_heavy_rows_counts_once
from tests.mechanisms.learning.test_density_audit import test_both_stages_together_keep_the_claim_and_less_noise_of_either_breaks_it as keep_the_claim
from tests.mechanisms.learning.test_one_direction import check_recheck
from tests.mechanisms.learning.test_repeated import (
    test_several_fits_with_noise_on_their_minimiser_cost_what_one_gaussian_mechanism_does as keep_the_claim_of_several,
)
from tests.mechanisms.learning.test_strong_ridge import check_beside_a_set, check_one_is_enough
from tests.noise.test_chacha import check_the_stream
from tests.queries.test_farthest import check_none_farther
from tests.verification.test_stages import test_two_gaussian_stages_are_one as count_both_stages
from tests.verification.test_stages import (
    test_what_the_last_stage_loses_alone_is_counted_after_a_first_that_releases_nothing as count_the_last_stage,
)

BOTH = {"objective", "output", "multinomial", "one-vs-rest"}
"""Entries of which delta = 0 is another mechanism."""
RUNS = [
    *((name, 0.0 if watch.pure or name == "bounds" else 1e-6, REPLACE_ONE) for name, watch in CATALOGUE.items()),
    ("cuts", 0.0, ADD_REMOVE),
    ("second-moments", 1e-6, ADD_REMOVE),
    ("least-squares", 1e-6, ADD_REMOVE),
    ("objective", 1e-6, ADD_REMOVE),
    *((name, 0.0, ADD_REMOVE) for name in sorted(BOTH)),
]


@pytest.mark.at_most(26)
@pytest.mark.parametrize(("name", "delta", "neighbours"), RUNS)
def test_what_leaves_has_the_noise_that_the_certificate_states(name, delta, neighbours):
    watch = CATALOGUE[name].drawn(Target(epsilon=1.0, delta=delta, neighbours=neighbours))
    assert watch.as_stated, "\n".join(watch.lines())
    assert watch.parts
    assert watch.mechanism in CATALOGUE[name].certified


def test_no_person_moves_the_number_of_records_farther_than_its_noise_is_for():
    shares = np.array([1.0, 0.5, 0.3, 1.0 / 3.0, 0.2, 1e-9])
    domain = Domain(features=2, norm_bound=1.0, target_bound=1.0, persons=Persons(rows=3))
    for weights in (shares[:1], shares[1:3], np.full(3, (2**53 // 3) * 2.0**-53), shares[4:]):
        rows = Records(rows=as_matrix(np.full((len(weights), 2), 0.1)), targets=np.zeros(len(weights)), weights=weights, domain=domain)
        assert sum(rows.map(parts_of)) <= PARTS
    check_a_person_of_heavy_rows_counts_once()


def test_no_person_counts_more_than_one_record_of_classes_by_score_in_blocks():
    for classes in (2, 3):
        check_counts_by_score(classes)


def test_how_searches_cut_tables_is_watched_too():
    watch = ESTIMATORS["search-parts"].drawn(Target(epsilon=1.0, delta=0.0, neighbours=ADD_REMOVE))
    assert watch.as_stated, "\n".join(watch.lines())


def test_no_record_moves_sums_of_powers_farther_than_the_noise_is_for():
    """All pairs of 513 targets, by themselves and beside errors at both ends."""
    for query in (Moments(targets=True, bits=12), Moments(errors=(), targets=True, bits=12)):
        low, high = (np.array([query.answer(np.array([[end, target]])) for target in range(-4096, 4097, 16)]) for end in (0, 4096))
        moves = (high[:, np.newaxis] - low[np.newaxis]).reshape(-1, query.size).astype(float)
        for norm, bound in ((2, query.sensitivity(REPLACE_ONE).step), (1, query.sensitivity(REPLACE_ONE).manhattan)):
            assert np.max(np.linalg.norm(moves, norm, axis=1)) <= bound
            assert np.max(np.linalg.norm(high.astype(float), norm, axis=1)) <= bound


def test_no_record_moves_tables_and_sums_farther_than_the_noise_is_for():
    """All pairs of 129 numbers in two groups, each with the farthest cells; where squares weigh little, and where they weigh most."""
    numbers = np.linspace(-(1 << 20), 1 << 20, 129).astype(np.int64)
    for groups, pair in ((1, (40_000, 20_000)), (2, (40_000, 20_000)), (1, (10_000, 90_000)), (2, (10_000, 90_000)), (1, (59_161, 100_000))):
        query = Summary(groups=groups, tables=(Cells(cells=4, levels=((1, 30_000), (2, 50_000))),), sums=(pair,))
        here, there = (
            np.array([query.answer(np.array([[group, cell, number]])) for number in numbers]).astype(float)
            for group, cell in ((0, 0), (groups - 1, 3))
        )
        elsewhere = np.array([query.answer(np.array([[0, 3, number]])) for number in numbers]).astype(float)
        for norm in (2, 1):
            added, replaced = (
                getattr(query.sensitivity(neighbours), "step" if norm == 2 else "manhattan") for neighbours in (ADD_REMOVE, REPLACE_ONE)
            )
            reached = max(np.max(np.linalg.norm(here[:, np.newaxis] - other, norm, axis=2)) for other in (there, elsewhere))
            assert np.max(np.linalg.norm(here, norm, axis=1)) <= added
            assert 0.99 * replaced <= reached <= replaced


def test_no_record_moves_scored_classes_farther_than_the_noise_is_for():
    for query, places in ((ScoredClasses(bins=3), 6), (ScoredClasses(bins=2, classes=4), 16)):
        alone = [query.answer(np.array([place])) for place in range(places)]
        for neighbours, others in ((ADD_REMOVE, [np.zeros(8)]), (REPLACE_ONE, alone)):
            claim = query.sensitivity(neighbours)
            reached = max(np.abs(here - there).sum() for here in alone for there in others)
            assert reached == claim.manhattan == claim.squared, "every integer moves by 1"


def test_no_record_moves_tables_or_scores_farther_than_their_noise_is_for():
    """All tables of few records, and expectations, of three pairs of columns together: the whole move of each round, and no less."""
    problem = Margins(columns=(("a", 2), ("b", 2), ("c", 2)), tables=((0,), (1,), (2,)), linked=(0, 1, 2), most=2)
    for neighbours in (ADD_REMOVE, REPLACE_ONE):
        *first, of_scores, of_pair = (one.mu for one in problem.moves(neighbours, [WHOLE] * problem.parts))
        scored, moved = 0.0, 0.0
        for expected in range(3):
            for records in product(range(3), repeat=4):
                for step in np.eye(4, dtype=int) if neighbours is ADD_REMOVE else np.eye(4, dtype=int)[[0, 1]] - np.eye(4, dtype=int)[[3, 2]]:
                    here, there = (problem.scores([table] * 3, [np.full(4, expected)] * 3, neighbours) for table in (records, records + step))
                    scored, moved = max(scored, float(np.linalg.norm(there - here))), max(moved, float(np.linalg.norm(step)))
        assert scored == pytest.approx(of_scores)
        assert first == pytest.approx([moved] * 3)
        assert of_pair == pytest.approx(moved)


def test_no_person_moves_a_description_farther_than_the_noise_is_for():
    """Of persons with several rows of whom one is kept, and of those whose rows share a weight."""
    rows = {"age": [0.0, 9.0, 9.0, 9.0], "ill": ["yes"] * 4, "id": [1, 2, 2, 2]}
    for kept in (1, 3):
        schema = Schema(
            name="persons",
            target=Classes(column="ill", classes=("no", "yes")),
            numeric=(NumericColumn(name="age", lower=0, upper=9),),
            person=PersonColumn(column="id", rows=kept),
        )
        asked = Asked(schema=schema, neighbours=ADD_REMOVE, steps=16)
        answers = []
        for count in (1, 4):
            table = plain_schema(asked).encode({name: column[:count] for name, column in rows.items()}, target=True)
            whose = whose_rows(table, SystemNoise(), rows_per_person=None, person_weight="person", jobs=1)
            answers.append(counted(asked, plain_schema(asked), whose, jobs=1).answer.astype(float))
        moved = float(np.linalg.norm(answers[1] - answers[0]))
        (stated,) = asked.queries.sensitivities(ADD_REMOVE)
        assert 0.98 * stated.step <= moved <= stated.step


def test_a_record_of_a_model_of_times_is_counted_whatever_stands_beside_it():
    draw = np.random.default_rng(0)
    codes, curves = draw.integers(0, 7, 60), np.cumprod(draw.random((60, 3)), axis=1)
    survey = TimeSurvey(metrics=TIME_METRICS, neighbours=ADD_REMOVE, ends=(1.0, 2.0, 4.0))

    def read(first, last):
        part = {"actual": codes[first:last], "survival": curves[first:last]}
        return survey.read(Outcomes(classes=(), predicted=None, probabilities=None, decision=None, **part))

    whole = read(0, 60)
    for first, last in ((0, 1), (3, 5), (10, 51)):
        assert all(np.array_equal(one, other[first:last]) for one, other in zip(read(first, last), whole, strict=True))


def test_no_record_moves_second_moments_farther_than_the_noise_is_for():
    """The worst pairs that are known, of records and of persons, reach what the certificate says and no more."""
    for neighbours in (ADD_REMOVE, REPLACE_ONE):
        for person in (None, WorstPerson(rule=Persons(rows=3))):
            report = CATALOGUE["second-moments"].run(Target(epsilon=1.0, delta=1e-6, neighbours=neighbours, person=person))
            assert not report.violated, str(report)
            assert report.bound > 0.995


def test_no_record_moves_a_projection_and_the_target_beside_it_farther_than_the_noise_is_for():
    domain = Domain(features=4, norm_bound=1.0, target_bound=3.0)
    query = Projection.from_public_seed(domain, width=2, seed=7, target=Column.NOISY, beside=True)
    along = np.linalg.svd(query.matrix)[0][:, 0]
    ends = Records(rows=as_matrix(np.array([along, -along])), targets=np.array([3.0, -3.0]), domain=domain, kept=True)
    first, second = np.concatenate([rows for _, rows in answers(query, ends)])
    assert 0.999 * query.sensitivity(REPLACE_ONE) <= np.linalg.norm(first - second) <= query.sensitivity(REPLACE_ONE)
    check_none_farther()


def test_a_first_step_from_a_public_point_costs_what_slopes_there_do():
    check_the_first_step()


def test_no_record_moves_the_gradient_of_many_classes_farther_than_the_noise_is_for():
    check_slopes()


def test_what_leaves_under_factors_of_a_ridge_has_the_noise_and_the_ridge_that_are_stated():
    check_factors()


def test_an_eigenvalue_is_released_for_what_its_recheck_finds():
    domain = Domain(features=2, entry_bound=1.0)
    query = SecondMoments(domain=domain, target=Column.OMITTED, most_records=100)
    made = EigenvalueSketch.calibrate(query, rows=20, epsilon=1.0, delta=1e-6, neighbours=ADD_REMOVE)
    given = Records(rows=as_matrix(np.zeros((3, 2))), targets=None, domain=domain, kept=True)
    assert made.run(query, given, SystemNoise()).certificate.verify().ok


def test_no_record_counts_more_than_one_in_a_search_over_regressions():
    for kind in OF_NUMBERS:
        scoring, given = Scoring(kind=kind, error_bound=0.5), np.linspace(-2.0, 2.0, 401)
        for predicted in (np.zeros(401), given, np.full(401, np.nan)):
            counts = scoring.of(predicted, given)
            assert counts.min() >= 0
            assert counts.max() <= WHOLE
            assert scoring.total(np.full(4, counts.max()), np.full(4, WHOLE // 4)) <= WHOLE
    curve = CountNoise(law="discrete-gaussian", scale=2.0, fine=True).guarantee(REPLACE_ONE)
    assert curve.delta(0.5) >= 0.999 * (ndtr(-0.75) - np.exp(0.5) * ndtr(-1.25))  # of one record, over two of deviation


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_rows_of_persons_share_a_weight_in_memory_and_in_blocks(delta, neighbours):
    watch_persons(Persons(rows=3), delta=delta, neighbours=neighbours)


def test_the_rows_of_persons_are_kept_and_weighed_by_their_rule():
    for rule in (Persons(rows=3), Persons(rows=3, weight="row"), Persons(rows=1)):
        watch_persons(rule)


def watch_persons(rule, *, delta=1e-6, neighbours=REPLACE_ONE):
    target = Target(epsilon=1.0, delta=delta, neighbours=neighbours, person=WorstPerson(rule=rule))
    watch = ESTIMATORS["persons"].drawn(target)
    assert watch.as_stated, "\n".join(watch.lines())


@pytest.mark.at_most(9)
@pytest.mark.parametrize(("name", "delta", "neighbours"), [run for run in RUNS if CATALOGUE[run[0]].persons])
def test_what_leaves_for_persons_has_the_noise_that_the_certificate_states(name, delta, neighbours):
    watch = CATALOGUE[name].drawn(Target(epsilon=1.0, delta=delta, neighbours=neighbours, person=WorstPerson(rule=Persons(rows=5))))
    assert watch.as_stated, "\n".join(watch.lines())


@pytest.mark.at_most(2)
@pytest.mark.parametrize("name", [name for name, entry in CATALOGUE.items() if entry.persons and name != "multinomial"] + ["multinomial"])
def test_every_watch_of_persons_sees_rows_that_do_not_share_a_weight(name, monkeypatch):
    monkeypatch.setattr(persons, "weights_of", lambda counts, _: np.where(counts > 0, 1.0, 0.0))
    watch = CATALOGUE[name].drawn(Target(epsilon=1.0, delta=1e-6, neighbours=REPLACE_ONE, person=WorstPerson(rule=Persons(rows=5))))
    assert not watch.as_stated


AROUND = {
    "objective": lambda target: one_model(target, mechanism="objective", prior=np.array([40.0, -30.0])),
    "multinomial": lambda target: several_classes(target, multinomial=True, prior=8.0 * (np.arange(6.0) - 2.5)),
    "one-vs-rest": lambda target: several_classes(target, multinomial=False, prior=8.0 * (2.5 - np.arange(6.0))),
    "least squares": lambda target: regression.objective(target, prior=np.array([4.0, -3.0, 1.0])),
    "predictions": lambda target: regression.prediction(target, prior=np.array([40.0, -30.0, 10.0])),
}


def test_what_leaves_around_a_prior_has_the_noise_that_the_certificate_states():
    for name, delta in (*((name, 1e-6) for name in AROUND), ("objective", 0.0)):
        watch = AROUND[name](Target(epsilon=1.0, delta=delta, neighbours=REPLACE_ONE))
        assert watch.as_stated, "\n".join(watch.lines())


def test_a_prior_that_is_not_the_one_of_the_certificate_is_seen(monkeypatch):
    monkeypatch.setattr(Prior, "pull", lambda self, ridge: 0.5 * ridge * self.point)
    for name in ("objective", "least squares", "predictions"):
        assert not AROUND[name](Target(epsilon=1.0, delta=1e-6, neighbours=REPLACE_ONE)).as_stated


def test_every_entry_of_the_command_line_has_a_watch():
    assert all(entry.drawn is not None and entry.certified for entry in CATALOGUE.values())


def watched(*parts):
    return Watch(mechanism="of a test", parts=parts)


NORMAL = SystemNoise().gaussian(scale=1.0, dimension=3, draws=400).T
LAPLACE = SystemNoise().discrete_laplace(scale=3.0, dimension=2, draws=300).T
FINEST = SystemNoise().discrete_gaussian(scale=1000.0, dimension=2, draws=300).T
COARSE = SystemNoise().discrete_gaussian(scale=2.5, dimension=2, draws=300).T
BALLS = SystemNoise().spherical(rate=4.0, dimension=3, draws=300).T


@cache
def choices():
    return np.array([[SystemNoise().choice(np.array([0, 1, 2]), rate=1.2)] for _ in range(2500)])


DRAWN = {
    "gaussian": lambda size: of_noise("noise", NORMAL, Normal(size)),
    "spherical": lambda size: of_noise("noise", BALLS, Spherical(4.0 / size)),
    "discrete Laplace": lambda size: of_noise("noise", LAPLACE, DiscreteLaplace(3.0 * size)),
    "discrete Gaussian, fine": lambda size: of_noise("noise", FINEST, DiscreteGaussian(1000.0 * size)),
    "discrete Gaussian, coarse": lambda size: of_noise("noise", COARSE, DiscreteGaussian(2.5 * size)),
    "chosen": lambda size: chosen("choice", "odds", choices(), np.exp(-1.2 / size * np.arange(3))),
    "any law": lambda size: of_law("noise", "normal", NORMAL, lambda x: ndtr(x / size)),
}


@pytest.mark.parametrize("law", list(DRAWN))
def test_noise_of_the_stated_size_passes_and_half_or_twice_of_it_is_seen(law):
    assert watched(DRAWN[law](1.0)).as_stated, str(DRAWN[law](1.0))
    for wrong in (0.5, 2.0):
        found = watched(DRAWN[law](wrong))
        assert not found.as_stated
        assert "drawn otherwise" in found.lines()[0]


def normal(scores):
    return watched(Part(what="noise", stated="normal", scores=np.asarray(scores)))


def test_noise_of_another_shape_and_the_right_size_is_seen():
    assert not normal(np.sign(NORMAL)).as_stated
    uniform = (ndtr(SystemNoise().gaussian(scale=1.0, dimension=2, draws=6000).T) - 0.5) * np.sqrt(12.0)
    assert not normal(uniform).as_stated


def test_rows_that_are_made_of_a_record_are_one_persons():
    for model in MODELS.values():
        check_made_rows(model)


def test_no_record_of_a_regression_weighs_more_than_the_certificate_says():
    for door in DOORS.values():
        check_weights(door)


def test_noise_around_another_centre_is_seen():
    assert not normal(NORMAL + 0.5).as_stated


def test_one_column_of_half_the_noise_is_seen_among_others():
    many = SystemNoise().gaussian(scale=1.0, dimension=12, draws=150).T
    assert normal(many).as_stated
    many[:, 7] *= 0.5
    assert not normal(many).as_stated


def test_the_same_noise_in_two_columns_or_two_runs_is_seen():
    one = NORMAL[:, :1]
    assert not normal(np.repeat(one, 2, axis=1)).as_stated
    assert not normal(np.repeat(one[:200], 2, axis=0)).as_stated
    assert not normal(np.column_stack((one, -one))).as_stated


def test_tests_of_stated_noise_are_rarely_odd():
    """Of 400 parts of 60 normal numbers, chances below 1 % are at most as many as a binomial law of 1 % has but for 1e-9."""
    chances = [Part(what="", stated="", scores=SystemNoise().gaussian(scale=1.0, dimension=3, draws=20).T).chance for _ in range(400)]
    assert sum(chance < 0.01 for chance in chances) <= 23


def test_a_watch_counts_its_parts_and_a_part_its_tests():
    """A number as far out as 0.7 FALSE_ALARM: odd alone, as three tests say together, and not beside another part."""
    odd = Part(what="", stated="", scores=np.full((1, 1), -ndtri(0.7 * FALSE_ALARM / 6.0)))
    assert odd.chance == pytest.approx(0.7 * FALSE_ALARM)
    assert not watched(odd).as_stated
    assert watched(odd, odd).as_stated


class GivenWords:
    """A source whose one stream is given."""

    def __init__(self, words):
        self.given = words

    def words(self):
        return lambda count: np.array(self.given[:count], dtype=np.uint64)


def test_no_report_tells_a_category_better_than_stated():
    """Every word that the code can be given, below a multiple of all bounds: reports are counted exactly, under each category; a : b is 6 : 2."""
    for law, cells, words in ((RESPONSE, 3, 240), (UNARY, 2, 48)):
        problem, made = Categories(columns=(("a", cells),)), RandomisedCategories(laws=(law,), kept=(6,), unit=2)
        laws = []
        for code in range(cells):
            drawn = product(range(words), repeat=1 if law == RESPONSE else cells)
            reports = (next(made.draw(problem, Numbers(np.array([code])), GivenWords(given)).blocks) for given in drawn)
            laws.append(Counter(tuple(report[0].tolist()) for report in reports))
        assert len({tuple(sorted(one)) for one in laws}) == 1, "a report that one category never gives tells it"
        worst = max(Fraction(one[report], other[report]) for one in laws for other in laws for report in one)
        assert worst == 3
        assert math.log(worst) <= made.promise(problem).epsilon < math.log(worst) * (1 + 1e-12)
        for code, expected in enumerate(probabilities(law, cells, 3.0)):
            assert sum(count for report, count in laws[code].items() if report[0]) / laws[code].total() == pytest.approx(expected, rel=1e-12)


def test_no_row_moves_farther_than_its_laplace_noise_is_for():
    """Rows of the domain, on coarse grids where rounding matters: never above the claim, and above half of it."""
    draw, worst = np.random.default_rng(0), 0.0
    domain = Domain(features=3, entry_bound=0.9, norm_bound=1.0, target_bound=2.0)
    for _ in range(400):
        made = LaplaceRelease(step=2.0 ** draw.integers(-3, 1), scale=7.0, neighbours=REPLACE_ONE)
        rows = np.clip(draw.choice([-9, 0, 0.3, 9], (2, 3)) + 0.2 * draw.standard_normal((2, 3)), -0.9, 0.9)
        rows /= np.maximum(1.0, np.linalg.norm(rows, axis=1, keepdims=True))
        whole = np.column_stack((rows, draw.choice([-2.0, 2.0, 0.1], 2)))
        moved = np.abs(np.diff(np.rint(whole / made.step), axis=0)).sum() / made.scale
        worst = max(worst, moved / made.guarantee(Rows(domain=domain, target="noisy")).epsilon)
    assert 0.5 < worst <= 1.0


def test_both_stages_cost_what_their_laws_say():
    """The minimiser under Gaussian noise, and the noise that hides the solver's error: exact densities."""
    keep_the_claim(1.0, 1e-5, 1.0)


def test_a_recheck_counts_both_stages():
    """Two Gaussian mechanisms, which are one; and one after a first that releases nothing."""
    count_both_stages(1.0)
    count_the_last_stage()


def test_many_classes_under_a_strong_ridge_cost_one_gaussian_mechanism_where_the_theorem_says_so():
    """Nowhere else, and not over a set."""
    check_one_is_enough()
    check_beside_a_set(REPLACE_ONE)


def test_a_record_among_many_classes_costs_what_a_stranger_finds():
    """The supremum over probabilities, whose law the recheck has from a transform."""
    check_recheck_of_classes()


def test_a_record_along_one_direction_costs_what_a_stranger_finds():
    """Its Jacobian term included."""
    check_recheck()


def test_several_fits_cost_what_their_laws_say():
    """Noise on the minimiser, whose law is exact."""
    keep_the_claim_of_several(REPLACE_ONE, 1.0, 1e-5)


def test_shuffled_rows_are_counted_for_what_their_recheck_finds():
    """The share that rows have in common, and what they do not: the recheck integrates along a line, and has no grid."""
    rows = Rows(domain=Domain(features=3, norm_bound=1.0))
    persons = Rows(domain=Domain(features=3, norm_bound=1.0, persons=Persons(rows=2)))
    for query, neighbours, slots in ((rows, REPLACE_ONE, None), (rows, ADD_REMOVE, 50_000), (persons, ADD_REMOVE, 50_000)):
        made = ShuffledGaussianRows.calibrate(query, epsilon=1.0, delta=1e-6, neighbours=neighbours, slots=slots, shuffled=50_000)
        assert made.share * 50_000 > 20
        found = {check.name: check for check in made.planned(query, shape=(1, 3)).verify().checks}
        assert found["delta"].ok, found["delta"]


def test_shuffled_reports_tell_no_more_than_is_counted():
    """All outputs of few encoded reports, for all pairs of owners."""
    keep_the_count("encoding")


def test_no_word_of_a_key_is_drawn_twice():
    check_the_stream()


def test_what_is_composed_near_zero_is_never_below_a_law():
    """Of one problem of many classes: exact laws, and randomised response."""
    keep_the_laws()
