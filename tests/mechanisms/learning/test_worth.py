"""What is said before a fit: whether a classifier may be expected to beat one answer for everybody, from public numbers alone."""

import math
from dataclasses import replace

import pytest

from discreet.accounting import gaussian_mu
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Privacy
from discreet.losses import Logistic
from discreet.mechanisms.learning import outlook
from tests.mechanisms.learning.problems import problem


def asked(epsilon, neighbours=ADD_REMOVE):
    return Privacy(epsilon=epsilon, delta=1e-6, neighbours=neighbours)


def test_the_records_that_are_needed_follow_the_noise_of_a_coordinate():
    many, few = (problem(Logistic(), ridge=1.0, features=features, records=None) for features in (200, 3))
    assert outlook(many, asked(0.1)).needed == pytest.approx(100.0 / gaussian_mu(0.1, 1e-6))
    assert outlook(few, asked(0.1)).needed == pytest.approx(100.0 * math.sqrt(3) / 0.1)
    assert outlook(many, asked(0.1, REPLACE_ONE)).needed == pytest.approx(200.0 / gaussian_mu(0.1, 1e-6))
    assert outlook(many, asked(math.inf)) is None


def test_a_public_number_of_records_is_judged_and_of_a_private_one_no_more_is_said_than_what_is_needed():
    public = problem(Logistic(), ridge=1.0, features=200, records=None)
    secret = outlook(public, asked(0.1))
    assert secret.little
    assert "is private" in secret.words
    assert not outlook(public, asked(1.0)).little
    for records, little in ((500, True), (10_000, False)):
        known = outlook(replace(public, domain=replace(public.domain, records=records)), asked(0.1))
        assert known.little == little
        assert ("500 records are few" in known.words) == little
        assert ("--calibrate" in known.words) == little
