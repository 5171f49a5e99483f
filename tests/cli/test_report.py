"""`discreet report`, and `--report` of the commands that release something."""

import json
import os
import sqlite3

import pytest

from discreet.display import printing as browser
from tests.cli.conftest import FIT, SURVEY, discreet
from tests.display.reading import read_page, said

SPEND = ("--ledger", "team.ledger", "--data-set", "people")


@pytest.fixture
def ledger(folder):
    """The folder with a ledger in it."""
    assert discreet("budget", "new", "team.ledger", "--data-set", "people", "--epsilon", "3", "--delta", "1e-5").code == 0
    return folder


def page(path):
    """The words of a page that was written."""
    text = path.read_text(encoding="utf-8")
    read_page(text)
    return said(text)


def test_fit_writes_a_page_with_the_budget_before_and_after(ledger):
    outcome = discreet(*FIT, *SPEND, "--report", "page.html")
    assert outcome.code == 0
    assert "Report       page.html\n" in outcome.out
    words = page(ledger / "page.html")
    assert "Spent before this release epsilon 0, delta 0" in words
    assert "Left after it epsilon 2, delta" in words
    assert "discreet verify model.json" in words


def test_tune_writes_a_page(ledger):
    arguments = ("tune", "people.csv", "--schema", "people.toml", "--grid", "alpha=0.01,0.1", "--epsilon", "2", "--delta", "1e-6", "--out", "m.json")
    outcome = discreet(*arguments, *SPEND, "--report", "page.html", "--json")
    assert outcome.code == 0
    assert outcome.json["report"] == "page.html"
    words = page(ledger / "page.html")
    assert "2, all public" in words
    assert "discreet verify m.json" in words
    assert "Left after it epsilon 1, delta" in words


RELEASE = ("release", "people.csv", "--schema", "survey.toml", "--method", "additive", "--epsilon", "1", "--delta", "1e-6", "--out", "out")


@pytest.fixture
def survey(ledger):
    """The folder with a schema of which additive noise can be released."""
    (ledger / "survey.toml").write_text(SURVEY, encoding="utf-8")
    return ledger


def test_release_writes_a_page_with_the_budget_before_and_after(survey):
    outcome = discreet(*RELEASE, *SPEND, "--report", "page.html")
    assert outcome.code == 0, outcome
    assert "Report       page.html\n" in outcome.out
    words = page(survey / "page.html")
    assert "Left after it epsilon 2, delta" in words
    assert "discreet verify out" in words
    again = discreet(*RELEASE, "--report", "page.html", "--overwrite", "--json")
    assert (again.code, again.json["report"]) == (0, "page.html")
    assert discreet("verify", "out").code == 0


@pytest.mark.parametrize("report", ["people.csv", "survey.toml", "team.ledger", "out", "out/page.html", "./out/deep/page.html", "no/such/page.html"])
def test_a_page_on_a_release_is_refused_before_anything_is_spent(survey, report):
    for again in range(2):
        outcome = discreet(*RELEASE, *SPEND, "--report", report, "--overwrite")
        assert outcome.code == 3, outcome
        assert len(discreet("budget", "history", "team.ledger", "--data-set", "people", "--json").json["entries"]) == again
        assert (survey / "out").exists() == bool(again), "refused where the folder is new, and where there is a release in it"
        if not again:
            if report == "no/such/page.html":
                return
            assert discreet(*RELEASE, *SPEND).code == 0


def test_a_page_on_a_release_that_fails_afterwards_loses_nothing(survey, monkeypatch):
    def broken(*_arguments, **_settings):
        raise ZeroDivisionError("918273.645")

    monkeypatch.setattr("discreet.display.reports.write_report", broken)
    outcome = discreet(*RELEASE, *SPEND, "--report", "page.html", "--json")
    assert outcome.code != 0
    assert outcome.json["report"] is None
    assert "918273" not in outcome.out + outcome.err
    assert discreet("verify", "out").code == 0


def test_collected_records_are_reported_too(folder):
    (folder / "local.toml").write_text(SURVEY, encoding="utf-8")
    line = discreet("randomise", "age=30", "hours=10", "--schema", "local.toml", "--epsilon", "5", "--delta", "1e-6")
    assert line.code == 0, line
    (folder / "lines.jsonl").write_text(line.out, encoding="utf-8")
    outcome = discreet("release", "lines.jsonl", "--schema", "local.toml", "--method", "local", "--out", "out", "--report", "page.html")
    assert outcome.code == 0, outcome
    assert "Privacy report" in page(folder / "page.html")


