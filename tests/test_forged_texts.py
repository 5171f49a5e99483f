"""Texts of everything that carries a certificate: changed, emptied, swapped for another one or left out, each is refused, or shown to say nothing.

Numbers and flags are forged in `test_forgeries.py`; digests over files are made anew, as a forger would, where a reader has no other check.
"""

import json
import shutil

import pytest

from discreet.certificates import Certificate, Verification
from discreet.cli.artefacts import KINDS, read_artefact
from discreet.core.errors import DiscreetError
from discreet.signing import Verdict
from discreet.statements import Hypothesis
from discreet.verification import Check
from tests.cli.test_artefacts import made  # noqa: F401 - a fixture
from tests.test_forgeries import forgeries  # noqa: F401 - a fixture
from tests.test_goldens import KINDS as KEPT
from tests.test_goldens import goldens  # noqa: F401 - a fixture

MOST, DEAR = 12, {"description": 4, "search": 2}
"""Forgeries of one document in a quick run, evenly over it; fewer of kinds whose recheck takes seconds, and in a whole run six times as many."""
SLOWER = {"many", "search", "model", "release"}
"""Kinds with a certificate of many mechanisms, or one that is rechecked for seconds: a whole run has them."""
NAMES = {"evaluation": "classes.", "intervals": "coefficients.", "record": "columns."}
"""What is called what on its owner's table: nothing in a file proves names, which are texts, none of them empty, each once."""
CHOSEN = {"evaluation": "survey.metrics.0 was left out"}
"""Which of the measures that follow from the released integers are shown."""


def some(every, kind, quick):
    """Evenly over the list: of the whole of it where there is time."""
    every = list(every)
    count = DEAR.get(kind, MOST) if quick else 6 * DEAR.get(kind, len(every))
    return every[:: max(1, len(every) // count)]


def accepted(read, document):
    try:
        return bool(read(document).verify())
    except DiscreetError:
        return False


def says_nothing(kind, what):
    """Whether the forgery is one of those that no check can see, and none that should be seen all the same."""
    if what == CHOSEN.get(kind):
        return True
    return what.startswith(NAMES.get(kind, "\0")) and "became ''" not in what and "left out" not in what


@pytest.mark.at_most(4)
@pytest.mark.parametrize("kind", KINDS)
def test_every_text_of_each_kind_of_file_is_proved_or_a_name(made, forgeries, kind, tmp_path, quick):  # noqa: F811
    path = made[kind]
    target = tmp_path / path.name
    if path.is_dir():
        shutil.copytree(path, target)
    written = target / "manifest.json" if path.is_dir() else target
    document = json.loads((path / "manifest.json" if path.is_dir() else path).read_text(encoding="utf-8"))

    def read(forged):
        written.write_text(json.dumps(forged), encoding="utf-8")
        return read_artefact(str(target))

    assert accepted(read, document)
    tried = [(what, accepted(read, forged)) for what, forged in some(forgeries.text_forgeries(document), kind, quick)]
    assert len(tried) >= DEAR.get(kind, MOST)
    assert not [what for what, taken in tried if taken and not says_nothing(kind, what)]


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=pytest.mark.more) if kind in SLOWER else kind for kind in KEPT])
def test_every_text_of_each_mechanisms_certificate_is_proved(goldens, forgeries, kind, quick):  # noqa: F811
    """One of each mechanism and relation; texts that nobody can prove are named in `UNKNOWABLE` of the forger."""
    seen = set()
    for document in (found.get("certificate", found) for found in goldens.kept(kind)):
        like = (document["mechanism"], None if quick else document["guarantee"].get("neighbours"))
        if like in seen:
            continue
        seen.add(like)
        assert accepted(Certificate.from_dict, document)
        tried = [(what, accepted(Certificate.from_dict, forged)) for what, forged in some(forgeries.text_forgeries(document), kind, quick)]
        assert not [what for what, taken in tried if taken]


@pytest.mark.parametrize("blank", ["", " ", "none"])
def test_a_condition_that_says_nothing_is_none(made, blank):  # noqa: F811
    document = json.loads(made["model"].read_text(encoding="utf-8"))["certificate"]
    for part in document["hypotheses"]:
        part["required"] = blank
    found = Certificate.from_dict(document).verify()
    assert [one.name for one in found.checks if not one.ok] == ["hypotheses"]


def test_a_condition_is_said_in_the_words_before_where_there_were_some():
    now = Hypothesis(required="a", enforced="b")
    assert now.is_said_by(Hypothesis(required="a", enforced="b"))
    assert not now.is_said_by(Hypothesis(required="", enforced="b"))
    older = Hypothesis(required="a", enforced="b", before="c")
    assert older.is_said_by(Hypothesis(required="c", enforced="b"))
    assert not older.is_said_by(Hypothesis(required="c", enforced="d"))


@pytest.mark.parametrize("kind", [Check, Verdict])
def test_a_verdict_is_its_own_truth(kind):
    fields = {"name": "one"} if kind is Check else {}
    assert kind(ok=True, detail="", **fields)
    assert not kind(ok=False, detail="", **fields)


def test_a_verification_is_true_where_every_check_passed_and_there_was_one():
    good, bad = Check("one", True, ""), Check("other", False, "")
    assert Verification(checks=(good,))
    for checks in ((good, bad), (bad,), ()):
        found = Verification(checks=checks)
        assert not found
        assert "NOT VALID" in found.verdict
