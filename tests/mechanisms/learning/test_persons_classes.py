"""Several rows of one person in models of many classes, at the noise of one record: exact densities, planted faults, integrals, rechecks."""

from dataclasses import replace

import numpy as np
import pytest

from discreet.accounting import gaussian_delta
from discreet.core.errors import InfeasibleTarget
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours, Persons
from discreet.data import Domain
from discreet.mechanisms.learning import calibrate
from discreet.mechanisms.learning.class_mixture import classes_loss
from discreet.mechanisms.learning.multinomial import MULTINOMIAL
from discreet.noise import SystemNoise
from discreet.problems import MultinomialRisk
from tests.mechanisms.learning.class_densities import Labelled, delta_between, noise_and_hessians
from tests.mechanisms.learning.persons_of_classes import asked, certified, keeps_its_promise, visits
from tests.mechanisms.learning.test_class_audit import supremum

K = 3
HARDEST = {"equal", "three classes", "long and short"}
PUSH = [((1.0,), 1, 100.0)]
"""Others that make class 1 the likely one."""
PERSONS = {
    "equal": [((1.0,), 0, 1 / 3)] * 3,
    "two classes": [((1.0,), 0, 0.5), ((1.0,), 2, 0.5)],
    "three classes": [((1.0,), 0, 1 / 3), ((1.0,), 1, 1 / 3), ((1.0,), 2, 1 / 3)],
    "opposite": [((1.0,), 0, 0.5), ((-1.0,), 0, 0.5)],
    "opposite, two classes": [((1.0,), 0, 0.5), ((-1.0,), 1, 0.5)],
    "long and short": [((1.0,), 0, 0.7), ((-0.4,), 2, 0.2), ((0.2,), 1, 0.1)],
}


def multinomial(ridge=1.0, *, classes=K, features=1, rows=3, records=1000):
    persons = Persons(rows=rows) if rows else None
    return MultinomialRisk(ridge=ridge, domain=Domain(features=features, norm_bound=1.0, classes=classes, records=records, persons=persons))


def comfortable(factor=1.0, *, target, **shape):
    public = multinomial(**shape)
    return replace(public, ridge=factor * MULTINOMIAL.comfortable_ridge(public, **target))


def reached(first, second, *, public, scale, epsilon):
    return delta_between(first, second, ridge=public.ridge, scale=scale, epsilon=epsilon, nodes=31)


def worst(pair, **numbers):
    return max(reached(*each, **numbers) for each in (pair, pair[::-1]))


@pytest.mark.at_most(1)
@pytest.mark.parametrize("rows", [name if name in HARDEST else pytest.param(name, marks=pytest.mark.more) for name in PERSONS])
@pytest.mark.parametrize("factor", [0.4, 1.0])
def test_no_persons_rows_exceed_the_claim_and_rows_that_share_no_weight_do(rows, factor):
    epsilon, delta = 1.0, 1e-4
    target = asked(epsilon, delta, ADD_REMOVE)
    public = comfortable(factor, target=target)
    scale = MULTINOMIAL.scale(public, **target)
    with_them, others = Labelled.of(K, *PUSH, *PERSONS[rows]), Labelled.of(K, *PUSH)
    most = worst((with_them, others), public=public, scale=scale, epsilon=epsilon)
    assert most <= delta
    if rows == "equal":
        assert most > 0.1 * delta
        alone = Labelled.of(K, *PUSH, *[(row, code, 1.0) for row, code, _ in PERSONS[rows]])
        assert reached(alone, others, public=public, scale=scale, epsilon=epsilon) > 50.0 * delta
        assert reached(with_them, others, public=public, scale=0.5 * scale, epsilon=epsilon) > 50.0 * delta


@pytest.mark.at_most(1)
@pytest.mark.parametrize(("first", "second"), [("equal", "three classes"), ("two classes", "opposite"), ("opposite, two classes", "long and short")])
def test_a_person_who_replaces_another_keeps_the_claim(first, second):
    epsilon, delta = 1.0, 1e-4
    target = asked(epsilon, delta, REPLACE_ONE)
    public = comfortable(target=target)
    scale = MULTINOMIAL.scale(public, **target)
    pair = Labelled.of(K, *PUSH, *PERSONS[first]), Labelled.of(K, *PUSH, *PERSONS[second])
    assert worst(pair, public=public, scale=scale, epsilon=epsilon) <= delta


@pytest.mark.at_most(1)
@pytest.mark.parametrize("neighbours", Neighbours)
@pytest.mark.parametrize("factor", [0.4, 1.0])
@pytest.mark.parametrize("rows", ["equal", "two classes", "opposite"])
def test_pure_noise_keeps_its_claim_for_persons(neighbours, factor, rows):
    epsilon = 1.0
    public = comfortable(factor, target=asked(epsilon, 0.0, neighbours))
    rate = MULTINOMIAL.rate(public, epsilon=epsilon, neighbours=neighbours)
    assert rate > 0
    base = [((1.0,), 1, 100.0), ((1.0,), 2, 80.0)]
    second = [] if neighbours is ADD_REMOVE else PERSONS["long and short"]
    axis = np.linspace(-300.0, 300.0, 201)
    points = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2) / public.ridge

    def largest(person):
        pair = Labelled.of(K, *base, *person), Labelled.of(K, *base, *second)
        (b, here), (other, there) = (noise_and_hessians(points, data, public.ridge) for data in pair)
        logs = np.linalg.slogdet(here)[1] - np.linalg.slogdet(there)[1]
        return float(np.abs(rate * (np.linalg.norm(other, axis=1) - np.linalg.norm(b, axis=1)) + logs).max())

    assert largest(PERSONS[rows]) <= epsilon * (1 + 1e-9)
    if rows == "equal" and neighbours is ADD_REMOVE:
        assert largest([(row, code, 1.0) for row, code, _ in PERSONS[rows]]) > 1.2 * epsilon, "weights that are not shared"


