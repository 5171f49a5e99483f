"""Every kind of model at the command line: chosen by the target or by name, with the options that are its own, and refused in a sentence."""

import json

import pytest

from discreet.estimators.door.private_estimator import PrivateModel
from discreet.estimators.model_kinds import settings_of
from tests.cli.conftest import FIT, SURVEY, discreet
from tests.parts import LACKING

NUMBERS = ("fit", "people.csv", "--schema", "survey.toml", "--epsilon", "1", "--out", "model.json")


@pytest.fixture
def survey(folder):
    (folder / "survey.toml").write_text(SURVEY, encoding="utf-8")
    return folder


def test_a_number_is_learnt_by_a_linear_regression_where_nobody_chooses(survey):
    made = discreet(*NUMBERS)
    assert made.code == 0, made.err
    assert "Model        linear regression, 1 features and an intercept, a number from 0 to 80" in made.out
    assert json.loads((survey / "model.json").read_text())["certificate"]["problem"]["target_bound"] == 1.0


def test_settings_of_a_model_reach_its_certificate(survey):
    made = discreet(*NUMBERS, "--model", "lasso", "--radius", "2.5", "--loss", "huber", "--no-intercept", "--n-iter=7")
    assert made.code == 0, made.err
    problem = json.loads((survey / "model.json").read_text())["certificate"]["problem"]
    assert (problem["constraint_parameters"]["radius"], problem["loss"], problem["intercept_scale"]) == (2.5, "huber", 0.0)
    made = discreet(*NUMBERS, "--model", "constrained-erm", "--constraint", "l1-ball:3", "--intercept", "--overwrite")
    assert made.code == 0, made.err
    problem = json.loads((survey / "model.json").read_text())["certificate"]["problem"]
    assert (problem["constraint"], problem["constraint_parameters"]["radius"], problem["intercept_scale"]) == ("l1-ball", 3.0, 1.0)


@pytest.mark.skipif("papers" in LACKING, reason="this copy has no printed noise")
def test_printed_noise_that_grows_with_the_number_of_records_is_settled_once_they_are_read(survey):
    noise = []
    for calibration in ("published", "tight"):
        made = discreet(*NUMBERS, "--model", "constrained-erm", "--mechanism", "mirror-descent", "--calibration", calibration, "--overwrite")
        assert made.code == 0, made.err
        stated = json.loads((survey / "model.json").read_text())["certificate"]["parameters"]
        noise.append(stated["scale"] * stated["grid_step"] / stated["steps"] ** 0.5)
    assert noise[0] > 2.0 * noise[1]


def test_weights_of_classes_are_named_as_the_schema_names_them(folder):
    made = discreet(*FIT, "--class-weight", "yes=2", "--alpha", "0.1")
    assert made.code == 0, made.err
    assert json.loads((folder / "model.json").read_text())["certificate"]["problem"]["max_weight"] == 2.0
    refused = discreet(*FIT, "--class-weight", "maybe=2", "--overwrite")
    assert refused.code == 3
    assert "class_weight must be a dict from the classes ['no', 'yes']" in refused.error


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--radius", "2"), "a linear-svc has no --radius; "),
        (("--model", "lasso-classifier", "--alpha", "1"), "a lasso-classifier has no --alpha; "),
        (("--model", "lasso-classifier", "--radius", "wide"), "--radius takes a finite number; 'wide' was given"),
        (("--model", "lasso-classifier", "--n-iter", "2.5"), "--n-iter takes a whole number; '2.5' was given"),
        (("--model", "lasso-classifier", "--device", "cpu"), "leave --device out, or choose one of"),
        (("--raduis", "2"), "--radius"),
    ],
)
def test_an_option_that_the_model_does_not_have_or_cannot_take_is_refused(folder, more, words):
    refused = discreet(*FIT, *more)
    assert refused.code == 2
    assert words in refused.error
    assert not (folder / "model.json").exists()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--model", "lasso"), "a lasso learns numbers, but the schema declares 2 classes. Models for that: "),
        (
            ("--model", "constrained-erm", "--loss", "squared"),
            "a constrained-erm with the squared loss learns numbers, but the schema declares 2 classes",
        ),
        (("--model", "laso"), "Did you mean 'lasso'?"),
    ],
)
def test_a_model_that_does_not_learn_the_target_is_refused_before_the_table_is_read(folder, more, words):
    refused = discreet(*("absent.csv" if one == "people.csv" else one for one in FIT), *more)
    assert refused.code == 3
    assert words in refused.error


def test_the_loss_makes_a_model_over_a_set_one_of_classes(folder):
    made = discreet(*FIT, "--model", "constrained-erm", "--loss", "logistic")
    assert made.code == 0, made.err


def test_help_shows_the_options_of_the_model_that_is_named_and_no_others():
    shown = discreet("fit", "--model", "lasso", "--help").out
    assert "Options of a lasso:" in shown
    assert "--radius NUMBER" in shown
    assert "--alpha" not in shown
    assert "--radius" not in discreet("fit", "--help").out.partition("Examples")[0]


def test_models_lists_every_kind_and_what_may_be_set_of_one():
    listed = discreet("models", "--json").json["models"]
    assert sorted(listed) == sorted(PrivateModel.models)
    assert discreet("models").code == 0
    shown = discreet("models", "lasso").out
    assert all(f"--{name.replace('_', '-').removeprefix('fit-')}" in shown for name in settings_of(PrivateModel.models["lasso"]))
    assert discreet("models", "laso").code == 3
