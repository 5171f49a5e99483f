"""One malformed input and the command that reads it: what the files are before, and what must be true after.

A case never ends as an unexpected error, shows nothing of the table, and leaves no file where it failed: those that were there are as they were.
"""

import gzip
import json
import sqlite3
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from tests.canary import CANARY, DIGITS
from tests.cli.conftest import SCHEMA, csv_text, discreet, rows
from tests.fuzz.mutations import ODD, Random, as_json, odd_column, pick, spoiled, spoiled_csv, spoiled_parquet, torn

REFUSALS = {2, 3, 4, 5, 6, 7, 8}
BOUND = SCHEMA.replace("normalise", "bound")
TABLE = csv_text([*rows(40), (CANARY, 10, "north", "yes")])
GOOD = csv_text(rows(40))


class Good(NamedTuple):
    """Files that nothing is wrong with, made once by the program."""

    model: bytes
    release: dict[str, bytes]
    ledger: bytes
    export: bytes


def good(base: Path) -> Good:
    """Make them in an empty folder."""
    (base / "people.csv").write_text(GOOD)
    (base / "people.toml").write_text(SCHEMA)
    (base / "bound.toml").write_text(BOUND)
    table = (base / "people.csv", "--schema")
    assert discreet("fit", *table, base / "people.toml", "--epsilon", "1", "--delta", "1e-6", "--out", base / "model.json").code == 0
    numbers = ("--method", "additive", "--epsilon", "1", "--delta", "1e-6")
    assert discreet("release", *table, base / "bound.toml", *numbers, "--out", base / "release").code == 0
    assert discreet("budget", "new", base / "team.ledger", "--data-set", "people", "--epsilon", "2", "--delta", "1e-5").code == 0
    spend = ("--ledger", base / "team.ledger", "--data-set", "people")
    outcome = discreet(
        "fit",
        *table,
        base / "people.toml",
        "--epsilon",
        "0.5",
        "--delta",
        "1e-6",
        "--neighbours",
        "replace-one",
        "--out",
        base / "second.json",
        *spend,
    )
    assert outcome.code == 0, outcome
    assert discreet("budget", "export", base / "team.ledger", "--out", base / "export.json").code == 0
    release = {path.relative_to(base / "release").as_posix(): path.read_bytes() for path in (base / "release").rglob("*") if path.is_file()}
    with sqlite3.connect(base / "team.ledger") as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return Good((base / "model.json").read_bytes(), release, (base / "team.ledger").read_bytes(), (base / "export.json").read_bytes())


def check(folder: Path, *command: object, quiet: bool = True) -> int:
    """Run a command in the folder, and look at what it said and left; its exit code."""
    before = _files(folder)
    outcome = discreet(*command)
    said = outcome.out + outcome.err
    assert outcome.code == 0 or outcome.code in REFUSALS, (command, outcome)
    assert "Traceback" not in said
    if quiet:
        assert not any(digits in said for digits in DIGITS), (command, outcome)
    if outcome.code not in (0, 6):  # 6: checks of a certificate, each a line
        # Advice from public numbers, of a schema for instance, stands in lines before the sentence.
        assert [line.startswith("Warning: ") for line in outcome.err.splitlines()][-1:] == [False], (command, outcome)
        assert sum(not line.startswith("Warning: ") for line in outcome.err.splitlines()) == 1, (command, outcome)
    after = _files(folder)
    lost_or_changed = {name for name, content in before.items() if after.get(name) != content and not name.endswith(("-wal", "-shm"))}
    if outcome.code not in (0, 6, 7):
        added = {name for name in after.keys() - before.keys() if not name.endswith(("-wal", "-shm"))}
        assert not added, (command, outcome, added)
    assert not lost_or_changed or "--ledger" in command or command[0] == "budget", (command, outcome, lost_or_changed)
    return outcome.code


