"""Rows with independent noise, on a grid: additive noise X + N, and a public projection X P + N (proof note rows.md).

    released row i = w (round(a_i / w) + K_i),     a_i = the query's answer for record i,  K_i discrete Gaussian integers of scale s

    (epsilon, delta),   delta = e^A (delta_G(epsilon - A - B; D / s) + e^epsilon e^-800),   D = S / w + sqrt(columns)

S is the query's sensitivity, A and B (below 1e-9 in use) what separates discrete Gaussian integers from rounded normal numbers (residual_stage.md,
lemma 2). One stage is enough, since a_i is a function of record i to the last bit: there is no real-valued ideal to stay close to.

    replace-one   rows in the order of the records; n is public
    add-remove    the rows of the table and rows of zeros, `slots` together, in a secret uniform order, S from record to zeros; n stays secret

Persons with at most M rows each: sqrt(M) S and M columns in the place of S and columns, and slots under either relation: how many rows a person
has, and where in the table, is the person's own (theorem 4 of the note). Rows that are released one by one do not share a weight.

Local: one owner, one record, the same numbers (S between any two records of the declared domain). A target released in clear is protected by nothing:
the unit is then the features of a record, and there is no add-remove.

For bits about single entries instead (theorem 3 of the note), from s of 4096 on:

    bits = log2((U^2 + s^2 + 1/12) / s^2) / 2,     U = entry bound / w + 1/2,    about any one entry, all others known, for every prior

So the noise is about U / sqrt(2^(2 bits) - 1), whatever the number of columns: far less than a record needs, for a far weaker promise. Entries are
bounded one by one; a record's numbers add up. (Showkatbakhsh, Karakus, Diggavi 2018, lemma 1, which holds as printed, on a grid.)
"""

import math
import sys
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from discreet.accounting import ApproximateDP, ConcentratedDP, Guarantee, MutualInformation, NoGuarantee, Statement, discrete_delta, gaussian_mu
from discreet.accounting.base import scope
from discreet.certificates import Release
from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import REPLACE_ONE, Neighbours
from discreet.data import Records
from discreet.matrices import as_matrix
from discreet.mechanisms.base import Drawn, Mechanism
from discreet.mechanisms.release.placement import check_placement, placed, require_slots
from discreet.noise import Noise, least_drawable
from discreet.queries import RowQuery, Rows
from discreet.queries.base import UP
from discreet.words import for_persons
from discreet.words.rows import GaussianRows, InformationRows, OwnedRows

_LEAST_SCALE = 2.0**12
LARGEST_SCALE = 2.0**51
"""In steps: what the exact samplers draw."""
_FINENESS = 2.0**20
"""Steps in a sensitivity, per square root of columns: rounding costs about a millionth of the noise."""


