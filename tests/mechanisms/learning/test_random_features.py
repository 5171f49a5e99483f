"""Algorithm 3 of Chaudhuri, Monteleoni and Sarwate (2011): the printed features break the printed guarantee, paired ones keep it. Exact densities.

Printed, sqrt(2 / D) cos(<w, x> + psi): at D = 1, psi = 0, x = 0 a row has norm sqrt 2. Replacing (x, +) by (x, -) then moves the minimiser, or the
noise that explains it, by sqrt 2 times what the noise was calibrated for. Frequencies and phases near these have positive probability, so pure
privacy fails for every D. Paired features, sqrt(1 / m) (cos <w_j, x>, sin <w_j, x>), have norm 1.
"""

import numpy as np
import pytest

from discreet.audit.densities import Counted, minimiser, spherical_log_ratios
from discreet.core.neighbours import REPLACE_ONE
from discreet.core.parts import module_of
from discreet.data import Records
from discreet.kernels import Gaussian, Kernel, Laplacian, draw_frequencies
from discreet.kernels.feature_map import FeatureMap
from discreet.kernels.matrix import FeatureMapMatrix
from discreet.losses import HuberHinge
from discreet.matrices import DenseMatrix
from tests.mechanisms.learning.problems import problem

EPSILON, RECORDS = 1.0, 101
LOSS = HuberHinge(half_width=0.5)


def printed(row: np.ndarray, frequencies: np.ndarray, phases: np.ndarray) -> np.ndarray:
    """The features of the paper."""
    return np.sqrt(2.0 / len(frequencies)) * np.cos(frequencies @ row + phases)


def paired(row: np.ndarray, frequencies: np.ndarray) -> np.ndarray:
    """Ours."""
    return FeatureMap(frequencies=frequencies).features(row[np.newaxis])[0]


def neighbours(features: np.ndarray) -> tuple[Counted, Counted]:
    """101 records at one x, 51 of one class; and with one of them in the other class."""
    return tuple(Counted.of((tuple(features), count), (tuple(-features), RECORDS - count)) for count in (51.0, 50.0))  # type: ignore[return-value]


def output_loss_and_delta(features: np.ndarray, ridge: float) -> tuple[float, float]:
    """Exact privacy loss of Algorithm 1 on these neighbours, and delta at the claimed epsilon: densities proportional to exp(-rate |f - f*|)."""
    here = problem(LOSS, ridge=ridge, features=len(features), records=RECORDS)
    rate = module_of("papers").published_output(here, epsilon=EPSILON, delta=0.0, neighbours=REPLACE_ONE).rate
    ridges, zero = np.full(len(features), ridge), np.zeros((1, len(features)))
    first, second = (minimiser(zero, side, LOSS, ridges)[0] for side in neighbours(features))
    distance = float(np.linalg.norm(first - second))
    axis = np.linspace(-30.0, 30.0, 600_001) / rate
    densities = [0.5 * rate * np.exp(-rate * np.abs(axis - shift)) for shift in (0.5 * distance, -0.5 * distance)]  # along the line of the two
    loss = float(np.abs(np.log(densities[0] / densities[1])).max())
    delta = float(np.sum(np.maximum(densities[0] - np.exp(EPSILON) * densities[1], 0.0)) * (axis[1] - axis[0]))
    return loss, delta


def test_printed_features_break_algorithm_1_by_sqrt_2_and_paired_ones_keep_it() -> None:
    row, frequencies, phases = np.zeros(1), np.zeros((1, 1)), np.zeros(1)
    ridge = 0.05 * RECORDS
    loss, delta = output_loss_and_delta(printed(row, frequencies, phases), ridge)
    assert loss == pytest.approx(np.sqrt(2.0) * EPSILON, rel=1e-6)
    assert delta == pytest.approx(1.0 - np.exp(0.5 * (1.0 - np.sqrt(2.0))), abs=1e-4)  # 0.187
    loss, delta = output_loss_and_delta(paired(row, frequencies), ridge)
    assert 0.999 * EPSILON < loss <= EPSILON * (1 + 1e-9), "the worst case of paired features is exactly what is claimed"
    assert delta == pytest.approx(0.0, abs=1e-6)


def test_printed_features_break_algorithm_2_and_paired_ones_keep_it() -> None:
    row, frequencies, phases = np.zeros(1), np.zeros((1, 1)), np.zeros(1)
    ridge = 100.0
    points = np.linspace(-12.0, 12.0, 100_001)

    def worst(features: np.ndarray) -> float:
        here = problem(LOSS, ridge=ridge, features=len(features), records=RECORDS)
        rate = module_of("papers").published_objective(here, epsilon=EPSILON, delta=0.0, neighbours=REPLACE_ONE).rate
        line = points[:, np.newaxis] * features / np.linalg.norm(features)
        ratios = spherical_log_ratios(*neighbours(features), line, loss=LOSS, ridge=np.full(len(features), ridge), rate=rate)
        return float(np.abs(ratios).max())

    assert worst(printed(row, frequencies, phases)) > 1.38 * EPSILON
    assert 0.95 * EPSILON < worst(paired(row, frequencies)) <= EPSILON * (1 + 1e-9)


@pytest.mark.parametrize("count", [2, 10, 100])
@pytest.mark.parametrize("kernel", [Gaussian(), Laplacian()], ids=repr)
def test_of_drawn_features_the_printed_are_too_long_and_the_paired_are_not(kernel: Kernel, count: int) -> None:
    draw = np.random.default_rng(0)
    frequencies = draw_frequencies(kernel, seed=0, features=2, count=count, orthogonal=False)
    phases = draw.uniform(-np.pi, np.pi, count)
    rows = draw.uniform(-1.0, 1.0, (2000, 2))
    lengths = np.array([(np.linalg.norm(printed(row, frequencies, phases)), np.linalg.norm(paired(row, frequencies))) for row in rows])
    assert lengths[:, 0].max() > 1.02
    np.testing.assert_allclose(lengths[:, 1], 1.0, rtol=1e-14)


def test_a_data_set_shortens_printed_features_and_leaves_paired_ones() -> None:
    draw = np.random.default_rng(0)
    frequencies, phases = draw_frequencies(Gaussian(), seed=0, features=2, count=10), draw.uniform(-np.pi, np.pi, 10)
    rows = draw.uniform(-1.0, 1.0, (500, 2))
    long = DenseMatrix(np.array([printed(row, frequencies, phases) for row in rows]))
    streamed = FeatureMapMatrix(DenseMatrix(rows), FeatureMap(frequencies=frequencies), held_bytes=0)
    for matrix, columns in ((long, 10), (streamed, 20)):
        domain = problem(LOSS, ridge=1.0, features=columns, records=500).domain
        norms = Records(rows=matrix, targets=np.ones(500), domain=domain).matrix.row_norms()
        assert norms.max() <= 1.0
    np.testing.assert_allclose(norms, 1.0, rtol=1e-11)
