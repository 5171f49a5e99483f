"""`release`, `inspect`, `verify` of folders, and `randomise`: what they write, refuse, spend and say."""

import json
import shutil

import pytest

from discreet import Schema
from discreet.consumers import frequencies
from discreet.releases import METHODS, read_release
from tests.canary import CANARY, assert_silent
from tests.cli.conftest import SURVEY, csv_text, discreet, rows
from tests.display.reading import said

RELEASE = ("release", "people.csv", "--schema", "survey.toml", "--out", "out")
ADDITIVE = (*RELEASE, "--method", "additive", "--epsilon", "1", "--delta", "1e-6")

METHODS_ON_THE_COMMAND_LINE = {
    "laplace": "--epsilon 1",
    "moments": "--epsilon 1 --delta 1e-6",
    "additive": "--epsilon 1 --delta 1e-6",
    "projection": "--epsilon 1 --delta 1e-6 --columns 2 --projection-seed 3",
    "fresh-projection": "--epsilon 1 --delta 1e-6 --columns 2",
    "sketch": "--epsilon 1 --delta 1e-6 --rows 20 --most-records 1000 --neighbours add-remove",
    "eigenvalue-sketch": "--epsilon 1 --delta 1e-6 --rows 20 --most-records 1000",
    "information-sketch": "--bits 0.5 --rows 20 --most-records 1000",
    "clear-target-sketch": "--bits 0.5 --rows 20 --most-records 1000 --target clear",
    "fisher": "--epsilon 1 --delta 1e-6 --weights 2 --target clear",
    "bounded": "--half-width 20 --epsilon 1",
}


@pytest.fixture
def survey(folder):
    (folder / "survey.toml").write_text(SURVEY, encoding="utf-8")
    return folder


@pytest.mark.parametrize("method", METHODS_ON_THE_COMMAND_LINE)
def test_every_method_writes_a_folder_that_verifies(survey, method):
    outcome = discreet(*RELEASE, "--method", method, *METHODS_ON_THE_COMMAND_LINE[method].split(), "--json")
    assert (outcome.code, outcome.err) == (0, ""), outcome
    assert outcome.json["verification"]["ok"]
    assert outcome.json["method"] == method
    checked = discreet("verify", "out", "--json")
    assert (checked.code, checked.json["ok"]) == (0, True)
    assert discreet("inspect", "out", "--json").json["guarantee"] == outcome.json["guarantee"]
    assert "It does not protect" in discreet("inspect", "out").out


def test_bounded_noise_may_have_ends_of_its_own_for_each_column(survey):
    bounded = (*RELEASE, "--method", "bounded", "--epsilon", "1", "--noise-ends")
    made = discreet(*bounded, "age=-2000:4000,hours=1500", "--json")
    assert (made.code, made.err, made.json["verification"]["ok"]) == (0, "", True), made
    assert discreet("inspect", "out", "--csv", "rows.csv", "--within-bounds").code == 0
    cells = [tuple(map(float, line.split(","))) for line in (survey / "rows.csv").read_text(encoding="utf-8").splitlines()[1:]]
    assert all(0 <= age <= 100 and 0 <= hours <= 80 for age, hours in cells)
    for ends, words in (("age=1", "need every released column"), ("age", "NAME=LOW:HIGH"), ("age=5:9,hours=5", "a negative and a positive")):
        refused = discreet(*bounded, ends)
        assert refused.code != 0
        assert words in refused.error


def test_released_numbers_are_written_within_their_bounds_and_rounded(survey):
    assert discreet(*ADDITIVE).code == 0
    made = discreet("inspect", "out", "--csv", "rows.csv", "--within-bounds", "--decimals", "age=0")
    assert (made.code, "Rows" in made.out) == (0, True)
    header, *lines = (survey / "rows.csv").read_text(encoding="utf-8").splitlines()
    cells = [tuple(map(float, line.split(","))) for line in lines]
    assert (header, len(lines)) == ("age,hours", 300)
    assert all(0 <= age <= 100 and age == round(age) and 0 <= hours <= 80 for age, hours in cells)
    assert {age for age, _ in cells} > {0, 100}
    for options, words in (
        (("--decimals", "age=0"), "--within-bounds and --decimals change the numbers"),
        (("--csv", "rows.csv"), "Choose another path"),
        (("--csv", "out/rows.csv"), "Choose a path outside it"),
        (("--csv", "more.csv", "--decimals", "age"), "NAME=PLACES"),
        (("--csv", "more.csv", "--decimals", "agee=0"), "another name was given"),
    ):
        assert words in discreet("inspect", "out", *options).error
    assert not (survey / "more.csv").exists()


