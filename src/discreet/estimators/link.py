"""From decision values to probabilities: the link that a loss brings with it.

A differentiable margin loss l with l' < 0 is a proper composite loss (Reid and Williamson 2010, theorem 5 and corollary 12): the decision f that
minimises p l(f) + (1 - p) l(-f) tells p,

    p(f) = l'(-f) / (l'(-f) + l'(f)),        log odds(f) = ln |l'(-f)| - ln |l'(f)|

    logistic                            log odds = f
    softplus hinge of temperature T     log odds = ln s((1 + f) / T) - ln s((1 - f) / T),   s(x) = 1 / (1 + e^-x)

Losses with a flat part (Huber hinge, smoothed hinge) answer 0 / 0 there: they tell classes apart and have no probabilities.
"""

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax

from discreet.core.arrays import Floats
from discreet.losses import Logistic, MarginLoss, SoftplusHinge


def has_link(loss: MarginLoss) -> bool:
    """Whether decisions with this loss are probabilities in another scale."""
    return isinstance(loss, Logistic | SoftplusHinge)


def log_odds(loss: MarginLoss, decision: Floats) -> Floats:
    """ln(p / (1 - p)) at decision values of any shape. Raises TypeError for a loss without a link."""
    match loss:
        case Logistic():
            return decision
        case SoftplusHinge(temperature=temperature):
            odds: Floats = log_expit((1.0 + decision) / temperature) - log_expit((1.0 - decision) / temperature)
            return odds
        case _:
            raise TypeError(f"the {loss.name} loss has no link")


def probabilities(loss: MarginLoss, decision: Floats, *, multinomial: bool) -> Floats:
    """Rows of probabilities: (n, 2) from decisions (n,), (n, K) from (n, K).

    K classes: the softmax of a multinomial model; for one-vs-rest the K probabilities divided by their sum, equal ones where all are zero.
    """
    if decision.ndim == 1:
        odds = log_odds(loss, decision)
        return np.column_stack((expit(-odds), expit(odds)))
    if multinomial:
        chances: Floats = softmax(decision, axis=1)
        return chances
    return np.exp(log_probabilities(loss, decision, multinomial=False))


def log_probabilities(loss: MarginLoss, decision: Floats, *, multinomial: bool) -> Floats:
    """Logarithms of `probabilities`, accurate where these are tiny."""
    if decision.ndim == 1:
        odds = log_odds(loss, decision)
        return np.column_stack((log_expit(-odds), log_expit(odds)))
    logs: Floats = log_softmax(decision if multinomial else log_expit(log_odds(loss, decision)), axis=1)
    return logs
