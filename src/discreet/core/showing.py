"""How results are shown without importing what shows them.

`discreet.display` stands above all results and knows them; they know it by name alone. `shown("ledger.plot", ...)` is
`discreet.display.ledger.plot(...)`, imported by the face of the package when somebody looks. That every name is there is tested in
tests/test_architecture.py.
"""

from collections.abc import Callable
from pathlib import Path

from discreet.core.above import above
from discreet.core.files.whole_file import write_whole


class Svg(str):
    """A picture as text: a notebook shows it, `save` writes it to a file, and it is a string wherever one is needed."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Short: the markup is in `str(...)`."""
        return f"<a picture, {len(self):,} characters of SVG: save(path) writes it>"

    def _repr_svg_(self) -> str:
        """For notebooks."""
        return str(self)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write it to a file with the ending .svg, whole or not at all. Raises InvalidInput where it exists or cannot be written."""
        write_whole(path, str(self), overwrite=overwrite)


def shown(what: str, *given: object) -> str:
    """The HTML or SVG that the function `what` of `discreet.display` makes of what is given; raises what it raises."""
    return above.shown(what, *given)


def html_of(what: str) -> Callable[[object], str]:
    """A method for notebooks: `_repr_html_ = html_of("ledger.view")` in the body of a class."""

    def _repr_html_(self: object) -> str:
        """For notebooks."""
        return shown(what, self)

    return _repr_html_


def pictured(what: str, *given: object) -> Svg:
    """The same of a function that makes a picture."""
    return Svg(shown(what, *given))
