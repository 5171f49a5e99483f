"""Labels: the categories of a column and the classes of a target, and how the cells of a table are compared with them.

A label is a string, an integer or a boolean. It and a cell are compared as text:

    declared        matches the text
    "Private"       Private
    1               1, 1.0
    true            true, True, TRUE
    aliases {f = "female"}     f, and female

With `ignore_case` of the file's dialect capitals do not count.

The text of a cell is the text itself without the blanks around it, an integer in decimal digits, a boolean as `true` or `false`, a floating-point
number that is whole as an integer, and any other as Python's shortest decimal text. A date is ISO 8601 text; so is a moment, by its own clock and
without its time zone, and without the time where that is midnight. So 1 in a Parquet file, 1.0 in a pandas column with gaps and "1" in a CSV file are
the same label, and two labels that match the same text are refused as duplicates.

What is made of labels, the classes of an estimator and the cells of a released column, has one type, which follows from the labels that are declared
and from no cell: booleans where all are, integers where all are, else the texts.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.core.errors import SchemaError, did_you_mean, kind

Label: TypeAlias = str | int | bool
"""A category or a class as it is declared."""

BLANKS = " \t\r\n\f\v"
"""What counts as blank around a cell."""

UNREADABLE = "\0"
"""The text of a cell that cannot be read: it is no number, no date, no id, and no label that can be declared."""

_TURNS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Turn the direction of what follows."""

PLACEHOLDER = "FILL IN"
"""What a stub writes where only its owner can know the answer; never a label or a name."""


def canonical(label: Label) -> str:
    """The text of a label in feature names."""
    if isinstance(label, bool):
        return "true" if label else "false"
    return str(label)


def of_one_type(labels: Sequence[Label]) -> "tuple[type, tuple[Label, ...]]":
    """The type of what is made of these labels, and each of them as one of it."""
    kinds = {type(label) for label in labels}
    one = next(iter(kinds)) if len(kinds) == 1 else str
    return one, tuple(labels) if len(kinds) == 1 else tuple(map(canonical, labels))


def label_array(labels: Any) -> npt.NDArray[Any]:  # noqa: ANN401 - whatever a caller calls classes
    """The labels of a schema as an array in which they differ, as they do in the schema: 1 and true would be one number. Anything else as it is."""
    mixed = isinstance(labels, list | tuple) and {type(label) for label in labels} <= {str, int, bool}
    return np.asarray(of_one_type(labels)[1] if mixed else labels)


def spellings(label: Label) -> tuple[str, ...]:
    """Every text that matches the label, the canonical one first."""
    text = canonical(label)
    if isinstance(label, bool):
        return (text, text.capitalize(), text.upper())
    return (text, f"{text}.0") if isinstance(label, int) else (text,)


def checked_text(value: object, *, what: str) -> str:
    """`value` if it can stand in a schema as a name or a text; SchemaError otherwise. `what` begins the message."""
    if not isinstance(value, str):
        raise SchemaError(f"{what} must be a string; {kind(value)} was given. Put it in quotes.")
    if not value.strip(BLANKS):
        raise SchemaError(f"{what} must not be empty.")
    if value != value.strip(BLANKS):
        raise SchemaError(f"{what} has blanks around it: {value!r}. Remove them; blanks around the texts of a table are ignored too.")
    if value == PLACEHOLDER:
        raise SchemaError(f"{what} is still the placeholder {PLACEHOLDER!r} of the stub. Fill it in.")
    kinds = {unicodedata.category(letter) for letter in value}
    if "Cs" in kinds:
        raise SchemaError(f"{what} contains half a surrogate pair, which UTF-8 cannot encode.")
    if kinds & {"Cc", "Zl", "Zp"} or not _TURNS.isdisjoint(value):
        raise SchemaError(
            f"{what} contains a control character, which could make a terminal show something else: {value!r}. Remove it, here and in the table."
        )
    return value