@pytest.mark.parametrize("bend", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("classes", [3, 6])
def test_the_loss_of_a_row_is_above_the_supremum_over_probabilities(classes, bend):
    """E (Z - tau)_+, sampled; with one class in the place of K - 1 it is broken."""
    s = 0.3
    normal = np.random.default_rng(1).standard_normal((200_000, classes))
    scores = s * (normal - normal[:, :1]) + s * s
    scores[:, 0] = 0.0
    z = supremum(scores, bend) if bend else scores.max(axis=1)
    for tau in (-0.2, 0.0, 0.3, 0.8):
        above = np.maximum(z - tau, 0.0)
        error = 4.0 * above.std() / np.sqrt(len(above))
        found = classes_loss(((2.0, classes - 1), (0.0, 1)), s, bend, classes)(np.array([tau])).mean[0]
        assert above.mean() - error <= found <= (1.1 + 4.0 * bend) * classes / 2 * above.mean() + error
        if tau > 0:
            assert above.mean() > classes_loss(((2.0, 1), (0.0, 1)), s, 0.0, classes)(np.array([tau])).mean[0]


@pytest.mark.parametrize("classes", [3, 10])
@pytest.mark.parametrize("neighbours", Neighbours)
def test_persons_cost_a_few_thousandths_more_noise_than_rows(classes, neighbours):
    target = asked(1.0, 1e-6, neighbours)
    persons = MULTINOMIAL.scale(comfortable(target=target, classes=classes, rows=50), **target)
    rows = MULTINOMIAL.scale(comfortable(target=target, classes=classes, rows=0), **target)
    one_more = neighbours is ADD_REMOVE and classes == 10  # of rows the supremum's own law is counted (M5), of persons pairs of classes
    assert 0.99 < persons / rows < (1.03 if one_more else 1.003)
    if neighbours is ADD_REMOVE:
        assert persons >= rows
        union = 50 * (classes - 1) * gaussian_delta(1.0, np.sqrt(2.0) / persons)
        assert union > 1e-5, "the union bound over rows would not do with this noise"


@pytest.mark.at_most(1)
@pytest.mark.parametrize(
    ("epsilon", "delta"), [pytest.param(0.1, 1e-6, marks=pytest.mark.more), (1.0, 1e-6), pytest.param(4.0, 1e-4, marks=pytest.mark.more), (1.0, 0.0)]
)
@pytest.mark.parametrize("neighbours", Neighbours)
@pytest.mark.parametrize("factor", [0.4, pytest.param(1.0, marks=pytest.mark.more), 3.0])
def test_a_released_model_of_persons_verifies_and_says_so(epsilon, delta, neighbours, factor):
    target = asked(epsilon, delta, neighbours)
    public = comfortable(factor, target=target, features=2, rows=5, records=None if neighbours is ADD_REMOVE else 20)
    certificate = certified(public, target)
    noise, more = ("scale", 0.99) if delta > 0 else ("rate", 1.01)
    if delta > 0 or factor < 3:
        forged = replace(certificate, parameters={**certificate.parameters, noise: certificate.parameters[noise] * more})
        assert not forged.verify().ok
    assert not replace(certificate, problem={**certificate.problem, "persons": {"rows": 0, "weight": "person"}}).verify().ok


def test_noise_for_rows_is_not_noise_for_persons_with_several():
    target = asked(1.0, 1e-6, ADD_REMOVE)
    one, five = (comfortable(target=target, features=2, rows=rows, records=None) for rows in (1, 5))
    made = calibrate(one, mechanism="objective", calibration="tight", **target)
    honest, claimed = (made.run(public, visits(public, rows), SystemNoise()).certificate for public, rows in ((one, 1), (five, 5)))
    assert honest.verify().ok
    assert claimed.verify().ok
    assert claimed.guarantee.delta(1.0) > 1.01 * honest.guarantee.delta(1.0)
    wrong = replace(claimed, guarantee=replace(claimed.guarantee, delta_at_epsilon=honest.guarantee.delta_at_epsilon))
    assert [check.name for check in wrong.verify().checks if not check.ok] == ["delta"]


@pytest.mark.more
@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 10.0, 1000.0])
@pytest.mark.parametrize("delta", [0.0, 1e-12, 1e-3])
@pytest.mark.parametrize("neighbours", Neighbours)
@pytest.mark.parametrize("classes", [3, 30])
def test_persons_are_calibrated_for_over_all_scales(epsilon, delta, neighbours, classes):
    target = asked(epsilon, delta, neighbours)
    keeps_its_promise(multinomial(classes=classes, features=20, rows=7), target)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_too_little_regularisation_is_refused_for_persons(delta):
    target = asked(1.0, delta, ADD_REMOVE)
    least = 1.0 - 1.0 / K  # c_max R^2 (1 - 1 / K) / epsilon, the trace
    with pytest.raises(InfeasibleTarget, match=r"more than alpha=0\.000667 at epsilon=1"):
        calibrate(multinomial(0.99 * least), mechanism="objective", calibration="tight", **target)
    calibrate(multinomial(1.1 * least), mechanism="objective", calibration="tight", **target)
