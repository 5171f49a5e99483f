"""Declarations of fits of classifiers, and what all fits that end on a grid have."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from discreet.core.fields import whole
from discreet.noise.laws import DiscreteGaussian, DiscreteLaplace, Normal, Spherical
from discreet.problems.made_rows import MadeRows
from discreet.problems.prior import Prior
from discreet.statements.base import KERNEL, PRIOR, SHARED, Fields, Record, Words, noise_hypothesis
from discreet.statements.spec import Finite, NotNegative, Positive, PowerOfTwo, Relation, Spec, absent, declared, problem_with
from discreet.words.learning import (
    COUNTED_OBJECTIVE,
    DENSITY,
    GAUSSIAN_GRID,
    LAPLACE_GRID,
    MULTINOMIAL_GAUSSIAN,
    MULTINOMIAL_PURE,
    NORMAL_LAW,
    OBJECTIVE_GAUSSIAN,
    OBJECTIVE_PURE,
    OF_MULTINOMIAL,
    OF_ONE_VS_REST,
    ONE_VS_REST_GAUSSIAN,
    ONE_VS_REST_PURE,
    OUTPUT_GAUSSIAN,
    OUTPUT_PURE,
    TWO_CLASSES,
    computing_hypotheses,
    counting_hypotheses,
    dimension_of,
    feature_map_of,
    made_hypothesis,
    mapped_hypothesis,
    prior_hypothesis,
    problem_hypotheses,
)

_SOMETIMES: Fields = {"feature_map": feature_map_of, "made_rows": MadeRows.stated, "prior": Prior.stated}


@dataclass(frozen=True, slots=True, kw_only=True)
class FitSpec(Spec[Record]):
    """A minimiser with noise, computed to a tolerance and released on a grid."""

    several = SHARED
    in_objective: ClassVar[bool] = True
    """Whether the noise is in the objective, or added to the weights."""

    tolerance: Positive
    """The largest gradient norm of the minimiser."""
    noise_error: Positive
    """The largest distance of drawn noise from its ideal."""
    grid_step: PowerOfTwo
    grid_scale: Positive
    """Of the last stage's integers, in steps."""
    neighbours: Relation

    @property
    @abstractmethod
    def law(self) -> Normal | Spherical:
        """The law of the noise, before the last stage."""

    @property
    @abstractmethod
    def grid_law(self) -> DiscreteGaussian | DiscreteLaplace:
        """The law of the last stage's noise, in steps."""

    @property
    def added_ridge(self) -> float:
        """What the mechanism adds to lambda."""
        return 0.0

    @property
    def own_ridge(self) -> float | None:
        """lambda, where the mechanism has it; None where it is the problem's."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianFit(FitSpec):
    """A fit with Gaussian noise."""

    scale: Positive
    """The standard deviation of each number of the noise."""
    epsilon: Positive
    """At which delta is stated, but for the last stage."""
    grid_epsilon: Positive
    """The last stage's."""

    @property
    def law(self) -> Normal:
        """See FitSpec."""
        return Normal(self.scale)

    @property
    def grid_law(self) -> DiscreteGaussian:
        """See FitSpec."""
        return DiscreteGaussian(self.grid_scale)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedFit(GaussianFit):
    """A fit with Gaussian noise, perhaps beside a noisy number of records, from which a field of the fit follows."""

    follows: ClassVar[str]
    """The name of that field."""

    count_scale: Positive | None = absent()
    """Of the noise on the number of records, where it is counted."""
    counted: Finite | None = absent()
    """The noisy number, once it is known."""

    def require_counted(self, problem: Record) -> None:
        """Raise ValueError for a number that is not counted, or that nothing follows from, and beside a prior."""
        known = self.counted is not None
        if known is not (getattr(self, self.follows) is not None) or (known and self.count_scale is None):
            raise ValueError(f"parameters: a number of records that is counted has noise, and {self.follows!r} follows from it")
        if self.count_scale is not None and "prior" in problem:
            raise ValueError("parameters: nothing is counted beside a fit with a prior")


class _Fit(FitSpec):
    """A fit of a classifier: what its certificate says."""

    __slots__ = ()

    law_in_words: ClassVar[str]
    sampler: ClassVar[str]

    def statement(self, problem: Record) -> Words:
        """See Spec."""
        parameters = self.parameters()
        same = "the objective is that strongly convex whatever number was counted"
        by = "lambda follows from the noisy number alone, and none makes it less than that of many records"
        hypotheses = (
            *problem_hypotheses(parameters, problem),
            *counting_hypotheses(parameters, same=same, by=by),
            *prior_hypothesis(problem),
            *made_hypothesis(problem),
            noise_hypothesis(self.law_in_words, parameters),
            *computing_hypotheses(parameters, self.sampler, dimension_of(problem)),
        )
        theorem = self.proved().format(**problem)
        if "feature_map" not in problem:
            return Words(theorem, hypotheses, (PRIOR,) if "prior" in problem else ())
        mapped = mapped_hypothesis(whole(problem["features"]), feature_map_of(problem["feature_map"]))
        return Words(theorem, (*hypotheses, mapped), (KERNEL,))

    def proved(self) -> str:
        """The theorem that holds of it."""
        return self.theorem


