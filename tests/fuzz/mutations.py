"""Ways to spoil a file, each drawn from a seeded generator, so that a case is its kind and its number."""

import copy
import io
import json
import math
from typing import Any

import numpy as np
import polars as pl

from tests.canary import CANARY

ODD = [
    None, True, False, 0, 1, -1, 2, 2**53 + 1, 2**63, 2**70, -0.0, 0.5, 1e-320, 1e308, -1e308, math.inf, -math.inf, math.nan,
    "", " ", "0", "1", "nan", "yes", "no", "north", "age", "logistic", "discreet-model/1", "discreet-model/2", "\x1b[2J",
    "\ud800", "\x00", "e\u0301", "\u202e", "a" * 300, "../x", "/", "%s%n",
    "{0.__class__}", [], {}, [[]], [1, "a"], [0.0] * 3, {"a": 1}, {"": {}}, [None], ["no", "yes"], [math.nan],
]  # fmt: skip
"""Values for any place of a document."""
CELLS = [
    "", " ", "0", "-0", "1e999", "1e-999", "nan", "inf", "-inf", "NULL", "NA", "None", "true", "1_000", "1,5", "0x1F", "1.", ".5", "+3",
    "--3", "1e", "12 ",
    "\u0661\u0662", "\ufeff7", '"', '""', '"a\nb"', "'", "a,b", "\t", "no", "yes", "maybe", "north", "NORTH", "north ", "=1+1", "\x00", "9" * 400,
    "é", "\u200b",
    str(CANARY), f"-{CANARY}", f"{CANARY}x", f'"{CANARY}"', f"{CANARY}.1",
]  # fmt: skip
"""Texts for any cell of a table."""

Random = np.random.Generator


def pick(random: Random, choices: Any) -> Any:
    """One of them."""
    return choices[int(random.integers(len(choices)))]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place of a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, one in inner for place in places(one, (*path, key)))]


def spoiled(random: Random, record: Any) -> Any:
    """The document with up to three places replaced, removed, doubled or renamed."""
    record = copy.deepcopy(record)
    for _ in range(int(random.integers(1, 4))):
        path = pick(random, places(record)[1:] or [()])
        if not path:
            return pick(random, ODD)
        parent = record
        for key in path[:-1]:
            parent = parent[key]
        key = path[-1]
        match int(random.integers(6)):
            case 0:
                del parent[key]
            case 1 if isinstance(parent, dict):
                parent[str(pick(random, ODD))] = parent.pop(key)
            case 2 if isinstance(parent, list):
                parent.insert(int(random.integers(len(parent) + 1)), copy.deepcopy(parent[key]))
            case 3 if isinstance(parent[key], (int, float)) and not isinstance(parent[key], bool):
                parent[key] = pick(random, [-parent[key], parent[key] * 1.0000001, parent[key] * 1e3, parent[key] + 1, str(parent[key])])
            case _:
                parent[key] = copy.deepcopy(pick(random, ODD))
    return record


def as_json(record: Any) -> bytes:
    """As text, with what JSON does not allow too."""
    return json.dumps(record).encode("utf-8", "surrogatepass")


def torn(random: Random, content: bytes) -> bytes:
    """The bytes with a few stretches cut, doubled, exchanged for noise, or read in another encoding."""
    for _ in range(int(random.integers(1, 4))):
        at = int(random.integers(len(content) + 1))
        length = int(random.integers(1, 40))
        match int(random.integers(8)):
            case 0:
                content = content[:at] + content[at + length :]
            case 1:
                content = content[:at] + content[at : at + length] * 2 + content[at + length :]
            case 2:
                content = content[:at] + random.bytes(length) + content[at + length :]
            case 3:
                content = content[:at] + random.bytes(1) + content[at + 1 :]
            case 4:
                content = content[:at]
            case 5:
                content = pick(random, [b"\xef\xbb\xbf", b"\x00", b"\n", b"\xff\xfe"]) + content
            case 6:
                content = content.decode("utf-8", "replace").encode(pick(random, ["utf-16", "latin-1", "utf-8"]), "replace")
            case _:
                lines = content.split(b"\n")
                random.shuffle(lines)
                content = b"\n".join(lines)
    return content