def _files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def schemas(random: Random, folder: Path, _given: Good) -> None:
    """A schema, with a table that it does not fit."""
    (folder / "people.csv").write_text(TABLE)
    text = pick(random, [SCHEMA, BOUND])
    match int(random.integers(3)):
        case 0:
            content = torn(random, text.encode())
        case 1:
            lines = text.splitlines()
            for _ in range(int(random.integers(1, 4))):
                at = int(random.integers(len(lines)))
                key, sign, _ = lines[at].partition("=")
                lines[at] = (
                    f"{key}{sign} {json.dumps(pick(random, ODD))}" if random.random() < 0.7 else pick(random, [*lines, "", "[target]", "x = 1"])
                )
            content = "\n".join(lines).encode("utf-8", "surrogatepass")
        case _:
            content = spoiled_toml(random, text)
    (folder / "people.toml").write_bytes(content)
    check(folder, "schema", "check", "people.toml", "people.csv")
    if random.random() < 0.3:
        numbers = ("--epsilon", "1", "--delta", "1e-6")
        check(folder, "fit", "people.csv", "--schema", "people.toml", *numbers, "--out", "model.json")


def spoiled_toml(random: Random, text: str) -> bytes:
    """Values of another kind, as TOML writes them."""
    odd = [
        "1979-05-27",
        "07:32:00",
        "inf",
        "-nan",
        "[1, [2]]",
        "{ a = 1 }",
        '"""\na\n"""',
        "'\\'",
        "0o17",
        "1e400",
        "[]",
        "true",
        "9" * 30,
        '["no", "no"]',
        '[""]',
        "[1, 0]",
    ]
    lines = text.splitlines()
    at = pick(random, [place for place, line in enumerate(lines) if "=" in line])
    lines[at] = f"{lines[at].partition('=')[0]}= {pick(random, odd)}"
    return "\n".join(lines).encode()


def tables(random: Random, folder: Path, given: Good) -> None:
    """A table, as CSV (packed too), tabs or Parquet."""
    (folder / "people.toml").write_text(pick(random, [SCHEMA, BOUND]))
    (folder / "model.json").write_bytes(given.model)
    match int(random.integers(5)):
        case 0 | 1:
            name, content = "people.csv", (plain := spoiled_csv(random, TABLE))
        case 2:
            name, plain = "people.csv.gz", spoiled_csv(random, TABLE)
            content = gzip.compress(plain, mtime=0)
            content = torn(random, content) if random.random() < 0.5 else content
        case 3:
            name, content = "people.tsv", (plain := spoiled_csv(random, TABLE).replace(b",", b"\t"))
        case _:
            frame = pl.DataFrame([list(row) for row in rows(30)], schema=["age", "hours", "city", "answer"], orient="row")
            name, content, plain = "people.parquet", spoiled_parquet(random, frame), b""
    (folder / name).write_bytes(content)
    quiet = not any(digits.encode() in plain.split(b"\n")[0] for digits in DIGITS)  # column names are public, also where a record is taken for them
    match int(random.integers(6)):
        case 0:
            check(folder, "fit", name, "--schema", "people.toml", "--epsilon", "1", "--delta", "1e-6", "--out", "other.json")
        case 1:
            check(folder, "predict", "model.json", name, "--out", "predictions.csv")
        case 2:
            check(folder, "release", name, "--schema", "people.toml", "--method", "additive", "--epsilon", "1", "--delta", "1e-6", "--out", "release")
        case 3:
            check(folder, "schema", "new", name, "--target", "answer", "--out", "new.toml", quiet=quiet)
        case _:
            check(folder, "schema", "check", "people.toml", name, quiet=quiet)


def models(random: Random, folder: Path, given: Good) -> None:
    """A model file."""
    (folder / "people.csv").write_text(TABLE)
    spoil_json(random, folder / "model.json", given.model)
    check(folder, pick(random, ["verify", "show"]), "model.json")
    if random.random() < 0.5:
        check(folder, "predict", "model.json", "people.csv", "--out", "predictions.csv")


