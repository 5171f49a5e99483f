"""On what terms records go to the workers of a Dask cluster, and what becomes of a cluster that is silent.

    encrypted    whoever may speak to a scheduler may have its workers run what he likes, as their owner, and read what they hold. So a cluster is
                 spoken to by TLS, where certificates say who may (tls://), or within one process (inproc://). Over anything else, tcp:// among them,
                 the door is open to everyone who reaches it, and `insecure` has to say that this is known.
    deadline     seconds without a finished task after which a pass is given up. A worker that has stopped, and not died, answers nothing and is
                 not replaced before its scheduler misses it (Dask's `distributed.scheduler.worker-ttl`, five minutes; a minute in
                 `local_cluster`); a task that waits for a file for ever is never missed. Every finished task begins the time anew.

A scheduler that is gone, or hangs itself, is one error of one sentence as well. What Dask logs meanwhile is not shown: it may quote what a task was
given, and says in pages what our sentence says.
"""

import logging
import math
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from discreet.cluster.travel import let_blocks_travel, tell_workers
from discreet.core.errors import InvalidInput
from discreet.core.workers import WhileNeeded

if TYPE_CHECKING:
    from distributed import Client

R = TypeVar("R")

DEADLINE = 900.0
"""Seconds without a finished task, unless something else is said."""
_ANSWER = 30.0
"""Seconds in which a scheduler that has just reported a failure answers."""
_PARTING = 5.0
"""Seconds that a cluster may take to hear that a pass is over."""

SPENT = "Nothing was released; what the ledger says is spent counts as spent."
GONE = f"the scheduler of the Dask cluster has stopped or does not answer. {SPENT} Start it again, or use another one."

_CLOSED = ("tls://", "inproc://")
_TALKATIVE = ("distributed", "tornado", "asyncio")


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """A Dask client with the conditions under which records may be sent to its workers; accepted wherever a client is.

    Raises InvalidInput unless the client's address is encrypted or `insecure`, and for a `deadline` (seconds; may be infinite) that is not positive.
    """

    client: "Client"
    insecure: bool = False
    deadline: float = DEADLINE

    def __post_init__(self) -> None:
        """Check the terms."""
        if not self.deadline > 0.0:
            raise InvalidInput(f"deadline must be a positive number of seconds without progress; {self.deadline!r} was given.")
        check_address(str(self.client.scheduler.address), insecure=self.insecure)
        let_blocks_travel()
        self._answers(tell_workers, min(self.deadline, _PARTING))

    @classmethod
    def of(cls, client: "Client | Cluster") -> "Cluster":
        """The terms that were given with the client, or the standard ones."""
        return client if isinstance(client, cls) else cls(client=client)

    def ask(self, question: Callable[["Client"], R]) -> R:
        """What the scheduler answers. Raises InvalidInput where it is gone, or silent until the deadline."""
        answers = self._answers(question, self.deadline)
        if not answers:
            raise InvalidInput(GONE)
        return answers[0]

    def _answers(self, question: Callable[["Client"], R], seconds: float) -> list[R]:
        """One answer, or none where there is none in time: the client itself would wait for ever, so a thread asks, and is left alone then."""
        answers: list[R] = []

        def asking() -> None:
            with quiet(), suppress(BaseException):  # of whatever kind: there is no answer, and a thread would print why
                answers.append(question(self.client))

        thread = threading.Thread(target=asking, name="discreet-cluster", daemon=True)
        thread.start()
        thread.join(None if math.isinf(seconds) else seconds)
        return answers

    def tell(self, order: Callable[["Client"], R]) -> R:
        """Give the client an order, for whose outcome nobody waits here. Raises InvalidInput where there is no scheduler to pass it on to."""
        try:
            with quiet():
                return order(self.client)
        except (OSError, RuntimeError, CancelledError):
            lost = self.lost()
        raise lost

    def lost(self) -> InvalidInput:
        """What to raise where the client has lost its scheduler. It is closed in silence, since it would tell of its own end in pages."""
        self._answers(lambda to: to.close(timeout=1), _PARTING)
        return InvalidInput(GONE)

    def blame(self, otherwise: str) -> InvalidInput:
        """What to raise for a task that failed: `otherwise` where the scheduler still answers, since with it everything fails, in many ways."""
        answers = self._answers(lambda of: of.nthreads(), min(self.deadline, _ANSWER))
        return InvalidInput(otherwise) if answers else self.lost()

    def dismiss(self, futures: list[Any]) -> None:
        """Have the cluster forget them, if it still listens."""
        self._answers(lambda to: to.cancel(futures), min(self.deadline, _PARTING))

    def threads(self) -> dict[str, int]:
        """Threads of every worker."""
        return self.ask(lambda of: dict(of.nthreads()))

    def holders(self, blocks: Sequence[Any]) -> dict[Any, Any]:
        """Where blocks are, by their keys."""
        return self.ask(lambda of: dict(of.who_has(blocks)))

    def workers(self) -> int:
        """How many there are."""
        return self.ask(lambda of: len(of.scheduler_info(n_workers=-1)["workers"]))


def check_address(address: str, *, insecure: bool) -> None:
    """Raise InvalidInput for an address over which anyone may speak, unless that was said to be known."""
    if not insecure and not address.startswith(_CLOSED):
        raise InvalidInput(
            f"the Dask cluster at {address!r} is not encrypted: anyone who can reach it can read the records and run programs as its owner. "
            "Start it with certificates (tls://). To accept the risk, pass Cluster(client=.., insecure=True), or --dask-insecure at the "
            "command line."
        )


def quiet() -> AbstractContextManager[None]:
    """Nothing of what Dask and what it is built on log. Blocks may overlap, in one thread or several."""
    return _silence.held()


def _silenced() -> Callable[[], object]:
    """The loggers that have a level of their own; afterwards they have it again."""
    named = [logging.getLogger(name) for name in _TALKATIVE]
    own = [one for name, one in logging.Logger.manager.loggerDict.items() if isinstance(one, logging.Logger) and _level_counts(name, one)]
    levels = {one: one.level for one in [*named, *own]}
    for one in levels:
        one.setLevel(logging.CRITICAL + 1)

    def spoken() -> None:
        for one, level in levels.items():
            one.setLevel(level)

    return spoken


def _level_counts(name: str, logger: logging.Logger) -> bool:
    return name.startswith(tuple(f"{parent}." for parent in _TALKATIVE)) and logger.level != logging.NOTSET


_silence = WhileNeeded(_silenced)
