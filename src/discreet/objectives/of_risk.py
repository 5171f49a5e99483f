"""What a solver minimises of a regularised risk, which holds no data: here the records enter. Plain optimisation that has never heard of privacy."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, TypeVar, overload

import numpy as np

from discreet.core.lazily import lazily
from discreet.data import Records
from discreet.objectives.objective import MarginObjective
from discreet.objectives.summed_objective import EAGER_DIMENSION, Part, SummedObjective, summed
from discreet.problems.regularised_risk import MultinomialRisk, OneVsRestRisk, RegularisedRisk, Risk

if TYPE_CHECKING:
    from discreet.objectives import softmax_objective
    from discreet.objectives.softmax_objective import SoftmaxObjective
else:
    softmax_objective = lazily("discreet.objectives.softmax_objective")

P = TypeVar("P", bound=Part)


@overload
def objective_of(risk: RegularisedRisk, data: Records) -> MarginObjective | SummedObjective: ...
@overload
def objective_of(risk: MultinomialRisk, data: Records) -> "SoftmaxObjective | SummedObjective": ...
def objective_of(risk: RegularisedRisk | MultinomialRisk, data: Records) -> "MarginObjective | SoftmaxObjective | SummedObjective":
    """G on these records, without its prior. Raises as `risk.require` does."""
    risk.require(data)
    if isinstance(risk, RegularisedRisk):
        return _objective(risk, data, partial(_of_two, risk))
    # With Hessians of blocks where two classes bring theirs along with every gradient.
    return _objective(risk, data, partial(_of_many, risk), hessians=risk.dimension <= EAGER_DIMENSION)


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


def _of_many(risk: MultinomialRisk, data: Records, ridge: float) -> "SoftmaxObjective":
    return softmax_objective.SoftmaxObjective(matrix=data.matrix, codes=data.codes, classes=risk.classes, weights=data.weights, ridge=ridge)


def _of_one(risk: OneVsRestRisk, code: int, data: Records, ridge: float) -> MarginObjective:
    signs = np.where(data.codes == code, 1.0, -1.0)
    return MarginObjective(matrix=data.matrix, signs=signs, weights=data.weights, loss=risk.loss, ridge=ridge)
