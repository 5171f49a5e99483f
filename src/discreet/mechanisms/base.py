"""What every mechanism is, and the one way from private records to a release.

    problem (public), records (private), noise  ->  guarantee; reserve it at the account; draw; certify; settle  ->  release

A mechanism is a frozen value of public numbers. `calibrate` (a class method of each) chooses them for a target, `guarantee` computes what they
promise without records, `draw` computes what is about to leave. `run` and `write` are the same for all of them: the guarantee is stated and reserved
first, so nothing is drawn for a mechanism that promises nothing it can compute, or for which there is no budget. What a certificate says in words is
in `discreet.words`.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, is_dataclass, replace
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, final

import numpy as np

from discreet.accounting import ApproximateDP, Guarantee, Json
from discreet.certificates import Certificate, Release, digest_of
from discreet.core.arrays import Floats
from discreet.core.fields import require_known
from discreet.core.frameless import frameless
from discreet.core.neighbours import Neighbours
from discreet.core.private import holds_records
from discreet.core.remembered import remembered
from discreet.core.version import VERSION
from discreet.core.workers import single_threaded_algebra
from discreet.ledger import Account, spending_on
from discreet.noise import Noise
from discreet.words import certified_words, for_persons


class Public(Protocol):
    """The public problem, or query, that a mechanism is for: holds no records."""

    def to_dict(self) -> dict[str, Json]:
        """For certificates: everything that a recheck reads of it, and `persons`, where it has such an attribute that is not None."""

    def require(self, data: Any) -> None:  # noqa: ANN401 - of its own kind of records
        """Raise InvalidInput for records that it is not for."""


class Private(Protocol):
    """The records that a mechanism reads."""

    def content(self) -> Iterable[bytes] | None:
        """Their bytes, by which a ledger knows them again; None where nothing has to be known again."""


T = TypeVar("T")
P = TypeVar("P", bound=Public)
"""The public problem that a mechanism is for."""
D = TypeVar("D", bound=Private)
"""The records that it reads."""


@holds_records
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Numbers(Generic[T]):
    """Private numbers that are no data set of their own, with the bytes of the records that they are of."""

    held: T
    bytes_of_records: Iterable[bytes] | None = None
    weights: Floats | None = None
    """(n,), of rows that share their person's weight; None where each counts once, or they are in `held` already."""
    records: int | None = None
    """How many they are, where that is public and what is released is read with it: the certificate then says so."""

    def content(self) -> Iterable[bytes] | None:
        """See Private."""
        return self.bytes_of_records


class Drawn(NamedTuple):
    """What is about to be released: its shape, its numbers as they are computed, and what else was chosen on the way."""

    shape: tuple[int, ...]
    blocks: Iterator[Floats]
    """Along the first axis, one after the other."""
    chosen: Mapping[str, Json] = MappingProxyType({})
    """Public numbers (a noisy eigenvalue, say) that are released too, in the certificate's parameters."""
    beside: object = None
    """Other functions of the same noisy answers, of the mechanism's own type: public at no further cost, and in no digest."""

    @classmethod
    def of(cls, value: Floats, *, chosen: Mapping[str, Json] = MappingProxyType({}), beside: object = None) -> "Drawn":
        """An array that is held whole."""
        return cls(value.shape, iter((value,)), chosen, beside)


