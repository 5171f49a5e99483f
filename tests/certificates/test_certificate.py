"""Certificates verify what is true and nothing else."""

import json
from dataclasses import replace

import numpy as np
import pytest

from discreet import Certificate, LinearSVC, LogisticRegression
from discreet.accounting import ApproximateDP, PureDP
from discreet.certificates import Verification, digest_of
from discreet.core.errors import FileFormatError, VerificationFailure

SETTINGS = [
    {"delta": 0.0},
    {},
    {"neighbours": "add-remove", "delta": 0.0},
    {"neighbours": "add-remove"},
    {"mechanism": "output", "delta": 0.0},
    {"mechanism": "output"},
    {"calibration": "published", "fit_intercept": False, "delta": 0.0},
    {"calibration": "published", "fit_intercept": False, "mechanism": "output", "delta": 0.0},
    {"alpha": 0.02, "data_norm": 3.0, "delta": 0.0},
]


def table() -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(1)
    X = draw.uniform(-0.5, 0.5, (300, 3))
    return X, (X[:, 0] > 0).astype(int)


@pytest.fixture(params=SETTINGS, ids=str, scope="module")
def model(request: pytest.FixtureRequest) -> LogisticRegression:
    return LogisticRegression(**request.param, classes=[0, 1]).fit(*table())


def outcome(certificate: Certificate, name: str) -> bool:
    found = [check.ok for check in certificate.verify().checks if check.name == name]
    return bool(found) and all(found)


def test_a_true_certificate_verifies(model: LogisticRegression) -> None:
    verification = model.certificate_.verify(model.weights_)
    assert verification.ok, verification
    verification.require()


def test_it_survives_a_file(model: LogisticRegression) -> None:
    again = Certificate.from_dict(json.loads(model.certificate_.to_json()))
    assert again == model.certificate_
    assert again.verify(model.weights_).ok


def test_a_smaller_claim_fails(model: LogisticRegression) -> None:
    claim = model.certificate_.guarantee
    lies = {
        PureDP: lambda: [replace(claim, epsilon=claim.epsilon * (1 - 1e-4))],
        ApproximateDP: lambda: [
            replace(claim, epsilon=claim.epsilon * (1 - 1e-4)),
            replace(claim, delta_at_epsilon=claim.delta_at_epsilon * (1 - 1e-3)),
        ],
    }[type(claim)]()
    for lie in lies:
        assert not replace(model.certificate_, guarantee=lie).verify().ok


def test_less_noise_than_recorded_fails(model: LogisticRegression) -> None:
    recorded = model.certificate_.parameters
    worse = {"rate": 2.0, "tolerance": 2.0, "noise_error": 1e6, "scale": 1e-6, "grid_scale": 1e-6, "grid_step": 1e-6}
    assert {"rate", "scale"} & recorded.keys()
    for field in worse.keys() & recorded.keys():
        parameters = {**recorded, field: recorded[field] * worse[field]}
        assert not replace(model.certificate_, parameters=parameters).verify().ok, field


def test_a_weaker_problem_fails(model: LogisticRegression) -> None:
    for field, factor in (("ridge", 0.5), ("data_norm", 1.5), ("max_weight", 2.0)):
        problem = dict(model.certificate_.problem)
        problem[field] *= factor
        if field == "ridge" and "pure" in model.certificate_.mechanism and "objective" in model.certificate_.mechanism:
            problem[field] *= 0.01
        assert not replace(model.certificate_, problem=problem).verify().ok, field


def test_another_relation_fails(model: LogisticRegression) -> None:
    claim = model.certificate_.guarantee
    other = next(kind for kind in type(claim.neighbours) if kind is not claim.neighbours)
    assert not replace(model.certificate_, guarantee=replace(claim, neighbours=other)).verify().ok


def test_another_value_fails(model: LogisticRegression) -> None:
    changed = model.weights_.copy()
    changed[0] = np.nextafter(changed[0], np.inf)
    verification = model.certificate_.verify(changed)
    assert [check.name for check in verification.checks if not check.ok] == ["released value"]
    assert str(verification).endswith(f"\n\nNOT VALID: 1 of {len(verification.checks)} checks failed.")
    assert "FAIL  released value" in str(verification)
    assert str(model.certificate_.verify(model.weights_)).endswith("Verified: every check passed.")
    with pytest.raises(VerificationFailure, match="released value"):
        verification.require()


def test_a_seeded_fit_never_verifies() -> None:
    certificate = LogisticRegression(random_state=1, classes=[0, 1]).fit(*table()).certificate_
    assert [check.name for check in certificate.verify().checks if not check.ok] == ["noise source"]
    assert "NOT VALID" in str(certificate)


def test_a_fit_without_privacy_says_so_and_never_verifies() -> None:
    certificate = LinearSVC(epsilon=np.inf, classes=[0, 1]).fit(*table()).certificate_
    assert not certificate.verify().ok
    assert "NONE (epsilon is infinite)" in str(certificate)


def test_an_unknown_mechanism_never_verifies(model: LogisticRegression) -> None:
    assert not replace(model.certificate_, mechanism="magic").verify().ok


@pytest.mark.parametrize("value", [None, "1", float("nan"), float("inf"), [], True, -1.0, 0.0])
def test_broken_parameters_fail_without_an_exception(model: LogisticRegression, value: object) -> None:
    for name in model.certificate_.parameters:
        if name == "extra_ridge" and value == 0.0:
            continue
        assert not replace(model.certificate_, parameters={**model.certificate_.parameters, name: value}).verify().ok, name


@pytest.mark.parametrize("missing", ["mechanism", "parameters", "problem", "guarantee", "hypotheses", "noise", "digest", "format", "releases"])
def test_incomplete_files_are_refused(missing: str) -> None:
    record = LogisticRegression(classes=[0, 1]).fit(*table()).certificate_.to_dict()
    del record[missing]
    with pytest.raises(FileFormatError):
        Certificate.from_dict(record)


def test_many_fits_state_less_than_the_sum_of_their_epsilons_at_the_sum_of_their_deltas() -> None:
    many = LogisticRegression(epsilon=0.5, delta=1e-6, mechanism="objective", classes=[0, 1]).fit_many(*table(), count=7)
    assert many.coef.shape == (7, 3)
    assert 0.5 * 7**0.5 < many.certificate.guarantee.epsilon < 0.5 * 4
    stated = many.certificate.guarantee.delta(many.certificate.guarantee.epsilon)
    assert 0.999 * 7e-6 <= stated <= 7e-6 * (1 + 1e-12), "a plan may leave a thousandth of delta over"
    assert many.certificate.verify().ok
    assert not replace(many.certificate, releases=8).verify().ok


def test_digest_depends_on_shape_and_bits() -> None:
    values = np.arange(6.0)
    assert digest_of(values) != digest_of(values.reshape(2, 3))
    assert digest_of(values) == digest_of(values.astype(">f8"))


def test_a_verification_without_a_check_verifies_nothing() -> None:
    assert not Verification(checks=()).ok