def checked_labels(labels: object, *, what: str, at_least: int = 2) -> tuple[Label, ...]:
    """`labels` as a tuple of distinct labels; SchemaError otherwise. `what` names the key in messages."""
    if isinstance(labels, str) or not isinstance(labels, Sequence):
        raise SchemaError(f'{what} must be a list of strings, integers or booleans, as in ["no", "yes"]; {kind(labels)} was given.')
    seen: set[str] = set()
    for label in labels:
        _checked_label(label, what=what)
        for text in spellings(label):
            if text in seen:
                raise SchemaError(f"{what} has {canonical(label)!r} twice (labels are compared as text). Keep one.")
        seen.update(spellings(label))
    if len(labels) < at_least:
        raise SchemaError(f"{what} needs at least {at_least} labels; {len(labels)} was given. A column with a single value tells a model nothing.")
    return tuple(labels)


def checked_aliases(aliases: object, labels: Sequence[Label], *, what: str, among: str) -> tuple[tuple[str, Label], ...]:
    """Pairs (text of a cell, the label it means), in order; SchemaError for a text that is a label already, and for a label that is none."""
    pairs = aliases.items() if isinstance(aliases, Mapping) else aliases
    if not isinstance(pairs, Iterable) or isinstance(pairs, str):
        raise SchemaError(f'{what} must say which label each text means, as in {{f = "female"}}; {kind(aliases)} was given.')
    found: dict[str, Label] = {}
    known = _by_text(labels)
    taken = {text for one in labels for text in spellings(one)}
    for text, label in pairs:
        checked_text(text, what=f"{what}: a text")
        if text in taken or text in found:
            raise SchemaError(f"{what}: {text!r} is declared already. Keep one of the two.")
        if label is None:
            raise SchemaError(f"{what}: {text!r} stands for nothing. Say which of the {among} it stands for.")
        found[text] = _one_of(known, label, what=f"{what}: what {text!r} means", among=among)
    return tuple(found.items())


def settle_labels(part: object, labels: tuple[Label, ...], *, what: str, among: str) -> None:
    """Check `other`, `missing` and `aliases` of a frozen part of a schema against its labels, and keep them as declared. Raises SchemaError."""
    for key in ("other", "missing"):
        object.__setattr__(part, key, declared(getattr(part, key), labels, what=f"{what}: {key}", among=among))
    aliases = checked_aliases(getattr(part, "aliases"), labels, what=f"{what}: aliases", among=among)  # noqa: B009 - of any part that has them
    object.__setattr__(part, "aliases", aliases)


def texts_of(labels: Sequence[Label], aliases: Sequence[tuple[str, Label]]) -> tuple[tuple[str, ...], ...]:
    """Every text that matches each label."""
    found = {canonical(one): list(spellings(one)) for one in labels}
    for text, meant in aliases:
        found[canonical(meant)].append(text)
    return tuple(tuple(found[canonical(one)]) for one in labels)


def declared(label: object, labels: Sequence[Label], *, what: str, among: str) -> Label | None:
    """The one of `labels` that `label` matches as text, None for None; SchemaError where it is none of them."""
    return None if label is None else _one_of(_by_text(labels), label, what=what, among=among)


def _by_text(labels: Sequence[Label]) -> dict[str, Label]:
    return {canonical(one): one for one in labels}


def _one_of(known: Mapping[str, Label], label: object, *, what: str, among: str) -> Label:
    """As `declared`, of labels by their texts."""
    text = canonical(_checked_label(label, what=what))
    if text not in known:
        raise SchemaError(
            f"{what} must be one of the {among}; {text!r} was given.{did_you_mean(text, known)} Add it to {among} or choose one of them."
        )
    return known[text]


def _checked_label(label: object, *, what: str) -> Label:
    """`label` if it can be one."""
    if isinstance(label, str):
        return checked_text(label, what=f"{what}: a label")
    if not isinstance(label, int):
        raise SchemaError(f"{what}: a label must be a string, an integer or a boolean; {kind(label)} was given. Put fractional numbers in quotes.")
    if not -(2**63) <= label < 2**63:
        raise SchemaError(f"{what}: an integer label must fit into 64 bits. Put longer ones in quotes.")
    return label
