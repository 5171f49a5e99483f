"""Methods that release one row a record, on the records' own scales: with normal noise, shaped noise, bounded noise, or by the owners themselves."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.core.arrays import is_finite
from discreet.core.errors import InvalidInput, quoted
from discreet.core.lazily import lazily
from discreet.core.parts import module_of
from discreet.queries import Rows, WeightedRows
from discreet.releases.methods.base import (
    BITS,
    DELTA,
    EPSILON,
    LEVEL,
    PRIVATE,
    SHUFFLE,
    SLOTS,
    Method,
    Plan,
    Request,
    Way,
    for_bits,
    least_noise,
    setting,
)
from discreet.releases.methods.columns import Kind, PublishedColumn, record_columns
from discreet.words.bounded import BoundedNumbers, BoundedRows
from discreet.words.rows import FisherRows, GaussianRows, InformationRows, LaplaceRows, NullSpaceRows
from discreet.words.shuffled import ShuffledGaussian, ShuffledLaplace

if TYPE_CHECKING:
    from discreet.mechanisms import release as mechanisms
else:
    mechanisms = lazily("discreet.mechanisms.release")


def _additive_private(request: Request) -> Plan:
    query = request.records
    if request[DELTA] == 0:
        raise InvalidInput("method 'additive' adds Gaussian noise, which needs delta > 0; for delta = 0 take method 'laplace'.")
    shuffled, slots = request.get(SHUFFLE), request.get(SLOTS)
    if shuffled is not None:
        return Plan(query, mechanisms.ShuffledGaussianRows.calibrate(query, **request.private, shuffled=shuffled, slots=slots))
    return Plan(query, mechanisms.GaussianRelease.calibrate(query, **request.private, slots=slots))


ADDITIVE = Method(
    name="additive",
    says="every record, with Gaussian noise on every number",
    kind=Kind.ROWS,
    query=Rows,
    specs=(GaussianRows, InformationRows, ShuffledGaussian),
    ways=(
        Way(for_bits("additive", lambda: mechanisms.InformationRelease, lambda request: request.records), (BITS,)),
        Way(_additive_private, PRIVATE, (SHUFFLE, SLOTS)),
    ),
)


def _laplace(request: Request) -> Plan:
    query, shuffled = request.records, request.get(SHUFFLE)
    if shuffled is not None:
        if not request.get(DELTA):
            raise InvalidInput("shuffled rows need delta > 0; give it, or leave shuffle out: Laplace noise alone has delta 0.")
        return Plan(query, mechanisms.ShuffledLaplaceRows.calibrate(query, **request.private, shuffled=shuffled, slots=request.get(SLOTS)))
    if request.get(DELTA):
        raise InvalidInput(f"method 'laplace' has delta 0; {request[DELTA]!r} was given. Leave delta out, or take method 'additive'.")
    return Plan(query, mechanisms.LaplaceRelease.calibrate(query, epsilon=request[EPSILON], neighbours=request.neighbours, slots=request.get(SLOTS)))


LAPLACE = Method(
    name="laplace",
    says="every record, with Laplace noise on every number; delta 0 unless shuffled, and less noise than Gaussian for few columns",
    kind=Kind.ROWS,
    query=Rows,
    specs=(LaplaceRows, ShuffledLaplace),
    ways=(Way(_laplace, (EPSILON,), (DELTA, SHUFFLE, SLOTS)),),
)


HALF_WIDTH = setting("half_width", float, "half_width of the noise", "The largest bounded noise, for numbers encoded within +-1.")


def _bounded_entries(request: Request) -> Plan:
    request.require_entries("bounded")
    level = request.get(LEVEL)
    made = mechanisms.BoundedNoise(
        half_width=request[HALF_WIDTH], level=0.0 if level is None else level, epsilon=request[EPSILON], neighbours=request.neighbours
    )
    return Plan(request.records, made)


NOISE_ENDS = setting(
    "noise_ends",
    dict,
    "noise_ends, how far noise may take the numbers of each column",
    "How far bounded noise may take each released column, in its own unit: age=500,income=-1000:3000.",
    form="NAME=WIDTH or NAME=LOW:HIGH for each released column, separated by commas",
)


def _bounded_columns(request: Request) -> Plan:
    request.require_entries("bounded")
    query, level, given = request.records, request.get(LEVEL), request[NOISE_ENDS]
    noisy = [column for column in record_columns(request.domain, request.target, request.schema) if column.noisy]
    known = [column.name for column in noisy]
    if not isinstance(given, Mapping) or set(given) != set(known):
        said = f"those of {quoted([str(name) for name in given], most=12)} were given" if isinstance(given, Mapping) else f"{given!r} was given"
        raise InvalidInput(f"noise_ends need every released column, {quoted(known, most=12)}, each once; {said}.")
    ends = [_own_ends(column, given[column.name]) for column in noisy]
    below, above = (tuple(end[side] / column.own_width for end, column in zip(ends, noisy, strict=True)) for side in (0, 1))
    made = mechanisms.BoundedColumns(
        below=below, above=above, level=0.0 if level is None else level, epsilon=request[EPSILON], neighbours=request.neighbours
    )
    return Plan(query, made)


def _own_ends(column: PublishedColumn, given: Any) -> tuple[float, float]:  # noqa: ANN401 - read here
    """How far down and up, in the column's own unit."""
    pair = given if isinstance(given, tuple | list) else (-given, given) if is_finite(given) else ()
    if len(pair) != 2 or not all(is_finite(end) for end in pair) or not pair[0] < 0 < pair[1]:
        raise InvalidInput(
            f"the noise on {column.name!r} needs one positive number, or a negative and a positive one, as its ends; {given!r} was given."
        )
    return -float(pair[0]), float(pair[1])


