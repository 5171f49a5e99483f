"""The code in README and tutorials runs, links lead somewhere, and the commands of the README work on a table."""

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.cli.conftest import discreet
from tests.parts import can_run, has_command, is_lacking
from tests.schemas import schema_text

ROOT = Path(__file__).parents[1]
DOCS = sorted(page for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "site")  # pages of the site itself: tests/test_site.py
PAGES = [ROOT / "README.md", *DOCS, *sorted((ROOT / "src").rglob("*.md")), ROOT / "CONTRIBUTING.md"]
RUN = [page for page in PAGES if "```python\n" in (text := page.read_text()) and page.name != "tutorial-release.md" and can_run(text)]
"""All that have code; the code of tutorial-release.md needs the commands between (tests/cli/test_tutorial_release.py)."""
LONG = {"audit.md", "consumers.md", "cuts.md", "tuning.md", "uncertainty.md"}
"""Their code takes a second, and what it uses quick tests run elsewhere."""


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), flags=re.DOTALL | re.MULTILINE)


def written_by_hand(page: Path) -> None:
    """The schema that a page shows, and a table for it."""
    if page.name == "schema.md":
        shown = re.search(r"^```toml\n(.*?)^```", page.read_text(), flags=re.DOTALL | re.MULTILINE)
        assert shown
        Path("patients.toml").write_text(shown.group(1))
        table = {"patient id": [1, 1, 2], "age": [40, 41, 70], "systolic pressure": [120, 130, None], "ward": ["surgery"] * 3, "smoker": ["true"] * 3}
        pl.DataFrame(table | {"readmitted": ["no", "yes", "no"]}).write_csv("patients.csv")


@pytest.mark.at_most(12)
@pytest.mark.parametrize("page", [pytest.param(page, marks=pytest.mark.more if page.name in LONG else (), id=page.name) for page in RUN])
def test_the_code_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written_by_hand(page)
    names: dict[str, object] = {}
    for number, block in enumerate(blocks(page)):
        exec(compile(block, f"{page.name}, block {number}", "exec"), names)  # noqa: S102 - our own pages


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
        if not target.startswith(("http:", "https:", "mailto:")):
            assert (page.parent / target).exists() or is_lacking(target), target


def test_every_page_is_linked_from_the_one_of_all_pages_and_that_from_the_readme() -> None:
    contents = ROOT / "docs" / "contents.md"
    assert "(docs/contents.md)" in (ROOT / "README.md").read_text()
    for page in (ROOT / "docs").glob("*.md"):
        assert page == contents or f"({page.name})" in contents.read_text(), page.name
    for note in (ROOT / "src" / "discreet" / "mechanisms").rglob("*.md"):
        assert f"(../{note.relative_to(ROOT)})" in contents.read_text(), note.name


FIRST = (ROOT / "README.md", ROOT / "docs" / "first-steps.md")
FILLED = {
    "patients": schema_text("patients", "readmitted", {"age": {"lower": 0, "upper": 120, "outside": "clip"}}, rows_per_person=1),
    "flats": schema_text("flats", {"column": "rent", "lower": 0, "upper": 3000}, {"size": (0, 200)}, rows_per_person=1),
}


def test_the_commands_of_the_readme_and_of_the_first_steps_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line of the block, as written; the stub is filled in between, as its comment says."""
    monkeypatch.chdir(tmp_path)
    age = np.random.default_rng(0).integers(18, 100, 400)
    pl.DataFrame({"age": age, "readmitted": np.where(age > 60, "yes", "no")}).write_csv("patients.csv")
    pl.DataFrame({"age": [20, 90]}).write_csv("new-patients.csv")
    size = np.random.default_rng(1).uniform(20, 180, 400)
    pl.DataFrame({"id": range(400), "size": size, "rent": 200 + 12 * size}).write_csv("flats.csv")
    pl.DataFrame({"id": ["a", "b"], "size": [50.0, 90.0]}).write_csv("new-flats.csv")
    commands = re.findall(r"^    discreet (.*?)(?:\s+#.*)?$", "\n".join(page.read_text() for page in FIRST), flags=re.MULTILINE)
    assert len(commands) >= 15
    for command in filter(has_command, commands):
        outcome = discreet(*command.split())
        assert outcome.code == 0, (command, outcome)
        if command.startswith("schema new"):
            name = command.split()[2].removesuffix(".csv")
            Path(f"{name}.toml").write_text(FILLED[name])
    assert len(Path("predictions.csv").read_text().splitlines()) == 3
    rents = pl.read_csv("rents.csv")
    assert rents.columns == ["id", "prediction"]
    assert all(0 < rent < 3000 for rent in rents["prediction"])
