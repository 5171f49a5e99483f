"""Sources for several threads: independent, repeatable in whatever order they are used, and fresh for every thread and process without a seed."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from discreet.noise import SeededNoise, SystemNoise, apart


def drawn(source):
    return source.gaussian(scale=1.0, dimension=3, draws=1).tobytes()


def test_seeded_sources_draw_the_same_in_any_order():
    forwards, backwards = list(apart(SeededNoise(1), 5)), list(apart(SeededNoise(1), 5))
    first = [drawn(source) for source in forwards]
    assert [drawn(source) for source in reversed(backwards)] == first[::-1]
    assert len(set(first)) == 5
    assert not any(source.private for source in forwards)


def test_what_is_drawn_later_is_other_noise():
    noise = SeededNoise(1)
    first, second = ({drawn(source) for source in apart(noise, 4)} for _ in range(2))
    assert len(first | second | {drawn(noise)}) == 9
    assert not first & {drawn(source) for source in apart(SeededNoise(2), 4)}


def test_the_operating_systems_noise_stays_private():
    sources = apart(SystemNoise(), 3)
    assert all(source.private for source in sources)
    assert len({drawn(source) for source in sources}) == 3


def test_threads_that_share_a_source_draw_noise_of_their_own():
    noise = SystemNoise()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: drawn(noise), range(400)))
    assert len(set(found)) == 400


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_forked_processes_draw_noise_of_their_own():
    """Parent and children draw after the fork from one source, which drew before it."""
    script = """
import os
from discreet.noise import SystemNoise
noise = SystemNoise()
def drawn():
    return noise.gaussian(scale=1.0, dimension=2, draws=1).tobytes().hex()
print(drawn(), flush=True)
for _ in range(3):
    child = os.fork()
    if child == 0:
        print(drawn(), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
print(drawn())
"""
    outcome = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    lines = outcome.stdout.split()
    assert len(lines) == len(set(lines)) == 5


def test_numpys_seed_has_no_influence():
    found = set()
    for _ in range(2):
        np.random.seed(0)  # noqa: NPY002 - the global seed is what must not matter
        found.add(drawn(SystemNoise()))
    assert len(found) == 2
