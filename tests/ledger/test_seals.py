"""No accident to the file lowers what was spent: a flipped bit, a lost or stray row, an older page. And the file is its owner's alone."""

import os
import shutil
import sqlite3
import stat
import sys
import unicodedata
import warnings
from contextlib import closing

import numpy as np
import pytest

from discreet.accounting import ApproximateDP, ConcentratedDP, GaussianDP, NoGuarantee, Profile, PureDP, RenyiDP
from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.neighbours import REPLACE_ONE
from discreet.ledger import Ledger, LedgerUnavailable, records, using
from discreet.ledger.accountants import accountant_named, cost_of_all
from discreet.ledger.entries import read_stored, stored
from discreet.ledger.tallies import Tallies, _by_form, _by_record
from tests.cli.conftest import discreet
from tests.ledger.guarantees import pure

modes = pytest.mark.skipif(sys.platform == "win32", reason="needs modes of files")


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@modes
def test_a_ledger_and_its_journal_are_their_owner_s_from_the_first_byte(tmp_path, monkeypatch):
    opened, seen = os.open, []

    def watching(path, flags, *rest, **more):
        seen.append((str(path), rest))
        return opened(path, flags, *rest, **more)

    before = os.umask(0)
    try:
        monkeypatch.setattr(os, "open", watching)
        ledger = Ledger.create(tmp_path / "team.ledger")
        assert any(".part" in path and rest == (0o600,) for path, rest in seen)
        ledger.declare("adult", epsilon=1.0, delta=0.0)
        with ledger._file.writing() as connection:
            connection.execute("CREATE TABLE other (name TEXT)")
            assert {path.name: mode(path) for path in tmp_path.iterdir()} == {"team.ledger": 0o600, "team.ledger-journal": 0o600}
    finally:
        os.umask(before)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Ledger(tmp_path / "team.ledger")


