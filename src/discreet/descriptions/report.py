"""What a description holds: public numbers with their intervals, group by group, and the certificate of the one release that they were read from."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from discreet.accounting import Guarantee
from discreet.certificates import Certificate, Verification
from discreet.core.arrays import Floats
from discreet.core.comma_separated import comma_separated
from discreet.core.errors import InvalidInput, did_you_mean
from discreet.core.files.picture import Svg, pictured
from discreet.core.files.whole_file import write_whole
from discreet.core.short import short_repr
from discreet.core.showing import html_of
from discreet.descriptions.asked import QUARTILES, Asked, Column
from discreet.evaluation import Estimate

FORMAT = "discreet-description/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """The number of records, as an integer consistent with all other counts, with an interval for the true one (noise only)."""

    label: str
    count: int
    low: float
    high: float
    share: Estimate | None = None
    """Of the records of the group; of numbers, of those that are not missing."""

    def to_dict(self) -> dict[str, object]:
        """Plain dicts, lists and numbers, as JSON has them."""
        share = {} if self.share is None else {"share": self.share.to_dict()}
        return {"label": self.label, "count": self.count, "interval": [self.low, self.high], **share}


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberSummary:
    """A column of numbers in one group; dates as days since 1970-01-01."""

    mean: Estimate
    deviation: Estimate
    """The standard deviation."""
    quantiles: tuple[Estimate, ...]
    bins: tuple[Count, ...]
    """Equal steps between the bounds."""
    edges: tuple[float, ...]
    missing: Count | None
    """Where missing values are told apart."""

    __repr__ = short_repr

    def to_dict(self) -> dict[str, object]:
        """Plain dicts, lists and numbers, as JSON has them."""
        return {
            "mean": self.mean.to_dict(),
            "standard_deviation": self.deviation.to_dict(),
            "quantiles": [one.to_dict() for one in self.quantiles],
            "bins": [one.to_dict() for one in self.bins],
            "edges": list(self.edges),
            "missing": None if self.missing is None else self.missing.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A group, or the whole table."""

    name: str
    """"" for the whole table."""
    records: Count
    numbers: Mapping[str, NumberSummary]
    categories: Mapping[str, tuple[Count, ...]]
    pairs: Mapping[tuple[str, str], tuple[tuple[Count, ...], ...]]
    """counts[category of the first][of the second]."""

    __repr__ = short_repr

    def to_dict(self) -> dict[str, object]:
        """Plain dicts, lists and numbers, as JSON has them."""
        return {
            "name": self.name,
            "records": self.records.to_dict(),
            "numbers": {name: one.to_dict() for name, one in self.numbers.items()},
            "categories": {name: [one.to_dict() for one in counts] for name, counts in self.categories.items()},
            "pairs": [{"columns": list(pair), "counts": [[one.to_dict() for one in row] for row in table]} for pair, table in self.pairs.items()],
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Description:
    """Public: safe to save, print and share."""

    asked: Asked
    level: float
    """Of all intervals, one by one."""
    parts: tuple[Part, ...]
    """The groups in the order of the schema, the whole table last; it alone where there are no groups."""
    records: int | None
    """How many there are, where that is public; persons, where the unit is one."""
    certificate: Certificate
    value: Floats = field(repr=False)
    """The released integers, from which everything above was computed."""

    __repr__ = short_repr
    _repr_html_ = html_of("descriptions.view")

    @property
    def whole(self) -> Part:
        """The part about the whole table."""
        return self.parts[-1]

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee."""
        return self.certificate.guarantee

    def group(self, name: str) -> Part:
        """The group with this name. Raises InvalidInput for an unknown one."""
        known = {part.name: part for part in self.parts[:-1]}
        if name not in known:
            raise InvalidInput(f"there is no group {name!r}.{did_you_mean(name, known)} Groups are {', '.join(map(repr, known)) or 'none'}.")
        return known[name]

    @property
    def counted(self) -> str:
        """What is counted: "Records", "Persons", or "Rows kept" where rows of persons count alike."""
        return "Rows kept" if self.asked.by_rows else "Records" if self.asked.persons is None else "Persons"

    def verify(self) -> Verification:
        """Check the certificate against the released integers. Reading a file also checks that everything else follows from them."""
        return self.certificate.verify(self.value)

    def plot(self) -> Svg:
        """Histograms and shares, column by column, as SVG text."""
        return pictured("descriptions.plot", self)

    def to_dict(self) -> dict[str, object]:
        """A plain dictionary for JSON."""
        return {
            "format": FORMAT,
            "schema": self.asked.schema.to_dict(),
            "asked": self.asked.to_dict(),
            "level": self.level,
            "records": self.records,
            "parts": [part.to_dict() for part in self.parts],
            "value": self.value.tolist(),
            "certificate": self.certificate.to_dict(),
        }

    def to_json(self) -> str:
        """`to_dict` as text."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write `to_json` to a file, whole or not at all; `read_description` reads it. Raises InvalidInput where it exists or cannot be written."""
        write_whole(path, self.to_json() + "\n", overwrite=overwrite)

    def rows(self) -> list[list[str]]:
        """The table for a paper: a header, then a row for each number and category, with a column and an interval per group."""
        head = ["", *(words for part in self.parts for words in (part.name or "All", f"{100 * self.level:g} % interval"))]
        table = [head, _row("n", [_count_words(part.records, share=False) for part in self.parts])]
        for column in self.asked.described:
            if column.numeric:
                table += self._of_number(column)
            else:
                table.append(_row(column.name, [("", "")] * len(self.parts)))
                for place, label in enumerate(column.labels):
                    found = [_count_words(part.categories[column.name][place]) for part in self.parts]
                    table.append(_row(f"  {label}", found))
        return table

    def _of_number(self, column: Column) -> list[list[str]]:
        found = [part.numbers[column.name] for part in self.parts]
        if column.kind == "date":
            means = _row(f"{column.name}, mean", [_words(one.mean, column) for one in found])
        else:
            middles, spreads = ([_words(one, column) for one in each] for each in ([one.mean for one in found], [one.deviation for one in found]))
            both = [tuple(f"{word} ({beside})" for word, beside in zip(*pair, strict=True)) for pair in zip(middles, spreads, strict=True)]
            means = _row(f"{column.name}, mean (SD)", both)
        rows = [means]
        each = [[_words(one.quantiles[place], column) for one in found] for place in range(len(self.asked.quantiles))]
        if self.asked.quantiles == QUARTILES:
            together = [(f"{m[0]} [{a[0]}, {b[0]}]", f"{m[1]} [{a[1]}, {b[1]}]") for a, m, b in zip(*each, strict=True)]
            rows.append(_row(f"{column.name}, median [quartiles]", together))
        else:
            rows += [_row(f"{column.name}, quantile {share:g}", words) for share, words in zip(self.asked.quantiles, each, strict=True)]
        if column.missing:
            rows.append(_row(f"{column.name}, missing", [_count_words(one.missing) for one in found if one.missing is not None]))
        return rows

    def to_csv(self, *, for_spreadsheet: bool = False) -> str:
        """`rows` as comma-separated text: a table for a paper. `for_spreadsheet` keeps texts from being formulas to one."""
        return comma_separated(self.rows(), for_spreadsheet=for_spreadsheet)

    def __str__(self) -> str:
        """`rows` in columns of equal width."""
        table = self.rows()
        widths = [max(len(row[place]) for row in table) for place in range(len(table[0]))]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table)


