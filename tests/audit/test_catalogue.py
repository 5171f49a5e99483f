"""No mechanism is missing among those that are watched, weights are functions of the watched answers, and a fault reaches the command's exit code."""

import importlib
import json
import pkgutil
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from discreet import mechanisms, verification
from discreet.audit.claim import Target
from discreet.audit.drawn import integers
from discreet.audit.drawn.named import CATALOGUE
from discreet.audit.drawn.regression import table
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import REPLACE_ONE
from discreet.data import Domain, Records
from discreet.matrices import DenseMatrix
from discreet.mechanisms.counting import LaplaceCounting
from discreet.mechanisms.regression import AdaSSP, GaussianMixing, HessianMixing, LeastSquares, RefinedMoments, hessian_mixing, mixing
from discreet.noise import SeededNoise
from discreet.noise.laws import DiscreteLaplace
from tests.cli.conftest import discreet

UNWATCHED = {
    "non-private": "it draws nothing and promises nothing",
    "frank-wolfe-non-private": "it draws nothing and promises nothing",
    "least-squares-non-private": "it draws nothing and promises nothing",
    "prediction-non-private": "it draws nothing and promises nothing",
    "targets-non-private": "it draws nothing and promises nothing",
    "cuts-then-fit": "its parts are those of `cuts` and of fits; it draws nothing of its own",
    "norm-then-fit": "its parts are those of `bounds` and of fits; it draws nothing of its own",
    "curvature-with-fit": "its parts are those of `curvature` and of fits; it draws nothing of its own",
    "scores-with-fit": "its parts are those of `counting` and of fits; it draws nothing of its own",
    "algorithm-4": "its choice is that of `exponential`; the parts that it cuts are watched under `search-parts` (cli/audit_estimators.py)",
}
"""Name in certificates, and the reason why a mechanism is not watched."""


def names_of_mechanisms():
    """Names in certificates of every class below `discreet.mechanisms` that draws or runs; what is composed has the name of its parts."""
    for module in pkgutil.walk_packages(mechanisms.__path__, "discreet.mechanisms."):
        for found in vars(importlib.import_module(module.name)).values():
            if isinstance(found, type) and found.__module__ == module.name and not getattr(found, "__abstractmethods__", None):
                name = getattr(found, "name", None)
                if isinstance(name, property | str) and any(hasattr(found, method) for method in ("draw", "run", "runs")):
                    with suppress(AttributeError):
                        yield object.__new__(found).name


def test_every_mechanism_is_watched_or_has_a_reason():
    watched = {name for entry in CATALOGUE.values() for name in entry.certified}
    for module in pkgutil.iter_modules(verification.__path__):
        importlib.import_module(f"discreet.verification.{module.name}")
    known = set(names_of_mechanisms()) | set(verification.base.RECHECKS)
    assert len(known) > 35
    assert known == watched | set(UNWATCHED)
    assert not watched & set(UNWATCHED)


PROBLEM = LeastSquares(domain=Domain(features=3, norm_bound=1.0, target_bound=1.0, records=5), most_records=100)
OTHER = Records(rows=DenseMatrix(np.full((5, 3), 0.4)), targets=np.linspace(1.0, 0.0, 5), domain=PROBLEM.domain)
PRODUCTS, TARGETS = np.diag([30.0, 20.0, 40.0]) + 3.0, np.array([4.0, -2.0, 1.0])


def weights(made):
    """Of two tables that share no record."""
    return [made.fitted(PROBLEM, data, SeededNoise(5)).weights for data in (table(), OTHER)]


def test_weights_of_regressions_are_functions_of_the_answers_that_are_watched(monkeypatch):
    asked = {"epsilon": 1.0, "delta": 1e-6, "neighbours": REPLACE_ONE}
    made = [
        AdaSSP.calibrate(PROBLEM, **asked),
        RefinedMoments.calibrate(PROBLEM, **asked),
        GaussianMixing.calibrate(PROBLEM, **asked, rows=50),
        HessianMixing.calibrate(PROBLEM, **asked, rows=50),
    ]
    for each in made:
        assert not np.array_equal(*weights(each)), each.name
    sums = np.zeros((4, 4))
    sums[:3, :3], sums[3, :3], sums[:3, 3] = PRODUCTS, TARGETS, TARGETS
    monkeypatch.setattr(AdaSSP, "released", lambda *_: (1.0, PRODUCTS, TARGETS))
    monkeypatch.setattr(RefinedMoments, "noisy_moments", lambda *_: (PRODUCTS, TARGETS, 3.0))
    for kind in (RefinedMoments, HessianMixing):
        monkeypatch.setattr(kind, "noisy_gradient", lambda *_: TARGETS)
    monkeypatch.setattr(mixing, "drawn_moments", lambda *_: sums)
    monkeypatch.setattr(hessian_mixing, "drawn_moments", lambda *_: PRODUCTS)
    for each in made:
        np.testing.assert_array_equal(*weights(each), err_msg=each.name)


@pytest.fixture
def half_the_noise(monkeypatch):
    """Counts whose noise is half of what their certificate states."""
    monkeypatch.setattr(LaplaceCounting, "law_of", staticmethod(lambda scale: DiscreteLaplace(0.5 * scale)))


def test_half_the_noise_in_the_code_that_draws_is_an_exit_code_and_a_page(half_the_noise, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = discreet("audit", "counting-laplace", "--json", "--report", "page.html")
    document = outcome.json
    assert outcome.code == 6
    assert document["bound"] <= document["claim"]["epsilon"] * (1.0 + 1e-9)  # the calibrated numbers are right
    assert (document["violated"], document["drawn"][0]["as_stated"]) == (True, False)
    assert 0.4 < document["drawn"][0]["parts"][1]["spread"] < 0.8
    assert "does not have the distribution that its certificates state" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_watch_alone_has_a_report_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    entry = CATALOGUE["bounded"]
    report = entry.report(Target(epsilon=1.0, delta=0.0, neighbours=REPLACE_ONE))
    assert (report.violated, report.verdict) == (False, "drawn as stated")
    assert json.loads(report.to_json())["drawn"][0]["mechanism"] == "release-bounded-noise"
    assert str(report).splitlines()[-1] == "Verdict      drawn as stated"
    with pytest.raises(InvalidInput, match="no two output distributions to draw"):
        report.plot()
    outcome = discreet("audit", "bounded", "--report", "page.html")
    assert outcome.code == 0
    assert "have the noise that its certificates state" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert discreet("audit", "bounded", "--runs", "100").code == 3


def test_a_watch_alone_that_sees_a_fault_says_so(half_the_noise):
    entry = replace(CATALOGUE["counting-laplace"], run=None)
    report = entry.report(Target(epsilon=1.0, delta=0.0, neighbours=REPLACE_ONE))
    assert report.violated
    assert report.verdict == "not drawn as stated"
    assert "drawn otherwise: spread 0." in str(report)
    assert integers.counting_laplace(Target(epsilon=1.0, delta=0.0, neighbours=REPLACE_ONE)).odd
