"""A model that predicts numbers, at the command line: shown, checked and used; commands that are for classes say so."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

from discreet import LinearRegression
from discreet.data import Schema, read_table
from discreet.estimators.files.model import Model
from tests.cli.conftest import SURVEY, discreet


@pytest.fixture
def regression(folder):
    """The folder with the model file of a regression."""
    (folder / "survey.toml").write_text(SURVEY, encoding="utf-8")
    schema = Schema.load(folder / "survey.toml")
    frame = read_table(folder / "people.csv", schema.columns(target=True))
    model = Model.from_estimator(LinearRegression(data_norm=schema.norm_bound).fit(schema.encode(frame, target=True)), schema)
    model.save(folder / "model.json")
    return model, frame


def test_it_is_shown_and_checked(regression):
    shown = discreet("show", "model.json")
    assert shown.code == 0, shown.err
    assert "Model: linear regression, 1 features and an intercept, a number from 0 to 80; schema 'survey'" in shown.out
    assert discreet("verify", "model.json").code == 0


def test_it_predicts_numbers_in_the_unit_of_the_target(regression):
    model, frame = regression
    wanted = model.predict(frame).tolist()
    header, *lines = discreet("predict", "model.json", "people.csv").out.splitlines()
    assert header == "prediction"
    assert [float(line) for line in lines] == wanted
    document = discreet("predict", "model.json", "people.csv", "--json").json
    assert document["predictions"] == wanted
    assert document["classes"] == []
    refused = discreet("predict", "model.json", "absent.csv", "--probabilities")
    assert refused.code == 3
    assert "but only models of classes have probabilities" in refused.error


def test_it_is_measured_exactly_on_public_records(regression):
    model, frame = regression
    outcome = discreet("evaluate", "model.json", "people.csv", "--data-is", "synthetic", "--json")
    actual, predicted = np.clip(frame["hours"].cast(float).to_numpy(), 0.0, 80.0), model.predict(frame)
    assert outcome.json["records"] == len(frame)
    assert outcome.json["mse"] == pytest.approx(mean_squared_error(actual, predicted))
    assert outcome.json["mae"] == pytest.approx(mean_absolute_error(actual, predicted))
    assert outcome.json["r2"] == pytest.approx(r2_score(actual, predicted))
    assert outcome.json["always_mean"] == pytest.approx(actual.var())
    frame.write_parquet("half.parquet")
    blocks = discreet("evaluate", "model.json", "half.parquet", "half.parquet", "--data-is", "synthetic", "--json")
    assert blocks.json["r2"] == pytest.approx(outcome.json["r2"])
    text = discreet("evaluate", "model.json", "people.csv", "--data-is", "synthetic").out
    assert "always predicting the mean of the targets" in text


def test_it_is_measured_privately_with_a_file_a_page_and_a_certificate(regression):
    told = discreet("evaluate", "model.json", "people.csv", "--epsilon", "2", "--out", "evaluation.json", "--report", "page.html")
    assert told.code == 0, told.err
    for words in ("MSE", "RMSE", "MAE", "R^2", "cut at 40", "always predicting the mean of the targets"):
        assert words in told.out, words
    assert all("cut at 40" in line for line in told.out.splitlines() if line.startswith(("MSE", "RMSE", "MAE", "R^2")))
    page = Path("page.html").read_text(encoding="utf-8")
    assert "always predicting the mean of the targets" in page
    assert page.count("errors cut at 40") == 5  # four measures, and what the model saves
    for verb in ("verify", "show", "report"):
        assert discreet(verb, "evaluation.json", *(["--out", "other.html"] if verb == "report" else [])).code == 0, verb
    cut = discreet("evaluate", "model.json", "people.csv", "--epsilon", "2", "--metrics", "mae", "--error-bound", "5", "--json").json
    assert cut["survey"] == {"metrics": ["mae"], "target": {"lower": 0.0, "upper": 80.0}, "error_bound": 5.0}
    assert cut["mae"]["value"] <= 5.0


@pytest.mark.parametrize(
    ("flags", "words"), [(("--metrics", "roc"), "predicts numbers"), (("--bins", "8"), "--bins"), (("--plot", "x.svg"), "--plot")]
)
def test_what_is_for_classes_alone_is_refused(regression, flags, words):
    refused = discreet("evaluate", "model.json", "absent.csv", "--epsilon", "1", *flags)
    assert refused.code in (2, 3)
    assert words in refused.error


def test_columns_of_the_table_are_kept_beside_the_answers(regression):
    model, frame = regression
    wanted = model.predict(frame).tolist()
    kept = discreet("predict", "model.json", "people.csv", "--keep", "nickname", "--keep", "age")
    header, first, *_ = kept.out.splitlines()
    assert (header, first) == ("nickname,age,prediction", f"n0,20,{wanted[0]}")
    document = discreet("predict", "model.json", "people.csv", "--keep", "nickname", "--json").json
    assert document["kept"]["nickname"] == [f"n{i}" for i in range(300)]
    assert discreet("predict", "model.json", "people.csv", "--keep", "absent").code == 3
    twice = discreet("predict", "model.json", "people.csv", "--keep", "age", "--keep", "age")
    assert (twice.code, "rename the column of TABLE, or leave it out" in twice.error) == (2, True)


def test_its_coefficients_are_written_with_all_digits(regression):
    model, _ = regression
    shown = discreet("show", "model.json", "--coefficients", "coefficients.csv", "--json")
    assert shown.json["coefficients"] == "coefficients.csv"
    lines = Path("coefficients.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "towards,name,unit,coefficient,noise s.e.,low,high,odds ratio,intervals count"
    ((_, name, _, slope, *_),) = (line.split(",") for line in lines[1:] if ",age," in line)
    assert (name, float(slope)) == ("age", pytest.approx(model.to_sklearn().coef_[0] / 100.0))
    assert discreet("show", "model.json", "--coefficients", "coefficients.csv").code == 3


@pytest.mark.more
def test_settings_of_a_regression_are_tried_under_one_guarantee(regression):
    _, frame = regression
    tune = ("tune", "people.csv", "--schema", "survey.toml", "--epsilon", "4", "--delta", "1e-6", "--out", "tuned.json", "--overwrite")
    lasso = discreet(*tune, "--model", "lasso", "--grid", "radius=0.5,1", "--grid", "loss=squared,huber", "--expected-runs", "2")
    assert lasso.code == 0, lasso.err
    assert "of 4 settings" in lasso.out
    assert "a mean absolute error of" in lasso.out
    assert discreet("verify", "tuned.json").code == 0
    assert len(Model.load("tuned.json").predict(frame)) == len(frame)
    assert len(frame) == 300
    standard = discreet(*tune, "--grid", "intercept-scale=0.2,0.4", "--scoring", "squared-error", "--error-bound", "20", "--expected-runs", "2")
    assert standard.code == 0, standard.err
    parameters = Model.load("tuned.json").certificate.parameters
    assert (parameters["scored"], parameters["error_bound"]) == ("squared-error", 0.5)
    refused = discreet(*tune, "--grid", "radius=1")
    assert (refused.code, "NAME one of mechanism" in refused.error) == (2, True)
