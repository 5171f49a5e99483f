"""A linear model of a schema's rows as curves: what each column adds to the decision, over the values of the column.

    f(x) = c + sum_j f_j(x_j),    f_j(x) = <w_j, a_j(x) - mean a_j> / N

a_j(x) are the features that the schema makes of x in column j; the mean is over the points at which f_j is drawn, since a contribution is known up to
a constant only. N = 1 where rows are left as they are. Rows that are divided by their norm have no single N: the bound that they would have if they
were left, the root of the number of columns where each has norm 1, stands for it, and is exact where every row is that long.

The band is the interval of module `known_errors` along a = (a_j(x) - mean a_j) / N: with `uncertainty` it counts noise and sampling, without it is an
upper bound of the noise alone, often far wider than the noise where there are many records. A model that nothing is known of has no band.

Encodings of a column that are functions along it are added up and are one curve. Month, weekday and hour are a contribution of their own, a value a
label, as is a cycle of which the column holds several; crosses have a value a pair. A missing value has 0 in every feature of its column but its
own: "given" is the mean over the points of all of these, and "missing" stands beside it.

A column's importance is the standard deviation of its contribution over its points, all alike: over records it would be a function of them.
Everything is computed from what was released, and costs nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, quoted
from discreet.core.files.picture import Svg, pictured
from discreet.core.short import short_repr
from discreet.core.showing import html_of
from discreet.core.told import Told
from discreet.data import NumberTarget, NumberTargets, Schema
from discreet.data.columns import CategoricalColumn, Cross, DateColumn, NumericColumn
from discreet.data.domain import split_weights
from discreet.data.encodings import Bounds, Encoding
from discreet.data.labels import canonical
from discreet.data.places import Side, parts_of
from discreet.data.toml_text import OneTarget
from discreet.estimators.intervals.known_errors import known_errors
from discreet.estimators.prediction_rules import BoundedForm

if TYPE_CHECKING:
    from discreet.estimators.files.model import Model
    from discreet.estimators.intervals.uncertainty import Uncertainty


class CrossedSide(NamedTuple):
    """One of the two columns of a cross."""

    column: str
    labels: tuple[str, ...]
    """Of its categories or bins."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contribution:
    """What a column or a cross adds, or an encoding of a column that has a picture of its own; public."""

    column: str
    """Its name: that of the column, "hired: month" of such an encoding, "hired missing" of what is missing against what is given."""
    values: Floats | tuple[str, ...]
    """Where it is known, (k,): increasing numbers in the unit of the column, or categories in the order of the schema."""
    contribution: Floats
    """(k,), with mean 0; in the unit of the decision, or of the target where that is a number."""
    low: Floats | None
    """Lower end of the band, (k,); None without one."""
    high: Floats | None
    stepped: bool = False
    """Whether a number's contribution stays the same from one value up to the next, and is not linear between them."""
    dates: bool = False
    """Whether numbers are days since 1970-01-01."""
    ordered: bool = False
    """Whether categories have an order of their own, as months do."""
    sides: tuple[CrossedSide, CrossedSide] | None = None
    """Of a cross: `values` are the pairs of their labels, the second of each pair changing first."""

    __repr__ = short_repr

    @property
    def importance(self) -> float:
        """See the module docstring."""
        return float(np.std(self.contribution))

    @property
    def categories(self) -> bool:
        """Whether the values are categories."""
        return isinstance(self.values, tuple)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Curves:
    """Contributions of all columns, the most important first: what `Model.curves` returns."""

    title: str
    towards: str
    """What a positive contribution speaks for, in words."""
    contributions: tuple[Contribution, ...]
    level: float
    band: str | None
    """What the band counts, as `known_errors` names it; None where there is none."""
    about: str
    """What the band is for, or why there is none."""

    __repr__ = short_repr
    _repr_html_ = html_of("curves.view")

    def __getitem__(self, column: str) -> Contribution:
        """That of a column. Raises InvalidInput for one that the model does not read."""
        for one in self.contributions:
            if one.column == column:
                return one
        raise InvalidInput(f"the model does not use a column {column!r}. It uses {quoted([one.column for one in self.contributions], most=20)}.")

    def __str__(self) -> str:
        """A line a column."""
        rows = [(one.column, f"{one.importance:.4g}", f"{one.contribution.min():.4g}", f"{one.contribution.max():.4g}") for one in self.contributions]
        header = ("Column", "Importance", "Least", "Largest")
        return str(Told(title=f"What {self.title} adds up", caption=f"Contributions towards {self.towards}", header=header, rows=rows))

    def plot(self, *, most: int = 12) -> Svg:
        """The `most` important contributions as one picture, SVG."""
        return pictured("curves.plot", self, most)


