"""House rules that import contracts cannot see, over every source file of the package.

Which floor may import which is in pyproject.toml (import-linter); here: what may be imported from outside, and how a file looks.
"""

import ast
import importlib
import pkgutil
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import discreet
from discreet.core.parts import PARTS

PACKAGE = Path(discreet.__file__).parent
FILES = {str(path.relative_to(PACKAGE)): path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))}

ALLOWED = {
    "sklearn": {"consumers", "estimators"},
    "warnings": {"estimators", "evaluation", "cli", "ledger"},
    "random": set(),
    "secrets": {"workbench"},  # the token of a page, no noise
    # kernels: public frequencies (tests/kernels/test_public_randomness.py says where)
    "numpy.random": {"noise", "kernels"},
    "os.urandom": {"noise"},
    "importlib.import_module": {"__init__", "cli", "core", "device", "estimators", "releases"},
    "json.load": set(),
    "json.loads": {"core"},  # strictly, and not too deep
    "cryptography": {"noise", "signing"},
    "click": {"cli", "planning", "workbench"},
    "jinja2": {"display"},
    "rich": {"cli"},
}
"""What is imported or reached where: name from outside -> packages of discreet that may use it."""
TYPES = {"estimators": {"numpy.random.Generator", "numpy.random.RandomState"}}
"""Exceptions: types that a package may name, because scikit-learn's manners let callers pass them."""


@cache
def parsed(source):
    """Its tree, once for all tests."""
    return ast.parse(source)


@cache
def nodes(tree):
    """All of a tree, found once for all tests."""
    return tuple(ast.walk(tree))


def floor(file):
    """The package of discreet that a file belongs to, such as "noise"."""
    return Path(file).parts[0].removesuffix(".py")


def offenders(fault):
    """Files -> what `fault` finds in them, a function of file and source."""
    found = {file: fault(file, source) for file, source in FILES.items()}
    return {file: faults for file, faults in found.items() if faults}


def names_used(tree):
    """Dotted names from outside that a module imports, or reaches as attributes of what it imports (np.random.normal -> numpy.random.normal)."""
    local = {}
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                local[alias.asname or alias.name.partition(".")[0]] = alias.name if alias.asname else alias.name.partition(".")[0]
                yield alias.name
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            for alias in node.names:
                local[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                yield f"{node.module}.{alias.name}"
    inner = {id(node.value) for node in nodes(tree) if isinstance(node, ast.Attribute)}
    for node in nodes(tree):
        if isinstance(node, ast.Attribute) and id(node) not in inner:
            parts = []
            while isinstance(node, ast.Attribute):
                parts.append(node.attr)
                node = node.value  # noqa: PLW2901 (walking down the attribute)
            if isinstance(node, ast.Name) and node.id in local:
                yield ".".join([local[node.id], *reversed(parts)])


def offences(source, package):
    """Names that a file of `package` uses and must not."""
    if not any(all(part in source for part in name.split(".")) for name in ALLOWED):
        return  # the source says none of these words
    for name in set(names_used(parsed(source))) - TYPES.get(package, set()):
        for outside, packages in ALLOWED.items():
            if (name == outside or name.startswith(f"{outside}.")) and package not in packages:
                yield name
        if name.startswith("sklearn.") and any(part.startswith("_") for part in name.split(".")):
            yield name


def test_only_the_floors_that_may_use_an_outside_name_use_it():
    assert not offenders(lambda file, source: list(offences(source, floor(file))))


@pytest.mark.parametrize(
    ("source", "package"),
    [
        ("import sklearn.linear_model", "solvers"),
        ("from sklearn.linear_model import LogisticRegression", "problems"),
        ("from sklearn.utils._param_validation import Interval", "estimators"),
        ("from sklearn.linear_model import _logistic", "estimators"),
        ("import warnings", "mechanisms"),
        ("from warnings import warn", "data"),
        ("import numpy as np\nnp.random.normal()", "mechanisms"),
        ("import numpy\nnumpy.random.default_rng()", "solvers"),
        ("from numpy import random as r", "solvers"),
        ("from numpy.random import default_rng", "estimators"),
        ("import os\nos.urandom(8)", "mechanisms"),
        ("from os import urandom", "mechanisms"),
        ("import numpy as np\nnp.random.Generator", "mechanisms"),
        ("import numpy as np\nnp.random.default_rng().normal()", "estimators"),
        ("import secrets", "noise"),
        ("from random import gauss", "noise"),
        ("from cryptography.hazmat.primitives.ciphers import Cipher", "estimators"),
        ("import json\njson.loads('{}')", "ledger"),
        ("from json import load", "files"),
        ("def f():\n    import click", "estimators"),
        ("from importlib import import_module", "data"),
    ],
)
def test_each_forbidden_name_is_seen(source, package):
    assert list(offences(source, package))


def test_a_file_is_one_concept_with_its_docstring():
    assert not offenders(lambda _, source: len(source.splitlines()) > 400), "a file over 400 lines is more than one concept"
    assert not offenders(lambda _, source: not (ast.get_docstring(parsed(source)) or "").strip()), "a module begins by saying what it is"


def calls(source):
    """Names of the functions that a file calls by their names."""
    return {node.func.id for node in nodes(parsed(source)) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}


def test_nothing_prints_below_the_command_line():
    assert not offenders(lambda file, source: floor(file) != "cli" and calls(source) & {"print", "input"})


OWN_FILES = {
    "core/files/reading.py",
    "core/files/whole_file.py",
    "core/files/whole_folder.py",
    "core/version.py",
    "data/adult/table.py",
    "data/workbook.py",
    "display/printing.py",
    "workbench/places.py",
    "workbench/server.py",
}
"""What opens files of the package, those that it made itself, and parts of a file that was looked at."""


def opening(source):
    """Lines on which a file is opened by its path, but for what `gzip` unpacks, handles of the system and what a browser shows."""
    for node in nodes(parsed(source)):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Attribute) and called.attr in ("open", "read_text", "read_bytes"):
            if not (isinstance(called.value, ast.Name) and called.value.id in ("gzip", "os", "webbrowser")):
                yield node.lineno
        elif isinstance(called, ast.Name) and called.id == "open":
            yield node.lineno


