"""How the numbers of a column become features: by nodes along the column, and a public table with a row for every node; `Linear` is the plainest.

    x at position p = c + f (c a node, 0 <= f < 1)  ->  (1 - f) A_c + f A_(c+1),      A public, (nodes, features), |A_j|_2 <= norm

What a cell becomes is a convex combination of rows of A, and the norm is convex: so no cell becomes longer than the longest row, whatever it holds. A
one-hot encoding has A = I and whole positions; hat functions on knots have A = I and fractions; several resolutions at once, and a penalty on
differences along the column, are other tables. Nodes and table follow from the bounds that the schema declares and from the parameters, all public.
Encodings are found by their names among those that the package exports.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from datetime import datetime, timedelta
from itertools import pairwise
from math import ceil
from typing import Any, ClassVar, NamedTuple

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import SchemaError, did_you_mean, kind, quoted
from discreet.core.fields import Named, exported


class Bounds(NamedTuple):
    """What is public about the numbers of a column."""

    lower: float
    upper: float
    symmetric: bool = False
    """Whether the lower bound is -1 of a linear scale, instead of 0."""
    dates: bool = False
    """Whether the numbers are days since 1970-01-01."""

    @property
    def width(self) -> float:
        """upper - lower > 0."""
        return self.upper - self.lower

    def named(self, values: Iterable[float]) -> tuple[str, ...]:
        """Different values in the names of features, with all of their digits where fewer would give two the same name.

        Of days the dates: within a day the next one, which is the first date of a bin that begins there.
        """
        given = [float(value) for value in values]
        exactly = [_moment(value) if self.dates else repr(value) for value in given]
        found = tuple(_moment(ceil(value)) for value in given) if self.dates else tuple(map(shown, given))
        return found if len(set(found)) == len(found) else tuple(exactly)


class Encoding(Named, ABC):
    """A frozen dataclass of public parameters. Values given to its methods lie within the bounds."""

    __slots__ = ()

    @property
    def norm(self) -> float:
        """A bound on the norm of every row of `table`, hence of every encoded cell."""
        return 1.0

    def check(self, bounds: Bounds) -> None:
        """Raise SchemaError where the parameters do not fit the bounds."""

    @abstractmethod
    def positions(self, values: Floats, bounds: Bounds) -> Floats:
        """Where `values` (n,) stand among the nodes, (n,), from 0 to nodes - 1: each a function of its value alone."""

    @abstractmethod
    def table(self, bounds: Bounds) -> Floats:
        """A, (nodes, features), with at least two nodes."""

    @abstractmethod
    def labels(self, bounds: Bounds) -> tuple[str, ...]:
        """What follows the column's name in the names of the features, (features,); "" for the name alone."""

    @abstractmethod
    def points(self, bounds: Bounds) -> Floats:
        """Values of the column, increasing, at which a picture of its contribution has to be drawn; of steps, where each begins.

        Empty where the contribution is no function along the column: nodes are labels then, a bar each. Of one period where it comes back from there.
        """

    @property
    def stepped(self) -> bool:
        """Whether the contribution is constant from one of `points` up to the next."""
        return False

    @property
    def one_hot(self) -> bool:
        """Whether the table is the identity and every position is whole."""
        return False

    @property
    def to_be_chosen(self) -> bool:
        """Whether it has still to be chosen from the records, for a share of the budget."""
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Linear(Encoding):
    """A number as one feature: t = (x - lower) / (upper - lower), or 2 t - 1 where the column's scale is symmetric."""

    name: ClassVar[str] = "linear"

    def positions(self, values: Floats, bounds: Bounds) -> Floats:
        """See Encoding."""
        return (values - bounds.lower) / bounds.width

    def table(self, bounds: Bounds) -> Floats:
        """See Encoding: the two ends."""
        return np.array([[-1.0 if bounds.symmetric else 0.0], [1.0]])

    def labels(self, bounds: Bounds) -> tuple[str, ...]:  # noqa: ARG002 - the column's own name
        """See Encoding."""
        return ("",)

    def points(self, bounds: Bounds) -> Floats:
        """See Encoding."""
        return np.array([bounds.lower, bounds.upper])


