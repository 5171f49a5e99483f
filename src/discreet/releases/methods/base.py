"""What a method of release is: the public numbers that it asks for, the query and mechanism that follow from them, and what its releases are like.

    Setting   a number that may be asked for, with its words          Request   what was asked
    Way       one notion of privacy that a method can be calibrated for: the settings that it needs and takes, and the plan that follows
    Method    its ways; the kind, the noise and the words of its releases, which reading, checking and describing a folder take from here

A number that a method cannot use is refused with the list of those that it takes. `calibration="published"` takes the formula of the paper instead.
Where the formula is false the certificate promises nothing and says why.

Noise is what a consumer subtracts, a function of public parameters (the rounding to the grid, step^2 / 12 a number, is included):

    rows       released row = row + noise,                 covariance = E noise' noise
    sketch     E[S' S] / k = Z'Z + covariance              for the k rows S of the sketch
    moments    released matrix = Z'Z + E,                  Cov(E u) = (u'N u) N + N u u'N for every u, N the covariance: nothing to subtract
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeAlias, TypedDict, TypeVar

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.core.errors import FileFormatError, InvalidInput, did_you_mean, quietly, quoted
from discreet.core.neighbours import REPLACE_ONE, Neighbours
from discreet.core.short import short_repr
from discreet.core.validate import number
from discreet.data import Domain, Schema
from discreet.queries import RowQuery, Rows, SecondMoments, Target
from discreet.releases.methods.columns import Kind
from discreet.words.release import ReleaseSpec

if TYPE_CHECKING:
    from discreet.data import Records
    from discreet.mechanisms.base import Mechanism

Calibration: TypeAlias = Literal["tight", "published"]
Query: TypeAlias = RowQuery | SecondMoments
Deferred: TypeAlias = Callable[[], type[Any]]
"""A mechanism's class, which is imported where a release is planned and not where one is read."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(Generic[T]):
    """A number that somebody may ask for."""

    name: str
    kind: type[T]
    says: str
    """What it is, for messages."""
    help: str
    """On the command line."""
    option: str
    """Its name there, with dashes."""
    form: str = "a number"
    """How it is written there."""

    def read(self, text: str) -> Any:  # noqa: ANN401 - of its kind
        """What is written so. Raises ValueError for anything else."""
        reader: Callable[[str], Any] = _numbers if self.kind is list else _ends if self.kind is dict else self.kind
        return reader(text)


SETTINGS: dict[str, Setting[Any]] = {}
"""All that methods take, by name, in the order of the help."""


def setting(name: str, kind: type[T], says: str, on_command_line: str, *, option: str | None = None, form: str = "a number") -> Setting[T]:
    """A new one, kept in `SETTINGS`; `option` where the command line has another word for it."""
    made = Setting(name=name, kind=kind, says=says, help=on_command_line, option=f"--{option or name.replace('_', '-')}", form=form)
    SETTINGS[name] = made
    return made


def _numbers(text: str) -> list[float]:
    return [float(one) for one in text.split(",")]


def _ends(text: str) -> dict[str, tuple[float, float]]:
    """NAME=WIDTH or NAME=LOW:HIGH, separated by commas."""
    found: dict[str, tuple[float, float]] = {}
    for name, _, given in (one.rpartition("=") for one in text.split(",")):
        low, _, high = given.rpartition(":")
        if not name.strip() or name.strip() in found:
            raise ValueError
        found[name.strip()] = (float(low) if low else -float(high), float(high))
    return found


EPSILON = setting("epsilon", float, "epsilon, the privacy loss", "Privacy loss that the release may cost, > 0.")
DELTA = setting("delta", float, "delta, the probability that the loss is exceeded", "Probability that the loss is exceeded; well below 1 / records.")
BITS = setting("bits", float, "bits that may be learned about an entry", "Bits that may be learned about any one number.")
ROWS = setting("rows", int, "rows, the number of rows of the sketch", "Rows of a sketch.")
WIDTH = setting("width", int, "width, the number of columns of the projection", "Columns of a projection.", option="columns")
SLOTS = setting(
    "slots",
    int,
    "slots, the public number of rows under add-remove and of persons",
    "With add-remove, or several rows per person: number of released rows, public and at least as large as the number that there are.",
)
SHUFFLE = setting(
    "shuffle",
    int,
    "shuffle, a public number of rows that hide each other",
    "Release the rows in a secret random order, and rely on this many of them to hide each other: far less noise. At most the records, or slots.",
)
MOST_RECORDS = setting(
    "most_records",
    int,
    "most_records, a public bound of the number of records",
    "A public upper bound on the number of sketched records.  [default: 10,000,000]",
)
LEVEL = setting("level", float, "level of the noise", "Level of fisher or bounded noise; the larger, the less noise.")
PRIVATE = (EPSILON, DELTA)


