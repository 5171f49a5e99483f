"""Schemas as plain tables, and those as TOML text: reading by the standard library, and the small writer that it lacks.

    format = "discreet-schema/1"        [target]              [numeric.age]        [categorical."work class"]
    name = "census"                     column = "income"     lower = 17           categories = ["Private", "State-gov"]

Read and written is a plain table of the form of `Schema.to_dict`, where `numeric` and `categorical` are lists of tables with a `name`: a list keeps
its order in every JSON library, and the order of the columns is the order of the weights.
"""

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from discreet.core.errors import FileFormatError, InvalidInput, SchemaError, did_you_mean, kind, quoted
from discreet.core.files.reading import opened
from discreet.core.files.whole_file import reason_of
from discreet.data.columns import CategoricalColumn, Cross, DateColumn, NumberTarget, NumericColumn, Target
from discreet.data.dialect import Dialect
from discreet.data.encodings import Encoding, Linear, spelled
from discreet.data.labels import PLACEHOLDER
from discreet.data.person_column import PersonColumn
from discreet.data.targets import NumberTargets, TimeTarget

T = TypeVar("T")
_Part = TypeVar("_Part", NumericColumn, DateColumn, CategoricalColumn, Cross, Target, NumberTarget, TimeTarget, PersonColumn)
OneTarget: TypeAlias = Target | NumberTarget | TimeTarget
AnyTarget: TypeAlias = OneTarget | NumberTargets

COLUMN_TABLES = ("numeric", "date", "categorical", "cross")
"""The tables that hold one table a column."""

LARGEST = 1 << 22
"""Bytes of a schema's file."""
_MOST_PARTS = 8
"""Of a name: what reads TOML needs stack for each part, and the square of their number in time."""
_NO_NAME = re.compile(
    r'"{3}(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5})?'
    r"|'{3}(?:[^']|'(?!''))*+(?:'{3,5})?"
    r'|"(?:[^"\\\n]|\\.)*+"?'
    r"|'[^'\n]*+'?"
    r"|#[^\n]*+",
    re.DOTALL,
)
"""A string or a comment, open ones to where they must end."""
_MANY_PARTS = re.compile(rf"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{_MOST_PARTS}}}")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def read_toml(text: str, *, prepare: Callable[[dict[str, Any]], None] | None = None) -> dict[str, object]:
    """The plain table that `text` spells. Raises SchemaError where it is no TOML, or a stub with open placeholders.

    `prepare` may fill in or remove entries of the parsed table before placeholders are looked for (`discreet.data.draft`).
    """
    table = _parsed(text)
    if prepare is not None:
        prepare(table)
    if still_open := _placeholders(table):
        raise SchemaError(
            f"the schema still has open placeholders: {quoted(still_open)}. Replace each {PLACEHOLDER!r} with what is publicly known, or "
            "delete its table."
        )
    for group in COLUMN_TABLES:
        if group in table:
            table[group] = _named(table[group], group=group)
    return table


def load_toml(path: str | Path, read: Callable[[str], T]) -> T:
    """What `read` makes of a file. Raises InvalidInput where there is none, FileFormatError or SchemaError, with the path, for its content."""
    try:
        with opened(path) as file:
            content = file.read(LARGEST + 1)
        text = content.decode("utf-8-sig") if len(content) <= LARGEST else ""
    except UnicodeDecodeError:
        refusal: InvalidInput = FileFormatError(f"schema {str(path)!r} is not UTF-8 text. Save it as UTF-8.")
    except FileNotFoundError:
        refusal = InvalidInput(f"there is no schema file {str(path)!r}. Check the path, or write a stub with `discreet schema new`.")
    except (OSError, ValueError) as error:
        refusal = InvalidInput(f"schema {str(path)!r} cannot be read ({reason_of(error)}). A readable TOML file is needed.")
    else:
        if len(content) > LARGEST:
            raise FileFormatError(
                f"{str(path)!r} is larger than the {LARGEST >> 20} MiB that a schema may have. Check the path, or leave columns out."
            )
        try:
            return read(text)
        except SchemaError as error:
            refusal = SchemaError(f"{path}: {error}")
    raise refusal


def write_toml(table: Mapping[str, object]) -> str:
    """TOML text that `read_toml` reads back to an equal table."""
    lines = [f"{key} = {toml_value(value)}" for key, value in table.items() if not isinstance(value, Mapping) and key not in COLUMN_TABLES]
    for key, value in table.items():
        if isinstance(value, Mapping):
            lines += ["", f"[{toml_key(key)}]", *_lines(value)]
        elif key in COLUMN_TABLES and isinstance(value, Sequence):
            for column in value:
                lines += ["", f"[{key}.{toml_key(column['name'])}]", *_lines({name: field for name, field in column.items() if name != "name"})]
    return "\n".join(lines) + "\n"


def toml_key(name: str) -> str:
    """`name` as a key: bare where TOML allows it."""
    return name if _BARE_KEY.fullmatch(name) else toml_string(name)


