"""Time and memory of a fit on private cuts, and on curves, from Parquet files in blocks, beside the same fit on linear columns.

    python benchmarks/encoded_speed.py [--records 10000000] [--part 500000] [--jobs 1] [--folder FOLDER]

The table is made up, with the columns of Adult: six numbers (two of which are zero for most), eight of categories, and a class that depends on them
by curves. It is written part by part, so that it is never in memory as a whole. Every fit is `LinearSVC(epsilon=1, delta=1e-9,
neighbours="add-remove")` in a process of its own, once; printed are seconds on the clock and of processor (of all threads), the peak of resident
memory over what imports take, features, and the share of a million further records that is decided wrongly.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from discreet import LinearSVC, Schema
from discreet.data import schema_files
from discreet.estimators import fit_with_cuts

CATEGORIES = {"work": 9, "school": 16, "married": 7, "job": 15, "kin": 6, "origin": 5, "sex": 2, "land": 42}
BOUNDS = {"age": (17, 90), "weight": (0, 1_500_000), "years": (1, 16), "gain": (0, 99_999), "loss": (0, 4_500), "hours": (1, 99)}
KINDS = ("linear", "curve", "cuts")
TESTED = 1_000_000


def schema_of(encoding: str) -> Schema:
    """What is public about the table."""
    numeric = [{"name": name, "lower": low, "upper": high, "outside": "clip", "encoding": encoding} for name, (low, high) in BOUNDS.items()]
    categorical = [{"name": name, "categories": [f"{name}{level}" for level in range(count)]} for name, count in CATEGORIES.items()]
    target = {"column": "rich", "classes": ["no", "yes"]}
    return Schema.from_dict({"format": "discreet-schema/1", "name": "made up", "target": target, "numeric": numeric, "categorical": categorical})


def part(records: int, seed: int) -> pl.DataFrame:
    """So many records of the table."""
    draw = np.random.default_rng(seed)
    columns: dict[str, np.ndarray] = {
        "age": np.clip(np.rint(17 + draw.gamma(3.0, 8.0, records)), 17, 90),
        "weight": np.rint(draw.lognormal(12.0, 0.5, records)),
        "years": np.clip(np.rint(draw.normal(10.0, 2.5, records)), 1, 16),
        "gain": np.where(draw.random(records) < 0.92, 0.0, np.rint(np.minimum(draw.lognormal(8.5, 1.2, records), 99_999))),
        "loss": np.where(draw.random(records) < 0.95, 0.0, np.rint(np.clip(draw.normal(1870.0, 360.0, records), 1, 4_500))),
        "hours": np.where(draw.random(records) < 0.47, 40.0, np.clip(np.rint(draw.normal(40.0, 14.0, records)), 1, 99)),
    }
    decision = -2.5 + 1.8 * np.exp(-np.square((columns["age"] - 48.0) / 15.0)) + 0.3 * (columns["years"] - 10.0) + 3.0 * (columns["gain"] > 5_000)
    decision += 1.0 * (columns["hours"] > 40.0)
    levels = {}
    for name, count in CATEGORIES.items():
        codes = np.minimum(draw.geometric(1.5 / count, records) - 1, count - 1)
        levels[name] = np.array([f"{name}{level}" for level in range(count)])[codes]
        decision += np.cos(codes + float(count))
    rich = np.where(draw.random(records) < 1.0 / (1.0 + np.exp(-decision)), "yes", "no")
    return pl.DataFrame({**columns, **levels, "rich": rich})


def fitted(kind: str, folder: Path, jobs: int) -> dict[str, float]:
    """One fit, measured in this process."""
    files = sorted(map(str, folder.glob("*.parquet")))
    schema = schema_of("curve" if kind == "curve" else "linear")
    model = LinearSVC(epsilon=1.0, delta=1e-9, neighbours="add-remove", n_jobs=jobs, data_norm=schema.norm_bound, classes=["no", "yes"])
    imports, began, worked = _peak(), time.perf_counter(), time.process_time()
    if kind == "cuts":
        found = fit_with_cuts(model, lambda one: schema_files(files, one), schema)
        model, schema = found.model, found.schema
    else:
        model.fit(schema_files(files, schema))
    measured = {"clock": time.perf_counter() - began, "processor": time.process_time() - worked, "memory": _peak() - imports}
    test = part(TESTED, seed=10**6)
    wrong = float(np.mean(model.predict(schema.encode(test, target=False)) != test["rich"].to_numpy()))
    return {**measured, "features": schema.features, "wrong": wrong}


def _peak() -> float:
    """Of resident memory, MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def main() -> None:
    """Write the table, fit, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--part", type=int, default=500_000, help="records of a file")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the table is written; a temporary folder if left out")
    parser.add_argument("--fit", choices=KINDS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fit:
        print(json.dumps(fitted(options.fit, options.folder, options.jobs)))
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as place:
        for number, start in enumerate(range(0, options.records, options.part)):
            part(min(options.part, options.records - start), number).write_parquet(Path(place) / f"{number:05d}.parquet")
        size = sum(file.stat().st_size for file in Path(place).iterdir()) / 2**20
        print(f"{options.records} records, {size:.0f} MiB of Parquet", flush=True)
        first: dict[str, float] = {}
        for kind in KINDS:
            command = [sys.executable, __file__, "--fit", kind, "--folder", place, "--jobs", str(options.jobs)]
            line = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)  # noqa: S603 - this file
            first = first or line
            ratio = line["processor"] / first["processor"]
            print(
                f"{kind:7s} {line['features']:4d} features  clock {line['clock']:7.1f} s  processor {line['processor']:7.1f} s ({ratio:.2f})  "
                f"memory {line['memory']:5.0f} MiB  wrong {line['wrong']:.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