BOUNDED = Method(
    name="bounded",
    says="every record, with noise that never exceeds a width, one for all columns or ends of its own for each",
    kind=Kind.ROWS,
    query=Rows,
    specs=(BoundedRows, BoundedNumbers),
    ways=(Way(_bounded_columns, (NOISE_ENDS, EPSILON), (LEVEL,)), Way(_bounded_entries, (HALF_WIDTH, EPSILON), (LEVEL,))),
    unshuffled="it protects single entries, and a secret order is counted for whole records; method 'additive' takes it",
)


WEIGHTS = setting(
    "weights",
    list,
    "weights of the columns",
    "One positive number per released column, separated by commas.",
    form="numbers separated by commas, one per released column",
)


def _fisher_query(request: Request) -> WeightedRows:
    given = request.get(WEIGHTS)
    weights = None if given is None else np.asarray(given, dtype=np.float64)
    return WeightedRows.of(request.domain, weights=weights, target=request.target)


def _fisher_level(request: Request) -> Plan:
    query = _fisher_query(request)
    return Plan(query, mechanisms.FisherNoise.of_level(query, level=request[LEVEL], epsilon=request[EPSILON], neighbours=request.neighbours))


def _fisher_published(request: Request) -> Plan:
    query = _fisher_query(request)
    return Plan(query, module_of("papers").farokhi_theorem_5(query, epsilon=request[EPSILON], delta=request[DELTA]))


FISHER = Method(
    name="fisher",
    says="every record, with Gaussian noise that is smaller where weights are larger",
    kind=Kind.ROWS,
    query=WeightedRows,
    specs=(FisherRows,),
    ways=(
        Way(_fisher_level, (LEVEL, EPSILON), (WEIGHTS,)),
        Way(least_noise(lambda: mechanisms.FisherNoise, _fisher_query, SLOTS), PRIVATE, (WEIGHTS, SLOTS)),
        Way(_fisher_published, PRIVATE, (WEIGHTS,), "published"),
    ),
    on_grid=False,
    unshuffled="the theorem is proved for noise of one size on all columns; method 'additive' takes it",
)


VARIANCE = setting("variance", float, "variance of the noise", "Variance of null-space noise.")


def _null_space_published(request: Request) -> Plan:
    return Plan(request.records, mechanisms.NullSpaceNoise(variance=request[VARIANCE]))


NULL_SPACE = Method(
    name="null-space",
    says="every record, with noise that leaves a support vector machine unchanged; NOT private",
    kind=Kind.ROWS,
    query=Rows,
    specs=(NullSpaceRows,),
    ways=(Way(_null_space_published, (VARIANCE,), (), "published"),),
    shows_all="The exact weights of the support vector machine, and the exact score of every record, can be computed from the release.",
    unshuffled="it promises nothing, with or without an order",
)


LOCAL = Method(
    name="local",
    says="records that their owners randomised, collected",
    kind=Kind.ROWS,
    query=Rows,
    specs=(GaussianRows, LaplaceRows),
    collected="method 'local' collects records that their owners randomised (`discreet randomise`); it cannot release a table.",
    exposes="Owners who answered twice: they spent twice.",
)