def test_a_dry_run_says_what_a_release_would_be_worth_and_touches_nothing(survey):
    """No table, no ledger entry, no folder: the table need not even be there."""
    (survey / "people.csv").unlink()
    dry = ("release", "people.csv", "--schema", "survey.toml", "--epsilon", "1", "--delta", "1e-6", "--dry-run", "--public-records", "300")
    before = sorted(survey.iterdir())
    outcome = discreet(*dry, "--method", "additive")
    assert outcome.code == 0, outcome
    for words in (
        "Noise        deviation on every number: age",
        "Mean         of 300 rows",
        "NOTHING can be learnt",
        "Better       --method moments",
    ):
        assert words in outcome.out
    found = discreet(*dry, "--method", "moments", "--json").json["outlook"]
    assert (found["records"], found["records_public"], found["better"]) == (300, True, None)
    for number in ("0", "-5"):
        refused = discreet(*dry[:-1], number, "--method", "moments")
        assert (refused.code, refused.err.count("--public-records must be an integer of at least 1")) == (3, 1)
    assert sorted(survey.iterdir()) == before
    assert "or --dry-run" in discreet(*dry[:3], *dry[3:-3], "--method", "moments").err


def test_what_it_is_worth_is_said_before_it_is_drawn(survey):
    outcome = discreet(*ADDITIVE)
    assert outcome.code == 0
    assert "of 300 rows" in outcome.err
    assert "--method moments, at the same price" in outcome.err


def test_every_method_is_on_the_command_line_and_in_its_help():
    assert {*METHODS_ON_THE_COMMAND_LINE, "null-space"} == set(METHODS)
    text = discreet("release", "--help").out
    for name in (*METHODS, "local"):
        assert f"\n  {name}: " in text.replace("\n    ", "\n  "), name


@pytest.mark.parametrize("extra", [("--variance", "1"), ("--variance", "1", "--calibration", "published")])
def test_what_is_not_private_is_said_plainly(survey, extra):
    (survey / "survey.toml").write_text(
        SURVEY.replace("lower = 0\nupper = 80", 'classes = ["no", "yes"]', 1).replace('"hours"', '"answer"'), encoding="utf-8"
    )
    outcome = discreet(*RELEASE, "--method", "null-space", "--target", "clear", *extra)
    if "published" not in extra:
        assert outcome.code == 3
        assert "protects nobody" in outcome.error
        return
    assert outcome.code == 0
    assert "Protects     Nothing: " in outcome.out
    assert "NOT VALID" in outcome.out
    assert discreet("verify", "out").code == 6


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((*RELEASE, "--method", "aditive"), 3, "Did you mean 'additive'"),
        ((*RELEASE, "--method", "additive", "--epsilon", "1"), 3, "needs delta"),
        ((*ADDITIVE, "--rows", "9"), 3, "has no setting rows"),
        ((*ADDITIVE, "--neighbours", "add-remove"), 3, "one released row per record reveals their number"),
        ((*ADDITIVE, "--calibration", "loose"), 3, "'published'"),
        ((*ADDITIVE[:-1], "0"), 3, "delta"),
        ((*RELEASE, "--method", "fisher", "--weights", "a,b"), 2, "--weights needs numbers"),
        ((*RELEASE, "--method", "local", "--epsilon", "1"), 2, "--method local takes no epsilon"),
        ((*RELEASE, "--method", "local", "--seed", "1"), 2, "--method local takes no seed"),
        ((*RELEASE, "--method", "local", "--neighbours", "add-remove"), 2, "takes no neighbours add-remove"),
        ((*RELEASE, "--method", "local", "--target", "clear", "--rows", "9"), 2, "takes no rows and no target: the records"),
        ((*RELEASE, "--method", "local", "--calibration", "published"), 2, "takes no calibration"),
        ((*RELEASE, "--method", "local", "--ledger", "team.ledger", "--data-set", "people"), 2, "takes no ledger and no data set"),
        ((*RELEASE, "--method", "local", "--neighbours", "replace-one"), 3, "'people.csv'"),
        ((*RELEASE, "--method", "local"), 3, "'people.csv'"),
        (("release", "absent.csv", *ADDITIVE[2:]), 3, "there is no file"),
        (("release", "people.csv", "--schema", "absent.toml", *ADDITIVE[4:]), 3, "there is no schema"),
        (("release", "people.csv", "--schema", "people.toml", "--out", "people.csv", *ADDITIVE[6:]), 3, "which this command reads"),
        (("inspect", "absent"), 3, "there is no release"),
        (("inspect", "people.csv"), 3, "there is no release"),
        (("randomise", "--schema", "survey.toml", "--epsilon", "1", "--delta", "1e-6", "age"), 2, "NAME=VALUE"),
        (("randomise", "--schema", "survey.toml", "--epsilon", "1", "--delta", "1e-6", "age=1"), 3, "lacks the columns 'hours'"),
        (
            ("randomise", "--schema", "survey.toml", "--epsilon", "1", "--delta", "0", "age=1", "hours=2", "foo=1"),
            2,
            "an argument names a column that the schema does not",
        ),
        (("frequencies", "none.jsonl", "--schema", "survey.toml"), 3, "cannot be read (No such file or directory)"),
        (("randomise", "--schema", "survey.toml", "--epsilon", "1", "--delta", "1e-6", "age=1", "age=2"), 2, "each column once"),
    ],
)
def test_what_cannot_be_released_is_refused_and_leaves_nothing(survey, arguments, code, words):
    before = sorted(path.name for path in survey.iterdir())
    outcome = discreet(*arguments)
    assert (outcome.code, words in outcome.error) == (code, True), outcome
    assert sorted(path.name for path in survey.iterdir()) == before


