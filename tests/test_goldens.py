"""Certificates, models, releases and ledgers that were kept load, verify and say the same; made again with the same randomness, they are the same.

`python tools/goldens.py` compares all of it bit for bit, on the machine where it was kept.
"""

import importlib.util
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from discreet.certificates import Certificate
from discreet.estimators import Model
from discreet.estimators.intervals.interval_file import IntervalFile
from discreet.evaluation import read_evaluation
from discreet.ledger import Ledger
from discreet.releases import read_release

ROOT = Path(__file__).parent.parent
FILES = ROOT / "tests" / "goldens" / "files"


@pytest.fixture(scope="module")
def goldens():
    spec = importlib.util.spec_from_file_location("goldens", ROOT / "tools" / "goldens.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


KINDS = sorted(path.stem for path in (ROOT / "tests" / "goldens").glob("*.json"))


def test_all_kinds_are_kept(goldens):
    assert set(goldens.COUNTS) == set(KINDS)
    assert len(KINDS) >= 12


@pytest.mark.parametrize("kind", KINDS)
def test_kept_documents_load_and_verify(goldens, kind, quick):
    """All of them load; a quick run verifies the first one of each mechanism, relation and kind of guarantee."""
    documents, verified = goldens.kept(kind), set()
    assert len(documents) == goldens.COUNTS[kind]
    for document in documents:
        if kind == "model":
            read = Model.from_json(json.dumps(document))
            assert json.loads(read.to_json()) == document
        else:
            read = Certificate.from_dict(document)
            assert json.loads(read.to_json()) == document
        certificate = getattr(read, "certificate", read)
        like = (certificate.mechanism, certificate.guarantee.neighbours, type(certificate.guarantee))
        assert (quick and like in verified) or read.verify().ok
        verified.add(like)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_made_now_is_what_was_made(goldens, kind):
    assert goldens.differences(kind, exact=False, count=max(2, goldens.COUNTS[kind] // 4)) == []


def test_another_number_is_seen(goldens):
    one = goldens.kept("fit")[0]
    other = json.loads(json.dumps(one))
    other["guarantee"]["epsilon"] *= 1.0 + 1e-6
    assert len(goldens.differing(other, one, exact=False)) == 1


@pytest.mark.parametrize(("load", "name"), [(Model.load, "model.json"), (IntervalFile.load, "intervals.json"), (read_evaluation, "evaluation.json")])
def test_files_load_verify_and_are_written_again_as_they_were(goldens, load, name):
    read = load(FILES / name)
    assert read.verify().ok
    assert goldens.differing(json.loads(read.to_json()), json.loads((FILES / name).read_text(encoding="utf-8")), exact=False) == []


def test_a_release_folder_loads_and_verifies():
    release = read_release(FILES / "release")
    assert release.verify().ok
    assert np.isfinite(release.certificate.guarantee.epsilon)


def test_a_ledger_opens_and_has_spent_the_same(tmp_path):
    shutil.copy(FILES / "book.ledger", tmp_path / "book.ledger")
    (tmp_path / "book.ledger").chmod(0o600)
    book = Ledger(tmp_path / "book.ledger")
    book.check()
    spent = json.loads((FILES / "book.json").read_text(encoding="utf-8"))
    assert len(book.history("people")) == spent["entries"]
    assert book.spent("people").epsilon == pytest.approx(spent["epsilon"], rel=1e-12)
    assert book.spent("people").delta == pytest.approx(spent["delta"], rel=1e-12)