@modes
@pytest.mark.parametrize("wide", [0o644, 0o660, 0o606])
def test_a_ledger_that_others_can_use_is_said_with_the_remedy(ledger, wide):
    ledger.path.chmod(wide)
    with pytest.warns(UserWarning, match=rf"mode {wide:04o}.*chmod 600"):
        Ledger(ledger.path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as the program does, which says it by itself
        outcome = discreet("budget", "show", str(ledger.path))
    assert outcome.code == 0
    assert "chmod 600" in outcome.err


def book(path):
    """A ledger with every kind of row."""
    ledger = Ledger.create(path)
    ledger.declare("adult", epsilon=3.0, delta=1e-3, parts=["a", "b"], neighbours="add-remove")
    ledger.link("people", to="adult")
    ledger.amend("adult", epsilon=4.0, delta=1e-3, reason="agreed")
    kinds = {"neighbours": "add-remove", "theorem": "test"}
    first = ledger.reserve("adult", PureDP(epsilon=0.5, **kinds), purpose="first", digest=ledger.digest([b"table"]))
    ledger.reserve("adult", ApproximateDP(epsilon=0.25, delta_at_epsilon=1e-4, **kinds), purpose="second", part="a")
    gone = ledger.reserve("adult", PureDP(epsilon=0.125, **kinds), purpose="third", part="b")
    ledger.settle(first.id)
    ledger.cancel(gone.id, no_noise_was_drawn=True)
    return ledger


def kept(ledger):
    return [ledger.spent("adult"), *(ledger.spent("adult", part=part) for part in "ab")], ledger.data_set("adult").total


def flipped_and_read(path, content, bit):
    damaged = bytearray(content)
    damaged[bit // 8] ^= 1 << bit % 8
    path.write_bytes(damaged)
    path.chmod(0o600)
    os.utime(path, ns=(bit, bit))  # a time of its own, however coarse the clock
    return kept(Ledger(path))


def never_lowered(tmp_path, bits):
    ledger = book(tmp_path / "team.ledger")
    truth, content, refused = kept(ledger), ledger.path.read_bytes(), 0
    for bit in bits(len(content) * 8, content):
        path = tmp_path / "damaged.ledger"
        try:
            found = flipped_and_read(path, content, bit)
        except (FileFormatError, LedgerUnavailable):
            refused += 1
        else:
            assert found == truth, bit
    return refused


def test_no_flipped_bit_of_what_is_stored_lowers_what_was_spent(tmp_path):
    """In the pages that hold rows: bits near the numbers, states and names of entries, and others at random."""

    def bits(count, content):
        near = [at for word in (b"0.5", b"0.25", b"settled", b"cancelled", b"reserved", b"adult") for at in places(content, word)]
        draw = np.random.default_rng(14)
        return [*(8 * at + bit for at in near[:40] for bit in (0, 3, 6)), *draw.integers(0, count, 150).tolist()]

    assert never_lowered(tmp_path, bits) > 60


def places(content, word):
    at = content.find(word)
    while at >= 0:
        yield at
        at = content.find(word, at + 1)


@pytest.mark.slow
def test_no_flipped_bit_at_all_lowers_what_was_spent(tmp_path):
    assert never_lowered(tmp_path, lambda count, content: [bit for bit in range(count) if content[bit // 8] or bit % 97 == 0]) > 1000


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM entry WHERE number = 1",
        "UPDATE entry SET data_set = 'orphan' WHERE number = 1",
        "UPDATE entry SET state = 'cancelled' WHERE number = 1",
        "UPDATE entry SET part = NULL WHERE number = 2",
        "UPDATE entry SET guarantee = replace(guarantee, '0.5', '0.4') WHERE number = 1",
        "UPDATE entry SET number = 9 WHERE number = 1",
        "INSERT INTO entry SELECT 9, 'new', data_set, part, guarantee, purpose, state, reserved_at, closed_at, seal FROM entry WHERE number = 1",
        "UPDATE tally SET number = number - 1",
        "DELETE FROM tally",
        "UPDATE data_set SET epsilon = 30.0",
        "UPDATE data_set SET seal = zeroblob(32)",
        "UPDATE amendment SET epsilon = 40.0",
        "DELETE FROM amendment",
        "DELETE FROM alias",
        "DELETE FROM part WHERE label = 'b'",
        "DELETE FROM known_table",
        "UPDATE known_table SET digest = 'other'",
        "UPDATE about SET digest_key = zeroblob(32)",
        "UPDATE about SET sealed = sealed + 1",
        "DELETE FROM data_set",
    ],
)
def test_no_other_row_passes_for_what_was_written(tmp_path, statement):
    path = book(tmp_path / "team.ledger").path
    copy = tmp_path / "copy.ledger"
    shutil.copy(path, copy)
    kept(Ledger(copy))
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        connection.execute(statement)
    with pytest.raises(FileFormatError, match="damaged"):
        Ledger(copy)


def test_what_is_read_is_checked_even_where_the_file_was_opened_before(tmp_path):
    ledger = book(tmp_path / "team.ledger")
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as connection:
        connection.execute("UPDATE entry SET state = 'cancelled' WHERE number = 1")
        connection.execute("UPDATE data_set SET epsilon = 30.0")
    for call in (ledger.history, ledger.spent, ledger.left, ledger.data_set, ledger.plot):
        with pytest.raises(FileFormatError, match="damaged"):
            call("adult")
    with pytest.raises(FileFormatError, match="damaged"):
        ledger.reserve("adult", PureDP(epsilon=0.1, neighbours="add-remove", theorem="test"), purpose="")


def test_an_entry_that_an_older_page_brings_back_is_noticed(tmp_path):
    """Its seal holds; the sum of the seals does not."""
    ledger = Ledger.create(tmp_path / "team.ledger")
    ledger.declare("adult", epsilon=1.0, delta=0.0)
    entry = ledger.reserve("adult", pure(0.5), purpose="")
    ledger.cancel(entry.id, no_noise_was_drawn=True)
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as connection:
        older = connection.execute("SELECT * FROM entry").fetchone()
    with pytest.raises(InvalidInput, match="a cancelled reservation was settled, so noise"):
        ledger.settle(entry.id)
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as connection:
        connection.execute("REPLACE INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", older)
    with pytest.raises(FileFormatError, match="damaged"):
        ledger.check()


VERSION_1 = """
CREATE TABLE about (id TEXT NOT NULL, digest_key BLOB NOT NULL, created TEXT NOT NULL);
CREATE TABLE data_set (
    name TEXT PRIMARY KEY, neighbours TEXT NOT NULL, unit TEXT NOT NULL, epsilon REAL NOT NULL, delta REAL NOT NULL,
    accountant TEXT NOT NULL, created TEXT NOT NULL
);
CREATE TABLE part (data_set TEXT NOT NULL REFERENCES data_set, label TEXT NOT NULL, PRIMARY KEY (data_set, label));
CREATE TABLE alias (name TEXT PRIMARY KEY, data_set TEXT NOT NULL REFERENCES data_set);
CREATE TABLE amendment (
    id TEXT PRIMARY KEY, data_set TEXT NOT NULL REFERENCES data_set, epsilon REAL NOT NULL, delta REAL NOT NULL,
    reason TEXT NOT NULL, created TEXT NOT NULL
);
CREATE TABLE known_table (digest TEXT PRIMARY KEY, data_set TEXT NOT NULL REFERENCES data_set);
CREATE TABLE entry (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, data_set TEXT NOT NULL REFERENCES data_set, part TEXT, guarantee TEXT NOT NULL,
    purpose TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('reserved', 'settled', 'cancelled')), reserved_at TEXT NOT NULL, closed_at TEXT
);
CREATE INDEX entry_of_data_set ON entry (data_set);
PRAGMA application_id=1148412788;
PRAGMA user_version=1;
"""


def as_version_1(path, *statements):
    """The file that the version before this one would have written."""
    new = book(path.with_suffix(".new"))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(VERSION_1)
        connection.execute("ATTACH ? AS new", (str(new.path),))
        connection.execute("INSERT INTO about SELECT id, digest_key, created FROM new.about")
        connection.execute("INSERT INTO data_set SELECT name, neighbours, unit, epsilon, delta, accountant, created FROM new.data_set")
        for table in ("part", "alias", "amendment"):
            connection.execute(f"INSERT INTO {table} SELECT * FROM new.{table}")  # noqa: S608 - constants
        connection.execute("INSERT INTO known_table SELECT digest, data_set FROM new.known_table")
        connection.execute("INSERT INTO entry SELECT number, id, data_set, part, guarantee, purpose, state, reserved_at, closed_at FROM new.entry")
        for statement in statements:
            connection.execute(statement)
    path.chmod(0o600)
    return new


def test_a_ledger_of_the_version_before_is_renewed_with_all_that_it_holds(tmp_path):
    new = as_version_1(tmp_path / "old.ledger")
    old = Ledger(tmp_path / "old.ledger")
    assert kept(old) == kept(new)
    assert old.history("people") == new.history("people")
    assert old.digest([b"table"]) == new.digest([b"table"])
    with pytest.raises(InvalidInput, match="the ledger already has this table under the"):
        old.declare("other", epsilon=1.0, delta=0.0, digest=old.digest([b"table"]))
    assert kept(Ledger(tmp_path / "old.ledger")) == kept(new)
    old.check()


@pytest.mark.parametrize(
    "statement",
    ["UPDATE entry SET data_set = 'orphan' WHERE number = 1", "UPDATE data_set SET epsilon = 'much'", "DELETE FROM about", "DELETE FROM data_set"],
)
def test_a_ledger_of_the_version_before_that_contradicts_itself_is_refused_and_left_as_it_is(tmp_path, statement):
    as_version_1(tmp_path / "old.ledger", statement)
    content = (tmp_path / "old.ledger").read_bytes()
    with pytest.raises(FileFormatError, match="damaged"):
        Ledger(tmp_path / "old.ledger")
    assert (tmp_path / "old.ledger").read_bytes() == content


SCOPE = {"neighbours": "replace-one", "theorem": "test"}
KINDS = {
    "basic": lambda draw: [PureDP(epsilon=draw.uniform(0, 1), **SCOPE), ApproximateDP(epsilon=draw.uniform(0, 1), delta_at_epsilon=1e-7, **SCOPE)],
    "gaussian": lambda draw: [GaussianDP(mu=draw.uniform(0, 1), **SCOPE)],
    "concentrated": lambda draw: [
        ConcentratedDP(rho=draw.uniform(0, 0.1), **SCOPE),
        GaussianDP(mu=draw.uniform(0, 0.3), **SCOPE),
        PureDP(epsilon=draw.uniform(0, 0.3), **SCOPE),
    ],
}


@pytest.mark.parametrize("accountant", KINDS)
def test_sums_cost_what_the_entries_cost_one_by_one(accountant):
    draw = np.random.default_rng(5)
    tallies, entries = Tallies(accountant), []
    for _ in range(60):
        for guarantee in KINDS[accountant](draw):
            part = draw.choice([None, "a", "b"])
            tallies.add(part, stored(guarantee))
            if draw.random() < 0.3:
                tallies.add(part, stored(guarantee), -1)
            else:
                entries.append((part, guarantee))
    for part in (None, "a", "b"):
        summed, single = (cost_of_all(each, 1e-4, accountant=accountant_named(accountant), part=part) for each in (tallies.guarantees(), entries))
        assert summed.epsilon == pytest.approx(single.epsilon, rel=1e-9)
        assert summed.epsilon >= single.epsilon * (1 - 1e-15)
        assert summed.delta == pytest.approx(single.delta, rel=1e-12)


NAMES = {"neighbours": REPLACE_ONE, "theorem": 'a "mu": 1, \\"epsilon\\": 2}, "rho": 3 \u00fc', "local": True, "secret": ("epsilon", "mu")}
NUMBERS = (0.0, 0, 1, 5e-324, 2.5e-308, 0.1, 1e16, 2**80, 1.7976931348623157e308)


@pytest.mark.parametrize("accountant", ["basic", "gaussian", "concentrated"])
@pytest.mark.parametrize("scope", [SCOPE, NAMES])
def test_what_is_cut_out_of_a_text_is_what_its_record_says(accountant, scope):
    kinds = [
        *(kind(**{name: number}, **scope) for kind, name in ((PureDP, "epsilon"), (GaussianDP, "mu"), (ConcentratedDP, "rho")) for number in NUMBERS),
        *(ApproximateDP(epsilon=number, delta_at_epsilon=delta, **scope) for number in NUMBERS for delta in (0.0, 0, 1e-300, 0.3)),
        Profile(epsilons=(0.0, 1.0), deltas_at=(0.5, 0.1), **scope),
        RenyiDP(orders=(2.0,), divergences=(0.5,), **scope),
        NoGuarantee(**scope),
    ]
    texts = [stored(guarantee) for guarantee in kinds]
    cut = [(found, _by_record(accountant, text)) for text in texts if (found := _by_form(accountant, text))]
    assert all(found == whole for found, whole in cut)
    assert len(cut) == (45 if accountant == "concentrated" else 62)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0.5", "5E-1"),
        ("0.5", "1e999"),
        ("0.5", "-0.5"),
        ("0.5", "true"),
        ("0.5", "05"),
        ('"pure"', '"gaussian"'),
        ('"pure"', '"newer"'),
        ("0.5", "0.5.5"),
    ],
)
def test_a_text_of_another_form_is_read_whole_or_refused(old, new):
    text = stored(PureDP(epsilon=0.5, **SCOPE)).replace(old, new)
    tallies = Tallies("basic")
    try:
        guarantee = read_stored(text)
    except FileFormatError:
        with pytest.raises(FileFormatError, match="the ledger has an entry that this version of discreet"):
            tallies.add(None, text)
    else:
        tallies.add(None, text)
        assert tallies.guarantees() == [(None, guarantee)]


def test_an_entry_that_is_taken_back_leaves_nothing():
    tallies = Tallies("basic")
    for epsilon in (0.1, 1e-300, 1e300, 0.7):
        tallies.add(None, stored(PureDP(epsilon=epsilon, **SCOPE)))
    for epsilon in (1e300, 0.7, 0.1):
        tallies.add(None, stored(PureDP(epsilon=epsilon, **SCOPE)), -1)
    assert tallies.guarantees() == [(None, PureDP(epsilon=1e-300, **SCOPE))]


@pytest.mark.parametrize(
    "parts",
    [
        [PureDP(epsilon=1e308, **SCOPE)] * 2,
        [GaussianDP(mu=1e200, **SCOPE)],
        [ApproximateDP(epsilon=1.0, delta_at_epsilon=0.6, **SCOPE)] * 2,
        [NoGuarantee(**SCOPE)],
    ],
)
def test_a_sum_beyond_every_bound_is_no_guarantee(parts):
    tallies = Tallies("gaussian" if isinstance(parts[0], GaussianDP) else "basic")
    for part in parts:
        tallies.add(None, stored(part))
    assert [type(guarantee) for _, guarantee in tallies.guarantees()] == [NoGuarantee]


@pytest.mark.parametrize("digits", [400, 5000])
def test_a_whole_number_beyond_float64_is_refused_in_one_sentence(tmp_path, digits):
    ledger = Ledger.create(tmp_path / "team.ledger")
    with pytest.raises(InvalidInput, match="epsilon=inf"):
        ledger.declare("adult", epsilon=10**digits, delta=0.0)


def test_neither_a_reservation_nor_what_is_left_reads_the_entries(ledger, monkeypatch):
    for _ in range(3):
        ledger.reserve("adult", pure(0.1), purpose="")

    def reading(*_):
        raise AssertionError("entries were read")

    monkeypatch.setattr(records, "entries_of", reading)
    ledger.reserve("adult", pure(0.1), purpose="")
    assert ledger.spent("adult").epsilon == pytest.approx(0.4)
    assert Ledger(ledger.path).left("adult").epsilon == pytest.approx(0.6)


def test_two_spellings_that_look_the_same_are_one_name(tmp_path):
    composed, apart = (unicodedata.normalize(form, "Müller") for form in ("NFC", "NFD"))
    assert composed != apart
    ledger = Ledger.create(tmp_path / "team.ledger")
    ledger.declare(apart, epsilon=1.0, delta=0.0, parts=[f"{apart} 1", f"{apart} 2"], part_of_a_record_stays=True)
    ledger.declare(composed, epsilon=1.0, delta=0.0, parts=[f"{composed} 1", f"{composed} 2"], part_of_a_record_stays=True)
    assert [one.name for one in ledger.data_sets()] == [composed]
    with using(ledger, apart, part=f"{apart} 1"):
        ledger.reserve(apart, pure(0.25), purpose="", part=f"{apart} 1")
    assert ledger.spent(composed, part=f"{composed} 1").epsilon == 0.25
    ledger.link(f"{apart} 2026", to=apart)
    with pytest.raises(InvalidInput, match="Declare it the same way, or change the total"):
        ledger.declare(f"{composed} 2026", epsilon=9.0, delta=0.0)


def test_history_is_in_the_order_of_the_file_whatever_the_clock_says(ledger, monkeypatch):
    for hour, purpose in enumerate("abc"):
        monkeypatch.setattr(records, "now", lambda hour=hour: f"2026-01-01T0{9 - hour}:00:00.000+00:00")
        ledger.reserve("adult", pure(0.1), purpose=purpose)
    assert [entry.purpose for entry in ledger.history("adult")] == ["a", "b", "c"]
    assert "<svg" in ledger.plot("adult")
