"""From a table to private bounds: for the open columns of a schema, and for the norm of rows.

    choose_bounds(frame, draft, ...)   bounds (lower, upper) of every open column of a `SchemaDraft`, and the schema that has them
    choose_norm(X, ...)                one bound of the row norms, for `data_norm`

Each is one release under one certificate. What is chosen is among public candidates; the records decide which of them, through the mechanism only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from discreet.accounting import Json
from discreet.accounting.base import guarantee_words
from discreet.certificates import Certificate, Release, Verification
from discreet.core.advice import mostly_noise
from discreet.core.arrays import Floats
from discreet.core.errors import InfeasibleTarget, InvalidInput, quoted
from discreet.core.frameless import frameless
from discreet.core.neighbours import ADD_REMOVE, DELTA, REPLACE_ONE, Neighbours, Persons, neighbours_of
from discreet.core.short import short_repr
from discreet.core.told import Tabled, Told
from discreet.data.draft import SchemaDraft
from discreet.data.frames import Frame
from discreet.data.schema import Schema
from discreet.ledger import Account
from discreet.matrices import as_matrix
from discreet.matrices.bounded import brought_near
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.bounds_choice.choice import BoundsChoice, OpenColumns
from discreet.mechanisms.bounds_choice.grid import BoundsGrid, grid_named
from discreet.mechanisms.persons import owners_of, schema_rule
from discreet.noise import Noise, SeededNoise, SystemNoise

NORM = "row norm"
_STANDARD = "one-two-five"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedBounds(Tabled):
    """Bounds that were chosen privately, with what they cost; public."""

    bounds: Mapping[str, tuple[float, float]]
    """(lower, upper) of each column."""
    certificate: Certificate
    schema: Schema | None = None
    """The draft with these bounds filled in, each marked with the certificate's digest."""
    least_records: int
    """With fewer they are mostly noise: from public numbers."""

    __repr__ = short_repr

    def told(self) -> Told:
        """The text shown by `print` and in notebooks."""
        return Told(
            title="Bounds that were chosen privately",
            facts=[("Privacy", guarantee_words(self.certificate.guarantee.to_dict())), *(("Noise", words) for words in self.remarks)],
            caption="Released; what lies outside is clipped",
            header=("Column", "Lower", "Upper"),
            rows=[(name, f"{low:.6g}", f"{high:.6g}") for name, (low, high) in self.bounds.items()],
        )

    @property
    def value(self) -> Floats:
        """What the certificate's digest is of, (c, 2)."""
        return np.array(list(self.bounds.values()))

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the noise may have done, from public numbers and from what was released."""
        columns: Any = self.certificate.problem["columns"]
        lists = {one["name"]: (one["lower"], one["upper"]) for one in columns}
        near = [name for name, (low, high) in self.bounds.items() if _innermost(low, high, *lists[name])]
        stayed = f"the choice stayed at the centre of the candidates of {quoted(near)}, as it does where records are too few"
        return (told_least(self.least_records), *([stayed] if near else []))

    def verify(self) -> Verification:
        """Check the certificate, and that these are the bounds that it was issued for."""
        return self.certificate.verify(self.value)

    def to_dict(self) -> dict[str, Json]:
        """For JSON: bounds and certificate."""
        bounds: dict[str, Json] = {name: list(pair) for name, pair in self.bounds.items()}
        return {"bounds": bounds, "least_records": self.least_records, "certificate": self.certificate.to_dict()}


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedBounds:
    """Everything that a release needs, settled before a record is read."""

    draft: SchemaDraft
    problem: OpenColumns
    mechanism: BoundsChoice

    __repr__ = short_repr

    @property
    def least_records(self) -> int:
        """How many a choice takes that says more than its noise."""
        return max(self.mechanism.least_records(self.problem).values())


def prepare_bounds(
    draft: SchemaDraft,
    *,
    epsilon: float,
    delta: float = DELTA,
    neighbours: Neighbours | str = REPLACE_ONE,
    grid: str | BoundsGrid = _STANDARD,
    persons: Persons | None = None,
) -> PreparedBounds:
    """Grids and a calibrated mechanism; raises InvalidInput for what `choose_bounds` would refuse, without a record.

    `persons` None is what the schema of the draft says.
    """
    standard = grid_named(grid) if isinstance(grid, str) else grid
    grids = {name: BoundsGrid.from_edges(draft.grids[name]) if name in draft.grids else standard for name in draft.open}
    problem = OpenColumns(grids, draft.schema.persons if persons is None else persons)
    mechanism = BoundsChoice.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours_of(neighbours))
    return PreparedBounds(draft=draft, problem=problem, mechanism=mechanism)


def release_bounds(
    prepared: PreparedBounds,
    frame: Frame,
    noise: Noise,
    *,
    account: Account | None = None,
    persons: Any = None,  # noqa: ANN401 - ids of any kind
) -> ReleasedBounds:
    """Read the records, spend, choose; `persons` (n,) are ids, where the schema has no column of them.

    Raises as `SchemaDraft.read`, `owners_of` and `BoundsChoice.run` do.
    """
    draft, rule = prepared.draft, prepared.problem.persons
    columns, ids = draft.read(frame)
    ids = persons if ids is None else ids
    if rule is not None and rule.told_apart and ids is None:
        raise InvalidInput("person ids are needed, but none were given. Pass persons, one id per row, or name their column in the schema.")
    owners = owners_of(ids, rule=rule, rows=len(columns[0]), noise=noise)
    kept, weights = owners.kept(columns)
    least = _require_enough(prepared.mechanism, prepared.problem, owners.number)
    # The ledger is told no bytes: of some columns alone, that two tables are alike would tell of one record in them.
    release = prepared.mechanism.run(prepared.problem, Numbers(kept, weights=weights), noise, account=account)
    bounds = _named(draft.open, release)
    schema = draft.filled(bounds, released=release.certificate.digest)
    return ReleasedBounds(bounds=bounds, certificate=release.certificate, schema=schema, least_records=least)


@frameless
def choose_bounds(  # noqa: PLR0913 - each is a public choice
    frame: Frame,
    draft: SchemaDraft,
    *,
    epsilon: float,
    delta: float = DELTA,
    neighbours: Neighbours | str = REPLACE_ONE,
    grid: str | BoundsGrid = _STANDARD,
    ledger: Account | None = None,
    random_state: int | None = None,
    persons: Any = None,  # noqa: ANN401 - ids of any kind
    rows_per_person: int | None = None,
    person_weight: str = "person",
) -> ReleasedBounds:
    """Spend (epsilon, delta) to choose bounds for every open column of `draft`.

    `frame` as `Schema.encode` takes it; `grid` a name (see `grid_named`) or a BoundsGrid for the open columns that list no candidates of their own;
    `random_state` an integer for tests: the certificate then never verifies. Raises SchemaError or InvalidInput for a table that the draft does not
    cover, BudgetExceeded before anything is drawn.

    Where the schema of the draft says whose rows are whose, the unit is a person: rows count what they weigh. Where it does not, `persons` (n,) ids
    may, with `rows_per_person` and `person_weight` as a fit takes them; rows_per_person=1 needs no ids: nobody has a second row, as you say.
    """
    rule = schema_rule(draft.schema.persons, persons, rows_per_person, person_weight)
    prepared = prepare_bounds(draft, epsilon=epsilon, delta=delta, neighbours=neighbours, grid=grid, persons=rule)
    return release_bounds(prepared, frame, noise_of(random_state), account=ledger, persons=persons)


@frameless
def choose_norm(
    X: Any,  # noqa: ANN401 - any table that as_matrix takes
    *,
    epsilon: float,
    delta: float = DELTA,
    neighbours: Neighbours | str = REPLACE_ONE,
    candidates: Sequence[float] | None = None,
    ledger: Account | None = None,
    random_state: int | None = None,
) -> ReleasedBounds:
    """Spend (epsilon, delta) to choose a bound of the rows' Euclidean norms, for `data_norm`: `.bounds["row norm"][1]`.

    X (n, d) finite numbers; `candidates` positive numbers (1, 2, 5, 10, .. from 0.01 to 1e9 if None). Raises InvalidInput for others.
    """
    edges = grid_named(_STANDARD).upper[1:] if candidates is None else tuple(float(edge) for edge in candidates)
    if not edges or not min(edges) > 0:
        raise InvalidInput("the candidates for a norm bound must be positive numbers, at least one.")
    grid = BoundsGrid(lower=(0.0,), upper=(0.0, *sorted(set(edges))))
    problem = OpenColumns({NORM: grid})
    mechanism = BoundsChoice.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours_of(neighbours))
    rows = as_matrix(X)
    norms = brought_near(rows, max(edges)).ordered_row_norms()  # one that is beyond all candidates stays beyond them
    least = _require_enough(mechanism, problem, len(norms))
    release = mechanism.run(problem, Numbers([norms]), noise_of(random_state), account=ledger)  # no bytes, as above: rows have no targets here
    return ReleasedBounds(bounds=_named([NORM], release), certificate=release.certificate, least_records=least)


def told_least(least: int) -> str:
    """What is said beside every choice of bounds, under add-remove as well, where nobody may see how many records there are."""
    return f"bounds of fewer than about {least:,} records are mostly noise"


def _innermost(low: float, high: float, lower: Sequence[float], upper: Sequence[float]) -> bool:
    """Whether no step was taken, or the one that two equal ends need."""
    return (low == lower[0] and high in upper[:2]) or (high == upper[0] and low in lower[:2])


def _require_enough(mechanism: BoundsChoice, problem: OpenColumns, records: int) -> int:
    """How many records a choice takes that says more than its noise. Raises InfeasibleTarget for fewer, where their number is public."""
    least = max(mechanism.least_records(problem).values())
    for words in mostly_noise("a private choice of bounds", least, None if mechanism.neighbours is ADD_REMOVE else records):
        raise InfeasibleTarget(f"{words} Write down bounds that are publicly known, list fewer candidates, or spend more. Nothing was spent.")
    return least


def _named(names: Sequence[str], release: Release) -> dict[str, tuple[float, float]]:
    return {name: (float(low), float(high)) for name, (low, high) in zip(names, release.value, strict=True)}


def noise_of(random_state: int | None) -> Noise:
    """The operating system's for None, a seeded one for an integer. Raises InvalidInput for anything else."""
    if random_state is None:
        return SystemNoise()
    if isinstance(random_state, bool) or not isinstance(random_state, Integral):
        raise InvalidInput(f"random_state must be None or an integer; an object of type {type(random_state).__name__} was given.")
    return SeededNoise(int(random_state))
