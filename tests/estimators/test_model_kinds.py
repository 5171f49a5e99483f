"""Kinds of models say of themselves what they learn and what may be set."""

from dataclasses import fields
from typing import get_args

import pytest

from discreet import ConstrainedERM, Schema
from discreet.core.errors import InvalidInput
from discreet.estimators.door.private_estimator import PrivateModel, TargetKind
from discreet.estimators.model_kinds import check_learns, encoded_estimator, kind_named, settings_of, standard_kind, summary_of
from discreet.estimators.models.linear_classifier import LinearClassifier

KINDS = sorted(PrivateModel.models)
OF_THE_COMMAND = {"epsilon", "delta", "neighbours", "ledger", "n_jobs", "random_state", "public_records", "device"}
OF_THE_COMMAND |= {"rows_per_person", "person_weight"}
OF_PYTHON = {"prior"}
"""Objects that no text spells."""
OF_THE_SCHEMA = {"data_norm", "data_bound", "target_bound", "classes", "max_sample_weight", "ends"}
TARGET = {
    "two classes": 'target = { column = "answer", classes = ["no", "yes"] }',
    "more classes": 'target = { column = "answer", classes = ["no", "yes", "perhaps"] }',
    "ordered classes": 'target = { column = "answer", classes = ["no", "yes", "perhaps"], ordered = true }',
    "times": 'target = { column = "answer", ends = [1, 2] }',
    "several numbers": 'target = [{ column = "answer", lower = 0, upper = 10 }, { column = "other", lower = 0, upper = 1 }]',
    "counts": 'target = { column = "answer", lower = 0, upper = 10, counts = true }',
    "numbers": 'target = { column = "answer", lower = 0, upper = 10 }',
}


def schema_for(learnt):
    return Schema.from_toml(
        f'format = "discreet-schema/1"\nname = "people"\nrows = "bound"\nrows_per_person = 1\n{TARGET[learnt]}\n'
        + "".join(f"[numeric.{name}]\nlower = 0\nupper = 1\n" for name in ("age", "height"))
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_says_what_it_learns_and_every_setting_in_words_or_leaves_it_to_schema_and_command(kind):
    made = PrivateModel.models[kind]
    assert made.targets, "say targets = (...) in the class"
    assert set(made.standard_for) <= set(made.targets) <= set(get_args(TargetKind))
    found = settings_of(made)
    assert set(found) == {one.name for one in fields(made) if one.init} - OF_THE_COMMAND - OF_THE_SCHEMA - OF_PYTHON, (
        "annotate with words: Annotated[type, ...]"
    )
    assert all(one.words.endswith(".") and len(one.words) < 150 for one in found.values())
    assert 20 < len(summary_of(made)) < 150


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_asked_what_a_fit_may_be_worth_and_linear_classifiers_have_an_answer(kind):
    estimator = encoded_estimator(kind, schema_for(PrivateModel.models[kind].targets[0]), {"epsilon": 0.1})
    found = estimator.outlook(features=50, records=300, classes=2)
    assert (found is not None) == isinstance(estimator, LinearClassifier)
    assert found is None or (found.records, found.little) == (300, True)


def test_every_target_has_one_standard_kind():
    for learnt in get_args(TargetKind):
        assert [kind for kind in KINDS if learnt in PrivateModel.models[kind].standard_for] == [standard_kind(learnt)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("learnt", get_args(TargetKind))
def test_what_a_kind_does_not_learn_is_refused_with_those_that_do(kind, learnt):
    schema = schema_for(learnt)
    estimator = encoded_estimator(kind, schema, {})
    if learnt in estimator.learns or {"ordered classes": "more classes", "counts": "numbers"}.get(learnt) in estimator.learns:
        check_learns(estimator, schema)
        return
    with pytest.raises(InvalidInput, match=standard_kind(learnt)):
        check_learns(estimator, schema)


def test_a_loss_decides_what_a_model_over_a_set_learns():
    assert (ConstrainedERM().learns, ConstrainedERM(loss="hinge").learns) == (("numbers",), ("two classes",))
    assert ConstrainedERM(loss="logistic").learns == ("two classes", "more classes")


@pytest.mark.parametrize(
    ("kind", "name", "text", "value"),
    [
        ("lasso", "radius", "2.5", 2.5),
        ("lasso", "n_iter", "12", 12),
        ("lasso", "loss", "huber", "huber"),
        ("lasso", "fit_intercept", "no", False),
        ("group-lasso", "groups", "2,3", (2, 3)),
        ("group-lasso", "groups", "2", 2),
        ("matrix-regression", "shape", "28,28", (28, 28)),
        ("linear-svc", "class_weight", "a=b=2,no=1", {"a=b": 2.0, "no": 1.0}),
    ],
)
def test_a_setting_is_read_from_a_text(kind, name, text, value):
    assert settings_of(kind_named(kind))[name].read(text) == value


@pytest.mark.parametrize(
    ("kind", "name", "text"),
    [
        ("lasso", "radius", "wide"),
        ("lasso", "radius", "inf"),
        ("lasso", "n_iter", "2.5"),
        ("lasso", "fit_intercept", "perhaps"),
        ("group-lasso", "groups", "2,"),
        ("linear-svc", "class_weight", "yes"),
        ("linear-svc", "class_weight", "yes=1,yes=2"),
    ],
)
def test_a_text_that_is_none_is_refused_by_the_name_of_the_setting(kind, name, text):
    with pytest.raises(InvalidInput, match=rf"^{name.replace('_', '-')} takes .*'{text}' was given"):
        settings_of(kind_named(kind))[name].read(text)


@pytest.mark.parametrize(("typed", "meant"), [("laso", "lasso"), ("poisson", "poisson-regression"), ("Quantile", "quantile-regression")])
def test_a_name_that_no_model_has_is_answered_with_the_nearest(typed, meant):
    with pytest.raises(InvalidInput, match=f"Did you mean '{meant}'"):
        kind_named(typed)


@pytest.mark.parametrize("given", ["l1-ball:wide", "ball", "l1-ball:-1", "nuclear-ball:2"])
def test_a_set_by_its_name_needs_one_that_a_dimension_and_a_radius_make(given):
    with pytest.raises(InvalidInput, match="radius"):
        ConstrainedERM(constraint=given).plan(features=3)


def test_a_set_by_its_name_is_that_set():
    import discreet

    named, made = (ConstrainedERM(constraint=one).plan(features=3) for one in ("l1-ball:3", discreet.sets.L1Ball(dimension=3, radius=3.0)))
    assert named.problem == made.problem


def test_numbers_of_columns_are_those_of_their_features():
    schema = schema_for("numbers")
    read = settings_of(ConstrainedERM)["penalty_factor"].read
    assert encoded_estimator("constrained-erm", schema, {"penalty_factor": read("height=5")}).penalty_factor == (1.0, 5.0)
    with pytest.raises(InvalidInput, match=r"'agee' was given.*'age'"):
        encoded_estimator("constrained-erm", schema, {"penalty_factor": read("agee=5")})
    with pytest.raises(InvalidInput, match="COLUMN=NUMBER"):
        read("age")
