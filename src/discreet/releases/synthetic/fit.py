"""From noisy tables to a distribution, by Private-PGM (McKenna, Sheldon, Miklau 2019; package `mbi`), in a process of its own.

The process is given released numbers and nothing else: no record is in its memory, and what its libraries change stays there. It ends with the one
that asked, killed or not. It minimises the sum
over tables of |counts - noisy counts|^2 / variance over all distributions of the graphical model that the tables make, by mirror descent, and
answers with what rows are drawn from: an order of the columns, and for each its counts beside those of the earlier columns it depends on.
"""

import io
import os
import struct
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, SolverFailure
from discreet.mechanisms.margins.problem import Table

NEEDED = "a synthetic table needs the package mbi, which fits the distribution: pip install 'discreet[synthetic]'."
STEPS = 1000
_LENGTH = ">Q"
_MODULE = "discreet.releases.synthetic.fit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One column of a distribution, given earlier ones."""

    column: int
    parents: tuple[int, ...]
    counts: Floats
    """(cells of the parents.., cells), in numbers of records."""


def require_mbi() -> None:
    """Raise InvalidInput where it is not installed."""
    if find_spec("mbi") is None:
        raise InvalidInput(NEEDED)


def fitted(sizes: Sequence[int], tables: Sequence[Table], counts: Sequence[Floats], deviations: Sequence[float], *, total: float) -> list[Part]:
    """The distribution of columns with these numbers of cells, from noisy counts of tables; `total` is about the number of records.

    Raises InvalidInput where the package is not installed, SolverFailure where it fails.
    """
    require_mbi()
    asked: dict[str, Any] = {"sizes": np.array(sizes), "deviations": np.array(deviations), "total": np.array(total)}
    for number, (table, each) in enumerate(zip(tables, counts, strict=True)):
        asked |= {f"table{number}": np.array(table), f"counts{number}": np.asarray(each, dtype=np.float64)}
    text = io.BytesIO()
    np.savez(text, **asked)
    command = [sys.executable, "-P", "-W", "ignore", "-m", _MODULE]
    code, said, errors = _answered_by(command, text.getvalue())
    if code:
        last = errors.decode(errors="replace").strip().splitlines()[-1:] or ["nothing"]
        raise SolverFailure(f"the distribution could not be fitted: mbi reported {last[0][:200]!r}. The oldest version known to work is 2.0.")
    with np.load(io.BytesIO(said), allow_pickle=False) as answer:
        order = answer["order"].tolist()
        return [
            Part(column=column, parents=tuple(answer[f"parents{column}"].tolist()), counts=np.asarray(answer[f"counts{column}"], dtype=np.float64))
            for column in order
        ]


def _answered_by(command: Sequence[str], asked: bytes) -> tuple[int, bytes, bytes]:
    """Exit code and outputs of a process that is told `asked`, and whose standard input stays open: when we end, however we do, it ends there too."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:  # noqa: S603 - this interpreter and this module
        assert process.stdin is not None  # noqa: S101 - it was asked for
        with process.stdin as held, suppress(BrokenPipeError):
            process.stdin = None  # so that nobody else closes it
            try:
                held.write(struct.pack(_LENGTH, len(asked)) + asked)
                held.flush()
            except BrokenPipeError:
                pass  # it ended early, and says why
            try:
                said, errors = process.communicate()
            except BaseException:
                process.kill()
                raise
        return process.returncode, said, errors


def _end_with_parent() -> None:
    """The process that asked has ended, in whatever way, when nothing more can come from it: nobody waits for the answer."""
    while os.read(sys.stdin.fileno(), 1):  # not the buffer of `sys.stdin`, whose lock nobody may hold when an answered process ends
        pass
    os._exit(1)


def _answered(asked: Any) -> dict[str, Any]:  # noqa: ANN401 - an archive of arrays
    """The other side: what the process computes."""
    jax = import_module("jax")  # only here
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_enable_compilation_cache", False)
    mbi = import_module("mbi")
    sizes = asked["sizes"].tolist()
    domain = mbi.Domain(list(range(len(sizes))), sizes)
    deviations = asked["deviations"].tolist()
    measured = [
        mbi.LinearMeasurement(asked[f"counts{number}"], tuple(asked[f"table{number}"].tolist()), deviation)
        for number, deviation in enumerate(deviations)
    ]
    model = mbi.estimation.MirrorDescent().estimate(domain, measured, known_total=float(asked["total"]), iters=STEPS)
    tree, eliminated = mbi.junction_tree.make_junction_tree(domain, [tuple(clique) for clique in model.cliques])
    cliques = [set(clique) for clique in tree.nodes]
    order = [int(column) for column in eliminated[::-1]]
    found: dict[str, Any] = {"order": np.array(order)}
    for place, column in enumerate(order):
        together = set().union(*(clique for clique in cliques if column in clique))
        parents = [one for one in order[:place] if one in together]
        table = np.asarray(model.project((*parents, column)).datavector(flatten=False))
        found |= {f"parents{column}": np.array(parents, dtype=np.int64), f"counts{column}": table}
    return found


def main() -> None:
    """Read the length of an archive and the archive on standard input, write one on standard output."""
    (length,) = struct.unpack(_LENGTH, sys.stdin.buffer.read(struct.calcsize(_LENGTH)))
    text = sys.stdin.buffer.read(length)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with np.load(io.BytesIO(text), allow_pickle=False) as asked:
        found = _answered(asked)
    np.savez(sys.stdout.buffer, **found)


if __name__ == "__main__":
    main()
