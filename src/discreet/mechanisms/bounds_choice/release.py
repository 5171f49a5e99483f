"""From a table to private bounds: for the open columns of a schema, and for the norm of rows.

    choose_bounds(frame, draft, ...)   bounds (lower, upper) of every open column of a `SchemaDraft`, and the schema that has them
    choose_norm(X, ...)                one bound of the row norms, for `data_norm`

Each is one release under one certificate. What is chosen is among public candidates; the records decide which of them, through the mechanism only.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from discreet.accounting import Json
from discreet.certificates import Certificate, Release, Verification
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import REPLACE_ONE, Neighbours, neighbours_of
from discreet.data.draft import SchemaDraft
from discreet.data.frames import Frame
from discreet.data.schema import Schema
from discreet.ledger import Account
from discreet.matrices import as_matrix
from discreet.matrices.bounded import brought_near
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.bounds_choice.choice import BoundsChoice, OpenColumns
from discreet.mechanisms.bounds_choice.grid import BoundsGrid, grid_named
from discreet.mechanisms.persons import refuse_told_apart
from discreet.noise import Noise, SeededNoise, SystemNoise

NORM = "row norm"
_STANDARD = "one-two-five"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedBounds:
    """Bounds that were chosen privately, with what they cost; public."""

    bounds: Mapping[str, tuple[float, float]]
    """(lower, upper) of each column."""
    certificate: Certificate
    schema: Schema | None = None
    """The draft with these bounds filled in, each marked with the certificate's digest."""

    @property
    def value(self) -> Floats:
        """What the certificate's digest is of, (c, 2)."""
        return np.array(list(self.bounds.values()))

    def verify(self) -> Verification:
        """Check the certificate, and that these are the bounds that it was issued for."""
        return self.certificate.verify(self.value)

    def to_dict(self) -> dict[str, Json]:
        """For JSON: bounds and certificate."""
        return {"bounds": {name: list(pair) for name, pair in self.bounds.items()}, "certificate": self.certificate.to_dict()}


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedBounds:
    """Everything that a release needs, settled before a record is read."""

    draft: SchemaDraft
    problem: OpenColumns
    mechanism: BoundsChoice


def prepare_bounds(
    draft: SchemaDraft,
    *,
    epsilon: float,
    delta: float = 0.0,
    neighbours: Neighbours | str = REPLACE_ONE,
    grid: str | BoundsGrid = _STANDARD,
) -> PreparedBounds:
    """Grids and a calibrated mechanism; raises InvalidInput for what `choose_bounds` would refuse, without a record."""
    refuse_told_apart(draft.schema.persons, "a choice of bounds")
    standard = grid_named(grid) if isinstance(grid, str) else grid
    problem = OpenColumns({name: BoundsGrid.from_edges(draft.grids[name]) if name in draft.grids else standard for name in draft.open})
    mechanism = BoundsChoice.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours_of(neighbours))
    return PreparedBounds(draft=draft, problem=problem, mechanism=mechanism)


def release_bounds(prepared: PreparedBounds, frame: Frame, noise: Noise, *, account: Account | None = None) -> ReleasedBounds:
    """Read the records, spend, choose. Raises as `SchemaDraft.read` and `BoundsChoice.run` do."""
    draft = prepared.draft
    columns = draft.read(frame)
    release = prepared.mechanism.run(prepared.problem, Numbers(columns, _bytes(columns)), noise, account=account)
    bounds = _named(draft.open, release)
    schema = draft.filled(bounds, released=release.certificate.digest)
    return ReleasedBounds(bounds=bounds, certificate=release.certificate, schema=schema)


def choose_bounds(
    frame: Frame,
    draft: SchemaDraft,
    *,
    epsilon: float,
    delta: float = 0.0,
    neighbours: Neighbours | str = REPLACE_ONE,
    grid: str | BoundsGrid = _STANDARD,
    ledger: Account | None = None,
    random_state: int | None = None,
) -> ReleasedBounds:
    """Spend (epsilon, delta) to choose bounds for every open column of `draft`.

    `frame` as `Schema.encode` takes it; `grid` a name (see `grid_named`) or a BoundsGrid for the open columns that list no candidates of their own;
    `random_state` an integer for tests: the certificate then never verifies. Raises SchemaError or InvalidInput for a table that the draft does not
    cover, BudgetExceeded before anything is drawn.
    """
    prepared = prepare_bounds(draft, epsilon=epsilon, delta=delta, neighbours=neighbours, grid=grid)
    return release_bounds(prepared, frame, noise_of(random_state), account=ledger)


def choose_norm(
    X: Any,  # noqa: ANN401 - any table that as_matrix takes
    *,
    epsilon: float,
    delta: float = 0.0,
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
        raise InvalidInput("the candidates for a bound of norms must be positive numbers, at least one.")
    grid = BoundsGrid(lower=(0.0,), upper=(0.0, *sorted(set(edges))))
    problem = OpenColumns({NORM: grid})
    mechanism = BoundsChoice.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours_of(neighbours))
    rows = as_matrix(X)
    norms = brought_near(rows, max(edges)).ordered_row_norms()  # one that is beyond all candidates stays beyond them
    release = mechanism.run(problem, Numbers([norms], rows.content()), noise_of(random_state), account=ledger)
    return ReleasedBounds(bounds=_named([NORM], release), certificate=release.certificate)


def _named(names: Sequence[str], release: Release) -> dict[str, tuple[float, float]]:
    return {name: (float(low), float(high)) for name, (low, high) in zip(names, release.value, strict=True)}


def _bytes(columns: Sequence[Floats]) -> Iterator[bytes]:
    return (column.tobytes() for column in columns)


def noise_of(random_state: int | None) -> Noise:
    """The operating system's for None, a seeded one for an integer. Raises InvalidInput for anything else."""
    if random_state is None:
        return SystemNoise()
    if isinstance(random_state, bool) or not isinstance(random_state, Integral):
        raise InvalidInput(f"random_state must be None or an integer; an object of type {type(random_state).__name__} was given.")
    return SeededNoise(int(random_state))
