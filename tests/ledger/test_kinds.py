"""A file whose values are not of the kinds that a ledger writes was not written by one: it is refused, and nothing is guessed."""

import sqlite3

import pytest

from discreet.core.errors import FileFormatError, InvalidInput
from discreet.ledger import Ledger


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM about",
        "UPDATE about SET id = x'00ff'",
        "UPDATE data_set SET epsilon = 'much'",
        "UPDATE data_set SET delta = x'00'",
        "UPDATE data_set SET created = x'00'",
        "UPDATE data_set SET neighbours = 'friends'",
        "UPDATE data_set SET unit = 'recfrd'",
        "INSERT INTO part VALUES ('people', x'00')",
        "INSERT INTO alias VALUES (x'00', 'people')",
        "INSERT INTO amendment VALUES ('1', 'people', 'more', 0.0, 'why', 'now')",
        "INSERT INTO entry VALUES (1, 'a', 'people', x'00', '{}', 'p', 'settled', 'now', NULL, x'')",
        "INSERT INTO entry VALUES (1, 'a', 'people', NULL, x'00', 'p', 'settled', 'now', NULL, x'')",
    ],
)
def test_a_value_of_another_kind_is_refused(tmp_path, statement):
    path = tmp_path / "team.ledger"
    ledger = Ledger.create(path)
    ledger.declare("people", epsilon=1.0, delta=1e-6, neighbours="replace-one")
    assert ledger.left("people").epsilon == 1.0
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()
    with pytest.raises(FileFormatError):
        Ledger(path)


def test_a_name_that_the_system_refuses_is_no_ledger(tmp_path):
    with pytest.raises(InvalidInput, match="there is no ledger"):
        Ledger(tmp_path / ("a" * 300)).data_sets()
