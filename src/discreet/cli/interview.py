"""`discreet schema new --interview`: the questions whose answers are a schema, in plain words, column by column.

Proposals come from the names of columns alone: no record is read. Every answer is checked when it is given, and asked for again where it cannot be.
Rules for values outside, missing, unreadable and other ones are always written, and capitals of labels do not count, so that no table is refused for
what it holds, but for rows without an answer, if the answers say so, and for those without a person id.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeVar, cast

import click

import discreet
from discreet.core.errors import InvalidInput, SchemaError, quietly
from discreet.data.columns import INDICATOR, CategoricalColumn, DateColumn, NumberTarget, NumericColumn, Target
from discreet.data.dialect import Dialect
from discreet.data.encodings import Curve
from discreet.data.labels import Label
from discreet.data.person_column import PersonColumn

T = TypeVar("T")
Kind = Literal["number", "categories", "date", "person", "skip"]
KINDS: tuple[Kind, ...] = ("number", "categories", "date", "person", "skip")
DATES = ("year-month-day", "day.month.year", "month/day/year", "day/month/year")
MARKS = {"": "1234567", ",": "1,234,567", ".": "1.234.567", " ": "1 234 567", "'": "1'234'567", "_": "1_234_567"}
"""How large numbers are written, by the mark of thousands."""
_LONGEST = 40
_OTHER = "other"
_REFUSED = "refuse the table"
_GAP = "  A row in which it is missing counts as"


class Proposal(NamedTuple):
    """What a name suggests."""

    kind: Kind
    lower: str | None = None
    upper: str | None = None
    labels: str | None = None


_BY_NAME: tuple[tuple[str, Proposal], ...] = (
    (r"(^|\W|_)(id|key|nr|no|number|patient|person|customer|client|kunde|kennung)$", Proposal("person")),
    (r"name|street|address|phone|mail|iban|ssn|comment|note|text|strasse|adresse|telefon", Proposal("skip")),
    (r"(^|\W|_)(zip|plz|postcode|postal)", Proposal("skip")),
    (r"(^|\W|_)(age|alter)($|\W|_)", Proposal("number", "0", "120")),
    (r"percent|share|anteil|prozent", Proposal("number", "0", "100")),
    (r"(^|\W|_)hours?($|\W|_)", Proposal("number", "0", "168")),
    (r"(^|\W|_)(year|jahr)($|\W|_)", Proposal("number", "1900", "2100")),
    (r"date|datum|birthday|admitted|aufnahme|(^|\W|_)day($|\W|_)", Proposal("date", "1900-01-01", "2100-12-31")),
    (r"(^|\W|_)(sex|gender|geschlecht)($|\W|_)", Proposal("categories", labels="female, male")),
    (r"^(is|has|was)(\W|_)|flag|yes|_yn$", Proposal("categories", labels="no, yes")),
    (r"country|city|state|region|type|kind|category|status|class|group|ward|department|job|education|marital|race|diagnos", Proposal("categories")),
    (r"land$|stadt|ort$|typ$|(^|\W|_)art$|klasse|gruppe|station|abteilung|beruf|familienstand|versicherung", Proposal("categories")),
)


def proposal(name: str) -> Proposal:
    """What a column may be, by its name alone; a number where nothing is known."""
    return next((found for pattern, found in _BY_NAME if re.search(pattern, name.lower())), Proposal("number"))


def interview(header: Sequence[str], *, name: str, target: str | None, file: Dialect, text: bool = True) -> "discreet.Schema":
    """The schema that the answers make; of a file of text how its numbers are written is asked too.

    Raises InvalidInput where the questions end before the answers do.
    """
    refusal = InvalidInput("the interview ended before its last question. Nothing was written.")
    return quietly(lambda: _asked(header, name, target, file, text=text), refusal, click.Abort)


def _asked(header: Sequence[str], name: str, target: str | None, file: Dialect, *, text: bool) -> "discreet.Schema":
    _say("Answer from what is publicly known: the questionnaire, the law, the code book. Never look a bound or a list up in the table.")
    _say("Press Enter to accept the answer in brackets.")
    predicted = target if target is not None and target in header else _one("\nWhich column do you want to predict?", header, header[-1])
    answer = _target(predicted, file)
    found: dict[str, list[Any]] = {"number": [], "categories": [], "date": [], "person": [], "skip": []}
    for column in header:
        if column != predicted:
            kind, made = _column(column, file, person=not found["person"])
            found[kind].append(made)
    person = found["person"][0] if found["person"] else None
    several = person is None and click.confirm("\nCan a person have more than one row?", default=False, err=True)
    if several:
        _say("  Then Discreet protects single rows, not persons, until you name a column of ids under [person].")
    written = replace(file, ignore_case=True, unreadable="missing")
    if text and (found["number"] or isinstance(answer, NumberTarget)):
        written = replace(written, thousands=_thousands(file))
    if found["date"]:
        written = replace(written, dates=_one("\nHow are dates written?", DATES, DATES[1] if file.decimal == "," else DATES[0]))
    return discreet.Schema(
        name=name,
        file=written,
        target=answer,
        numeric=tuple(found["number"]),
        date=tuple(found["date"]),
        categorical=tuple(found["categories"]),
        person=person,
        rows_per_person=None if person is not None or several else 1,
    )


def _thousands(file: Dialect) -> str:
    """The mark between groups of digits, which is not that of fractions."""
    marks = {example: mark for mark, example in MARKS.items() if mark != file.decimal}
    return marks[_one("\nHow are large numbers written in the file?", tuple(marks), MARKS[file.thousands if file.thousands in MARKS else ""])]


def _target(column: str, file: Dialect) -> Target | NumberTarget:
    chosen = _one(f"Is {column!r} one of a few classes, a number, or a count from 0 on?", ("classes", "number", "count"), "classes")
    if chosen != "classes":

        def number() -> NumberTarget:
            bounds = _count(column, file) if chosen == "count" else _bounds(column, file, Proposal("number"))
            gap = _text(f"{_GAP} (a number, or {_REFUSED})", _REFUSED)
            return NumberTarget(column=column, **bounds, outside="clip", missing=None if gap == _REFUSED else _number(gap, file))

        return _again(number)

    def classes() -> Target:
        labels, aliases = _labels("  Its classes, separated by commas; if there are two, put the positive one second", "no, yes")
        return Target(column=column, classes=labels, aliases=tuple(aliases.items()))

    found = _again(classes)
    gap = _one(_GAP, (*map(str, found.classes), _REFUSED), _REFUSED)
    return found if gap == _REFUSED else replace(found, missing=gap)


def _column(column: str, file: Dialect, *, person: bool) -> tuple[Kind, Any]:
    """What the column is, and its part of the schema."""
    guess = proposal(column)
    kinds = tuple(kind for kind in KINDS if kind != "person" or person)
    kind = cast(Kind, _one(f"\n{column!r} is a", kinds, guess.kind if guess.kind in kinds else "skip"))
    known = guess if guess.kind == kind else Proposal(kind)
    match kind:
        case "number":

            def number() -> NumericColumn:
                bounds = _bounds(column, file, known)
                return NumericColumn(name=column, **bounds, outside="clip", missing=INDICATOR, encoding=(Curve(),))

            return kind, _again(number)
        case "categories":

            def categories() -> CategoricalColumn:
                labels, aliases = _labels("  All its possible values, separated by commas; f = female makes f another spelling", known.labels)
                other = next((label for label in labels if label.lower() == _OTHER), _OTHER)
                labels = labels if other in labels else (*labels, other)
                return CategoricalColumn(name=column, categories=labels, other=other, missing=other, aliases=tuple(aliases.items()))

            return kind, _again(categories)
        case "date":

            def dates() -> DateColumn:
                lower = _text("  Its earliest possible day, such as 1990-01-31", known.lower)
                return DateColumn(name=column, lower=lower, upper=_text("  The latest", known.upper), outside="clip", missing=INDICATOR)

            return kind, _again(dates)
        case "person":
            question = "  It holds the person ids. How many rows per person may be kept at most?"
            return kind, _again(lambda: PersonColumn(column=column, rows=int(_number(_text(question, "5"), file))))
        case _:
            return kind, None


def _bounds(column: str, file: Dialect, known: Proposal) -> dict[str, Any]:
    """Of numbers; values outside count as the nearer one."""
    lower = _number(_text(f"  The smallest possible value of {column!r}", known.lower), file)
    return {"lower": lower, "upper": _number(_text("  The largest", known.upper), file)}


def _count(column: str, file: Dialect) -> dict[str, Any]:
    """Bounds of numbers that say how many."""
    return {"lower": 0.0, "upper": _number(_text(f"  The largest possible value of {column!r}", None), file), "counts": True}


def _number(text: str, file: Dialect) -> float:
    """As people type them: 100000, 100_000, 100,000 or 100 000, and as the file writes them. Raises SchemaError for anything else."""
    bare = text.strip()
    if file.decimal == "," and re.fullmatch(r"[+-]?(\d+|[1-9]\d{0,2}(\.\d{3})+)(,\d+)?", bare):
        return float(bare.replace(".", "").replace(",", "."))
    if re.fullmatch(r"[+-]?[1-9]\d{0,2}(?P<mark>[,_' ])\d{3}((?P=mark)\d{3})*(\.\d*)?", bare):
        bare = re.sub("[,_' ]", "", bare)
    such = "100000, 100.000 or 2,5" if file.decimal == "," else "100000, 100_000 or 2.5"
    return quietly(lambda: float(bare), SchemaError(f"{_short(text)} is not a number. Type one such as {such}."), ValueError)


def _labels(question: str, default: str | None) -> tuple[tuple[str, ...], dict[str, Label]]:
    """The labels, and other spellings of some of them."""
    labels: list[str] = []
    aliases: dict[str, Label] = {}
    for typed in filter(str.strip, _text(question, default).split(",")):
        spelling, _, meant = (part.strip() for part in typed.partition(" = "))
        label = next((one for one in labels if one.lower() == meant.lower()), meant) or spelling
        known = {one.lower() for one in (*labels, *aliases)}
        if spelling.lower() in known or (meant and label not in labels and label.lower() in known):
            raise SchemaError(f"{_short(spelling)} has two meanings; capitals are ignored. Type each once.")
        if label not in labels:
            labels.append(label)
        if meant:
            aliases[spelling] = label
    return tuple(labels), aliases


def _short(text: str) -> str:
    return repr(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...")


def _one(question: str, choices: Sequence[str], default: str) -> str:
    """One of them, or a beginning that only one has."""

    def chosen() -> str:
        given = _text(f"{question} ({', '.join(choices)})" if len(choices) < 8 else question, default)
        fits = [given] if given in choices else [one for one in choices if one.lower().startswith(given.lower())]
        if len(fits) != 1:
            raise SchemaError(f"{_short(given)} is not one of them. Type one of {', '.join(choices)}.")
        return fits[0]

    return _again(chosen)


def _again(ask: Callable[[], T]) -> T:
    """What the answers make; asked for again as long as they make nothing."""
    while True:
        try:
            return ask()
        except InvalidInput as error:
            _say(f"  {error}")


def _text(question: str, default: str | None) -> str:
    given: str = click.prompt(question, default=default, err=True)
    return given


def _say(text: str) -> None:
    click.echo(text, err=True)
