"""House rules that import contracts cannot see, over every source file of the package.

Which floor may import which is in pyproject.toml (import-linter); here: what may be imported from outside, and how a file looks.
"""

import ast
import importlib
import pkgutil
from pathlib import Path

import pytest

import discreet

PACKAGE = Path(discreet.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))

ALLOWED = {
    "sklearn": {"consumers", "estimators"},
    "warnings": {"estimators", "cli", "ledger"},
    "random": set(),
    "secrets": {"display"},  # the token of a page, no noise
    # kernels: public frequencies (tests/kernels/test_public_randomness.py says where)
    "numpy.random": {"noise", "kernels"},
    "randomgen": {"noise"},
    "os.urandom": {"noise"},
    "json.load": set(),
    "json.loads": {"core"},  # strictly, and not too deep
    "cryptography": {"data", "signing"},  # data: whether a cluster of this machine can be spoken to by TLS
    "click": {"cli"},
    "rich": {"cli"},
}
"""What is imported or reached where: name from outside -> packages of discreet that may use it."""
TYPES = {"estimators": {"numpy.random.Generator", "numpy.random.RandomState"}}
"""Exceptions: types that a package may name, because scikit-learn's manners let callers pass them."""


def floor(path):
    """The package of discreet that a file belongs to, such as "noise"."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def names_used(tree):
    """Dotted names from outside that a module imports, or reaches as attributes of what it imports (np.random.normal -> numpy.random.normal)."""
    local = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                local[alias.asname or alias.name.partition(".")[0]] = alias.name if alias.asname else alias.name.partition(".")[0]
                yield alias.name
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            for alias in node.names:
                local[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                yield f"{node.module}.{alias.name}"
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and id(node) not in inner:
            parts = []
            while isinstance(node, ast.Attribute):
                parts.append(node.attr)
                node = node.value  # noqa: PLW2901 (walking down the attribute)
            if isinstance(node, ast.Name) and node.id in local:
                yield ".".join([local[node.id], *reversed(parts)])


def offences(source, package):
    """Names that a file of `package` uses and must not."""
    for name in set(names_used(ast.parse(source))) - TYPES.get(package, set()):
        for outside, packages in ALLOWED.items():
            if (name == outside or name.startswith(f"{outside}.")) and package not in packages:
                yield name
        if name.startswith("sklearn.") and any(part.startswith("_") for part in name.split(".")):
            yield name


@each_file
def test_only_the_floors_that_may_use_an_outside_name_use_it(path):
    assert not list(offences(path.read_text(encoding="utf-8"), floor(path)))


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
        ("from randomgen import ChaCha", "estimators"),
        ("import json\njson.loads('{}')", "ledger"),
        ("from json import load", "files"),
        ("def f():\n    import click", "estimators"),
    ],
)
def test_each_forbidden_name_is_seen(source, package):
    assert list(offences(source, package))


@each_file
def test_a_file_is_one_concept_with_its_docstring(path):
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert len(text.splitlines()) <= 400, "a file over 400 lines is more than one concept"
    docstring = ast.get_docstring(tree)
    assert docstring, "a module begins by saying what it is"
    assert docstring.strip()


@each_file
def test_nothing_prints_below_the_command_line(path):
    if floor(path) == "cli":
        return
    calls = [
        node.func.id
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    assert "print" not in calls
    assert "input" not in calls


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

    tree = ast.parse(source)
    for node in ast.walk(tree):
        node.id_or_none = node.id if isinstance(node, ast.Name) else None
    return list(visit(tree, None))


@each_file
def test_a_handler_raises_nothing_but_what_it_caught(path):
    """`from None` hides a context and keeps it; what a library says of a cell would travel on our own refusal (see discreet.core.quiet)."""
    assert not raised_in_handlers(path.read_text(encoding="utf-8"))


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


@each_file
def test_every_folder_of_source_is_a_package(path):
    assert (path.parent / "__init__.py").exists()


def packages():
    found = pkgutil.walk_packages(discreet.__path__, prefix="discreet.")
    return ["discreet", *sorted(module.name for module in found if module.ispkg)]


@pytest.mark.parametrize("package", packages())
def test_everything_exported_exists_once_and_is_documented(package):
    module = importlib.import_module(package)
    exported = list(getattr(module, "__all__", []))
    assert len(exported) == len(set(exported))
    for name in exported:
        thing = getattr(module, name)
        if isinstance(thing, type):
            words = vars(thing).get("__doc__") or ""
            assert words, f"{name} has no docstring"
            assert not words.startswith(f"{name}("), f"the docstring of {name} is the one that dataclass made up"
        elif callable(thing):
            assert thing.__doc__, f"{name} has no docstring"


def test_the_package_is_typed():
    assert (PACKAGE / "py.typed").exists()
