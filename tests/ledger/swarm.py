"""Many processes on one ledger, as a script: `swarm.py spend ...` lets them compete, `swarm.py kill ...` kills them at random moments.

The script imports the package once and forks its workers, which takes milliseconds where a new interpreter takes a second. It prints one JSON object.
"""

import json
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np

from discreet.accounting import PureDP
from discreet.core.neighbours import REPLACE_ONE
from discreet.ledger import BudgetExceeded, Ledger, State


def pure(epsilon):
    return PureDP(epsilon=epsilon, neighbours=REPLACE_ONE, theorem="a test")


def spend(path, processes, threads, epsilon):
    """`processes` times `threads` spenders ask once each, all at the same time."""
    gate, out = os.pipe(), os.pipe()
    begin = time.monotonic()
    children = [fork(lambda: compete(path, threads, epsilon, gate, out)) for _ in range(processes)]
    os.close(out[1])
    os.close(gate[0])
    os.close(gate[1])  # the end of the gate's pipe starts everybody
    answers = read_all(out[0]).split()
    for child in children:
        os.waitpid(child, 0)
    ledger = Ledger(Path(path))
    history = ledger.history("adult")
    return {
        "seconds": time.monotonic() - begin,
        "granted": answers.count("granted"),
        "refused": answers.count("refused"),
        "recorded": len(history),
        "settled": sum(entry.state is State.SETTLED for entry in history),
        "spent": ledger.spent("adult").epsilon,
    }


def compete(path, threads, epsilon, gate, out):
    os.close(gate[1])
    os.close(out[0])
    os.read(gate[0], 1)

    def one():
        try:
            with Ledger(Path(path)).spending("adult", pure(epsilon), purpose="one of many"):
                os.write(out[1], b"granted\n")
        except BudgetExceeded:
            os.write(out[1], b"refused\n")

    workers = [threading.Thread(target=one) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def kill(path, kills, seed):
    """Pairs of processes that reserve and settle without end, each killed at a random moment; after each pair the file is examined."""
    draw = np.random.default_rng(seed)
    epsilon = 0.001
    counted = {"kills": 0, "journals": 0, "reported": 0, "unreported": 0, "never_settled": 0, "slowest": 0.0}
    reserved, settled = set(), set()
    while counted["kills"] < kills or not reserved:  # on a busy machine the first ones may die before they have reserved
        out = os.pipe()
        children = [fork(partial(reserve_and_settle, path, epsilon, out)) for _ in range(2)]
        os.close(out[1])
        for child, delay in zip(children, draw.uniform(0.0, 0.06, 2), strict=True):
            time.sleep(delay)
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            assert os.WIFSIGNALED(status)
            assert os.WTERMSIG(status) == signal.SIGKILL
            counted["kills"] += 1
        counted["journals"] += Path(f"{path}-journal").exists()
        for line in read_all(out[0]).split("\n")[:-1]:
            word, entry = line.split()
            (reserved if word == "reserved" else settled).add(entry)
        begin = time.monotonic()
        examine(path, epsilon, reserved, settled)
        counted["slowest"] = max(counted["slowest"], time.monotonic() - begin)
    history = Ledger(Path(path)).history("adult")
    counted["reported"] = len(reserved)
    counted["unreported"] = len({entry.id for entry in history if entry.state.counts} - reserved)
    counted["never_settled"] = sum(entry.state is State.RESERVED for entry in history)
    return counted


def reserve_and_settle(path, epsilon, out):
    os.close(out[0])
    ledger = Ledger(Path(path))
    while True:
        reservation = ledger.reserve("adult", pure(epsilon), purpose="noise to come")
        os.write(out[1], f"reserved {reservation.id}\n".encode())
        reservation.settle()
        os.write(out[1], f"settled {reservation.id}\n".encode())


def examine(path, epsilon, reserved, settled):
    """The file is sound, everything reported is in it and counted, and it can be written."""
    ledger = Ledger(Path(path), patience=300.0)
    states = {entry.id: entry.state for entry in ledger.history("adult")}
    assert reserved <= states.keys(), "a reservation was lost"
    assert all(states[entry] is State.SETTLED for entry in settled), "a settlement was lost"
    assert ledger.spent("adult").epsilon >= epsilon * len(reserved) * (1 - 1e-9), "the ledger counts too little"
    probe = ledger.reserve("adult", pure(epsilon), purpose="a probe")
    probe.cancel(no_noise_was_drawn=True)


def fork(work):
    """A child that runs `work` and ends."""
    child = os.fork()
    if child:
        return child
    code = 1
    with suppress(BaseException):
        work()
        code = 0
    os._exit(code)


def read_all(descriptor):
    with os.fdopen(descriptor) as file:
        return file.read()


if __name__ == "__main__":
    command, where, *numbers = sys.argv[1:]
    result = (
        spend(where, int(numbers[0]), int(numbers[1]), float(numbers[2])) if command == "spend" else kill(where, int(numbers[0]), int(numbers[1]))
    )
    print(json.dumps(result))  # noqa: T201 - read by the tests
