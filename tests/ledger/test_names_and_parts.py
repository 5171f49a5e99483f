"""The same table under two names, names that are linked, and disjoint parts."""

import pytest

from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.ledger import Amount, BudgetExceeded, Ledger
from tests.ledger.guarantees import added, pure


def test_the_same_table_under_two_names_is_noticed(ledger):
    table = [b"the bytes", b" of a table"]
    ledger.declare("copy", epsilon=1.0, delta=0.0)
    ledger.reserve("adult", pure(0.1), purpose="", digest=ledger.digest(table))
    ledger.reserve("adult", pure(0.1), purpose="", digest=ledger.digest(table))
    with pytest.raises(InvalidInput, match="the ledger already has this table under the"):
        ledger.reserve("copy", pure(0.1), purpose="", digest=ledger.digest(table))
    with pytest.raises(InvalidInput, match="the ledger already has this table under the"):
        ledger.declare("third", epsilon=1.0, delta=0.0, digest=ledger.digest(table))
    assert ledger.spent("copy") == Amount(epsilon=0.0)
    assert [data_set.name for data_set in ledger.data_sets()] == ["adult", "copy"]


def test_a_refused_reservation_leaves_no_digest_behind(ledger):
    ledger.declare("copy", epsilon=1.0, delta=0.0)
    digest = ledger.digest([b"table"])
    with pytest.raises(BudgetExceeded):
        ledger.reserve("adult", pure(2.0), purpose="", digest=digest)
    ledger.reserve("copy", pure(0.1), purpose="", digest=digest)


def test_a_linked_name_shares_total_history_and_digests(ledger):
    digest = ledger.digest([b"table"])
    ledger.link("adult-2026", to="adult")
    ledger.link("adult-2026", to="adult")
    ledger.reserve("adult", pure(0.5), purpose="", digest=digest)
    ledger.reserve("adult-2026", pure(0.5), purpose="", digest=digest)
    with pytest.raises(BudgetExceeded):
        ledger.reserve("adult-2026", pure(0.1), purpose="")
    assert ledger.history("adult-2026") == ledger.history("adult")
    assert ledger.data_set("adult").aliases == ("adult-2026",)
    ledger.declare("other", epsilon=1.0, delta=0.0)
    for call in (lambda: ledger.link("other", to="adult"), lambda: ledger.link("adult-2026", to="other"), lambda: ledger.link("x", to="none")):
        with pytest.raises(InvalidInput):
            call()
    with pytest.raises(InvalidInput, match="the ledger already has"):
        ledger.declare("adult-2026", epsilon=1.0, delta=0.0)


def test_the_digest_depends_on_the_bytes_and_the_ledger_alone(ledger, tmp_path):
    other = Ledger.create(tmp_path / "other.ledger")
    assert ledger.digest([b"ab", b"c"]) == ledger.digest(iter([b"a", b"", b"bc"])) != ledger.digest([b"abd"])
    assert ledger.digest([b"abc"]) != other.digest([b"abc"])
    assert ledger.digest([]) is ledger.digest([b"", b""]) is None


def test_spending_on_disjoint_parts_counts_by_the_largest(ledger):
    ledger.declare("hospitals", epsilon=1.0, delta=0.0, parts=["south", "north"], part_of_a_record_stays=True)
    ledger.reserve("hospitals", pure(0.75), purpose="", part="north")
    ledger.reserve("hospitals", pure(0.5), purpose="", part="south")
    assert ledger.spent("hospitals") == Amount(epsilon=0.75)
    ledger.reserve("hospitals", pure(0.25), purpose="the whole")
    assert ledger.spent("hospitals") == Amount(epsilon=1.0)
    assert ledger.left("hospitals", part="south") == Amount(epsilon=0.25)
    with pytest.raises(BudgetExceeded, match="part 'north'"):
        ledger.reserve("hospitals", pure(0.125), purpose="", part="north")
    with pytest.raises(BudgetExceeded):
        ledger.reserve("hospitals", pure(0.125), purpose="the whole")
    ledger.reserve("hospitals", pure(0.25), purpose="", part="south")


def test_undeclared_parts_are_refused(ledger):
    ledger.declare("hospitals", epsilon=1.0, delta=0.0, parts=["south", "north"], part_of_a_record_stays=True)
    for call in (lambda: ledger.reserve("hospitals", pure(0.1), purpose="", part="east"), lambda: ledger.spent("adult", part="east")):
        with pytest.raises(InvalidInput, match="no part 'east'"):
            call()
    for parts in (["one"], ["a", "a"], "ab", ["a", ""]):
        with pytest.raises(InvalidInput):
            ledger.declare("other", epsilon=1.0, delta=0.0, parts=parts, part_of_a_record_stays=True)


def test_parts_need_that_a_replaced_record_stays_in_its_part(ledger):
    with pytest.raises(InvalidInput, match="part_of_a_record_stays=True"):
        ledger.declare("hospitals", epsilon=1.0, delta=0.0, parts=["south", "north"])
    ledger.declare("hospitals", epsilon=1.0, delta=0.0, parts=["south", "north"], neighbours=ADD_REMOVE)
    ledger.reserve("hospitals", added(1.0), purpose="", part="south")
    ledger.reserve("hospitals", added(1.0), purpose="", part="north")


@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
def test_parts_of_persons_need_that_all_rows_of_a_person_lie_in_one(ledger, neighbours):
    wanted = {"epsilon": 1.0, "parts": ["south", "north"], "neighbours": neighbours, "unit": "person"}
    with pytest.raises(InvalidInput, match="several parts"):
        ledger.declare("hospitals", **wanted)
    ledger.declare("hospitals", **wanted, part_of_a_record_stays=True)