def test_audit_writes_a_page(model):
    exact = ("audit", "counting-laplace", "--epsilon", "0.5")
    outcome = discreet(*exact, "--report", "page.html")
    assert outcome.code == 0, outcome
    assert outcome.out.endswith("Report       page.html\n")
    assert "The audit found nothing against the claim" in page(model / "page.html")
    assert discreet(*exact, "--report", "page.html").code == 3
    assert discreet(*exact, "--report", "page.html", "--overwrite", "--json").json["report"] == "page.html"
    assert discreet(*exact, "--plot", "a.svg", "--report", "./a.svg").code == 3
    assert not (model / "a.svg").exists()
    before = (model / "model.json").read_bytes()
    assert discreet("audit", "model.json", "--report", "model.json", "--overwrite").code == 3
    assert discreet("audit", "model.json", "--plot", "model.json", "--overwrite").code == 3
    assert (model / "model.json").read_bytes() == before


def test_an_audit_that_finds_a_violation_says_so_on_its_page_and_by_its_exit_code(model, monkeypatch):
    document = json.loads((model / "model.json").read_text())
    document["certificate"]["guarantee"]["epsilon"] /= 2
    (model / "forged.json").write_text(json.dumps(document))
    assert discreet("audit", "forged.json", "--report", "page.html").code == 6
    assert "The claim is wrong" in page(model / "page.html")

    def broken(*_arguments, **_settings):
        raise ZeroDivisionError("918273.645")

    monkeypatch.setattr("discreet.display.reports.write_report", broken)
    outcome = discreet("audit", "forged.json", "--report", "other.html")
    assert outcome.code == 6, "the violation counts for more than the page"
    assert "The report was not written" in outcome.err


def test_evaluate_writes_a_page_for_private_measurements_only(model):
    outcome = discreet("evaluate", "model.json", "people.csv", "--epsilon", "1", "--metrics", "accuracy,roc", "--report", "page.html")
    assert outcome.code == 0
    assert "Area under the ROC curve" in page(model / "page.html")
    public = discreet("evaluate", "model.json", "people.csv", "--data-is", "synthetic", "--report", "other.html")
    assert public.code == 2
    assert "--report is for private measurements" in public.error


@pytest.mark.parametrize("out", ["page.html", "page.md"])
def test_a_model_file_is_reported(model, out):
    outcome = discreet("report", "model.json", "--out", out, "--json")
    assert outcome.code == 0
    assert outcome.json == {"command": "report", "source": "model.json", "title": "Privacy report: people", "written": out, "card": None}
    assert "uses this model to choose between two equally likely versions of one record" in (model / out).read_text()


def test_a_card_is_written_beside_it(model):
    outcome = discreet("report", "model.json", "--out", "page.html", "--card", "card.md")
    assert outcome.code == 0
    assert outcome.out == "Written to   page.html\nCard         card.md\n"
    assert (model / "card.md").read_text().startswith("# Model card: people\n")
    assert discreet("report", "model.json", "--out", "x.html", "--card", "./x.html").code == 2
    assert not (model / "x.html").exists()


def test_a_certificate_and_a_ledger_are_reported(model):
    certificate = json.loads((model / "model.json").read_text())["certificate"]
    (model / "certificate.json").write_text(json.dumps(certificate))
    assert discreet("report", "certificate.json", "--out", "certificate.html").code == 0
    assert "Only the certificate was given" in page(model / "certificate.html")
    assert discreet("budget", "new", "team.ledger", "--data-set", "people", "--epsilon", "3").code == 0
    assert discreet("report", "team.ledger", "--out", "ledger.html").code == 0
    assert "epsilon 3, delta 1e-06" in page(model / "ledger.html")
    assert discreet("report", "team.ledger", "--out", "other.html", "--card", "card.md").code == 3


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"format": "discreet-certificate/2"}', b'{"format": "discreet-certificate/2", "mechanism": 1}', b'{"format": "other/1"}',
     b'{"a": NaN}', b"\xff\xfe", b"SQLite format 3\x00" + b"\x00" * 200, b'{"format": 3}', b'{"format": "discreet-model/1"}'],
)  # fmt: skip
def test_what_is_none_of_these_is_refused(folder, content):
    (folder / "thing").write_bytes(content)
    outcome = discreet("report", "thing", "--out", "page.html")
    assert outcome.code == 3, outcome
    assert "thing" in outcome.error
    assert not (folder / "page.html").exists()


def test_a_certificate_with_hidden_characters_is_refused(model):
    certificate = json.loads((model / "model.json").read_text())["certificate"] | {"noise": {"source": "a\u202eb", "private": True}}
    (model / "c.json").write_text(json.dumps(certificate))
    assert "control characters" in discreet("report", "c.json", "--out", "page.html").error


