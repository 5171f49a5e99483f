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

A prior w0, which the ridge pulls towards in place of zero, is public: the curvature of the losses is what it is without one, and so is the question
that is asked of the records (the certificate of a fit names w0 by its digest, that of the curvature does not know of it). theta is then the minimiser
with the ridge around w0; of the formulas only the pull changes, lambda (theta - w0) in the variance of g and lambda (w - w0) in the Newton step.

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
from discreet.accounting.base import guarantee_words
from discreet.certificates import Certificate, Verification
from discreet.core.arrays import AnyFloats, Floats
from discreet.core.errors import InvalidInput, quoted
from discreet.core.fields import real
from discreet.core.files.picture import Svg, pictured
from discreet.core.frameless import frameless
from discreet.core.intervals import Intervals
from discreet.core.short import short_repr
from discreet.core.told import Tabled, Told
from discreet.core.validate import interval_level
from discreet.data import EncodedTable, bounded_rows
from discreet.data.coding import Coding
from discreet.estimators.inputs import feature_rows
from discreet.estimators.intervals.function_errors import FunctionErrors
from discreet.estimators.intervals.released_noise import WeightNoise, fit_within, mixture_quantile, noise_law, unit_of, was_shrunk
from discreet.estimators.prediction_rules import probabilities
from discreet.matrices import Matrix
from discreet.mechanisms.curvature import Curvature
from discreet.mechanisms.curvature.factors import CurvedRisk
from discreet.mechanisms.learning.two_signed import prediction_loss
from discreet.mechanisms.selection.curves import problem_from
from discreet.problems import MadeRisk, MadeRows, PredictionRisk, RegularisedRisk, SeveralTargets
from discreet.problems.regularised_risk import MultinomialRisk, OneVsRestRisk, Risk
from discreet.statements.base import CURVATURE_WITH_FIT, NORM_THEN_FIT
from discreet.words.constrained import real_domain
from discreet.words.learning import target_units
from discreet.words.regression import prediction_problem

