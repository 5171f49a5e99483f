"""Runs under the peer's interpreter, without Discreet: independent fits of diffprivlib's logistic regression on both tables of a pair.

python peer_worker.py SPECIFICATION.json OUT.npz      writes first (runs, k) and second (runs, k): coefficients, and the intercept where there is one
"""

import json
import sys
import warnings

import numpy as np
from diffprivlib.models import LogisticRegression


def fits(rows: list[list[float]], signs: list[int], runs: int, seed: int, settings: dict[str, float | bool]) -> np.ndarray:
    """Coefficients and intercepts, (runs, k)."""
    draw = np.random.RandomState(seed)
    outputs = []
    for _ in range(runs):
        model = LogisticRegression(random_state=draw, **settings).fit(np.array(rows), np.array(signs))
        outputs.append(np.append(model.coef_.ravel(), model.intercept_ if settings["fit_intercept"] else ()))
    return np.array(outputs)


def main() -> None:
    """See module docstring."""
    specification, out = sys.argv[1:]
    with open(specification) as file:  # noqa: PTH123 - the peer's interpreter may be any
        given = json.load(file)
    warnings.simplefilter("ignore")
    first, second = (fits(rows, signs, given["runs"], seed, given["settings"]) for seed, (rows, signs) in enumerate(given["pair"]))
    np.savez(out, first=first, second=second)


if __name__ == "__main__":
    main()
