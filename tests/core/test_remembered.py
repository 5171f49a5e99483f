"""Memories of calibrations are keyed by public numbers, spelt out, and by nothing else."""

from dataclasses import dataclass, field

import numpy as np
import pytest

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


SAME = [(1.0,), (0.1 + 0.2, "word", None, (1, ADD_REMOVE)), (Logistic(),), (Persons(rows=3),)]
DIFFERENT = [
    ((1.0,), (1,)),
    ((1,), (True,)),
    ((0.0,), (-0.0,)),
    ((1.0,), (1.0 + 2.0**-52,)),
    ((ADD_REMOVE,), (REPLACE_ONE,)),
    ((ADD_REMOVE,), ("add-remove",)),
    ((Persons(rows=3),), (Persons(rows=4),)),
]
NEVER = [np.ones(2), [1.0], {"a": 1.0}, OwnLoss(), np.ones(())]


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
