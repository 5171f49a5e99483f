"""What a recheck makes of a setting does not depend on what was rechecked before it."""

import subprocess
import sys

import pytest

SCRIPT = """
import sys
import numpy as np
from discreet import LogisticRegression
from discreet.verification.selection import curve_of_setting
X, y = np.zeros((9, 2)), np.arange(9) % 3
found = LogisticRegression(epsilon=1.0, delta=1e-6, classes=[0, 1, 2], mechanism="objective").fit(X, y).certificate_
assert "discreet.verification.classes" not in sys.modules, "nothing of this test would be seen"
half = np.array([0.5])
assert curve_of_setting(found, 1.0)(half)[0] < 0.5 * found.guarantee.deltas(half)[0]
"""


@pytest.mark.more
def test_the_whole_curve_of_many_classes_is_known_where_nothing_was_rechecked_before():
    """In a process of its own. What is stated alone says little of half its epsilon."""
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", SCRIPT], timeout=600, check=False).returncode == 0
