"""`discreet fit --prior`: the model that the ridge pulls towards, and what is refused before a table is read."""

import pytest

from discreet.estimators.model import Model
from tests.cli.conftest import discreet

FIT = ("fit", "people.csv", "--schema", "people.toml", "--epsilon", "1", "--delta", "1e-6", "--alpha", "10", "--seed", "1", "--overwrite")


def test_a_strong_ridge_stays_near_the_prior_and_the_certificate_names_it(model):
    public = Model.load("model.json")
    assert discreet(*FIT, "--model", public.kind, "--prior", "model.json", "--out", "near.json").code == 0
    assert discreet(*FIT, "--model", public.kind, "--out", "zero.json").code == 0
    near, zero = Model.load("near.json"), Model.load("zero.json")
    assert abs(near.weights - public.weights).max() < 0.1 * abs(public.weights).max()
    assert abs(zero.weights).max() < 0.1 * abs(public.weights).max()
    assert near.certificate.parameters["rate"] == zero.certificate.parameters["rate"]  # of the noise in the objective
    assert near.certificate.problem["prior"]
    assert any("prior" in line for line in near.certificate.declared)
    assert discreet(*FIT, "--model", public.kind, "--prior", "near.json", "--out", "near.json").code != 0


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (("--model", "lasso-classifier"), "a lasso-classifier does not support a prior; leave --prior out, or choose one of"),
        (("--model", "kernel-classifier"), "prior"),
        (("--cuts", "private"), "--prior needs public cuts, because it is stated in"),
        (("--prior", "nowhere.json"), "nowhere.json"),
    ],
)
def test_what_no_prior_goes_with_is_refused_before_the_table_is_read(model, option, words):
    (model / "people.csv").unlink()
    outcome = discreet(*FIT[:8], "--prior", "model.json", "--out", "new.json", *option)
    assert outcome.code != 0
    assert words in outcome.error


def test_a_prior_of_another_schema_is_refused(model):
    changed = (model / "people.toml").read_text().replace("upper = ", "upper = 1")
    (model / "other.toml").write_text(changed)
    outcome = discreet("fit", "people.csv", "--schema", "other.toml", "--epsilon", "1", "--prior", "model.json", "--out", "new.json")
    assert "Fit it on public records with this schema" in outcome.error


def test_weights_that_are_no_coefficients_are_refused(model):
    kernel = ("--model", "kernel-classifier", "--n-features", "4", "--out", "kernel.json")
    assert discreet(*FIT[:8], *kernel).code == 0
    outcome = discreet(*FIT[:8], "--prior", "kernel.json", "--out", "new.json")
    assert "give a linear model of the same target" in outcome.error
