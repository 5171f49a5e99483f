"""What it takes to add one of each kind: its own file and the place that lists it, shown on one that is there.

An example is looked for by its names in all code: as an identifier and as a text. A place that branches on it would be found.
"""

import io
import tokenize
from functools import cache
from pathlib import Path

import pytest

import discreet

PACKAGE = Path(discreet.__file__).parent
FILES = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
EXAMPLES = {
    "a loss of the margin": ("SmoothedHinge smoothed-hinge", {"losses/hinges.py", "losses/__init__.py", "consumers/noisy_classifiers.py"}),
    "a loss of numbers": (
        "Pinball pinball",
        {"losses/predictions/quantile.py", "losses/predictions/__init__.py", "estimators/models/prediction_models.py"},
    ),
    "a set": ("KSupportBall k-support-ball", {"sets/k_support_ball.py", "sets/__init__.py"}),
    "a mirror map": ("EntropyMap entropy", {"sets/mirror_maps/entropy.py", "sets/mirror_maps/__init__.py"}),
    "a kernel": ("Cauchy cauchy", {"kernels/laws.py", "kernels/__init__.py"}),
    "an encoding": ("Log", {"data/encodings/log.py", "data/encodings/__init__.py"}),
    "a block source": ("NpyTable", {"data/blocks/mapped.py", "data/blocks/__init__.py", "data/__init__.py"}),
    "an estimator": (
        "GroupLasso group-lasso",
        {"estimators/models/over_sets.py", "estimators/model_kinds.py", "estimators/__init__.py", "__init__.py"},
    ),
    "a method of release": ("null-space", {"releases/methods/rows.py", "audit/drawn/named.py"}),
    "a mechanism": (
        "SampledMirrorDescent mirror-descent-sampled",
        {"mechanisms/constrained/mirror_sampled.py", "mechanisms/constrained/__init__.py"}
        | {"words/constrained.py", "verification/constrained.py", "audit/drawn/constrained.py", "audit/drawn/named.py"},
    ),
    "a command": ("demo", {"cli/demo.py", "cli/program.py"}),
}
"""Names, and the files of code that may have them. The consumer takes the smoothed hinge by default, and the regression
of quantiles this loss; estimators are names of the whole package too, and what their files
state is known without them.
A method of release is listed by its constant; the audit of what it draws has its name.
A mechanism has three more places on purpose: its words and its recheck, which import no mechanism, and the audit of what it draws."""


@cache
def words(path):
    """Identifiers and short texts of a file, those of docstrings and comments left out."""
    tokens = tokenize.generate_tokens(io.StringIO(FILES[path]).readline)
    return {token.string.strip("\"'") for token in tokens if token.type in (tokenize.NAME, tokenize.STRING)}


def names_in(path, names):
    """Of these, those that the file uses; it is taken apart only if its text has one of them."""
    return any(name in FILES[path] for name in names.split()) and words(path).intersection(names.split())


@pytest.mark.parametrize("kind", EXAMPLES)
def test_one_more_is_a_file_and_a_place_that_lists_it(kind):
    names, files = EXAMPLES[kind]
    found = {path.relative_to(PACKAGE).as_posix() for path in FILES if names_in(path, names)}
    assert found == files
