"""Pictures of results, as text that a notebook shows and a file holds."""

from pathlib import Path

from discreet.core.files.whole_file import write_whole
from discreet.core.showing import shown


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


def pictured(what: str, *given: object) -> Svg:
    """What `shown` gives, of a function that makes a picture."""
    return Svg(shown(what, *given))
