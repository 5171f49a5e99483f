"""The parts of a schema as plain tables, as its files have them."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import TypeAlias, TypeVar

from discreet.core.errors import SchemaError, kind
from discreet.data.columns import CategoricalColumn, Cross, DateColumn, NumberTarget, NumericColumn, Target
from discreet.data.dialect import Dialect
from discreet.data.encodings import Encoding, Linear, spelled
from discreet.data.number_targets import NumberTargets
from discreet.data.person_column import PersonColumn
from discreet.data.time_target import TimeTarget
from discreet.data.toml_text import check_keys

_Part = TypeVar("_Part", NumericColumn, DateColumn, CategoricalColumn, Cross, Target, NumberTarget, TimeTarget, PersonColumn)
OneTarget: TypeAlias = Target | NumberTarget | TimeTarget
AnyTarget: TypeAlias = OneTarget | NumberTargets


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
