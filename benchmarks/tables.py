"""Public tables for the benchmarks, prepared as in the literature: every row of Euclidean norm 1.

KDD Cup 1999 (the 10 % file, gzip), as Chaudhuri, Monteleoni and Sarwate (2011, section 7) prepared the full one: symbolic columns one-hot (118
columns in all), every column over its maximum in the file, rows normalised; normal connections are +1; 70,000 records drawn without
replacement. MNIST: the original IDX files (gzip). Both are files that the caller names; nothing is fetched.
"""

import gzip
from pathlib import Path

import numpy as np
import numpy.typing as npt

from discreet.data.adult import adult_cms

Table = tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]

_SYMBOLIC = (1, 2, 3)
_LABEL = 41


def adult() -> Table:
    """45,222 x 105 (see discreet.data.adult)."""
    rows, signs = adult_cms()
    return rows.toarray(), signs.astype(np.int64)


def kdd_cup_99(path: str | Path, *, records: int = 70_000, seed: int = 1999) -> Table:
    """`records` x 118 of the 10 % file, labels +1 (normal) and -1."""
    with gzip.open(path, "rt", encoding="ascii") as lines:
        fields = [line.rstrip("\n").split(",") for line in lines]
    numeric = [column for column in range(_LABEL) if column not in _SYMBOLIC]
    numbers = np.array([[float(row[column]) for column in numeric] for row in fields])
    blocks = [numbers / np.maximum(numbers.max(axis=0), 1.0)]
    for column in _SYMBOLIC:
        levels, codes = np.unique([row[column] for row in fields], return_inverse=True)
        blocks.append(np.eye(len(levels))[codes])
    chosen = np.random.default_rng(seed).permutation(len(fields))[:records]
    signs = np.array([1 if fields[i][_LABEL] == "normal." else -1 for i in chosen])
    return normalised(np.hstack([block[chosen] for block in blocks])), signs


def mnist(folder: str | Path, part: str = "train") -> Table:
    """60,000 (part "train") or 10,000 ("t10k") x 784 grey levels, labels 0 to 9."""
    images = idx(Path(folder) / f"{part}-images-idx3-ubyte.gz")
    labels = idx(Path(folder) / f"{part}-labels-idx1-ubyte.gz")
    return normalised(images.reshape(len(images), -1).astype(np.float64)), labels.astype(np.int64)


def mnist_4_against_9(folder: str | Path) -> Table:
    """Both parts together, 13,782 x 784: +1 for a nine, -1 for a four."""
    parts = [mnist(folder, part) for part in ("train", "t10k")]
    rows, digits = np.vstack([rows for rows, _ in parts]), np.concatenate([digits for _, digits in parts])
    kept = (digits == 4) | (digits == 9)
    return rows[kept], np.where(digits[kept] == 9, 1, -1)


def idx(path: Path) -> npt.NDArray[np.uint8]:
    """The array in a gzipped IDX file of bytes."""
    content = gzip.decompress(path.read_bytes())
    shape = [int.from_bytes(content[4 + 4 * axis : 8 + 4 * axis], "big") for axis in range(content[3])]
    return np.frombuffer(content, dtype=np.uint8, offset=4 + 4 * len(shape)).reshape(shape)


def normalised(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Rows of norm 1; empty rows stay empty."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(norms > 0, norms, 1.0)
