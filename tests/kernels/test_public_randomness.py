"""Public randomness is made in one place, from a seed that can be told."""

import ast
import json

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.kernels import Gaussian, draw_frequencies, fresh_public_seed
from discreet.kernels.public_randomness import public_generator
from tests.test_architecture import FILES, floor, names_used

HOME = "kernels/public_randomness.py"


def test_no_other_module_of_kernels_makes_a_generator():
    files = {file: source for file, source in FILES.items() if floor(file) == "kernels"}
    assert HOME in files
    for file, source in files.items():
        used = {name for name in names_used(ast.parse(source)) if name.startswith("numpy.random")}
        assert file == HOME or used <= {"numpy.random.Generator"}, file


def test_a_seed_gives_the_same_frequencies_again_and_another_seed_others():
    first, again, other = (draw_frequencies(Gaussian(), seed=seed, features=3, count=4) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_fresh_seeds_differ_and_survive_a_json_reader_with_floats_only():
    seeds = {fresh_public_seed() for _ in range(50)}
    assert len(seeds) == 50
    assert all(0 <= seed < 2**53 and int(float(json.loads(json.dumps(seed)))) == seed for seed in seeds)
    assert max(seeds) > 2**50


@pytest.mark.parametrize("seed", [-1, 1.0, "1", None, True])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(InvalidInput, match="public seed"):
        public_generator(seed)
