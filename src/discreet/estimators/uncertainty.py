"""Intervals for the coefficients and predictions of a private linear classifier, which count the noise of privacy and the sampling of records.

    w - theta  is about  -S^-1 (g + b)  (objective perturbation),   -S^-1 g + b  (output perturbation),      S = H + lambda I

theta is what the fit estimates: the weights that minimise the expected risk *with the same penalty*, E c l + (lambda / 2n) |w|^2, at this n. g is the
gradient at theta, of mean 0 and variance J - (lambda theta)(lambda theta)' / n, and b the noise, whose law is public (the certificate's). H and J
(module `mechanisms.curvature`) are released at w with a budget of their own. For a direction a, with z = S^-1 a,

    a'w - a'theta  is about  N(0, z'J z + v z'z + r a'a)     (objective; output: v a'a for v z'z)

v = sigma^2 for Gaussian noise. Spherical noise of rate beta in d dimensions is a scale mixture of normals, v ~ Gamma((d + 1)/2, rate beta^2 / 2);
r is the variance of the last stage. The interval is a'w -+ the quantile of that mixture.

Target "unpenalised": theta_0, the minimiser without the penalty. One Newton step leads there, w + H^-1 lambda w, with the same law for z = H^-1 a
(noise that was added to w: a + lambda z).

H and J are known with noise. That on H is not left out, nor are eigenvalues cut off, which would push them up: with H~ = H + E the equations
(H~ + lambda) (w - theta) = -(g + b) + E (w - theta) hold as they stand, and module `solvers.noisy_equations` gives the error of their solution; where
H~ does not stand out of its noise, nothing. Without the penalty the interval is then the whole line. With it something is known still: H >= 0, so the
curvature is lambda at least, and more where eigenvalues of H~, cleared of the noise's push and lowered by one and a half deviations, are positive.
The narrower of the two is taken.

A Newton step u that is long is off to second order: as much as u'Hu is of theta_0' H theta_0, the loss curves differently where it leads. Half of the
square root of that share, times |a'u|, is added to the interval as bias.

Public null directions: the dummies of a categorical column sum to the constant feature (to those of another column), so the loss without its penalty
does not see a weight that is moved from one to the other. Of a schema's columns the first category is the reference: target "unpenalised" is the
minimiser among weights that are 0 there, and a coefficient is relative to it. For rows that a schema leaves as they are this costs no generality, and
w is moved along the null directions first; for normalised rows it is the model without those columns, which is nearly the same.

What is approximate: the step to first order, and normal sampling errors. What comes out of that is measured by benchmarks/interval_coverage.py.
Everything but the release is post-processing, and costs nothing.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from discreet.accounting import Guarantee, Json, compose
from discreet.certificates import Certificate, Verification
from discreet.core.arrays import AnyFloats, Floats
from discreet.core.errors import InvalidInput, quoted
from discreet.data import EncodedTable
from discreet.data.coding import Coding
from discreet.estimators.forms import has_link, probabilities
from discreet.estimators.inputs import feature_rows
from discreet.estimators.released_noise import NoiseLaw, mixture_quantile, noise_law
from discreet.matrices import Matrix, shortening
from discreet.matrices.bounded import brought_near
from discreet.mechanisms.bounds_choice.norm import NORM_THEN_FIT
from discreet.mechanisms.curvature import Curvature
from discreet.mechanisms.curvature.query import ABOVE, DIAGONAL
from discreet.mechanisms.curvature.with_fit import CURVATURE_WITH_FIT
from discreet.mechanisms.selection.curves import problem_from
from discreet.problems import RegularisedRisk
from discreet.solvers import NoisyMatrix

PENALISED, UNPENALISED = "penalised", "unpenalised"
_TARGETS = {PENALISED: "penalised as in the fit, at this lambda and number of records", UNPENALISED: "without a penalty"}
_LOWERED = 1.5
"""Standard deviations by which eigenvalues are lowered where the equations cannot be solved. With 1, intervals of 95 % for 20 weights cover 93.6 % in
the worst case tried; with 0, 78 %."""
_CURVED = 0.5
"""Of a Newton step's length, its error over the share of the decisions that it changes; seen: .3 for the logistic loss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals:
    """Lower and upper ends, and the estimates between them, each of one shape."""

    low: Floats
    estimate: Floats
    high: Floats
    level: float
    """Probability with which each interval covers, one at a time."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Uncertainty:
    """What is known of the errors of a fitted model; public, since it was released."""

    problem: RegularisedRisk
    weights: Floats
    """w, (d,) or (d + 1,)."""
    matrices: Curvature
    """H and J, as released."""
    model_certificate: Certificate
    certificate: Certificate
    """Of H and J: what the intervals cost, besides the model unless `paid_with_the_model`."""
    value: Floats
    """The released integers."""
    coding: Coding
    """Which features are dummies of one column; of a table that no schema encoded, none is known to be."""

    @property
    def references(self) -> tuple[int, ...]:
        """Places of coefficients that are 0 with target "unpenalised": first categories of columns; the others of a column are relative to it."""
        return self.coding.references(intercept=self.problem.domain.intercept_scale > 0)

    @property
    def paid_with_the_model(self) -> bool:
        """Whether the model's certificate counts this release: that of a fit with intervals counts its own, and none that is bought afterwards."""
        part = self.model_certificate.parameters.get("curvature") if self.model_certificate.mechanism == CURVATURE_WITH_FIT else None
        own = {"parameters": dict(self.certificate.parameters), "problem": dict(self.certificate.problem)}
        return isinstance(part, dict) and own == {key: part.get(key) for key in own}

    @property
    def guarantee(self) -> Guarantee:
        """Model and intervals together."""
        if self.paid_with_the_model:
            return self.model_certificate.guarantee
        return compose([self.model_certificate.guarantee, self.certificate.guarantee])

    def verify(self) -> Verification:
        """Check the certificate of H and J, and that these are the ones that it was issued for."""
        return self.certificate.verify(self.value)

    def coefficients(self, level: float = 0.95, *, target: str = PENALISED) -> Intervals:
        """Intervals for the coefficients, (d,), in the units of the features.

        `target`: "penalised", what the fit estimates, around coef_; "unpenalised", the minimiser without a penalty, around a Newton step from coef_.
        Raises InvalidInput for another one, or a level outside (0, 1).
        """
        return self.along(np.eye(self.problem.domain.features), level, target=target)

    def intercept(self, level: float = 0.95, *, target: str = PENALISED) -> Intervals:
        """The interval for intercept_, (1,). Raises InvalidInput for a model without."""
        scale = self.problem.domain.intercept_scale
        if scale == 0:
            raise InvalidInput("the model has no intercept.")
        return self._intervals(scale * np.eye(len(self.weights))[-1:], level, target)

    def along(self, directions: AnyFloats, level: float = 0.95, *, target: str = PENALISED) -> Intervals:
        """Intervals for combinations of the coefficients, (k,), the rows (k, d) of `directions`: differences, or what a column adds."""
        features, size = self.problem.domain.features, len(self.weights)
        if directions.ndim != 2 or directions.shape[1] != features:
            raise InvalidInput(f"directions must have shape (k, {features}), a row for each combination of the coefficients.")
        return self._intervals(np.hstack((directions, np.zeros((len(directions), size - features)))), level, target)

    def of_weights(self, directions: AnyFloats, level: float = 0.95, *, target: str = PENALISED) -> Intervals:
        """Intervals for combinations of the weights, (k,), the rows (k, m) of `directions`; the last weight is that of the constant feature."""
        if directions.ndim != 2 or directions.shape[1] != len(self.weights):
            raise InvalidInput(f"directions must have shape (k, {len(self.weights)}), a row for each combination of the weights.")
        return self._intervals(directions, level, target)

    def noise(self, directions: AnyFloats) -> Floats:
        """Standard deviations that the noise alone leaves in combinations of the weights, (k,), as far as the released curvature tells."""
        law = noise_law(self.model_certificate)
        _, parts, _ = self._penalised(directions, law, 1.0)
        moved = np.min([part.moved if law.in_objective else part.carried for part in parts], axis=0)
        return np.sqrt(float(np.mean(law.variances)) * moved + law.last_stage * np.square(directions).sum(axis=1))

    def decisions(self, X: Any, level: float = 0.95, *, target: str = PENALISED) -> Intervals:
        """Intervals for the decision value of every row, (n,), rows shortened as in the fit: for the decision of theta, not for a label."""
        parts = [self._intervals(block, level, target) for block in self._directions(_rows(X, self.problem.domain.features))]
        joined = [np.concatenate([getattr(part, end) for part in parts]) for end in ("low", "estimate", "high")]
        return Intervals(low=joined[0], estimate=joined[1], high=joined[2], level=level)

    def probabilities(self, X: Any, level: float = 0.95, *, target: str = PENALISED) -> Intervals:
        """Intervals for the probability of the second class, (n,): those of the decisions, through the link of the loss.

        Raises InvalidInput for a loss without probabilities.
        """
        loss = self.problem.loss
        if not has_link(loss):
            raise InvalidInput(f"the {loss.name} loss has no probabilities; ask for decisions.")
        found = self.decisions(X, level, target=target)
        low, middle, high = (probabilities(loss, end, multinomial=False)[:, 1] for end in (found.low, found.estimate, found.high))
        return Intervals(low=low, estimate=middle, high=high, level=level)

    def to_dict(self, level: float = 0.95, *, target: str = PENALISED) -> dict[str, Json]:
        """For JSON: intervals of the coefficients (null for an infinite end), what they cost, and what they are intervals for."""
        found = self.coefficients(level, target=target)
        rows = np.stack((found.low, found.estimate, found.high), axis=1).tolist()
        return {
            "level": level,
            "target": f"the weights that minimise the expected risk, {_TARGETS[target]}",
            "coefficients": [[end if math.isfinite(end) else None for end in row] for row in rows],
            "guarantee": self.certificate.guarantee.to_dict(),
            "guarantee_with_the_model": self.guarantee.to_dict(),
            "certificate": self.certificate.to_dict(),
        }

    def _directions(self, rows: Matrix) -> Iterator[AnyFloats]:
        domain = self.problem.domain
        rows = brought_near(rows, domain.norm_bound)
        factors = shortening(rows.ordered_row_norms(), domain.norm_bound)
        for span, entries in rows.chunks():
            shortened: AnyFloats = entries * factors[span, np.newaxis]
            constant = np.full((len(shortened), 1), domain.intercept_scale)
            yield np.hstack((shortened, constant)) if domain.intercept_scale > 0 else shortened

    def _intervals(self, directions: AnyFloats, level: float, target: str) -> Intervals:
        """For a'theta, one row a."""
        if not 0 < level < 1:
            raise InvalidInput(f"the level of an interval lies between 0 and 1; {level!r} was given.")
        if target not in _TARGETS:
            raise InvalidInput(f"target must be one of {quoted(_TARGETS)}; {target!r} was given.")
        law = noise_law(self.model_certificate)
        deviations = float(ndtri(0.5 + 0.5 * level))
        if target == UNPENALISED:
            directions = np.where(np.isin(np.arange(len(self.weights)), self.references), 0.0, directions)
        find = self._penalised if target == PENALISED else self._unpenalised
        estimate, parts, bias = find(directions, law, deviations)
        half = np.where(np.any(directions, axis=1), np.inf, 0.0)
        for part in parts:
            moved = part.moved if law.in_objective else part.carried
            spreads = np.sqrt((part.sampled + law.last_stage * part.carried)[:, np.newaxis] + moved[:, np.newaxis] * law.variances)
            half = np.minimum(half, mixture_quantile(spreads, level) + bias)
        return Intervals(low=estimate - half, estimate=estimate, high=estimate + half, level=level)

    def _penalised(self, directions: AnyFloats, law: NoiseLaw, deviations: float) -> tuple[Floats, list["_Variance"], Floats]:
        """Estimates, what is known of their variance, and their bias: from the equations, where they can be solved, and from H >= 0."""
        ridge = self.problem.ridge + law.extra_ridge
        sampling, size = self._sampling(ridge), len(self.weights)
        carried = np.square(directions).sum(axis=1)
        values, vectors = self._noisy(np.eye(size), 0.0).cleared()
        least = np.maximum(values - _LOWERED * math.sqrt(2.0 * self._entry_variance), 0.0)
        solved = ((directions @ vectors) / (least + ridge)) @ vectors.T
        parts = [_Variance(sampled=_along(solved, sampling), moved=np.square(solved).sum(axis=1), carried=carried)]
        found = self._noisy(np.eye(size), ridge).errors(sampling, np.eye(size), deviations=deviations)
        if found is not None:
            parts.append(_Variance(sampled=_along(directions, found[0]), moved=_along(directions, found[1]), carried=carried))
        return directions @ self.weights, parts, np.zeros(len(directions))

    def _unpenalised(self, directions: AnyFloats, law: NoiseLaw, deviations: float) -> tuple[Floats, list["_Variance"], Floats]:
        """The same for the Newton step that takes the penalty off, among weights that are 0 for reference categories, as `directions` are there."""
        ridge, size, domain = self.problem.ridge + law.extra_ridge, len(self.weights), self.problem.domain
        kept = np.delete(np.eye(size), self.references, axis=1)
        begun = self.coding.moved(self.weights, intercept_scale=domain.intercept_scale, norm_bound=domain.norm_bound)
        noisy, within = self._noisy(kept, 0.0), directions @ kept
        solution = np.linalg.lstsq(noisy.matrix, kept.T @ (self.matrices.curvature @ begun + ridge * self.weights), rcond=None)[0]
        step = kept @ solution - begun
        met = self._noisy(np.eye(size), 0.0).met(step)
        found = noisy.errors(kept.T @ (self._sampling(ridge) + met) @ kept, np.eye(len(solution)), deviations=deviations)
        if found is None:
            return within @ solution, [], np.zeros(len(within))
        moved = _along(within, found[1])
        # Noise that was added to the weights reaches a'theta by itself and through the pull of the penalty, as a + lambda z.
        across = np.einsum("ij,ij->i", within, np.linalg.solve(noisy.matrix, within.T).T)
        carried = np.square(within).sum(axis=1) + 2.0 * ridge * across + ridge**2 * moved
        changed = kept.T @ step
        share = float(changed @ noisy.matrix @ changed) / max(float(solution @ noisy.matrix @ solution), 1e-300)
        bias = _CURVED * math.sqrt(min(max(share, 0.0), 1.0)) * np.abs(directions @ step)
        return within @ solution, [_Variance(sampled=_along(within, found[0]), moved=moved, carried=carried)], bias

    @property
    def _entry_variance(self) -> float:
        """h: entries off the diagonal have 5 / 7 of the deviation of those on it, just above 1 / sqrt(2)."""
        return (DIAGONAL / ABOVE * self.matrices.curvature_noise) ** 2

    def _noisy(self, kept: AnyFloats, ridge: float) -> NoisyMatrix:
        matrix: AnyFloats = kept.T @ self.matrices.curvature @ kept + ridge * np.eye(kept.shape[1])
        return NoisyMatrix(matrix=matrix, variance=self._entry_variance)

    def _sampling(self, ridge: float) -> AnyFloats:
        """The variance of g, without what noise made impossible."""
        pull = ridge * self.weights
        records = self.problem.domain.records
        return _non_negative(self.matrices.variation - (0.0 if records is None else np.outer(pull, pull) / records))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Variance:
    """Of a'(estimate - theta), (n,) each."""

    sampled: Floats
    """What the sampling of records adds, and noise on H."""
    moved: Floats
    """What noise of variance 1 in the objective adds."""
    carried: Floats
    """What noise of variance 1 on the weights adds."""