def spoiled_csv(random: Random, text: str) -> bytes:
    """A table with spoiled cells, rows or header; sometimes torn as a whole."""
    rows = [line.split(",") for line in text.splitlines()]
    for _ in range(int(random.integers(1, 5))):
        row = pick(random, rows) if random.random() < 0.8 else rows[0]
        place = int(random.integers(len(row))) if row else 0
        match int(random.integers(8)):
            case 0 if row:
                del row[place]
            case 1:
                row.insert(place, pick(random, CELLS))
            case 2:
                rows.insert(int(random.integers(len(rows) + 1)), [pick(random, CELLS) for _ in range(int(random.integers(7)))])
            case 3 if len(rows) > 2:
                del rows[int(random.integers(len(rows)))]
            case _ if row:
                row[place] = pick(random, CELLS)
    content = pick(random, ["\n", "\n", "\n", "\r\n", "\r"]).join(",".join(row) for row in rows).encode("utf-8", "surrogatepass")
    return torn(random, content) if random.random() < 0.2 else content


def odd_column(random: Random, count: int) -> pl.Series:
    """A column of some type that a table may have."""
    numbers = random.normal(size=count)
    numbers[random.random(count) < 0.1] = CANARY
    match int(random.integers(14)):
        case 0:
            return pl.Series(numbers)
        case 1:
            return pl.Series(numbers.astype(np.float32))
        case 2:
            return pl.Series([pick(random, [*CELLS, None]) for _ in range(count)], dtype=pl.String)
        case 3:
            return pl.Series([None] * count, dtype=pick(random, [pl.Null, pl.Float64, pl.String, pl.Int8, pl.Boolean]))
        case 4:
            return pl.Series([[float(one)] for one in numbers])
        case 5:
            return pl.Series([{"a": float(one)} for one in numbers])
        case 6:
            return pl.Series([random.bytes(3) for _ in range(count)], dtype=pl.Binary)
        case 7:
            return pl.Series(random.integers(0, 1000, count)).cast(pl.Date)
        case 8:
            return pl.Series(random.integers(0, 2, count)).cast(pl.Boolean)
        case 9:
            return pl.Series(random.integers(0, 2**63 - 1, count), dtype=pl.UInt64)
        case 10:
            return pl.Series([pick(random, ["no", "yes", str(CANARY)]) for _ in range(count)]).cast(pl.Categorical)
        case 11:
            return pl.Series(np.where(random.random(count) < 0.2, pick(random, [np.nan, np.inf, -np.inf]), numbers))
        case 12:
            return pl.Series(random.integers(-5, 120, count)).cast(pl.Decimal(20, 2))
        case _:
            return pl.Series(random.integers(0, 10**9, count)).cast(pick(random, [pl.Datetime("us"), pl.Duration("ms"), pl.Time]))


def spoiled_parquet(random: Random, frame: pl.DataFrame) -> bytes:
    """A Parquet file with odd columns, names or lengths; sometimes torn."""
    for _ in range(int(random.integers(1, 4))):
        name = pick(random, frame.columns) if frame.columns else "age"
        match int(random.integers(5)):
            case 0 if frame.width > 1:
                frame = frame.drop(name)
            case 1:
                frame = frame.rename({name: f"{name}{pick(random, ['', ' ', 'x', '.'])}"}) if frame.columns else frame
            case 2:
                frame = frame.head(int(random.integers(3)))
            case _:
                frame = frame.with_columns(odd_column(random, frame.height).alias(name))
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    content = buffer.getvalue()
    return torn(random, content) if random.random() < 0.4 else content
