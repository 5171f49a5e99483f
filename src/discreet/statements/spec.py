"""Declarations of mechanisms: what each records in a certificate, field by field, and what a certificate of it says.

A `Spec` is a frozen dataclass of public numbers. Its fields are the parameters that a certificate records, each declared once, with the reader of its
type (`Positive`, `PowerOfTwo`, ...). From the declaration follow

    read(parameters)        the strict reader: ValueError, with a name, for a field that is missing, unknown or out of range
    parameters()            what a certificate records
    statement(problem)      theorem, conditions and unit, which whoever verifies compares with what is stated
    law                     of the noise, where it has one size on every number

A mechanism is its Spec, with a calibration and a draw; a recheck is given the Spec and computes with lines of its own. No Spec has a formula that a
recheck uses, and none knows records or how noise is calibrated.
"""

import dataclasses
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Generic, NamedTuple, Self, TypeVar, get_args, get_origin, get_type_hints

from discreet.accounting import Json
from discreet.core.fields import count, finite, flag, not_negative, positive, text, whole
from discreet.core.neighbours import Neighbours, Persons
from discreet.statements.base import APART, SHARED, Fields, Reader, Record, Words, filled, optional, power_of_two, read_fields, register_words

P = TypeVar("P")
"""The public problem, or query, as the Spec reads it."""
S = TypeVar("S", bound="type[Spec[Any]]")

_ABSENT, _DRAWN = "absent", "drawn"


def each(reader: Reader) -> Reader:
    """A list of what the reader passes, one or more, as a tuple."""
    return lambda value: tuple(reader(one) for one in filled(value))


Positive = Annotated[float, positive]
NotNegative = Annotated[float, not_negative]
Finite = Annotated[float, finite]
PowerOfTwo = Annotated[float, power_of_two]
Whole = Annotated[int, whole]
Count = Annotated[int, count]
Flag = Annotated[bool, flag]
Text = Annotated[str, text]
Filled = Annotated[list[Any], filled]
"""A list that is not empty; what is in it is read where it is used."""
Relation = Annotated[Neighbours, lambda value: Neighbours(text(value))]
Positives = Annotated[tuple[float, ...], each(positive)]
Finites = Annotated[tuple[float, ...], each(finite)]
PowersOfTwo = Annotated[tuple[float, ...], each(power_of_two)]


def absent() -> Any:  # noqa: ANN401 - of any field
    """The default of a field that a certificate need not have: None, and then it is not recorded."""
    return dataclasses.field(default=None, metadata={_ABSENT: True})


def drawn() -> Any:  # noqa: ANN401 - of any field
    """The default of a field that is known once the mechanism has drawn: a certificate has it, a calibrated mechanism does not."""
    return dataclasses.field(default=None, metadata={_DRAWN: True})


class Recorded:
    """A frozen dataclass that a certificate records: its fields are those of a JSON object, each with the reader of its type."""

    __slots__ = ()

    @classmethod
    def read_from(cls, record: Record, what: str) -> Self:
        """What a certificate records; `what` it is in sentences. Raises ValueError, with a name, for any other record."""
        fields = _fields_of(cls)
        kept = {name: field.reader for name, field in fields.items() if name in record or field.required or field.drawn}
        return cls(**read_fields(what, record, kept))


class Spec(Recorded, Generic[P]):
    """The declaration of a mechanism."""

    __slots__ = ()
    name: ClassVar[str]
    """In certificates."""
    theorem: ClassVar[str]
    """In certificates: what is proved, and where."""
    several: ClassVar[str] = ""
    """Why it has a guarantee for persons with several rows, SHARED or APART; empty where it has none."""
    neighbours: Neighbours

    @staticmethod
    @abstractmethod
    def problem_of(problem: Record, /) -> Any:  # noqa: ANN401 - what `statement` takes
        """The recorded problem. Raises TypeError or ValueError for one that is none of this mechanism."""

    @classmethod
    def read(cls, parameters: Record) -> Self:
        """The Spec that a certificate records. Raises ValueError, with a name, for any other record."""
        return cls.read_from(parameters, "parameters")

    @classmethod
    def within(cls, parameters: Record) -> Self:
        """The Spec whose fields a larger record has among others, which whoever reads that record checks. Raises ValueError as `read` does."""
        return cls.read({name: parameters[name] for name in cls.readers() if name in parameters})

    @classmethod
    def readers(cls) -> Fields:
        """The reader of each field that a certificate has."""
        return {name: field.reader for name, field in _fields_of(cls).items() if field.required or field.drawn}

    def parameters(self) -> dict[str, Json]:
        """What a certificate records."""
        fields = _fields_of(SPECS[self.name])
        values = {name: getattr(self, name) for name in fields}
        return {name: _plain(value) for name, value in values.items() if value is not None or fields[name].required}

    @abstractmethod
    def statement(self, problem: P) -> Words:
        """What a certificate says of this problem. Raises ValueError where the two do not go together."""


def problem_with(fields: Fields, sometimes: Fields | None = None) -> Callable[[Record], Record]:
    """`problem_of` of a Spec whose problems have exactly these fields, and persons or those of `sometimes` where they are stated."""
    besides: Fields = {**(sometimes or {}), "persons": Persons.from_dict}

    def read(problem: Record) -> Record:
        read_fields("problem", problem, {**fields, **{name: reader for name, reader in besides.items() if name in problem}})
        return problem

    return read


SPECS: dict[str, type[Spec[Any]]] = {}
"""By the names of mechanisms; those of `discreet.words` are there once they are asked for."""


def declared(spec: S) -> S:
    """Decorator: a Spec, found by its name from then on. Raises ValueError when the name is taken."""

    def words(parameters: Record, problem: Record) -> Words:
        return spec.read(parameters).statement(spec.problem_of(problem))

    shared, apart = spec.several == SHARED, spec.several == APART
    register_words(spec.name, parameters=None, problem=None, shared=shared, apart=apart)(words)
    SPECS[spec.name] = spec
    return spec


class _Field(NamedTuple):
    """How a field is read."""

    reader: Reader
    required: bool
    """Whether a calibrated mechanism has it."""
    drawn: bool
    """Whether a certificate has it all the same."""


_FIELDS: dict[type, Mapping[str, _Field]] = {}


def _fields_of(spec: type) -> Mapping[str, _Field]:
    if spec not in _FIELDS:
        _FIELDS[spec] = _read_hints(spec)
    return _FIELDS[spec]


def _read_hints(spec: Any) -> Mapping[str, _Field]:  # noqa: ANN401 - a Spec
    hints = get_type_hints(spec, include_extras=True)
    return {
        one.name: _Field(
            _reader_of(hints[one.name], stated=_ABSENT in one.metadata),
            required=not {_ABSENT, _DRAWN} & one.metadata.keys(),
            drawn=_DRAWN in one.metadata,
        )
        for one in dataclasses.fields(spec)
    }


def _reader_of(hint: Any, *, stated: bool) -> Callable[[Json], Any]:  # noqa: ANN401 - a type
    """The reader of a type; None is a value of its own unless the field is left out instead (`stated`)."""
    if get_origin(hint) is Annotated:
        return get_args(hint)[1]
    alone = [part for part in get_args(hint) if part is not type(None)]
    if len(alone) != 1:
        raise TypeError(f"{hint} is no type of a field: Annotated with a reader, or that or None, is needed")
    reader = _reader_of(alone[0], stated=stated)
    return reader if stated else optional(reader)


def _plain(value: Any) -> Json:  # noqa: ANN401 - of a field
    return str(value) if isinstance(value, Neighbours) else list(value) if isinstance(value, tuple) else value
