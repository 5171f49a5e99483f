"""Other libraries, run in an environment of their own: the interpreter that the environment variable DISCREET_PEERS names has diffprivlib.

It reads arrays from a file and writes one number. Rows have norm 1, which is what its `data_norm` is told; the intercept is not fitted, since its
default intercept is not covered by its guarantee (see docs/audit.md).
"""

import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import DiscreetError

ENVIRONMENT = "DISCREET_PEERS"
_PROGRAM = """
import sys, warnings, numpy
warnings.simplefilter("ignore")
from diffprivlib.models import LogisticRegression
given = numpy.load(sys.argv[1])
errors = []
for draw in range(int(sys.argv[3])):
    model = LogisticRegression(epsilon=float(sys.argv[2]), data_norm=1.0 + 1e-9, fit_intercept=False, max_iter=1000, random_state=draw)
    model.fit(given["train"], given["signs"])
    errors.append(numpy.mean(model.predict(given["test"]) != given["expected"]))
print(repr(float(numpy.mean(errors))))
"""


@dataclass(frozen=True, slots=True)
class Peer:
    """An interpreter that can import diffprivlib."""

    interpreter: str

    def error(self, train: Floats, signs: np.ndarray, test: Floats, expected: np.ndarray, *, epsilon: float, draws: int) -> float:
        """Mean test error. Raises DiscreetError where the other library fails."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "split.npz"
            np.savez(path, train=train, signs=signs, test=test, expected=expected)
            command = [self.interpreter, "-c", _PROGRAM, str(path), repr(epsilon), str(draws)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - the user named the interpreter
        if done.returncode:
            raise DiscreetError(
                f"the interpreter named by {ENVIRONMENT} could not run diffprivlib: {(done.stderr.strip().splitlines() or ['no message'])[-1]}"
            )
        return float(done.stdout)


def peer() -> Peer | None:
    """The one of the environment, if any."""
    given = os.environ.get(ENVIRONMENT)
    return Peer(given) if given else None
