"""A synthetic table as a folder: rows in the schema's own types, the noisy counts that they were drawn from, and a manifest with the certificate.

    data/part-00000.parquet ..    one file a table, rows of the schema's columns
    margins.parquet               the released value: every noisy count, in parts of a record
    manifest.json                 what Croissant 1.0 has words for, and `discreet:` names for the rest

What is private is the counts alone; rows are drawn from them by a public way. So a stranger checks the counts against the certificate, the choice of
pairs against the counts, the rows against the schema, and their distance from the counts (`fidelity`). That rows were drawn, and are nobody's, is the
word of the folder's author: true records are as near to their noisy counts as drawn rows are.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from discreet.accounting import Guarantee, Json
from discreet.certificates import Certificate, Check, Verification
from discreet.core.arrays import Floats
from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.fields import count, flag, not_negative, sha256, text
from discreet.core.files.reading import whole_text
from discreet.core.files.strict_json import understood
from discreet.core.neighbours import Persons
from discreet.core.short import short_repr
from discreet.core.showing import html_of
from discreet.data import Schema
from discreet.data.parquet_file import parquet_header, parquet_table
from discreet.mechanisms.margins import Margins
from discreet.mechanisms.margins.problem import Cut, Rounds, Table
from discreet.releases.manifest import NAME, SYNTHETIC, Stated, common_of, croissant_field, croissant_file, document_in, document_of, file_part
from discreet.releases.parts import Part, described, part_path, read_part
from discreet.releases.synthetic.cells import CellColumn, cell_columns, cut_columns, cuts_asked
from discreet.releases.synthetic.fidelity import Fidelity, fidelity_of
from discreet.releases.synthetic.pending import GO_ON, Pending
from discreet.releases.synthetic.plan import problem_of, tables_asked
from discreet.releases.synthetic.words import in_words
from discreet.releases.words import inspected, some
from discreet.words.counting import WHOLE

METHOD = "synthetic"
MARGINS = "margins.parquet"
_VALUE = ["value"]
_CROISSANT = {
    pl.Boolean: "sc:Boolean",
    pl.Int64: "sc:Integer",
    pl.Float64: "sc:Float",
    pl.String: "sc:Text",
    pl.Date: "sc:Date",
    pl.Datetime: "sc:DateTime",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Synthetic(Stated):
    """What the manifest of synthetic tables says, as values: one part a table."""

    schema: Schema
    target: bool
    cuts: tuple[tuple[int, ...], ...]
    """The fine cells that bins of columns begin with, of those whose bins were chosen from the counts."""
    whole: tuple[str, ...]
    margins: Part
    fidelity: tuple[Fidelity, ...]
    pending: Pending | None = None
    """What is still to be drawn, where the counts are all there is yet: they are what was released, and paid for."""
    redrawn: bool
    """Whether each table has noise of its own besides, so that tables together show what the noise does (`combined`)."""

    @property
    def method(self) -> str:
        """As other releases have it."""
        return METHOD

    @property
    def columns(self) -> tuple[CellColumn, ...]:
        """Of the rows. Raises FileFormatError where the bins are none of theirs."""
        public = cell_columns(self.schema, target=self.target, whole=self.whole)
        return understood(lambda: cut_columns(public, self.problem.cut, self.cuts)) if self.cuts else public

    @property
    def column_names(self) -> list[str]:
        """The names of the columns, in order."""
        return [column.name for column in self.columns]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows of a table, and columns."""
        return (self.parts[0].rows if self.parts else 0), len(self.columns)

    @property
    def guarantee(self) -> Guarantee:
        """The certificate's."""
        return self.certificate.guarantee

    @property
    def in_words(self) -> dict[str, list[Json]]:
        """What it protects, what not, and how to use it."""
        return in_words(self.certificate, tables=len(self.parts), redrawn=self.redrawn)

    @property
    def problem(self) -> Margins:
        """What was counted. Raises FileFormatError where the certificate does not say."""
        return understood(lambda: margins_of(self.certificate.problem))

    @property
    def pairs(self) -> list[Table]:
        """The pairs of columns whose tables were chosen."""
        return understood(lambda: pairs_of(self.certificate))

    def manifest(self) -> dict[str, Any]:
        """The document, with its digest."""
        source = {"fileObject": {"@id": part_path(0)}}
        stated = {
            "discreet:format": SYNTHETIC,
            "discreet:method": METHOD,
            "discreet:schema": self.schema.to_dict(),
            "discreet:target": self.target,
            "discreet:whole": list(self.whole),
            **({"discreet:cuts": [list(each) for each in self.cuts]} if self.cuts else {}),
            "discreet:redrawn": self.redrawn,
            **({} if self.pending is None else {"discreet:pending": self.pending._asdict()}),
            "discreet:certificate": self.certificate.to_dict(),
            "discreet:fidelity": [{"columns": list(one.columns), "distance": one.distance, "noise": one.noise} for one in self.fidelity],
        }
        files = [croissant_file(part) for part in (*self.parts, self.margins)]
        return document_of(self, files, [croissant_field(column.name, _type(column), source) for column in self.columns], stated)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SyntheticTable(Synthetic):
    """A synthetic table in a folder. Build it with `read_synthetic`."""

    folder: Path
    document: Mapping[str, Any] = field(repr=False)

    __repr__ = short_repr
    _repr_html_ = html_of("releases.view")

    def frame(self, number: int = 0) -> pl.DataFrame:
        """The rows of a table, in the columns' own types.

        Raises InvalidInput if there is no table with this number, FileFormatError for an invalid file.
        """
        if self.pending is not None:
            raise InvalidInput(f"no rows were drawn yet from the counts in {str(self.folder)!r}. {GO_ON}")
        if not 0 <= number < len(self.parts):
            raise InvalidInput(f"there are {len(self.parts)} synthetic tables, numbered from 0; {number!r} was given.")
        part = self.parts[number]
        path = str(self.folder / part.path)
        if not (self.folder / part.path).is_file() or parquet_header(path) != self.column_names:
            raise FileFormatError(f"{part.path!r} is missing, or has other columns than the schema. Copy the whole folder.")
        return parquet_table(path, self.column_names)

    def frames(self) -> list[pl.DataFrame]:
        """The rows of all tables."""
        return [self.frame(number) for number in range(len(self.parts))]

    def long_frame(self) -> pl.DataFrame:
        """The rows of all tables below each other; of several, the first column numbers the tables from 1."""
        frames = self.frames()
        if len(frames) == 1:
            return frames[0]
        name = next(name for name in (f"{'synthetic ' * times}table" for times in range(len(self.column_names) + 1)) if name not in self.column_names)
        return pl.concat([frame.select(pl.lit(number).alias(name), pl.all()) for number, frame in enumerate(frames, start=1)])

    def value(self) -> Floats:
        """Every noisy count that was released, (cells of all tables,), in fractions of a record."""
        return read_part(self.folder, self.margins, _VALUE)[:, 0]

    def rounds(self) -> Rounds:
        """The same in numbers of records, table by table."""
        return self.problem.split(self.value(), self.pairs)

    def verify(self) -> Verification:
        """Check files, manifest, certificate, choice and rows."""
        return Verification(checks=tuple(_checks(self)))

    def inspection(self) -> list[tuple[str, list[str]]]:
        """What it is, what it protects and what not, and how to use it: (heading, lines)."""
        rows, columns = self.shape
        counted = f"{len(self.problem.tables)} tables and {len(self.pairs)} chosen pairs of columns"
        if self.pending is not None:
            waiting = f"{self.name!r}, noisy counts of {counted}, from which no rows were drawn yet"
            return inspected(self.certificate, [waiting, f"{columns} columns: {some(self.column_names)}", GO_ON], self.in_words)
        worst = max(self.fidelity, key=lambda one: one.distance - one.noise)
        several = "" if len(self.parts) == 1 else f"{len(self.parts)} tables of "
        distance, noise = (float(np.mean(each)) for each in zip(*(one[1:] for one in self.fidelity), strict=True))
        farthest = f"farthest beyond that in {' and '.join(worst.columns)}: {worst.distance:.3g}, noise {worst.noise:.3g}"
        cut = [self.column_names[one.column] for one in self.problem.cut]
        what = [
            f"{self.name!r}, rows of nobody, drawn from noisy counts of {counted}",
            f"{several}{rows} rows of {columns} columns: {some(self.column_names)}",
            *([f"Bins of {some(cut)}: chosen from noisy counts of finer cells"] if cut else []),
            f"Fidelity: shares of cells differ from the noisy ones by {distance:.3g} on average, noise alone by about {noise:.3g}; {farthest}",
        ]
        return inspected(self.certificate, what, self.in_words)

    def inspection_record(self) -> dict[str, Json]:
        """The same for programs."""
        return {
            "name": self.name,
            "method": METHOD,
            "shape": list(self.shape),
            "tables": len(self.parts),
            "columns": [*self.column_names],
            "fidelity": [{"columns": list(one.columns), "distance": one.distance, "noise": one.noise} for one in self.fidelity],
            "guarantee": self.guarantee.to_dict(),
            "noise_private": self.certificate.noise_private,
            **self.in_words,
        }


