"""A newcomer's walk: one of each kind is added to a copy of the package, as the pages of docs/extend say, and used.

The files are in tests/newcomer, in the places that they have in the package; what is changed besides is here, line by line.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import discreet

PACKAGE = Path(discreet.__file__).parent
NEW = Path(__file__).parent / "newcomer"
LINES = {
    "losses/gentle.py": {"losses/__init__.py": "from discreet.losses.gentle import Gentle"},
    "losses/predictions/pseudo_huber.py": {"losses/predictions/__init__.py": "from discreet.losses.predictions.pseudo_huber import PseudoHuber"},
    "sets/positive_ball.py": {"sets/__init__.py": "from discreet.sets.positive_ball import PositiveBall"},
    "sets/mirror_maps/from_the_tip.py": {"sets/mirror_maps/__init__.py": "from discreet.sets.mirror_maps.from_the_tip import FromTheTip"},
    "mechanisms/counting/alike.py": {"mechanisms/counting/__init__.py": "    from discreet.mechanisms.counting.alike import AlikeCounting"},
    "words/alike.py": {},
    "verification/alike.py": {},
    "releases/methods/features_sketch.py": {
        "releases/methods/__init__.py": "from discreet.releases.methods.features_sketch import FEATURES_SKETCH",
    },
    "estimators/models/positive_regression.py": {
        "estimators/__init__.py": "    from discreet.estimators.models.positive_regression import PositiveRegression",
    },
    "cli/header.py": {"cli/program.py": '    "header": "header",'},
    "data/blocks/listed.py": {"data/blocks/__init__.py": "    from discreet.data.blocks.listed import ListTable"},
}
"""A new file, and the import or entry that each file that lists its kind gets; what is imported is named in `__all__` too."""
AFTER = {
    "losses/__init__.py": "from discreet.losses.logistic import Logistic\n",
    "losses/predictions/__init__.py": "from discreet.losses.predictions.residual import Absolute, HuberLoss, LogCosh, Squared\n",
    "sets/__init__.py": "from discreet.sets.simplex import Simplex\n",
    "sets/mirror_maps/__init__.py": "from discreet.sets.mirror_maps.power import PowerMap\n",
    "mechanisms/counting/__init__.py": "    from discreet.mechanisms.counting.laplace import LaplaceCounting\n",
    "releases/methods/__init__.py": "from discreet.releases.methods.moments import MOMENTS\n",
    "estimators/__init__.py": "    from discreet.estimators.files.model import Model\n",
    "cli/program.py": "COMMANDS = {\n",
    "data/blocks/__init__.py": "    from discreet.data.blocks.mapped import NpyTable\n",
}
"""Where."""
NAMES = {"releases/methods/__init__.py": "    for method in (\n"}
"""Where a name is listed, but for `__all__`."""


def insert(path, after, line):
    text = path.read_text(encoding="utf-8")
    assert text.count(after) == 1, path
    path.write_text(text.replace(after, f"{after}{line}"), encoding="utf-8")


@pytest.mark.more
def test_one_of_each_kind_is_a_file_and_a_line(tmp_path):
    copy = tmp_path / "discreet"
    shutil.copytree(PACKAGE, copy)  # with what was compiled
    added = {path.relative_to(NEW).as_posix() for path in NEW.rglob("*.py")} - {"walk.py"}
    assert added == set(LINES)
    for name, lines in LINES.items():
        assert not (copy / name).exists()
        shutil.copy(NEW / name, copy / name)
        for place, line in lines.items():
            insert(copy / place, AFTER[place], f"{line}\n")
            if place.endswith("__init__.py"):
                last = line.split()[-1]
                insert(copy / place, NAMES.get(place, "__all__ = ["), f"{last}, " if place in NAMES else f'"{last}", ')
    command = [sys.executable, "-W", "error", str(NEW / "walk.py"), str(tmp_path)]
    walked = subprocess.run(command, check=False, env={"PYTHONPATH": str(tmp_path), "PATH": ""}, capture_output=True, text=True, timeout=600)
    assert (walked.returncode, walked.stdout.splitlines()[-1:]) == (0, ["done"]), walked.stderr