@dataclass(frozen=True, slots=True, kw_only=True)
class _PureFit(_Fit):
    """A fit with spherical noise, for delta 0."""

    sampler = LAPLACE_GRID

    rate: Positive
    """The density of the noise is proportional to exp(-rate |b|)."""

    @property
    def law(self) -> Spherical:
        """See FitSpec."""
        return Spherical(self.rate)

    @property
    def grid_law(self) -> DiscreteLaplace:
        """See FitSpec."""
        return DiscreteLaplace(self.grid_scale)


class _GaussianFit(GaussianFit, _Fit):
    """A fit of a classifier with Gaussian noise."""

    __slots__ = ()

    sampler = GAUSSIAN_GRID
    law_in_words = NORMAL_LAW


_OF_TWO = staticmethod(problem_with(TWO_CLASSES, _SOMETIMES))
_OF_MANY = staticmethod(problem_with(OF_MULTINOMIAL, _SOMETIMES))
_OF_EACH = staticmethod(problem_with(OF_ONE_VS_REST, _SOMETIMES))


@declared
@dataclass(frozen=True, slots=True, kw_only=True)
class PureObjectiveFit(_PureFit):
    """Objective perturbation of a classifier of two classes, for delta 0."""

    name = "objective-perturbation-pure"
    theorem = OBJECTIVE_PURE
    law_in_words = DENSITY % "b"
    problem_of = _OF_TWO

    extra_ridge: NotNegative
    """What the mechanism adds to lambda."""

    @property
    def added_ridge(self) -> float:
        """See FitSpec."""
        return self.extra_ridge


@declared
@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianObjectiveFit(CountedFit, _GaussianFit):
    """Objective perturbation of a classifier of two classes, perhaps beside a noisy number of records."""

    name = "objective-perturbation-gaussian"
    theorem = OBJECTIVE_GAUSSIAN
    problem_of = _OF_TWO
    follows = "extra_ridge"

    extra_ridge: NotNegative | None = absent()
    """What follows from it: the mechanism adds this to lambda."""

    def statement(self, problem: Record) -> Words:
        """See Spec, and CountedFit."""
        self.require_counted(problem)
        return _GaussianFit.statement(self, problem)

    @property
    def added_ridge(self) -> float:
        """See FitSpec."""
        return self.extra_ridge or 0.0

    def proved(self) -> str:
        """See _Fit."""
        return self.theorem if self.count_scale is None else COUNTED_OBJECTIVE


@declared
class PureOutputFit(_PureFit):
    """Output perturbation of a classifier of two classes, for delta 0."""

    __slots__ = ()

    name = "output-perturbation-pure"
    theorem = OUTPUT_PURE
    law_in_words = DENSITY % "N"
    in_objective = False
    problem_of = _OF_TWO


@declared
class GaussianOutputFit(_GaussianFit):
    """Output perturbation of a classifier of two classes."""

    __slots__ = ()

    name = "output-perturbation-gaussian"
    theorem = OUTPUT_GAUSSIAN
    in_objective = False
    problem_of = _OF_TWO


@declared
class PureMultinomialFit(_PureFit):
    """Objective perturbation of a multinomial model, for delta 0."""

    __slots__ = ()

    name = "multinomial-perturbation-pure"
    theorem = MULTINOMIAL_PURE
    law_in_words = f"{DENSITY % 'B'}, B the classes together"
    problem_of = _OF_MANY


@declared
class GaussianMultinomialFit(_GaussianFit):
    """Objective perturbation of a multinomial model."""

    __slots__ = ()

    name = "multinomial-perturbation-gaussian"
    theorem = MULTINOMIAL_GAUSSIAN
    law_in_words = f"{NORMAL_LAW} of every class"
    problem_of = _OF_MANY


@declared
class PureEachFit(_PureFit):
    """Objective perturbation of each class against the others, for delta 0."""

    __slots__ = ()

    name = "one-vs-rest-pure"
    theorem = ONE_VS_REST_PURE
    law_in_words = f"{DENSITY % 'b'}, independent for every class"
    problem_of = _OF_EACH


@declared
class GaussianEachFit(_GaussianFit):
    """Objective perturbation of each class against the others."""

    __slots__ = ()

    name = "one-vs-rest-gaussian"
    theorem = ONE_VS_REST_GAUSSIAN
    law_in_words = f"{NORMAL_LAW}, independent for every class"
    problem_of = _OF_EACH
