"""The pages of the reference: one for each package, and one for each public class, with tables of its parameters and errors.

What a parameter means is taken from where it is said first: the lines `name : words` of the docstring, those of the class that the docstring refers
to ("those of Lasso"), of the base classes, the string after a dataclass field, and the words of `Annotated`. Types and defaults come from signatures.
"""

import ast
import enum
import importlib
import inspect
import pkgutil
import re
import textwrap
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

NAMES = r"\w+(?:, \w+)*"
_FIELD = re.compile(rf"({NAMES}) : (.*)")
_REFERRED = re.compile(r"(?:those\s+of|as\s+in|[Ss]ee|as)\s+(?:discreet\.\w+\.)?([A-Z]\w+)")
_SHARED = ("rows_per_person", "person_weight", "ledger", "n_jobs", "random_state", "epsilon", "delta", "neighbours", "public_records")
"""Parameters of every estimator, which mean the same in each; LinearRegression says what."""
_ERRORS = (
    "DiscreetError",
    "InvalidInput",
    "InvalidType",
    "SchemaError",
    "FileFormatError",
    "InfeasibleTarget",
    "SolverFailure",
    "VerificationFailure",
)
_RAISED = "|".join(
    (*_ERRORS, "PrivateDataError", "BudgetExceeded", "LedgerUnavailable", "LedgerCorrupted", "NotFittedError", "TypeError", "ValueError")
)
_QUALIFIED = re.compile(r"\b(?:discreet|numpy|polars|collections|pathlib|typing|sklearn|scipy|datetime|fractions)(?:\.\w+)*\.(?=\w)")
_JSON = re.compile(r"bool \| int \| float \| str \| list\[ForwardRef\('.*?'\)\] \| dict\[str, ForwardRef\('.*?'\)\] \| None")
"""What `Json` of `core.fields` is spelled out as."""
GROUPS = {
    "What most people use": (
        "discreet", "discreet.estimators", "discreet.data", "discreet.data.encodings", "discreet.ledger", "discreet.evaluation", "discreet.planning",
        "discreet.releases", "discreet.consumers", "discreet.descriptions", "discreet.audit", "discreet.certificates", "discreet.signing",
    ),
    "What models are made of": (
        "discreet.losses", "discreet.losses.predictions", "discreet.sets", "discreet.sets.mirror_maps", "discreet.kernels", "discreet.noise",
        "discreet.accounting",
    ),
}  # fmt: skip
_WITH_PAGES = frozenset(name for names in GROUPS.values() for name in names)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A row of the table."""

    name: str
    kind: str
    default: str
    words: str


@cache
def packages() -> list[str]:
    """discreet and every package in it that says what is public, in alphabetic order."""
    discreet = importlib.import_module("discreet")
    found = [module.name for module in pkgutil.walk_packages(discreet.__path__, prefix="discreet.") if module.ispkg]
    return [name for name in ["discreet", *sorted(found)] if public_names(importlib.import_module(name))]


def public_names(module: ModuleType) -> list[str]:
    """The names that a package exports."""
    return sorted(name for name in getattr(module, "__all__", []) if name != "__version__")


@cache
def homes_of_names() -> dict[str, str]:
    """For every public name, in full, the one under which it is documented: packages pass on what others define, and that has one entry only."""
    homes: dict[str, str] = {}
    of_things: dict[int, str] = {}
    for package in sorted(packages(), key=lambda name: (name == "discreet", name.count("."), name)):
        module = importlib.import_module(package)
        for name in public_names(module):
            full = f"{package}.{name}"
            homes[full] = of_things.setdefault(id(getattr(module, name)), full)
    return homes


def thing_named(full: str) -> object:
    """The public thing with this full name."""
    package, _, name = full.rpartition(".")
    return getattr(importlib.import_module(package), name)


def page_of(full: str) -> str:
    """The page, under api/, that has the entry of a public name: its own for a class that people use, that of its package for the rest."""
    package = full.rpartition(".")[0]
    return full if package in _WITH_PAGES and inspect.isclass(thing_named(full)) else package


# What a thing says of its parameters


def never_called(thing: object) -> bool:
    """Whether it is a protocol or an enumeration, which nobody makes one of by calling it."""
    return inspect.isclass(thing) and (issubclass(thing, enum.Enum) or bool(getattr(thing, "_is_protocol", False)))


def parameters(thing: object) -> list[Parameter]:
    """The rows of the table of a class or a function; empty where it takes nothing."""
    if never_called(thing):
        return []
    target = thing.__init__ if inspect.isclass(thing) else thing
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return []
    try:
        types = typing.get_type_hints(target, include_extras=True)
    except (NameError, TypeError, AttributeError):
        types = {}
    words = meanings(thing)
    rows = []
    for position, one in enumerate(signature.parameters.values()):
        if one.name in {"self", "cls"} or (position == 0 and one.name.startswith("_")):
            continue
        annotation = types.get(one.name, one.annotation)
        kind, told = type_words(annotation)
        default = "required" if one.default is one.empty or isinstance(one.default, property) else default_words(one.default)
        rows.append(Parameter(one.name, kind, default, words.get(one.name, "") or told))
    return rows


def type_words(annotation: object) -> tuple[str, str]:
    """A type as a reader writes it, and what `Annotated` says of it."""
    if annotation is inspect.Parameter.empty or annotation is typing.Any:
        return "any", ""
    told = ""
    if typing.get_origin(annotation) is typing.Annotated:
        first, *rest = typing.get_args(annotation)
        told = next((one for one in rest if isinstance(one, str)), "")
        annotation = first
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "") if inspect.isclass(annotation) else str(annotation)
    text = _QUALIFIED.sub("", text.replace("NoneType", "None"))
    text = re.sub(r"ndarray\[tuple\[.*?\], dtype\[(\w+)\]\]", r"array of \1", text)
    text = re.sub(r"Annotated\[(.*?), '.*?'\]", r"\1", text)
    text = _JSON.sub("Json", text)
    return text.replace("_Any", "any").replace("Any", "any"), told


def default_words(default: object) -> str:
    """As it is written in a call."""
    if isinstance(default, enum.Enum) and isinstance(default.value, str):
        return repr(default.value)
    text = f"{default.__name__}" if callable(default) and hasattr(default, "__name__") else repr(default)
    text = re.sub(r" at 0x[0-9a-f]+", "", text)
    return "a new one for each" if "factory" in text else text


def meanings(thing: object) -> dict[str, str]:
    """Parameter -> what it means; of a class from the sources named at the head of this file, the nearest first."""
    found: dict[str, str] = {}
    if not inspect.isclass(thing):
        return entries(inspect.getdoc(thing) or "") | prose_entries(thing)
    for source in sources_of(thing):
        for name, words in source.items():
            if not (match := _REFERRED.match(words)) or name in _SHARED or match.group(1) == thing.__name__:
                found.setdefault(name, words)
    shared = class_called("LinearRegression")
    if hasattr(thing, "fit") and shared is not thing and shared is not None:
        for name in _SHARED:
            if name not in found or _REFERRED.match(found[name]):
                found[name] = meanings(shared).get(name, "")
    return found


def sources_of(thing: type) -> Iterator[dict[str, str]]:
    """What a class, its bases and the classes that these refer to say of parameters, the nearest first."""
    for base in (one for one in thing.__mro__ if one.__module__.startswith("discreet")):
        text = inspect.cleandoc(base.__doc__ or "") if base is thing or _own(base, "__doc__") else ""
        yield entries(text)
        yield entries(inspect.getdoc(base.__dict__.get("__init__")) or "")
        yield field_words(base)
        referred = _REFERRED.search(text.partition("Attributes")[0] or text)
        if referred and (other := class_called(referred.group(1))) and other is not thing and thing not in other.__mro__:
            yield meanings(other)


def _own(thing: type, name: str) -> bool:
    return name in vars(thing)


def class_called(name: str) -> type | None:
    """The public class of this name."""
    return next((thing for home in homes_of_names().values() if home.endswith(f".{name}") and inspect.isclass(thing := thing_named(home))), None)


def entries(text: str) -> dict[str, str]:
    """The lines `name : words` of a docstring, with what follows each, as name -> words; several names share words."""
    found: dict[str, str] = {}
    current: list[str] = []
    for line in inspect.cleandoc(text).splitlines():
        match = _FIELD.match(line)
        if match:
            current = match.group(1).split(", ")
            found |= dict.fromkeys(current, match.group(2).strip())
        elif not line.strip() or set(line.strip()) == {"-"}:
            current = []
        else:
            for name in current:
                found[name] += f" {line.strip()}"
    return found


def prose_entries(thing: object) -> dict[str, str]:
    """Of a docstring with `Parameters: X (n, d) rows; y (n,) labels.`, the parts that begin with the name of a parameter."""
    match = re.search(r"^Parameters: (.*?)(?:\n\s*\n|\Z)", inspect.getdoc(thing) or "", flags=re.DOTALL | re.MULTILINE)
    if not match or not inspect.isroutine(thing):
        return {}
    known = set(inspect.signature(thing).parameters)
    found = {}
    for part in re.split(r"; ", " ".join(match.group(1).split())):
        name, _, words = part.partition(" ")
        if name.strip("`,:") in known:
            found[name.strip("`,:")] = words
    return found


@cache
def field_words(thing: type) -> dict[str, str]:
    """Field -> the string that follows it in the class."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(thing)))
    except (OSError, TypeError):
        return {}
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    found = {}
    for one, following in zip(body, [*body[1:], None], strict=True):
        words = following.value.value if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant) else None
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and isinstance(words, str):
            found[one.target.id] = inspect.cleandoc(words)
    return found


