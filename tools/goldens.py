"""Today's certificates, models, releases and weights against those that were kept: the gate of a change that should change nothing.

    python tools/goldens.py            make everything again with the same randomness, and compare it with tests/goldens, bit for bit
    python tools/goldens.py --write    keep what is made now: after a deliberate change, which has its entry under Privacy

Randomness comes from the operating system, and here alone from a stream of the golden's name instead: `os.urandom` is replaced. Invented records,
budgets and kinds are those of `benchmarks/forgeries.py`. On another machine or with other libraries the last bits of weights may differ; the suite
(tests/test_goldens.py) compares numbers to nine digits and leaves the digests out.
"""

import argparse
import hashlib
import importlib.util
import json
import os
import sys
import tempfile
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "tests" / "goldens"
_TRIED = 1000
"""Draws for one document that can be had: many are refused, but not all of them."""
COUNTS = {"fit": 30, "many": 3, "kernel": 4, "model": 8, "regression": 24, "set": 24} | {
    "release": 60,
    "moments": 6,
    "laplace": 6,
    "counts": 8,
    "curvature": 4,
    "norms": 4,
    "search": 2,
    "shuffled": 6,
    "columns": 4,
}
"""How many of each kind of `benchmarks/forgeries.py`."""


def main() -> int:
    """The exit code: 1 where something differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="keep what is made now")
    parser.add_argument("--only", metavar="KIND", choices=list(COUNTS), help="one kind")
    options = parser.parse_args()
    kinds = [options.only] if options.only else list(COUNTS)
    if options.write:
        for kind in kinds:
            lines = ",\n".join(json.dumps(document, sort_keys=True) for document in made(kind))
            (KEPT / f"{kind}.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")
        write_files(KEPT / "files")
        return 0
    wrong = [f"{kind} {number}: {what}" for kind in kinds for number, what in differences(kind, exact=True)]
    print(*(wrong or [f"{sum(COUNTS[kind] for kind in kinds)} documents are as they were"]), sep="\n")
    return 1 if wrong else 0


def forgeries() -> ModuleType:
    """benchmarks/forgeries.py."""
    spec = importlib.util.spec_from_file_location("forgeries", ROOT / "benchmarks" / "forgeries.py")
    if spec is None or spec.loader is None:
        sys.exit("benchmarks/forgeries.py is needed beside this folder.")
    module = importlib.util.module_from_spec(spec)
    sys.modules["forgeries"] = module
    spec.loader.exec_module(module)
    return module


class Stream:
    """Bytes that follow from a name, in place of the operating system's."""

    def __init__(self, name: str) -> None:
        """Of this name."""
        self._name, self._count = name, 0

    def __call__(self, size: int) -> bytes:
        """The next `size` bytes."""
        self._count += 1
        return hashlib.shake_256(f"{self._name}/{self._count}".encode()).digest(size)


def made(kind: str, count: int | None = None) -> list[dict[str, Any]]:
    """The documents of a kind, made now: each from a stream of its own."""
    from discreet.core.errors import DiscreetError  # noqa: PLC0415 - after the options

    make, system = forgeries().KINDS[kind][0], os.urandom
    documents: list[dict[str, Any]] = []
    number = 0
    try:
        while len(documents) < (COUNTS[kind] if count is None else count):
            number += 1
            if number > _TRIED * (len(documents) + 1):
                raise SystemExit(f"of {kind} only {len(documents)} could be made: nearly all that was drawn was refused.")
            os.urandom = Stream(f"{kind} {number}")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    documents.append(make(np.random.default_rng(number)).document)
                except DiscreetError:
                    continue  # what was drawn cannot be had
    finally:
        os.urandom = system
    return documents


def kept(kind: str) -> list[dict[str, Any]]:
    """The documents that were kept."""
    documents: list[dict[str, Any]] = json.loads((KEPT / f"{kind}.json").read_text(encoding="utf-8"))
    return documents


def differences(kind: str, *, exact: bool, count: int | None = None) -> list[tuple[int, str]]:
    """(number, what) for each document that is not what it was."""
    return [
        (number, what)
        for number, (new, old) in enumerate(zip(made(kind, count), kept(kind), strict=count is None), 1)
        for what in differing(new, old, exact=exact)
    ]


def differing(new: Any, old: Any, *, exact: bool, path: str = "") -> list[str]:  # noqa: ANN401 - any JSON
    """Where two documents differ."""
    if isinstance(new, dict) and isinstance(old, dict) and new.keys() == old.keys():
        return [found for key in new for found in differing(new[key], old[key], exact=exact, path=f"{path}/{key}")]
    if isinstance(new, list) and isinstance(old, list) and len(new) == len(old):
        return [found for place, (a, b) in enumerate(zip(new, old, strict=True)) for found in differing(a, b, exact=exact, path=f"{path}/{place}")]
    if not exact and (path.rpartition("/")[2].endswith("digest") or path.endswith("weights")):
        return []
    if not exact and isinstance(new, float) and isinstance(old, float) and abs(new - old) <= 1e-9 * max(abs(old), 1e-9):
        return []
    return [] if new == old and type(new) is type(old) else [f"{path} is {str(new)[:200]!r} and was {str(old)[:200]!r}"]


def write_files(folder: Path) -> None:
    """A model, a release, a ledger, an evaluation and an interval file of today, as users have them on disk."""
    import shutil  # noqa: PLC0415 - here alone

    from discreet import LogisticRegression, Model, Schema, SystemNoise, evaluate_privately, release_uncertainty  # noqa: PLC0415
    from discreet.data import NumericColumn, Target  # noqa: PLC0415
    from discreet.estimators.intervals.interval_file import IntervalFile  # noqa: PLC0415
    from discreet.ledger import Account, Ledger  # noqa: PLC0415
    from discreet.releases import publish  # noqa: PLC0415

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    schema = Schema(
        name="people",
        target=Target(column="sick", classes=("no", "yes")),
        numeric=tuple(NumericColumn(name=name, lower=-1.0, upper=1.0, outside="clip") for name in ("age", "height")),
    )
    draw = np.random.default_rng(1)
    ages, heights = draw.uniform(-1, 1, (2, 400))
    table = {"age": ages.tolist(), "height": heights.tolist(), "sick": np.where(ages + 0.3 * draw.normal(size=400) > 0, "yes", "no").tolist()}
    records = schema.encode(table, target=True)
    system, os.urandom = os.urandom, Stream("files")
    try:
        Ledger.create(folder / "book.ledger").declare("people", epsilon=10.0, delta=1e-3)
        model = LogisticRegression(epsilon=1.0, data_norm=schema.norm_bound, intercept_scale=1.0, ledger=Account(folder / "book.ledger", "people"))
        Model.from_estimator(model.fit(records), schema).save(folder / "model.json")
        found = release_uncertainty(model, records, epsilon=1.0, delta=1e-6)
        IntervalFile(uncertainty=found, names=("age", "height")).save(folder / "intervals.json")
        evaluate_privately(model, records, epsilon=1.0).save(folder / "evaluation.json")
        with tempfile.TemporaryDirectory() as inside:
            publish(table, Path(inside) / "release", SystemNoise(), schema=schema, method="additive", epsilon=1.0, delta=1e-6)
            shutil.copytree(Path(inside) / "release", folder / "release")
        book = Ledger(folder / "book.ledger")
        spent = {"entries": len(book.history("people")), "epsilon": book.spent("people").epsilon, "delta": book.spent("people").delta}
        (folder / "book.json").write_text(json.dumps(spent) + "\n", encoding="utf-8")
    finally:
        os.urandom = system


if __name__ == "__main__":
    sys.exit(main())
