"""The faults that `tools/mutate.py` plants: every place that draws has one and a test, and the page shows all of them. Planting them all is slow."""

import subprocess
import sys
from functools import cache

import pytest

from tests.audit.test_drawn import RUNS
from tools import mutate


def test_every_place_that_draws_has_a_fault_and_a_test():
    assert len(mutate.faults()) > 55
    assert {fault.file for fault in mutate.faults() if not fault.test} == set(mutate.TESTS)


def test_every_test_of_a_fault_is_there():
    ids = {f"{name}-{delta}-{neighbours}" for name, delta, neighbours in RUNS}
    assert {name for names in mutate.TESTS.values() for name in names if "::" not in name} <= ids
    for file, _, name in {fault.test.partition("::") for fault in mutate.faults() if fault.test}:
        assert f"def {name}(" in (mutate.ROOT / file).read_text(encoding="utf-8")


def test_the_page_shows_every_fault_and_that_a_test_sees_it():
    assert mutate.unwritten() == []
    assert len(mutate.written()) == len(mutate.faults())
    assert not any("NOT SEEN" in line for line in mutate.written())


def test_every_faulty_file_is_another_program_that_compiles():
    @cache
    def right(file):
        return compile((mutate.PACKAGE / file).read_text(encoding="utf-8"), str(mutate.PACKAGE / file), "exec")

    for fault in mutate.faults():
        assert mutate.faulty_code(fault) != right(fault.file), fault


@pytest.mark.more
def test_the_tool_plants_a_fault_and_names_the_test_that_sees_it():
    command = [sys.executable, str(mutate.ROOT / "tools" / "mutate.py"), "bounded_noise"]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False, cwd=mutate.ROOT)
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout.splitlines()[-1] == "1 faults, 0 not seen"
    assert "test_what_leaves...[bounded-1e-06-replace-one]" in outcome.stdout


NEW = "def draw(self, noise):\n    return noise.words()(3)\n"


def test_a_new_place_without_a_fault_stops_the_tool():
    with pytest.raises(SystemExit, match="no rule says which fault to plant"):
        list(mutate._faults_of("mechanisms/new.py", NEW))
    passed_on = "def draw(noise):\n    return helper(noise.discrete_laplace)\n"
    with pytest.raises(SystemExit, match="no rule says"):
        list(mutate._faults_of("mechanisms/new.py", passed_on))
    halved = list(mutate._faults_of("mechanisms/new.py", "def draw(noise, s):\n    return noise.gaussian(scale=s, dimension=1, draws=1)\n"))
    assert [fault.after for fault in halved] == ["noise.gaussian(scale=0.5 * (s), dimension=1, draws=1)"]


@pytest.mark.slow
def test_every_fault_is_seen():
    command = [sys.executable, str(mutate.ROOT / "tools" / "mutate.py")]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False, cwd=mutate.ROOT)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert outcome.stdout.splitlines()[-1] == f"{len(mutate.faults())} faults, 0 not seen"