class Private(TypedDict):
    """What every calibration for (epsilon, delta) takes."""

    epsilon: float
    delta: float
    neighbours: Neighbours


class Request:
    """What somebody asks of a release; whether a number is needed or refused is the method's to say."""

    __slots__ = ("_numbers", "domain", "neighbours", "schema", "target")

    def __init__(
        self,
        *,
        domain: Domain,
        target: Target = Target.NOISY,
        neighbours: Neighbours = REPLACE_ONE,
        schema: Schema | None = None,
        **numbers: Any,  # noqa: ANN401 - of the kinds of `SETTINGS`
    ) -> None:
        """`numbers` are `SETTINGS` by name, None where nothing was asked; `schema` has the columns' own units. Raises InvalidInput for others."""
        if unknown := [name for name in numbers if name not in SETTINGS]:
            raise InvalidInput(f"no method takes {unknown[0]!r}.{did_you_mean(unknown[0], SETTINGS)}")
        self.domain, self.target, self.neighbours, self.schema = domain, target, neighbours, schema
        self._numbers = {name: number(value, name) if name in ("epsilon", "delta") else value for name, value in numbers.items() if value is not None}

    @property
    def given(self) -> tuple[str, ...]:
        """Names of the numbers that were asked for, in the order of `SETTINGS`."""
        return tuple(name for name in SETTINGS if name in self._numbers)

    def __getitem__(self, wanted: Setting[T]) -> T:
        """A number that `require` has found. Raises InvalidInput where it is missing."""
        found = self.get(wanted)
        if found is None:
            raise InvalidInput("a number is missing.")
        return found

    def get(self, wanted: Setting[T]) -> T | None:
        """The number, or None."""
        found: Any = self._numbers.get(wanted.name)
        return found

    @property
    def private(self) -> Private:
        """The budget and the relation, as a mechanism's `calibrate` takes them."""
        return {"epsilon": self[EPSILON], "delta": self[DELTA], "neighbours": self.neighbours}

    @property
    def records(self) -> Rows:
        """The query for the records themselves."""
        return Rows(domain=self.domain, target=self.target)

    def moments(self, target: Target | None = None, *, counted: bool = False) -> SecondMoments:
        """The query for their second moments, `counted` for sums and their number beside them."""
        most = self.get(MOST_RECORDS)
        bound = {} if most is None else {"most_records": most}
        return SecondMoments(domain=self.domain, target=target or self.target, counted=counted, **bound)

    def require(self, method: str, way: "Way") -> None:
        """Raise InvalidInput for a number that is missing, or one that the method cannot use."""
        if missing := [wanted.says for wanted in way.needs if wanted.name not in self._numbers]:
            raise InvalidInput(f"method {method!r} needs {', '.join(missing)}; give {'it' if len(missing) == 1 else 'them'}.")
        known = [usable.name for usable in (*way.needs, *way.takes)]
        if useless := [name for name in self.given if name not in known]:
            of = f"method {method!r} has no setting {useless[0]} ({SETTINGS[useless[0]].says})."
            raise InvalidInput(f"{of} It takes {quoted(known, most=12)}. Leave {useless[0]} out.")

    def require_entries(self, method: str) -> None:
        """Raise InvalidInput unless entries are bounded one by one, and rows not as a whole: that ties entries together."""
        if not self.domain.entries_alone:
            raise InvalidInput(
                f"method {method!r} protects single numbers, each within an entry bound of its own. "
                'In a schema: rows = "bound", and numeric columns only (the numbers of a category move together). In a domain: entry_bound alone.'
            )

    def require_bits(self, method: str) -> None:
        """Raise InvalidInput for what bits about an entry cannot be stated for."""
        if self.neighbours is not REPLACE_ONE:
            raise InvalidInput("bits about entries need replace-one: an entry cannot be added or removed. Leave neighbours out.")
        self.require_entries(method)


class Plan(NamedTuple):
    """A public query and the calibrated mechanism that answers it; no record has been read."""

    query: Query
    mechanism: "Mechanism[Any, Records]"


def least_noise(mechanism: Deferred, query: Callable[[Request], Query], *settings: Setting[Any]) -> Callable[[Request], Plan]:
    """A plan for (epsilon, delta): the mechanism's own calibration for that query, with these settings by their names."""

    def plan(request: Request) -> Plan:
        asked = query(request)
        return Plan(asked, mechanism().calibrate(asked, **request.private, **{one.name: request.get(one) for one in settings}))

    return plan


def for_bits(method: str, mechanism: Deferred, query: Callable[[Request], Query], *settings: Setting[Any]) -> Callable[[Request], Plan]:
    """The same for bits about any one entry."""

    def plan(request: Request) -> Plan:
        request.require_bits(method)
        asked = query(request)
        return Plan(asked, mechanism().calibrate(asked, bits=request[BITS], **{one.name: request.get(one) for one in settings}))

    return plan


