"""Public tables for studies: found in a folder or, where that is asked for, fetched by scikit-learn; every byte is checked before use.

    tables = Tables(folder="data")            # or the environment variable DISCREET_DATA
    rows, targets = tables.load("mnist-4-9")

Nothing is fetched unless `download` says so. Adult comes with discreet; breast cancer and digits come with
scikit-learn.
What the other files are called, and where they were first published, is in `FILES` and docs/studies.md.
"""

import gzip
import hashlib
import lzma
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from scipy import sparse

from discreet.core.arrays import Floats
from discreet.core.errors import FileFormatError, InvalidInput, quietly
from discreet.core.files.reading import is_folder

Matrix: TypeAlias = Floats | sparse.csr_array

ENVIRONMENT = "DISCREET_DATA"


class Table(NamedTuple):
    """A public table."""

    rows: Matrix
    """(n, d)."""
    targets: Floats
    """(n,); classes are +1 and -1."""
    columns: tuple[str, ...] = ()
    """Names of the features, where they have any."""

    @property
    def dense(self) -> Floats:
        """The rows as an array."""
        return self.rows.toarray() if isinstance(self.rows, sparse.csr_array) else self.rows


class File(NamedTuple):
    """One file of a table."""

    path: str
    """Below the folder of the tables; the name alone is looked for too."""
    digest: str
    """SHA-256 of the unpacked content: how it was compressed does not matter."""


FILES: dict[str, tuple[File, ...]] = {
    "mnist": (
        File("mnist/train-images-idx3-ubyte.gz", "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"),
        File("mnist/train-labels-idx1-ubyte.gz", "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"),
        File("mnist/t10k-images-idx3-ubyte.gz", "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"),
        File("mnist/t10k-labels-idx1-ubyte.gz", "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"),
    ),
    "kdd": (File("kddcup99/kddcup.data_10_percent.gz", "f8c8267ebcd9c0ed1fd7d6277fe5bfff8732e9b7db8e61b873542b2a534b6f9a"),),
    "lending-club": (File("lendingclub/loanstats_2007_2011.csv.gz", "9228768077b6153a5fa2702e8fb850cc03d3e8dfb67dc8fb597f28e5c726fb73"),),
    "w8a": (File("sparse/w8a.xz", "6a9fa8fd5f524303240a5db07d4b3d4a51e8b7b4b20a914105d8e3e8c81640f2"),),
    "farm-ads": (File("sparse/farm_ads.svm.xz", "cee9de7aef56080a983cfddc22f2fae4dc9fea0804b3d033281c0b4288a4bb11"),),
}
"""Where tables lie below the folder, and what must be in them."""

BUNDLED = ("adult", "adult-cms", "breast-cancer", "digits")
DOWNLOADS = ("mnist", "kdd")
"""What scikit-learn can fetch (OpenML 554; KDD Cup 1999, 10 %), checked against the same digests."""
NAMES = (*BUNDLED, "mnist", "mnist-4-9", "kdd", "kdd-all", "lending-club", "w8a", "farm-ads")


class Tables:
    """The tables of one run, each loaded once."""

    __slots__ = ("_loaded", "download", "folder")

    def __init__(self, folder: str | Path | None = None, *, download: bool = False) -> None:
        """`folder`, or the one in the environment variable DISCREET_DATA, or none. Raises InvalidInput for one that is not there."""
        given = os.environ.get(ENVIRONMENT) if folder is None else folder
        self.folder = Path(given) if given else None
        if self.folder is not None and not is_folder(self.folder):
            raise InvalidInput(f"the folder of tables {str(self.folder)!r} is not there; give --data, or {ENVIRONMENT} in the environment.")
        self.download = download
        self._loaded: dict[str, Table] = {}

    def missing(self, names: Sequence[str]) -> tuple[str, ...]:
        """Those of `names` that are neither in the folder nor to be fetched. Raises InvalidInput for a name that there is not."""
        for name in names:
            if name not in NAMES:
                raise InvalidInput(f"there is no table {name!r}; there are {', '.join(NAMES)}.")
        return tuple(name for name in names if not self._there(_source(name)))

    def load(self, name: str) -> Table:
        """The table. Raises InvalidInput where it is missing, and FileFormatError where a file is not the expected one."""
        if name not in self._loaded:
            if self.missing([name]):
                raise InvalidInput(f"the table {name!r} is missing: {self.wanted(name)}")
            from studies import loaders  # noqa: PLC0415 - scikit-learn takes a second to import

            self._loaded[name] = loaders.LOADERS[name](self)
        return self._loaded[name]

    def wanted(self, name: str) -> str:
        """What to do to get a table, in a sentence."""
        files = ", ".join(file.path for file in FILES[_source(name)])
        fetched = ", or --download fetches it" if _source(name) in DOWNLOADS else ""
        return f"it needs {files} in the folder given by --data or {ENVIRONMENT}{fetched}."

    def content(self, source: str) -> list[bytes] | None:
        """The unpacked files of a source, checked; None where they are not in the folder."""
        paths = [self._path(file) for file in FILES[source]]
        if any(path is None for path in paths):
            return None
        return [check(unpacked(path), file) for path, file in zip(paths, FILES[source], strict=True) if path is not None]

    def _there(self, source: str) -> bool:
        if source in BUNDLED or (self.download and source in DOWNLOADS):
            return True
        return all(self._path(file) is not None for file in FILES[source])

    def _path(self, file: File) -> Path | None:
        if self.folder is None:
            return None
        for path in (self.folder / file.path, self.folder / Path(file.path).name):
            if path.is_file():
                return path
        return None


def check(content: bytes, file: File) -> bytes:
    """`content`, if it is the file's. Raises FileFormatError otherwise: a table that is not the published one gives numbers that mean nothing."""
    if hashlib.sha256(content).hexdigest() != file.digest:
        raise FileFormatError(f"{file.path} is not the published file: its SHA-256, unpacked, must be {file.digest}. Fetch it anew.")
    return content


def unpacked(path: Path) -> bytes:
    """A file's content. Raises FileFormatError where it cannot be unpacked."""
    unpack = gzip.decompress if path.suffix == ".gz" else lzma.decompress
    refusal = FileFormatError(f"{path.name!r} cannot be read or unpacked. Fetch it anew.")
    return quietly(lambda: unpack(path.read_bytes()), refusal, OSError, EOFError, lzma.LZMAError)


def _source(name: str) -> str:
    return {"mnist-4-9": "mnist", "kdd-all": "kdd"}.get(name, name)
