"""Losses of predictions that users add: what they state is compared with what they compute, before any record is read.

    register(MyLoss())      from then on ConstrainedERM(loss=MyLoss()) fits, certificates name it with its parameters, and verify reads them again

Values, slopes and both constants are compared at many thousand predictions and targets, within several bounds of both, for these parameters and for
any others when they are first used. That finds constants that are wrong; it is no proof, which is the user's, and certificates say so.
"""

import math

import numpy as np

from discreet.core.errors import InvalidInput, quietly
from discreet.losses.own import check_rise, demand
from discreet.losses.predictions.base import PredictionLoss

_REACHES, _BOUNDS = (0.3, 2.0, 30.0, 1000.0), (0.1, 1.0, 10.0, 1000.0)
_POINTS, _TARGETS = 2001, 17


def check_prediction_loss(loss: PredictionLoss) -> None:
    """Raise InvalidInput for a loss that is not what it states."""
    refusal = InvalidInput(f"the loss {type(loss).name!r} cannot be registered: its functions must take and give arrays of numbers.")
    quietly(lambda: _check(loss), refusal, TypeError, AttributeError)


def _check(loss: PredictionLoss) -> None:
    for bound in (1.0,) if loss.signed_targets else _BOUNDS:
        smooth = float(loss.smoothness(bound))
        demand(smooth > 0, loss.name, "smoothness must be positive, or infinite for a loss with a kink")
        for reach in _REACHES:
            _check_within(loss, reach, bound, smooth)


def _check_within(loss: PredictionLoss, reach: float, bound: float, smooth: float) -> None:
    name, steepest, anywhere = loss.name, float(loss.lipschitz(reach, bound)), float(loss.lipschitz(math.inf, bound))
    targets = np.array([-1.0, 1.0]) if loss.signed_targets else bound * np.linspace(-1.0, 1.0, _TARGETS)
    offsets = np.linspace(-1.0, 1.0, _POINTS)
    axis = np.unique(np.concatenate((reach * offsets, np.clip(2.0 * bound * offsets, -reach, reach), np.clip(2.0 * offsets, -reach, reach))))
    predictions, of = np.meshgrid(axis, targets)
    values, slopes = np.asarray(loss.value(predictions, of), dtype=np.float64), np.asarray(loss.slope(predictions, of), dtype=np.float64)
    for part in (values, slopes):
        demand(part.shape == predictions.shape and np.all(np.isfinite(part)), name, "value and slope must give a finite number for each prediction")
    demand(0 < steepest < math.inf and steepest <= anywhere * (1.0 + 1e-9), name, "lipschitz must be positive and grow with the reach")
    demand(values >= 0.0, name, "a value is negative")
    demand(np.abs(slopes) <= steepest * (1.0 + 1e-9), name, "a slope exceeds the lipschitz constant that it states")
    check_rise(name, predictions, values, slopes, steepest=steepest)
    if math.isfinite(smooth):
        rise = np.diff(slopes, axis=1) <= smooth * np.diff(predictions, axis=1) * (1.0 + 1e-6) + 1e-12 * steepest
        demand(rise, name, "slopes rise faster than the smoothness that it states")
