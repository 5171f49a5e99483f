"""Convex losses of a prediction and a target. Adding one is one file here and one line below; the law tests find it by itself."""

from discreet.losses.predictions.absolute import Absolute
from discreet.losses.predictions.base import PredictionLoss
from discreet.losses.predictions.hinge import Hinge
from discreet.losses.predictions.huber import HuberLoss
from discreet.losses.predictions.log_cosh import LogCosh
from discreet.losses.predictions.named import prediction_loss_named
from discreet.losses.predictions.of_margin import OfMargin
from discreet.losses.predictions.squared import Squared

__all__ = ["Absolute", "Hinge", "HuberLoss", "LogCosh", "OfMargin", "PredictionLoss", "Squared", "prediction_loss_named"]