class GridRelease(OwnedRows, Mechanism[RowQuery, Records]):
    """Rows on a grid with integer noise of one law on every number, by the holder of a table or by owners of single records."""

    __slots__ = ()

    def require(self, query: RowQuery, data: Records) -> None:
        """See Mechanism; also for more records than slots, and for more than one in a local release."""
        query.read.require(data)
        require_slots(data, self.slots)
        if self.local and data.records != 1:
            raise InvalidInput("a local release contains a single record, that of its owner. Use randomise, or calibrate without local=True.")

    def draw(self, query: RowQuery, data: Records, noise: Noise) -> Drawn:
        """See Mechanism."""
        return placed(query, data, noise, self.add, self.slots)

    def randomise(self, query: RowQuery, features: Floats, noise: Noise, *, target: float = 0.0) -> Release:
        """One record by its owner, who keeps it: `features` (d,) and its target, clipped to the domain; shape (1, columns)."""
        return self.run(query, self.one_record(query, features, target), noise)

    def one_record(self, query: RowQuery, features: Floats, target: float) -> Records:
        """The data set of one owner. Raises InvalidInput unless calibrated with local=True."""
        if not self.local:
            raise InvalidInput("to randomise single records on their owners' devices, calibrate with local=True.")
        row = np.asarray(features, dtype=np.float64).reshape(1, -1)
        domain = query.read.domain
        return Records(rows=as_matrix(row), targets=None if domain.kind == "none" else np.array([float(target)]), domain=domain, kept=True)

    def add(self, rows: Floats, noise: Noise) -> Floats:
        """Computed rows, on the grid and with noise: w (round(a / w) + K)."""
        drawn = self.law.draw(noise, len(rows), rows.shape[1])
        steps = rows / self.step
        drawn += np.rint(steps, out=steps).astype(np.int64)
        noisy: Floats = np.multiply(drawn, self.step, out=steps)
        return noisy


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianRelease(GaussianRows, GridRelease):
    """Gaussian noise of one size on every released number."""

    published: str = ""
    """Why a published calibration promises nothing; empty for ours."""

    @classmethod
    def calibrate(
        cls, query: RowQuery, *, epsilon: float, delta: float, neighbours: Neighbours, slots: int | None = None, local: bool = False
    ) -> Self:
        """The least noise (to 1e-5) for (epsilon, delta).

        Under add-remove, and where persons are told apart, `slots` rows are released, at least as many as are kept.
        Raises InvalidInput where the relation, the target and the arguments do not go together.
        """
        mu = gaussian_mu(epsilon, delta)
        distance = query.distance(neighbours)
        step = grid_step(distance, query.numbers)
        moved = steps_apart(distance, step, query.numbers)
        first = max(_LEAST_SCALE, math.sqrt(query.numbers) * UP, moved / mu)
        scale = least_drawable(first, lambda scale: moved_delta(epsilon, moved, scale, query.numbers) <= delta)
        made = cls(step=step, scale=scale, neighbours=neighbours, epsilon=epsilon, slots=slots, local=local)
        made.guarantee(query)
        return made

    @classmethod
    def of_deviation(cls, query: RowQuery, *, deviation: float, epsilon: float, neighbours: Neighbours, slots: int | None = None) -> Self:
        """Noise of a chosen standard deviation; its delta is stated at `epsilon`."""
        if not (is_finite(deviation) and deviation > 0):
            raise InvalidInput(f"the standard deviation of noise must be positive and finite; {deviation!r} was given.")
        step = 2.0 ** math.floor(math.log2(min(query.distance(neighbours) / math.sqrt(query.numbers), deviation) / _FINENESS))
        made = cls(step=step, scale=max(deviation / step, _LEAST_SCALE), neighbours=neighbours, epsilon=epsilon, slots=slots)
        made.guarantee(query)
        return made

    def promise(self, query: RowQuery) -> ApproximateDP | NoGuarantee:
        """See the module docstring."""
        check_placement(query, self.neighbours, self.slots)
        theorem = self.published or self.theorem
        where = Statement(neighbours=self.neighbours, unit=query.read.unit, local=self.local, theorem=theorem)
        delta = 1.0 if self.published else self.delta(query, self.epsilon)
        if delta >= 1:
            why = "" if self.published else f": delta reaches 1 at epsilon = {self.epsilon:g}"
            return NoGuarantee(**{**scope(where), "theorem": f"{theorem}{why}"})
        return ApproximateDP(epsilon=self.epsilon, delta_at_epsilon=delta, **scope(where))

    def delta(self, query: RowQuery, epsilon: float) -> float:
        """delta at any epsilon, whatever was published."""
        return moved_delta(epsilon, self._distance(query), self.scale, query.numbers)

    def concentrated(self, query: RowQuery) -> Guarantee:
        """The same release in zero-concentrated privacy: rho = D^2 / (2 s^2) (Canonne, Kamath, Steinke 2020, theorem 14)."""
        rho = self._distance(query) ** 2 / (2.0 * self.scale**2) * UP
        whole = ConcentratedDP(rho=rho, neighbours=self.neighbours, unit=query.read.unit, local=self.local, theorem=self.theorem)
        return for_persons(self.name, whole, query.persons)

    def information(self, query: Rows) -> MutualInformation:
        """Bits about any one entry x_ij, all others known: log2((u^2 + s^2 + 1/12) / s^2) / 2 with u = bound / w + 1/2 (rows.md, theorem 3).

        Raises InvalidInput for other queries and for rows that are shortened as a whole: one entry then moves the others.
        """
        if not isinstance(query, Rows) or not query.domain.entries_alone:
            raise InvalidInput("bits about single entries need a query Rows and a domain with entry_bound alone: a norm bound ties entries together.")
        if self.published:
            raise InvalidInput("a published calibration guarantees nothing, not even bits.")
        largest = float(np.max(query.read.entries)) / self.step + 0.5
        bits = 0.5 * math.log1p((largest**2 + 1.0 / 12.0) / self.scale**2) / math.log(2.0) * (1.0 + 1e-9)
        return MutualInformation(bits=bits, neighbours=REPLACE_ONE, local=self.local, theorem=InformationRows.theorem)

    def _distance(self, query: RowQuery) -> float:
        return steps_apart(query.distance(self.neighbours), self.step, query.numbers)

    def with_reason(self, why: str) -> Self:
        """The same noise, promising nothing."""
        return replace(self, published=why)


