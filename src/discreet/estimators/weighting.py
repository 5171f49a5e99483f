"""What a record weighs: its own weight, within a public bound, times the public weight of its class.

c_i = min(weight_i, max_sample_weight) * class_weight[y_i]  <=  c_max,     the largest product: every constant of the problem follows it
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import positive
from discreet.estimators.inputs import record_weights


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighting:
    """The public numbers."""

    by_class: Any
    """A dict from classes to weights, or None; what a caller gave, and checked where it is used."""
    most: float | None
    """What larger weights of records are cut to."""

    def of_records(self, sample_weight: Any, codes: npt.NDArray[np.intp], classes: npt.NDArray[Any]) -> tuple[Floats | None, float]:
        """Weights (n,) or None, and the public bound on the weight of a record."""
        weights = record_weights(sample_weight, codes.shape[0], self.most)
        largest = 1.0 if weights is None or self.most is None else self.most
        by_class = self.of_classes(classes)
        if by_class is None:
            return weights, largest
        by_record, heaviest = by_class[codes], float(by_class.max())
        return (by_record, heaviest) if weights is None else (by_record * weights, heaviest * largest)

    def of_numbers(self, sample_weight: Any, records: int) -> Floats | None:
        """Weights (n,) of records of a regression over the largest one, or None: the losses of a record are at most those of one without weights."""
        weights = record_weights(sample_weight, records, self.most)
        return None if weights is None or self.most is None else weights / self.most

    def largest(self, count: int, classes: npt.NDArray[Any] | None, *, weighted: bool) -> float:
        """Of any record of `count` classes, from public numbers: a class that is not named has the weight 1."""
        by_class = None if classes is None else self.of_classes(classes)
        if by_class is None:
            named = self.by_class or {}
            if not isinstance(named, dict):
                raise InvalidInput(_no_table(named, []))
            weights = [positive(weight, "class_weight") for weight in named.values()]
            heaviest = max(weights if len(weights) == count else [1.0, *weights])
        else:
            heaviest = float(by_class.max())
        return heaviest * self.most if weighted and self.most is not None else heaviest

    def of_classes(self, classes: npt.NDArray[Any]) -> Floats | None:
        """(K,), or None where all weigh 1. Raises InvalidInput for what is no table of public weights, and for classes that there are not."""
        if self.by_class is None:
            return None
        known = classes.tolist()
        if not isinstance(self.by_class, dict) or not set(self.by_class) <= set(known):
            raise InvalidInput(_no_table(self.by_class, known))
        return np.asarray([positive(self.by_class.get(label, 1.0), "class_weight") for label in known])


def _no_table(given: Any, classes: list[Any]) -> str:
    """Why what was given is no table of public weights."""
    of = f" the classes {classes}" if classes else " classes"
    if isinstance(given, str):
        return (
            f"class_weight must be a dict from{of} to public weights; {given!r} was given, which counts the classes in y, and the counts would leak. "
            "Say weights from a public base rate: {'yes': 3.0} where 'yes' is known to be a quarter of the population."
        )
    return f"class_weight must be a dict from{of} to public weights; weights learnt from the data would leak the class counts."
