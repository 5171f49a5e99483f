"""Categories randomised by their owners, with delta 0: one record in, one line of text out, as in `local`, whose values are bits.

A column of k categories leaves as k bits, "colour=red" and so on, by k-ary response or unary encoding (mechanisms/release/categories.md); all columns
of a record share epsilon equally. `read_reports` checks the lines of many owners, for `discreet frequencies` and the consumers that learn from them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from discreet.accounting import ApproximateDP
from discreet.core.arrays import Floats
from discreet.core.errors import FileFormatError, InvalidInput, quietly
from discreet.core.frameless import frameless
from discreet.core.neighbours import DELTA
from discreet.core.short import short_repr
from discreet.data import Schema
from discreet.data import Target as ClassTarget
from discreet.data.frames import Frame
from discreet.data.labels import Label, canonical
from discreet.data.metric import require_no_metric
from discreet.matrices import Matrix
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.release import Categories, RandomisedCategories
from discreet.mechanisms.release.categories import columns_of, unbiased
from discreet.noise import Integers, Noise
from discreet.queries import Target
from discreet.releases.local import RandomisedRecord, checked_lines
from discreet.words.categories import RESPONSE, UNIT


@dataclass(frozen=True, slots=True, kw_only=True)
class CategorySurvey:
    """The questions to all owners: their category in each categorical column and in the target. Build it with `planned`."""

    schema: Schema
    target: Target
    query: Categories
    mechanism: RandomisedCategories

    __repr__ = short_repr

    @classmethod
    def planned(cls, schema: Schema, *, epsilon: float, target: Target = Target.NOISY, delta: float = DELTA, shuffled: int | None = None) -> Self:
        """Plan a survey.

        Each report has epsilon; or, with `shuffled`, so many in a secret order have (epsilon, delta) together, and each by itself a larger epsilon.
        Raises InvalidInput for a schema with numbers or dates, for a target without classes or an exact one, and if it cannot be calibrated.
        """
        query = asked(schema, target)
        if shuffled is not None:
            made = RandomisedCategories.calibrate_shuffled(query, epsilon=epsilon, delta=delta, shuffled=shuffled)
            return cls(schema=schema, target=target, query=query, mechanism=made)
        return cls(schema=schema, target=target, query=query, mechanism=RandomisedCategories.calibrate(query, epsilon=epsilon))

    @frameless
    def randomise(self, record: Mapping[str, object], noise: Noise) -> RandomisedRecord:
        """One record, by its owner: column -> cell. Raises as `Schema.encode` does, without the cell."""
        held = self._places({name: [cell] for name, cell in record.items()})
        made = self.mechanism.run(self.query, Numbers(held), noise)
        return RandomisedRecord(columns=bit_names(self.schema, self.target), values=made.value[0], certificate=made.certificate)

    def _places(self, cells: dict[str, list[object]]) -> Integers:
        """Of the record's category in each column; private."""
        with_target = self.target is Target.NOISY
        encoded = replace(self.schema, cross=()).encode(cells, target=with_target, persons=False)
        (places,) = _places(encoded.rows, self.schema)
        if with_target:
            places = np.append(places, int(encoded.codes[0]) if encoded.codes is not None else int(encoded.signs[0] > 0))  # type: ignore[index]
        return places


def asked(schema: Schema, target: Target) -> Categories:
    """Raises as `CategorySurvey.planned`."""
    require_no_metric(schema, "a report of categories")
    if schema.numeric or schema.date:
        raise InvalidInput(
            "randomising categories needs a schema of categories only, and this one has numbers or dates. Leave these out, or randomise "
            "records with noise (LocalSurvey) and collect them (`discreet release --method local`)."
        )
    if target is Target.CLEAR:
        raise InvalidInput("the target of a report of categories is randomised with it or left out (target='omitted'); 'clear' was given.")
    if target is Target.NOISY and not isinstance(schema.target, ClassTarget):
        raise InvalidInput(f"reports of categories are of classes, and {schema.target.where} has none: leave it out (target='omitted').")
    return Categories(columns=tuple((name, len(labels)) for name, labels in labels_of(schema, target)))


def labels_of(schema: Schema, target: Target) -> list[tuple[str, tuple[Label, ...]]]:
    """The columns that are asked for, with their categories; the target last."""
    found = [(column.name, column.categories) for column in schema.categorical]
    return [*found, (schema.target.column, schema.target.classes)] if target is Target.NOISY and isinstance(schema.target, ClassTarget) else found


