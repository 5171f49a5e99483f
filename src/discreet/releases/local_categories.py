"""Categories randomised by their owners, with delta 0: one record in, one line of text out, as in `local`, whose values are bits.

A column of k categories leaves as k bits, "colour=red" and so on, by k-ary response or unary encoding (mechanisms/release/categories.md); all columns
of a record share epsilon equally. `discreet.consumers.frequencies` makes shares of the lines of many owners.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import FileFormatError, InvalidInput, quietly
from discreet.data import Schema
from discreet.data import Target as ClassTarget
from discreet.data.labels import Label, canonical
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.release import Categories, RandomisedCategories
from discreet.mechanisms.release.categories import columns_of
from discreet.noise import Integers, Noise
from discreet.queries import Target
from discreet.releases.local import RandomisedRecord, checked_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class CategorySurvey:
    """What all owners are asked: in which category they are, of each categorical column and of the target. Build it with `planned`."""

    schema: Schema
    target: Target
    query: Categories
    mechanism: RandomisedCategories

    @classmethod
    def planned(cls, schema: Schema, *, epsilon: float, target: Target = Target.NOISY) -> Self:
        """Raises InvalidInput for a schema with numbers or dates, for a target that is no class or in clear, and for what cannot be calibrated."""
        query = asked(schema, target)
        return cls(schema=schema, target=target, query=query, mechanism=RandomisedCategories.calibrate(query, epsilon=epsilon))

    def randomise(self, record: Mapping[str, object], noise: Noise) -> RandomisedRecord:
        """One record, by its owner: column -> cell. Raises as `Schema.encode` does, without the cell."""
        held = self._places({name: [cell] for name, cell in record.items()})
        made = self.mechanism.run(self.query, Numbers(held), noise)
        return RandomisedRecord(columns=bit_names(self.schema, self.target), values=made.value[0], certificate=made.certificate)

    def _places(self, cells: dict[str, list[object]]) -> Integers:
        """Of the record's category in each column; private."""
        with_target = self.target is Target.NOISY
        encoded = replace(self.schema, cross=()).encode(cells, target=with_target, persons=False)
        row = encoded.rows.entries(slice(0, 1))[0]
        ends = np.cumsum([len(column.categories) for column in self.schema.categorical])
        places = [int(np.argmax(part)) for part in np.split(row, ends[:-1])]
        if with_target:
            places.append(int(encoded.codes[0]) if encoded.codes is not None else int(encoded.signs[0] > 0))  # type: ignore[index]
        return np.array(places, dtype=np.int64)


def asked(schema: Schema, target: Target) -> Categories:
    """Raises as `CategorySurvey.planned`."""
    if schema.numeric or schema.date:
        raise InvalidInput("with delta = 0 categories alone are randomised, and the schema has numbers or dates: leave these out, or give delta > 0.")
    if target is Target.CLEAR:
        raise InvalidInput("with delta = 0 the target is randomised with the record or left out (target='omitted'); 'clear' was given.")
    if target is Target.NOISY and not isinstance(schema.target, ClassTarget):
        raise InvalidInput(f"with delta = 0 categories alone are randomised, and {schema.target.where} has no classes: use target='omitted'.")
    return Categories(columns=tuple((name, len(labels)) for name, labels in labels_of(schema, target)))


def labels_of(schema: Schema, target: Target) -> list[tuple[str, tuple[Label, ...]]]:
    """The columns that are asked for, with their categories; the target last."""
    found = [(column.name, column.categories) for column in schema.categorical]
    return [*found, (schema.target.column, schema.target.classes)] if target is Target.NOISY and isinstance(schema.target, ClassTarget) else found


def bit_names(schema: Schema, target: Target) -> tuple[str, ...]:
    """Of the values of a line."""
    return tuple(f"{name}={canonical(label)}" for name, labels in labels_of(schema, target) for label in labels)


def counted_reports(lines: Iterable[str], schema: Schema) -> tuple[RandomisedRecord, Floats, int]:
    """The first record, how many records have each bit, (bits,), and how many there are.

    Raises FileFormatError for a line that is damaged or was made otherwise, InvalidInput where there is none.
    """

    def fits(record: RandomisedRecord) -> None:
        if record.certificate.mechanism != RandomisedCategories.name:
            raise FileFormatError("lines of `discreet randomise --delta 0` are needed, of categories; another release was found.")
        target = Target.NOISY if len(record.columns) > len(bit_names(schema, Target.OMITTED)) else Target.OMITTED
        problem = asked(schema, target).to_dict()
        if dict(record.certificate.problem) != problem or record.columns != bit_names(schema, target) or len(record.values) != len(record.columns):
            raise FileFormatError("the lines were made with another schema than this one.")
        refusal = FileFormatError("the certificate of a line states no laws of randomised categories.")
        quietly(lambda: list(columns_of(record.certificate.parameters, problem)), refusal, KeyError, TypeError, ValueError)

    first, total, count = None, np.zeros(0), 0
    for record in checked_lines(lines, fits):
        if not np.all((record.values == 0) | (record.values == 1)):
            raise FileFormatError("a report of categories is of zeros and ones; a line has other numbers.")
        first, total, count = first or record, record.values + (total if count else 0.0), count + 1
    if first is None:
        raise InvalidInput("there is nothing to count: no line was found.")
    return first, total, count
