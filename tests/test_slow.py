"""Slow tests run in turns: each belongs to one, and each turn comes."""

from pathlib import Path

import pytest

from tests.parts import LACKING
from tools import slow

TESTS = Path(__file__).parent
PAGE = slow.PAGE.read_text(encoding="utf-8")


def test_every_slow_test_belongs_to_exactly_one_turn():
    marked = [path.relative_to(TESTS).as_posix() for path in TESTS.rglob("*/test_*.py") if "mark.slow" in path.read_text(encoding="utf-8")]
    folders = [folder for turn in slow.TURNS.values() for folder in turn]
    assert len(marked) > 40
    for name in marked:
        assert sum(name.startswith(f"{folder}/") for folder in folders) == 1, name
    for folder in folders:
        assert folder in LACKING or any(name.startswith(f"{folder}/") for name in marked), folder


def test_the_page_has_a_row_for_each_turn_as_the_tool_writes_it():
    page = PAGE
    for turn in slow.TURNS:
        page = slow.with_row(page, turn, slow.Outcome(5, 1, 1, 1234.5), day="2031-02-03", commits=7)
        assert f"| {turn} | 2031-02-03 | 7 | 3 | 1 | 1 | 1,234 | {', '.join(slow.TURNS[turn])} |" in page
    rows = [line for line in PAGE.splitlines() if line.startswith("| ")]
    assert len(rows) == 1 + len(slow.TURNS)
    with pytest.raises(ValueError, match="exactly one row"):
        slow.with_row(page.replace("| audit |", "| else |"), "audit", slow.Outcome(1, 0, 0, 1.0), day="2031-02-03", commits=7)


@pytest.mark.parametrize("recorded", [(), ("commands",), ("releases", "audit"), tuple(slow.TURNS)], ids=len)
def test_turns_that_are_recorded_come_round_once_each(recorded):
    """From any page on: the one of this checkout may have a row that was written a moment ago."""
    page, seen = PAGE, []
    for turn in slow.TURNS:
        page = slow.with_row(page, turn, slow.Outcome(1, 0, 0, 1.0), day="2031-02-03", commits=999 if turn in recorded else 0)
    for commits in range(1000, 1000 + 17 * len(slow.TURNS), 17):
        seen.append(slow.next_turn(page, 0))
        page = slow.with_row(page, seen[-1], slow.Outcome(1, 0, 0, 1.0), day="2031-02-03", commits=commits)
    assert sorted(seen) == sorted(slow.TURNS)
    assert slow.next_turn(page, 0) == seen[0]


def test_turns_that_nobody_records_follow_the_number_of_commits():
    assert {slow.next_turn(PAGE, since) for since in range(len(slow.TURNS))} == set(slow.TURNS)


def test_a_turn_that_does_not_exist_is_refused_by_name(capsys):
    with pytest.raises(SystemExit):
        slow.main(["everything"])
    assert "no turn is called 'everything'; there are next, commands" in capsys.readouterr().err
