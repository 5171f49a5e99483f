"""Competition and sudden death: no sequence of processes makes the ledger count too little, break or hang."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from discreet.ledger import Amount, Ledger, register_accountant
from discreet.ledger.accountants import accountant_named
from tests.ledger.guarantees import pure

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the workers are forked")


def swarm(*arguments, limit):
    command = [sys.executable, str(Path(__file__).with_name("swarm.py")), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    ("processes", "threads"), [(5, 4), pytest.param(20, 10, marks=pytest.mark.slow), pytest.param(200, 1, marks=pytest.mark.slow)]
)
def test_spenders_that_ask_at_the_same_time_cannot_overspend(tmp_path, processes, threads):
    ledger = Ledger.create(tmp_path / "ledger")
    half = processes * threads // 2
    ledger.declare("adult", epsilon=0.25 * half, delta=0.0)
    seen = swarm("spend", ledger.path, processes, threads, 0.25, limit=600)
    print(seen)  # noqa: T201 - figures for reports, shown with pytest -s
    assert seen["granted"] == seen["refused"] == seen["recorded"] == seen["settled"] == half
    assert seen["spent"] == 0.25 * half
    ledger.check()


@pytest.mark.parametrize("kills", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_killed_processes_lose_nothing_that_was_reserved(tmp_path, kills):
    ledger = Ledger.create(tmp_path / "ledger")
    ledger.declare("adult", epsilon=1000.0, delta=0.0)
    seen = swarm("kill", ledger.path, kills, kills, limit=600)
    print(seen)  # noqa: T201 - figures for reports, shown with pytest -s
    assert seen["kills"] >= kills
    assert seen["slowest"] < 20
    assert seen["reported"] > 0
    assert not list(tmp_path.glob("*-journal"))


def test_a_process_forked_in_the_middle_of_a_transaction_can_spend(tmp_path):
    """SQLite in a forked child would believe that it holds the locks of the parent's transaction; so forking waits for the end of the transaction."""
    script = f"""
import os, sys, threading, time
from pathlib import Path
from discreet.accounting import PureDP
from discreet.ledger.accountants import accountant_named
from discreet.ledger import Ledger, register_accountant
from discreet.core.neighbours import REPLACE_ONE

inside = threading.Event()

def slow(parts):
    inside.set()
    time.sleep(0.5)
    return accountant_named("basic")(parts)

guarantee = PureDP(epsilon=0.25, neighbours=REPLACE_ONE, theorem="a test")
register_accountant("slow", slow)
ledger = Ledger(Path({str(tmp_path / "ledger")!r}), patience=5)
thread = threading.Thread(target=lambda: ledger.reserve("adult", guarantee, purpose="parent"))
thread.start()
inside.wait()
child = os.fork()
if child == 0:
    ledger.reserve("adult", guarantee, purpose="child")
    os._exit(0)
thread.join()
sys.exit(os.waitpid(child, 0)[1])
"""
    ledger = Ledger.create(tmp_path / "ledger")
    register_accountant("slow", accountant_named("basic"))
    ledger.declare("adult", epsilon=1.0, delta=0.0, accountant="slow")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert [entry.purpose for entry in ledger.history("adult")] == ["parent", "child"]


def test_threads_of_one_process_cannot_overspend(ledger):
    refused = []

    def one():
        try:
            ledger.reserve("adult", pure(0.25), purpose="")
        except RuntimeError as error:
            refused.append(error)

    threads = [threading.Thread(target=one) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 8
    assert ledger.spent("adult") == Amount(epsilon=1.0)
