"""Several fits under one certificate: what each promises alone is rechecked too."""

from dataclasses import replace

import numpy as np
import pytest

from discreet.estimators import LogisticRegression
from discreet.statements.base import COMPOSED


@pytest.fixture(scope="module", params=[2, 3])
def certificate(request):
    X = np.random.default_rng(0).uniform(-0.5, 0.5, (12, 3))
    classes = list(range(request.param))
    model = LogisticRegression(epsilon=1.0, delta=1e-6, data_norm=1.0, classes=classes, mechanism="objective", neighbours="add-remove")
    found = model.fit_many(X, np.arange(12) % request.param, count=4).certificate
    assert COMPOSED in found.guarantee.theorem
    return found


def outcome(certificate):
    return {check.name: check.ok for check in certificate.verify().checks}


def test_honest_ones_verify_together_and_each(certificate):
    assert outcome(certificate)["delta"]
    assert outcome(certificate)["one fit"]


@pytest.mark.parametrize("name", ["epsilon", "grid_epsilon"])
def test_each_fit_cannot_be_said_to_promise_more_than_it_does(certificate, name):
    """All fits together do not depend on what each states: their curves are composed from the noise."""
    lower = replace(certificate, parameters={**certificate.parameters, name: 0.5 * certificate.parameters[name]})
    assert outcome(lower) == {**outcome(certificate), "one fit": False}
