"""Public rows to try fits out on: of a sample that its owner declares public, or invented from the schema.

    numbers and dates uniform between their bounds, labels uniform among their categories, x = the row that the schema makes of them;
    score_k = a (<u_k, x> - m_k),  u_k a random direction, m_k the median;      two classes: P(second) = 1 / (1 + e^{-(score_2 - score_1)})
    more: P(k) proportional to e^{score_k};       of classes in order score_k = k score / (K - 1)
    a such that the best possible predictor errs in the share that was asked for
    a number: the score, three deviations within [-1, 1], and normal errors that are the share of its variance that was asked for; several: each so
    a time: the event is yet to come after a share S^{s} of the periods, S as P(second): whether it comes by the last end has the errors asked for

No file is opened for invented rows. Their best predictor is known, so the planner's bound can be asked about a predictor of its norm. Of invented
times everybody is seen up to the last end.
"""

import math
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import ndtr

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.data import EncodedTable, NumberTarget, Schema, TimeTarget, read_table
from discreet.data.labels import canonical
from discreet.data.targets import period_numbers
from discreet.evaluation.concordance import in_order
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
    """What it errs by, in the measure of the page."""


def invented_trial(schema: Schema, *, records: int, best: float) -> Trial:
    """A trial on invented rows whose best predictor errs in the share `best` of all cases. Raises InvalidInput where the table would be too large."""
    target, *others = schema.targets
    if (records + TESTED) * len(schema.columns(target=False)) > MOST_NUMBERS:
        raise InvalidInput(f"that is too many invented rows to try in the browser. Use fewer than {_most(schema):,} records.")
    rows = _rows(schema, records + TESTED, 0)
    parts = [schema.encode(part, target=False).rows for part in (rows[:records], rows[records:])]
    if isinstance(target, NumberTarget):
        return _invented_numbers(schema, parts, best, targets=1 + len(others))
    if isinstance(target, TimeTarget):
        return _invented_times(schema, parts, best, target.ends)
    classes, ordered = len(target.classes), target.ordered
    directions = SeededNoise(1).gaussian(scale=1.0, dimension=schema.features, draws=1 if classes == 2 or ordered else classes)
    plain = _scores(parts, directions)
    middle = np.median(plain, axis=0)
    plain -= middle
    if ordered and classes > 2:
        plain = plain * (np.arange(classes) / (classes - 1.0))  # the odds of a class over the one below rise alike
    size = _size_for(plain, best)
    codes, least = _drawn(size * plain, _uniform(len(plain), 2))
    norm = None
    if classes == 2:
        # the constant feature of a fit is 0.3 times the norm bound; what the intercept weighs there belongs to the predictor's norm
        norm = size * math.hypot(float(np.linalg.norm(directions)), float(middle[0]) / (0.3 * schema.norm_bound))
    known = {"signs": np.where(codes == 1, 1.0, -1.0)} if classes == 2 else {"codes": codes.astype(np.int32)}
    return _trial(schema, parts, least, norm, classes=target.classes, **known)


def _invented_numbers(schema: Schema, parts: list[Matrix], share: float, *, targets: int) -> Trial:
    """Of which the best predictor leaves this share of the variance."""
    plain = _scores(parts, SeededNoise(1).gaussian(scale=1.0, dimension=schema.features, draws=targets))
    error = SeededNoise(2).gaussian(scale=1.0, dimension=targets, draws=len(plain)).T
    numbers = (math.sqrt(1.0 - share) * (plain - plain.mean(axis=0)) / plain.std(axis=0) + math.sqrt(share) * error) / 3.0
    numbers = np.clip(numbers, -1.0, 1.0)
    return _trial(schema, parts, math.sqrt(share) / 3.0, numbers=numbers[:, 0] if targets == 1 else numbers)


