"""Invented patients with a canary among them, names that try to be markup, and what is released about them."""

from typing import NamedTuple

import numpy as np
import polars as pl
import pytest

from discreet import LinearSVC, Model, PrivateEvaluation, Schema, evaluate_privately
from discreet.ledger import Account, Ledger
from tests.schemas import schema_text

CLASSES = ("<script>alert(1)</script>", "yes & no")
SCHEMA = schema_text(
    "patients <b>2026</b>",
    {"column": "readmitted", "classes": CLASSES},
    {
        "age": {"lower": 0, "upper": 120, "outside": "clip"},
        "stay | days": {"lower": 0, "upper": 60, "outside": "clip"},
        "ward": {"categories": ["<img src=x onerror=alert(1)>", "south", "other"], "other": "other"},
    },
)


class Released(NamedTuple):
    """Everything public about the patients."""

    ledger: Ledger
    estimator: LinearSVC
    model: Model
    evaluation: PrivateEvaluation


def table(schema, records=600):
    """The canary is a record like any other."""
    random = np.random.default_rng(0)
    age, stay = random.uniform(18, 100, records), random.uniform(0, 60, records)
    ward = random.choice(["south", "east"], records).tolist()
    answers = [CLASSES[int(a + s > 90)] for a, s in zip(age, stay, strict=True)]
    age[0], stay[0], ward[0] = 918273.645, 918273.645, "canary-918273.645"
    frame = pl.DataFrame({"age": age, "stay | days": stay, "ward": ward, "readmitted": answers})
    return schema.encode(frame, target=True)


@pytest.fixture(scope="session")
def schema():
    return Schema.from_toml(SCHEMA)


@pytest.fixture(scope="session")
def released(schema, tmp_path_factory):
    path = tmp_path_factory.mktemp("reports") / "hospital.ledger"
    ledger = Ledger.create(path)
    ledger.declare("patients <i>", epsilon=3.0, delta=1e-5)
    account = Account(path, "patients <i>")
    encoded = table(schema)
    estimator = LinearSVC(epsilon=1.0, delta=1e-6, mechanism="output", data_norm=schema.norm_bound, ledger=account).fit(encoded)
    model = Model.from_estimator(estimator, schema)
    metrics = ("accuracy", "confusion", "log_loss", "roc", "calibration")
    evaluation = evaluate_privately(model, encoded, epsilon=0.5, metrics=metrics, account=account)
    return Released(ledger, estimator, model, evaluation)
