"""Threads: order, errors, limits of memory, and one thread of linear algebra meanwhile."""

import threading
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from discreet.errors import InvalidInput
from discreet.workers import job_count, map_in_order


@pytest.mark.parametrize("jobs", [1, 2, 7])
def test_results_come_in_the_order_of_the_items(jobs):
    def slowest_first(item):
        time.sleep(0.01 * (item % 3 == 0))
        return item * item

    assert list(map_in_order(slowest_first, range(20), jobs)) == [item * item for item in range(20)]
    assert list(map_in_order(slowest_first, [], jobs)) == []


@pytest.mark.parametrize("jobs", [1, 3])
def test_items_are_taken_as_they_are_needed(jobs):
    taken = []

    def items():
        for item in range(100):
            taken.append(item)
            yield item

    results = map_in_order(lambda item: item, items(), jobs)
    assert next(results) == 0
    assert len(taken) <= 2 * jobs
    results.close()


@pytest.mark.parametrize("jobs", [1, 3])
def test_an_error_of_a_block_is_raised_and_leaves_no_thread_behind(jobs):
    before = threading.active_count()

    def fails(item):
        if item == 4:
            raise InvalidInput("block")
        return item

    with pytest.raises(InvalidInput, match="block"):
        list(map_in_order(fails, range(50), jobs))
    assert threading.active_count() == before


@pytest.mark.parametrize("jobs", [1, 2])
def test_linear_algebra_has_one_thread_meanwhile_and_its_own_again_afterwards(jobs):
    def threads():
        return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]

    with threadpool_limits(2, user_api="blas"):
        before = threads()
        during = list(map_in_order(lambda _: max(threads(), default=1), range(4), jobs))
        assert set(during) == {1}
        assert threads() == before
    assert before  # NumPy has a BLAS, so there was something to limit


def test_numbers_of_jobs_mean_what_they_mean_in_scikit_learn():
    everything = job_count(-1)
    assert job_count(None) == 1
    assert job_count(3) == 3
    assert everything >= 1
    assert job_count(-2) == max(1, everything - 1)
    assert job_count(-1000) == 1
    for wrong in (0, True, 1.0, "2", np.nan):
        with pytest.raises(InvalidInput, match="n_jobs"):
            job_count(wrong)
