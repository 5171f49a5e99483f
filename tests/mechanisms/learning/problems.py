"""Small public problems for the tests of this folder."""

from discreet.core.neighbours import Persons
from discreet.data import Domain
from discreet.losses import MarginLoss
from discreet.problems import RegularisedRisk


def problem(
    loss: MarginLoss, *, ridge: float, norm: float = 1.0, features: int = 1, intercept: float = 0.0, records: int | None = 1000, rows: int = 0
) -> RegularisedRisk:
    """A regularised risk over a ball; of persons with at most `rows` rows, where there are any."""
    persons = Persons(rows=rows) if rows else None
    domain = Domain(features=features, norm_bound=norm, intercept_scale=intercept, records=records, classes=2, persons=persons)
    return RegularisedRisk(loss=loss, ridge=ridge, domain=domain)
