"""Tables that are made, the same for every contestant; NumPy only, since other environments make them too."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def long_table(count: int, columns: int) -> tuple[Floats, Floats, Floats]:
    """Correlated numbers (count, columns) of norm about 1, classes 0 and 1 from a logistic model, and targets within -1 and 1 from a linear one."""
    rng = np.random.default_rng(0)
    rows = np.empty((count, columns))
    classes, targets = np.empty(count), np.empty(count)
    weights = np.cos(np.arange(columns))
    for start in range(0, count, 8192):
        part = slice(start, min(start + 8192, count))
        block = rows[part]
        rng.standard_normal(out=block)
        block[:, 1:] += 0.5 * block[:, :1]
        block /= 1.25 * np.sqrt(columns)
        scores = block @ weights
        classes[part] = rng.random(len(block)) < 1.0 / (1.0 + np.exp(-4.0 * scores))
        targets[part] = np.clip(0.2 * scores + 0.1 * rng.standard_normal(len(block)), -1.0, 1.0)
    return rows, classes, targets
