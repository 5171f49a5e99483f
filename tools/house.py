"""The size and the paths of the house: lines, files, circles of imports, and the files that a fit and a command enter.

    python tools/house.py [--entered]

A file is entered if one of its functions is called, a lambda or a comprehension counts as a function. Circles: groups of modules that import each
other at module level, `TYPE_CHECKING` left out. Prints one line a figure.
"""

import ast
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "discreet"


def main() -> None:
    """See module docstring."""
    files = sorted(PACKAGE.rglob("*.py"))
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    print(f"{sum(lengths.values()):,} lines in {len(files)} files, {sum(length < 40 for length in lengths.values())} of them under 40 lines")
    for folder in sorted(path for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"):
        inside = [length for path, length in lengths.items() if folder in path.parents]
        print(f"  {folder.name:<16}{sum(inside):>7,} lines {len(inside):>4} files")
    found = circles(imports(files))
    print(f"{len(found)} circles of imports", *(f"  {', '.join(one)}" for one in found), sep="\n")
    for name, work in (("LinearSVC.fit", fit_job()), ("discreet fit", command_job())):
        functions = entered(work)
        places = Counter(path for path, _, _ in functions)
        print(f"{name} enters {len(places)} files and {len(functions)} functions")
        if "--entered" in sys.argv[1:]:
            print(*(f"  {count:>4} {Path(path).relative_to(PACKAGE)}" for path, count in sorted(places.items())), sep="\n")


def imports(files: list[Path]) -> dict[str, set[str]]:
    """For each module those of the package that it imports when it is imported itself."""
    names = {path: module_name(path) for path in files}
    known = set(names.values())
    found: dict[str, set[str]] = {}
    for path, name in names.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found[name] = {target for node in tree.body for target in targets(node, known) if target in known and target != name}
    return found


def module_name(path: Path) -> str:
    """Such as discreet.data.schema."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def targets(node: ast.stmt, known: set[str]) -> list[str]:
    """What a statement at module level imports: modules, or a package for what its `__init__` holds."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        inner = [f"{node.module}.{alias.name}" for alias in node.names]
        return [one if one in known else node.module for one in inner]
    return []


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Groups of two or more modules each of which reaches the others."""
    names = sorted(edges)
    places = {name: place for place, name in enumerate(names)}
    pairs = [(places[name], places[other]) for name, reached in edges.items() for other in reached]
    graph = coo_array((np.ones(len(pairs)), tuple(zip(*pairs, strict=True))), shape=(len(names), len(names)))
    groups = Counter(labels := connected_components(graph, directed=True, connection="strong")[1].tolist())
    return [[name for name, label in zip(names, labels, strict=True) if label == group] for group, size in groups.items() if size > 1]


def entered(work: Callable[[], object]) -> set[tuple[str, str, int]]:
    """(file, name, line) of the functions of the package that a second call enters: what only happens once, such as imports, is left out."""
    work()
    functions: set[tuple[str, str, int]] = set()
    root = str(PACKAGE)

    def note(frame: FrameType, event: str, _: Any) -> None:  # noqa: ANN401 - as sys.setprofile calls it
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(root):
            functions.add((code.co_filename, code.co_name, code.co_firstlineno))

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return functions


def fit_job() -> Callable[[], object]:
    """A fit of a few hundred rows."""
    from discreet import LinearSVC  # noqa: PLC0415 - what is measured

    X = np.random.default_rng(0).uniform(-1, 1, (400, 5))
    y = np.where(X[:, 0] > 0, "yes", "no")
    return lambda: LinearSVC(epsilon=1.0, delta=1e-6, classes=["no", "yes"]).fit(X, y)


def command_job() -> Callable[[], object]:
    """The command on a table of a few hundred rows."""
    from click.testing import CliRunner  # noqa: PLC0415 - as above

    from discreet.cli import program  # noqa: PLC0415

    folder = Path(tempfile.mkdtemp())
    draw = np.random.default_rng(0).uniform(-1, 1, (400, 2))
    lines = ["age,height,sick", *(f"{age:.3f},{height:.3f},{'yes' if age > 0 else 'no'}" for age, height in draw.tolist())]
    (folder / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "schema.toml").write_text(
        'format = "discreet-schema/1"\nname = "people"\nrows = "bound"\ntarget = { column = "sick", classes = ["no", "yes"] }\n'
        + "".join(f"[numeric.{name}]\nlower = -1\nupper = 1\n" for name in ("age", "height")),
        encoding="utf-8",
    )
    arguments = ["fit", str(folder / "people.csv"), "--schema", str(folder / "schema.toml"), "--epsilon", "1", "--delta", "1e-6", "--json"]

    def run() -> None:
        made = CliRunner().invoke(program, [*arguments, "--out", str(folder / "model.json"), "--overwrite"])
        if made.exit_code:
            sys.exit(made.output)

    return run


if __name__ == "__main__":
    main()
