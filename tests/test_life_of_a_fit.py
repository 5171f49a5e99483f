"""The page on the life of a fit names the files that a fit passes, in their order."""

import re
import sys
from pathlib import Path

import pytest

from discreet.core.remembered import forget
from tools.house import PACKAGE, command_job

PAGE = Path(__file__).resolve().parents[1] / "docs" / "extend" / "life-of-a-fit.md"
STEPS = {
    "cli/fit.py": "fit",
    "data/schema.py": "encode",
    "estimators/models/linear_classifier.py": "fit",
    "problems/regularised_risk.py": "__post_init__",
    "mechanisms/learning/choose.py": "calibrate",
    "mechanisms/base.py": "run",
    "ledger/account.py": "spending_on",
    "mechanisms/learning/objective_perturbation.py": "columns",
    "solvers/newton.py": "minimise",
    "words/learning.py": "fit",
}
"""The function of each by which a fit comes through."""


@pytest.mark.more
def test_a_fit_passes_the_ten_files_of_its_page_in_their_order():
    """After the public plan, which passes some of them before there are records: from the table on, and with nothing remembered between."""
    named = re.findall(r"^\| \d+ \| \[`(.+?)`\]", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert named == list(STEPS)
    passed = []

    def note(frame, event, _):
        file = frame.f_code.co_filename.removeprefix(f"{PACKAGE}/")
        if event == "call" and STEPS.get(file) == frame.f_code.co_name:
            if file == "data/schema.py":
                forget()
            passed.append(file)

    work = command_job()
    work()  # imports are not what is followed
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    left = iter(passed)
    assert all(name in left for name in named)
