"""How a certificate says what it says, and reads its fields: conditions, readers of values, and the table of what mechanisms say.

A record is read strictly: a field that is missing, unknown or mistyped is refused. Nothing here knows a problem, a query or a mechanism: what each
mechanism says stands in `discreet.words`, above the problems whose numbers it states. What is stated, and the verdicts of who checks it, are here
too, since a certificate is written and read without anything that checks it, and `discreet.verification` checks what is stated, whoever wrote it.

Where the unit of privacy is a person, whatever the mechanism:

    theorem of the mechanism; SHARED      rows of one person share one record's weight: a_i >= 0 with sum a_i <= 1, functions of that person's rows
    theorem of the mechanism; APART       rows of one person leave one by one, and the noise hides all of them together
    theorem of the mechanism; ONE_ROW     nobody has a second row

SHARED is true of a mechanism whose noise hides what one record may move, where the sum over one person's rows is a convex combination of such moves,
and of one whose own theorem is for such sums (proof note persons.md of the learning mechanisms). APART is true of released rows, whose noise knows
how many a person has at most (proof note rows.md of the releases). `register_words` says which mechanisms these are; any other one is refused
persons with several rows, when it runs and when its certificate is read.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from discreet.accounting import Guarantee, Json, Unit
from discreet.accounting.groups import ONE_ROW
from discreet.core.errors import quietly
from discreet.core.fields import positive, text
from discreet.core.neighbours import ADD_REMOVE, Neighbours, Persons
from discreet.core.short import short_repr


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """One condition of the theorem, and what makes sure that it holds."""

    required: str
    enforced: str
    before: str | None = field(default=None, compare=False, repr=False)
    """The condition as older certificates said it, whose bound was computed less closely: as true, and still taken. None where there is none."""

    def is_said_by(self, stated: "Hypothesis") -> bool:
        """Whether a certificate that states `stated` says this condition, in today's words or in those before."""
        return stated.enforced == self.enforced and stated.required in (self.required, self.before)


class Words(NamedTuple):
    """What a certificate says besides its numbers."""

    theorem: str
    hypotheses: tuple[Hypothesis, ...]
    declared: tuple[str, ...] = ()
    unit: Unit = Unit.RECORD
    local: bool = False
    secret: tuple[str, ...] = ()
    """What must stay secret besides the noise."""


Record: TypeAlias = Mapping[str, Json]
Writer: TypeAlias = Callable[[Record, Record], Words]
"""From (parameters, problem) to words. Raises KeyError, TypeError or ValueError for a record that is none of its mechanism's."""
Reader: TypeAlias = Callable[[Json], object]
"""Passes a value that the field may hold; TypeError or ValueError for any other."""
Fields: TypeAlias = Mapping[str, Reader]

SHARED = "rows of one person share one record's weight (persons.md)"
APART = "rows of one person do not share a weight, and move sqrt(their number) times as far as one (rows.md)"

WRITERS: dict[str, Writer] = {}
"""What each mechanism says; what `discreet.words` registers is there once it is asked for."""
SEVERAL: dict[str, str] = {}
"""Why mechanisms have a guarantee for persons with several rows: SHARED or APART."""

CUTS_THEN_FIT, NORM_THEN_FIT, CURVATURE_WITH_FIT = "cuts-then-fit", "norm-then-fit", "curvature-with-fit"
SCORES_WITH_FIT = "scores-with-fit"
"""Two mechanisms that are one release."""
COMPOSED = "numerical composition"
"""The rule of guarantees whose whole curves were composed, in their theorems."""
CLASSES = "the classes"
LABELS_THAT_OCCUR = "the set of labels that occur in y, since classes=None"
SCHEMA = "the schema: columns, bounds, categories and classes"
THE_SETTINGS = "the settings that are searched over"
KERNEL = "the kernel with its scale, the number of features and their seed"
PRIOR = "the point that the ridge pulls towards (prior)"
METRIC = "the metric in whose coordinates rows are (SHA-256 of its map {digest})"
"""Lines of what callers may declare public, besides what a mechanism always takes for granted."""
_METRIC = re.compile(re.escape(METRIC).replace(re.escape("{digest}"), "[0-9a-f]{64}"))
_NOTHING_COUNTED = "nothing that is released was computed from a secret number of records"
_ABOUT = re.compile(r"about ([1-9][0-9]*) records(, which the number of steps was chosen for)?")