class Mechanism(ABC, Generic[P, D]):
    """A calibrated mechanism. Subclasses are final frozen dataclasses with a field `neighbours`."""

    __slots__ = ()

    neighbours: Neighbours
    """The relation it was calibrated for."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in certificates, of the registered words and of the registered recheck."""

    @abstractmethod
    def promise(self, problem: P) -> Guarantee:
        """What one run promises on this public problem: of persons with several rows where its domain has such, else of records."""

    @final
    def guarantee(self, problem: P) -> Guarantee:
        """What one run promises on this public problem, for persons where it declares any; needs no records.

        Raises InvalidInput for persons whom the mechanism promises nothing, and for a loss or a set that no certificate could name.
        """
        for part in ("loss", "constraint"):
            require_known(getattr(problem, part, None))
        return for_persons(self.name, promised(self, problem), getattr(problem, "persons", None))

    @abstractmethod
    def draw(self, problem: P, data: D, noise: Noise) -> Drawn:
        """One output; `require` has passed. Raises SolverFailure, having spent."""

    @property
    def releases(self) -> int:
        """How many independent releases one run makes, all of them under the one guarantee."""
        return 1

    def parameters(self) -> dict[str, Json]:
        """The public numbers of the mechanism, for certificates: everything that its recheck reads. Its fields, those of a part by both names."""
        if not is_dataclass(self):
            raise TypeError(f"{type(self).__name__} must be a dataclass")
        named: dict[str, Json] = {}
        for key, value in asdict(self).items():
            match value:
                case Neighbours():
                    named[key] = str(value)
                case dict():
                    named |= {f"{key}_{part}": number for part, number in value.items()}
                case tuple():
                    named[key] = list(value)
                case _:
                    named[key] = value
        return named

    def require(self, problem: P, data: D) -> None:
        """Raise InvalidInput for records that this problem, or this calibration, is not for, before anything is spent."""
        problem.require(data)

    @final
    @frameless
    def run(self, problem: P, data: D, noise: Noise, *, account: Account | None = None) -> Release:
        """Release once, and spend on `account`, or on the ledger in use (`discreet.ledger.using`).

        Raises InvalidInput for records that the problem is not for, before anything is spent; BudgetExceeded before anything is drawn; SolverFailure
        when a tolerance of the proof cannot be certified: the budget then counts as spent and nothing is released.
        """
        kept: list[Floats] = []
        certificate, beside = self._written(problem, data, noise, kept.append, account)
        return Release(value=kept[0] if len(kept) == 1 else np.concatenate(kept), certificate=certificate, beside=beside)

    @final
    @frameless
    def write(self, problem: P, data: D, noise: Noise, keep: Callable[[Floats], None], *, account: Account | None = None) -> Certificate:
        """As `run`, giving rows to `keep`, some at a time, so that a release need not fit in memory; the certificate once all are written."""
        return self._written(problem, data, noise, keep, account)[0]

    @final
    def planned(self, problem: P, *, shape: tuple[int, ...]) -> Certificate:
        """The certificate of `run`, but for its value, which has this shape, its noise and its ledger: from public numbers alone. Never verifies."""
        digest, source = digest_of(np.zeros(shape)), "none was drawn: a plan"
        return certified(self.name, self.parameters(), problem.to_dict(), self.guarantee(problem), digest, source, noise_private=False)

    def _written(self, problem: P, data: D, noise: Noise, keep: Callable[[Floats], None], account: Account | None) -> tuple[Certificate, object]:
        guarantee = self.guarantee(problem)
        self.require(problem, data)
        purpose = self.name if self.releases == 1 else f"{self.name}, {self.releases} releases"
        with spending_on(account, guarantee, purpose=purpose, table=data.content()) as reservation, single_threaded_algebra():
            drawn = self.draw(problem, data, noise)
            digest = hashlib.sha256(json.dumps(drawn.shape).encode())
            empty = True
            for block in drawn.blocks:
                digest.update(np.ascontiguousarray(block, dtype="<f8").data)
                keep(block)
                empty = False
            if empty:
                keep(np.zeros(drawn.shape))
        parameters = {**self.parameters(), **drawn.chosen}
        issued = certified(self.name, parameters, problem.to_dict(), guarantee, digest.hexdigest(), noise.description, noise_private=noise.private)
        entry = None if reservation is None else reservation.id
        return replace(issued, releases=self.releases, ledger_entry=entry), drawn.beside


@remembered
def promised(mechanism: Mechanism[P, Any], problem: P) -> Guarantee:
    """`promise`: the next fit of the same kind states it again."""
    return mechanism.promise(problem)


def at_epsilon(epsilon: float, delta: float, neighbours: Neighbours, theorem: str) -> ApproximateDP:
    """(epsilon, delta), where a delta of 1 or more, which promises nothing, is stated as the largest number below 1."""
    return ApproximateDP(epsilon=epsilon, delta_at_epsilon=min(delta, 1.0 - 2.0**-53), neighbours=neighbours, theorem=theorem)


def as_planned(issued: Certificate, planned: Certificate) -> bool:
    """Whether it promises what was planned, from the same public numbers; what was released on the way (`Drawn.chosen`) comes on top."""
    known = all(name in issued.parameters and issued.parameters[name] == value for name, value in planned.parameters.items())
    return known and all(getattr(issued, name) == getattr(planned, name) for name in ("mechanism", "problem", "guarantee", "releases"))


def certified(
    name: str,
    parameters: Mapping[str, Json],
    problem: Mapping[str, Json],
    guarantee: Guarantee,
    digest: str,
    noise: str,
    *,
    noise_private: bool,
) -> Certificate:
    """The certificate of a release, its words those that are registered for the mechanism: the one place that issues any."""
    words = certified_words(name, parameters, problem)
    return Certificate(
        mechanism=name,
        parameters=parameters,
        problem=problem,
        guarantee=guarantee,
        hypotheses=words.hypotheses,
        noise=noise,
        noise_private=noise_private,
        digest=digest,
        declared=words.declared,
        version=VERSION,
    )
