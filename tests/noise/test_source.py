"""Sources of noise: the system's and the seeded one, and sources for work that threads share."""

import copy
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from discreet.core.errors import PrivateDataError
from discreet.noise import SeededNoise, SystemNoise, apart


def bits(noise):
    return noise.gaussian(scale=1.0, dimension=4, draws=1).tobytes().hex()


def run(script, folder):
    """Words that a fresh interpreter prints; its own warnings (newer ones warn of forking beside threads) are not the matter here."""
    path = folder / "script.py"
    path.write_text(script)
    done = subprocess.run([sys.executable, "-W", "ignore", str(path)], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_system_noise_keeps_no_key():
    noise = SystemNoise()
    before = pickle.dumps(noise)
    bits(noise)
    assert repr(noise) == "SystemNoise()"
    assert not hasattr(noise, "__dict__")
    assert noise.__slots__ == ()
    assert pickle.dumps(noise) == before
    assert pickle.loads(before) == noise  # noqa: S301 (written two lines above)


def test_a_pickled_copy_of_system_noise_draws_other_noise():
    noise = SystemNoise()
    copies = [noise, pickle.loads(pickle.dumps(noise)), copy.copy(noise), copy.deepcopy(noise)]  # noqa: S301 (as above)
    assert len({bits(source) for source in copies}) == 4


def test_threads_draw_different_noise():
    noise = SystemNoise()
    with ThreadPoolExecutor(8) as pool:
        drawn = list(pool.map(lambda _: bits(noise), range(200)))
    assert len(set(drawn)) == 200


@pytest.mark.skipif(not sys.platform.startswith(("linux", "darwin")), reason="needs fork")
def test_forked_processes_draw_different_noise(tmp_path):
    script = """
import os
from discreet.noise import SystemNoise
noise = SystemNoise()
noise.gaussian(scale=1.0, dimension=4, draws=1)
for _ in range(8):
    if os.fork() == 0:
        text = noise.gaussian(scale=1.0, dimension=4, draws=1).tobytes().hex() + "\\n"
        os.write(1, text.encode())
        os._exit(0)
    os.wait()
print(noise.gaussian(scale=1.0, dimension=4, draws=1).tobytes().hex())
"""
    drawn = run(script, tmp_path)
    assert len(drawn) == len(set(drawn)) == 9


@pytest.mark.parametrize("method", ["fork", *(pytest.param(one, marks=pytest.mark.more) for one in ("spawn", "forkserver"))])
def test_worker_processes_draw_different_noise(method, tmp_path):
    if method != "spawn" and not sys.platform.startswith("linux"):
        pytest.skip("this way of starting workers is tested on Linux")
    script = f"""
import multiprocessing
from discreet.noise import SystemNoise
def draw(noise):
    return noise.gaussian(scale=1.0, dimension=4, draws=1).tobytes().hex()
if __name__ == "__main__":
    with multiprocessing.get_context("{method}").Pool(2) as pool:
        print(*pool.map(draw, [SystemNoise()] * 12, chunksize=1))
"""
    drawn = run(script, tmp_path)
    assert len(drawn) == len(set(drawn)) == 12


@pytest.mark.more
def test_joblib_workers_draw_different_noise(tmp_path):
    script = """
from joblib import Parallel, delayed
from discreet.noise import SystemNoise
noise = SystemNoise()
print(*[drawn.tobytes().hex() for drawn in Parallel(n_jobs=2)(delayed(noise.gaussian)(scale=1.0, dimension=4, draws=1) for _ in range(12))])
"""
    drawn = run(script, tmp_path)
    assert len(drawn) == len(set(drawn)) == 12


def test_numpys_global_seed_has_no_effect():
    drawn = set()
    for noise in (SystemNoise(), SystemNoise()):
        np.random.seed(0)  # noqa: NPY002 (the point of the test)
        drawn.add(bits(noise))
    assert len(drawn) == 2


def test_seeded_noise_is_reproducible_call_by_call():
    first, second = SeededNoise(7), SeededNoise(7)
    assert [bits(first) for _ in range(3)] == [bits(second) for _ in range(3)]
    assert np.array_equal(first.spherical(rate=2.0, dimension=3, draws=5), second.spherical(rate=2.0, dimension=3, draws=5))


def test_seeds_give_different_noise():
    assert len({bits(SeededNoise(seed)) for seed in [*range(50), -1, 2**64, 10**30]}) == 53


def test_seeded_noise_says_that_it_is_not_private():
    assert SystemNoise().private
    assert not SeededNoise(1).private


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps], ids=lambda function: function.__name__)
def test_seeded_noise_refuses_to_be_copied(duplicate):
    with pytest.raises(PrivateDataError, match="one per worker"):
        duplicate(SeededNoise(1))


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
    outcome = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600, check=True)
    lines = outcome.stdout.split()
    assert len(lines) == len(set(lines)) == 5


def test_numpys_seed_has_no_influence():
    found = set()
    for _ in range(2):
        np.random.seed(0)  # noqa: NPY002 - the global seed is what must not matter
        found.add(drawn(SystemNoise()))
    assert len(found) == 2