def register_words(
    mechanism: str,
    *,
    parameters: Fields | None,
    problem: Fields | None,
    sometimes: Fields | None = None,
    shared: bool = False,
    apart: bool = False,
) -> Callable[[Writer], Writer]:
    """Decorator: the words of the mechanism of this name, whose records have exactly these fields (None: its writer looks).

    A problem may have fields of `sometimes` besides, and `persons`; `shared` where the guarantee is that of persons with several rows that share one
    record's weight, `apart` where it is that of all their rows, each by itself. Raises ValueError when the name is taken.
    """
    several = SHARED if shared else APART if apart else ""

    def keep(writer: Writer) -> Writer:
        if mechanism in WRITERS:
            raise ValueError(f"the words of {mechanism!r} are registered already")

        def strict(given_parameters: Record, given_problem: Record) -> Words:
            persons = persons_of(given_problem) if "persons" in given_problem else None
            whose: Fields = {} if persons is None else {"persons": Persons.from_dict}
            for what, given, fields in (("parameters", given_parameters, parameters), ("problem", given_problem, problem)):
                if fields is not None:
                    more = {name: reader for name, reader in {**(sometimes or {}), **whose}.items() if what == "problem" and name in given}
                    read_fields(what, given, {**fields, **more})
            words = writer(given_parameters, given_problem)
            if persons is None or stays(words.unit, persons):
                return words
            if persons.several and not several:
                raise ValueError("problem: this mechanism has no guarantee for persons with several rows")
            more_conditions = (Hypothesis(required=required, enforced=enforced) for required, enforced in _conditions_for(persons, several))
            return words._replace(
                theorem=theorem_for(words.theorem, persons, several), hypotheses=(*words.hypotheses, *more_conditions), unit=_unit_of_persons(words)
            )

        WRITERS[mechanism] = strict
        if several:
            SEVERAL[mechanism] = several
        return writer

    return keep


def theorem_for(theorem: str, persons: Persons, several: str = SHARED) -> str:
    """That of a mechanism, for persons; `several` of whom have several rows."""
    return f"{theorem}; {several if persons.several else ONE_ROW}"


def _conditions_for(persons: Persons, several: str = SHARED) -> tuple[tuple[str, str], ...]:
    """What is required of rows and persons besides, and what enforces it."""
    kept = f"kept are at most {persons.rows} rows of a person, drawn uniformly by the run's own randomness"
    one = "one row of each person is kept, drawn uniformly by the run's own randomness"
    each = {"person": "one over the number of rows of its person", "row": f"one over {persons.rows}"}.get(persons.weight)
    owned = {
        "declared": ("nobody has a second row", "declared by the caller: rows are not told apart"),
        "kept": ("nobody has a second row", one),
        SHARED: (f"the weights of one person's rows add up to at most 1: a row weighs {each}", f"{kept}; weights know their number alone"),
        APART: (f"a person has at most {persons.rows} rows, and noise hides them together", f"{kept}, and they leave in a secret uniform order"),
    }["declared" if not persons.told_apart else several if persons.several else "kept"]
    return owned, ("neighbours differ in all rows of one person", "what is said of records above is said of persons")


def stays(unit: Unit, persons: Persons) -> bool:
    """Whether a unit is what it is for persons too: that of what is composed of others, and less than a record where nobody has a second one."""
    return unit is Unit.PERSON or (unit is not Unit.RECORD and not persons.told_apart)


def _unit_of_persons(words: Words) -> Unit:
    if words.unit is not Unit.RECORD or words.local:
        raise ValueError("problem: only guarantees of whole records, whose noise the holder of the table adds, become those of persons")
    return Unit.PERSON


def read_fields(what: str, record: Record, fields: Fields) -> dict[str, Any]:
    """The values of a record that has exactly these fields. Raises ValueError, with a name, for one that is missing, unknown or out of range."""
    if unknown := sorted(set(record) - set(fields)):
        raise ValueError(f"{what}: {unknown[0][:40]!r} is no field of this mechanism")
    values: dict[str, Any] = {}
    for name, reader in fields.items():
        if name not in record:
            raise ValueError(f"{what}: {name!r} is missing")
        refusal = ValueError(f"{what}: {name!r} holds what it cannot hold")
        values[name] = quietly(partial(reader, record[name]), refusal, TypeError, ValueError, KeyError)
    return values


def power_of_two(value: Json) -> float:
    """A power of two, so that grid points are exact numbers."""
    step = positive(value)
    if math.frexp(step)[0] != 0.5:
        raise ValueError
    return step


def mapping(value: Json) -> dict[str, Json]:
    """A JSON object; what is in it is read where it is used."""
    if not isinstance(value, dict):
        raise TypeError
    return value


def filled(value: Json) -> list[Json]:
    """A list that is not empty; what is in it is read where it is used."""
    if not isinstance(value, list) or not value:
        raise TypeError
    return value


def optional(reader: Reader) -> Reader:
    """None, or what the reader passes."""
    return lambda value: None if value is None else reader(value)


def among(*allowed: Json) -> Reader:
    """One of these values."""

    def read(value: Json) -> Json:
        if not any(type(value) is type(one) and value == one for one in allowed):
            raise ValueError
        return value

    return read


relation = among(*(str(one) for one in Neighbours))


def relation_of(parameters: Record) -> Neighbours:
    """The relation that noise was calibrated for."""
    return Neighbours(text(parameters["neighbours"]))


