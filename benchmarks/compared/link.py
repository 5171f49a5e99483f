"""The other environment: diffprivlib, OpenDP and dp-accounting in a process of their own, which times itself."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

from compared.measured import Timed

NEEDED = ("diffprivlib==0.6.6", "scikit-learn<1.8", "opendp", "dp-accounting")
"""diffprivlib 0.6.6 works with scikit-learn up to 1.7."""

HERE = Path(__file__).parents[1]


def environment(folder: Path) -> Path:
    """The interpreter of the environment in `folder`, which is made if it is not there."""
    interpreter = folder / "bin" / "python"
    if not interpreter.exists():
        print(f"making an environment with {', '.join(NEEDED)}")
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)  # noqa: S603 - our own arguments
        subprocess.run([str(interpreter), "-m", "pip", "install", "-q", *NEEDED], check=True)  # noqa: S603
    return interpreter.absolute()


class Link:
    """A server that answers one request at a time; close it, or use it in a `with` statement."""

    def __init__(self, interpreter: Path) -> None:
        """Start it."""
        one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(  # noqa: S603 - our own arguments
            [str(interpreter), "-W", "ignore", "-m", "compared.server"],
            cwd=HERE,
            env={**os.environ, **one_thread, "PYTHONPATH": ""},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.versions: dict[str, str] = self.ask("versions")["versions"]

    def ask(self, task: str, **given: object) -> dict[str, Any]:
        """The answer to a request. Raises RuntimeError where the other side fails."""
        assert self._process.stdin is not None  # noqa: S101 - for the type checker
        assert self._process.stdout is not None  # noqa: S101
        self._process.stdin.write(json.dumps({"task": task, **given}) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline() or '{"error": "it has ended"}')
        if "error" in answer:
            raise RuntimeError(f"the peers' process could not do {task}: {answer['error']}")
        return answer

    def timed(self, task: str, **given: object) -> Timed:
        """A request that answers with its times."""
        answer = self.ask(task, **given)
        return answer["clock"], answer["busy"]

    def __enter__(self) -> Self:
        """Nothing more to do."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self._process.communicate()
