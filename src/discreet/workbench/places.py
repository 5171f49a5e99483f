"""Files that the page names: where they lie, what is beside them, and what their headers show. No record is interpreted."""

import filecmp
import os
from io import BufferedIOBase
from pathlib import Path

from discreet.core.errors import InvalidInput, SchemaError
from discreet.core.files.reading import is_file
from discreet.data import Dialect, dialect_of, read_header
from discreet.workbench.form import dialect_text, read_dialect
from discreet.workbench.wire import Fields, Refused

TABLES = (".csv", ".csv.gz", ".txt", ".tsv", ".xlsx", ".parquet")
ENDINGS = {"table": TABLES, "schema": (".toml",), "ledger": (".ledger", ".sqlite", ".db"), "model": (".json",)}
"""Of the names that are shown where one of these is looked for."""
LARGEST_UPLOAD = 2 << 30
_MOST_NAMES = 2000
_BLOCK = 1 << 20


def place(path: str) -> str:
    """Absolute; ~ is the home folder."""
    return os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111 - Path.absolute keeps "..", and Path.expanduser raises for unknown users


def browsed(path: str, kind: str) -> dict[str, object]:
    """The folders in a folder, and its files of a kind, by their names alone; those that begin with a point are left out."""
    start = place(path)
    folder = Path(start) if os.path.isdir(start) else Path(start).parent  # noqa: PTH112 - no error for odd names
    try:
        names = sorted((entry.name, entry.is_dir()) for entry in os.scandir(folder) if not entry.name.startswith("."))
    except (OSError, ValueError) as error:
        refusal = InvalidInput(f"the folder {str(folder)!r} cannot be listed ({type(error).__name__}). Type the path of the file.")
    else:
        shown = [(name, inner) for name, inner in names if name.isprintable() and (inner or name.lower().endswith(ENDINGS[kind]))]
        return {
            "folder": str(folder),
            "parent": None if folder == folder.parent else str(folder.parent),
            "folders": [name for name, inner in shown if inner][:_MOST_NAMES],
            "files": [name for name, inner in shown if not inner][:_MOST_NAMES],
            "more": len(shown) > _MOST_NAMES,
        }
    raise refusal


def required_file(path: str, what: str, field: str) -> str:
    """Absolute. Raises Refused where there is no such file."""
    found = place(path)
    if not is_file(found):
        raise Refused(422, f"there is no {what} {found!r}. Check the path.", field)
    return found


def header(path: str, file: Fields | None = None) -> dict[str, object]:
    """The columns of a table, and how it is written: as its first line shows, or as is said."""
    if not is_file(path):
        raise InvalidInput(f"there is no file {path!r}. Check the path.")
    try:
        dialect = dialect_of(path) if file is None else read_dialect(file)
    except SchemaError as error:
        refusal = Refused(422, str(error), "file")
    else:
        name = Path(path).name.partition(".")[0].strip() or "table"
        return {"path": path, "name": name, "columns": read_header(path, dialect), "file": dialect_text(dialect), "plain": dialect == Dialect()}
    raise refusal


def uploaded(name: str, size: int, stream: BufferedIOBase, folder: Path) -> dict[str, object]:
    """Keep the bytes of a table in a folder of its own, whole or not at all; its columns."""
    plain = upload_name(name, size)
    folder.mkdir(mode=0o700)
    target = folder / plain
    try:
        _copied(stream, target, size)
        return header(str(target))
    except BaseException:
        target.unlink(missing_ok=True)
        folder.rmdir()
        raise


def upload_name(name: str, size: int) -> str:
    """Without folders. Raises Refused for what is no name of a table, or too large."""
    plain = name.replace("\\", "/").rpartition("/")[2]
    if not plain.isprintable() or len(plain) > 200 or not plain.lower().endswith(TABLES) or plain.startswith("."):
        raise Refused(422, "The name of a table must end in .csv, .csv.gz, .txt, .tsv, .xlsx or .parquet.", "file")
    if size > LARGEST_UPLOAD:
        raise Refused(413, "Tables above 2 GiB cannot be uploaded. Give the path instead; the table stays where it is.", "file")
    return plain


def _copied(stream: BufferedIOBase, target: Path, size: int) -> None:
    with target.open("xb") as file:
        left = size
        while left > 0:
            block = stream.read(min(_BLOCK, left))
            if not block:
                raise Refused(400, "The upload was cut off. Nothing was kept.")
            file.write(block)
            left -= len(block)


def refuse_same(sample: str, table: str) -> None:
    """The private table is never its own public sample, be it under another name or as a copy: bytes are compared, and not interpreted."""
    try:
        same = bool(table) and filecmp.cmp(sample, place(table), shallow=False)
    except (OSError, ValueError):
        same = False
    if same:
        raise Refused(422, "This is the private table itself. Try trade-offs on invented rows, or on another, public file.", "sample")
