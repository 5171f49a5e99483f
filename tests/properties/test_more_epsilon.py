"""More epsilon is never less of a model: the default of every kind errs about as little at any large epsilon as without noise, where they lead.

An epsilon beyond what a theorem is proved for is refused in a sentence, and never answered with a worse fit.
"""

import math
import warnings
from dataclasses import fields

import numpy as np
import pytest

from discreet.core.errors import DiscreetError, PrivacyWarning
from discreet.estimators.door.private_estimator import PrivateModel

EPSILONS = (1e4, 1e8)
"""Compared with infinity, after a smaller one."""
KINDS = [(kind, learnt) for kind, model in sorted(PrivateModel.models.items()) for learnt in model.targets if learnt != "several numbers"]
TABLES = {"few columns": (3, 0.0), "a rare class": (8, 0.7), "many columns": (30, 0.2)}
"""How many columns, and how far the middle of answers is from zero."""
QUICK = {"logistic-regression", "linear-svc", "huber-regression", "poisson-regression", "ordinal-regression", "survival-model"}
"""Whose defaults rest somewhere by rules of their own, one of each; of others with `--slow`."""


def smaller(kind, learnt):
    """An epsilon at which little noise is left, and the room for it: one-vs-rest and the models outside the quick run have more of it."""
    return (20.0, 0.06) if kind in QUICK and (kind, learnt) != ("linear-svc", "more classes") else (100.0, 0.1)


def invented(columns, middle, learnt, *, records=800):
    """Rows (2 n, d) and their targets."""
    random = np.random.default_rng(columns)
    rows = random.uniform(-1.0, 1.0, (2 * records, columns)) / math.sqrt(columns)
    score = rows @ random.normal(size=columns) * 3.0 - middle
    noisy = score + 0.3 * random.normal(size=len(score))
    if learnt == "two classes":
        return rows, (noisy > 0).astype(int)
    if "classes" in learnt:
        return rows, np.digitize(noisy, [-0.6, 0.6])
    if learnt == "numbers":
        return rows, np.clip(0.3 * noisy, -1.0, 1.0)
    if learnt == "counts":
        return rows, np.minimum(random.poisson(np.exp(np.clip(score, -3.0, 1.5))), 20).astype(float)
    ends = np.maximum(random.exponential(8.0 * np.exp(-score)), 0.01)
    left = np.maximum(random.exponential(20.0, len(score)), 0.01)
    return rows, np.column_stack([np.minimum(np.minimum(ends, left), 30.0), (ends <= left) & (ends < 30.0)])


def model_of(kind, learnt, columns, epsilon, neighbours):
    made = PrivateModel.models[kind]
    known = {each.name for each in fields(made) if each.init}
    several = {
        "classes": [0, 1] if learnt == "two classes" else [0, 1, 2],
        "target_bound": 20.0 if learnt == "counts" else 5.0 if kind == "gamma-regression" else 1.0,
        "ends": [2.0, 5.0, 10.0, 20.0],
        "radius": 3.0,
        "constraint": "l2-ball",
        "loss": "logistic" if "class" in learnt else "squared",
        "shape": (1, columns),
    }
    mine = {name: value for name, value in several.items() if name in known and (name != "loss" or kind == "constrained-erm")}
    if "classes" in known and "class" not in learnt:
        mine.pop("classes")
    if getattr(made, "data_norm", None) is None:
        mine |= {"data_bound": 1.0 / math.sqrt(columns)}
    return made(epsilon=epsilon, neighbours=neighbours, random_state=5, **{name: value for name, value in mine.items() if name in known})


def error_of(model, rows, targets, learnt):
    """The share of wrong answers, the squared error over the variance, or of times the share of pairs in the wrong order."""
    half = len(rows) // 2
    fitted = model.fit(rows[:half], np.exp(targets[:half]) if model.saved_as == "gamma-regression" else targets[:half])
    given, known = rows[half:], targets[half:]
    if learnt == "times":
        said, (ends, seen) = fitted.predict(given), known.T
        first = (ends[:, np.newaxis] < ends) & (seen[:, np.newaxis] > 0)
        return float(np.mean((said[:, np.newaxis] < said)[first] < 1))
    known = np.exp(known) if model.saved_as == "gamma-regression" else known
    said = fitted.predict(given)
    return float(np.mean(said != known)) if "class" in learnt else float(np.mean(np.square(said - known)) / np.var(known))


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize(("kind", "learnt"), [pytest.param(*each, marks=[] if each[0] in QUICK else [pytest.mark.slow]) for each in KINDS])
def test_a_larger_epsilon_is_no_worse_and_leads_to_the_fit_without_noise(kind, learnt, neighbours, table):
    columns, middle = TABLES[table]
    rows, targets = invented(columns, middle, learnt)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        last = error_of(model_of(kind, learnt, columns, math.inf, neighbours), rows, targets, learnt)
        begin, room = smaller(kind, learnt)
        for epsilon in (begin, *EPSILONS):
            made = model_of(kind, learnt, columns, epsilon, neighbours)
            try:
                found = error_of(made, rows, targets, learnt)
            except DiscreetError as error:
                refused = str(error)
            else:
                refused = ""
            if refused:
                assert epsilon > 100.0
                assert "epsilon" in refused
                continue
            assert found <= 1.1 * last + (0.02 if epsilon > 100.0 else room)
