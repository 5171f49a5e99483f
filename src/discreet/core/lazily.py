"""What is imported when it is first used, so that a command answers before what it does not need is there.

optimize = lazily("scipy.optimize")                      stands for the module; what is asked of it is asked of the module
__getattr__, __dir__ = names_of(__name__)                in a package: the names that its `if TYPE_CHECKING:` imports, each from its module
registered(kept, name, package)                          what a module of the package registers as it is imported
keep_old_names(__name__, {"plain": "files.to_sklearn"})  modules of a package by the names that pickles of earlier versions have
above.shown(...)                                         what is asked of floors above, none of which may be imported

`discreet/__init__.py` is above all floors and runs before any other module: it says who answers what is asked of those above, so that every import
points downwards.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, TypeVar

T = TypeVar("T")
_MOSTLY = ("fits", "learning")
"""Modules that have what is mostly asked for."""


class _Lazily:
    __slots__ = ("_module", "_name")

    def __init__(self, name: str) -> None:
        self._name = name
        self._module: ModuleType | None = None

    def __getattr__(self, attribute: str) -> Any:  # noqa: ANN401 - whatever the module has
        if attribute.startswith("__"):  # whoever looks at all names of a module, and not what it has
            raise AttributeError(attribute)
        if self._module is None:
            self._module = import_module(self._name)
        return getattr(self._module, attribute)


def lazily(name: str) -> Any:  # noqa: ANN401 - as above
    """The module of this name."""
    return _Lazily(name)


def registered(kept: Mapping[str, T], name: str, package: str) -> T | None:
    """What is kept under a name, which a module of `package` registers as it is imported: they are, one after the other, until it is there.

    Those go first that are called as a word of the name, as `rows` for "release-gaussian-rows", or have one in theirs.
    """
    if name not in kept:
        next((module for module in each_module(package, first=name.split("-")) if name in kept), None)
    return kept.get(name)


def each_module(package: str, *, first: Sequence[str] = ()) -> Iterator[str]:
    """The modules of a package, one after the other, each imported before it is named; `first` are before the others, and then who shares a word."""
    from pkgutil import iter_modules  # noqa: PLC0415 - help and version are answered without

    def place(name: str) -> tuple[bool, bool, bool]:
        return name not in first, not {*name.split("_")} & {*first}, name not in _MOSTLY

    for module in sorted((found.name for found in iter_modules(import_module(package).__path__)), key=place):
        import_module(f"{package}.{module}")
        yield module


def names_of(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """What a package calls `__getattr__` and `__dir__`. A name that it does not have raises AttributeError, as elsewhere."""
    homes = cache(lambda: _homes(package))

    def found(name: str) -> object:
        if name.startswith("__") or name not in homes():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(homes()[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return found, lambda: sorted({*vars(sys.modules[package]), *homes()})


def _homes(package: str) -> dict[str, str]:
    """Name -> module, from the text of the package."""
    import ast  # noqa: PLC0415 - as above

    loader: Any = sys.modules[package].__loader__
    blocks = [node for node in ast.parse(loader.get_source(package)).body if isinstance(node, ast.If)]
    imports = [node for block in blocks if ast.unparse(block.test) == "TYPE_CHECKING" for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module for node in imports for alias in node.names if node.module is not None}


class _OldNames:
    """Asked last of all finders, for what no file is called any more."""

    def __init__(self, homes: Mapping[str, str]) -> None:
        self._homes = homes

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:  # noqa: ARG002 - as finders are called
        loader: Any = self
        return ModuleSpec(fullname, loader) if fullname in self._homes else None

    def create_module(self, spec: ModuleSpec) -> None:
        """An empty one, which is replaced."""

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = import_module(self._homes[module.__name__])


def keep_old_names(package: str, moved: Mapping[str, str]) -> None:
    """Let modules of `package` be imported by their old names too, as pickles of earlier versions do; `moved` is old name -> new one."""
    sys.meta_path.append(_OldNames({f"{package}.{old}": f"{package}.{new}" for old, new in moved.items()}))


class Above:
    """Functions of the package's face."""

    __slots__ = ("checked", "found", "imported", "shown", "transformer")

    checked: Callable[..., Iterable[Any]]
    """The verdicts on what a certificate states."""
    found: Callable[[str], bool]
    """Whether there is a package of this name."""
    imported: Callable[[str], ModuleType]
    """The module of this name (`discreet.core.parts`)."""
    shown: Callable[..., str]
    """The HTML or SVG of a named function of `discreet.display`, or of the `views` of a part, of what is given."""
    transformer: Callable[..., Any]
    """The step of a Pipeline that encodes rows by a schema."""


above = Above()
