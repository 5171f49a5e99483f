"""What tests of estimators share: an account with room for two fits."""

import pytest

from discreet.ledger import Account, Ledger


@pytest.fixture
def account(tmp_path):
    path = tmp_path / "ledger.json"
    Ledger.create(path).declare("people", epsilon=2.5, delta=1e-4)
    return Account(str(path), "people")
