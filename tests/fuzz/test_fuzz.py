"""Thousands of malformed schemas, tables, models, releases and ledgers: no traceback, no partial file, no private value.

A failure names the kind and the number of the case; `run_case` repeats it.
"""

import os
import shutil

import pytest

from tests.fuzz.cases import KINDS, good, run_case

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
