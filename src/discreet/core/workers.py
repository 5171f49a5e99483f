"""Work on many blocks by several threads: results in the order of the blocks, whatever the number of threads.

    map_in_order(f, (b_1, .., b_m), jobs) = f(b_1), .., f(b_m)

Sums are taken by whoever receives the results, in their order, so that they are the same to the last bit for one thread and for many. The linear
algebra library is held to one thread meanwhile, whatever `jobs` is: its own threads add up in an order that depends on how many there are, and gain
little on blocks of this size. That limit is one of the process, set by the first who needs it and lifted when the last one is done.

There are two levels: blocks of one fit, and fits (folds, seeds, classes) of which there are many. Never both at once: a thread of ours that comes
here again works alone, one item after the other. So whoever has many fits spreads them, and each of them runs as with one thread.
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

T = TypeVar("T")
R = TypeVar("R")

_AHEAD = 2
"""Blocks in work or waiting, a thread: what bounds the memory of blocks that are read from a file."""


def map_in_order(work: Callable[[T], R], items: Iterable[T], jobs: int) -> Iterator[R]:
    """work(item) for every item, in order, by `jobs` threads; items are taken as they are needed. The first error of `work` is raised.

    In a thread that works for another call of this function, that thread alone does it, whatever `jobs` is.
    """
    with single_threaded_algebra():
        if jobs == 1 or vars(_own).get("working", False):
            yield from map(work, items)
            return
        pool = ThreadPoolExecutor(jobs, thread_name_prefix="discreet", initializer=_begin)
        try:
            yield from _window(pool, work, items, _AHEAD * jobs)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def single_threaded_algebra() -> AbstractContextManager[None]:
    """Hold the linear algebra library of this process to one thread. Blocks may overlap, in one thread or several."""
    return _limit.held()


class WhileNeeded:
    """One state for all who need it: two of their own would be left in the wrong order, and one of them while the other is still at work."""

    __slots__ = ("_begin", "_end", "_holders", "_lock")

    def __init__(self, begin: Callable[[], Callable[[], object]]) -> None:
        """`begin` brings it about, and says how it ends."""
        self._begin, self._holders = begin, 0
        self._end: Callable[[], object] = int
        self.renew()

    def renew(self) -> None:
        """A new lock: in a forked process the old one may be held by a thread that is not there."""
        self._lock = threading.Lock()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Begun if nobody has, and ended if nobody else needs it. Blocks may overlap, in one thread or several."""
        with self._lock:
            if self._holders == 0:
                self._end = self._begin()
            self._holders += 1
        try:
            yield
        finally:
            with self._lock:
                self._holders -= 1
                if self._holders == 0:
                    self._end()


def _limited() -> Callable[[], object]:
    restored: Callable[[], object] = _linear_algebra().limit(limits=1).restore_original_limits
    return restored


_limit = WhileNeeded(_limited)
_own = threading.local()
if hasattr(os, "register_at_fork"):  # not on every system
    os.register_at_fork(after_in_child=_limit.renew)


def _begin() -> None:
    """In every thread of a pool: it works for somebody, and libraries that count threads by thread (OpenMP) are told here too."""
    _own.working = True
    _linear_algebra().limit(limits=1)


def _window(pool: ThreadPoolExecutor, work: Callable[[T], R], items: Iterable[T], most: int) -> Iterator[R]:
    waiting: deque[Future[R]] = deque()
    for item in items:
        waiting.append(pool.submit(work, item))
        if len(waiting) >= most:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


@cache
def _linear_algebra() -> Any:  # noqa: ANN401 - threadpoolctl publishes no types
    """The libraries loaded so far; NumPy's and SciPy's are, since `discreet.core.arrays` and the matrices import them."""
    import scipy.linalg  # noqa: F401, PLC0415 - loads its own library

    return ThreadpoolController()
