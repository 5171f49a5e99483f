"""From a spreadsheet's file, with semicolons, Latin-1, decimal commas, dates and mixed capitals, to a verified model and its predictions."""

import numpy as np

from tests.cli.conftest import discreet

FILLED = """
[person]
column = "Patient"
rows = 2
[target]
column = "wieder"
classes = ["nein", "ja"]
[numeric."Größe"]
lower = 100
upper = 220
outside = "clip"
[date.Aufnahme]
lower = "2010-01-01"
upper = "2025-12-31"
[categorical.Geschlecht]
categories = ["weiblich", "männlich"]
aliases = {w = "weiblich"}
"""


def spreadsheet(rows=200):
    draw = np.random.default_rng(1)
    lines = ["Patient;Größe;Aufnahme;Geschlecht;wieder"]
    for row in range(rows):
        size = f"{draw.uniform(150, 190):.1f}".replace(".", ",")
        sex, again = draw.choice(["Weiblich", "MÄNNLICH", "w"]), draw.choice(["Ja", "nein"])
        lines.append(f"{row // 2};{size};{draw.integers(1, 29)}.{draw.integers(1, 13)}.2018;{sex};{again}")
    return "\r\n".join(lines).encode("cp1252")


def test_three_commands_lead_from_a_spreadsheet_to_predictions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.csv").write_bytes(spreadsheet())
    made = discreet("schema", "new", "p.csv", "--target", "wieder", "--out", "p.toml")
    assert made.code == 0, made.err
    assert "separator ';', encoding 'cp1252', decimal ','" in made.out
    stub = (tmp_path / "p.toml").read_text(encoding="utf-8")
    head = stub[: stub.index("# The column to predict")]
    (tmp_path / "p.toml").write_text(head + 'dates = "day.month.year"\nignore_case = true\n' + FILLED, encoding="utf-8")
    for arguments in (
        ("schema", "check", "p.toml", "p.csv"),
        ("fit", "p.csv", "--schema", "p.toml", "--epsilon", "1", "--out", "m.json"),
        ("verify", "m.json"),
        ("predict", "m.json", "p.csv", "--keep", "Größe", "--out", "found.csv"),
        ("evaluate", "m.json", "p.csv", "--epsilon", "1"),
        ("bounds", "p.csv", "--schema", "open.toml", "--epsilon", "1", "--out", "filled.toml"),
        ("describe", "p.csv", "--schema", "p.toml", "--epsilon", "1"),
    ):
        if arguments[0] == "bounds":
            text = (tmp_path / "p.toml").read_text(encoding="utf-8")
            (tmp_path / "open.toml").write_text(text.replace("lower = 100\nupper = 220\n", ""), encoding="utf-8")
        done = discreet(*arguments)
        assert done.code == 0, (arguments, done.err)
    lines = (tmp_path / "found.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 201
    assert {line.rpartition(",")[2] for line in lines[1:]} <= {"nein", "ja"}
    assert 'separator = ";"' in (tmp_path / "filled.toml").read_text(encoding="utf-8")


def test_what_is_said_counts_more_than_what_the_header_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.csv").write_bytes(spreadsheet())
    for options, line in (
        (("--decimal", "."), "decimal"),
        (("--encoding", "latin-1"), 'encoding = "iso8859-1"'),
        (("--thousands", "."), 'thousands = "."'),
    ):
        made = discreet("schema", "new", "p.csv", *options, "--out", "p.toml", "--overwrite")
        assert made.code == 0, made.err
        text = (tmp_path / "p.toml").read_text(encoding="utf-8")
        assert (f"\n{line}" in text) is (line != "decimal")
    refused = discreet("schema", "new", "p.csv", "--separator", "::", "--out", "p.toml", "--overwrite")
    assert refused.code == 3
    assert "one character" in refused.error


def test_what_a_schema_does_not_cover_is_shown_on_a_screen_and_nowhere_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.csv").write_bytes(spreadsheet())
    text = 'format = "discreet-schema/1"\nname = "p"\nrows_per_person = 1\n[file]\nseparator = ";"\nencoding = "cp1252"\n'
    text += '[target]\ncolumn = "wieder"\nclasses = ["nein", "ja"]\n[categorical.Geschlecht]\ncategories = ["weiblich", "w"]\n'
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    refused = discreet("schema", "check", "p.toml", "p.csv", "--local")
    assert refused.code == 3
    assert "--local shows private cells, so it writes to a" in refused.error
    assert discreet("schema", "check", "p.toml", "--local").code == 2
    before = sorted(path.name for path in tmp_path.iterdir())
    monkeypatch.setattr("discreet.cli.schema.is_screen", lambda: True)
    shown = discreet("schema", "check", "p.toml", "p.csv", "--local")
    assert shown.code == 0, shown.err
    assert "PRIVATE" in shown.out
    assert "'MÄNNLICH'" in shown.out
    assert "wieder" in shown.out[shown.out.index("PRIVATE") :]
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert "MÄNNLICH" not in discreet("schema", "check", "p.toml", "p.csv", "--local", "--json").out
