"""How long a ledger takes with many entries: to open, to reserve, to show.

    python benchmarks/ledger_speed.py [entries]

A reservation is timed around its transaction, so the time is what others wait for; every entry has an epsilon of its own. Seconds of one machine: put
the ratio of two runs into reports.
"""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

from discreet.accounting import PureDP
from discreet.ledger import Ledger

ENTRIES = 100_000
RESERVATIONS = 5


def guarantee(number: int) -> PureDP:
    """One of its own for every entry."""
    return PureDP(epsilon=1e-9 * (number + 1), neighbours="replace-one", theorem="benchmark")


def filled(path: Path, entries: int) -> Ledger:
    """A ledger with so many entries on one data set."""
    ledger = Ledger.create(path)
    ledger.declare("people", epsilon=1e6, delta=1e-6)
    document = json.loads(ledger.export())
    document["entries"] = [
        {
            "id": str(UUID(int=number)),
            "data_set": "people",
            "part": None,
            "guarantee": guarantee(number).to_dict(),
            "purpose": "benchmark",
            "state": "settled",
            "reserved_at": f"2026-01-{1 + number * 28 // entries:02d}T00:00:00.000+00:00",
            "closed_at": "2026-02-01T00:00:00.000+00:00",
        }
        for number in range(entries)
    ]
    ledger.import_(json.dumps(document))
    return ledger


def timed(action: Callable[[], object]) -> float:
    """Seconds."""
    begun = time.perf_counter()
    action()
    return time.perf_counter() - begun


def main() -> None:
    """Print one line for each."""
    entries = int(sys.argv[1]) if len(sys.argv) > 1 else ENTRIES
    with TemporaryDirectory() as folder:
        path = Path(folder) / "many.ledger"
        print(f"{entries} entries, imported in {timed(lambda: filled(path, entries)):.2f} s")
        script = "import sys,time;from discreet.ledger import Ledger;b=time.perf_counter();Ledger(sys.argv[1]);print(time.perf_counter()-b)"
        fresh = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)  # noqa: S603
        print(f"opened by a new process in {float(fresh.stdout):.3f} s")
        ledger = Ledger(path)
        print(f"opened once more in {timed(lambda: Ledger(path)):.4f} s")
        held = [timed(lambda: ledger.reserve("people", guarantee(7), purpose="benchmark")) for _ in range(RESERVATIONS)]
        print(f"reserved in {statistics.median(held):.4f} s (median of {RESERVATIONS})")
        print(f"left in {timed(lambda: ledger.left('people')):.4f} s")
        print(f"history in {timed(lambda: ledger.history('people')):.2f} s")
        print(f"plot in {timed(lambda: ledger.plot('people')):.2f} s")


if __name__ == "__main__":
    main()
