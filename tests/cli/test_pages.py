"""The commands of the pages of docs/, in order, as written, on invented tables of the names that the pages use."""

import re
import shlex
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from discreet import LinearRegression
from tests.chromium import installed
from tests.cli.conftest import discreet
from tests.schemas import OPEN, schema_text

DOCS = Path(__file__).parents[2] / "docs"
ELSEWHERE = {
    "first-steps.md": "tests/test_documentation.py",
    "tutorial-release.md": "test_tutorial_release.py",
    "synthetic.md": "test_synthetic.py: needs mbi",
    "workbench.md": "tests/workbench: the command serves until it is stopped",
}
"""Pages whose commands run in another test."""
ASKS = "--interview"
"""What asks questions is tested in test_interview.py."""
PARTS = re.compile(r"^```python\n(.*?)^```|^    discreet (.*?)(?:\s+#.*)?$", flags=re.DOTALL | re.MULTILINE)
PAGES = [
    page for page in sorted(DOCS.rglob("*.md")) if re.search(r"^    discreet ", page.read_text(), flags=re.MULTILINE) and page.name not in ELSEWHERE
]


def write_tables(of: str) -> None:
    """Tables, schemas, a model and a release for the page of this name."""
    rng = np.random.default_rng(0)
    age, children = rng.integers(18, 100, 800), rng.integers(0, 6, 800)
    answer = np.where(age + 10 * rng.normal(size=800) > 60, "yes", "no")
    people = pl.DataFrame({"age": age, "children": children, "sex": rng.choice(["f", "m"], 800), "answer": answer, "patient id": np.arange(800) // 2})
    columns = {"age": {"lower": 0, "upper": 120, "outside": "clip"}, "children": (0, 20), "sex": ["f", "m"]}
    says = {} if of in {"cli.md", "ledger.md"} else {"rows_per_person": 1}  # these two pages spend on ledgers of records
    schema = schema_text("people", "answer", columns, rows="bound", **says)
    for name in ("people", "patients", "adult", "others", "visits", "volunteers"):
        people.write_csv(f"{name}.csv")
        Path(f"{name}.toml").write_text(schema if name != "visits" else schema.replace("rows_per_person = 1\n", ""))
    Path("draft.toml").write_text(schema_text("people", "answer", columns | {"children": OPEN}, rows="bound", rows_per_person=1))
    Path("answers.toml").write_text(schema_text("answers", "answer", {"transport": ["bike", "bus", "car"]}, rows_per_person=1))
    Path("me.json").write_text('{"age": 41, "children": 2, "sex": "f", "answer": "yes"}')
    rent = {"column": "rent", "lower": 0, "upper": 3000}
    Path("flats.toml").write_text(schema_text("flats", rent, {"size": (0, 200)}, rows="bound", rows_per_person=1))
    pl.DataFrame({"size": age, "rent": 12.0 * age}).write_csv("flats.csv")
    if of == "models.md":
        fitted = LinearRegression(epsilon=1.0, data_norm=1.0, random_state=None, target_bound=1.0).fit(pl.DataFrame({"size": age / 100}), age / 200)
        fitted.save("of-arrays.json")
        pl.DataFrame({"size": age / 100, "price": age / 200}).write_csv("held-out.csv")
        return
    if of in {"certificates.md", "audit.md", "uncertainty.md", "reports.md"}:
        run("fit people.csv --schema people.toml --epsilon 1 --delta 1e-6 --out model.json")
    if of in {"certificates.md", "reports.md"}:
        folder = "noisy" if of == "certificates.md" else "noisy-folder"
        run(f"release people.csv --schema people.toml --method additive --epsilon 1 --delta 1e-6 --out {folder}")
    if of == "prior.md":
        run("fit volunteers.csv --schema people.toml --epsilon inf --out public.json")
    if of == "reports.md":
        run("budget new hospital.ledger --data-set patients --epsilon 3 --delta 1e-5")
        run("evaluate model.json patients.csv --epsilon 1 --delta 1e-6 --out measures.json")
        run("randomise transport=bike answer=yes --schema answers.toml --epsilon 1 --delta 0 >> answers.jsonl")


def run(command: str) -> None:
    """With the redirections of a shell. Alternatives on a page write the same file, so it is removed before."""
    words = shlex.split(command)
    files = {sign: words[words.index(sign) + 1] for sign in ("<", ">", ">>") if sign in words}
    for sign, file in files.items():
        at = words.index(sign)
        assert words[at + 1] == file
        del words[at : at + 2]
    written = ("--out", "--report", "--plot", "--card", "--csv") + (("--intervals",) if words[0] == "fit" else ())  # elsewhere it is read
    for option in written:
        if option in words and (path := Path(words[words.index(option) + 1])).is_file():
            path.unlink()
    outcome = discreet(*words, stdin=Path(files["<"]).read_text() if "<" in files else None)
    assert outcome.code == 0, (command, outcome)
    for sign in (">", ">>"):
        if sign in files:
            with Path(files[sign]).open("a" if sign == ">>" else "w", encoding="utf-8") as out:
                out.write(outcome.out)


@pytest.mark.more
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for variable in ("DISCREET_LEDGER", "DISCREET_DATA_SET"):
        monkeypatch.delenv(variable, raising=False)
    if page.name not in {"tutorial-persons.md", "tutorial-budget.md"}:
        write_tables(page.name)
    names: dict[str, object] = {}
    ran = 0
    for code, command in PARTS.findall(page.read_text(encoding="utf-8")):
        if command and ASKS not in command:
            run(command if installed() else command.replace(".pdf", ".html"))  # a browser prints
            ran += 1
            if command.startswith("schema new"):
                write_tables(page.name)  # the stub is filled in
        elif code and page.name.startswith("tutorial"):
            exec(compile(code, page.name, "exec"), names)  # noqa: S102 - our own pages
    assert ran