PENALISED, UNPENALISED = "penalised", "unpenalised"
_TARGETS = {PENALISED: "penalised as in the fit, at this lambda and number of records", UNPENALISED: "without a penalty"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Uncertainty(Tabled):
    """What is known about the errors of a fitted model; public, because it was released."""

    problem: CurvedRisk
    weights: Floats
    """w, (d,) or (d + 1,); of K > 2 classes, or K targets in their units, K times as long."""
    matrices: Curvature
    """H and J, as released."""
    model_certificate: Certificate
    certificate: Certificate
    """Of H and J: what the intervals cost, besides the model unless `paid_with_the_model`."""
    value: Floats
    """The released integers."""
    coding: Coding
    """Which features are dummies of one column; of a table that no schema encoded, none is known to be."""
    prior: Floats | None = None
    """w0, of the shape of w: the public point that the ridge pulls towards; None for zero."""

    __repr__ = short_repr

    @property
    def references(self) -> tuple[int, ...]:
        """Positions of coefficients that are 0 with target "unpenalised": the reference category of each column, to which the others are relative."""
        return self.coding.references(intercept=self.problem.domain.intercept_scale > 0)

    @property
    def paid_with_the_model(self) -> bool:
        """Whether the model's certificate includes the cost of this release: so after fit_with_intervals, not after release_uncertainty."""
        part = self.model_certificate.parameters.get("curvature") if self.model_certificate.mechanism == CURVATURE_WITH_FIT else None
        own = {"parameters": dict(self.certificate.parameters), "problem": dict(self.certificate.problem)}
        return isinstance(part, dict) and own == {key: part.get(key) for key in own}

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of model and intervals together."""
        if self.paid_with_the_model:
            return self.model_certificate.guarantee
        return compose([self.model_certificate.guarantee, self.certificate.guarantee])

    def verify(self) -> Verification:
        """Check the certificate of H and J, and that it was issued for these matrices."""
        return self.certificate.verify(self.value)

    @property
    def functions(self) -> int:
        """K of more than two classes, or of several targets, else 1."""
        return 1 if isinstance(self.problem, MadeRisk) else len(self.weights) // self.problem.domain.dimension

    def coef_interval(self, level: float = 0.95, *, target: str = PENALISED) -> Intervals:
        """Intervals for the coefficients, (d,), with K > 2 classes or K targets (K, d), in the units of the features, and of targets.

        `target`: "penalised", what the fit estimates, centred on coef_; "unpenalised", the minimiser without a penalty, centred on a Newton step
        from coef_. Raises InvalidInput for any other target, or a level outside (0, 1).
        """
        return self.along(np.eye(self.problem.domain.features), level, target=target)

    def intercept(self, level: float = 0.95, *, target: str = PENALISED) -> Intervals:
        """The interval for the intercept, (1,), with K functions (K, 1): of decisions, before any link. Raises InvalidInput without one.

        Of a model of times, or of ordered classes, (M,): the log odds of each period, or threshold, where every feature is 0.
        """
        domain = self.problem.domain
        if isinstance(self.problem, MadeRisk):
            return self._intervals(self.problem.made.level_directions(np.zeros(len(self.weights))), level, target)
        if domain.intercept_scale == 0:
            raise InvalidInput("the model has no intercept.")
        return self._of_each(domain.intercept_scale * np.eye(domain.dimension)[-1:], level, target)

    def along(self, directions: AnyFloats, level: float = 0.95, *, target: str = PENALISED) -> Intervals:
        """Intervals for linear combinations of the coefficients, given by the rows (k, d) of `directions`, such as differences; (k,) or (K, k)."""
        features, size = self.problem.domain.features, len(self.weights) // self.functions
        if directions.ndim != 2 or directions.shape[1] != features:
            raise InvalidInput(f"directions must have shape (k, {features}), a row for each combination of the coefficients.")
        return self._of_each(np.hstack((directions, np.zeros((len(directions), size - features)))), level, target)

    def of_weights(self, directions: AnyFloats, level: float = 0.95, *, target: str = PENALISED) -> Intervals:
        """Intervals for linear combinations of all weights, (k,), the rows (k, m) of `directions`; a function's last weight is the constant's."""
        if directions.ndim != 2 or directions.shape[1] != len(self.weights):
            raise InvalidInput(f"directions must have shape (k, {len(self.weights)}), a row for each combination of the weights.")
        return self._intervals(directions, level, target)

    def noise(self, directions: AnyFloats) -> Floats:
        """Standard deviations, from the noise alone, of linear combinations of the weights, (k,), according to the released curvature."""
        law, total = noise_law(self.model_certificate), np.zeros(len(directions))
        for place, one in self._parts(law):
            _, parts, _ = one.penalised(directions[:, place], 1.0)
            moved = np.min([part.moved if law.in_objective else part.carried for part in parts], axis=0)
            total += float(np.mean(law.variances)) * moved + law.last_stage * np.square(directions[:, place]).sum(axis=1)
        return np.sqrt(total)

    @frameless
    def decisions(self, X: Any, level: float = 0.95, *, target: str = PENALISED) -> Intervals:
        """Intervals for the decision value of every row, (n,) or (n, K), with rows clipped as in the fit; they are about theta, not about a label.

        For a kernel model, X is the output of its `random_features`. Of a model of times (n, T): the log odds of
        the hazard in each period; of one of ordered classes (n, K - 1): of lying above each threshold.
        """
        if isinstance(self.problem, MadeRisk):
            return self._of_made(self.problem, X, level, target)
        parts = [self._of_each(block, level, target) for block in self._directions(_rows(X, self.problem.domain.features))]
        joined = [np.concatenate([getattr(part, end).T for part in parts]) for end in ("low", "estimate", "high")]
        return Intervals(low=joined[0], estimate=joined[1], high=joined[2], level=level)

    @frameless
    def probabilities(self, X: Any, level: float = 0.95, *, target: str = PENALISED) -> Intervals:
        """Intervals for the probability of the second class, (n,): the intervals of the decisions, mapped through the link of the loss.

        Of a model of times (n, T): hazards; of one of ordered classes (n, K - 1): chances to lie above each threshold.
        Raises InvalidInput for a loss without probabilities, and for more than two classes.
        """
        problem = self.problem.of_rows if isinstance(self.problem, MadeRisk) else self.problem
        if not isinstance(problem, RegularisedRisk):
            raise InvalidInput("intervals of probabilities need a model of two classes; ask for decisions.")
        loss = problem.loss
        if not loss.linked:
            raise InvalidInput(f"the {loss.name} loss has no probabilities; ask for decisions.")
        found = self.decisions(X, level, target=target)
        ends = (found.low, found.estimate, found.high)
        low, middle, high = (probabilities(loss, end.ravel(), multinomial=False)[:, 1].reshape(end.shape) for end in ends)
        return Intervals(low=low, estimate=middle, high=high, level=level)

    def plot(self, level: float = 0.95, *, target: str = PENALISED) -> Svg:
        """A picture (SVG) of the intervals of the coefficients; the first 40 with finite ends. Raises as `coef_interval` does."""
        return pictured("told.plot", self.coef_interval(level, target=target).told())

    def told(self) -> Told:
        """The text shown by `print` and in notebooks."""
        facts = [("Model and intervals cost", guarantee_words(self.guarantee.to_dict())), ("Of", f"the weights {_TARGETS[PENALISED]}")]
        return self.coef_interval().told("Intervals of the coefficients", facts)

    def to_dict(self, level: float = 0.95, *, target: str = PENALISED) -> dict[str, Json]:
        """For JSON: intervals for the coefficients, class by class (null for an infinite end), their cost, and what they are intervals for."""
        found = self.coef_interval(level, target=target)
        rows = np.stack((found.low, found.estimate, found.high), axis=-1).reshape(-1, 3).tolist()
        return {
            "level": level,
            "target": f"the weights that minimise the expected risk, {_TARGETS[target]}",
            "coefficients": [[end if math.isfinite(end) else None for end in row] for row in rows],
            "guarantee": self.certificate.guarantee.to_dict(),
            "guarantee_with_the_model": self.guarantee.to_dict(),
            "certificate": self.certificate.to_dict(),
        }

    def _directions(self, rows: Matrix) -> Iterator[AnyFloats]:
        return (entries for _, entries in bounded_rows(rows, self.problem.domain).chunks())

    def _of_made(self, problem: MadeRisk, X: Any, level: float, target: str) -> Intervals:
        """For every row that is made of each record, (n, M)."""
        found = []
        for block in self._directions(_rows(X, problem.domain.features)):
            own = np.hstack((block[:, : problem.domain.features], np.zeros((len(block), 1 + problem.made.rows))))
            found.append(self._intervals(np.vstack([problem.made.level_directions(one) for one in own]), level, target))
        joined = (np.concatenate([getattr(part, end) for part in found]).reshape(-1, problem.made.rows) for end in ("low", "estimate", "high"))
        return Intervals(**dict(zip(("low", "estimate", "high"), joined, strict=True)), level=level)

    def _of_each(self, directions: AnyFloats, level: float, target: str) -> Intervals:
        """For the rows (k, m) of `directions` in the weights of every function, (k,) or (K, k)."""
        functions, (count, size) = self.functions, directions.shape
        if functions == 1:
            return self._intervals(directions, level, target)
        spread = np.einsum("fg,kj->fkgj", np.eye(functions), directions).reshape(functions * count, functions * size)
        found = self._intervals(spread, level, target)
        units = np.array(self.problem.units)[:, np.newaxis] if isinstance(self.problem, SeveralTargets) else 1.0
        ends = (units * end.reshape(functions, count) for end in (found.low, found.estimate, found.high))
        return Intervals(**dict(zip(("low", "estimate", "high"), ends, strict=True)), level=level)

    def _parts(self, law: WeightNoise) -> Iterator[tuple[slice, FunctionErrors]]:
        """Functions whose errors are known apart, with the places of their weights: of one class against the rest, and of each target; else all."""
        problem, held = self.problem, self.matrices
        prior = np.zeros_like(self.weights) if self.prior is None else self.prior
        ridge = problem.ridge + law.extra_ridge if isinstance(problem, Risk) else law.ridge
        each, free, null = problem.domain.dimension, 1.0, None
        size = each if isinstance(problem, OneVsRestRisk | SeveralTargets) else len(self.weights)
        if isinstance(problem, MadeRisk):
            null = problem.unseen[:, np.newaxis]
        if isinstance(problem, MultinomialRisk):
            # A vector that all classes share changes no probability.
            null = np.tile(np.eye(each), (problem.classes, 1)) / math.sqrt(problem.classes)
            free = problem.classes * (each + 1) / (2.0 * ((problem.classes - 1) * each + 1))
        for start in range(0, len(self.weights), size):
            place = slice(start, start + size)
            own = held._replace(curvature=held.curvature[place, place], variation=held.variation[place, place])
            yield (
                place,
                FunctionErrors(
                    weights=self.weights[place],
                    prior=prior[place],
                    matrices=own,
                    ridge=ridge,
                    domain=problem.domain,
                    coding=self.coding,
                    free=free,
                    null=null,
                ),
            )

    def _intervals(self, directions: AnyFloats, level: float, target: str) -> Intervals:
        """For a'theta, one row a. Where a spans functions whose errors are known apart, their half widths add: nothing is said of how they go."""
        interval_level(level)
        check_target(self.problem, target)
        law = noise_law(self.model_certificate)
        middle, half = np.zeros(len(directions)), np.zeros(len(directions))
        for place, one in self._parts(law):
            found, width = _half(one, directions[:, place], law, level, target)
            middle, half = middle + found, half + width
        return Intervals(low=middle - half, estimate=middle, high=middle + half, level=level)


def check_target(problem: CurvedRisk, target: str) -> None:
    """Raise InvalidInput for a target that there is none of for this problem."""
    if target not in _TARGETS:
        raise InvalidInput(f"target must be one of {quoted(_TARGETS)}; {target!r} was given.")
    if target == UNPENALISED and isinstance(problem, MadeRisk):
        raise InvalidInput("without a penalty the constants of a record's rows are not determined; ask for penalised intervals.")
    if target == UNPENALISED and isinstance(problem, MultinomialRisk):
        raise InvalidInput("without a penalty only differences between the classes' weights are determined; ask for penalised intervals.")


def _half(one: FunctionErrors, directions: AnyFloats, law: WeightNoise, level: float, target: str) -> tuple[Floats, Floats]:
    """Estimates and half widths."""
    if target == UNPENALISED:
        directions = np.where(np.isin(np.arange(len(one.weights)), one.references), 0.0, directions)
    find = one.penalised if target == PENALISED else one.unpenalised
    estimate, parts, bias = find(directions, float(ndtri(0.5 + 0.5 * level)))
    half = np.where(np.any(directions, axis=1), np.inf, 0.0)
    for part in parts:
        moved = part.moved if law.in_objective else part.carried
        spreads = np.sqrt((part.sampled + law.last_stage * part.carried)[:, np.newaxis] + moved[:, np.newaxis] * law.variances)
        half = np.minimum(half, mixture_quantile(spreads, level) + bias)
    return estimate, half


def problem_of(certificate: Certificate) -> CurvedRisk:
    """The public problem that a model's certificate states, without its prior, if it has a curvature, and the law of its noise is known here.

    Raises InvalidInput, in one sentence, for other models.
    """
    mechanism, parameters, stated = fit_within(certificate)
    if "target_bound" in stated and "max_weight" in stated:
        raise InvalidInput("intervals of a regression need records of equal weight; fit it without sample_weight.")
    if was_shrunk(certificate):
        raise InvalidInput("intervals need the weights that a fit released; those of this model were shrunk afterwards (fit_with_calibration).")
    if certificate.mechanism == NORM_THEN_FIT:
        raise InvalidInput('intervals need a declared data_norm; this fit chose its norm privately (data_norm="private").')
    if "constraint" in stated:
        raise InvalidInput(
            "weights at the edge of a constraint set are not normally distributed, so there are no intervals over a set. For intervals, "
            "fit a model without one."
        )
    try:
        problem = _stated_problem(mechanism, parameters, {name: value for name, value in stated.items() if name != "prior"})
    except (KeyError, TypeError, ValueError):
        problem = None
    if problem is None:
        raise InvalidInput(
            f"the distribution of the noise in single weights is not known for {mechanism!r}. Intervals need objective perturbation, the "
            'default for models without a set. For a linear regression by "refined" or "moments", call coef_interval in '
            "Python."
        )
    noise_law(certificate)
    return problem


def _stated_problem(mechanism: str, parameters: Mapping[str, Any], stated: Mapping[str, Any]) -> CurvedRisk | None:
    """None for a mechanism without a curvature, or where the record says something else too."""
    made: CurvedRisk
    match mechanism:
        case _ if "made_rows" in stated:
            rows = problem_from({name: value for name, value in stated.items() if name != "made_rows"})
            if not isinstance(rows, RegularisedRisk):
                return None
            made = MadeRisk(of_rows=rows, made=MadeRows.stated(stated["made_rows"]))
        case "prediction-objective":
            made = prediction_problem(stated)
        case "targets-objective":
            made = SeveralTargets(each=prediction_problem(stated), units=target_units(stated))
        case "least-squares-objective":
            loss = prediction_loss(str(parameters["loss"]), unit_of(parameters) * real(parameters["width"]))
            made = PredictionRisk(loss=loss, domain=real_domain(stated))
            stated = {**stated, "loss": loss.name, "loss_parameters": made.to_dict()["loss_parameters"]}
            stated.pop("most_records")
        case _:
            made = problem_from(stated)
    # A feature map is not part of the question: rows are its features.
    return made if made.to_dict() == {key: value for key, value in stated.items() if key != "feature_map"} else None


def _rows(X: Any, features: int) -> Matrix:
    rows = X.rows if isinstance(X, EncodedTable) else feature_rows(X)
    if rows.shape[1] != features:
        raise InvalidInput(f"the model was fitted on {features} features; rows with {rows.shape[1]} were given.")
    return rows