def read_synthetic(folder: str | Path) -> SyntheticTable:
    """Open the synthetic table in a folder.

    Raises InvalidInput if there is none, FileFormatError for a manifest of another version or an invalid one.
    """
    path = Path(folder)
    try:
        given = whole_text(path / NAME)
    except (OSError, ValueError):
        refusal = InvalidInput(f"there is no synthetic table {str(folder)!r}: a folder with a {NAME} is needed. Check the path.")
    else:
        return synthetic_from(path, given)
    raise refusal


def synthetic_from(folder: Path, given: str) -> SyntheticTable:
    """The synthetic table that a manifest describes. Raises FileFormatError."""
    document = document_in(given, SYNTHETIC)
    return understood(lambda: _read(folder, document))


def _read(folder: Path, document: dict[str, Any]) -> SyntheticTable:
    *files, last = [file_part(entry) for entry in document["distribution"]]
    pending = document.get("discreet:pending")
    expected = [*(part_path(number) for number in range(len(files))), MARGINS]
    if bool(files) is (pending is not None) or [part.path for part in (*files, last)] != expected:
        raise FileFormatError("it names other files than those of a synthetic table.")
    return SyntheticTable(
        folder=folder,
        document=document,
        schema=Schema.from_dict(document["discreet:schema"]),
        target=flag(document["discreet:target"]),
        whole=tuple(text(name) for name in document["discreet:whole"]),
        cuts=tuple(tuple(map(count, each)) for each in document.get("discreet:cuts", ())),
        redrawn=flag(document["discreet:redrawn"]),
        pending=None if pending is None else Pending.from_dict(pending),
        parts=tuple(files),
        margins=last,
        fidelity=tuple(
            Fidelity(tuple(map(text, one["columns"])), not_negative(one["distance"]), not_negative(one["noise"]))
            for one in document["discreet:fidelity"]
        ),
        **common_of(document),
    )


