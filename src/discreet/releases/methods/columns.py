"""The columns of a release, with what is public about each; and the records that a table and its schema become.

Numbers are released as they are encoded. With rows = "bound" a numeric column is encoded around zero whatever its `scale` says,

    t = 2 (x - lower) / (upper - lower) - 1  in [-1, 1]

since neighbours differ by its whole range, and bounds of a range around zero are half as far out as those of one that begins there. A column of
categories is one number a category. With rows = "normalise" rows are encoded as the schema says and divided by their norm.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, quoted
from discreet.core.fields import finite, flag
from discreet.core.lazily import lazily
from discreet.data import Domain, NumberTarget, NumberTargets, Schema, TimeTarget
from discreet.data import Target as ClassTarget
from discreet.data.columns import Scale
from discreet.data.encodings import Linear
from discreet.data.frames import Frame
from discreet.queries import Projection, Target
from discreet.statements.base import among

if TYPE_CHECKING:
    from discreet.data import EncodedTable, Records
    from discreet.data import metric as metrics
else:
    metrics = lazily("discreet.data.metric")

Role: TypeAlias = Literal["feature", "target", "constant"]


CONSTANT = "1"
"""Name of the column, and row, of sums."""


class Kind(StrEnum):
    """What the numbers of a release are."""

    ROWS = "rows"
    """One row a record, on the scales of the encoded records."""
    PROJECTED_ROWS = "projected-rows"
    """One row a record, times a public matrix P."""
    SKETCH = "sketch"
    """Rows that are random combinations of all records."""
    MOMENTS = "moments"
    """A symmetric matrix: sums of products of two numbers of a record, of which the first is 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedColumn:
    """One column of the released numbers."""

    name: str
    role: Role
    noisy: bool
    """False for a target in clear."""
    lower: float | None = None
    """Smallest value before noise, in the column's own unit; None where a number has no meaning of its own (a projection, a sketch)."""
    upper: float | None = None
    encoded_lower: float | None = None
    """What `lower` is encoded as."""
    encoded_upper: float | None = None

    def own_units(self, values: Floats) -> Floats:
        """Encoded numbers in the column's own unit; unchanged where it has none."""
        if self.lower is None or self.upper is None or self.encoded_lower is None or self.encoded_upper is None:
            return values
        return self.lower + (values - self.encoded_lower) * ((self.upper - self.lower) / (self.encoded_upper - self.encoded_lower))

    @property
    def own_width(self) -> float:
        """How much of the column's own unit an encoded 1 is; 1 where it has none."""
        start, end = self.own_units(np.array([0.0, 1.0])).tolist()
        return float(end - start)

    @property
    def own_bounds(self) -> tuple[float, float]:
        """The public bounds of what `own_units` gives; infinite where there are none."""
        ends = [(self.lower, self.upper), (self.encoded_lower, self.encoded_upper)]
        known = [(low, high) for low, high in ends if low is not None and high is not None]
        return known[0] if known else (-math.inf, math.inf)

    def to_dict(self) -> dict[str, Json]:
        """For the manifest; its name is not in it."""
        return {"role": self.role, "noisy": self.noisy, **{spelled: getattr(self, name) for name, spelled in _BOUNDS.items()}}

    @classmethod
    def from_dict(cls, name: str, stated: Mapping[str, Any]) -> Self:
        """What `to_dict` wrote. Raises KeyError, TypeError or ValueError for anything else."""
        among("feature", "target", "constant")(stated["role"])
        bounds = {field: None if stated[spelled] is None else finite(stated[spelled]) for field, spelled in _BOUNDS.items()}
        return cls(name=name, role=stated["role"], noisy=flag(stated["noisy"]), **bounds)


_BOUNDS = {"lower": "lower", "upper": "upper", "encoded_lower": "encodedLower", "encoded_upper": "encodedUpper"}


def released_schema(schema: Schema) -> Schema:
    """The schema by which a released table is encoded: every number as it is, and around zero where rows stay as they are.

    Encodings and crosses are left out: whoever has the numbers can encode them. Raises InvalidInput for dates and for indicators of missing values.
    """
    if schema.metric is not None:
        metrics.require_no_metric(schema, "a release")
    dates, indicated = [one.name for one in schema.date], [one.name for one in schema.numeric if one.indicated]
    if dates or indicated:
        remedies = [f"leave out {quoted(dates)}, or turn each into days since a public date"] * bool(dates)
        remedies += [f"say missing = NUMBER instead of indicator for {quoted(indicated)}"] * bool(indicated)
        raise InvalidInput(f"a release needs numbers and categories: {'; '.join(remedies)}. Method 'synthetic' accepts such columns.")
    scale: Scale | None = None if schema.rows == "normalise" else "symmetric"
    return replace(schema, numeric=tuple(replace(one, encoding=(Linear(),), scale=scale or one.scale) for one in schema.numeric), cross=())


def schema_domain(schema: Schema) -> Domain:
    """Bounds of the records that this schema encodes: entries alone where rows are numeric columns as they are."""
    alone = schema.rows == "bound" and not schema.categorical
    bound = math.inf if alone else schema.norm_bound
    return Domain(features=schema.features, entry_bound=1.0, norm_bound=bound, target_bound=1.0)


def released_domain(schema: Schema) -> Domain:
    """The same, with whose rows are whose: for tables that one holder releases."""
    return replace(schema_domain(schema), persons=schema.persons)


