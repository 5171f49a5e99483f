"""Rows invented from the schema, and rows of a sample that its owner declares public: what trade-offs are tried out on.

    numbers uniform between their bounds, labels uniform among their categories, x = the row that the schema makes of them;
    score_k = a (<u_k, x> - m_k),  u_k a random direction, m_k the median;      two classes: P(second) = 1 / (1 + e^{-(score_2 - score_1)})
    more: P(k) proportional to e^{score_k};       a such that the best possible predictor errs in the share that was asked for

No file is opened for invented rows. Their best predictor is known, so the planner's bound can be asked about a predictor of its norm.
"""

import math
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import ndtr

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.data import EncodedTable, Schema, read_table
from discreet.data.labels import canonical
from discreet.matrices import Matrix
from discreet.noise import SeededNoise

Codes: TypeAlias = npt.NDArray[np.intp]

MOST_NUMBERS = 4_000_000
"""Rows times columns of an invented table: a few seconds."""
TESTED = 4000
_SAMPLE_SHARE = 0.3


class Trial(NamedTuple):
    """Public rows to fit on and to measure on."""

    fitted: EncodedTable
    tested: EncodedTable
    norm: float | None
    """Of the best predictor, intercept included, where it is known."""
    best: float | None
    """Its share of errors."""


def invented_trial(schema: Schema, *, records: int, best: float, intercept: bool, seed: int = 0) -> Trial:
    """A trial on invented rows whose best predictor errs in the share `best` of all cases. Raises InvalidInput where the table would be too large."""
    if (records + TESTED) * (len(schema.numeric) + len(schema.categorical)) > MOST_NUMBERS:
        raise InvalidInput(f"that many invented rows of this table are too many to try in the browser. Take fewer than {_most(schema):,} records.")
    rows = _rows(schema, records + TESTED, seed)
    parts = [schema.encode(part, target=False).rows for part in (rows[:records], rows[records:])]
    classes = len(schema.target.classes)
    directions = SeededNoise(seed + 1).gaussian(scale=1.0, dimension=schema.features, draws=1 if classes == 2 else classes)
    plain = np.concatenate([part.matvec(directions) for part in parts])
    middle = np.median(plain, axis=0)
    plain -= middle
    size = _size_for(plain, best)
    codes, least = _drawn(size * plain, _uniform(len(plain), seed + 2))
    norm = None
    if classes == 2:
        # the constant feature of a fit is 0.3 times the norm bound; what the intercept weighs there belongs to the predictor's norm
        constant = 0.3 * schema.norm_bound if intercept else math.inf
        norm = size * math.hypot(float(np.linalg.norm(directions)), float(middle[0]) / constant)
    fitted, tested = (_table(schema, part, chosen) for part, chosen in zip(parts, (codes[:records], codes[records:]), strict=True))
    return Trial(fitted, tested, norm, least)


def sample_trial(schema: Schema, path: str | Path, *, records: int) -> Trial:
    """A trial on the rows of a table that its owner declares public; the last 30 % are kept for measuring. Raises as reading and encoding do."""
    frame = read_table(path, schema.columns(target=True))
    fitted = min(records, math.floor(frame.height * (1.0 - _SAMPLE_SHARE)))
    if fitted < 10:
        raise InvalidInput("a public sample of at least 15 rows is needed.")
    parts = (frame[:fitted], frame[fitted : fitted + 5 * TESTED])
    first, second = (schema.encode(part, target=True) for part in parts)
    return Trial(first, second, None, None)


def _most(schema: Schema) -> int:
    return max(1, MOST_NUMBERS // (len(schema.numeric) + len(schema.categorical)) - TESTED)


def _rows(schema: Schema, count: int, seed: int) -> pl.DataFrame:
    columns: dict[str, object] = {}
    for place, number in enumerate(schema.numeric):
        share = _uniform(count, seed + 1000 + place)
        columns[number.name] = np.minimum(number.lower + share * (number.upper - number.lower), number.upper)
    for place, labels in enumerate(schema.categorical):
        share = _uniform(count, seed + 1_000_000 + place)
        names = np.array([canonical(label) for label in labels.categories], dtype=object)
        columns[labels.name] = names[np.minimum((share * len(names)).astype(np.intp), len(names) - 1)].tolist()
    return pl.DataFrame(columns)


def _uniform(count: int, seed: int) -> Floats:
    numbers: Floats = ndtr(SeededNoise(seed).gaussian(scale=1.0, dimension=1, draws=count)[0])
    return numbers


def _drawn(scores: Floats, uniform: Floats) -> tuple[Codes, float]:
    """Classes, and the share of errors of the best predictor."""
    chances = _chances(scores)
    codes = (uniform[:, np.newaxis] > np.cumsum(chances, axis=1)[:, :-1]).sum(axis=1).astype(np.intp)
    return codes, float(np.mean(1.0 - chances.max(axis=1)))


def _chances(scores: Floats) -> Floats:
    full = np.column_stack((np.zeros(len(scores)), scores)) if scores.shape[1] == 1 else scores
    powers = np.exp(full - full.max(axis=1, keepdims=True))
    chances: Floats = powers / powers.sum(axis=1, keepdims=True)
    return chances


def _size_for(plain: Floats, best: float) -> float:
    """The factor at which the best predictor errs in the share `best`: the share falls as the factor grows."""
    return _bisected(lambda size: float(np.mean(1.0 - _chances(size * plain).max(axis=1))) > best)


def _bisected(too_small: Callable[[float], bool]) -> float:
    low, high = 1e-3, 1e6
    for _ in range(40):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if too_small(middle) else (low, middle)
    return high


def _table(schema: Schema, rows: Matrix, codes: Codes) -> EncodedTable:
    two = len(schema.target.classes) == 2
    return EncodedTable(
        rows=rows,
        signs=np.where(codes == 1, 1.0, -1.0) if two else None,
        codes=None if two else codes.astype(np.int32),
        classes=schema.target.classes,
        schema=schema.name,
        numeric=len(schema.numeric),
        categorical=len(schema.categorical),
    )
