"""What holds private records: it is neither copied nor pickled, since a copy goes where nobody looks, into a cache, a queue or a log.

`holds_records` makes a class refuse. Its instances hand their arrays to code in this process that asks for them by name; nothing that walks through
objects by itself gets them. One road is left open, and is not pickle's: the workers of a cluster, who have the records anyway, move a block among
themselves (`packed`, `unpacked`), with what it is made of and nothing else.
"""

import io
import pickle
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

from discreet.core.errors import PrivateDataError

C = TypeVar("C", bound=type)
_ROADS = ("__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__")
_travels: set[type] = set()


def holds_records(kind: C) -> C:
    """The class, whose instances can be neither copied nor pickled: PrivateDataError, without a word of what they hold."""
    article = "an" if kind.__name__[0] in "AEIOU" else "a"
    words = f"{article} {kind.__name__} holds private records, so it cannot be copied or pickled; pass the object itself."

    def refuse(self: object, *_: object) -> NoReturn:  # noqa: ARG001 - whoever asks
        raise PrivateDataError(words)

    for road in _ROADS:
        setattr(kind, road, refuse)
    return kind


def holds_records_of_a_block(kind: C) -> C:
    """The same, of a class that a block is made of: it travels with the block, between those who have it already."""
    _travels.add(kind)
    return holds_records(kind)


def packed(block: object) -> list[Any]:
    """A block as bytes, and its arrays as they are. Raises PrivateDataError where something else is in it that holds records."""
    buffers: list[pickle.PickleBuffer] = []
    stream = io.BytesIO()
    _Packer(stream, protocol=5, buffer_callback=buffers.append).dump(block)
    return [stream.getvalue(), *(buffer.raw() for buffer in buffers)]


def unpacked(frames: Sequence[Any]) -> Any:  # noqa: ANN401 - what was packed
    """The block that was packed."""
    return pickle.loads(frames[0], buffers=frames[1:])  # noqa: S301 - from a worker, whose programs run here anyway


class _Packer(pickle.Pickler):
    """Takes a block apart by itself, where the block refuses to be taken apart."""

    def reducer_override(self, one: Any) -> tuple[Callable[..., object], tuple[object, ...]]:  # noqa: ANN401 - whatever is in a block
        """How to make it again; nothing is said of classes that do not travel, which then refuse."""
        if type(one) not in _travels:
            return NotImplemented
        if isinstance(one, tuple):
            return type(one), tuple(one)
        kind: type = type(one)
        names = [name for base in kind.__mro__ for name in getattr(base, "__slots__", ()) if hasattr(one, name)]
        return _made, (kind, {name: getattr(one, name) for name in names})


def _made(kind: type, held: dict[str, object]) -> object:
    one: object = object.__new__(kind)
    for name, value in held.items():
        object.__setattr__(one, name, value)
    return one