def test_what_is_not_there_is_refused(folder):
    assert "there is no file 'none.json'. Give a model file, a" in discreet("report", "none.json", "--out", "page.html").error
    assert discreet("report", "people.csv", "--out", "page.html").code == 3
    assert discreet("report", ".", "--out", "page.html").code == 3
    assert not (folder / "page.html").exists()


def test_another_databases_file_is_no_ledger(folder):
    connection = sqlite3.connect(folder / "other.db")
    connection.execute("CREATE TABLE x (y)")
    connection.commit()
    connection.close()
    assert discreet("report", "other.db", "--out", "page.html").code == 3


@pytest.mark.parametrize("report", ["people.csv", "people.toml", "model.json", "team.ledger"])
def test_a_page_never_takes_the_place_of_another_file(ledger, report):
    outcome = discreet(*FIT, *SPEND, "--report", report, "--overwrite")
    assert outcome.code == 3
    assert "the report would overwrite" in outcome.error
    assert not (ledger / "model.json").exists()


def test_a_page_that_cannot_be_written_stops_before_anything_is_spent(ledger):
    assert discreet(*FIT, *SPEND, "--report", "no/such/folder.html").code == 3
    assert not (ledger / "model.json").exists()
    assert discreet("budget", "history", "team.ledger", "--data-set", "people", "--json").json["entries"] == []


@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_a_report_that_fails_afterwards_loses_nothing(ledger, monkeypatch, as_json):
    def broken(*_arguments, **_settings):
        raise ZeroDivisionError("918273.645")

    monkeypatch.setattr("discreet.display.reports.write_report", broken)
    outcome = discreet(*FIT, *SPEND, "--report", "page.html", *as_json)
    assert outcome.code != 0
    assert (ledger / "model.json").exists()
    assert "The report was not written; everything else was." in outcome.err
    assert "918273" not in outcome.out + outcome.err
    if as_json:
        assert outcome.json["report"] is None
        assert outcome.json["verification"]["ok"]
    else:
        assert "Written to   model.json" in outcome.out


def test_the_ledger_must_hold_the_release(ledger, fitted_model):
    (ledger / "model.json").write_text(fitted_model)
    outcome = discreet("report", "model.json", "--out", "page.html", "--ledger", "team.ledger")
    assert outcome.code == 0, "it states no entry, so the page says that nothing adds it up"
    assert "so nothing adds this release to others" in page(ledger / "page.html")
    assert discreet(*FIT, *SPEND, "--overwrite").code == 0
    assert discreet("budget", "new", "other.ledger", "--data-set", "people", "--epsilon", "3").code == 0
    assert discreet("report", "model.json", "--out", "b.html", "--ledger", "other.ledger").code == 3
    assert not (ledger / "b.html").exists()


def test_a_page_for_a_board_has_its_purpose_its_owner_and_what_was_measured(model):
    measured = discreet("evaluate", "model.json", "people.csv", "--epsilon", "4", "--out", "measures.json")
    assert measured.code == 0
    assert "Warning: Epsilon is 4, a weak guarantee" in measured.err
    arguments = ("report", "model.json", "--out", "page.html", "--purpose", "Planning of beds", "--owner", "The ward")
    assert discreet(*arguments, "--evaluation", "measures.json").code == 0
    front, _ = page(model / "page.html").split("Appendix for experts")
    for part in ("Purpose Planning of beds", "Owner The ward", "Accuracy", " records (a public number), for epsilon"):
        assert part in front
    assert discreet(*arguments, "--evaluation", "model.json", "--overwrite").code != 0


PRINTER = """#!/bin/sh
for one in "$@"; do case "$one" in --print-to-pdf=*) out="${one#--print-to-pdf=}";; file://*) page="${one#file://}";; esac; done
printf '%%PDF-1.4 ' > "$out"; cat "$page" >> "$out"
"""


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a script of a shell")
@pytest.mark.parametrize("program", [PRINTER, "#!/bin/sh\nexit 1\n", None])
def test_a_page_is_printed_where_there_is_a_browser(model, monkeypatch, program):
    (model / "bin").mkdir()
    if program is not None:
        (model / "bin" / "chromium").write_text(program, encoding="utf-8")
        (model / "bin" / "chromium").chmod(0o755)
    monkeypatch.setattr(browser.shutil, "which", lambda name: str(model / "bin" / name) if (model / "bin" / name).exists() else None)
    outcome = discreet("report", "model.json", "--out", "page.pdf")
    if program is PRINTER:
        assert outcome.code == 0
        printed = (model / "page.pdf").read_bytes()
        assert printed.startswith(b"%PDF-1.4 <!doctype html>")
    else:
        assert outcome.code == 3
        assert (
            "Write an .html page, open it in a browser and print" in outcome.error
            or "has an ending that is not supported. Pages end in" in outcome.error
        )
        assert not (model / "page.pdf").exists()