def raised(text: str) -> tuple[str, list[tuple[str, str]]]:
    """A docstring without its sentences "Raises X for .., Y where ..", and these as (error, when)."""
    rows: list[tuple[str, str]] = []

    def take(match: re.Match[str]) -> str:
        sentence = " ".join(match.group(1).split())
        parts = re.split(rf"(?:^|,? and |, )\b({_RAISED})\b ?", sentence)
        if parts[0].strip():
            return match.group(0)
        rows.extend((name, words.strip(" ,.;")) for name, words in zip(parts[1::2], parts[2::2], strict=True))
        return ""

    rest = re.sub(rf"Raises ((?:{_RAISED})\b[^.]*(?:\.(?=\S)[^.]*)*)\.(?=\s|$)", take, text)
    return rest, rows


# Tables and pages, in reStructuredText


def table(title: str, head: tuple[str, ...], rows: list[tuple[str, ...]], widths: str) -> list[str]:
    """Lines of a table with a title; nothing where it has no rows. Cells are markup already."""
    if not rows:
        return []
    lines = [f".. rubric:: {title}", "", ".. list-table::", "   :header-rows: 1", f"   :widths: {widths}", "   :class: reference", ""]
    for row in (head, *rows):
        lines += [f"   {'* -' if place == 0 else '  -'} {cell}".rstrip() for place, cell in enumerate(row)]
    return [*lines, ""]


