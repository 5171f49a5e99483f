"""Every audit twice: it passes the right mechanism, and catches the planted fault (module `faults`).

Statistical audits pass a right mechanism but for a probability of 1e-8, whatever the laws. That they catch the fault was measured: over repetitions,
what is found lies more than five standard deviations beyond the claim.
"""

import pytest

from tests.audit.faults import CASES

LONG = "rows with Gaussian noise, as released"
"""Some twenty seconds; a part of its runs would not leave five standard deviations. The same fault is planted in the exact audits."""


def cases():
    for case in CASES:
        yield pytest.param(case, id=f"{case.fault}: {case.audited}", marks=[pytest.mark.more] if case.audited == LONG else [])


@pytest.mark.at_most(17)
@pytest.mark.parametrize("case", list(cases()))
def test_the_right_mechanism_passes_and_the_fault_is_caught(case):
    right = case.right(confidence=1 - 1e-8)
    assert not right.violated, str(right)
    wrong = case.wrong()
    assert wrong.violated, str(wrong)
    assert wrong.bound > right.bound