def bit_names(schema: Schema, target: Target) -> tuple[str, ...]:
    """Of the values of a line."""
    return tuple(f"{name}={canonical(label)}" for name, labels in labels_of(schema, target) for label in labels)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReportedColumn:
    """The answers about one column, and the distribution of the randomisation; public."""

    name: str
    labels: tuple[Label, ...]
    law: str
    """Of `discreet.words.categories`."""
    odds: float
    """a / b."""
    bits: npt.NDArray[np.uint8]
    """(n, k)."""

    __repr__ = short_repr

    @property
    def unbiased(self) -> Floats:
        """Numbers (n, k) whose expectation is 1 for the true category and 0 for the others, for any record; with some encodings their sum varies."""
        return unbiased(self.law, len(self.labels), self.odds, self.bits.astype(np.float64))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reports:
    """Lines of many owners, checked. Read them with `read_reports`."""

    schema: Schema
    columns: tuple[ReportedColumn, ...]
    target: ReportedColumn | None
    """The last of the columns, where the target was asked for."""
    mechanism: RandomisedCategories
    """By which all owners answered."""

    __repr__ = short_repr

    def __len__(self) -> int:
        """n."""
        return len(self.columns[0].bits)

    def in_secret_order(self, *, delta: float, shuffled: int | None = None) -> ApproximateDP:
        """What owners are promised of those who see these reports in a secret order, or shares and models that follow from them, and never the lines.

        Counted on are `shuffled` owners who answered as asked, all if None. Raises InvalidInput for more than there are reports, and as
        `RandomisedCategories.shuffled` does.
        """
        count = len(self) if shuffled is None else shuffled
        if count > len(self):
            raise InvalidInput(f"{count} reports are to be counted on, and there are {len(self)}. Count at most as many (--shuffle).")
        query = Categories(columns=tuple((column.name, len(column.labels)) for column in self.columns))
        return self.mechanism.shuffled(query, delta=delta, shuffled=count)

    @property
    def features(self) -> tuple[ReportedColumn, ...]:
        """All columns but the target."""
        return self.columns if self.target is None else self.columns[:-1]

    @frameless
    def places(self, table: Frame) -> Floats:
        """(m, features): the number of each cell's category, for consumers of reports to predict from. Raises as `Schema.encode` does."""
        return _places(replace(self.schema, cross=()).encode(table, target=False).rows, self.schema).astype(np.float64)


def read_reports(lines: Iterable[str], schema: Schema) -> Reports:
    """Read the lines of many owners; blank lines are skipped. Costs no privacy.

    Raises FileFormatError for a line that is damaged, was made differently from the first, or that no draw can produce: with k-ary response, not
    exactly one category. The error names the line number; no line is ever dropped silently. A false report that could have been drawn cannot be
    detected. Raises InvalidInput if there are no lines.
    """

    def fits(record: RandomisedRecord) -> None:
        if record.certificate.mechanism != RandomisedCategories.name:
            needed = "lines of categories from `discreet randomise --delta 0` are needed; another release was found."
            raise FileFormatError(f"{needed} Lines with numbers are collected by `discreet release --method local`.")
        target = Target.NOISY if len(record.columns) > len(bit_names(schema, Target.OMITTED)) else Target.OMITTED
        problem = asked(schema, target).to_dict()
        if dict(record.certificate.problem) != problem or record.columns != bit_names(schema, target) or len(record.values) != len(record.columns):
            raise FileFormatError("the lines were made with a different schema.")
        refusal = FileFormatError("the certificate of a line does not say how its categories were randomised.")
        quietly(lambda: list(columns_of(record.certificate.parameters, problem)), refusal, KeyError, TypeError, ValueError)

    first: RandomisedRecord | None = None
    laws: list[tuple[str, int, float]] = []
    kept: list[npt.NDArray[np.uint8]] = []
    for number, record in enumerate(checked_lines(lines, fits), start=1):
        if first is None:
            first, laws = record, list(columns_of(record.certificate.parameters, record.certificate.problem))
        if not _possible(record.values, laws):
            what = "zeros and ones, with a single 1 in each column that is answered by k-ary response"
            raise FileFormatError(f"report {number} cannot come from `discreet randomise`: {what}, are needed. Remove its line.")
        kept.append(record.values.astype(np.uint8))
    if first is None:
        raise InvalidInput("there is nothing to count: the file has no lines.")
    with_target = len(laws) > len(schema.categorical)
    names = labels_of(schema, Target.NOISY if with_target else Target.OMITTED)
    parts = np.split(np.array(kept), _ends(laws), axis=1)
    columns = tuple(
        ReportedColumn(name=name, labels=labels, law=law, odds=odds, bits=bits)
        for (name, labels), (law, _, odds), bits in zip(names, laws, parts, strict=True)
    )
    kept_odds = tuple(round(odds * UNIT) for _, _, odds in laws)
    mechanism = RandomisedCategories(laws=tuple(law for law, *_ in laws), kept=kept_odds)
    return Reports(schema=schema, columns=columns, target=columns[-1] if with_target else None, mechanism=mechanism)


def _places(rows: Matrix, schema: Schema) -> Integers:
    """(n, columns): of each record's category in each categorical column; private where the rows are."""
    ends = np.cumsum([len(column.categories) for column in schema.categorical])
    parts = np.split(rows.entries(slice(0, rows.shape[0])), ends[:-1], axis=1)
    return np.column_stack([np.argmax(part, axis=1) for part in parts]).astype(np.int64)


def _ends(laws: list[tuple[str, int, float]]) -> Integers:
    return np.cumsum([cells for _, cells, _ in laws])[:-1]


def _possible(values: Floats, laws: list[tuple[str, int, float]]) -> bool:
    """Whether a report has a probability above 0."""
    single = all(law != RESPONSE or part.sum() == 1 for (law, _, _), part in zip(laws, np.split(values, _ends(laws)), strict=True))
    return single and bool(np.all((values == 0) | (values == 1)))