def is_synthetic(folder: Path) -> bool:
    """Whether the folder holds a synthetic table and nothing else, and so may be replaced by another."""
    try:
        return not _foreign(read_synthetic(folder))
    except (OSError, ValueError, InvalidInput):
        return False


def pairs_of(certificate: Certificate) -> list[Table]:
    """Those that were chosen. Raises KeyError or TypeError where it does not say."""
    stated: Any = certificate.parameters["pairs"]
    return [tuple(pair) for pair in stated]


def scales_of(certificate: Certificate) -> list[float]:
    """Of the noise. Raises KeyError or TypeError where it does not say."""
    stated: Any = certificate.parameters["scales"]
    return [float(scale) for scale in stated]


def margins_of(record: Mapping[str, Json]) -> Margins:
    """The problem that a certificate states. Raises KeyError, TypeError or ValueError for anything else."""
    stated: Any = record
    return Margins(
        columns=tuple((text(column["name"]), int(column["cells"])) for column in stated["columns"]),
        tables=tuple(tuple(table) for table in stated["tables"]),
        linked=tuple(stated["linked"]),
        hub=stated["hub"],
        most=stated["most"],
        largest=stated["largest"],
        persons=Persons.from_dict(stated["persons"]) if "persons" in stated else None,
        cut=tuple(
            Cut(column=count(one["column"]), fine=count(one["fine"]), gap=flag(one["gap"]), starts=tuple(map(count, one["starts"])))
            for one in stated.get("cut", ())
        ),
        asked=sha256(stated["asked"]) if "asked" in stated else "",
    )