class Way(NamedTuple):
    """One notion that a method can be calibrated for."""

    plan: Callable[[Request], Plan]
    """Raises InvalidInput for what the method cannot do, InfeasibleTarget where no noise is enough."""
    needs: tuple[Setting[Any], ...]
    takes: tuple[Setting[Any], ...] = ()
    calibration: Calibration = "tight"


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One way to release a table, and all that is particular about its releases."""

    name: str
    says: str
    """What leaves, in one line."""
    kind: Kind
    query: type[Query]
    """What its mechanisms answer."""
    specs: tuple[type[ReleaseSpec[Any]], ...]
    """The declarations of its mechanisms."""
    ways: tuple[Way, ...] = ()
    collected: str = ""
    """Why no table is released so, for a method without ways."""
    shows_all: str = ""
    """What makes a release protect nobody: the first of what is exposed."""
    unshuffled: str = ""
    """Why a secret order of its rows, where it has any, is not counted."""
    exposes: str = ""
    """What else it does not protect."""
    draws_projection: bool = False
    """Whether the first rows of the mechanism's value are the matrix that records were multiplied by."""
    clears_target: bool = False
    """Whether the target that the query reads is released without noise."""
    on_grid: bool = True
    """Whether released numbers are multiples of the mechanism's step."""

    __repr__ = short_repr

    def plan(self, request: Request, calibration: Calibration) -> Plan:
        """Query and mechanism. Raises InvalidInput for what this method cannot do, InfeasibleTarget where no noise is enough."""
        ways = [way for way in self.ways if way.calibration == calibration]
        if not ways:
            raise InvalidInput(_NO_WAY[calibration].format(method=self.name))
        # The way whose first number was asked for; without one, the last, which is the usual one, says what is missing.
        way = next((way for way in ways if way.needs[0].name in request.given), ways[-1])
        if SHUFFLE.name in request.given and not any(SHUFFLE in each.takes for each in self.ways):
            why = self.unshuffled or "there are no rows of single records, and so no order, in what it releases"
            raise InvalidInput(f"method {self.name!r} takes no shuffle: {why}. Leave shuffle out.")
        request.require(self.name, way)
        if calibration == "published" and request.neighbours is not REPLACE_ONE:
            raise InvalidInput("the published calibrations are for replace-one; leave neighbours out.")
        made = way.plan(request)
        if (has := self.target_of(made.query)) != request.target:
            asked = f"the target was asked for as {str(request.target)!r}, but method {self.name!r} answers with {str(has)!r}"
            raise InvalidInput(f"{asked}; say target={str(has)!r} (--target {has}), or choose another method.")
        return made

    def target_of(self, query: Query) -> Target:
        """What becomes of the target in a release of this query."""
        return Target.CLEAR if self.clears_target else query.read.target

    def width(self, query: Query, parameters: Mapping[str, Json]) -> object:
        """Columns of the answer: the query's, or those of the matrix that was drawn, as recorded."""
        return parameters.get("width") if self.draws_projection else query.columns

    def spec_of(self, mechanism: str) -> type[ReleaseSpec[Any]] | None:
        """The declaration of one of its mechanisms, None for another."""
        return next((spec for spec in self.specs if spec.name == mechanism), None)

    def has_public_noise(self, mechanism: str) -> bool:
        """Whether the noise of this mechanism does not depend on the records."""
        spec = self.spec_of(mechanism)
        return spec is not None and spec.covariance is not ReleaseSpec.covariance

    def has_normal_noise(self, mechanism: str) -> bool:
        """Whether the noise of this mechanism is normal, up to rounding."""
        spec = self.spec_of(mechanism)
        return spec is not None and spec.normal

    def noise_covariance(self, mechanism: str, parameters: Mapping[str, Json], query: Query, *, columns: int) -> Floats | None:
        """(columns, columns), zero for numbers without noise; None where it is not public. Raises FileFormatError for other parameters."""
        spec = self.spec_of(mechanism)
        if spec is None:
            return None
        refusal = FileFormatError("the parameters of the release are incomplete, of the wrong type or out of range.")
        noisy = quietly(lambda: spec.read(parameters).covariance(query), refusal, KeyError, TypeError, ValueError, ZeroDivisionError, OverflowError)
        if noisy is None:
            return None
        size = len(noisy)
        if size > columns or not np.all(np.isfinite(noisy)):
            raise FileFormatError("the noise of the release does not belong to its columns.")
        covariance = np.zeros((columns, columns))
        covariance[:size, :size] = noisy
        covariance.setflags(write=False)
        return covariance


_NO_WAY = {
    "tight": "method {method!r} protects nobody: it has no sound calibration. For comparison, calibration='published' (--calibration "
    "published) releases it without any guarantee.",
    "published": "method {method!r} has no published calibration that differs from ours; leave calibration out.",
}
