"""The tutorial about releases: its code and its commands, in order, as written."""

import re
from pathlib import Path

from tests.cli.test_pages import run

PAGE = Path(__file__).parents[2] / "docs" / "tutorial-release.md"


def test_the_tutorial_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    parts = re.findall(r"^```python\n(.*?)^```|^    discreet (.*?)$", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    assert len([code for code, _ in parts if code]) >= 5
    assert len([command for _, command in parts if command]) >= 7
    for code, command in parts:
        if code:
            exec(compile(code, PAGE.name, "exec"), names)  # noqa: S102 - our own page
            continue
        run(command)
    coefficients = names["model"].coef_
    assert abs(coefficients[1] - 2.0 * 20 / 60) < 0.3
