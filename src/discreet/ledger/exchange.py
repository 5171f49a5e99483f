"""A ledger as JSON, for reports and for moving spending between ledgers.

Digests and their key stay out: with both, whoever knows all records but one could test what the last one holds. Entries keep their UUIDs, so that an
import adds each once; of two states of one entry the one that is harder to take back wins (settled, then reserved, then cancelled). A total is a
decision of the ledger that holds it: importing into a ledger that knows the data set changes neither its total nor its amendments.
"""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from discreet.accounting import Json, Unit, guarantee_from_dict
from discreet.core.errors import DiscreetError, FileFormatError, InvalidInput
from discreet.core.files.strict_json import read_object
from discreet.core.neighbours import Neighbours
from discreet.ledger import records
from discreet.ledger.accountants import Amount, total
from discreet.ledger.entries import Amendment, DataSet, Entry, State, distinct_labels, public_text

FORMAT = "discreet-ledger/1"
_FIRMNESS = (State.CANCELLED, State.RESERVED, State.SETTLED)


def exported(connection: sqlite3.Connection, written: str) -> str:
    """JSON of the whole ledger but its digests and their key; `written` is the time that it states."""
    data_sets: list[Json] = []
    entries: list[Json] = []
    for name in records.names(connection):
        data_set = records.get(connection, name)
        data_sets.append(
            {
                "name": name,
                "neighbours": str(data_set.neighbours),
                "unit": str(data_set.unit),
                "total": data_set.declared.to_dict(),
                "parts": list(data_set.parts),
                "aliases": list(data_set.aliases),
                "accountant": data_set.accountant,
                "created": data_set.created,
                "amendments": [
                    {"id": each.id, "total": each.total.to_dict(), "reason": each.reason, "created": each.created}
                    for each in records.amendments_of(connection, name)
                ],
            }
        )
        entries.extend(entry.to_dict() for entry in records.entries_of(connection, name))
    ledger = connection.execute("SELECT id FROM about").fetchone()[0]
    record = {"format": FORMAT, "ledger": ledger, "written": written, "data_sets": data_sets, "entries": entries}
    return json.dumps(record, indent=2, allow_nan=False, ensure_ascii=False)


def imported(connection: sqlite3.Connection, text: str) -> int:
    """Take over an export, a JSON text, inside the caller's transaction; returns how many entries are new. Raises as `Ledger.import_`."""
    data_sets, amendments, entries = _read(text)
    owners: dict[str, DataSet] = {}
    for data_set in data_sets:
        owners[data_set.name] = _taken_over(connection, data_set, [each for each in amendments if each.data_set == data_set.name])
    new: dict[str, list[Entry]] = {}
    for entry in entries:
        owner = owners.get(entry.data_set)
        if owner is None or (entry.part is not None and entry.part not in owner.parts):
            raise FileFormatError("the export has an entry on a data set or a part that it does not declare.")
        if (entry.guarantee.neighbours, entry.guarantee.unit) != (owner.neighbours, owner.unit):
            raise FileFormatError(f"the export has an entry on {entry.data_set!r} for another neighbouring relation or unit.")
        if records.knows_entry(connection, entry.id):
            _firmed(connection, entry, owner)
        else:
            new.setdefault(owner.name, []).append(entry)
    for name, added in new.items():
        records.add_entries(connection, name, added)
    return sum(map(len, new.values()))


def _taken_over(connection: sqlite3.Connection, data_set: DataSet, amendments: Sequence[Amendment]) -> DataSet:
    """The data set of this ledger that takes the entries of `data_set`, made where there is none. Raises InvalidInput where the two contradict."""
    found = records.find(connection, data_set.name)
    if found is None:
        for alias in data_set.aliases:
            if records.find(connection, alias) is not None:
                raise InvalidInput(f"in the export {alias!r} is another name of {data_set.name!r}; this ledger uses it for a data set of its own.")
        records.add_data_set(connection, data_set)
        for amendment in amendments:
            records.add_amendment(connection, amendment)
        return data_set
    if any(getattr(found, name) != getattr(data_set, name) for name in ("neighbours", "unit", "parts", "accountant")):
        raise InvalidInput(f"{data_set.name!r} has another neighbouring relation, unit, partition or accountant in this ledger than in the export.")
    for alias in data_set.aliases:
        other = records.find(connection, alias)
        if other is None:
            records.add_alias(connection, alias, found)
        elif other.name != found.name:
            raise InvalidInput(f"in the export {alias!r} is another name of {data_set.name!r}; this ledger uses it for {other.name!r}.")
    return found


