"""Records randomised by their owners: one record in, one line of text out; and the lines of many owners collected into a release.

    {"format": "discreet-record/1", "columns": [...], "values": [...], "certificate": {...}}

Nobody but the owner ever holds the record: the line is all that leaves. Its guarantee is local, and holds for each owner however many answer; whoever
answers twice spends twice. Collecting needs no trust and costs no privacy: it checks each line against its own certificate, and that all lines were
made by one mechanism for one schema.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path

import numpy as np

from discreet.accounting.base import Statement
from discreet.certificates import Certificate, Verification, digest_of, digest_of_blocks
from discreet.core.arrays import Floats
from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.files.strict_json import printable, read_object
from discreet.core.files.whole_folder import check_folder, whole_folder
from discreet.core.frameless import frameless
from discreet.core.neighbours import REPLACE_ONE
from discreet.core.short import short_repr
from discreet.data import Schema
from discreet.mechanisms.release import GaussianRelease, LaplaceRelease, RandomisedCategories
from discreet.noise import Noise
from discreet.queries import Rows, Target
from discreet.releases.manifest import NAME, Contents, manifest_text
from discreet.releases.methods.columns import encoded_records, record_columns, released_schema, schema_domain
from discreet.releases.methods.rows import LOCAL
from discreet.releases.parts import PartWriter, read_parts
from discreet.releases.publication import About
from discreet.releases.release import PublishedRelease, is_release, read_release

FORMAT = "discreet-record/1"
"""The format of a line; another version is refused."""
_BATCH = 1024


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RandomisedRecord:
    """The randomised record of one owner."""

    columns: tuple[str, ...]
    values: Floats
    """(columns,), in encoded units."""
    certificate: Certificate

    __repr__ = short_repr

    def verify(self) -> Verification:
        """Check the certificate against the numbers, which are one row."""
        return self.certificate.verify(self.values[np.newaxis])

    def to_dict(self) -> dict[str, object]:
        """A plain dictionary for JSON."""
        return {"format": FORMAT, "columns": list(self.columns), "values": self.values.tolist(), "certificate": self.certificate.to_dict()}

    def to_line(self) -> str:
        """`to_dict` on one line."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_line(cls, line: str) -> "RandomisedRecord":
        """What `to_line` wrote. Raises FileFormatError for any other text."""
        try:
            record = read_object(line, what="a randomised record")
        except FileFormatError:
            record = {}
        match record:
            case {"format": str(given), "columns": list(columns), "values": list(values), "certificate": dict(certificate)} if given == FORMAT:
                numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
                named = all(isinstance(name, str) and name for name in columns) and len(set(columns)) == len(columns) == len(values)
                if numbers and named and printable(record):
                    made = Certificate.from_dict(certificate)
                    return cls(columns=tuple(columns), values=np.array(values, dtype=np.float64), certificate=made)
        raise FileFormatError(f"a line of the format {FORMAT!r}, as `discreet randomise` writes it, is needed; something else was found.")


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSurvey:
    """The questions to all owners in a survey: the same schema, the same noise. Build it with `planned`."""

    schema: Schema
    query: Rows
    mechanism: GaussianRelease | LaplaceRelease

    __repr__ = short_repr

    @classmethod
    def planned(cls, schema: Schema, *, epsilon: float, delta: float, target: Target = Target.NOISY) -> "LocalSurvey":
        """A survey with Gaussian noise, or Laplace noise if delta = 0.

        Raises InvalidInput if it cannot be calibrated. With an exact target only the features are protected, and the certificate says so.
        """
        used = released_schema(schema)
        query = Rows(domain=schema_domain(used), target=target)
        if delta == 0:
            pure = LaplaceRelease.calibrate(query, epsilon=epsilon, neighbours=REPLACE_ONE, local=True)
            return cls(schema=used, query=query, mechanism=pure)
        made = GaussianRelease.calibrate(query, epsilon=epsilon, delta=delta, neighbours=REPLACE_ONE, local=True)
        return cls(schema=used, query=query, mechanism=made)

    @frameless
    def randomise(self, record: Mapping[str, object], noise: Noise) -> RandomisedRecord:
        """One record, by its owner: column -> cell. Raises as `Schema.encode` does, without the cell."""
        data = encoded_records(self.schema, {name: [cell] for name, cell in record.items()}, self.query.target)
        made = self.mechanism.run(self.query, data, noise)
        names = tuple(column.name for column in record_columns(self.query.domain, self.query.target, self.schema))
        return RandomisedRecord(columns=names, values=made.value[0], certificate=made.certificate)


