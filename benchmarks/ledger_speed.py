"""How long a ledger takes with many entries: to open, to reserve, to show.

    python benchmarks/ledger_speed.py [entries]

Each line gives the seconds that pass and, beside them, those of the processor, which other work on the machine changes less. A reservation is timed
around its transaction, so the time is what others wait for, five flushes of the disk in it; every entry has an epsilon of its own. Seconds of one
machine: put the ratio of two runs into reports.
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
RESERVATIONS = 21


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


def timed(action: Callable[[], object]) -> tuple[float, float]:
    """Seconds that pass, and seconds of the processor."""
    begun = time.perf_counter(), time.process_time()
    action()
    return time.perf_counter() - begun[0], time.process_time() - begun[1]


def main() -> None:
    """Print one line for each."""
    entries = int(sys.argv[1]) if len(sys.argv) > 1 else ENTRIES
    with TemporaryDirectory() as folder:
        path = Path(folder) / "many.ledger"

        def show(what: str, seconds: tuple[float, float]) -> None:
            print(f"{what}: {seconds[0]:.4f} s, processor {seconds[1]:.4f} s")

        show(f"{entries} entries imported", timed(lambda: filled(path, entries)))
        script = (
            "import sys,time;from discreet.ledger import Ledger;b=time.perf_counter(),time.process_time();Ledger(sys.argv[1]);"
            "print(time.perf_counter()-b[0],time.process_time()-b[1])"
        )
        fresh = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)  # noqa: S603
        wall, processor = map(float, fresh.stdout.split())
        show("opened by a new process", (wall, processor))
        ledger = Ledger(path)
        show("opened once more", timed(lambda: Ledger(path)))
        held = [timed(lambda: ledger.reserve("people", guarantee(7), purpose="benchmark")) for _ in range(RESERVATIONS)]
        show(f"reserved (medians of {RESERVATIONS})", (statistics.median(wall for wall, _ in held), statistics.median(own for _, own in held)))
        show("left", timed(lambda: ledger.left("people")))
        show("history", timed(lambda: ledger.history("people")))
        show("plot", timed(lambda: ledger.plot("people")))


if __name__ == "__main__":
    main()
