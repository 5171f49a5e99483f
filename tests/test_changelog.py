"""The changelog is well formed, so that what changed for privacy is found: per release the kinds of entries in their order, each with entries that
say different things (a merge that keeps two states of one entry is seen)."""

import re
from itertools import combinations
from pathlib import Path

import pytest

KINDS = ["Privacy", "Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"
VERSION = re.compile(r"\[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}")


def faults(text):
    """What is wrong with a changelog, in words."""
    sections = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    titles = [section.splitlines()[0] for section in sections]
    if not titles or titles[0] != "[Unreleased]":
        yield "the first section is [Unreleased]"
    versions = [VERSION.fullmatch(title) for title in titles[1:]]
    yield from (f"{title!r} is no [version] - date" for title, version in zip(titles[1:], versions, strict=True) if not version)
    numbers = [tuple(map(int, version.group(1).split("."))) for version in versions if version]
    if numbers != sorted(set(numbers), reverse=True):
        yield "versions fall"
    for title, section in zip(titles, sections, strict=True):
        kinds = re.findall(r"^### (.*)$", section, flags=re.MULTILINE)
        if [kind for kind in KINDS if kind in kinds] != kinds:
            yield f"{title}: the kinds are {KINDS}, in this order, each once"
        for kind, words in zip(kinds, re.split(r"^### .*$", section, flags=re.MULTILINE)[1:], strict=True):
            if not re.search(r"^- \S", words, flags=re.MULTILINE):
                yield f"{title}: {kind} has no entry"
            if re.search(r"^(?!- |  |$)", words.rstrip("\n"), flags=re.MULTILINE):
                yield f"{title}: {kind} holds something that is no entry"

        yield from (
            f"{title}: two entries begin {one[:60]!r}"
            for one, other in combinations(re.split(r"^- ", section, flags=re.MULTILINE)[1:], 2)
            if alike(one, other)
        )


def alike(one, other):
    """Whether most runs of five words of the shorter entry are in the other too; entries of fewer than ten words say too little."""
    first, second = ({tuple(words[place : place + 5]) for place in range(len(words) - 4)} for words in (one.split(), other.split()))
    return min(len(first), len(second)) > 5 and len(first & second) > 0.5 * min(len(first), len(second))


def test_the_changelog_is_well_formed():
    assert list(faults(CHANGELOG.read_text())) == []


def test_the_policy_names_the_kind_of_entry():
    assert "**Privacy**" in CHANGELOG.read_text()
    assert "**Privacy** entry in the changelog" in (CHANGELOG.parent / "SECURITY.md").read_text()


GOOD = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- One\n  more.\n\n## [0.2.0] - 2026-12-01\n\n### Fixed\n\n- Two.\n\n## [0.1.0] - 2026-11-01\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("## [Unreleased]\n\n", ""),
        ("### Added", "### New"),
        ("- One", "One"),
        ("- Two.\n", ""),
        ("2026-12-01", "soon"),
        ("[0.2.0]", "[0.0.9]"),
        ("### Added", "### Privacy\n\n### Added"),
        ("- Two.\n", "- Two.\n\n### Added\n\n- Three.\n"),
        (
            "- Two.\n",
            "- Fits of five or more targets take weights of records too.\n- Fits of five or more targets take weights of records too, in files.\n",
        ),
    ],
)
def test_a_planted_fault_is_found(before, after):
    assert list(faults(GOOD)) == []
    assert list(faults(GOOD.replace(before, after, 1)))
