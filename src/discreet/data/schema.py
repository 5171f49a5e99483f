"""The schema: everything public about a table, written down before a record is read.

    d = features of numbers and dates (one a number where it is linear) + number of categories + pairs of the crosses
    rows = "normalise"   each encoded row x is divided by its own norm, x / |x|_2 (0, and less than 1e-30, is 0):   R = 1
    rows = "bound"       rows stay as they are:   R = sqrt(sum of the squared norms of the columns), each at most 1

The second R holds since an encoding knows its norm and a category is one 1 among zeros. Both are functions of one record at a time and cost no
privacy; the first is how Chaudhuri, Monteleoni and Sarwate (2011, section 7) prepared their tables. Bounds, categories and classes come from here
only: no method looks at a record to choose them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from discreet.core.errors import SchemaError, did_you_mean, kind
from discreet.core.frameless import Frameless, frameless
from discreet.core.lazily import above, lazily
from discreet.core.neighbours import Persons
from discreet.core.short import short_repr
from discreet.core.showing import html_of
from discreet.data.coding import Coding
from discreet.data.columns import CategoricalColumn, Cross, DateColumn, NumberTarget, NumericColumn, Target
from discreet.data.dialect import Dialect
from discreet.data.encodings import Curve, Encoding
from discreet.data.encodings.curve import standard_rest
from discreet.data.labels import checked_text, texts_of
from discreet.data.person_column import ONE_ROW, PersonColumn
from discreet.data.places import Columns, stored_bytes
from discreet.data.row_lengths import Rows, standard_rows
from discreet.data.targets import NumberTargets, TimeTarget
from discreet.data.toml_text import (
    COLUMN_TABLES,
    AnyTarget,
    OneTarget,
    check_keys,
    file_of,
    listed,
    load_toml,
    part_of,
    plain_table,
    plain_target,
    read_toml,
    target_of,
    write_toml,
)

if TYPE_CHECKING:
    from discreet.data.cells import Codes
    from discreet.data.frames import Frame
    from discreet.data.layout import EncodedTable
    from discreet.data.metric import Metric
    from discreet.matrices import Matrix

metrics = lazily("discreet.data.metric")
frames, layouts, ids = lazily("discreet.data.frames"), lazily("discreet.data.layout"), lazily("discreet.data.persons")
time_targets = lazily("discreet.data.time_cells")

FORMAT = "discreet-schema/1"
"""The first line of a schema; another version is refused."""

_KEYS = ("format", "name", "rows", "missing_values", "file", "rows_per_person", "target", "person", *COLUMN_TABLES, "metric")
_Numbers = TypeVar("_Numbers", NumericColumn, DateColumn)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema(metaclass=Frameless):
    """What is public about a table. Raises SchemaError if it contradicts itself.

    Examples
    --------
    >>> from discreet import Schema
    >>> from discreet.data import CategoricalColumn, NumericColumn, Target
    >>> schema = Schema(
    ...     name="people",
    ...     target=Target(column="pay", classes=("low", "high")),
    ...     numeric=(NumericColumn(name="age", lower=0, upper=100),),
    ...     categorical=(CategoricalColumn(name="sex", categories=("f", "m")),),
    ...     rows="bound",
    ... )
    >>> schema.feature_names, round(schema.norm_bound, 3)
    (('age', 'sex=f', 'sex=m'), 1.414)
    >>> table = schema.encode({"age": [20.0, 60.0], "sex": ["f", "m"], "pay": ["low", "high"]}, target=True)  # for fit
    """

    name: str
    target: AnyTarget
    numeric: tuple[NumericColumn, ...] = ()
    """Their features come first, in this order."""
    date: tuple[DateColumn, ...] = ()
    """Their features follow."""
    categorical: tuple[CategoricalColumn, ...] = ()
    """Their features follow, one a category, in this order."""
    cross: tuple[Cross, ...] = ()
    """Pairs of columns; their features come last."""
    rows: Rows | None = None  # settled by module `row_lengths`
    missing_values: tuple[str, ...] = ()
    """Texts that stand for a missing value, beside null, NaN and the empty text."""
    file: Dialect = field(default_factory=Dialect)
    """How files of the table are written."""
    person: PersonColumn | None = None
    """The column that says whose row each is."""
    rows_per_person: int | None = None
    """1 where each person has one row, as the owner of the table says. Without this and `person` the unit of privacy is a row."""
    metric: "Metric | None" = None
    """Of encoded rows, in whose coordinates they are given to a fit, at norm 1."""

    __repr__ = short_repr
    _repr_html_ = html_of("schemas.view")

    def __post_init__(self) -> None:
        """Refuse a schema without features, with a column in two places, or with a label that also means missing."""
        checked_text(self.name, what="name")
        if self.rows not in ("normalise", "bound", None):
            near = did_you_mean(str(self.rows), ("normalise", "bound"))
            raise SchemaError(
                f'rows must be "normalise" (divide each row by its norm) or "bound" (leave rows as they are); {self.rows!r} was given.{near}'
            )
        for key in (*COLUMN_TABLES, "missing_values"):
            if not isinstance(getattr(self, key), list | tuple):
                raise SchemaError(f"{key} must be a list; {kind(getattr(self, key))} was given.")
            object.__setattr__(self, key, tuple(getattr(self, key)))
        curves = sum(any(isinstance(one, Curve) for one in each.encoding) for each in (*self.numeric, *self.date))
        for key in ("numeric", "date"):
            object.__setattr__(self, key, tuple(self._settled(column, curves) for column in getattr(self, key)))
        for marker in self.missing_values:
            checked_text(marker, what="missing_values: each")
        if not self.layout.own:
            raise SchemaError("the schema needs at least one feature. Add a table [numeric.NAME] or [categorical.NAME].")
        if self.rows is None:
            object.__setattr__(self, "rows", standard_rows(self.layout))
        self._check_names()
        if self.metric is not None and self.metric.features != self.features:
            raise SchemaError(f"metric: it is for {self.metric.features} features, and the columns have {self.features}.")
        self._check_person()
        self._check_markers()

    def _settled(self, column: _Numbers, curves: int) -> _Numbers:
        """With what follows from the number of curves written down, so that its files mean the same whatever later standards are."""
        settled = tuple(_settled(one, curves) for one in column.encoding)
        return column if settled == column.encoding else replace(column, encoding=settled)

    def _check_names(self) -> None:
        """Each column in one place, each feature one name."""
        seen: set[str] = set()
        for column in self.layout.own:
            if column.name in seen:
                raise SchemaError(f"column {column.name!r} is declared twice. Keep one of its tables.")
            if column.name in self._answers:
                raise SchemaError(
                    f"column {column.name!r} is both the target and a feature: a model would predict it from itself. Delete its [numeric] "
                    "or [categorical] table."
                )
            seen.add(column.name)
        if len(set(self.feature_names)) != self.features:
            raise SchemaError("two features have the same name (a column name with = in it?). Rename the column.")

    def _check_person(self) -> None:
        """Whose rows are whose is said once, and ids are nothing to learn from."""
        if self.rows_per_person is not None and (isinstance(self.rows_per_person, bool) or self.rows_per_person != 1):
            raise SchemaError(
                f"rows_per_person can only be 1 (each person has one row); {self.rows_per_person!r} was given. If a person may have several "
                'rows, add a table [person] with column = "..." and rows = the largest number of rows kept per person.'
            )
        if self.person is None:
            return
        if self.rows_per_person is not None:
            raise SchemaError(
                "rows_per_person = 1 says that each person has one row, and [person] says that some may have more. Keep one of the two."
            )
        if self.person.column in self.columns(target=True, persons=False):
            raise SchemaError(
                f"column {self.person.column!r} holds the person ids, but is a feature or the target too: a model would learn about single "
                "persons. Keep only its table [person]."
            )

    def _check_markers(self) -> None:
        """No declared label may be read as missing."""
        labelled: list[CategoricalColumn | Target] = [*self.categorical, *([self.target] if isinstance(self.target, Target) else [])]
        for column in labelled:
            groups = texts_of(column.classes if isinstance(column, Target) else column.categories, column.aliases)
            texts = [text for each in groups for text in each]
            missing = {self.file.folded(marker) for marker in self.missing_values}
            if clash := sorted(text for text in texts if self.file.folded(text) in missing):
                raise SchemaError(
                    f"{column.where}: {clash[0]!r} is both declared and listed in missing_values, so no cell could ever have it. Remove one "
                    "of the two."
                )
            known: dict[str, int] = {}
            for place, each in enumerate(groups):
                for text in each:
                    if known.setdefault(self.file.folded(text), place) != place:
                        raise SchemaError(
                            f"{column.where}: {text!r} differs from another label only in capitals, which ignore_case ignores. Rename one of "
                            "the two, or make it an alias of the other."
                        )

    @property
    def layout(self) -> Columns:
        """The columns that have features, in the order of the features."""
        return Columns(self.numeric, self.date, self.categorical, self.cross)

    @property
    def features(self) -> int:
        """d, the number of features."""
        return len(self.feature_names)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Such as "age" and "workclass=Private", in the order of the weights."""
        return tuple(name for names in self.layout.names() for name in names)

    @property
    def coding(self) -> Coding:
        """Which features are the dummies of one column: none in the coordinates of a metric."""
        if self.metric is not None:
            return Coding()
        before = sum(len(column.names) for column in (*self.numeric, *self.date))
        ends = list(accumulate((len(column.categories) for column in self.categorical), initial=before))
        return Coding(dummies=tuple(pairwise(ends)), longest=0.0 if self.rows == "normalise" else self.norm_bound)

    @property
    def norm_bound(self) -> float:
        """R, the bound on the norm of every encoded row."""
        return 1.0 if self.rows == "normalise" or self.metric is not None else self.layout.norm()

    @property
    def row_bytes(self) -> int:
        """The memory of an encoded row, at most: numbers; codes and their places, or places and entries; norms, factors and targets."""
        if self.metric is not None:
            return 8 * self.features + 72
        if self.layout.plain:
            return 8 * len(self.numeric) + 24 * len(self.categorical) + 64
        return stored_bytes(self.layout) + 72

    @property
    def persons(self) -> Persons | None:
        """The public rule for persons; None if the unit of privacy is a row."""
        one_each = None if self.rows_per_person is None else ONE_ROW
        return one_each if self.person is None else self.person.rule

    @property
    def dialect(self) -> Dialect:
        """That of cells: of the file, with the texts of missing values."""
        return replace(self.file, missing=self.missing_values)

    def columns(self, *, target: bool, persons: bool | None = None) -> tuple[str, ...]:
        """The columns that a table must have, with the target's or without, and, as that one unless said, with that of `persons` if there is one."""
        named = tuple(column.name for column in self.layout.own)
        named = (*named, *self._answers) if target else named
        return (*named, self.person.column) if self.person is not None and (target if persons is None else persons) else named

    @property
    def answers(self) -> tuple[str, ...]:
        """The columns of targets: of a time that of the time alone."""
        return tuple(one.column for one in self.targets)

    @property
    def _answers(self) -> tuple[str, ...]:
        """The columns that the target is read from."""
        return self.target.columns if isinstance(self.target, TimeTarget) else self.answers

    @property
    def one_target(self) -> OneTarget:
        """The target, for what takes one. Raises SchemaError where there are several."""
        if len(self.targets) > 1:
            raise SchemaError(f"the schema declares the {self.target.where}, and only one is possible here. Use a schema with a single [target].")
        return self.targets[0]

    @property
    def targets(self) -> tuple[OneTarget, ...]:
        """The target, or all of several."""
        return self.target.parts if isinstance(self.target, NumberTargets) else (self.target,)

    @property
    def ends(self) -> tuple[float, ...]:
        """Of the periods that a target of times has; empty for any other target."""
        return self.target.ends if isinstance(self.target, TimeTarget) else ()

    def encode(self, frame: "Frame", *, target: bool, persons: bool | None = None) -> "EncodedTable":
        """The rows of `frame` as features (n, d) and, with `target`, their classes or numbers (n,) or (n, m), from this schema alone.

        With `persons`, which is as `target` unless said, the table tells whose rows are whose, where the schema does. `frame` is a polars
        DataFrame or LazyFrame, a pandas DataFrame, a pyarrow Table or a mapping of columns; columns not named here are ignored. Raises SchemaError
        for absent columns, InvalidInput for a cell that the schema does not cover or a missing id, InvalidType for another kind of table.
        No message tells a cell, a row or a count.
        """
        whose = target if persons is None else persons
        table = frames.as_frame(frame, self.columns(target=target, persons=whose))
        rows = layouts.encode_features(table, self.layout, dialect=self.dialect, normalise=self.rows == "normalise")
        rows = rows if self.metric is None else self.metric.rows(rows)
        signs = codes = numbers = times = None
        if target:
            match self.target:
                case NumberTarget() as number:
                    numbers = layouts.encode_target_numbers(table, number, dialect=self.dialect)
                case NumberTargets(parts=parts):
                    numbers = layouts.encode_several_numbers(table, parts, dialect=self.dialect)
                case TimeTarget() as time:
                    times = time_targets.encode_times(table, time, dialect=self.dialect)
                case Target(classes=(_, _)) as pair:
                    signs = layouts.encode_signs(table, pair, dialect=self.dialect)
                case many:
                    codes = layouts.encode_codes(table, many, dialect=self.dialect)
        return self._table(
            rows,
            signs=signs,
            codes=codes,
            numbers=numbers,
            times=times,
            rule=self.persons if whose else None,
            persons=ids.person_ids(table.get_column(self.person.column), dialect=self.dialect) if whose and self.person is not None else None,
            ends=self.ends,
        )

    def transformer(self, *, sparse_output: bool = True) -> Any:  # noqa: ANN401 - a class above
        """A step of a scikit-learn Pipeline that encodes rows by this schema and learns nothing; say data_norm=schema.norm_bound behind it."""
        return above.transformer(self, sparse_output=sparse_output)

    def encoded(self, rows: "Matrix", *, codes: "Codes | None" = None) -> "EncodedTable":
        """Rows that this schema has encoded before, as a table again; with `codes` (n,), the numbers of their classes."""
        return self._table(rows, signs=None, codes=codes)

    def _table(self, rows: "Matrix", **known: Any) -> "EncodedTable":  # noqa: ANN401 - what EncodedTable takes, and nothing else
        """With what the schema makes public."""
        classes = self.target.classes if isinstance(self.target, Target) else ()
        columns = {"numeric": len(self.numeric), "categorical": len(self.categorical), "coding": self.coding}
        return layouts.EncodedTable(rows=rows, classes=classes, schema=self.name, **columns, **known)

    def to_dict(self) -> dict[str, object]:
        """A plain table for JSON; `from_dict` reads it back."""
        return {
            "format": FORMAT,
            "name": self.name,
            "rows": self.rows,
            "missing_values": list(self.missing_values),
            **({} if self.rows_per_person is None else {"rows_per_person": 1}),
            **({} if self.file == Dialect() else {"file": self.file.to_dict()}),
            "target": plain_target(self.target),
            **({} if self.person is None else {"person": plain_table(self.person)}),
            "numeric": [plain_table(column) for column in self.numeric],
            "categorical": [plain_table(column) for column in self.categorical],
            **{key: [plain_table(column) for column in columns] for key in ("date", "cross") if (columns := getattr(self, key))},
            **({} if self.metric is None else {"metric": self.metric.to_dict()}),
        }

    def to_toml(self) -> str:
        """TOML text; `from_toml` reads it back."""
        return write_toml(self.to_dict())

    @classmethod
    def from_dict(cls, table: object) -> Self:
        """The schema that `to_dict` wrote. Raises SchemaError for everything else, one clear message a mistake."""
        if not isinstance(table, Mapping):
            raise SchemaError(f"a schema is a table; {kind(table)} was given.")
        _check_format(table)
        check_keys(table, known=_KEYS, required=("name", "target"), where="the schema")
        return cls(
            name=table["name"],
            target=target_of(table["target"]),
            numeric=tuple(part_of(NumericColumn, entry, where="numeric") for entry in listed(table, "numeric")),
            date=tuple(part_of(DateColumn, entry, where="date") for entry in listed(table, "date")),
            categorical=tuple(part_of(CategoricalColumn, entry, where="categorical") for entry in listed(table, "categorical")),
            cross=tuple(part_of(Cross, entry, where="cross") for entry in listed(table, "cross")),
            rows=table.get("rows"),
            missing_values=tuple(listed(table, "missing_values")),
            file=file_of(table.get("file", {})),
            person=part_of(PersonColumn, table["person"], where="person") if "person" in table else None,
            rows_per_person=table.get("rows_per_person"),
            metric=metrics.Metric.from_dict(table["metric"]) if "metric" in table else None,
        )

    @classmethod
    @frameless
    def from_toml(cls, text: str) -> Self:
        """The schema that `text` spells. Raises SchemaError, one clear message a mistake."""
        return cls.from_dict(read_toml(text))

    @classmethod
    @frameless
    def load(cls, path: str | Path) -> Self:
        """The schema in a TOML file. Raises InvalidInput where there is none, FileFormatError or SchemaError, with the path, for its content."""
        return load_toml(path, cls.from_toml)


def _settled(encoding: Encoding, curves: int) -> Encoding:
    return replace(encoding, rest=standard_rest(curves)) if isinstance(encoding, Curve) and encoding.rest is None else encoding


def _check_format(table: Mapping[str, object]) -> None:
    if (given := table.get("format")) is None:
        raise SchemaError(f'the schema does not state its format. Begin it with the line format = "{FORMAT}".')
    if given != FORMAT:
        raise SchemaError(
            f'this version reads schemas of format "{FORMAT}"; {given!r} was given. Install a version of discreet that reads it, or convert '
            "the schema."
        )
