"""Figure 3: MNIST, four against nine, the 300 pixels of most energy, 80 % for training; test error of the sign of <w, x>, no intercept.

Pixels are divided by 255. The paper says neither that nor how labels are coded when they are sketched; they are -1 and +1 here.
"""

from collections.abc import Iterator

import numpy as np

from studies.base import Record, seed_of
from studies.showkatbakhsh.regression import weights_of_all
from studies.tables import Tables

TRAINING, PIXELS, UNIT = 11_791, 300, 500


def digit_records(tables: Tables, *, records: int, bits: float, repeat: int) -> Iterator[Record]:
    """Test error of every scheme and of plain least squares."""
    rows, signs, _ = tables.load("mnist-4-9")
    x, y = np.asarray(rows)[:TRAINING] / 255.0, signs[:TRAINING]
    kept = np.sort(np.argsort(np.sum(x**2, axis=0))[-PIXELS:])
    order = np.random.default_rng(seed_of("showkatbakhsh", "mnist", repeat)).permutation(TRAINING)
    x, y = x[order][:, kept], y[order]
    test_x, test_y = x[-TRAINING // 5 :], y[-TRAINING // 5 :]
    x, y = x[:records], y[:records]
    plain = np.linalg.lstsq(x, y, rcond=None)[0]
    yield {"method": "without noise", "size": "", "measure": "test error", "value": float(np.mean((test_x @ plain > 0) != (test_y > 0)))}
    for method, size, weights in weights_of_all(x, y, bits=bits, unit=UNIT, seed=seed_of("showkatbakhsh", "noise", records, bits, repeat)):
        yield {"method": method, "size": size, "measure": "test error", "value": float(np.mean((test_x @ weights > 0) != (test_y > 0)))}