def collect(lines: Iterable[str], folder: str | Path, *, schema: Schema, about: About = About(), overwrite: bool = False) -> PublishedRelease:  # noqa: B008 - a frozen value
    """Make a release from the owners' lines.

    Blank lines are skipped. Raises FileFormatError for a line that is damaged or was made differently from the first, InvalidInput for a folder that
    cannot be written.
    """
    used = released_schema(schema)
    check_folder(folder, overwrite=overwrite, replaceable=is_release)
    records = checked_lines(lines, lambda first: _first(first, used))
    first = next(records, None)
    if first is None:
        raise InvalidInput("there is nothing to collect: the file has no lines.")
    shared, names = _common(first.certificate), first.columns
    target = Target(str(shared.problem["target"]))
    with whole_folder(folder, overwrite=overwrite, replaceable=is_release) as temporary:
        writer = PartWriter(names)
        writer.into(temporary)
        for some in _batches(chain([first], records)):
            writer.keep(some)
        parts = writer.finish()
        count = sum(part.rows for part in parts)
        contents = Contents(
            method=LOCAL.name,
            calibration="tight",
            target=target,
            columns=record_columns(schema_domain(used), target, used),
            parts=parts,
            projection_part=None,
            schema=used,
            certificate=replace(shared, digest=digest_of_blocks((count, len(names)), read_parts(temporary, parts, names))),
            name=about.name or used.name,
            description=about.description or "Records that their owners randomised, collected.",
            license=about.license,
        )
        (temporary / NAME).write_text(manifest_text(contents.manifest()), encoding="utf-8")
    return read_release(folder)


def checked_lines(lines: Iterable[str], fits: Callable[[RandomisedRecord], None]) -> Iterator[RandomisedRecord]:
    """The records of the lines, blank ones skipped; the first must pass `fits`, and each is checked by itself and against the first."""
    first: RandomisedRecord | None = None
    for line in lines:
        if not line.strip():
            continue
        record = RandomisedRecord.from_line(line)
        if first is None:
            first = record
            fits(record)
        same = _common(record.certificate) == _common(first.certificate) and record.columns == first.columns
        if not same or digest_of(record.values.reshape(1, -1)) != record.certificate.digest:
            raise FileFormatError("all lines must come from `discreet randomise` with the same schema, epsilon and delta; one differs.")
        yield record


def _batches(records: Iterable[RandomisedRecord]) -> Iterator[Floats]:
    """Their values, some at a time, so that a survey need not fit into memory."""
    all_of_them = iter(records)
    while some := list(islice(all_of_them, _BATCH)):
        yield np.array([record.values for record in some])


def _common(certificate: Certificate) -> Certificate:
    """What is the same for all owners."""
    return replace(certificate, digest="", ledger_entry=None)


def _first(record: RandomisedRecord, schema: Schema) -> None:
    """Raise FileFormatError unless it is a local release of a record of this schema."""
    guarantee, problem = record.certificate.guarantee, record.certificate.problem
    if record.certificate.mechanism == RandomisedCategories.name:
        raise FileFormatError("these lines contain categories, for `discreet frequencies`; lines of numbers are needed.")
    if not (isinstance(guarantee, Statement) and guarantee.local and LOCAL.spec_of(record.certificate.mechanism) is not None):
        raise FileFormatError("only records randomised by their owners can be collected; another release was found.")
    try:
        target = Target(str(problem.get("target")))
    except ValueError:
        target = Target.OMITTED
    query = Rows(domain=schema_domain(schema), target=target)
    names = tuple(column.name for column in record_columns(query.domain, target, schema))
    if dict(problem) != query.to_dict() or record.columns != names or len(record.values) != len(names):
        raise FileFormatError("the lines were made with a different schema.")