@dataclass(frozen=True, slots=True, kw_only=True)
class InformationRelease(InformationRows, Mechanism[Rows, Records]):
    """Gaussian noise of one size on every released number, for bits."""

    neighbours: Neighbours = REPLACE_ONE

    @property
    def inner(self) -> GaussianRelease:
        """The same noise, for a record."""
        return GaussianRelease(step=self.step, scale=self.scale, neighbours=self.neighbours, epsilon=1.0)

    @classmethod
    def calibrate(cls, query: Rows, *, bits: float) -> Self:
        """The least noise (to 1e-6) for at most `bits` bits about any entry. Raises InvalidInput for rows that are shortened as a whole,

        InfeasibleTarget for so few bits that no noise on a grid is enough.
        """
        if not (is_finite(bits) and 0 < bits <= 100):
            raise InvalidInput(f"bits must be positive and at most 100; {bits!r} was given.")
        bound = float(max(query.read.entries))
        deviation = bound / math.sqrt(max(math.expm1(2.0 * math.log(2.0) * bits), sys.float_info.min))
        made = cls._of(query, deviation)
        while made.scale < LARGEST_SCALE and made.promise(query).bits > bits:
            deviation *= 1.0 + 1e-6
            made = cls._of(query, deviation)
        if made.scale >= LARGEST_SCALE:
            raise InfeasibleTarget(f"{bits!r} bits need more noise than numbers on a grid can have; raise bits.")
        return made

    @classmethod
    def _of(cls, query: Rows, deviation: float) -> Self:
        made = GaussianRelease.of_deviation(query, deviation=deviation, epsilon=1.0, neighbours=REPLACE_ONE)
        return cls(step=made.step, scale=made.scale)

    def promise(self, query: Rows) -> MutualInformation:
        """See the module docstring."""
        return self.inner.information(query)

    def draw(self, query: Rows, data: Records, noise: Noise) -> Drawn:
        """See Mechanism."""
        return self.inner.draw(query, data, noise)


def grid_step(distance: float, columns: int) -> float:
    """The power of two below distance / (2^20 sqrt(columns))."""
    return 2.0 ** math.floor(math.log2(distance / (_FINENESS * math.sqrt(columns))))


def steps_apart(distance: float, step: float, columns: int) -> float:
    """D: rounding moves each of `columns` numbers by at most half a step."""
    return (distance / step + math.sqrt(columns)) * UP


def moved_delta(epsilon: float, distance: float, scale: float, columns: int) -> float:
    """delta at epsilon of discrete Gaussian integers, `columns` of which move by at most `distance` together; 1 where the lemma does not apply."""
    return 1.0 if scale < _LEAST_SCALE else discrete_delta(epsilon, distance / scale, integers=columns, scale=scale)
