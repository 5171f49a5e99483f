"""The page on the life of a fit names the files that a fit passes, in their order."""

import re
import sys
from pathlib import Path

import pytest

from discreet.core.remembered import forget
from tools.house import PACKAGE, command_job, fit_job

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
    "words/fits.py": "statement",
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


def asked_of_choose(work):
    """What estimators and their mechanisms ask of the module that chooses loss, lambda and noise, name by name."""
    asked = []

    def note(frame, event, _):
        caller = frame.f_back
        while caller is not None and caller.f_code.co_filename.endswith("core/remembered.py"):
            caller = caller.f_back
        inside, outside = (one is not None and one.f_code.co_filename.endswith("learning/choose.py") for one in (frame, caller))
        if event == "call" and inside and not outside:
            asked.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return asked


def test_loss_lambda_and_mechanism_of_a_fit_are_asked_for_in_one_call_and_remembered():
    work = fit_job()
    work()  # imports are not what is counted
    forget()
    assert sorted(asked_of_choose(work)) == ["plan", "relative_noise"]  # the second is the advice whether a fit is worth its budget
    assert asked_of_choose(work) == []
