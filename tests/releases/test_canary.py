"""The canary goes through every method: its digits are in no file, message or repr."""

import logging

import numpy as np
import pytest

from discreet import SystemNoise
from discreet.core.errors import DiscreetError
from discreet.data import Domain, Records
from discreet.matrices import as_matrix
from discreet.releases import publish
from tests.canary import CANARY, assert_carries_nothing, assert_silent
from tests.releases.cases import BOX, PUBLISHED, SCHEMA, SOUND, X, Y

WIDE = Domain(features=3, entry_bound=1e6, target_bound=1.0)


@pytest.mark.parametrize("domain", [BOX, WIDE], ids=["clipped", "within"])
@pytest.mark.parametrize("case", [*SOUND, *PUBLISHED])
def test_no_file_of_a_release_shows_it(case, domain, tmp_path, caplog):
    """Noise covers the number itself; what must not happen is that a bound, a message or a parameter repeats it."""
    caplog.set_level(logging.DEBUG)
    rows = X.copy()
    rows[7] = CANARY
    asked = SOUND.get(case) or PUBLISHED[case]
    y = None if asked.get("target") == "omitted" else Y
    try:
        made = publish(rows, tmp_path / "out", SystemNoise(), domain=domain, y=y, calibration="tight" if case in SOUND else "published", **asked)
    except DiscreetError as error:
        assert_carries_nothing(error)
        return
    assert_silent((tmp_path / "out" / "manifest.json").read_text().replace(made.certificate.digest, ""))
    assert_silent(f"{made!r} {made.verify()} {caplog.text}")


@pytest.mark.parametrize("cell", [CANARY, str(CANARY), f"x{CANARY}"])
def test_no_refusal_of_a_cell_shows_it(cell, tmp_path):
    table = {"age": [cell], "hours": [1], "income": [1]}
    with pytest.raises(DiscreetError) as caught:
        publish(table, tmp_path / "out", SystemNoise(), schema=SCHEMA, method="additive", epsilon=1.0, delta=1e-6)
    assert_carries_nothing(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_secret_number_of_records_is_in_no_message(tmp_path):
    data = Records(rows=as_matrix(np.zeros((9182, 3))), targets=np.zeros(9182), domain=BOX)
    with pytest.raises(DiscreetError) as caught:
        publish(data, tmp_path / "out", SystemNoise(), method="additive", epsilon=1.0, delta=1e-6, neighbours="add-remove", slots=100)
    assert "9182" not in str(caught.value)