def toml_string(text: str) -> str:
    """`text` as a basic string. JSON escapes a subset of what TOML reads, but for DEL, which TOML wants escaped, and what is beyond ASCII."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def check_keys(table: Mapping[str, object], *, known: tuple[str, ...], required: tuple[str, ...], where: str) -> None:
    """Raise SchemaError, with what it is of, for a key that is unknown or absent."""
    for key in table:
        if key not in known:
            raise SchemaError(f"{where}: unknown key {key!r}.{did_you_mean(str(key), known)} Known keys: {quoted(known)}.")
    if absent := [key for key in required if key not in table]:
        hint = ' A table [target] with column = "..." and classes = ["...", "..."] is needed.' if "target" in absent else " Add it."
        raise SchemaError(f"{where}: {quoted(absent)} is missing.{hint}")


def listed(table: Mapping[str, object], key: str) -> list[Any]:
    """What stands under a key; SchemaError for anything but a list."""
    given = table.get(key, [])
    if not isinstance(given, list | tuple):
        raise SchemaError(f"{key} must be a list; {kind(given)} was given.")
    return list(given)


def _lines(table: Mapping[str, object]) -> list[str]:
    return [f"{toml_key(key)} = {toml_value(value)}" for key, value in table.items()]


def toml_value(value: object) -> str:
    """One value on one line; a number that is whole without its fraction."""
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
        case int():
            return str(value)
        case str():
            return toml_string(value)
        case list() | tuple():
            return f"[{', '.join(map(toml_value, value))}]"
        case Mapping():
            return f"{{{', '.join(_lines(value))}}}"
        case _:
            raise SchemaError(f"{kind(value)} cannot be part of a schema.")


def _parsed(text: str) -> dict[str, Any]:
    """tomllib's table. Its ValueError for very long integers and RecursionError for very deep lists are mistakes too."""
    if _MANY_PARTS.search(_NO_NAME.sub("_", text)):
        raise SchemaError(f"the schema is not valid: a name has more than {_MOST_PARTS} parts, as in a.b.c. Put column names with dots in quotes.")
    try:
        table = tomllib.loads(text)
        _placeholders(table)  # as deep as the table is
    except tomllib.TOMLDecodeError as error:
        reason = str(error)
    except (ValueError, RecursionError):
        reason = "a number too long or a list too deep"
    else:
        return table
    raise SchemaError(f"the schema is not valid TOML: {reason}. Strings and column names with blanks or dots go in double quotes; each table once.")


def _placeholders(value: object, path: str = "") -> list[str]:
    """Where the placeholder stands, as dotted paths."""
    match value:
        case str() if value == PLACEHOLDER:
            return [path]
        case dict():
            return [found for key, inner in value.items() for found in _placeholders(inner, f"{path}.{toml_key(key)}" if path else toml_key(key))]
        case list():
            return list(dict.fromkeys(found for inner in value for found in _placeholders(inner, path)))
        case _:
            return []


def _named(columns: object, *, group: str) -> list[dict[str, object]]:
    """`[numeric.age]` as {"name": "age", ...}."""
    if not isinstance(columns, dict):
        raise SchemaError(f"{group} must have one table per column, as in [{group}.age]; {kind(columns)} was given.")
    named: list[dict[str, object]] = []
    for name, entries in columns.items():
        if not isinstance(entries, dict):
            raise SchemaError(f"{group} must have one table per column, as in [{group}.age]; {group}.{toml_key(name)} is {kind(entries)}.")
        if "name" in entries:
            raise SchemaError(f"{group} column {name!r}: unknown key 'name'. The name of a column is the name of its table.")
        named.append({"name": name, **entries})
    return named


def plain_target(target: AnyTarget) -> object:
    """A table; several in a list."""
    return [plain_table(part) for part in target.parts] if isinstance(target, NumberTargets) else plain_table(target)


def plain_table(part: NumericColumn | DateColumn | CategoricalColumn | Cross | OneTarget | PersonColumn) -> dict[str, object]:
    """The fields of a part that differ from their defaults, lists for tuples."""
    found = {}
    for one in fields(part):
        value, standard = getattr(part, one.name), one.default
        if one.name == "encoding" and standard != (Linear(),):
            standard = None  # spelled out, since later versions may have other standards
        if value is not None and value != standard:
            found[one.name] = dict(value) if one.name == "aliases" else _spelled(value)
    return found


def _spelled(value: object) -> object:
    """A field as files have it; one encoding without a list around it."""
    if not isinstance(value, tuple):
        return value
    listed = [spelled(one) if isinstance(one, Encoding) else one for one in value]
    return listed[0] if len(listed) == 1 and isinstance(value[0], Encoding) else listed


def part_of(kind_of_part: type[_Part], entry: object, *, where: str) -> _Part:
    """A column or the target from its table."""
    if not isinstance(entry, Mapping):
        raise SchemaError(f"{where} must be a table; {kind(entry)} was given.")
    if isinstance(entry.get("name"), str):
        where = f"{where} column {entry['name']!r}"
    known = fields(kind_of_part)
    required = tuple(field.name for field in known if field.default is MISSING)
    check_keys(entry, known=tuple(field.name for field in known), required=required, where=where)
    return kind_of_part(**entry)


def file_of(entry: object) -> Dialect:
    """How files are written. Raises SchemaError."""
    if not isinstance(entry, Mapping):
        raise SchemaError(f'file must be a table, [file], with lines such as separator = ";"; {kind(entry)} was given.')
    check_keys(entry, known=tuple(one.name for one in fields(Dialect) if one.name != "missing"), required=(), where="file")
    return Dialect(**entry)


def target_of(entry: object) -> AnyTarget:
    """A number where bounds are declared, a time where periods are, else classes; several numbers in a list."""
    if isinstance(entry, list | tuple):
        for one in entry:
            if isinstance(one, Mapping) and not {"classes", "ends"}.isdisjoint(one):
                raise SchemaError(
                    "with several targets, each is a number with lower and upper. A schema with classes or times has a single [target]."
                )
        return NumberTargets(parts=tuple(part_of(NumberTarget, one, where="target") for one in entry))
    if isinstance(entry, Mapping) and "ends" in entry and "classes" not in entry:
        return part_of(TimeTarget, entry, where="target")
    if isinstance(entry, Mapping) and not {"lower", "upper"}.isdisjoint(entry) and "classes" not in entry:
        return part_of(NumberTarget, entry, where="target")
    return part_of(Target, entry, where="target")