def test_what_somebody_named_is_opened_in_one_place():
    """`core.files.reading.opened` waits for no pipe."""
    assert not offenders(lambda file, source: file not in OWN_FILES and list(opening(source)))


@pytest.mark.parametrize("body", ["open(path)", "Path(path).open('rb')", "path.read_text()", "(folder / name).read_bytes()"])
def test_each_way_to_open_a_file_is_seen(body):
    assert list(opening(body))


def raised_in_handlers(source):
    """Lines on which a handler raises something else than what it caught, which would stay on the new exception as its context.

    A missing package (ImportError) says nothing of records.
    """

    def visit(node, handler):
        if isinstance(node, ast.Raise) and node.exc is not None and handler is not None and node.exc.id_or_none != handler:
            yield node.lineno
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            handler = None
        for child in ast.iter_child_nodes(node):
            inside = isinstance(child, ast.ExceptHandler)
            missing = inside and isinstance(child.type, ast.Name) and child.type.id == "ImportError"
            yield from visit(child, None if missing else (child.name or "") if inside else handler)

    if "except" not in source:
        return []
    tree = parsed(source)
    for node in nodes(tree):
        node.id_or_none = node.id if isinstance(node, ast.Name) else None
    return list(visit(tree, None))


def test_a_handler_raises_nothing_but_what_it_caught():
    """`from None` hides a context and keeps it; what a library says of a cell would travel on our own refusal (see discreet.core.errors)."""
    assert not offenders(lambda _, source: raised_in_handlers(source))


@pytest.mark.parametrize(
    ("body", "seen"),
    [
        ("raise Refusal from None", True),
        ("raise Refusal('x') from error", True),
        ("if y:\n        raise refusal", True),
        ("raise", False),
        ("raise error", False),
        ("refusal = Refusal()", False),
        ("def f():\n        raise Refusal", False),
    ],
)
def test_each_chained_exception_is_seen(body, seen):
    assert bool(raised_in_handlers(f"try:\n    x()\nexcept ValueError as error:\n    {body}\n")) is seen
    assert not raised_in_handlers(f"try:\n    x()\nexcept ImportError:\n    {body}\n")


def test_every_folder_of_source_is_a_package():
    assert {str(Path(file).parent / "__init__.py") for file in FILES} <= FILES.keys()


def undocumented(name, thing):
    if isinstance(thing, type):
        words = vars(thing).get("__doc__") or ""
        return not words or words.startswith(f"{name}(")  # the docstring that dataclass makes up
    return callable(thing) and not thing.__doc__


def test_everything_exported_exists_once_and_is_documented():
    found = pkgutil.walk_packages(discreet.__path__, prefix="discreet.")
    for package in ("discreet", *(module.name for module in found if module.ispkg)):
        module = importlib.import_module(package)
        exported = list(getattr(module, "__all__", []))
        assert len(exported) == len(set(exported)), package
        assert not [name for name in exported if undocumented(name, getattr(module, name))], package


def test_the_package_is_typed():
    assert (PACKAGE / "py.typed").exists()


MODULES = {".".join(("discreet", *Path(file).with_suffix("").parts)).removesuffix(".__init__"): source for file, source in FILES.items()}


def by_strings(source):
    """Modules of discreet whose names are strings of a module, for `lazily` and the like; of a string that is put together, what it begins with."""
    if '"discreet.' in source:
        compared = {node.left for node in nodes(parsed(source)) if isinstance(node, ast.Compare)}
        texts = (node.value for node in {*nodes(parsed(source))} - compared if isinstance(node, ast.Constant) and isinstance(node.value, str))
        yield from {text.removesuffix(".") for text in texts if text.startswith("discreet.")} & MODULES.keys()


