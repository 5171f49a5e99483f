"""Public problems: where the constants of a loss meet the bounds of the data."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.problems.constrained_risk import ConstrainedRisk
    from discreet.problems.made_risk import MadeRisk
    from discreet.problems.made_rows import MadeRows
    from discreet.problems.prediction_risk import PredictionRisk
    from discreet.problems.prior import Prior
    from discreet.problems.regularised_risk import AnyRisk, MultinomialRisk, OneVsRestRisk, RegularisedRisk
    from discreet.problems.set_risk import SetRisk
    from discreet.problems.several_targets import SeveralTargets
    from discreet.problems.softmax_risk import SoftmaxRisk
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = [
    "AnyRisk",
    "ConstrainedRisk",
    "MadeRisk",
    "MadeRows",
    "MultinomialRisk",
    "OneVsRestRisk",
    "PredictionRisk",
    "Prior",
    "RegularisedRisk",
    "SetRisk",
    "SeveralTargets",
    "SoftmaxRisk",
]
