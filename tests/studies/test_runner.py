"""Runs that are interrupted, taken up again, or lack their tables; and that what is shown is what was computed."""

import json
import re
from dataclasses import dataclass, field

import polars as pl
import pytest

from discreet.core.errors import FileFormatError, InvalidInput
from studies import Cell, Comparison, Figure, Line, Page, Panel, Tables, Verdict, figure, run
from studies.results import summary


@dataclass
class Squares:
    """Cells 0 to 4 give their squares; `fails` is the one at which the user presses Ctrl-C."""

    name: str = "squares"
    title: str = "Squares <of> numbers"
    paper: str = "Nobody (2026)"
    fails: int | None = None
    computed: list = field(default_factory=list)
    needs: tuple = ()

    def cells(self, *, quick):
        lacking = Cell(part="digits", settings={"number": 9}, needs=self.needs)
        return [Cell(part="squares", settings={"number": number}) for number in range(3 if quick else 5)] + ([lacking] if self.needs else [])

    def compute(self, cell, tables):
        if cell.settings["number"] == self.fails:
            raise KeyboardInterrupt
        self.computed.append(cell.settings["number"])
        for repeat in range(2):
            yield {"repeat": repeat, "measure": "square", "value": float(cell.settings["number"] ** 2 + repeat)}
        yield {"repeat": 0, "measure": "nothing", "value": None}

    def page(self, results):
        rows = summary(results.part("squares", measure="square"), ["number"])
        line = Line(name="squares", x=rows["number"].to_list(), y=rows["mean"].to_list(), error=rows["error"].to_list())
        panel = Panel(title="a & b", across="number", up="square", lines=[line])
        row = Comparison(what="2 < 3", printed="4", published="4.5", ours="4.5", verdict=Verdict.NOT_REPRODUCED, reason="noise")
        return Page(summary=["Words."], comparisons=[row], figures=[Figure(title="F", svg=figure([panel], title="t"), caption="c")], notes=["n"])


def go(study, folder, **options):
    return run(study, tables=Tables(), out=folder, **{"quick": False, **options})


def test_a_run_leaves_a_table_of_all_numbers_and_a_page(tmp_path):
    seen = []
    outcome = go(Squares(), tmp_path, progress=lambda done, total, cell: seen.append((done, total, cell.part)))
    frame = pl.read_parquet(tmp_path / "squares" / "results.parquet")
    assert frame.columns == ["part", "number", "repeat", "measure", "value"]
    assert frame.filter(pl.col("measure") == "square").get_column("value").to_list() == [0, 1, 1, 2, 4, 5, 9, 10, 16, 17]
    assert frame.filter(pl.col("measure") == "nothing").get_column("value").is_null().all()
    assert outcome.computed == 5
    assert seen == [(place, 5, "squares") for place in range(1, 6)]


def test_a_page_needs_no_network_and_shows_text_as_text(tmp_path):
    go(Squares(), tmp_path)
    page = (tmp_path / "squares" / "index.html").read_text()
    assert not re.search(r"<script|<link|<img|src=|url\(|@import", page)
    assert set(re.findall(r"https?://[^\"]+", page)) <= {"http://www.w3.org/2000/svg"}
    assert "Squares &lt;of&gt; numbers" in page
    assert "2 &lt; 3" in page
    assert "a &amp; b" in page
    assert "not reproduced" in page


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        go(Squares(fails=3), tmp_path)
    later = Squares()
    outcome = go(later, tmp_path, resume=True)
    assert later.computed == [3, 4]
    assert outcome.computed == 2
    whole = go(Squares(), tmp_path / "whole")
    assert outcome.results.frame.equals(whole.results.frame)


def test_a_line_that_was_cut_off_is_computed_again(tmp_path):
    go(Squares(), tmp_path)
    journal = tmp_path / "squares" / "cells.jsonl"
    journal.write_text(journal.read_text()[:-40])
    later = Squares()
    go(later, tmp_path, resume=True)
    assert later.computed == [4]


def test_results_are_never_written_over_or_mixed_by_accident(tmp_path, monkeypatch):
    go(Squares(), tmp_path)
    with pytest.raises(InvalidInput, match="--resume goes on"):
        go(Squares(), tmp_path)
    with pytest.raises(InvalidInput, match="another quick"):
        go(Squares(), tmp_path, resume=True, quick=True)
    monkeypatch.setattr("studies.journal.code_of", lambda study: "other code")
    with pytest.raises(InvalidInput, match="another code"):
        go(Squares(), tmp_path, resume=True)
    assert go(Squares(), tmp_path, overwrite=True).computed == 5
    (tmp_path / "squares" / "cells.jsonl").write_text("something else\n")
    with pytest.raises(FileFormatError, match="no journal"):
        go(Squares(), tmp_path, resume=True)


@pytest.mark.more
def test_processes_change_no_number(tmp_path):
    alone, together = go(Squares(), tmp_path / "1"), go(Squares(), tmp_path / "2", processes=2)
    assert alone.results.frame.equals(together.results.frame)


def test_a_part_without_its_table_is_left_out_and_the_page_says_so(tmp_path, monkeypatch):
    monkeypatch.delenv("DISCREET_DATA", raising=False)
    outcome = go(Squares(needs=("mnist",)), tmp_path)
    assert not outcome.results.has("digits")
    assert outcome.results.missing == {"digits": ("mnist",)}
    assert "digits is left out: the table &#x27;mnist&#x27; is missing" in (tmp_path / "squares" / "index.html").read_text()


def test_a_study_without_any_table_says_what_is_needed(tmp_path, monkeypatch):
    monkeypatch.delenv("DISCREET_DATA", raising=False)
    study = Squares()
    study.cells = lambda *, quick: [Cell(part="all", needs=("kdd",))]
    with pytest.raises(InvalidInput, match=r"kddcup99/kddcup.data_10_percent.gz in the folder given by --data or DISCREET_DATA, or --download"):
        go(study, tmp_path)


@pytest.mark.parametrize(
    "record", [{"value": 1.0}, {"measure": "m"}, {"measure": "m", "value": 1.0, "number": 2}, {"measure": "m", "value": 1.0, "part": "p"}]
)
def test_a_record_that_says_too_little_or_contradicts_its_cell_is_refused(tmp_path, record):
    study = Squares()
    study.compute = lambda cell, tables: iter([record])
    with pytest.raises(InvalidInput, match="a measure and a value"):
        go(study, tmp_path)


def test_a_number_that_is_none_is_refused_before_it_is_written(tmp_path):
    study = Squares()
    study.compute = lambda cell, tables: iter([{"measure": "m", "value": float("nan")}])
    with pytest.raises(InvalidInput, match="not finite"):
        go(study, tmp_path)
    assert len((tmp_path / "squares" / "cells.jsonl").read_text().splitlines()) == 1


def test_the_journal_is_json_a_line(tmp_path):
    go(Squares(), tmp_path)
    head, *cells = [json.loads(line) for line in (tmp_path / "squares" / "cells.jsonl").read_text().splitlines()]
    assert head["study"] == "squares"
    assert [json.loads(cell["cell"])[1]["number"] for cell in cells] == [0, 1, 2, 3, 4]