def visible(source, *, types=True):
    """Modules of discreet that a module names in imports; with `types`, in those for types alone too."""

    def visit(node):
        if not types and isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            yield from (each for other in node.orelse for each in visit(other))
            return
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else node.module
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.expr):  # in which nothing is imported
                yield from visit(child)

    return {one for one in visit(parsed(source)) if one in MODULES}


def imported(name, source):
    """Modules of discreet that a module imports when it is imported or when one of its functions runs, and the packages that they are in.

    What only types need is left out, and so are the packages that the module itself is in.
    """
    named = visible(source, types=False).union(by_strings(source))
    around = {".".join(one.split(".")[:end]) for one in named for end in range(2, one.count(".") + 1)}
    return {one for one in named | around if not f"{name}.".startswith(f"{one}.")}


def unseen(name, source):
    """Modules of other packages that a module imports by a string alone: what checks the contracts does not see it. The face is above them all."""
    if name != "discreet":
        own = name.split(".")[1]
        yield from sorted(one for one in set(by_strings(source)) - visible(source) if one == "discreet" or one.split(".")[1] != own)


def check_circles(graph):
    """Raise CycleError, which names a circle, if there is one."""
    TopologicalSorter({name: others - {name} for name, others in graph.items()}).prepare()


def test_what_a_string_imports_is_seen_by_the_contracts():
    assert not {name: names for name, source in MODULES.items() if (names := list(unseen(name, source)))}


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("discreet.data.schema", 'import_module("discreet.estimators.transformers.schema_transformer")'),
        ("discreet.core.showing", 'import_module(f"discreet.display.{module}")'),
        ("discreet.statements.base", 'problems = lazily("discreet.problems")'),
        ("discreet.problems.prior", 'registered(kept, name, "discreet.verification")'),
        ("discreet.estimators.files.array_model", 'layouts = lazily(f"discreet.{name}")'),
    ],
)
def test_an_import_by_a_string_alone_is_seen(name, body):
    assert list(unseen(name, body))


def test_an_import_by_a_string_beside_one_for_types_is_none_by_a_string_alone():
    seen = 'if TYPE_CHECKING:\n    from discreet import sets\nelse:\n    sets = lazily("discreet.sets")'
    assert not list(unseen("discreet.statements.base", seen))
    assert imported("discreet.statements.base", seen) == {"discreet.sets"}


def test_modules_do_not_import_each_other_in_circles():
    check_circles({name: imported(name, source) for name, source in MODULES.items()})


def is_package(name):
    return f"{name.replace('.', '/')}/__init__.py".removeprefix("discreet/") in FILES


def folder_of(name):
    """The folder that a module is in; a module beside the floors is one of its own."""
    return name if is_package(name) or name.count(".") == 1 else name.rpartition(".")[0]


def folders(graph):
    """The same graph, of folders. What a package imports in `__init__.py` are names for those outside, and no module of its folder needs them."""
    found = {}
    for name, others in graph.items():
        if not is_package(name):
            found.setdefault(folder_of(name), set()).update(map(folder_of, others))
    return found


def test_folders_do_not_import_each_other_in_circles():
    check_circles(folders({name: imported(name, source) for name, source in MODULES.items()}))


def test_a_circle_of_folders_is_seen():
    there = {"discreet.data.reader": {"discreet.data.blocks.cut"}, "discreet.data.blocks.files": {"discreet.data.schema"}}
    with pytest.raises(CycleError, match="nodes"):
        check_circles(folders(there))
    check_circles(folders({"discreet.data": {"discreet.data.blocks.cut"}, "discreet.data.blocks.files": {"discreet.data.schema"}}))


def test_a_circle_of_imports_is_seen():
    assert imported("discreet.cli", "def f():\n    from discreet.core import errors") == {"discreet.core", "discreet.core.errors"}
    assert imported("discreet.core.validate", "from discreet.core import errors") == {"discreet.core.errors"}
    assert imported("discreet.cli", 'errors = lazily("discreet.core.errors")') == {"discreet.core", "discreet.core.errors"}
    assert imported("discreet.cli", "if TYPE_CHECKING:\n    from discreet.core import errors") == set()
    with pytest.raises(CycleError, match="nodes"):
        check_circles({"a": {"b"}, "b": {"c"}, "c": {"b"}})
    check_circles({"a": {"b", "c"}, "b": {"c"}, "c": {"c"}})


def shown_names():
    """What results ask display for: see discreet.core.showing."""
    asking = ("from discreet.core.showing import", "from discreet.core.files.picture import")
    for source in (source for source in MODULES.values() if any(line in source for line in asking) and "def told" not in source):
        for node in nodes(parsed(source)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {"shown", "html_of", "pictured"} and isinstance(node.args[0], ast.Constant):
                yield ast.literal_eval(node.args[0])


def test_every_picture_that_a_result_asks_for_by_name_is_there():
    names = list(shown_names())
    assert len(names) > 10
    for name in names:
        module, _, function = name.rpartition(".")
        home = f"{module}.views" if module in PARTS else f"display.{module}"
        assert callable(getattr(importlib.import_module(f"discreet.{home}"), function))
