"""What a run has computed so far: one line of JSON a cell, on the disk before the next cell begins.

    line 1   {"format": "discreet-study/1", "study", "quick", "version", "code"}      code: a digest of what computes the numbers
    others   {"cell": key, "seconds", "records": [...]}

A line that was cut off by an interruption is dropped. A journal of other code, another version or other settings is refused: numbers that do not
belong together never share a page.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.files.reading import exists
from discreet.core.version import VERSION
from studies.base import Cell, Record, Study

_FORMAT = "discreet-study/1"
_SHARED = ("base.py", "loaders.py")
_WORDS = ("page.py", "words.py")


class Done(NamedTuple):
    """A computed cell."""

    records: list[Record]
    seconds: float


class Journal:
    """The file `cells.jsonl` of a study."""

    __slots__ = ("_path", "done")

    def __init__(self, path: Path, study: Study, *, quick: bool, resume: bool, overwrite: bool) -> None:
        """Open or begin it. Raises InvalidInput where there is one, and neither `resume` nor `overwrite`."""
        self._path = path
        self.done: dict[str, Done] = {}
        head = {"format": _FORMAT, "study": study.name, "quick": quick, "version": VERSION, "code": code_of(study)}
        if exists(path) and not overwrite:
            if not resume:
                raise InvalidInput(
                    f"{str(path.parent)!r} holds results of this study already; --resume goes on with them, --overwrite starts again, --out "
                    "names another folder."
                )
            self._read(head)
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(head) + "\n", encoding="utf-8")
        except OSError as error:
            refusal = InvalidInput(f"{str(path.parent)!r} cannot be written to ({type(error).__name__}). Choose another --out.")
        else:
            return
        raise refusal

    def add(self, cell: Cell, done: Done) -> None:
        """Write one cell down."""
        line = json.dumps({"cell": cell.key, "seconds": round(done.seconds, 3), "records": done.records}, allow_nan=False)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())
        self.done[cell.key] = done

    def _read(self, head: dict[str, object]) -> None:
        lines = self._path.read_text(encoding="utf-8").split("\n")
        found = _parsed(lines[0])
        if found is None or found.get("format") != _FORMAT:
            raise FileFormatError(f"{str(self._path)!r} is no journal of a study; --overwrite starts again.")
        different = [name for name in head if found.get(name) != head[name]]
        if different:
            raise InvalidInput(
                f"the results in {str(self._path.parent)!r} were made with another {' and '.join(different)}; numbers that do not belong together "
                "are not mixed. --overwrite starts again, --out names another folder."
            )
        whole = [line for line in lines[1:] if _parsed(line) is not None]
        self._path.write_text("\n".join([lines[0], *whole]) + "\n", encoding="utf-8")
        for line in whole:
            cell = json.loads(line)
            self.done[cell["cell"]] = Done(cell["records"], cell["seconds"])


def code_of(study: Study) -> str:
    """A digest of the modules in the study's folder, page.py and words.py left out, and of what all share."""
    here = Path(__file__).parent
    folder = here / study.name
    files: Sequence[Path] = [*(here / name for name in _SHARED), *sorted(path for path in folder.glob("*.py") if path.name not in _WORDS)]
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _parsed(line: str) -> dict[str, object] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