def _invented_times(schema: Schema, parts: list[Matrix], best: float, ends: tuple[float, ...]) -> Trial:
    """Each in the middle of its period; beyond the last end of who is seen through all."""
    plain = _scores(parts, SeededNoise(1).gaussian(scale=1.0, dimension=schema.features, draws=1))
    plain -= np.median(plain, axis=0)
    size = _size_for(plain, best)
    later = _chances(size * plain)[:, 1:] ** (np.arange(1, len(ends) + 1) / len(ends))
    places = (later > _uniform(len(plain), 2)[:, np.newaxis]).sum(axis=1)
    edges = np.array([0.0, *ends, 3.0 * ends[-1]])
    times = np.column_stack((0.5 * (edges[places] + edges[places + 1]), places < len(ends)))
    codes = period_numbers(times[-TESTED:], ends=ends)
    return _trial(schema, parts, wrong_order(codes, plain[-TESTED:, 0], periods=len(ends)), times=times)


def wrong_order(codes: Codes, predicted: Floats, *, periods: int) -> float:
    """The share of comparable pairs whose order (n,) predictions do not have; half of those predicted alike. `codes` as `period_numbers`."""
    values, places = np.unique(predicted, return_inverse=True)
    counts = np.zeros((2 * periods + 1, len(values)))
    np.add.at(counts, (codes, places), 1.0)
    return 1.0 - in_order(counts).share


def _scores(parts: list[Matrix], directions: Floats) -> Floats:
    """<u_k, x> of all rows (n, K). Raises InvalidInput where they differ by rounding alone, which would pass for something to be learnt."""
    found = np.concatenate([part.matvec(directions) for part in parts])
    if float(found.std(axis=0).max()) <= 1e-9 * float(np.abs(found).max()):
        raise InvalidInput(
            "all rows of this description would be alike: a single number divided by its own length is always 1. Leave rows as they are "
            "(bound), or describe more columns."
        )
    return found


def _trial(schema: Schema, parts: list[Matrix], best: float, norm: float | None = None, **known: Any) -> Trial:  # noqa: ANN401 - what EncodedTable takes
    """Both parts with what is known of all their rows, in their order."""
    tables, first = [], 0
    for part in parts:
        places = slice(first, first + part.shape[0])
        of_part = {name: values[places] if isinstance(values, np.ndarray) else values for name, values in known.items()}
        mine: dict[str, Any] = {"signs": None, "classes": ()} | of_part
        numeric, categorical = len(schema.numeric), len(schema.categorical)
        tables.append(EncodedTable(rows=part, schema=schema.name, ends=schema.ends, numeric=numeric, categorical=categorical, **mine))
        first = places.stop
    fitted, tested = tables
    return Trial(fitted, tested, norm, best)


def sample_trial(schema: Schema, path: str | Path, *, records: int) -> Trial:
    """A trial on the rows of a table that its owner declares public; the last 30 % are kept for measuring. Raises as reading and encoding do."""
    frame = read_table(path, schema.columns(target=True, persons=False), schema.file)
    fitted = min(records, math.floor(frame.height * (1.0 - _SAMPLE_SHARE)))
    if fitted < 10:
        raise InvalidInput("a public sample of at least 15 rows is needed.")
    parts = (frame[:fitted], frame[fitted : fitted + 5 * TESTED])
    first, second = (schema.encode(part, target=True, persons=False) for part in parts)
    return Trial(first, second, None, None)


def _most(schema: Schema) -> int:
    return max(1, MOST_NUMBERS // len(schema.columns(target=False)) - TESTED)


def _rows(schema: Schema, count: int, seed: int) -> pl.DataFrame:
    columns: dict[str, object] = {}
    for place, number in enumerate(schema.numeric):
        share = _uniform(count, seed + 1000 + place)
        columns[number.name] = np.minimum(number.lower + share * (number.upper - number.lower), number.upper)
    for place, date in enumerate(schema.date):
        days = date.bounds.lower + _uniform(count, seed + 500_000 + place) * (date.bounds.upper - date.bounds.lower)
        columns[date.name] = np.rint(days * 86_400e6).astype(np.int64).astype("datetime64[us]")
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
    low, high = 1e-3, 1e6
    for _ in range(40):
        middle = math.sqrt(low * high)
        too_small = float(np.mean(1.0 - _chances(middle * plain).max(axis=1))) > best
        low, high = (middle, high) if too_small else (low, middle)
    return high