def number_words(number: float, *, width: float) -> str:
    """With as many digits as an interval of this width leaves any meaning."""
    places = 0
    while places < 6 and width * 10.0**places < 3.0 and width > 0:
        places += 1
    return f"{number:,.{places}f}"


def date_words(days: float) -> str:
    """The date of a number of days since 1970-01-01."""
    return (datetime(1970, 1, 1) + timedelta(days=days)).date().isoformat()  # noqa: DTZ001 - no time zone anywhere


def _figure(estimate: Estimate, number: float) -> str:
    return number_words(number, width=estimate.high - estimate.low)


def _words(estimate: Estimate, column: Column) -> tuple[str, str]:
    if column.kind == "date":
        return date_words(estimate.value), f"{date_words(estimate.low)} to {date_words(estimate.high)}"
    if all(one == round(one) for one in (estimate.low, estimate.value, estimate.high)):
        return f"{estimate.value:,.0f}", f"{estimate.low:,.0f}" + ("" if estimate.low == estimate.high else f" to {estimate.high:,.0f}")
    low, value, high = (_figure(estimate, one) for one in (estimate.low, estimate.value, estimate.high))
    return value, f"{low} to {high}"


def _count_words(one: Count, *, share: bool = True) -> tuple[str, str]:
    if not share or one.share is None:
        return f"{one.count:,}", "public" if one.low == one.high else f"{one.low:,.0f} to {one.high:,.0f}"
    found = one.share
    places = 2 if found.high - found.low < 0.01 else 1
    low, value, high = (f"{100 * number:.{places}f}" for number in (found.low, found.value, found.high))
    return f"{one.count:,} ({value} %)", f"{low} to {high} %"


def _row(name: str, found: Sequence[Sequence[str]]) -> list[str]:
    return [name, *(words for pair in found for words in pair)]
