"""A schema whose bounds are still to be chosen: what is public about a table, but for bounds that nobody knows.

A numeric column is open where both its lower and its upper are left out, or are the stub's placeholder. It may list public candidates:

    [numeric.income]                    [numeric.year]
    lower = "FILL IN"                   grid = [1950, 1975, 2000, 2025]
    upper = "FILL IN"

Everything else must be there and valid, which is checked before a record is read, with bounds of 0 and 1 in the place of open ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from discreet.core.arrays import Floats
from discreet.core.errors import FileFormatError, InvalidInput, SchemaError
from discreet.core.quiet import frameless
from discreet.data.cells import column_numbers
from discreet.data.columns import INDICATOR
from discreet.data.encodings import Encoding, encodings_of
from discreet.data.frames import Frame, as_frame
from discreet.data.labels import PLACEHOLDER
from discreet.data.schema import Schema
from discreet.data.toml_text import read_toml


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaDraft:
    """A schema with open bounds; public."""

    schema: Schema
    """With bounds 0 and 1, and no rule for missing values, in the open columns."""
    open: tuple[str, ...]
    """The columns whose bounds are to be chosen, in the order of the schema."""
    grids: Mapping[str, tuple[float, ...]]
    """The candidates of the open columns that list some."""
    missing: Mapping[str, float]
    """What missing values of open columns count as."""
    encodings: Mapping[str, tuple[Encoding, ...]] = field(default_factory=dict)
    """Those of the open columns that name some; what does not fit the bounds is refused when these are known."""

    @classmethod
    @frameless
    def from_toml(cls, text: str) -> Self:
        """The draft that `text` spells. Raises SchemaError, one clear message a mistake."""
        found: list[str] = []
        grids: dict[str, tuple[float, ...]] = {}
        missing: dict[str, float] = {}
        encodings: dict[str, tuple[Encoding, ...]] = {}

        def prepare(table: dict[str, Any]) -> None:
            columns = table.get("numeric")
            for name, column in columns.items() if isinstance(columns, dict) else ():
                if not isinstance(column, dict) or {column.get("lower", PLACEHOLDER), column.get("upper", PLACEHOLDER)} != {PLACEHOLDER}:
                    continue
                found.append(name)
                if "grid" in column:
                    grids[name] = _grid(name, column.pop("grid"))
                if "encoding" in column:
                    encodings[name] = encodings_of(column.pop("encoding"), where=f"numeric column {name!r}")
                if "missing" in column and column["missing"] != INDICATOR:
                    missing[name] = _number(f"numeric column {name!r}: missing", column.pop("missing"))
                column |= {"lower": 0.0, "upper": 1.0, "outside": "clip"}

        schema = Schema.from_dict(read_toml(text, prepare=prepare))
        if not found:
            raise SchemaError(
                "no bounds are open. Leave lower and upper out of the [numeric] tables whose bounds are to be chosen, or at the stub's placeholder."
            )
        return cls(schema=schema, open=tuple(found), grids=grids, missing=missing, encodings=encodings)

    @classmethod
    @frameless
    def load(cls, path: str | Path) -> Self:
        """The draft in a TOML file. Raises as `Schema.load` does."""
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            refusal: InvalidInput = FileFormatError(f"schema {str(path)!r} is not UTF-8 text. Save it as UTF-8.")
        except FileNotFoundError:
            refusal = InvalidInput(f"there is no schema file {str(path)!r}. Check the path, or write a stub with `discreet schema new`.")
        except (OSError, ValueError) as error:
            refusal = InvalidInput(f"schema {str(path)!r} cannot be read ({type(error).__name__}). A readable TOML file is needed.")
        else:
            try:
                return cls.from_toml(text)
            except SchemaError as error:
                refusal = SchemaError(f"{path}: {error}")
        raise refusal

    def read(self, frame: Frame) -> list[Floats]:
        """The open columns as numbers (n,), NaN where a value is missing; private. Raises as `Schema.encode` does."""
        table = as_frame(frame, self.open)
        return [column_numbers(table.get_column(name), markers=self.schema.missing_values) for name in self.open]

    def filled(self, bounds: Mapping[str, tuple[float, float]], *, released: str) -> Schema:
        """The schema with these bounds, each marked with the digest `released` of their certificate; values outside are clipped."""
        if set(bounds) != set(self.open):
            raise InvalidInput("bounds are needed for the open columns of the draft, and for no others.")
        columns = []
        for column in self.schema.numeric:
            if column.name in bounds:
                lower, upper = bounds[column.name]
                gap = self.missing.get(column.name)
                inside = column.missing if gap is None else min(max(gap, lower), upper)
                encoding = self.encodings.get(column.name, column.encoding)
                columns.append(replace(column, lower=lower, upper=upper, outside="clip", missing=inside, released=released, encoding=encoding))
            else:
                columns.append(column)
        return replace(self.schema, numeric=tuple(columns))


def _grid(name: str, given: object) -> tuple[float, ...]:
    if not isinstance(given, list):
        raise SchemaError(f"numeric column {name!r}: grid must be a list of numbers, the public candidates for its bounds.")
    return tuple(_number(f"numeric column {name!r}: each entry of grid", entry) for entry in given)


def _number(what: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e300:
        raise SchemaError(f"{what} must be a finite number.")
    return float(value)