def test_a_release_is_replaced_only_when_asked(survey):
    assert discreet(*ADDITIVE).code == 0
    again = discreet(*ADDITIVE)
    assert again.code == 3
    assert "--overwrite" in again.error
    assert discreet(*ADDITIVE, "--overwrite").code == 0
    shutil.rmtree("out")
    (survey / "out").mkdir()
    (survey / "out" / "thesis.tex").write_text("ten years")
    assert discreet(*ADDITIVE, "--overwrite").code == 3
    assert (survey / "out" / "thesis.tex").exists()


def test_a_ledger_is_asked_before_the_table_is_read(survey, monkeypatch):
    monkeypatch.setattr("discreet.ledger.file._SYNCHRONOUS", "OFF")
    spend = ("--ledger", "team.ledger", "--data-set", "people")
    assert discreet("budget", "new", "team.ledger", "--data-set", "people", "--epsilon", "1.5", "--delta", "1e-5").code == 0
    first = discreet(*ADDITIVE, *spend)
    assert first.code == 0
    assert "Left         epsilon 0.5" in first.out
    (survey / "people.csv").unlink()
    second = discreet(*ADDITIVE, "--overwrite", *spend)
    assert second.code == 7
    assert read_release("out").certificate.ledger_entry is not None


def test_a_seeded_release_warns_and_does_not_verify(survey):
    outcome = discreet(*ADDITIVE, "--seed", "1")
    assert outcome.code == 0
    assert outcome.err.startswith("Warning: --seed")
    assert "NOT VALID" in outcome.out
    assert discreet("verify", "out").code == 6
    assert "seeded" in discreet("inspect", "out").out


def test_a_tampered_folder_does_not_verify(survey):
    assert discreet(*ADDITIVE).code == 0
    path = survey / "out" / "manifest.json"
    path.write_text(path.read_text().replace('"epsilon": 1.0', '"epsilon": 0.5'))
    outcome = discreet("verify", "out")
    assert outcome.code == 6
    assert "NOT VALID" in outcome.out


def test_the_number_of_records_is_not_told_where_it_is_private(survey):
    outcome = discreet(*ADDITIVE, "--neighbours", "add-remove", "--slots", "1000")
    assert outcome.code == 0
    assert "300" not in outcome.out.replace("out", "")
    assert "1000 rows" in outcome.out


def test_words_of_the_custodian_are_kept(survey):
    words = ("--name", "Working hours", "--description", "Hours and ages, with noise.", "--license", "CC0-1.0")
    assert discreet(*ADDITIVE, *words).code == 0
    document = json.loads((survey / "out" / "manifest.json").read_text())
    assert (document["name"], document["description"], document["license"]) == ("Working hours", "Hours and ages, with noise.", "CC0-1.0")
    assert discreet("verify", "out").code == 0


RANDOMISE = ("randomise", "--schema", "survey.toml", "--epsilon", "4", "--delta", "1e-6")


