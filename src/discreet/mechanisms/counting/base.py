"""What the counting mechanisms share: integers in, the same integers with exact integer noise out, under one certificate.

    release_j = answer_j(records) + K_j,      K_j independent integers of a discrete law of scale scales[j], for the queries j = 1, 2

A mechanism holds public numbers only and knows its guarantee before it sees a record; the guarantee is spent on the ledger before noise is drawn.
Claim and proof: counting.md.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np

from discreet.accounting import Guarantee, Json
from discreet.certificates import Certificate, Release, digest_of
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.core.version import VERSION
from discreet.ledger import Account, spending_on
from discreet.mechanisms.counting.queries import IntegerQuery
from discreet.noise import Integers, Noise
from discreet.statements import hypotheses_of


class CountingMechanism(ABC):
    """A calibrated mechanism that answers counting queries. Subclasses are final frozen dataclasses with these two fields."""

    __slots__ = ()

    scales: tuple[float, ...]
    """One for each query."""
    neighbours: Neighbours

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in certificates, and of the registered recheck."""

    @abstractmethod
    def guarantee(self, queries: Sequence[IntegerQuery]) -> Guarantee:
        """What answering all of them once promises; needs no records. Raises InvalidInput unless there is one scale for each query."""

    @abstractmethod
    def draw(self, scale: float, size: int, noise: Noise) -> Integers:
        """`size` independent integers of this mechanism's law."""

    def run(
        self,
        queries: Sequence[IntegerQuery],
        records: Sequence[Integers],
        noise: Noise,
        *,
        account: Account | None = None,
        content: Iterable[bytes] | None = None,
    ) -> Release:
        """All answers one after the other, (sum of sizes,), as float64 numbers that are integers.

        `records[j]` (n,) holds what query j reads of each record; `content` is what the ledger's digest of the table is made from. Raises
        BudgetExceeded before anything is drawn, InvalidInput for records out of range, which costs nothing.
        """
        if len(records) != len(queries) or len({len(column) for column in records}) > 1:
            raise InvalidInput("each query needs one integer for every record.")
        answers = [query.answer(column) for query, column in zip(queries, records, strict=True)]
        return self.release(queries, answers, noise, account=account, content=content)

    def release(
        self,
        queries: Sequence[IntegerQuery],
        answers: Sequence[Integers],
        noise: Noise,
        *,
        account: Account | None = None,
        content: Iterable[bytes] | None = None,
    ) -> Release:
        """As `run`, from exact answers: `answers[j]` (size of query j,) is the sum of what `query.answer` gives for parts of the records.

        Raises BudgetExceeded before anything is drawn, InvalidInput for answers that are none.
        """
        guarantee = self.guarantee(queries)
        if [answer.shape for answer in answers] != [(query.size,) for query in queries] or any(answer.dtype.kind != "i" for answer in answers):
            raise InvalidInput("each query needs its answer, as many integers as it asks for.")
        with spending_on(account, guarantee, purpose=self.name, table=content) as reservation:
            drawn = [self.draw(scale, query.size, noise) for query, scale in zip(queries, self.scales, strict=True)]
            value = np.concatenate([answer + integers for answer, integers in zip(answers, drawn, strict=True)]).astype(np.float64)
        problem: dict[str, Json] = {"queries": [query.to_dict() for query in queries]}
        certificate = Certificate(
            mechanism=self.name,
            parameters=self._parameters(),
            problem=problem,
            guarantee=guarantee,
            hypotheses=hypotheses_of(self.name, self._parameters(), problem),
            noise=noise.description,
            noise_private=noise.private,
            digest=digest_of(value),
            version=VERSION,
            ledger_entry=None if reservation is None else reservation.id,
        )
        return Release(value=value, certificate=certificate)

    def _parameters(self) -> dict[str, Json]:
        return {"scales": list(self.scales), "neighbours": str(self.neighbours)}


def require_scales(queries: Sequence[IntegerQuery], scales: Sequence[float]) -> None:
    """Raise InvalidInput unless there is one scale for each of at least one query."""
    if not queries or len(queries) != len(scales):
        raise InvalidInput(f"the mechanism has {len(scales)} noise scales; {len(queries)} queries were given. It needs one scale for each.")


def checked_shares(queries: Sequence[IntegerQuery], shares: Sequence[float] | None) -> tuple[float, ...]:
    """Positive shares of the budget, one for each query, that sum to 1; equal ones where None. Raises InvalidInput for others."""
    given = (1.0 / len(queries),) * len(queries) if shares is None and queries else tuple(shares or ())
    if len(given) != len(queries) or not given or not all(share > 0 for share in given) or abs(sum(given) - 1.0) > 1e-9:
        raise InvalidInput(f"the budget is divided by positive shares that sum to 1, one for each of {len(queries)} queries; {shares!r} was given.")
    return given