def spelled(encoding: Encoding) -> str | dict[str, Any]:
    """As files have it: a table of the name and every parameter, so that a file means the same whatever later standards are; or the name alone."""
    given = {name: value for name, value in encoding.parameters.items() if value is not None}
    return {"name": encoding.name, **given} if given else encoding.name


def numbers(value: object, *, what: str) -> tuple[float, ...]:
    """Increasing finite numbers as a tuple. Raises SchemaError for anything else."""
    given = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(given, list | tuple) or not all(isinstance(one, int | float) and not isinstance(one, bool) for one in given):
        raise SchemaError(f"{what} must be a list of numbers.")
    if not all(abs(one) <= sys.float_info.max for one in given) or any(float(after) <= float(before) for before, after in pairwise(given)):
        raise SchemaError(f"{what} must be finite and increasing.")
    return tuple(float(one) for one in given)


def whole(value: object, *, what: str, least: int, most: int) -> None:
    """Raise SchemaError unless `value` is an integer from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise SchemaError(f"{what} must be an integer from {least} to {most}.")


def positive(value: object, *, what: str) -> float:
    """`value` as a float. Raises SchemaError unless it is a positive finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e300:
        raise SchemaError(f"{what} must be a positive number.")
    return float(value)


def shown(value: float) -> str:
    """A value in the name of a feature."""
    return f"{value:.15g}" if float(f"{value:.6g}") != value else f"{value:.6g}"


def _moment(days: float) -> str:
    """Of days since 1970-01-01; a date alone where it is midnight."""
    return (datetime(1970, 1, 1) + timedelta(days=days)).isoformat(" ").removesuffix(" 00:00:00")  # noqa: DTZ001 - no time zone anywhere


def _parameters_of(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of an encoding in a schema, lists as tuples."""
    return {str(key): tuple(value) if isinstance(value, list) else value for key, value in entry.items() if key != "name"}


def encodings_of(given: object, *, where: str) -> tuple[Encoding, ...]:
    """One encoding or a list of them, each as a name, as a table with a name and parameters, or as itself. Raises SchemaError for anything else."""
    listed = given if isinstance(given, list | tuple) else [given]
    if not listed:
        raise SchemaError(f"{where}: encoding must not be an empty list.")
    return tuple(_encoding(one, where) for one in listed)


def encoding_named(name: str, **parameters: Any) -> Encoding:  # noqa: ANN401 - what the encoding takes
    """The encoding of this name with these parameters. Raises SchemaError, with the nearest name, for others."""
    known = {one.name: one for one in exported(vars(sys.modules[__package__]), Encoding)}
    if name not in known:
        raise SchemaError(f"unknown encoding {name!r}.{did_you_mean(name, known)} Known: {quoted(known, most=20)}.")
    takes = tuple(known[name].__dataclass_fields__)  # type: ignore[attr-defined]
    for parameter in parameters:
        if parameter not in takes:
            raise SchemaError(f"{name}: unknown key {parameter!r}.{did_you_mean(parameter, takes)} Known keys: {quoted(takes) or 'none'}.")
    if absent := [field.name for field in fields(known[name]) if field.default is MISSING and field.name not in parameters]:  # type: ignore[arg-type]
        raise SchemaError(f"{name}: {quoted(absent)} is missing; add it.")
    return known[name](**parameters)


def _encoding(given: object, where: str) -> Encoding:
    if isinstance(given, Encoding):
        return given
    entry = {"name": given} if isinstance(given, str) else given
    if not isinstance(entry, Mapping) or not isinstance(entry.get("name"), str):
        raise SchemaError(f'{where}: encoding must be a name, as in encoding = "curve", or a table with a name; {kind(given)} was given.')
    try:
        return encoding_named(entry["name"], **_parameters_of(entry))
    except SchemaError as error:
        refusal = SchemaError(f"{where}: {error}")
    raise refusal