def test_records_of_owners_are_randomised_and_collected(survey):
    lines = [
        discreet(*RANDOMISE, stdin='{"age": 41, "hours": 38}'),
        discreet(*RANDOMISE, stdin="age,hours\n41,38\n"),
        discreet(*RANDOMISE, "age=41", "hours=38"),
    ]
    for one in lines:
        assert (one.code, one.err) == (0, "")
        assert one.out.count("\n") == 1
    (survey / "records.jsonl").write_text("".join(one.out for one in lines))
    outcome = discreet("release", "records.jsonl", "--schema", "survey.toml", "--method", "local", "--out", "out", "--json")
    assert outcome.json["verification"]["ok"]
    assert outcome.json["shape"] == [3, 2]
    assert outcome.json["guarantee"]["local"]
    (survey / "monday").mkdir()
    for name, each in (("monday/a.jsonl", lines[0].out), ("monday/b.jsonl", lines[1].out.rstrip()), ("late.jsonl", lines[2].out)):
        (survey / name).write_text(each)
    several = ("monday", "late.jsonl", "--schema", "survey.toml", "--method", "local", "--out", "several")
    assert discreet("release", *several, "--json").json["shape"] == [3, 2]
    (survey / "late.jsonl").write_text(lines[2].out.replace("0", "1"))
    assert "'late.jsonl' cannot be collected" in discreet("release", *several, "--overwrite").error
    piped = discreet("release", "-", "--schema", "survey.toml", "--method", "local", "--out", "more", stdin=lines[0].out)
    assert piped.code == 0
    assert discreet(*RANDOMISE, "age=41", "hours=38", "--json").json["format"] == "discreet-record/1"


def test_categories_of_owners_are_randomised_without_a_delta(survey):
    schema = '[categorical.transport]\ncategories = ["bike", "bus", "car"]\n\n[target]\ncolumn = "happy"\nclasses = ["no", "yes"]\n'
    (survey / "answers.toml").write_text(SURVEY[: SURVEY.index("\n[")] + "\n" + schema, encoding="utf-8")
    asked = ("randomise", "transport=bus", "happy=yes", "--schema", "answers.toml", "--delta", "0", "--epsilon")
    lines = [discreet(*asked, "12") for _ in range(3)]
    assert [one.code for one in lines] == [0, 0, 0], lines[0]
    (survey / "one.json").write_text(lines[0].out)
    assert discreet("verify", "one.json").code == 0
    found = frequencies([one.out for one in lines], Schema.load("answers.toml"))
    assert [one.reports for one in found.values()] == [3, 3]
    (survey / "answers.jsonl").write_text("".join(one.out for one in lines), encoding="utf-8")
    count = ("frequencies", "answers.jsonl", "--schema", "answers.toml", "--csv", "shares.csv")
    counted = discreet(*count, "--json").json
    assert counted["reports"] == 3
    assert [(row["column"], row["category"], row["share"]) for row in counted["shares"]][:4:3] == [("transport", "bike", 0), ("happy", "no", 0)]
    assert (survey / "shares.csv").read_text(encoding="utf-8").splitlines()[0] == "column,category,share,unbiased,lower,upper"
    assert "Choose another path" in discreet(*count).error
    assert discreet(*count, "--overwrite", "--report", "shares.html").code == 0
    assert "3 persons answered" in said((survey / "shares.html").read_text(encoding="utf-8"))
    assert "there is nothing to count" in discreet("frequencies", "-", "--schema", "answers.toml", stdin="").error
    (survey / "answers.jsonl").write_text(lines[0].out[:-9], encoding="utf-8")
    assert "cannot be counted" in discreet("frequencies", "answers.jsonl", "--schema", "answers.toml").error
    assert "9 a column" in discreet(*asked, "19").error


def test_numbers_of_owners_are_randomised_without_a_delta(survey):
    asked = ("randomise", "age=41", "hours=38", "--schema", "survey.toml", "--epsilon", "2", "--delta", "0")
    (survey / "records.jsonl").write_text("".join(discreet(*asked).out for _ in range(3)), encoding="utf-8")
    collected = discreet("release", "records.jsonl", "--schema", "survey.toml", "--method", "local", "--out", "out", "--json").json
    assert collected["verification"]["ok"]
    assert (collected["guarantee"]["kind"], collected["guarantee"]["local"]) == ("pure", True)
    refused = ("release", "people.csv", "--schema", "survey.toml", "--epsilon", "1", "--out", "more", "--method")
    assert "take method 'laplace'" in discreet(*refused, "additive", "--delta", "0").error
    assert "delta 0; 0.1 was given" in discreet(*refused, "laplace", "--delta", "0.1").error
    assert "release --method local" in discreet("frequencies", "records.jsonl", "--schema", "survey.toml").error


