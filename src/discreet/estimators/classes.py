"""More than two classes: which problem is solved, and how released weights are laid out.

    multinomial   minimise (1/n) sum_i c_i (ln sum_k e^{f_k(x_i)} - f_{y_i}(x_i)) + (alpha / 2) sum_k |w_k|^2 + noise,   f_k the decision of class k
    one-vs-rest   K problems of two classes, one for each class against the others, with noise of their own

The released vector holds the classes one after the other, each with its intercept's coordinate last.
"""

from dataclasses import replace
from typing import TypeAlias

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.losses.regularisers import L2
from discreet.problems import MultinomialRisk, OneVsRestRisk, RegularisedRisk

SCHEMES = ("multinomial", "one-vs-rest")

ClassRisk: TypeAlias = MultinomialRisk | OneVsRestRisk


def scheme_named(multi_class: object, *, standard: str, allowed: tuple[str, ...]) -> str:
    """The scheme that a caller chose, or the standard one. Raises InvalidInput."""
    if multi_class is None:
        return standard
    if multi_class not in allowed:
        raise InvalidInput(f"multi_class must be None or one of {list(allowed)}; {multi_class!r} was given.")
    return str(multi_class)


def class_problem(scheme: str, two_classes: RegularisedRisk) -> ClassRisk:
    """The problem of all classes with the loss, regularisation, domain and weights of the one of two classes."""
    if scheme == "multinomial":
        return MultinomialRisk(regulariser=two_classes.regulariser, domain=two_classes.domain, max_weight=two_classes.max_weight)
    return OneVsRestRisk(each=two_classes)


def with_ridge(problem: ClassRisk, ridge: float) -> ClassRisk:
    """The same problem with another lambda."""
    strength = L2(strength=ridge)
    if isinstance(problem, MultinomialRisk):
        return replace(problem, regulariser=strength)
    return replace(problem, each=replace(problem.each, regulariser=strength))


def split_weights(weights: Floats, *, features: int, intercept_scale: float, classes: int) -> tuple[Floats, Floats]:
    """(coef, intercept) of released columns (dimension, count).

    Two classes: (count, d) and (count,); K classes: (count, K, d) and (count, K).
    """
    models = 1 if classes == 2 else classes
    table = np.ascontiguousarray(weights.T).reshape(weights.shape[1], models, -1)
    coef, last = table[:, :, :features], table[:, :, features:]
    intercept = last[:, :, 0] * intercept_scale if intercept_scale > 0 else np.zeros(coef.shape[:2])
    coef = np.ascontiguousarray(coef)
    return (coef[:, 0], intercept[:, 0]) if models == 1 else (coef, intercept)
