"""What a solver minimises of a public problem: plain optimisation that has never heard of privacy. The problem holds no data; here the records enter.

of two classes, of one against the others, of many    G of the module `problems.regularised_risk`, without its prior
over a constraint set                                 F of the modules `problems.constrained_risk` and `softmax_risk`
"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar, overload

import numpy as np

from discreet.data import Records
from discreet.objectives.objective import MarginObjective
from discreet.objectives.prediction_sum import Clipped, OfRecords, PredictionSum
from discreet.objectives.softmax_objective import SoftmaxObjective
from discreet.objectives.softmax_slopes import SoftmaxSlopes
from discreet.objectives.summed_objective import EAGER_DIMENSION, Part, SummedObjective, summed
from discreet.problems.constrained_risk import ConstrainedRisk
from discreet.problems.regularised_risk import MultinomialRisk, OneVsRestRisk, RegularisedRisk, Risk
from discreet.problems.set_risk import SetRisk
from discreet.problems.softmax_risk import SoftmaxRisk

P = TypeVar("P", bound=Part)


@overload
def objective_of(risk: RegularisedRisk, data: Records) -> MarginObjective | SummedObjective: ...
@overload
def objective_of(risk: MultinomialRisk, data: Records) -> SoftmaxObjective | SummedObjective: ...
@overload
def objective_of(risk: SetRisk, data: Records) -> PredictionSum: ...
def objective_of(risk: RegularisedRisk | MultinomialRisk | SetRisk, data: Records) -> object:
    """The risk on these records. Raises as `risk.require` does, and TypeError for a kind of risk that is none of these."""
    risk.require(data)
    each: OfRecords
    match risk:
        case RegularisedRisk():
            return _objective(risk, data, partial(_of_two, risk))
        case MultinomialRisk():  # with Hessians of blocks where two classes bring theirs along with every gradient
            return _objective(risk, data, partial(_of_many, risk), hessians=risk.dimension <= EAGER_DIMENSION)
        case ConstrainedRisk():
            each = Clipped(loss=risk.loss, slope_bound=risk.slope_bound, kink=math.isinf(risk.smoothness))
        case SoftmaxRisk():
            wrong, length = risk.loss.largest(risk.margin_spread)
            each = SoftmaxSlopes(loss=risk.loss, wrong=wrong, length=length)
        case _:
            raise TypeError(f"no objective of a {type(risk).__name__} is known")
    return PredictionSum(data=data, each=each, dimension=risk.dimension)


def objectives_of(risk: OneVsRestRisk, data: Records) -> Iterator[MarginObjective | SummedObjective]:
    """G_0, ..., G_{K-1} on these records, one class against the others each. Raises as `risk.require` does."""
    risk.require(data)
    for code in range(risk.classes):
        yield _objective(risk.each, data, partial(_of_one, risk, code))


def _objective(risk: Risk, data: Records, part: Callable[[Records, float], P], *, hessians: bool = True) -> P | SummedObjective:
    """G on these records, `part(records, ridge)` being that of some that are held: whole where they are one part, else their sum."""
    return part(data, risk.ridge) if data.one_part else summed(data, part, dimension=risk.dimension, ridge=risk.ridge, hessians=hessians)


def _of_two(risk: RegularisedRisk, data: Records, ridge: float) -> MarginObjective:
    return MarginObjective(matrix=data.matrix, signs=data.signs, weights=data.weights, loss=risk.loss, ridge=ridge)


def _of_many(risk: MultinomialRisk, data: Records, ridge: float) -> SoftmaxObjective:
    return SoftmaxObjective(matrix=data.matrix, codes=data.codes, classes=risk.classes, weights=data.weights, ridge=ridge)


def _of_one(risk: OneVsRestRisk, code: int, data: Records, ridge: float) -> MarginObjective:
    signs = np.where(data.codes == code, 1.0, -1.0)
    return MarginObjective(matrix=data.matrix, signs=signs, weights=data.weights, loss=risk.loss, ridge=ridge)
