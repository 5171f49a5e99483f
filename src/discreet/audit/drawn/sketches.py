"""The noise of sketches: released rows, whitened by the covariance that the certificate states for an invented table, are standard normal numbers.

    rows of N(0, q^2 (Z'Z + (sigma^2 + (w s)^2) I)):    z = L^{-1} row,    L a Cholesky factor, Z'Z and sigma^2 in units of q^2

(w s)^2 is the last stage's variance, next to nothing as calibrated; a mechanism with a loud last stage shows it. Tables are short and noise is large,
so that the covariance is mostly noise, and half of it would show.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import chdtr

from discreet.audit.claim import Target
from discreet.audit.drawn.released_rows import numbers, table
from discreet.audit.parts import Part, Watch, of_law, of_noise, released
from discreet.core.arrays import Floats
from discreet.core.fields import real
from discreet.data import Domain, Records
from discreet.matrices import DenseMatrix
from discreet.mechanisms.regression import GaussianMixing, LeastSquares
from discreet.mechanisms.regression.mixing import drawn_moments, of_records, sketched
from discreet.mechanisms.release import ClearTargetSketch, EigenvalueSketch, GaussianSketch, InformationSketch, PublishedSketch
from discreet.mechanisms.release.answers import exact_moments
from discreet.noise import SystemNoise
from discreet.noise.laws import DiscreteGaussian, Normal
from discreet.queries import SecondMoments
from discreet.queries import Target as Column

_BALL = Domain(features=2, norm_bound=1.0, target_bound=1.0)
_BOX = Domain(features=2, entry_bound=1.0, target_bound=1.0)
_FEW = 5
_ON_BALL, _ON_BOX = (SecondMoments(domain=domain, target=Column.OMITTED, most_records=_FEW) for domain in (_BALL, _BOX))


def sketch(target: Target) -> Watch:
    """Secret combinations of the records."""
    made = GaussianSketch.calibrate(_ON_BALL, rows=300, **target.target)
    return _rows_and_last_stage(_ON_BALL, made, table(_BALL, _FEW), np.eye(2))


def information_sketch(target: Target) -> Watch:  # noqa: ARG001 - its promise is bits, of another kind than epsilon
    """The same, for bits about any one entry."""
    made = InformationSketch.calibrate(_ON_BOX, rows=300, bits=0.5)
    return _rows_and_last_stage(_ON_BOX, made, table(_BOX, _FEW), np.eye(2))


def eigenvalue_sketch(target: Target) -> Watch:
    """The noisy least eigenvalue, which the certificate shows, and the rows with the variance that follows from it."""
    query, data = _ON_BALL, table(_BALL, _FEW)
    made = EigenvalueSketch.calibrate(query, rows=4, **target.target)
    stated = made.run(query, data, SystemNoise()).certificate.parameters
    moments = exact_moments(query, data)
    least = float(np.linalg.eigvalsh(moments.astype(np.float64))[0])
    eigenvalues, rows = [], []
    for _ in range(120):
        drawn = made.draw(query, data, SystemNoise())
        eigenvalues.append(real(drawn.chosen["noisy_eigenvalue"]) - np.rint(least / real(stated["eigenvalue_step"])))
        covariance = moments + (real(drawn.chosen["variance"]) + _last_variance(stated)) * np.eye(2)
        rows.append(_whitened(np.concatenate(list(drawn.blocks)) / query.unit, covariance).ravel())
    parts = (
        of_noise("noise on the least eigenvalue", np.reshape(eigenvalues, (-1, 1)), DiscreteGaussian(real(stated["eigenvalue_scale"]))),
        _standard("rows, whitened", np.array(rows)),
    )
    return Watch(mechanism=made.name, parts=parts)


def clear_target_sketch(target: Target) -> Watch:  # noqa: ARG001 - its promise is bits, of another kind than epsilon
    """The target's column has no noise."""
    query = SecondMoments(domain=_BOX, target=Column.NOISY, most_records=_FEW)
    made = ClearTargetSketch.calibrate(query, rows=300, bits=0.5)
    data = Records(rows=DenseMatrix(numbers(_FEW, 2)), targets=np.linspace(-1.0, 1.0, _FEW), domain=_BOX)
    return _rows_and_last_stage(query, made, data, np.diag([1.0, 1.0, 0.0]))