def spoil_json(random: Random, path: Path, content: bytes) -> None:
    """The JSON file spoiled as a document, or as bytes."""
    path.write_bytes(torn(random, content) if random.random() < 0.25 else as_json(spoiled(random, json.loads(content))))


def releases(random: Random, folder: Path, given: Good) -> None:
    """A folder with a release: its manifest, its data, or which files there are."""
    (folder / "release").mkdir()
    for name, content in given.release.items():
        path = folder / "release" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    manifest = folder / "release" / "manifest.json"
    match int(random.integers(6)):
        case 0:
            data = next((folder / "release").rglob("*.parquet"))
            data.write_bytes(torn(random, data.read_bytes()))
        case 1:
            path = pick(random, [path for path in (folder / "release").rglob("*") if path.is_file()])
            path.rename(path.with_name(pick(random, ["x", "manifest.json.bak", "part-00001.parquet"])))
        case 2:
            frame = pl.DataFrame({name: odd_column(random, 41) for name in pick(random, [("age",), ("age", "hours"), ("a", "b", "c", "d")])})
            frame.write_parquet(next((folder / "release").rglob("*.parquet")))
        case _:
            spoil_json(random, manifest, given.release["manifest.json"])
    check(folder, pick(random, ["verify", "inspect"]), "release")


def ledgers(random: Random, folder: Path, given: Good) -> None:
    """A ledger's file, or an export of one."""
    (folder / "people.csv").write_text(TABLE)
    (folder / "people.toml").write_text(SCHEMA)
    (folder / "team.ledger").touch(mode=0o600)
    match int(random.integers(4)):
        case 0:
            (folder / "team.ledger").write_bytes(torn(random, given.ledger))
        case 1:
            content = bytearray(given.ledger)
            for _ in range(int(random.integers(1, 30))):
                content[int(random.integers(len(content)))] = int(random.integers(256))
            (folder / "team.ledger").write_bytes(bytes(content))
        case 2:
            (folder / "team.ledger").write_bytes(given.ledger)
            spoil_sql(random, folder / "team.ledger")
        case _:
            (folder / "team.ledger").write_bytes(given.ledger)
            spoil_json(random, folder / "export.json", given.export)
            check(folder, "budget", "import", "team.ledger", "export.json")
    match int(random.integers(4)):
        case 0:
            spend = ("--ledger", "team.ledger", "--data-set", "people")
            check(folder, "fit", "people.csv", "--schema", "people.toml", "--epsilon", "0.1", "--delta", "1e-7", "--out", "model.json", *spend)
        case 1:
            check(folder, "budget", "history", "team.ledger", "--data-set", "people")
        case 2:
            check(folder, "budget", "export", "team.ledger", "--out", "out.json")
        case _:
            check(folder, "budget", "show", "team.ledger")


def spoil_sql(random: Random, path: Path) -> None:
    """A valid database whose content is not what a ledger holds."""
    connection = sqlite3.connect(path)
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    name = pick(random, names)
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
    odd = [None, -1, 1e308, "", "x", b"\x00\xff", 2**62, "nan", '{"a": 1}', CANARY]
    try:
        match int(random.integers(4)):
            case 0:
                connection.execute(f"DROP TABLE {name}")
            case 1:
                connection.execute(f"DELETE FROM {name}")  # noqa: S608 - names from the file itself
            case 2:
                connection.execute(f"PRAGMA user_version = {int(random.integers(0, 100))}")
            case _:
                connection.execute(f"UPDATE {name} SET {pick(random, columns)} = ?", (pick(random, odd),))  # noqa: S608
        connection.commit()
    except sqlite3.Error:
        pass
    finally:
        connection.close()


KINDS = {"schemas": schemas, "tables": tables, "models": models, "releases": releases, "ledgers": ledgers}


def run_case(kind: str, number: int, folder: Path, given: Good) -> None:
    """The case `number` of a kind, in an empty folder that is the current one."""
    KINDS[kind](np.random.default_rng([sum(kind.encode()), number]), folder, given)
