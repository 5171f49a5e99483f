"""Parts of a table in which there is nothing: of no row, or of rows that are all left out where few are kept of each person.

Whether a part is empty lies with one record, or is drawn. So every model, in everything that is done with it, and every command that reads a table in
parts say of such parts what they say of the same rows in one part; and under add-remove a table with no row at all is answered.
"""

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

from discreet import PrivateSearchCV, Schema, evaluate_privately, release_uncertainty
from discreet.core.errors import DiscreetError
from discreet.data import schema_files
from discreet.estimators.door.private_estimator import PrivateModel
from discreet.estimators.model_kinds import encoded_estimator, settings_of
from tests.cli.conftest import discreet
from tests.cli.every_command import commands, people, world
from tests.properties.test_every_model import CASES, COLUMNS, TARGETS
from tests.schemas import schema_text

SPENT = {"epsilon": 4.0, "delta": 1e-4}
PLACES = ("an empty part", "a part of which no row is kept")
WHOSE = '[person]\ncolumn = "who"\nrows = 1\n'


def table(learnt, count=24):
    """A row each of so many persons."""
    draw = np.random.default_rng(0)
    age, height = draw.uniform(0, 100, count), draw.uniform(0, 2, count)
    target = {} if learnt == "several numbers" else TARGETS[learnt]
    labels = target.get("classes", [])
    answer = [labels[place % len(labels)] for place in range(count)] if labels else age * 0.5 + height * 25
    return pl.DataFrame(
        {
            "who": [f"p{one}" for one in range(count)],
            "age": age,
            "height": height,
            "city": ["north", "south"] * (count // 2),
            "answer": answer,
            "seen": [1, 0] * (count // 2),
            "other": 10 - age * 0.2,
        }
    )


def written(folder, frame, place):
    """The same rows in parts; of the last person, in the last place but one, hundreds of rows in one part and one in another, where one is kept."""
    again = frame[-1:]
    parts = {
        "one part": [frame],
        "an empty part": [frame[:0], frame[:10], frame[:0], frame[10:], frame[:0]],
        "a part of which no row is kept": [again, pl.concat([frame[:-1], *[again] * 300])],
        "no row": [frame[:0], frame[:0]],
    }
    folder.mkdir(exist_ok=True)
    for number, part in enumerate(parts[place]):
        part.write_parquet(folder / f"{number}.parquet")
    return folder


def opened(kind, learnt, path):
    """The schema and the table; a model that makes several rows of a record takes one of each person, without ids."""
    alone = PrivateModel.models[kind].makes_rows
    text = schema_text("few", TARGETS[learnt], COLUMNS, rows="bound", **({"rows_per_person": 1} if alone else {}))
    schema = Schema.from_toml(text + ("" if alone else WHOSE))
    return schema, schema_files(path, schema)


def estimator(kind, learnt, schema, **settings):
    one = encoded_estimator(kind, schema, {**SPENT, **settings})
    labels = {} if learnt == "several numbers" else TARGETS[learnt]
    return one.set_params(classes=labels["classes"]) if "classes" in labels and "classes" in one.get_params() else one


USES = {
    "evaluation": lambda fitted, table: evaluate_privately(fitted, table, epsilon=1.0),
    "intervals": lambda fitted, table: release_uncertainty(fitted, table, **SPENT),
    "search": lambda fitted, table: PrivateSearchCV(clone(fitted), {"data_norm": [1.0]}, epsilon=8.0, delta=1e-4, expected_runs=1.5).fit(table),
}
"""What is done with a model and a table beside the fit."""


def said(use, fitted, table):
    """Empty for an answer, else the words of a refusal."""
    try:
        use(fitted, table)
    except DiscreetError as refusal:
        return str(refusal)
    return ""


@pytest.mark.at_most(15)
@pytest.mark.filterwarnings("ignore::discreet.core.errors.PrivacyAdvice")
@pytest.mark.parametrize(("kind", "learnt"), CASES)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("use", USES)
def test_a_model_says_of_empty_parts_what_it_says_of_one_part(tmp_path, kind, learnt, place, use):
    frame, place = table(learnt), PLACES[0] if PrivateModel.models[kind].makes_rows else place
    schema, parts = opened(kind, learnt, written(tmp_path / "parts", frame, place))
    fitted = estimator(kind, learnt, schema).fit(parts)
    assert fitted.certificate_.verify().ok
    if words := said(USES[use], fitted, parts):
        assert words == said(USES[use], fitted, opened(kind, learnt, written(tmp_path / "one", frame, "one part"))[1])


@pytest.mark.parametrize(
    ("kind", "learnt"), [case if case[1] in ("two classes", "numbers") else pytest.param(*case, marks=pytest.mark.more) for case in CASES]
)
def test_under_add_remove_a_model_of_no_row_is_answered(tmp_path, kind, learnt):
    schema, parts = opened(kind, learnt, written(tmp_path / "parts", table(learnt), "no row"))
    settings = {"neighbours": "add-remove"} if "neighbours" in settings_of(PrivateModel.models[kind]) else {}
    if settings:
        assert estimator(kind, learnt, schema, **settings).fit(parts).certificate_.verify().ok


IN_PARTS = [command for command in commands() if command.reads_parts]


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """The files of all calls, with one row of each person kept, and folders of parts."""
    path = tmp_path_factory.mktemp("parts")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        world(WHOSE)
        frame = pl.DataFrame(people()).with_columns(who=pl.Series([f"p{one}" for one in range(40)]))
        for place in (*PLACES, "no row"):
            written(path / place, frame, place)
    return path


@pytest.mark.at_most(5)
@pytest.mark.each_with_each
@pytest.mark.parametrize("command", IN_PARTS, ids=lambda command: command.name)
@pytest.mark.parametrize("place", PLACES)
def test_a_command_answers_on_empty_parts(here, monkeypatch, command, place):
    monkeypatch.chdir(here)
    words = [place if word == "people.csv" else word for word in command.words]
    outcome = discreet(*words, "--overwrite")
    assert outcome.code == 0, outcome.err
