"""Memories of calibrations are keyed by public numbers, spelt out, and by nothing else."""

import math
import os
import threading
from dataclasses import dataclass, field

import numpy as np
import pytest

from discreet.core import remembered as module
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Persons
from discreet.core.remembered import forget, remembered
from discreet.losses import Logistic


@pytest.fixture
def counted():
    calls = []

    @remembered
    def work(*given, **named):
        calls.append(given)
        return object()

    yield work, calls
    forget()


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnLoss(Logistic):
    """Equal to all of its kind, whatever its numbers: a key of it would take one for another."""

    reach: float = field(default=1.0, compare=False)

    def __eq__(self, other):
        return isinstance(other, OwnLoss)

    def __hash__(self):
        return 0


SAME = [(1.0,), (math.nan,), (10**5000,), (0.1 + 0.2, "word", None, (1, ADD_REMOVE)), (Logistic(),), (Persons(rows=3),)]
DIFFERENT = [
    ((1.0,), (1,)),
    ((1,), (True,)),
    ((0.0,), (-0.0,)),
    ((1.0,), (1.0 + 2.0**-52,)),
    ((1.0,), (np.float64(1.0),)),
    (("1",), (1,)),
    ((ADD_REMOVE,), (REPLACE_ONE,)),
    ((ADD_REMOVE,), ("add-remove",)),
    ((Persons(rows=3),), (Persons(rows=4),)),
]
NEVER = [np.ones(2), [1.0], {"a": 1.0}, OwnLoss(), np.ones(()), np.float32(1.0), (1.0,) * 1001]


@pytest.mark.each_with_each
@pytest.mark.parametrize("given", SAME)
def test_equal_public_arguments_are_computed_once(counted, given):
    work, calls = counted
    assert work(*given) is work(*given)
    assert len(calls) == 1
    forget()
    work(*given)
    assert len(calls) == 2


@pytest.mark.each_with_each
@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_arguments_that_differ_in_a_bit_a_type_or_a_name_are_not_taken_for_each_other(counted, one, other):
    work, calls = counted
    assert work(*one) is not work(*other)
    assert work(number=one) is not work(numbers=one)
    assert len(calls) == 4


@pytest.mark.each_with_each
@pytest.mark.parametrize("given", NEVER, ids=lambda given: type(given).__name__)
def test_arrays_and_objects_of_others_are_neither_keys_nor_kept(counted, given):
    work, calls = counted
    assert work(given) is not work(given)
    assert work(1.0, (given,)) is not work(1.0, (given,))
    assert len(calls) == 4


def test_a_memory_is_bounded(counted):
    work, calls = counted
    for number in range(1000):
        work(float(number))
    work(999.0)
    assert len(calls) == 1000
    work(0.0)
    assert len(calls) == 1001


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_does_not_wait_for_a_thread_that_it_does_not_have(counted):
    """Another thread is about to keep a result while this one forks."""
    work, _ = counted
    inside, forking = threading.Event(), threading.Event()

    def hold():
        with module._LOCK:
            inside.set()
            forking.wait(0.2)

    other = threading.Thread(target=hold)
    other.start()
    inside.wait()
    child = os.fork()
    if not child:
        os._exit(0 if module._LOCK.acquire(timeout=0.1) else 1)
    other.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert work(1.0) is work(1.0)