def begins_of(problem: Margins, rounds: Rounds, scales: Sequence[float]) -> tuple[tuple[int, ...], ...]:
    """The fine cells that chosen bins begin with, from what was released."""
    found = problem.begins([rounds.tables[place] for place in problem.first], [scales[place] / WHOLE for place in problem.first])
    return tuple(found)


def _checks(found: SyntheticTable) -> list[Check]:
    files = (*found.parts, found.margins)
    changed = []
    for part in files:
        try:
            same = described(found.folder, part.path, part.rows) == part
        except OSError:
            same = False
        if not same:
            changed.append(part.path)
    detail = f"size and SHA-256 of {len(files)} files" if not changed else f"missing or changed: {', '.join(changed[:5])}"
    checks = [Check("files", not changed, detail)]
    added = _foreign(found)
    checks.append(Check("no other files", not added, "nothing was added" if not added else f"{len(added)} do not belong to the release"))
    document, expected = dict(found.document), found.manifest()
    other = sorted(key for key in {*expected, *document} if expected.get(key) != document.get(key))
    checks.append(Check("manifest", not other, "every word follows from the certificate" if not other else f"changed: {', '.join(other)[:100]}"))
    try:
        value = found.value()
        checks += found.certificate.verify(value).checks
        understood(lambda: checks.extend(_content(found, value)))
    except InvalidInput as error:
        checks.append(Check("released value", False, str(error)))
    return checks


def _content(found: SyntheticTable, value: Floats) -> Iterator[Check]:
    """What follows from the certificate and the counts."""
    problem, pairs, columns = found.problem, found.pairs, found.columns
    public = cell_columns(found.schema, target=found.target, whole=found.whole)
    asked, cut = tables_asked(problem, public, target=found.target), cuts_asked(public, [one.column for one in problem.cut])
    same = problem == problem_of(found.schema, public, target=found.target, asked=asked, cut=cut)
    yield Check("columns", same, "columns, cells, their order and persons are those of the schema")
    rounds, scale = problem.split(value, pairs), scales_of(found.certificate)[-1] / WHOLE
    if problem.cut:
        begins = begins_of(problem, rounds, scales_of(found.certificate))
        yield Check("cuts", begins == found.cuts, "they follow from the released counts of finer cells")
    if problem.linked:
        again = problem.chosen(rounds.tables, rounds.scores, scale, found.guarantee.neighbours)
        yield Check("pairs", again == pairs, "they follow from the released counts and scores")
    frames = found.frames()
    wrong = sum(
        frame.height != part.rows or not all(column.holds(frame.get_column(column.name)) for column in columns)
        for frame, part in zip(frames, found.parts, strict=True)
    )
    held = GO_ON if found.pending is not None else "every value is one of the schema's"
    detail = held if not wrong else f"{wrong} tables hold other values, or another number of rows"
    yield Check("rows", not wrong, detail)
    if same and not wrong:  # else there are no cells to count the rows in
        distances = [] if found.pending is not None else fidelity_of(problem, rounds, pairs, scales_of(found.certificate), columns, frames)
        near = len(distances) == len(found.fidelity) and all(one.agrees_with(other) for one, other in zip(distances, found.fidelity, strict=True))
        said = "the rows are as far from the released counts as is said, which does not show that they were drawn from them: their author says so"
        yield Check("fidelity", near, said if near else "the rows are not as far from the released counts as the manifest says")


def _foreign(found: SyntheticTable) -> list[str]:
    known = {NAME, *(part.path for part in (*found.parts, found.margins)), "data"}
    return [path.as_posix() for path in found.folder.rglob("*") if path.is_symlink() or path.relative_to(found.folder).as_posix() not in known]


def _type(column: CellColumn) -> str:
    return _CROISSANT[type(column.dtype)]
