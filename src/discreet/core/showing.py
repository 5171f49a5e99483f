"""How results are shown without importing what shows them.

`discreet.display` stands above all results and knows them; they know it by name alone. `shown("ledger.plot", ...)` is
`discreet.display.ledger.plot(...)`, imported by the face of the package when somebody looks. What a part shows that the rest does without is in its
`views` (`discreet.core.parts`): `shown("planning.view", ...)` is `discreet.planning.views.view(...)`. That every name is there is tested in
tests/test_architecture.py.
"""

from collections.abc import Callable

from discreet.core.lazily import above


def shown(what: str, *given: object) -> str:
    """The HTML or SVG that the function `what` of `discreet.display` makes of what is given; raises what it raises."""
    return above.shown(what, *given)


def html_of(what: str) -> Callable[[object], str]:
    """A method for notebooks: `_repr_html_ = html_of("ledger.view")` in the body of a class."""

    def _repr_html_(self: object) -> str:
        """For notebooks."""
        return shown(what, self)

    return _repr_html_
