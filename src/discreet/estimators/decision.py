"""From rows to decision values, and from these to probabilities: one rule for estimators and for models read from files.

    <w, x> min(1, data_norm / |x|) + intercept          for one function, or for each class its own w and intercept
    <w, (clipped and shortened x, t)>                   for a model over a set, whose constant t is among its features

Rows are shortened as they were when the model was fitted. Sums are taken in a fixed order, so that the decision about a record is a function of this
record and the model, to the last bit, whatever other records stand beside it: a count of correct decisions then changes by one record at most when
one record changes, as the sensitivity of a private score or evaluation says.

Probabilities come through the link that a loss brings with it. A differentiable margin loss l with l' < 0 is a proper composite loss (Reid and
Williamson 2010, theorem 5 and corollary 12): the decision f that minimises p l(f) + (1 - p) l(-f) tells p,

    p(f) = l'(-f) / (l'(-f) + l'(f)),        log odds(f) = ln |l'(-f)| - ln |l'(f)|

    logistic                            log odds = f
    softplus hinge of temperature T     log odds = ln s((1 + f) / T) - ln s((1 - f) / T),   s(x) = 1 / (1 + e^-x)

Losses with a flat part (Huber hinge, smoothed hinge) answer 0 / 0 there: they tell classes apart and have no probabilities.
"""

import numpy as np
import numpy.typing as npt
from scipy.special import expit, log_expit, log_softmax, softmax

from discreet.core.arrays import Floats
from discreet.data import Domain, bounded_rows
from discreet.losses import Logistic, MarginLoss, SoftplusHinge
from discreet.matrices import Matrix, shortening
from discreet.matrices.bounded import brought_near


def linear_decision(rows: Matrix, *, weights: Floats, intercept: float | Floats, data_norm: float) -> Floats:
    """Decisions (n,) for `rows` (n, d) and `weights` (d,); (n, K) for `weights` (d, K) and `intercept` (K,)."""
    rows = brought_near(rows, data_norm)
    factors = shortening(rows.ordered_row_norms(), data_norm)
    if weights.ndim == 1:
        return np.asarray(rows.ordered_matvec(weights) * factors + intercept)
    products = np.column_stack([rows.ordered_matvec(np.ascontiguousarray(column)) for column in weights.T])
    return np.asarray(products * factors[:, np.newaxis] + intercept)


def bounded_decision(rows: Matrix, *, weights: Floats, domain: Domain) -> Floats:
    """Decisions, or predicted numbers, (n,) for `rows` (n, features) that are brought within the domain, and `weights` (domain.dimension,)."""
    return bounded_rows(rows, domain).ordered_matvec(weights)


def chosen_codes(decision: Floats) -> npt.NDArray[np.intp]:
    """Numbers of the chosen classes, (n,), from decisions (n,) or (n, K)."""
    codes: npt.NDArray[np.intp] = (decision > 0).astype(np.intp) if decision.ndim == 1 else decision.argmax(axis=1)
    return codes


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
