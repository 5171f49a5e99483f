"""Errors that carry nothing of the records: the original exception is dropped, not chained.

`raise ... from None` only hides the original from the printed traceback and still keeps it on the new exception, where a logger may find
the value that polars, pandas or the standard library put into its message. So a refusal is raised after the handler has ended.
"""

from collections.abc import Callable
from typing import TypeVar

from discreet.errors import DiscreetError

T = TypeVar("T")


def quietly(action: Callable[[], T], refusal: DiscreetError) -> T:
    """The result of `action`; whatever it raises becomes `refusal`, with no cause and no context. Our own errors pass.

    A panic of polars derives from BaseException and is caught too; an interrupt, an exit or a lack of memory is not.
    """
    try:
        return action()
    except (DiscreetError, KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError):
        raise
    except BaseException:  # noqa: BLE001, S110  (the point of this function: see above)
        pass
    raise refusal
