"""Laws of tables in row blocks, continued: walks over sets, objective perturbation over a set, and releases of data."""

import numpy as np
import pytest

from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Domain, Records, streamed_records
from discreet.losses import HuberHinge
from discreet.losses.predictions import Absolute, OfMargin, Squared
from discreet.matrices import DenseMatrix
from discreet.mechanisms.constrained import GaussianFrankWolfe, NoisyMirrorDescent, NonPrivateFrankWolfe, PolytopeFrankWolfe
from discreet.mechanisms.constrained.mirror_sampled import SampledMirrorDescent
from discreet.mechanisms.constrained.objective_set import ObjectivePerturbationOverSet
from discreet.mechanisms.release import GaussianRelease, GaussianSketch
from discreet.mechanisms.release.answers import answers, exact_moments
from discreet.noise import SeededNoise
from discreet.objectives import sum_over_set
from discreet.problems import ConstrainedRisk
from discreet.queries import Projection, Rows, SecondMoments, Target
from discreet.sets import L1Ball, L2Ball
from tests.properties.block_tables import TABLES, each_table, records

ROWS, LABELS = records()
SIGNS = 2.0 * LABELS - 1.0
FEATURES = ROWS.shape[1]
DOMAIN = Domain(features=FEATURES, entry_bound=0.8, norm_bound=1.2, records=len(ROWS), target_bound=1.0)
BUDGET = {"epsilon": 2.0, "delta": 1e-5}


@pytest.fixture
def streamed(kind, tmp_path):
    return streamed_records(TABLES[kind](ROWS, SIGNS, tmp_path), domain=DOMAIN, jobs=2)


def held():
    return Records(rows=DenseMatrix(ROWS), targets=SIGNS, domain=DOMAIN)


def risk(loss, constraint, **changes):
    return ConstrainedRisk(loss=loss, constraint=constraint, domain=DOMAIN, **changes)


@each_table
@pytest.mark.parametrize("loss", [Squared(), Absolute(), OfMargin(loss=HuberHinge())], ids=lambda loss: loss.name)
def test_gradients_and_values_are_those_in_memory(streamed, loss):
    problem = risk(loss, L2Ball(dimension=FEATURES), max_slope=1.0)
    point = np.linspace(-0.4, 0.5, FEATURES)
    expected, found = sum_over_set(problem, held()), sum_over_set(problem, streamed)
    included = (np.arange(len(ROWS)) % 3 == 0).astype(float)
    np.testing.assert_allclose(found.gradient(point), expected.gradient(point), rtol=1e-12, atol=1e-11)
    np.testing.assert_allclose(found.gradient(point, included), expected.gradient(point, included), rtol=1e-12, atol=1e-11)
    assert found.value(point) == pytest.approx(expected.value(point), rel=1e-12)
    assert found.records == expected.records


def mechanisms():
    l1, l2 = L1Ball(dimension=FEATURES, radius=0.7), L2Ball(dimension=FEATURES)
    yield risk(Squared(), l1), PolytopeFrankWolfe, {"neighbours": ADD_REMOVE, "steps": 5}
    yield risk(Squared(), l2), GaussianFrankWolfe, {"neighbours": REPLACE_ONE, "steps": 5}
    yield risk(Absolute(), l2), NoisyMirrorDescent, {"neighbours": REPLACE_ONE, "steps": 5}
    yield risk(Squared(), l2), SampledMirrorDescent, {"neighbours": ADD_REMOVE, "steps": 5, "rate": 0.3}
    yield risk(OfMargin(loss=HuberHinge()), l2), ObjectivePerturbationOverSet, {"neighbours": ADD_REMOVE}


@pytest.mark.at_most(2)
@each_table
@pytest.mark.parametrize(("problem", "kind_of_mechanism", "settings"), list(mechanisms()), ids=lambda value: getattr(value, "__name__", ""))
def test_a_private_walk_or_minimiser_over_a_set_is_the_one_in_memory(streamed, problem, kind_of_mechanism, settings):
    mechanism = kind_of_mechanism.calibrate(problem, **BUDGET, **settings)
    expected, found = (mechanism.run(problem, data, SeededNoise(1)) for data in (held(), streamed))
    np.testing.assert_allclose(found.value, expected.value, atol=1e-7)
    assert found.certificate.parameters == expected.certificate.parameters
    assert found.certificate.guarantee == expected.certificate.guarantee


@pytest.mark.at_most(2)
@each_table
def test_a_walk_without_noise_is_the_one_in_memory(streamed):
    problem = risk(Squared(), L1Ball(dimension=FEATURES, radius=0.7))
    mechanism = NonPrivateFrankWolfe(neighbours=ADD_REMOVE, steps=20)
    np.testing.assert_allclose(
        mechanism.run(problem, streamed, SeededNoise(1)).value, mechanism.run(problem, held(), SeededNoise(1)).value, atol=1e-9
    )


@each_table
@pytest.mark.parametrize("target", list(Target))
def test_additive_releases_are_those_in_memory_to_the_last_bit(streamed, target):
    query = Rows(domain=DOMAIN, target=target)
    mechanism = GaussianRelease.calibrate(query, **BUDGET, neighbours=REPLACE_ONE)
    expected, found = (mechanism.run(query, data, SeededNoise(1)) for data in (held(), streamed))
    _same_up_to_the_batches_of_noise(expected.value, found.value, mechanism.deviation)
    both = [np.concatenate([rows for _, rows in answers(query, data)]) for data in (held(), streamed)]
    np.testing.assert_array_equal(both[0], both[1])


def _same_up_to_the_batches_of_noise(expected, found, deviation):
    """Noise is drawn a batch of rows at a time, and blocks make other batches: the records behind it are compared on their own."""
    assert expected.shape == found.shape
    assert np.std(expected[:, :FEATURES] - found[:, :FEATURES]) <= 2.0 * deviation


@each_table
def test_projections_and_sketches_are_those_in_memory_to_the_last_bit(streamed):
    projection = Projection.from_public_seed(DOMAIN, width=3, seed=1)
    both = [np.concatenate([rows for _, rows in answers(projection, data)]) for data in (held(), streamed)]
    np.testing.assert_allclose(both[0], both[1], rtol=1e-12, atol=1e-12)
    moments = SecondMoments(domain=DOMAIN)
    np.testing.assert_array_equal(exact_moments(moments, held()), exact_moments(moments, streamed))
    sketch = GaussianSketch.calibrate(moments, rows=20, **BUDGET, neighbours=ADD_REMOVE)
    expected, found = (sketch.run(moments, data, SeededNoise(1)) for data in (held(), streamed))
    np.testing.assert_array_equal(expected.value, found.value)


@each_table
def test_a_ledger_knows_the_same_dense_table_again(kind, streamed):
    same = b"".join(held().content()) == b"".join(streamed.content())
    assert same is (kind != "sparse")  # a sparse table is known by its stored numbers
    assert b"".join(streamed.content()) == b"".join(streamed.content())