def problem_of(certificate: Certificate) -> RegularisedRisk:
    """The public problem that a model's certificate states, if it is one of two classes with a law of noise that is known here."""
    stated: Mapping[str, Any] = certificate.problem
    if "prior" in stated:
        raise InvalidInput("intervals are for a ridge that pulls towards zero; the numbers of the prior of this model are not in its certificate.")
    if stated.get("classes", 2) != 2:
        raise InvalidInput(f"intervals are for models of two classes; this one has {stated['classes']}.")
    try:
        problem = problem_from(stated)
    except (KeyError, TypeError, ValueError):
        problem = None
    if problem is None or problem.to_dict() != dict(stated):
        raise InvalidInput(
            "intervals are released for a linear-svc or a logistic-regression of two classes, and this certificate is for another problem. "
            "A linear-regression with the mechanism refined or moments brings its own, in Python: coef_interval."
        )
    if certificate.mechanism == NORM_THEN_FIT:
        raise InvalidInput('a norm that was chosen in the fit (data_norm="private") is not that of the rows; declare data_norm for intervals.')
    noise_law(certificate)
    return problem


def _rows(X: Any, features: int) -> Matrix:
    rows = X.rows if isinstance(X, EncodedTable) else feature_rows(X)
    if rows.shape[1] != features:
        raise InvalidInput(f"the model was fitted on {features} features; rows with {rows.shape[1]} were given.")
    return rows


def _along(directions: AnyFloats, matrix: AnyFloats) -> Floats:
    """a' M a for every row a, (n,)."""
    found: Floats = np.einsum("ij,jk,ik->i", directions, matrix, directions)
    return np.maximum(found, 0.0)


def _non_negative(matrix: AnyFloats) -> AnyFloats:
    """The nearest matrix without negative eigenvalues."""
    values, vectors = np.linalg.eigh(matrix)
    clipped: AnyFloats = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return clipped
