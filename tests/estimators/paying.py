"""A fit that shares its budget with a question asked at its weights is paid for once, before anything is drawn."""

import pytest

from discreet.ledger import BudgetExceeded, Ledger, using


def paid_once(folder, fit, purpose):
    """What `fit` gives, an object with a model; the second time it exceeds what was declared."""
    ledger = Ledger.create(folder / "ledger")
    ledger.declare("people", epsilon=1.5, delta=1e-5)
    with using(folder / "ledger", "people"):
        found = fit()
        with pytest.raises(BudgetExceeded):
            fit()
    (entry,) = ledger.history("people")
    assert entry.purpose == purpose
    assert found.model.certificate_.ledger_entry == entry.id
    assert found.model.certificate_.verify(found.model.weights_).ok
    return found