def persons_of(problem: Record) -> Persons:
    """Whose rows are whose, of a problem that says it; one row a person where it does not."""
    return Persons.from_dict(problem["persons"]) if "persons" in problem else Persons()


def scored_persons(problem: Record) -> Persons:
    """The same of the records that a fit's answers are compared with: one a person where the fit made several rows of each."""
    return Persons(rows=1, weight="declared") if "made_rows" in problem else persons_of(problem)


def condition(required: str, enforced: str, *records: Record, **more: object) -> Hypothesis:
    """One whose sentences hold {fields} of the records, or `more`, in formats: "scale {scale:.10g}"."""
    fields: dict[str, object] = {}
    for record in (*reversed(records), more):
        fields.update(record)
    return Hypothesis(required=required.format(**fields), enforced=enforced.format(**fields))


def counted(neighbours: Neighbours, enforced: str = "", *, records: Json = None) -> Hypothesis:
    """The condition on the number of records, which is stated where it is known."""
    secret = neighbours is ADD_REMOVE
    known = f", {records}," if isinstance(records, int) else ""
    public = f"the number of records{known} is public: neighbours have equally many"
    return condition("the number of records may itself be secret" if secret else public, f"relation {neighbours}{enforced}")


def counted_by_fit(parameters: Record, problem: Record) -> Hypothesis:
    """The hypothesis of what is counted by a fit."""
    noisy = "count_scale" in parameters
    enforced = "of a secret number of records a noisy one alone was used" if noisy else _NOTHING_COUNTED
    return counted(relation_of(parameters), f": {enforced}", records=problem["records"])


def noise_hypothesis(law: str, *records: Record, **more: object) -> Hypothesis:
    """The condition on the noise, `law` in words that hold {fields} of the records."""
    return condition(
        f"the noise is secret and {law}", "drawn by the noise source anew for every release, surely close to an ideal real draw", *records, **more
    )


def by_schema(lines: Iterable[str]) -> tuple[str, ...]:
    """The same lines where a schema brings the classes."""
    return tuple(SCHEMA if line == CLASSES else line for line in lines)


def about_records(records: int, *, steps: bool = False) -> str:
    """A number of records under add-remove, where it is secret by itself."""
    return f"about {records} records" + (", which the number of steps was chosen for" if steps else "")


def unknown_lines(lines: Iterable[str], of_mechanism: Iterable[str]) -> list[str]:
    """Those that nobody writes."""
    always = {*of_mechanism, CLASSES, SCHEMA, LABELS_THAT_OCCUR, THE_SETTINGS, KERNEL, PRIOR}
    return [line for line in lines if line not in always and not _ABOUT.fullmatch(line) and not _METRIC.fullmatch(line)]


def public_records(lines: Iterable[str]) -> int | None:
    """The number of records that was declared public, where one was."""
    found = [int(match[1]) for line in lines if (match := _ABOUT.fullmatch(line))]
    return found[0] if len(found) == 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """The fields of a certificate."""

    mechanism: str
    """Name of the mechanism, which is also the name of its recheck."""
    parameters: Mapping[str, Json]
    """Public parameters of the mechanism: noise scales, tolerance, budget shares."""
    problem: Mapping[str, Json]
    """The public problem."""
    guarantee: Guarantee
    hypotheses: tuple[Hypothesis, ...]
    noise: str
    """Where the noise came from."""
    noise_private: bool
    """False when the noise can be replayed."""
    digest: str
    """SHA-256 of the released numbers."""
    declared: tuple[str, ...] = ()
    """What the caller declared public."""
    version: str = ""
    """Version of the library that issued the certificate."""
    releases: int = 1
    """How many releases of the mechanism the guarantee covers together."""
    ledger_entry: str | None = None
    """Identifier of the entry in the ledger that the budget was reserved by; None where no ledger was in use."""

    __repr__ = short_repr


class Check(NamedTuple):
    """One verdict, in words, with public numbers."""

    name: str
    ok: bool
    detail: str

    def __bool__(self) -> bool:
        """Whether it passed: a verdict that failed must not be taken for true because it is there."""
        return self.ok


Recheck: TypeAlias = Callable[[Stated], Iterable[Check]]
"""From what is stated to verdicts on the numbers of the guarantee."""

RECHECKS: dict[str, Recheck] = {}
"""By the names of their mechanisms; those of `discreet.verification` are registered as they are imported."""


def register_recheck(*mechanisms: str) -> Callable[[Recheck], Recheck]:
    """Decorator: the recheck of the mechanisms of these names. Raises ValueError when a name is taken."""

    def keep(function: Recheck) -> Recheck:
        for mechanism in mechanisms:
            if mechanism in RECHECKS:
                raise ValueError(f"a recheck for {mechanism!r} is registered already")
            RECHECKS[mechanism] = function
        return function

    return keep
