"""Writes the embedded UCI Adult table from the two files of the UCI Machine Learning Repository.

    python tools/embed_adult.py SOURCE_DIR        SOURCE_DIR holds adult.data and adult.test

Both files are checked against their SHA-256 first. All 48,842 rows are kept in their order, adult.data before adult.test; the changes are those that
src/discreet/data/adult/ATTRIBUTION.md lists.
"""

import hashlib
import sys
from pathlib import Path

import polars as pl

SOURCES = {
    "adult.data": ("5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d", 32_561),
    "adult.test": ("a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05", 16_281),
}
COLUMNS = {
    "age": pl.Int32,
    "workclass": pl.String,
    "fnlwgt": pl.Int32,
    "education": pl.String,
    "education-num": pl.Int32,
    "marital-status": pl.String,
    "occupation": pl.String,
    "relationship": pl.String,
    "race": pl.String,
    "sex": pl.String,
    "capital-gain": pl.Int32,
    "capital-loss": pl.Int32,
    "hours-per-week": pl.Int32,
    "native-country": pl.String,
    "income": pl.String,
}
TABLE = Path(__file__).parents[1] / "src/discreet/data/adult/adult.parquet"


def records(path: Path) -> list[list[str]]:
    """The rows of one source file: fields without blanks, the label without its trailing dot."""
    digest, count = SOURCES[path.name]
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != digest:
        sys.exit(f"{path} is not the file of the UCI repository: its SHA-256 differs from {digest}.")
    lines = (line for line in content.decode("ascii").splitlines() if line and not line.startswith("|"))
    rows = [[field.strip() for field in line.removesuffix(".").split(",")] for line in lines]
    if len(rows) != count or {len(row) for row in rows} != {len(COLUMNS)}:
        sys.exit(f"{path} must have {count} rows of {len(COLUMNS)} fields.")
    return rows


def main(source: Path) -> None:
    """Read, check, join and write."""
    parts = []
    for name in SOURCES:
        columns = zip(*records(source / name), strict=True)
        table = pl.DataFrame([pl.Series(column, cells).cast(dtype) for (column, dtype), cells in zip(COLUMNS.items(), columns, strict=True)])
        parts.append(table.with_columns(pl.lit(name == "adult.test").alias("test")))
    pl.concat(parts).write_parquet(TABLE, compression="zstd", compression_level=22, statistics=False)
    print(f"{TABLE.name}: {TABLE.stat().st_size:,} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