def published_sketch(target: Target) -> Watch:  # noqa: ARG001 - it promises nothing
    """The noise that was printed, on a table that leaves it something."""
    made = PublishedSketch(rows=300, claimed_bits=0.5)
    stated, (value,) = released(made, _ON_BOX, table(_BOX, _FEW))
    rows = numbers(_FEW, 2)
    rest = np.square(rows).sum(axis=0) - np.square(rows).max(axis=0)
    variance = real(stated["rows"]) / (4.0 ** real(stated["claimed_bits"]) - 1.0) - rest.min()
    return Watch(mechanism=made.name, parts=(_standard("rows, whitened", _whitened(value, rows.T @ rows + variance * np.eye(2))),))


def mixing(target: Target) -> Watch:
    """The sketch behind least squares: k times its whitened second moments have chi-square diagonals."""
    domain = Domain(features=1, norm_bound=1.0, target_bound=1.0)
    problem = LeastSquares(domain=domain, most_records=_FEW)
    rows = 50
    made = GaussianMixing.calibrate(problem, **target.target, rows=rows)
    data = Records(rows=DenseMatrix(numbers(_FEW, 1)), targets=np.linspace(-1.0, 1.0, _FEW), domain=domain)
    query = sketched(problem, target_weight=made.target_weight)
    stated = made.parameters()
    exact = exact_moments(query, of_records(problem, data, query))
    covariance = query.unit**2 * (exact + (real(stated["variance"]) + _last_variance(stated)) * np.eye(2))
    root = np.linalg.inv(np.linalg.cholesky(covariance))
    squares = []
    for _ in range(60):
        moments = drawn_moments(made.sketch, query, of_records(problem, data, query), SystemNoise())
        squares.append(rows * np.diag(root @ moments @ root.T))
    part = of_law("second moments of rows, whitened", f"chi-square with {rows} degrees of freedom", np.array(squares), lambda x: chdtr(rows, x))
    return Watch(mechanism=made.name, parts=(part,))


def _rows_and_last_stage(query: SecondMoments, made: Any, data: Records, noisy: Floats) -> Watch:  # noqa: ANN401 - one of three sketches
    """`noisy` (columns, columns): the identity, with zeros for columns without noise."""
    loud = replace(made, scale=_louder(made, query))
    parts = []
    for what, each in (("rows, whitened", made), ("rows with a loud last stage, whitened", loud)):
        stated, (value,) = released(each, query, data)
        covariance = exact_moments(query, data) + (real(stated["variance"]) + _last_variance(stated)) * noisy
        parts.append(_standard(what, _whitened(value / query.unit, covariance)))
    return Watch(mechanism=made.name, parts=tuple(parts))


def _louder(made: Any, query: SecondMoments) -> float:  # noqa: ANN401 - any sketch
    """Steps in thrice the deviation of everything before the last stage."""
    largest = made.variance + query.most_records * (query.norm / query.unit) ** 2
    return float(3.0 * np.sqrt(largest * query.columns) / made.step)


def _whitened(rows: Floats, covariance: Floats) -> Floats:
    white: Floats = np.linalg.solve(np.linalg.cholesky(covariance), rows.T).T
    return white


def _standard(what: str, scores: Floats) -> Part:
    return of_noise(what, scores, Normal(1.0), words="as the stated covariance has them, deviation")


def _last_variance(stated: Any) -> float:  # noqa: ANN401 - a certificate's parameters
    """(w s)^2, in units of q^2."""
    return (real(stated["step"]) * real(stated["scale"])) ** 2