def parameter_table(rows: list[Parameter], plain: typing.Callable[[str], str]) -> list[str]:
    """Names, types, defaults and, where something is said, meanings."""

    def code(text: str) -> str:
        return f"``{text}``" if text else ""

    told = any(row.words for row in rows)
    head = ("name", "type", "default", *(["meaning"] if told else []))
    cells = [(code(row.name), code(row.kind), code(row.default), *([plain(begun(row.words))] if told else [])) for row in rows]
    return table("Parameters", head, cells, "18 18 14 50" if told else "30 45 25")


def begun(words: str) -> str:
    """With a capital where it begins with a word."""
    return words[:1].upper() + words[1:] if re.match(r"[a-z]+[ ,;]", words) and not re.match(r"inf\b|(?!a )\w\b", words) else words


def error_table(rows: list[tuple[str, str]], plain: typing.Callable[[str], str]) -> list[str]:
    """Errors, and when they are raised."""
    return table("Raises", ("error", "when"), [(f"``{name}``", plain(words) or "as said above") for name, words in rows], "25 75")


def package_page(module: ModuleType, homes: dict[str, str], value_words: typing.Callable[[ModuleType, str], list[str]]) -> str:
    """Its docstring, its classes with a line each, its functions and values, and what it passes on."""
    package = module.__name__
    own = [name for name in public_names(module) if homes[f"{package}.{name}"] == f"{package}.{name}"]
    passed_on = [name for name in public_names(module) if name not in own]
    classes = [name for name in own if inspect.isclass(getattr(module, name))]
    parts = [heading(package, "="), f".. automodule:: {package}\n   :no-members:\n"]
    if classes:
        rows = [(f":py:obj:`{name} <{package}.{name}>`", first_sentence(getattr(module, name))) for name in classes]
        parts.append("\n".join(table("Classes", ("class", "what"), rows, "35 65")))
    parts += [class_entry(f"{package}.{name}") for name in classes if package not in _WITH_PAGES]
    functions = [name for name in own if inspect.isroutine(getattr(module, name))]
    if functions:
        parts.append(".. rubric:: Functions\n")
    parts += [f".. autofunction:: {package}.{name}\n" for name in functions]
    values = [name for name in own if name not in classes and name not in functions]
    if values:
        parts.append(".. rubric:: Values\n")
    for name in values:
        words = "\n".join(f"   {line}" for line in value_words(module, name))
        parts.append(f".. py:data:: {name}\n\n{words}\n")
    if passed_on:
        rows = [(f":py:obj:`{name} <{homes[f'{package}.{name}']}>`", f"``{homes[f'{package}.{name}'].rpartition('.')[0]}``") for name in passed_on]
        parts.append("\n".join(table("Also importable from here", ("name", "documented in"), rows, "50 50")))
    return "\n".join(parts)


