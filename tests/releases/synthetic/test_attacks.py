"""Attacks on synthetic rows: whether somebody is in the table, and what their secret is. Neither succeeds more often than epsilon allows.

The attacker knows all other records, every column of the target but the secret, and how tables are made; they see the rows and nothing else. With a
fiftieth of the noise the same attacks succeed, so they would be seen.
"""

from dataclasses import replace

import numpy as np
import pytest

from discreet.audit.claim import Claim
from discreet.audit.statistical import audit
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.cuts.columns import whose_rows
from discreet.noise import SystemNoise
from discreet.releases.synthetic import drawing, publish
from discreet.releases.synthetic.cells import Coder, counting_schema
from discreet.releases.synthetic.counts import TableCounts
from discreet.releases.synthetic.drawing import Drawing
from discreet.releases.synthetic.plan import SyntheticPlan
from tests.releases.synthetic.cases import by_hub, schema, table

OTHERS = 30
TARGET = {"age": 89, "cost": 99_000.0, "day": "2020-12-15", "ward": "c", "smoker": True, "answer": "no"}


def others(target=None):
    """Young people of one ward, and the target among them."""
    frame = {name: list(column[:OTHERS]) for name, column in table(OTHERS, seed=3).items()}
    frame |= {"age": [25] * OTHERS, "ward": ["a"] * OTHERS, "smoker": [False] * OTHERS, "cost": [0.0] * OTHERS, "answer": ["yes"] * OTHERS}
    return frame if target is None else {name: [*column, target[name]] for name, column in frame.items()}


def seen(frame):
    """What an attacker looks at: rows like the target in how many columns, and the secret of those that are most like it."""
    like = np.column_stack(
        (
            frame["age"].to_numpy() > 80,
            np.nan_to_num(frame["cost"].to_numpy()) > 90_000,
            frame["ward"].to_numpy() == "c",
            frame["smoker"].to_numpy(),
        )
    )
    near, secret = like.sum(axis=1), frame["answer"].to_numpy() == "no"
    alike = [np.mean(near >= many) for many in (1, 2, 3, 4)]
    nearest = near == near.max()
    return [*alike, *like.mean(axis=0), near.max(), secret.mean(), secret[nearest].mean(), float(np.mean(secret * near))]


def made(factor, neighbours, monkeypatch):
    """From a table to so many attacks on tables made of it; `factor` of the noise that the guarantee needs."""
    monkeypatch.setattr(drawing, "fitted", by_hub)
    plan = SyntheticPlan.calibrate(schema(), epsilon=1.0, delta=1e-3, neighbours=neighbours)
    claim = Claim.of(plan.guarantee)
    mechanism = replace(plan.mechanism, scales=tuple(factor * scale for scale in plan.mechanism.scales))
    counting = counting_schema(schema())
    coder = Coder(counting, plan.columns)

    def run(frame, count):
        encoded = counting.encode(frame, target=True, persons=True)
        whose = whose_rows(encoded, SystemNoise(), rows_per_person=None, person_weight="person", jobs=1)
        counts = Numbers(TableCounts(whose, coder, plan.sizes, target=True, jobs=1))
        found = []
        for _ in range(count):
            released = mechanism.run(plan.problem, counts, SystemNoise())
            pairs = publish.pairs_of(released.certificate)
            drawing = Drawing(
                columns=plan.columns,
                problem=plan.problem,
                scales=plan.mechanism.scales,
                rounds=plan.problem.split(released.value, pairs),
                pairs=pairs,
                records=None,
            )
            found.append(seen(drawing.frames(200, 1, SystemNoise().words(), SystemNoise())[0]))
        return np.array(found)

    return run, claim


@pytest.mark.slow
@pytest.mark.parametrize("attack", ["membership", "attribute"])
def test_no_attack_on_rows_succeeds_more_often_than_epsilon_allows(attack, monkeypatch):
    neighbours = ADD_REMOVE if attack == "membership" else REPLACE_ONE
    pair = (others(TARGET), others() if attack == "membership" else others({**TARGET, "answer": "yes"}))
    for factor in (1.0, 0.02):
        run, claim = made(factor, neighbours, monkeypatch)
        report = audit(run, pair, claim, runs=400, confidence=1 - 1e-6, batch=True, subject="synthetic rows", described=f"{attack} of one person")
        assert report.violated is (factor < 1.0), str(report)
