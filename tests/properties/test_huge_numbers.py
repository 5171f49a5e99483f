"""A whole number beyond float64 is a number like others: an answer or one sentence, never an OverflowError from inside.

Every parameter of every exported estimator, and every number that an exported function or class of the packages of numbers takes.
"""

import contextlib
import inspect

import pytest

from discreet import accounting, kernels, losses, sets
from discreet.core.errors import DiscreetError
from discreet.core.neighbours import Neighbours
from discreet.losses import predictions
from tests.parts import packages
from tests.properties.test_refusals import ALL, X, Y, made

HUGE = 10**400
NO_NUMBERS = {"estimator", "ledger", "param_grid"}
PACKAGES = (accounting, kernels, losses, predictions, sets, *packages("bounds", "planning"))
NUMBERS = {"float": 0.5, "int": 2, "float | None": 0.5, "int | None": 2, "str": "two", "Neighbours": Neighbours.ADD_REMOVE}
"""Values for arguments that must be given, by annotation."""


def annotation(parameter):
    found = parameter.annotation
    return found if isinstance(found, str) else getattr(found, "__name__", str(found))


def taking_numbers():
    """(name, callable, parameter): one of its numbers; where every other argument is one that the table knows."""
    for package in PACKAGES:
        for name in package.__all__:
            thing = getattr(package, name)
            if not callable(thing) or getattr(thing, "_is_protocol", False) or inspect.isabstract(thing):
                continue
            parameters = inspect.signature(thing).parameters.values()
            needed = [one for one in parameters if one.default is one.empty]
            if all(annotation(one) in NUMBERS for one in needed):
                for one in parameters:
                    if annotation(one) in ("float", "int", "float | None", "int | None"):
                        yield pytest.param(thing, needed, one.name, id=f"{package.__name__}.{name}({one.name})")


def test_there_are_many():
    assert len(list(taking_numbers())) > 80


@pytest.mark.parametrize(("thing", "needed", "name"), list(taking_numbers()))
@pytest.mark.parametrize("huge", [HUGE, -HUGE], ids=["huge", "negative"])
def test_no_function_of_numbers_overflows(thing, needed, name, huge):
    given = {one.name: NUMBERS[annotation(one)] for one in needed} | {name: huge}
    first = [given.pop(one.name) for one in inspect.signature(thing).parameters.values() if one.kind is one.POSITIONAL_ONLY and one.name in given]
    with contextlib.suppress(DiscreetError):
        thing(*first, **given)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ALL)
def test_no_parameter_of_an_estimator_overflows(name):
    tried = set(made(name).get_params(deep=False)) - NO_NUMBERS
    refused = 0
    for parameter in sorted(tried):
        try:
            made(name).set_params(**{parameter: HUGE}).fit(X, Y)
        except DiscreetError:
            refused += 1
    assert refused > len(tried) // 2


def test_no_weight_of_a_class_overflows():
    with pytest.raises(DiscreetError):
        made("LinearSVC").set_params(class_weight={0: HUGE, 1: 1}).fit(X, Y)
