"""A stand-in for a Dask client with the methods that are used, which works in this process: it runs everywhere."""

from concurrent.futures import Future
from functools import partial
from types import MethodType, SimpleNamespace
from typing import NamedTuple

from discreet.cluster import DaskTable
from discreet.data import Block
from tests.canary import CANARY

__all__ = ["DaskTable", "Handle", "Here", "reached"]

UNMADE = 4
"""Blocks from this one on are still made."""


class Handle(NamedTuple):
    """A block on the cluster."""

    key: int
    block: Block


class Here:
    """What DaskTable asks of a client, in this process; what travels is written down.

    A cluster of two workers with three threads together: blocks 0 and 2 are on one of them, 1 and 3 on the other, 4 is still made: four tasks a pass.
    """

    scheduler = SimpleNamespace(address="tls://here")

    def __init__(self, fails=()):
        self.sent = []
        self.fails = fails

    def compute(self, blocks):
        return [Handle(key, block) for key, block in enumerate(blocks)]

    def who_has(self, handles):
        return {handle.key: (("a", "gone"), ("b",))[handle.key % 2] for handle in handles if handle.key < UNMADE}

    def nthreads(self):
        return {"a": 1, "b": 2}

    def submit(self, function, *arguments, pure):
        assert not pure
        self.sent.append(arguments)
        future = Future()
        if len(self.sent) in self.fails:
            future.set_exception(RuntimeError(f"worker died with {CANARY}"))
        else:
            work, numbers, handles, make = arguments
            future.set_result(function(work, numbers, [one.block if isinstance(one, Handle) else one for one in handles], make))
        return future

    def cancel(self, futures):
        pass


def reached(function, depth=0):
    """What a function takes along: its closure, what it is bound to, its fixed arguments and fields, and what these take along."""
    cells = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    fixed = [*getattr(function, "args", ()), *getattr(function, "keywords", {}).values()] if isinstance(function, partial) else []
    bound = [function.__self__] if isinstance(function, MethodType) else []
    inner = [function.func] if isinstance(function, partial) else []
    held = [getattr(function, name) for name in getattr(type(function), "__dataclass_fields__", ())]
    for one in (*cells, *fixed, *bound, *inner, *held):
        yield one
        if depth < 12 and callable(one):
            yield from reached(one, depth + 1)
