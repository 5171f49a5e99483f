"""Threads: order, errors, limits of memory, and one thread of linear algebra meanwhile."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from discreet.core.errors import InvalidInput
from discreet.core.validate import job_count
from discreet.core.workers import map_in_order


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


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_thread_that_works_for_somebody_works_alone(jobs):
    """Two levels, never both at once: what comes in a worker's thread is done in this thread."""

    def inner(item):
        return [(item, number, threading.get_ident()) for number in map_in_order(lambda one: one, range(3), 2)], threading.get_ident()

    def outer(item):
        return list(map_in_order(lambda number: (item, number, threading.get_ident()), range(3), 2)), threading.get_ident()

    for found, thread in map_in_order(outer, range(5), jobs):
        if jobs > 1:
            assert {one for _, _, one in found} == {thread} != {threading.get_ident()}
        else:
            assert thread == threading.get_ident() not in {one for _, _, one in found}
    assert [found for found, _ in map_in_order(inner, range(2), jobs)][1][0][:2] == (1, 0)


def test_the_limit_of_linear_algebra_is_lifted_by_the_last_who_needs_it():
    """Calls that overlap in two threads: the first to end must not give the other its threads back."""

    def threads():
        return max(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")

    with threadpool_limits(2, user_api="blas"):
        first, second = (map_in_order(lambda _: threads(), range(3), jobs) for jobs in (1, 2))
        assert next(first) == next(second) == 1
        assert list(first) == [1, 1]
        assert threads() == 1
        assert list(second) == [1, 1]
        assert threads() == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_a_forked_process_can_go_on():
    """In a process of its own: another thread holds the limit while the process is forked."""
    script = """
import os, threading
from discreet.core.workers import _limit, map_in_order
_limit._lock.acquire()
child = os.fork()
if child == 0:
    os._exit(0 if list(map_in_order(abs, [-1, 2], 2)) == [1, 2] else 1)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", script], timeout=600, check=False).returncode == 0
