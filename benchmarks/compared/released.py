"""Every row of a long table released with noise, as a folder, and the folder checked."""

import tempfile
from pathlib import Path
from statistics import median

import numpy as np

from compared.made import long_table
from compared.measured import Claim, Contestant, Group, Table, compete, load, local
from discreet import SystemNoise
from discreet.data import Domain
from discreet.releases import publish, read_release

RELEASE, CHECK = "discreet, rows with noise", "discreet, verify"
SECONDS = {RELEASE: 4.0, CHECK: 0.5}

TEXT = """\
Rows and a target that is noisy too, epsilon 1, delta 1e-6, released under replace-one: clipping, calibration, discrete Gaussian noise of the
system's generator on every number, the file, its checksums and the certificate. The first line draws as many normal numbers of NumPy's generator
in double precision, adds them, and writes the same file: it protects nobody. A check reads the file, recomputes the guarantee, and compares."""


def released(*, count: int, columns: int, rounds: int) -> Table:
    """The table."""
    before = load()
    rows, _, targets = long_table(count, columns)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "rows"
        domain = Domain(features=columns, norm_bound=1.0, target_bound=1.0, records=count)

        def publishes() -> object:
            return publish(rows, folder, SystemNoise(), method="additive", domain=domain, y=targets, epsilon=1.0, delta=1e-6, overwrite=True)

        def plain() -> None:
            rng = np.random.default_rng(0)
            with (Path(made) / "plain.npy").open("wb") as file:
                for start in range(0, count, 8192):
                    part = np.column_stack((rows[start : start + 8192], targets[start : start + 8192]))
                    file.write((part + rng.standard_normal(part.shape)).tobytes())

        contestants = [
            Contestant(name="NumPy, noise and file", side="peer", run=local(plain)),
            Contestant(name=RELEASE, side="ours", run=local(publishes)),
            Contestant(name=CHECK, side="ours", run=local(lambda: read_release(folder).verify())),
        ]
        seen = compete({"rows": contestants}, rounds)
    title = f"Rows released, {count:,} x {columns + 1}"
    return Table(key="released", title=title, text=TEXT, unit="s", groups=seen, load=(before, load()), claims=claims(seen))


def claims(seen: list[Group]) -> list[Claim]:
    """What was aimed at."""
    rows = [row for row in seen[0].rows if row.name in SECONDS]
    return [
        Claim(text=f"seconds for {row.name}: at most {SECONDS[row.name]:g}", seen=median(row.busy), limit=SECONDS[row.name], at_most=True)
        for row in rows
    ]
