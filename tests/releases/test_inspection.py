"""What people read about a release: it names what is protected, from whom, how well, and what is not."""

import pytest

from discreet import SystemNoise
from discreet.releases import publish
from tests.releases.cases import BOX, PUBLISHED, SOUND, X, Y


def said(folder, case):
    asked = SOUND.get(case) or PUBLISHED[case]
    y = None if asked.get("target") == "omitted" else Y
    made = publish(X, folder, SystemNoise(), domain=BOX, y=y, calibration="tight" if case in SOUND else "published", **asked)
    return made, {title: " ".join(lines) for title, lines in made.inspection()}


@pytest.mark.at_most(10)
@pytest.mark.parametrize(
    ("case", "title", "words"),
    [
        ("additive", "It protects", "whole record"),
        ("additive", "It protects", "2.72 times"),
        ("additive", "It does not protect", "The number of records: one row is released for each"),
        ("additive", "How to use it", "NoisyRidge().fit_release(release)"),
        ("additive, targets in clear", "It protects", "The features of each record (not its target)"),
        ("additive, targets in clear", "It does not protect", "Targets: they are released as they are"),
        ("additive, add-remove", "It does not protect", "at most 450 records"),
        ("additive, add-remove", "It protects", "protected too (add-remove)"),
        ("additive, bits", "It protects", "at most 0.5 bits"),
        ("additive, bits", "It protects", "up to 0.89 instead of 0.5"),
        ("additive, bits", "It does not protect", "Whole records"),
        ("fresh projection", "It does not protect", "projected with the same matrix"),
        ("moments", "What it is", "on sums of products; the number of records as it is"),
        ("moments, add-remove", "What it is", "on the number of records"),
        ("moments", "How to use it", "MomentsRidge().fit_release(release)"),
        ("sketch", "It protects", "stay secret: the sketching matrix"),
        ("sketch", "How to use it", "SketchRidge"),
        ("eigenvalue sketch", "It does not protect", "noisy least eigenvalue"),
        ("clear target sketch", "It does not protect", "sketched without noise"),
        ("bounded", "It protects", "Each single number"),
        ("null space", "It protects", "Nothing: "),
        ("null space", "It does not protect", "exact score of every record"),
        ("null space", "What it is", "as published"),
        ("sketch as published", "How to use it", "for comparison only"),
        ("fisher", "What it is", "different sizes"),
    ],
)
def test_the_words_that_matter_are_there(tmp_path, case, title, words):
    _, lines = said(tmp_path / "out", case)
    assert words in lines[title]


@pytest.mark.at_most(10)
@pytest.mark.parametrize("case", [*SOUND, *PUBLISHED])
def test_words_and_record_tell_the_same(tmp_path, case):
    made, lines = said(tmp_path / "out", case)
    record = made.inspection_record()
    assert " ".join(record["protects"]) == lines["It protects"] == " ".join(made.document["discreet:protects"])
    assert " ".join(record["does_not_protect"]) == lines["It does not protect"]
    assert record["shape"] == list(made.shape)


@pytest.mark.at_most(10)
@pytest.mark.parametrize("case", [case for case, asked in SOUND.items() if asked.get("target") != "omitted"])
def test_the_snippet_runs(tmp_path, case):
    """As it is written, with the folder's name put in."""
    made, _ = said(tmp_path / "out", case)
    code = "\n".join(made.document["discreet:howToUse"]).replace("FOLDER", (tmp_path / "out").as_posix())
    names = {}
    exec(compile(code, "snippet", "exec"), names)  # noqa: S102 - our own words
    assert names["release"] == made