def test_categories_with_a_number_to_predict_get_laplace_noise_without_a_delta(survey):
    schema = '[categorical.transport]\ncategories = ["bike", "bus", "car"]\n\n[target]\ncolumn = "hours"\nlower = 0\nupper = 80\n'
    (survey / "answers.toml").write_text(SURVEY[: SURVEY.index("\n[")] + "\n" + schema, encoding="utf-8")
    made = discreet("randomise", "transport=bus", "hours=8", "--schema", "answers.toml", "--delta", "0", "--epsilon", "2", "--json").json
    assert made["certificate"]["mechanism"] == "release-laplace-rows"


def test_lines_of_owners_are_collected_whatever_ledger_the_environment_names(survey, monkeypatch):
    (survey / "records.jsonl").write_text(discreet(*RANDOMISE, "age=41", "hours=38").out)
    monkeypatch.setenv("DISCREET_LEDGER", "team.ledger")
    monkeypatch.setenv("DISCREET_DATA_SET", "people")
    local = ("release", "records.jsonl", "--schema", "survey.toml", "--method", "local", "--out", "out")
    outcome = discreet(*local, "--json")
    assert outcome.code == 0, outcome
    assert outcome.json["ledger"] is None
    typed = discreet(*local, "--overwrite", "--ledger", "team.ledger")
    assert (typed.code, "takes no ledger" in typed.error) == (2, True), typed


@pytest.mark.parametrize(
    "text",
    [
        f'{{"age": {CANARY}, "hours": 1}}',
        f'{{"age": "{CANARY}", "hours": 1}}',
        f'{{"age": [{CANARY}], "hours": 1}}',
        f'{{"age": {CANARY}',
        f"age,hours\n{CANARY},1\n",
        f"age,hours\n{CANARY}\n",
        f'age,hours\n"{CANARY},1\n',
        f"{CANARY},1\n",
        f"[{CANARY}]",
        "",
        "{" * 100_000,
        "age,hours\n1,2\n3,4\n",
    ],
)
def test_a_record_that_cannot_be_used_is_not_repeated(survey, text):
    for as_json in ((), ("--json",)):
        outcome = discreet(*RANDOMISE, *as_json, stdin=text)
        assert outcome.code == 3
        assert_silent(outcome.out + outcome.err)


@pytest.mark.parametrize("method", ["additive", "fresh-projection", "sketch", "bounded", "information-sketch"])
@pytest.mark.parametrize("clipped", [True, False])
def test_no_output_and_no_file_shows_the_canary(survey, method, clipped):
    (survey / "people.csv").write_text(csv_text([*rows(60), (CANARY, 8, "north", "no"), *rows(60)]), encoding="utf-8")
    if clipped:
        (survey / "survey.toml").write_text(SURVEY.replace("upper = 100", 'upper = 100\noutside = "clip"'), encoding="utf-8")
    outcome = discreet(*RELEASE, "--method", method, *METHODS_ON_THE_COMMAND_LINE[method].split())
    assert outcome.code == (0 if clipped else 3)
    assert_silent(outcome.out + outcome.err)
    if clipped:
        digest = read_release("out").certificate.digest
        assert_silent((survey / "out" / "manifest.json").read_text().replace(digest, ""))
        for line in (("inspect", "out"), ("inspect", "out", "--json"), ("verify", "out"), ("verify", "out", "--json")):
            said = discreet(*line)
            assert_silent((said.out + said.err).replace(digest, ""))


def test_a_folder_that_holds_more_than_its_release_is_never_replaced(survey):
    """A ledger, the table, or anybody's file in it would go with the old release."""
    assert discreet(*ADDITIVE).code == 0
    shutil.copy(survey / "people.csv", survey / "out" / "mine.csv")
    refused = discreet("release", "out/mine.csv", *ADDITIVE[2:], "--overwrite")
    assert refused.code == 3
    assert "'out/mine.csv'" in refused.error
    again = discreet(*ADDITIVE, "--overwrite")
    assert (again.code, (survey / "out" / "mine.csv").is_file()) == (3, True)
    (survey / "out" / "mine.csv").unlink()
    assert discreet(*ADDITIVE, "--overwrite").code == 0


def test_nothing_is_written_into_a_release(survey):
    assert discreet(*ADDITIVE).code == 0
    for arguments in (("report", "out", "--out", "out/page.html"), ("keygen", "k"), ("sign", "out", "--key", "k.private.pem", "--out", "out/x.sig")):
        refused = discreet(*arguments)
        if arguments[0] != "keygen":
            assert refused.code == 3
            assert "inside the release" in refused.error
    assert discreet("verify", "out").code == 0


def test_an_unknown_method_is_told_all_methods(survey):
    refused = discreet(*RELEASE, "--method", "nonsense", "--epsilon", "1")
    assert refused.code == 3
    assert "'local'" in refused.error
