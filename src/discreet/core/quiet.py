"""Errors that carry nothing of the records: the original exception is dropped, not chained.

`raise ... from None` only hides the original from the printed traceback and still keeps it on the new exception, where a logger may find
the value that polars, pandas or the standard library put into its message. So a refusal is raised after the handler has ended, and nowhere in the
package does a handler raise anything but what it caught.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from discreet.core.errors import DiscreetError

T = TypeVar("T")
P = ParamSpec("P")


def quietly(action: Callable[[], T], refusal: Exception, *kinds: type[Exception]) -> T:
    """The result of `action`; what it raises becomes `refusal`, with no cause and no context.

    With `kinds` these only, and everything else passes. Without, whatever it is but our own errors: a panic of polars derives from BaseException and
    is caught too; an interrupt, an exit or a lack of memory is not.
    """
    try:
        return action()
    except kinds:
        pass
    except (DiscreetError, KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError):
        raise
    except BaseException:  # the point of this function: see above
        if kinds:
            raise
    raise refusal


def frameless(function: Callable[P, T]) -> Callable[P, T]:
    """`function`, whose refusals leave their frames behind: those hold cells as local variables, which error reporters collect.

    For entry points that go through cells one by one; a refusal is a sentence of its own and needs no traceback.
    """

    @wraps(function)
    def refusing(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except DiscreetError as error:
            refusal = error.with_traceback(None)
        raise refusal

    return refusing
