"""Public problems: where the constants of a loss meet the bounds of the data."""

from discreet.problems.objective import MarginObjective
from discreet.problems.regularised_risk import RegularisedRisk

__all__ = ["MarginObjective", "RegularisedRisk"]