def encoded_records(schema: Schema, frame: Frame, target: Target) -> "Records":
    """The records of a table. Raises as `Schema.encode` does, and InvalidInput for a target of more than two classes."""
    encoded, targets = encoded_table(schema, frame, target, persons=False)
    from discreet.data import Records  # noqa: PLC0415 - whoever reads a release has none

    return Records(rows=encoded.rows, targets=targets, domain=schema_domain(schema))


def encoded_table(schema: Schema, frame: Frame, target: Target, *, persons: bool) -> tuple["EncodedTable", Floats]:
    """The table encoded, with `persons` where the schema names them, and its targets as numbers, zeros where these are omitted; private."""
    with_target = target is not Target.OMITTED
    require_target(schema, target)
    encoded = schema.encode(frame, target=with_target, persons=persons)
    return encoded, target_numbers(encoded) if with_target else np.zeros(encoded.rows.shape[0])


def require_target(schema: Schema, target: Target) -> None:
    """Raise InvalidInput where the schema's target is no number, or where there are several."""
    if target is not Target.OMITTED and isinstance(schema.target, NumberTargets):
        raise InvalidInput(f"{schema.target.where}: a release has at most one target. Release without them (target='omitted').")
    if target is not Target.OMITTED and isinstance(schema.target, TimeTarget):
        raise InvalidInput(f"{schema.target.where} is a time until an event, which cannot be released. Release without it (target='omitted').")
    if target is not Target.OMITTED and isinstance(schema.target, ClassTarget) and len(schema.target.classes) > 2:
        raise InvalidInput(
            f"{schema.target.where} has {len(schema.target.classes)} classes, and a released target is one number: a number or two classes. "
            "Release without it (target='omitted'), or declare it as a categorical column and another target."
        )


def target_numbers(encoded: "EncodedTable") -> Floats:
    """+1 and -1 of two classes, or numbers in [-1, 1]."""
    found = encoded.signs if encoded.numbers is None else encoded.one_number
    if found is None:
        raise InvalidInput("the target of a released table is a number or one of two classes.")
    return found


def record_columns(domain: Domain, target: Target, schema: Schema | None) -> tuple[PublishedColumn, ...]:
    """The columns of encoded records: features, and the target unless it is omitted."""
    features = _numbered(domain) if schema is None else tuple(_of_schema(schema))
    if target is Target.OMITTED:
        return _distinct(features)
    noisy = target is Target.NOISY
    bound = domain.target_bound
    made = PublishedColumn(name="y", role="target", noisy=noisy, encoded_lower=-bound, encoded_upper=bound)
    if schema is not None:
        one = schema.one_target
        made = replace(made, name=one.column)
        if isinstance(one, NumberTarget):
            made = replace(made, lower=one.lower, upper=one.upper)
    return _distinct((*features, made))


def weight_beside(query: object) -> float | None:
    """What the noisy target is multiplied by where it has a column of its own beside a projection; None where it has not."""
    return query.weight if isinstance(query, Projection) and query.beside else None


def released_columns(
    kind: Kind, domain: Domain, target: Target, schema: Schema | None, *, width: int, weight: float | None = None
) -> tuple[PublishedColumn, ...]:
    """Those of a release of this kind: of a sketch without bounds, of a projection numbered up to `width`, a target in clear beside them.

    Where the noisy target is beside them too, the last of `width`, it is multiplied by `weight`.
    """
    records = record_columns(domain, target, schema)
    if kind in (Kind.SKETCH, Kind.MOMENTS):
        head = (PublishedColumn(name=CONSTANT, role="constant", noisy=True),) if kind is Kind.MOMENTS else ()
        return _distinct((*head, *(replace(one, lower=None, upper=None, encoded_lower=None, encoded_upper=None) for one in records)))
    if kind is Kind.ROWS:
        return records
    projected = width if weight is None else width - 1
    features = tuple(PublishedColumn(name=f"p{number}", role="feature", noisy=True) for number in range(projected))
    if weight is not None:
        bound = weight * domain.target_bound
        return _distinct((*features, replace(records[-1], encoded_lower=-bound, encoded_upper=bound)))
    return _distinct((*features, *(records[-1:] if target is Target.CLEAR else ())))


def _numbered(domain: Domain) -> tuple[PublishedColumn, ...]:
    bound = domain.largest_entry
    return tuple(
        PublishedColumn(name=f"x{number}", role="feature", noisy=True, encoded_lower=-bound, encoded_upper=bound) for number in range(domain.features)
    )


def _of_schema(schema: Schema) -> Iterator[PublishedColumn]:
    for position, name in enumerate(schema.feature_names):
        made = PublishedColumn(name=name, role="feature", noisy=True, encoded_lower=-1.0, encoded_upper=1.0)
        if schema.rows == "normalise":
            yield made
        elif position < len(schema.numeric):
            column = schema.numeric[position]
            yield replace(made, lower=column.lower, upper=column.upper)
        else:
            yield replace(made, lower=0.0, upper=1.0, encoded_lower=0.0)


def _distinct(columns: tuple[PublishedColumn, ...]) -> tuple[PublishedColumn, ...]:
    names = [column.name for column in columns]
    if repeated := {name for name in names if names.count(name) > 1}:
        raise InvalidInput(f"two columns of the release would be called {min(repeated)!r}. Rename one in the table and its schema.")
    return columns
