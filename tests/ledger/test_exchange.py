"""Export and import: nothing lost, nothing twice, nothing private."""

import json

import pytest

from discreet.core.errors import FileFormatError, InvalidInput
from discreet.ledger import Amount, BudgetExceeded, Ledger, State
from tests.ledger.guarantees import approximate, pure


@pytest.fixture
def full(ledger):
    """A ledger with one of everything."""
    ledger.declare("hospitals", epsilon=2.0, delta=1e-5, parts=["north", "south"], part_of_a_record_stays=True)
    ledger.link("wards", to="hospitals")
    ledger.amend("hospitals", epsilon=3.0, delta=1e-5, reason="agreed")
    ledger.reserve("wards", approximate(0.1, 1e-6), purpose="crashed", part="north")
    ledger.reserve("hospitals", pure(0.2), purpose="cancelled").cancel(no_noise_was_drawn=True)
    with ledger.spending("adult", pure(0.1 + 0.2), purpose="ünïcode <&>", digest=ledger.digest([b"x"])):
        pass
    return ledger


def new(tmp_path):
    return Ledger.create(tmp_path / "new.ledger")


def test_an_import_into_a_new_ledger_holds_everything(full, tmp_path):
    other = new(tmp_path)
    assert other.import_(full.export()) == 3
    assert other.data_sets() == full.data_sets()
    for name in ("adult", "hospitals"):
        assert other.history(name) == full.history(name)
        assert other.spent(name) == full.spent(name)
    assert other.import_(full.export()) == 0
    without_head = [json.loads(each.export()) for each in (full, other)]
    for record in without_head:
        del record["ledger"], record["written"]
    assert without_head[0] == without_head[1]


def test_two_ledgers_that_exchange_both_ways_agree(full, tmp_path):
    other = new(tmp_path)
    other.import_(full.export())
    other.reserve("adult", pure(0.25), purpose="elsewhere")
    full.reserve("adult", pure(0.25), purpose="here")
    assert full.import_(other.export()) == 1
    assert other.import_(full.export()) == 1
    assert {entry.id for entry in full.history("adult")} == {entry.id for entry in other.history("adult")}
    assert full.spent("adult") == other.spent("adult") == Amount(epsilon=pytest.approx(0.8))


def test_imported_spending_counts_even_beyond_the_total(ledger, tmp_path):
    other = new(tmp_path)
    other.declare("adult", epsilon=1.0, delta=0.0)
    other.reserve("adult", pure(0.75), purpose="there")
    ledger.reserve("adult", pure(0.75), purpose="here")
    ledger.import_(other.export())
    assert ledger.spent("adult") == Amount(epsilon=1.5)
    with pytest.raises(BudgetExceeded):
        ledger.reserve("adult", pure(0.01), purpose="")


def test_of_two_states_the_firmer_one_is_kept(ledger, tmp_path):
    first, second = (ledger.reserve("adult", pure(0.25), purpose="") for _ in range(2))
    early = ledger.export()
    other = new(tmp_path)
    other.import_(early)
    first.settle()
    second.cancel(no_noise_was_drawn=True)
    assert ledger.import_(early) == 0
    assert ledger.entry(first.id).state is State.SETTLED
    assert ledger.entry(second.id).state is State.RESERVED
    other.cancel(first.id, no_noise_was_drawn=True)
    assert other.import_(ledger.export()) == 0
    assert other.entry(first.id).state is State.SETTLED


def test_a_total_is_not_changed_from_outside(ledger, tmp_path):
    other = new(tmp_path)
    other.declare("adult", epsilon=9.0, delta=0.0)
    other.import_(ledger.export())
    assert other.data_set("adult").total == Amount(epsilon=9.0)


def test_entries_of_a_name_that_is_linked_here_go_to_its_data_set(ledger, tmp_path):
    other = new(tmp_path)
    other.declare("adult-copy", epsilon=1.0, delta=0.0)
    other.reserve("adult-copy", pure(0.5), purpose="")
    ledger.link("adult-copy", to="adult")
    ledger.import_(other.export())
    assert ledger.spent("adult") == Amount(epsilon=0.5)
    assert ledger.import_(other.export()) == 0


def changed(text, change):
    record = json.loads(text)
    change(record)
    return json.dumps(record)


def changing(path, value):
    def change(record):
        *way, last = path
        for key in way:
            record = record[key]
        record[last] = value

    return change


BROKEN = {
    "another version": changing(["format"], "discreet-ledger/2"),
    "no entries": lambda record: record.pop("entries"),
    "a state that is none": changing(["entries", 0, "state"], "refunded"),
    "a guarantee of an unknown kind": changing(["entries", 0, "guarantee", "kind"], "better"),
    "a negative guarantee": changing(["entries", 0, "guarantee", "epsilon"], -1.0),
    "a guarantee of another relation": changing(["entries", 0, "guarantee", "neighbours"], "add-remove"),
    "an id that is no UUID": changing(["entries", 0, "id"], "1"),
    "an entry twice": lambda record: record["entries"].append(record["entries"][0]),
    "a name twice": changing(["data_sets", 0, "aliases"], ["hospitals"]),
    "an undeclared data set": changing(["entries", 0, "data_set"], "other"),
    "an undeclared part": changing(["entries", 0, "part"], "east"),
    "a total of zero": changing(["data_sets", 0, "total", "epsilon"], 0),
    "a total that is text": changing(["data_sets", 0, "total", "epsilon"], "1"),
    "a time without a zone": changing(["entries", 0, "reserved_at"], "2026-01-01T00:00:00"),
    "an escape sequence": changing(["entries", 0, "purpose"], "\x1b[2J"),
    "data sets that are no list": changing(["data_sets"], {"a": 1}),
    "a null entry": changing(["entries"], [None]),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_no_sound_export_changes_nothing(full, tmp_path, what):
    other = new(tmp_path)
    with pytest.raises(FileFormatError):
        other.import_(changed(full.export(), BROKEN[what]))
    assert other.data_sets() == ()


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '{"format": NaN}', '{"format": 1, "format": 1}', "[" * 100_000])
def test_what_is_no_json_object_is_refused(ledger, text):
    with pytest.raises(FileFormatError):
        ledger.import_(text)


@pytest.mark.parametrize(
    "change",
    [
        changing(["entries", 0, "guarantee", "epsilon"], 0.01),
        changing(["data_sets", 1, "parts"], ["a", "b", "north"]),
        changing(["data_sets", 0, "neighbours"], "add-remove"),
        changing(["data_sets", 0, "aliases"], ["free"]),
    ],
)
def test_an_export_that_contradicts_the_ledger_changes_nothing(full, change):
    full.declare("free", epsilon=1.0, delta=0.0)
    before = full.export()
    with pytest.raises((InvalidInput, FileFormatError)):
        full.import_(changed(before, change))
    after, before = json.loads(full.export()), json.loads(before)
    assert after | {"written": ""} == before | {"written": ""}


def test_neither_key_nor_digest_is_exported(full):
    with full._file.reading() as connection:
        key = connection.execute("SELECT digest_key FROM about").fetchone()[0]
    assert len(key) == 32
    assert key.hex() not in full.export()
    assert full.digest([b"x"]) not in full.export()
