"""What is known of how far off the coefficients of a model are: the one source of every interval, band and standard error that is printed of one.

In this order, what there is:

    released curvature    `fit_with_intervals`, `release_uncertainty` (module `uncertainty`): noise and sample, for the weights that the fit
                          estimates, with its penalty
    noisy equations       least squares by released moments, or without noise (`mechanisms.regression.belief`): noise and sample, for the least
                          squares of the population, around the solution of the equations, which no prior shrinks
    law of the noise      module `released_noise`, for the weights of the same fit without noise: exact where it was added to the weights, an upper
                          bound where it was in the objective; nothing is said of the sampling of records
    nothing               sentences say why there is no interval, and what to do

A posterior is not among them. That of `LinearRegression(mechanism="refined")` holds for weights that are drawn from its prior, and a coefficient of a
feature that fills a tenth of its bounds is shrunk by more than the posterior is wide: as an interval it covered 0 to .84 where .95 was said.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.accounting import NoGuarantee
from discreet.certificates import Certificate
from discreet.core.arrays import AnyFloats, Floats
from discreet.core.errors import InvalidInput
from discreet.core.normal import ndtri
from discreet.core.validate import interval_level
from discreet.estimators.intervals.released_noise import WeightNoise, fit_within, mixture_quantile, noise_law

if TYPE_CHECKING:
    from discreet.estimators.intervals.uncertainty import Uncertainty
    from discreet.mechanisms.regression import Equations

WHOLE, NOISE, AT_MOST = "noise and sample", "noise alone", "noise alone, at most"
_OF_MOMENTS = "least-squares-moments"
_DROWNED = (
    "There are no intervals: second moments of the features do not stand out of their noise, so any coefficient agrees with what was released.",
    "More records, a larger epsilon, fewer features or bounds closer to the values that can occur would give intervals.",
    "So would the default mechanism with fit_with_intervals.",
)
_NOT_KEPT = (
    "There are no intervals here: they follow from released moments, which the fitted estimator holds and the file of a model does not.",
    "Call summary() or coef_interval() of the estimator.",
)
_NO_LAW = (
    "There are no intervals: the noise of this mechanism in a single coefficient has no known distribution.",
    "Linear models without a set have intervals, by fit_with_intervals, with noise in the objective.",
)
_NO_NOISE = ("There is no noise; the uncertainty of the coefficients is not released.",)


class Errors(NamedTuple):
    """Of combinations a'w of the weights, (k,) each."""

    noise: Floats | None
    """Deviations by the noise alone, or upper bounds of them; None where they are not known apart."""
    low: Floats
    high: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownErrors:
    """What may be said, in numbers and in words."""

    level: float
    counted: str | None
    """WHOLE, NOISE or AT_MOST; None where there are no intervals."""
    sentences: tuple[str, ...]
    """What the intervals are for, or why there are none."""
    found: Callable[[AnyFloats], Errors] | None = None

    @property
    def words(self) -> str:
        """The sentences as one text."""
        return " ".join(self.sentences)

    def along(self, directions: AnyFloats) -> Errors | None:
        """For the rows a (k, m) of `directions`, m the weights of all functions; None where there are no intervals."""
        return None if self.found is None else self.found(directions)


def known_errors(
    certificate: Certificate,
    weights: Floats,
    *,
    level: float,
    uncertainty: "Uncertainty | None" = None,
    equations: "Equations | None" = None,
) -> KnownErrors:
    """Of the `weights` (m,) of a certificate, with what was released about them besides. Raises InvalidInput for another model's, or a level."""
    interval_level(level)
    share = f"{100 * level:g} %"
    if uncertainty is not None:
        if not np.array_equal(uncertainty.weights, weights):
            raise InvalidInput("these intervals were released for another model: its weights differ.")
        what = "the coefficient that the fit estimates, with its penalty,"
        return KnownErrors(level=level, counted=WHOLE, sentences=_whole(what, share), found=partial(_bought, uncertainty, level))
    if equations is not None:
        quantile = float(ndtri(0.5 + 0.5 * level))
        covariance = equations.covariance(quantile)
        if covariance is None:
            return KnownErrors(level=level, counted=None, sentences=_DROWNED)
        shrunk = "It need not contain the coefficient that is printed, which is shrunk towards 0 where noise dominates."
        whole = (*_whole("the coefficient of the population's least squares", share), shrunk)
        return KnownErrors(level=level, counted=WHOLE, sentences=whole, found=partial(_solved, equations.solution, covariance, quantile))
    try:
        law = noise_law(certificate)
    except InvalidInput:
        return KnownErrors(level=level, counted=None, sentences=_why_none(certificate))
    sentences = (
        f"Noise s.e. and the {share} intervals count privacy noise alone: they are for the weights of the same fit without noise.",
        *(["They are upper bounds: the more the records say about a weight, the less the noise moves it."] if law.in_objective else []),
        "They ignore sampling error; release_uncertainty counts it.",
    )
    return KnownErrors(level=level, counted=AT_MOST if law.in_objective else NOISE, sentences=sentences, found=partial(_noisy, law, weights, level))


def _whole(what: str, share: str) -> tuple[str]:
    return (f"Each interval covers {what} with probability {share}, one at a time; it counts privacy noise and sampling error.",)


def _bought(uncertainty: "Uncertainty", level: float, directions: AnyFloats) -> Errors:
    found = uncertainty.of_weights(directions, level)
    return Errors(uncertainty.noise(directions), found.low, found.high)


def _solved(solution: Floats, covariance: AnyFloats, quantile: float, directions: AnyFloats) -> Errors:
    variances = np.einsum("ij,jk,ik->i", directions, covariance, directions)
    middle, half = directions @ solution, quantile * np.sqrt(np.maximum(variances, 0.0))
    return Errors(None, middle - half, middle + half)


def _noisy(law: WeightNoise, weights: Floats, level: float, directions: AnyFloats) -> Errors:
    spreads = law.bounds(np.sqrt(np.square(directions).sum(axis=1)))
    middle, half = directions @ weights, mixture_quantile(spreads, level)
    return Errors(np.sqrt(np.square(spreads).mean(axis=1)), middle - half, middle + half)


def _why_none(certificate: Certificate) -> tuple[str, ...]:
    if isinstance(certificate.guarantee, NoGuarantee):
        return _NO_NOISE
    return _NOT_KEPT if fit_within(certificate)[0] == _OF_MOMENTS else _NO_LAW
