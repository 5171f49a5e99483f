"""What the tests of the ledger share: a new ledger with one data set, and short names for guarantees."""

import pytest

from discreet.ledger import Ledger


@pytest.fixture(autouse=True)
def _sparing_the_disk(monkeypatch):
    """Waiting for the disk guards against the loss of power, which no test here causes; the workers of swarm.py keep it."""
    monkeypatch.setattr("discreet.ledger.file._SYNCHRONOUS", "OFF")


@pytest.fixture
def ledger(tmp_path):
    made = Ledger.create(tmp_path / "team.ledger", patience=20.0)
    made.declare("adult", epsilon=1.0, delta=0.0)
    return made
