"""Rows with noise for bits: no more information than stated, computed exactly, and half the noise is caught."""

import math
from dataclasses import replace

import numpy as np
import pytest

from discreet.accounting import Unit
from discreet.core.errors import InvalidInput
from discreet.data import Domain
from discreet.mechanisms.release import InformationRelease
from discreet.noise import SystemNoise
from discreet.queries import Rows
from tests.mechanisms.release.tables import BALL, BOX, invented


def exact_bits(scale, reach):
    """I(x; round(x) + K), K discrete Gaussian, for x uniform on 41 points of [-reach, reach] and for x one of the two ends: the larger."""
    k = np.arange(-int(reach + 12 * scale), int(reach + 12 * scale) + 1, dtype=float)
    found = []
    for points in (np.rint(np.linspace(-reach, reach, 41)), np.array([-reach, reach])):
        laws = np.exp(-0.5 * ((k[None, :] - points[:, None]) / scale) ** 2)
        laws /= laws.sum(axis=1, keepdims=True)
        mean = laws.mean(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            found.append(float(np.nansum(np.where(laws > 0, laws * np.log2(laws / mean), 0.0)) / len(points)))
    return max(found)


@pytest.mark.parametrize("bits", [0.1, 0.5, 1.0])
def test_no_prior_that_is_tried_learns_more_and_half_the_noise_is_caught(bits):
    """On a coarser grid of the same shape: the bound depends on the ratio of bound and scale alone. At 0.5 bits two ends learn 0.486."""
    query = Rows(domain=BOX)
    made = InformationRelease.calibrate(query, bits=bits)
    assert made.guarantee(query).bits == pytest.approx(bits, rel=1e-4)
    assert made.guarantee(query).bits <= bits
    ratio = 1.0 / made.inner.deviation
    assert exact_bits(300.0, 300.0 * ratio) <= bits
    assert exact_bits(300.0, 300.0 * 2.0 * ratio) > 1.1 * bits


def test_the_noise_is_that_of_lemma_1():
    """sigma^2 = 1 / (2^(2 bits) - 1), Showkatbakhsh et al. 2018."""
    for bits in (0.01, 0.5, 3.0):
        made = InformationRelease.calibrate(Rows(domain=BOX), bits=bits)
        assert made.inner.deviation**2 == pytest.approx(1.0 / (2.0 ** (2.0 * bits) - 1.0), rel=1e-4)


def test_a_release_verifies_and_each_lie_is_refused():
    query = Rows(domain=BOX, target="noisy")
    made = InformationRelease.calibrate(query, bits=0.5)
    release = made.run(query, invented(BOX, 30), SystemNoise())
    certificate = release.certificate
    assert release.verify().ok
    assert (certificate.guarantee.unit, certificate.guarantee.bits) == (Unit.ENTRY, pytest.approx(0.5, rel=1e-4))
    lies = [
        replace(certificate, guarantee=replace(certificate.guarantee, bits=0.49)),
        replace(certificate, parameters={**certificate.parameters, "scale": certificate.parameters["scale"] * 0.9}),
        replace(certificate, parameters={**certificate.parameters, "scale": 100.0, "step": 1.0}),
        replace(certificate, parameters={**certificate.parameters, "step": 0.3}),
        replace(certificate, problem={**certificate.problem, "entry_bound": 1.5}),
        replace(certificate, problem={**certificate.problem, "norm_bound": 1.0}),
        replace(certificate, problem={**certificate.problem, "query": "projection"}),
        replace(certificate, releases=2),
    ]
    for lie in lies:
        assert not lie.verify(release.value).ok


def test_what_ties_entries_together_is_refused():
    with pytest.raises(InvalidInput, match="entry_bound alone"):
        InformationRelease.calibrate(Rows(domain=BALL), bits=0.5)
    with pytest.raises(InvalidInput, match="entry_bound alone"):
        InformationRelease.calibrate(Rows(domain=Domain(features=2, entry_bound=1.0, norm_bound=1.0, target_bound=1.0)), bits=0.5)
    for bits in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(InvalidInput, match="positive"):
            InformationRelease.calibrate(Rows(domain=BOX), bits=bits)
