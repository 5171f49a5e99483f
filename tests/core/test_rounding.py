"""The factors of one module cover the rounding errors that they name, and no other module has any of its own."""

import ast
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import discreet
from discreet.core.rounding import lowering, raising, up

PACKAGE = Path(discreet.__file__).parent
UNIT = Fraction(1, 2**53)
# Where a factor near one is an allowance for something else, or a drawing: what is printed, measured or plotted.
ELSEWHERE = {"audit", "cli", "evaluation", "pages", "reports", "studies", "workbench", "planning", "consumers", "estimators"}
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] not in ELSEWHERE | {"rounding.py"})


@pytest.mark.parametrize("operations", [1, 2, 5, 45, 4_096, 65_536])
def test_the_factors_cover_so_many_operations_exactly(operations):
    # Powers of so many factors have millions of digits; Bernoulli: (1 - u)^k >= 1 - k u and (1 + u)^-k >= 1 - k u.
    worst = 1 - (operations + 1) * UNIT
    assert Fraction(raising(operations)) * worst >= 1
    assert Fraction(lowering(operations)) <= worst
    assert Fraction(raising(operations)) == 1 + 2 * (operations + 1) * UNIT, "an exact number"
    assert Fraction(lowering(operations)) == 1 - 2 * (operations + 1) * UNIT


def test_they_cover_products_that_round_as_badly_as_products_do():
    draw = np.random.default_rng(3)
    for _ in range(200):
        numbers = draw.uniform(1.0, 1.0 + 2.0**-20, 60).tolist()
        exact, computed = Fraction(1), 1.0
        for number in numbers:
            exact, computed = exact * Fraction(number), computed * number
        assert Fraction(up(computed, 60)) >= exact
        assert Fraction(computed * lowering(60)) <= exact


@pytest.mark.parametrize("operations", [0, -1, 2**33])
def test_a_factor_for_no_operation_is_refused(operations):
    with pytest.raises(ValueError, match="one to 2\\^32"):
        raising(operations)


def tiny(node):
    """Whether a node is a number below 1e-10 and above the last place of 1, such as 1e-12 or 2.0**-40."""
    try:
        value = eval(compile(ast.Expression(node), "", "eval"), {"__builtins__": {}})  # noqa: S307 - a constant of our own source
    except Exception:  # noqa: BLE001 - no constant
        return False
    return isinstance(value, float) and 2.0**-52 < value <= 1e-10


def factors(source):
    """Lines with 1 + or - a tiny number: an allowance for rounding."""
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Add | ast.Sub)
            and isinstance(node.left, ast.Constant)
            and node.left.value == 1
            and tiny(node.right)
        ):
            yield node.lineno


# Thresholds and rooms that are no factors: of entries that are drawn close to a bound, and of a branch.
KNOWN = {"matrices/bounded.py": 2, "papers/classifiers.py": 1}


def test_no_module_has_a_factor_of_its_own():
    lines = {path.relative_to(PACKAGE).as_posix(): list(factors(path.read_text(encoding="utf-8"))) for path in FILES}
    others = {file: found for file, found in lines.items() if len(found) != KNOWN.get(file, 0)}
    assert not others, f"lines {others}: take raising() or lowering() of discreet.core.rounding"


@pytest.mark.parametrize("source", ["x = y * (1.0 + 1e-12)", "UP = 1.0 + 2.0**-40", "return x * (1.0 - 1e-15)", "u = 1 + 1e-11"])
def test_such_a_factor_is_seen(source):
    assert list(factors(source.replace("return ", "")))
