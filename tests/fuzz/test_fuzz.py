"""Thousands of malformed schemas, tables, models, releases and ledgers: no traceback, no partial file, no private value.

A failure names the kind and the number of the case; `run_case` repeats it.
"""

import json
import os
import shutil

import pytest

from tests.fuzz.cases import KINDS, check, good, run_case

QUICK = 60
MANY = {"schemas": 4000, "tables": 6000, "models": 4000, "releases": 3000, "ledgers": 2000}
"""With requests (test_requests.py) 20,000 and more."""

# As in discreet.cli.main: a warning of a library may quote what it warns about, and is not shown.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    return good(tmp_path_factory.mktemp("good"))


def run(kind, numbers, given, base, monkeypatch):
    for variable in ("DISCREET_DEBUG", "DISCREET_LEDGER", "DISCREET_DATA_SET"):
        monkeypatch.delenv(variable, raising=False)
    for number in numbers:
        folder = base / "case"
        folder.mkdir()
        monkeypatch.chdir(folder)
        try:
            run_case(kind, number, folder, given)
        except Exception as fault:
            raise AssertionError(f"case {number} of {kind}: {fault}") from fault
        finally:
            os.chdir(base)
            shutil.rmtree(folder)


@pytest.mark.parametrize("kind", KINDS)
def test_malformed_input_is_refused_in_a_sentence(kind, given, tmp_path, monkeypatch):
    run(kind, range(QUICK), given, tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_much_malformed_input_is_refused_in_a_sentence(kind, given, tmp_path, monkeypatch):
    run(kind, range(QUICK, QUICK + MANY[kind]), given, tmp_path, monkeypatch)


@pytest.mark.parametrize("value", [0, -1, 5e-324, 1e308, -1e308])
def test_a_model_of_which_any_number_is_another_is_shown_or_refused(value, given, tmp_path, monkeypatch):
    """What a file states is read before anything says whether it is true: numbers whose squares or products are none, one at a time."""
    monkeypatch.chdir(tmp_path)
    model = json.loads(given.model)
    places = list(numbers_of(model))
    assert len(places) > 20
    for holder, key in places:
        holder[key], before = value, holder[key]
        (tmp_path / "model.json").write_text(json.dumps(model))
        check(tmp_path, "show", "model.json")
        holder[key] = before


def numbers_of(document):
    """The places of all numbers of a JSON document, each as what holds it and the key there."""
    for key, value in list(document.items() if isinstance(document, dict) else enumerate(document)):
        if isinstance(value, dict | list):
            yield from numbers_of(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield document, key
