"""Parts that the rest does without: each a folder above all floors, which nothing below imports, and found by its name where it is asked for.

    is_there("planning")               whether this copy of the package has the folder
    module_of("planning.command")      a module of a part; one sentence where the folder is not there
    also_of(names, {"Plan": "planning"})      `__getattr__` of a package through which names of a part are found too

A copy without the folder of a part, and without its line here, is a package whose tests pass (tests/properties/test_parts.py). Who finds a part's
modules: the program its commands (`COMMANDS`), and the face of the package what shows its results (`views`).
"""

from collections.abc import Callable, Mapping
from types import ModuleType

from discreet.core.errors import InvalidInput
from discreet.core.lazily import above

PARTS: Mapping[str, str] = {
    "bounds": "how much error privacy costs, in theory",
    "cluster": "tables on the workers of a Dask cluster",
    "device": "rows on a GPU or in arrays of another library",
    "papers": "noise as the papers print it",
    "planning": "plans before there are data",
    "workbench": "the page in the browser",
}
"""Name -> what it is, for those who lack it."""
STANDS_ON: Mapping[str, str] = {"planning": "bounds"}
"""A part -> another one, without which it is not there either."""


def is_there(part: str) -> bool:
    """Whether this copy of the package has the part."""
    return _lacking(part) is None


def module_of(name: str) -> ModuleType:
    """The module of this name below `discreet`, which is a part or in one. Raises InvalidInput where this copy lacks it."""
    lacking = _lacking(name.partition(".")[0])
    if lacking is not None:
        raise InvalidInput(f"this copy of Discreet lacks the folder {lacking!r}: {PARTS[lacking]}. Install the whole package.")
    return above.imported(name)


def also_of(names: Callable[[str], object], parts: Mapping[str, str]) -> Callable[[str], object]:
    """What a package calls `__getattr__`: `parts` says of which part a name is, and `names` finds the others."""

    def found(name: str) -> object:
        return getattr(module_of(parts[name]), name) if name in parts else names(name)

    return found


def _lacking(part: str) -> str | None:
    """The first folder that is not there, of the part and of what it stands on."""
    if part in STANDS_ON and (below := _lacking(STANDS_ON[part])) is not None:
        return below
    return None if above.found(part) else part
