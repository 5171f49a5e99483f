"""The records that a classifier is given, checked, in memory or in blocks: what is public about them, and how they become a data set."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.data import BlockTable, Classified, Dataset, Domain, streamed_classes
from discreet.statements.declared import CLASSES


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """`data_of(domain)` holds or reads the records; all else is public, the number of records under replace-one only."""

    features: int
    records: int
    classes: npt.NDArray[Any]
    largest: float
    """Bound on the weight of a record."""
    declared: tuple[str, ...]
    data_of: Callable[[Domain], Dataset]


def given_blocks(
    table: BlockTable, *, classes: Any, class_weights: Callable[[npt.NDArray[Any]], Floats | None], max_weight: float | None, jobs: int
) -> Given:
    """A table that is read in blocks, after one pass that counts and checks. Raises InvalidInput unless `classes` are declared."""
    if classes is None:
        raise InvalidInput("a table that is read in blocks needs its classes declared: classes=[negative, positive], or a longer list.")
    labels = distinct_classes(np.asarray(classes))
    by_class = class_weights(labels)
    # The rows are brought within a first domain, whose bounds do not matter: the pass counts and checks.
    first = Domain(features=table.features, norm_bound=1.0, classes=len(labels))
    bound = Classified(domain=first, classes=labels, max_weight=max_weight, class_weights=by_class)
    records, data_of = streamed_classes(table, bound, jobs=jobs)
    largest = (1.0 if by_class is None else float(by_class.max())) * (1.0 if max_weight is None else max_weight)
    return Given(
        features=table.features,
        records=records,
        classes=labels,
        largest=largest,
        declared=(CLASSES,),
        data_of=data_of,
    )


def distinct_classes(classes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """`classes`, if there are two or more and all differ. Raises InvalidInput otherwise."""
    if classes.ndim != 1 or classes.shape[0] < 2 or len(set(classes.tolist())) < len(classes):
        raise InvalidInput(
            f"two or more different classes are needed, {classes.size} class(es) given. "
            "Declare all of them with classes=[negative, positive], or a longer list."
        )
    return classes
