"""Tables of two columns whose margins agree with what is said of each: integers, at least 0, by post-processing alone.

nearest    the numbers >= 0 with these margins that are nearest to the noisy ones (least squares, by Dykstra's projections)
rounded    each to one of its two neighbouring integers, margins kept: the fractions are a point of a transport polytope, whose corners are integers
           (Causey, Cox and Ernst 1985), and a linear programme finds the corner that rounds most of them to the nearest
"""

import numpy as np
from scipy.optimize import linprog

from discreet.core.arrays import Floats
from discreet.noise import Integers

_ROUNDS = 2000
_NEAR = 1e-7


def with_margins(counts: Floats, rows: Floats, columns: Floats) -> Floats:
    """The nearest numbers (a, b), of any sign, with these margins (a,) and (b,), whose sums agree: linear in all of them."""
    a, b = counts.shape
    off_rows, off_columns = rows - counts.sum(axis=1), columns - counts.sum(axis=0)
    both = off_rows.sum() / (a * b)
    found: Floats = counts + off_rows[:, np.newaxis] / b + off_columns / a - both
    return found


def whole_table(counts: Floats, rows: list[int], columns: list[int]) -> Integers:
    """Integers (a, b) >= 0 with these margins, near to noisy counts."""
    of_rows, of_columns = np.array(rows, dtype=np.float64), np.array(columns, dtype=np.float64)
    return _rounded(_not_negative(counts, of_rows, of_columns), rows, columns)


def _not_negative(counts: Floats, rows: Floats, columns: Floats) -> Floats:
    """Dykstra: projections on the margins, which are an affine space, and on what is at least 0, by turns, less what the last one took off."""
    found, taken = with_margins(counts, rows, columns), np.zeros_like(counts)
    for _ in range(_ROUNDS):
        positive = np.maximum(found - taken, 0.0)
        taken = positive - (found - taken)
        found = with_margins(positive, rows, columns)
        if float(np.max(np.abs(found - positive), initial=0.0)) < _NEAR:
            break
    return np.maximum(found, 0.0)


def _rounded(values: Floats, rows: list[int], columns: list[int]) -> Integers:
    a, b = values.shape
    floors = np.floor(values + _NEAR)
    off_rows, off_columns = np.array(rows) - floors.sum(axis=1), np.array(columns) - floors.sum(axis=0)
    if np.all(off_rows >= 0) and np.all(off_columns >= 0):
        margins = np.zeros((a + b, a * b))
        for row in range(a):
            margins[row, row * b : (row + 1) * b] = 1.0
        for column in range(b):
            margins[a + column, column::b] = 1.0
        wanted = 0.5 - (values - floors).ravel()
        solved = linprog(wanted, A_eq=margins, b_eq=np.concatenate((off_rows, off_columns)), bounds=(0.0, 1.0), method="highs-ds")
        if solved.status == 0:
            found = (floors + np.rint(solved.x).reshape(a, b)).astype(np.int64)
            if found.sum(axis=1).tolist() == rows and found.sum(axis=0).tolist() == columns:
                return found
    return _filled(floors.astype(np.int64), rows, columns)


def _filled(floors: Integers, rows: list[int], columns: list[int]) -> Integers:
    """Where that fails: what fits of the floors, and the rest from the first cell on."""
    left_rows, left_columns = list(rows), list(columns)
    found = np.zeros_like(floors)
    for most in (floors, np.full_like(floors, np.iinfo(np.int64).max)):
        for row in range(len(rows)):
            for column in range(len(columns)):
                put = min(int(most[row, column]), left_rows[row], left_columns[column])
                found[row, column] += put
                left_rows[row] -= put
                left_columns[column] -= put
    return found
