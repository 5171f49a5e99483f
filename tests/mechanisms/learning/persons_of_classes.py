"""What tests of several rows of a person ask of every scheme for many classes."""

from dataclasses import replace

import numpy as np

from discreet.accounting import Unit
from discreet.data import Records
from discreet.matrices import DenseMatrix
from discreet.mechanisms.learning import calibrate, default_ridge
from discreet.noise import SystemNoise


def asked(epsilon, delta, neighbours):
    return {"epsilon": epsilon, "delta": delta, "neighbours": neighbours}


def visits(public, rows, persons=20):
    """Records of so many persons with `rows` rows each."""
    draw = np.random.default_rng(0)
    count = persons * rows
    matrix = draw.standard_normal((count, public.domain.features))
    codes = (matrix[:, 0] > 0).astype(np.int64) + (matrix[:, 1] > 0)
    return Records(rows=DenseMatrix(matrix), targets=codes, weights=np.full(count, 1.0 / rows), domain=public.domain)


def certified(public, target):
    """The certificate of a fit of twenty persons with five rows each, after it was verified."""
    made = calibrate(public, mechanism="objective", calibration="tight", **target)
    certificate = made.run(public, visits(public, 5), SystemNoise()).certificate
    verdict = certificate.verify()
    assert verdict.ok, [check for check in verdict.checks if not check.ok]
    assert certificate.guarantee.unit is Unit.PERSON
    assert certificate.guarantee.epsilon <= target["epsilon"]
    return certificate


def keeps_its_promise(public, target):
    """With the default ridge, noise is found and is enough."""
    public = replace(public, ridge=default_ridge(public, **target))
    made = calibrate(public, mechanism="objective", calibration="tight", **target)
    assert made.guarantee(public).delta(target["epsilon"]) <= target["delta"]