def iso_date(days: float) -> str:
    """The date, or the moment to a minute, of days since 1970-01-01."""
    return str(np.datetime64(round(days * 1440.0), "m")).removesuffix("T00:00")


def curves_of(model: "Model", *, uncertainty: "Uncertainty | None" = None, level: float = 0.95, label: object = None) -> Curves:
    """See `Model.curves`."""
    schema, form = model.schema, model.form
    if not form.additive:
        raise InvalidInput(f"a {model.kind} is not a sum of contributions of columns. Only linear models have curves.")
    if isinstance(form, BoundedForm) and form.domain.features != schema.features:
        raise InvalidInput("the certificate and the schema state different numbers of features.")
    weights, target, towards = _weights(model, label)
    linked = isinstance(target, NumberTarget) and model.linked
    if linked:
        towards = f"a larger logarithm of the mean of {target.column}"
    errors, signs = known_errors(model.certificate, model.weights, level=level, uncertainty=uncertainty), _speaking(model, label)
    beside = np.zeros(len(model.weights) // len(signs) - schema.features)
    unit = 1.0
    if isinstance(target, NumberTarget):
        unit = 1.0 if linked else 0.5 * (target.upper - target.lower)
    norm = 1.0 if schema.rows == "bound" else schema.layout.norm()
    found = []
    for place, one in _shown(schema):
        directions = np.zeros((len(one.rows), schema.features))
        directions[:, place] = (one.rows - one.rows.mean(axis=0)) / norm
        directions = directions if schema.metric is None else schema.metric.coefficients(directions)
        middle = unit * (directions @ weights)
        each = np.hstack((directions, np.tile(beside, (len(directions), 1))))
        band = errors.along(np.hstack([sign * each for sign in signs]))
        found.append(
            Contribution(
                column=one.name,
                values=one.values,
                contribution=middle,
                low=None if band is None else unit * band.low,
                high=None if band is None else unit * band.high,
                stepped=one.stepped,
                dates=one.dates,
                ordered=one.ordered,
                sides=one.sides,
            )
        )
    ordered = sorted(found, key=lambda one: -one.importance)
    return Curves(title=schema.name, towards=towards, contributions=tuple(ordered), level=level, band=errors.counted, about=errors.words)


def _weights(model: "Model", label: object) -> tuple[Floats, OneTarget, str]:
    """Of the features, (d,), of which target, and what they speak for: of more than two classes those of `label` over the mean of all."""
    features, classes, declared = model.schema.features, [canonical(one) for one in model.classes], model.schema.target
    if isinstance(declared, NumberTargets):
        if label not in declared.columns:
            raise InvalidInput(f"a model of several targets has curves for each: pass label=, one of {quoted(declared.columns, most=20)}.")
        place = declared.place_of(str(label))
        return model.weights.reshape(len(declared.parts), -1)[place, :features], declared.parts[place], f"a larger {label}"
    if model.made is not None or len(classes) <= 2:
        if label is not None:
            raise InvalidInput("label is for models of more than two classes; this model has a single set of curves. Leave it out.")
        target = declared.column
        if model.made is not None:
            return model.weights[:features], declared, f"a higher {target}" if classes else f"an earlier end of {target}"
        return model.weights[:features], declared, f"{target} = {classes[1]}" if classes else f"a larger {target}"
    if label is None or canonical(label) not in classes:  # type: ignore[arg-type]
        raise InvalidInput(f"a model of {len(classes)} classes has curves for each: pass label=, one of {quoted(classes, most=20)}.")
    coef, _ = split_weights(model.weights[:, np.newaxis], features=features, intercept_scale=model.intercept_scale, classes=len(classes))
    by_class = coef[0]
    chosen: Floats = by_class[classes.index(canonical(label))] - by_class.mean(axis=0)  # type: ignore[arg-type]
    return chosen, declared, f"{declared.column} = {canonical(label)}"  # type: ignore[arg-type]


def _speaking(model: "Model", label: object) -> Floats:
    """How the functions of a model add up to what its curve shows: that of a label less the mean of all, or that of a target alone."""
    classes, declared = [canonical(one) for one in model.classes], model.schema.target
    if isinstance(declared, NumberTargets):
        return np.eye(len(declared.parts))[declared.place_of(str(label))]
    if len(classes) <= 2 or model.made is not None:
        return np.ones(1)
    return np.asarray([float(one == canonical(label)) - 1.0 / len(classes) for one in classes])  # type: ignore[arg-type]


class _Shown(NamedTuple):
    """A contribution before its weights."""

    name: str
    values: Floats | tuple[str, ...]
    rows: Floats
    """(k, features of the column)."""
    stepped: bool = False
    dates: bool = False
    ordered: bool = False
    sides: tuple[CrossedSide, CrossedSide] | None = None


def _shown(schema: Schema) -> Iterator[tuple[slice, _Shown]]:
    """Every contribution beside the place of its column's features, no two under one name."""
    layout, taken, offset = schema.layout, set[str](), 0
    for column, features in zip(layout.every, layout.names(), strict=True):
        place = slice(offset, offset + len(features))
        offset = place.stop
        match column:
            case CategoricalColumn():
                found = [_Shown(column.name, tuple(map(canonical, column.categories)), np.eye(len(features)))]
            case Cross():
                first, second = (_crossed(side) for side in layout.sides(column))
                pairs = tuple(f"{one}, {other}" for one in first.labels for other in second.labels)
                found = [_Shown(column.name, pairs, np.eye(len(features)), sides=(first, second))]
            case _:
                found = _encoded(column)
        for one in found:
            names = (one.name, *(f"{one.name} ({number})" for number in range(2, len(taken) + 3)))
            name = next(name for name in names if name not in taken)
            taken.add(name)
            yield place, one._replace(name=name)


def _crossed(side: Side) -> CrossedSide:
    """With days as dates."""
    labels = [label.strip().removeprefix("in ") for label in side.labels]
    if isinstance(side.column, DateColumn) and side.encoding is not None:
        for place, start in enumerate(side.encoding.points(side.column.bounds).tolist()):
            labels[place] = f"{labels[place].partition(' ')[0]} {iso_date(start)}"
    return CrossedSide(side.column.name, tuple(labels))


def _encoded(column: NumericColumn | DateColumn) -> list[_Shown]:
    """What is a function along the column together, each other encoding by itself, and what is missing beside what is given."""
    parts, bounds, dates = parts_of(column), column.bounds, isinstance(column, DateColumn)

    def wide(number: int, rows: Floats) -> Floats:
        """Features of one part among those of all."""
        return np.hstack([rows if place == number else np.zeros((len(rows), part.table.shape[1])) for place, part in enumerate(parts)])

    found: list[_Shown] = []
    along = [number for number, one in enumerate(column.encoding) if _whole(one, bounds)]
    if along:
        values, stepped = _values([column.encoding[number] for number in along], bounds)
        rows = np.sum([wide(number, parts[number].rows(values)) for number in along], axis=0)
        found.append(_Shown(column.name, values, rows, stepped=stepped, dates=dates))
    for number, encoding in enumerate(column.encoding):
        points, name = encoding.points(bounds), f"{column.name}: {encoding.name}"
        if not len(points):
            labels = tuple(label.strip().removeprefix("in ").removeprefix(f"{encoding.name} ") for label in encoding.labels(bounds))
            found.append(_Shown(name, labels, wide(number, parts[number].table[: len(labels)]), ordered=True))
        elif number not in along:
            found.append(_Shown(name, points, wide(number, parts[number].rows(points)), dates=dates))
    if column.indicated:
        given = np.sum([one.rows.mean(axis=0) for one in found], axis=0)
        found.append(_Shown(f"{column.name} missing", ("given", "missing"), np.vstack((given, np.eye(len(given))[-1])), ordered=True))
    return found


def _whole(encoding: Encoding, bounds: Bounds) -> bool:
    """Whether its points say what it is along the whole column."""
    points = encoding.points(bounds)
    return len(points) > 0 and (encoding.stepped or points[-1] >= bounds.upper)


def _values(encodings: Sequence[Encoding], bounds: Bounds) -> tuple[Floats, bool]:
    """The points of all; where some are steps and some are not, the last value before each step too. And whether all are steps."""
    steps = [one.points(bounds) for one in encodings if one.stepped]
    slopes = [one.points(bounds) for one in encodings if not one.stepped]
    before = [np.nextafter(points[1:], -np.inf) for points in steps] if slopes else []
    return np.unique(np.concatenate((*steps, *slopes, *before, [bounds.upper]))), not slopes
