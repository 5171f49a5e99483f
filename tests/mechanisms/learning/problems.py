"""Small public problems for the tests of this folder."""

from discreet.data import Domain
from discreet.losses import MarginLoss
from discreet.problems import RegularisedRisk


def problem(
    loss: MarginLoss, *, ridge: float, norm: float = 1.0, features: int = 1, intercept: float = 0.0, records: int | None = 1000
) -> RegularisedRisk:
    """A regularised risk over a ball."""
    domain = Domain(features=features, norm_bound=norm, intercept_scale=intercept, records=records, classes=2)
    return RegularisedRisk(loss=loss, ridge=ridge, domain=domain)
