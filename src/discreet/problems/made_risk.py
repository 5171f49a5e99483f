"""The risk of a model whose M yes-or-no rows are made of one record, seen as M predictions of that record.

    G(w) = sum over records of (1 / M) sum_t l(b_t <w, row_t>) + (lambda / 2) |w - w0|^2,     row_t = (x, a, c e_t),   |x| <= R = |a|

<w, row_t> is <v_t, z> at z = (x, R), v_t = (w_x, (a w_v + c w_t) / R): T_t z = row_t, and v_t = T_t' w. So a sum over rows of anything times
row_t row_s' is T_t (a sum over records of it times z z') T_s'.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import AnyFloats, Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Persons
from discreet.core.short import short_repr
from discreet.data.domain import Domain
from discreet.problems.made_rows import MadeRows
from discreet.problems.regularised_risk import RegularisedRisk


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeRisk:
    """See module docstring: a view of a public problem. Raises InvalidInput for rows that are none of the problem."""

    of_rows: RegularisedRisk
    """The problem as it is fitted, whose persons have M rows."""
    made: MadeRows

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """See class docstring."""
        if self.of_rows.domain.features <= self.made.rows + 1 or self.of_rows.domain.norm_bound < self.made.norm:
            raise InvalidInput("the rows of a record are not those of the problem.")

    @property
    def domain(self) -> Domain:
        """Of z: the record's own features, and a constant as large as their bound."""
        rows, bound = self.of_rows.domain, self.made.bound
        features = rows.features - 1 - self.made.rows
        return Domain(features=features, norm_bound=bound, intercept_scale=bound, records=rows.records, classes=2, persons=rows.persons)

    @property
    def persons(self) -> Persons | None:
        """See Domain."""
        return self.of_rows.persons

    @property
    def dimension(self) -> int:
        """Number of weights, d + 1 + M."""
        return self.of_rows.dimension

    def placed(self, row: int) -> AnyFloats:
        """T_t, (d + 1 + M, d + 1)."""
        size, made = self.domain.dimension, self.made
        found = np.eye(self.dimension, size)
        found[size - 1, size - 1] = made.constant / made.bound
        found[size + row, size - 1] = made.signed_step / made.bound
        return found

    def of_each(self, weights: Floats) -> Floats:
        """v_t, (M, d + 1)."""
        own = weights[: self.domain.features]
        return np.column_stack((np.tile(own, (self.made.rows, 1)), self.made.levels(weights) / self.made.bound))

    @property
    def unseen(self) -> Floats:
        """The direction (d + 1 + M,) of length 1 that no row tells: a larger constant for all rows, and a smaller one for each."""
        made = self.made
        found = np.zeros(self.dimension)
        found[-1 - made.rows] = 1.0 / made.constant
        found[-made.rows :] = -1.0 / made.signed_step
        return np.asarray(found / np.linalg.norm(found))

    def to_dict(self) -> dict[str, Json]:
        """What a certificate states of it: plain numbers and words."""
        found: dict[str, Any] = {**self.of_rows.to_dict(), "made_rows": self.made.to_dict()}
        return found