def class_page(full: str) -> str:
    """A class on a page of its own, to which the page of its package leads: three hundred more lines of navigation would help nobody."""
    package, _, name = full.rpartition(".")
    read = [f"- :doc:`/docs/{guide}`" for guide in guides(name)]
    more = "\n".join(["", ".. rubric:: Guides", "", *read, ""]) if read else ""
    return f":orphan:\n\n{heading(name, '=')}\n:doc:`Reference </api>` / :doc:`{package} <{package}>`\n\n{class_entry(full)}{more}"


def guides(name: str) -> list[str]:
    """The pages of docs/ that use a class most, at most four: those that name it in code twice or more."""
    counts = {page: len(re.findall(rf"`{name}\b|import .*\b{name}\b|\b{name}\(", text)) for page, text in _guides().items() if name in text}
    return sorted((page for page, count in counts.items() if count > 1), key=lambda page: (-counts[page], page))[:4]


@cache
def _guides() -> dict[str, str]:
    folder = Path(__file__).resolve().parent.parent / "docs"
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))}


def class_entry(full: str) -> str:
    """A class, with all it has; fields that are parameters stand in their table alone, and scikit-learn says what its routing of metadata does."""
    thing = thing_named(full)
    fields = [*field_words(thing)] if hasattr(thing, "__dataclass_fields__") else [*getattr(thing, "_fields", ())]
    fields += [name for one in getattr(thing, "__mro__", ()) for name in vars(one) if re.fullmatch(r"set_\w+_request", name)]
    excluded = f"   :exclude-members: {','.join(dict.fromkeys(fields))}\n" if fields else ""
    named = "   :undoc-members:\n" if inspect.isclass(thing) and issubclass(thing, enum.Enum) else ""
    return f".. autoclass:: {full}\n   :members:\n{named}{excluded}"


def first_sentence(thing: object) -> str:
    """Of the docstring, with what markup would read made plain."""
    text = " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())
    sentence = re.split(r"(?<=[a-z)`])[.:] (?=[A-Z`])", text)[0].rstrip(".:")
    return re.sub(r"([\\*|_<>`])", r"\\\1", sentence)


def contents_page() -> str:
    """The packages, grouped, with a line each."""
    named = packages()
    groups = {title: [name for name in names if name in named] for title, names in GROUPS.items()}
    grouped = {name for names in groups.values() for name in names}
    groups["What stands behind them"] = [name for name in named if name not in grouped]
    parts = [heading("Reference", "="), "Every name here is public: it changes only with an entry in the changelog.\n"]
    for title, names in groups.items():
        rows = [(f":doc:`{name} <api/{name}>`", first_sentence(importlib.import_module(name))) for name in names]
        parts += [heading(title, "-"), "\n".join(table("Packages", ("package", "what"), rows, "30 70"))]
    listed = "\n".join(f"   api/{name}" for names in groups.values() for name in names)
    return "\n".join(parts) + f"\n.. toctree::\n   :hidden:\n\n{listed}\n"


def heading(words: str, line: str) -> str:
    """A title in reStructuredText."""
    return f"{words}\n{line * len(words)}\n"
