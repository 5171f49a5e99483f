"""An invented table, and every method on it."""

import numpy as np

from discreet.data import Domain, NumberTarget, NumericColumn, Schema

COUNT = 400
BOX = Domain(features=3, entry_bound=1.0, target_bound=1.0)
_GENERATOR = np.random.default_rng(20)
X = _GENERATOR.uniform(-1, 1, (COUNT, 3))
Y = np.where(X @ [1.0, -1.0, 0.5] + _GENERATOR.normal(0, 0.1, COUNT) > 0, 1.0, -1.0)

PRIVATE = {"epsilon": 1.0, "delta": 1e-6}
SMALL = {"rows": 50, "most_records": 1000}

SOUND = {
    "additive": {"method": "additive", **PRIVATE},
    "additive, targets in clear": {"method": "additive", "target": "clear", **PRIVATE},
    "additive, no targets": {"method": "additive", "target": "omitted", **PRIVATE},
    "additive, add-remove": {"method": "additive", "neighbours": "add-remove", "slots": 450, **PRIVATE},
    "additive, shuffled": {"method": "additive", "shuffle": COUNT, **PRIVATE},
    "additive, bits": {"method": "additive", "bits": 0.5},
    "laplace": {"method": "laplace", "epsilon": 1.0},
    "laplace, targets in clear": {"method": "laplace", "epsilon": 1.0, "target": "clear"},
    "laplace, add-remove": {"method": "laplace", "epsilon": 1.0, "delta": 0, "neighbours": "add-remove", "slots": 450},
    "laplace, shuffled, add-remove": {"method": "laplace", "shuffle": 450, "neighbours": "add-remove", "slots": 450, **PRIVATE},
    "projection": {"method": "projection", "width": 2, **PRIVATE},
    "projection, targets in clear": {"method": "projection", "width": 2, "target": "clear", "projection_seed": 7, **PRIVATE},
    "fresh projection": {"method": "fresh-projection", "width": 2, **PRIVATE},
    "fresh projection, targets in clear": {"method": "fresh-projection", "width": 2, "target": "clear", **PRIVATE},
    "fresh projection, add-remove": {"method": "fresh-projection", "width": 2, "neighbours": "add-remove", "slots": 450, **PRIVATE},
    "moments": {"method": "moments", **PRIVATE},
    "moments, add-remove": {"method": "moments", "neighbours": "add-remove", "most_records": 1000, **PRIVATE},
    "moments, no targets": {"method": "moments", "target": "omitted", **PRIVATE},
    "sketch": {"method": "sketch", **SMALL, **PRIVATE},
    "sketch, add-remove": {"method": "sketch", "neighbours": "add-remove", **SMALL, **PRIVATE},
    "eigenvalue sketch": {"method": "eigenvalue-sketch", **SMALL, **PRIVATE},
    "information sketch": {"method": "information-sketch", "bits": 0.5, **SMALL},
    "clear target sketch": {"method": "clear-target-sketch", "bits": 0.5, "target": "clear", **SMALL},
    "fisher": {"method": "fisher", "target": "clear", "weights": [1.0, 2.0, 4.0], **PRIVATE},
    "fisher, level": {"method": "fisher", "target": "clear", "level": 1e-6, "epsilon": 3.0},
    "bounded": {"method": "bounded", "half_width": 20.0, "epsilon": 1.0},
    "bounded, own ends": {"method": "bounded", "noise_ends": {"x0": 20.0, "x1": (-20, 40), "x2": 20.0, "y": (-30.0, 25.0)}, "epsilon": 1.0},
}
"""Each verifies."""

PUBLISHED = {
    "null space": {"method": "null-space", "variance": 1.0, "target": "clear"},
    "sketch as published": {"method": "sketch", "bits": 0.5, "rows": 20, "most_records": 1000},
    "information sketch as published": {"method": "information-sketch", "bits": 0.5, "rows": 20, "most_records": 1000},
    "fisher as published": {"method": "fisher", "target": "clear", **PRIVATE},
}
"""Each promises nothing."""

HOLDS = {
    "projection as published": {"method": "projection", "width": 2, "epsilon": 0.9, "delta": 1e-6},
    "fresh projection as published": {"method": "fresh-projection", "width": 5, "epsilon": 0.9, "delta": 1e-6},
}
"""Published formulas whose noise keeps what it promises, here."""

SCHEMA = Schema(
    name="people",
    rows="bound",
    target=NumberTarget(column="income", lower=0, upper=100, outside="clip"),
    numeric=(NumericColumn(name="age", lower=0, upper=100), NumericColumn(name="hours", lower=0, upper=80, outside="clip")),
)
AGES, HOURS = 20 + np.arange(COUNT) * 37 % 60, np.arange(COUNT) * 53 % 90
PEOPLE = {"age": AGES, "hours": HOURS, "income": 0.5 * AGES + 0.5 * HOURS}
