"""What every release of a data set is: a frozen mechanism that knows its guarantee before it sees a record, and streams rows.

A mechanism holds public numbers only. `calibrate` (a class method of each) chooses them for a target, `guarantee` computes what they promise without
data, `run` and `write` draw the noise. The guarantee is stated and spent before noise is drawn. `write` hands the rows on as they come, so that a
release need not fit in memory beside its table.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from discreet.accounting import Guarantee, Json
from discreet.certificates import Certificate, Release
from discreet.core.arrays import Floats
from discreet.core.neighbours import Neighbours
from discreet.core.version import VERSION
from discreet.data import RealDataset
from discreet.ledger import Account, spending_on
from discreet.noise import Noise
from discreet.queries import RowQuery, SecondMoments
from discreet.statements import certified_words

Q = TypeVar("Q", bound=RowQuery | SecondMoments)
"""The public query that a mechanism answers."""


class Drawn(NamedTuple):
    """What is about to be released: its shape, its rows as they are computed, and public numbers that were chosen on the way."""

    shape: tuple[int, int]
    blocks: Iterator[Floats]
    chosen: dict[str, Json]
    """Released too (a noisy eigenvalue, say), for the certificate's parameters."""


class ReleaseMechanism(ABC, Generic[Q]):
    """A calibrated mechanism that releases a table. Subclasses are final frozen dataclasses with a field `neighbours`."""

    __slots__ = ()

    neighbours: Neighbours
    """The relation it was calibrated for."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in certificates, and of the registered recheck."""

    @abstractmethod
    def parameters(self) -> dict[str, Json]:
        """The public numbers of the mechanism, for certificates: everything that its recheck reads."""

    @abstractmethod
    def guarantee(self, query: Q) -> Guarantee:
        """What one run promises for this public query; needs no data."""

    @abstractmethod
    def draw(self, query: Q, data: RealDataset, noise: Noise) -> Drawn:
        """The rows of one release; `require` has passed."""

    def require(self, query: Q, data: RealDataset) -> None:
        """Raise InvalidInput for records that this query is not for, before anything is spent."""
        if isinstance(query, SecondMoments):
            query.require(data)
        else:
            query.read.require(data)

    def run(self, query: Q, data: RealDataset, noise: Noise, *, account: Account | None = None) -> Release:
        """Release once, shape as `Drawn.shape`, and spend on `account`, or on the ledger in use (`discreet.ledger.using`).

        Raises InvalidInput for records that the query is not for, before anything is spent, and BudgetExceeded before anything is drawn.
        """
        kept: list[Floats] = []
        certificate = self.write(query, data, noise, kept.append, account=account)
        return Release(value=np.concatenate(kept), certificate=certificate)

    def write(self, query: Q, data: RealDataset, noise: Noise, keep: Callable[[Floats], None], *, account: Account | None = None) -> Certificate:
        """As `run`, giving rows to `keep`, some at a time, and returning the certificate once all are written."""
        guarantee = self.guarantee(query)
        self.require(query, data)
        with spending_on(account, guarantee, purpose=self.name, table=data.content()) as reservation:
            drawn = self.draw(query, data, noise)
            digest = hashlib.sha256(json.dumps(drawn.shape).encode())
            count = 0
            for block in drawn.blocks:
                digest.update(np.ascontiguousarray(block, dtype="<f8").tobytes())
                keep(block)
                count += len(block)
            if count == 0:
                keep(np.zeros(drawn.shape))
        parameters, problem = {**self.parameters(), **drawn.chosen}, query.to_dict()
        words = certified_words(self.name, parameters, problem)
        return Certificate(
            mechanism=self.name,
            parameters=parameters,
            problem=problem,
            guarantee=guarantee,
            hypotheses=words.hypotheses,
            noise=noise.description,
            noise_private=noise.private,
            digest=digest.hexdigest(),
            declared=words.declared,
            version=VERSION,
            ledger_entry=None if reservation is None else reservation.id,
        )