def _firmed(connection: sqlite3.Connection, entry: Entry, owner: DataSet) -> None:
    """Set an entry that was known to the firmer of its two states. Raises InvalidInput where it says something else."""
    known = records.get_entry(connection, entry.id)
    if (known.data_set, known.part, known.guarantee) != (owner.name, entry.part, entry.guarantee):
        raise InvalidInput("the export and this ledger disagree on the data set, part or guarantee of an entry; one of the two was altered.")
    if _FIRMNESS.index(entry.state) > _FIRMNESS.index(known.state):
        records.close_entry(connection, entry.id, entry.state, entry.closed_at)


def _read(text: str) -> tuple[list[DataSet], list[Amendment], list[Entry]]:
    record = _json(text)
    if record.get("format") != FORMAT:
        raise FileFormatError(f"an export of format {FORMAT!r} is needed; this text states another format, or none.")
    try:
        data_sets = [_data_set(each) for each in record["data_sets"]]
        amendments = [_amendment(each, data_set["name"]) for data_set in record["data_sets"] for each in data_set["amendments"]]
        entries = [_entry(each) for each in record["entries"]]
    except (DiscreetError, KeyError, TypeError, ValueError, AttributeError):
        refusal = FileFormatError("the export is incomplete, holds values of the wrong type, or guarantees that this version does not know.")
    else:
        every_name = [name for each in data_sets for name in (each.name, *each.aliases)]
        if len(set(every_name)) == len(every_name) and len({each.id for each in entries}) == len(entries):
            return data_sets, amendments, entries
        refusal = FileFormatError("the export holds the same name or the same entry twice.")
    raise refusal


def _json(text: str) -> dict[str, Any]:
    try:
        return read_object(text, what="an export")
    except (TypeError, FileFormatError):
        refusal = FileFormatError("an export is one JSON object; this text is something else, or truncated.")
    raise refusal


def _data_set(record: Mapping[str, Any]) -> DataSet:
    first = _total(record["total"])
    return DataSet(
        name=public_text(record["name"], "a name"),
        neighbours=Neighbours(record["neighbours"]),
        unit=Unit(record["unit"]),
        declared=first,
        total=_total(record["amendments"][-1]["total"]) if record["amendments"] else first,
        parts=distinct_labels(record["parts"]),
        aliases=tuple(public_text(alias, "a name") for alias in record["aliases"]),
        accountant=public_text(record["accountant"], "a name"),
        created=_time(record["created"]),
    )


def _amendment(record: Mapping[str, Any], data_set: str) -> Amendment:
    reason, created = public_text(record["reason"], "a reason"), _time(record["created"])
    return Amendment(id=str(UUID(record["id"])), data_set=data_set, total=_total(record["total"]), reason=reason, created=created)


def _entry(record: Mapping[str, Any]) -> Entry:
    part, closed_at = record["part"], record["closed_at"]
    return Entry(
        id=str(UUID(record["id"])),
        data_set=public_text(record["data_set"], "a name"),
        part=None if part is None else public_text(part, "a part"),
        guarantee=guarantee_from_dict(record["guarantee"]),
        purpose=public_text(record["purpose"], "a purpose", empty=True),
        state=State(record["state"]),
        reserved_at=_time(record["reserved_at"]),
        closed_at=None if closed_at is None else _time(closed_at),
    )


def _time(text: str) -> str:
    """From an ISO time with its zone to the same in UTC, so that times sort as texts. Raises ValueError without a zone."""
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError
    return time.astimezone(UTC).isoformat(timespec="milliseconds")


def _total(record: Mapping[str, Any]) -> Amount:
    return total(record["epsilon"], record["delta"])
