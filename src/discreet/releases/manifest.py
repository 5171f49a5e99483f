"""The manifest of a release: one JSON document that says everything that is public about it, written and read strictly.

It is a data set in the words of Croissant 1.0 (name, description, license, distribution with checksums, record sets with their fields and types), so
that tools that read Croissant find files and columns. What Croissant has no words for has names beginning with `discreet:`. The last of these is the
SHA-256 of all the rest, so that a change of any word is seen; a change of a number that a proof rests on is seen even where that digest was changed
too (module `checks`).

What is missing, mistyped, of another version or contradicts itself is refused, and no path in it is followed.
"""

import hashlib
import json
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, TypedDict

from discreet.accounting import Json
from discreet.certificates import Certificate
from discreet.core.errors import FileFormatError
from discreet.core.fields import count, sha256, text
from discreet.core.files.strict_json import canonical_bytes, printable, read_object, understood
from discreet.core.short import short_repr
from discreet.data import Schema
from discreet.queries import Target
from discreet.releases.methods import ALL_METHODS, Method
from discreet.releases.methods.base import Calibration
from discreet.releases.methods.columns import Kind, PublishedColumn
from discreet.releases.parts import PROJECTION, Part, part_path
from discreet.releases.words import in_words

FORMAT, SYNTHETIC = "discreet-release/1", "discreet-synthetic/1"
"""The formats of a release and of a synthetic table; another version is refused."""

NAME = "manifest.json"
DIGEST = "discreet:digest"
_PARQUET = "application/vnd.apache.parquet"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stated(ABC):
    """What a manifest says of every release, as values."""

    certificate: Certificate
    """What the release promises and why."""
    parts: tuple[Part, ...]
    """Its files of rows."""
    name: str
    description: str
    license: str | None = None

    __repr__ = short_repr

    @property
    @abstractmethod
    def in_words(self) -> dict[str, list[Json]]:
        """What it protects, what not, and how to use it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Contents(Stated):
    """What the manifest of a table says, as values."""

    method: str
    """One of `METHODS`, or "local"."""
    calibration: Calibration
    """Ours ("tight"), or as in a paper ("published")."""
    target: Target
    """What became of the target."""
    columns: tuple[PublishedColumn, ...]
    """Those of the released numbers, in order; a target is the last."""
    projection_part: Part | None
    schema: Schema | None
    """By which the table was encoded, and by which others may be; None for a release of arrays."""

    @property
    def made_by(self) -> Method:
        """The method, with all that is particular about its releases."""
        return ALL_METHODS[self.method]

    @property
    def kind(self) -> Kind:
        """What the numbers are."""
        return self.made_by.kind

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the released numbers."""
        return sum(part.rows for part in self.parts), len(self.columns)

    @property
    def column_names(self) -> list[str]:
        """The names of the columns, in order."""
        return [column.name for column in self.columns]

    @property
    def in_words(self) -> dict[str, list[Json]]:
        """What it protects, what not, and how to use it."""
        return in_words(self.certificate, self.made_by, self.target)

    def manifest(self) -> dict[str, Any]:
        """The document, with its digest."""
        source = {"fileSet": {"@id": "data"}} if len(self.parts) > 1 else {"fileObject": {"@id": self.parts[0].path}}
        fields = [{**croissant_field(column.name, "sc:Float", source), "discreet:column": column.to_dict()} for column in self.columns]
        stated = {
            "discreet:format": FORMAT,
            "discreet:method": self.method,
            "discreet:calibration": self.calibration,
            "discreet:kind": str(self.kind),
            "discreet:target": str(self.target),
            "discreet:rows": self.shape[0],
            "discreet:schema": None if self.schema is None else self.schema.to_dict(),
            "discreet:certificate": self.certificate.to_dict(),
        }
        return document_of(self, self._distribution(), fields, stated)

    def _distribution(self) -> list[dict[str, Any]]:
        files = [croissant_file(part) for part in self.parts]
        if self.projection_part is not None:
            says = "The public matrix P that records were multiplied by, one row a number of a record."
            files.append({**croissant_file(self.projection_part), "description": says})
        if len(self.parts) > 1:
            files.append({"@type": "cr:FileSet", "@id": "data", "name": "data", "encodingFormat": _PARQUET, "includes": "data/*.parquet"})
        return files


def document_of(release: Stated, files: list[dict[str, Any]], fields: list[dict[str, Any]], stated: dict[str, Any]) -> dict[str, Any]:
    """The manifest, with its digest: of files that Croissant describes, of rows with these fields, and what else is `stated`."""
    words = release.in_words
    document = {
        "@context": croissant_context(),
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": release.name,
        "description": release.description,
        **({} if release.license is None else {"license": release.license}),
        "distribution": files,
        "recordSet": [{"@type": "cr:RecordSet", "@id": "rows", "name": "rows", "field": fields}],
        **stated,
        "discreet:protects": words["protects"],
        "discreet:doesNotProtect": words["does_not_protect"],
        "discreet:howToUse": words["how_to_use"],
    }
    return {**document, DIGEST: digest_of_manifest(document)}


def digest_of_manifest(document: dict[str, Any]) -> str:
    """SHA-256 of the document without its digest, in its canonical spelling."""
    rest = {key: value for key, value in document.items() if key != DIGEST}
    return hashlib.sha256(canonical_bytes(rest)).hexdigest()


def manifest_text(document: dict[str, Any]) -> str:
    """The manifest as it is written into the folder."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def croissant_file(part: Part) -> dict[str, Any]:
    """A file as Croissant describes it."""
    return {
        "@type": "cr:FileObject",
        "@id": part.path,
        "name": part.path,
        "contentUrl": part.path,
        "contentSize": f"{part.size} B",
        "encodingFormat": _PARQUET,
        "sha256": part.sha256,
        "discreet:rows": part.rows,
    }


def croissant_field(name: str, kind: str, source: dict[str, Any]) -> dict[str, Any]:
    """A column of rows as Croissant describes it."""
    return {"@type": "cr:Field", "@id": f"rows/{name}", "name": name, "dataType": kind, "source": {**source, "extract": {"column": name}}}


def croissant_context() -> dict[str, Any]:
    """The terms of Croissant, and ours."""
    terms = (
        "citeAs column extract field fileProperty fileObject fileSet format includes isLiveDataset jsonPath key md5 parentField path recordSet "
        "references regex repeated replace separator source subField transform"
    )
    return {
        "@language": "en",
        "@vocab": "https://schema.org/",
        "sc": "https://schema.org/",
        "cr": "http://mlcommons.org/croissant/",
        "dct": "http://purl.org/dc/terms/",
        "conformsTo": "dct:conformsTo",
        "data": {"@id": "cr:data", "@type": "@json"},
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
        "examples": {"@id": "cr:examples", "@type": "@json"},
        **{term: f"cr:{term}" for term in terms.split()},
        "discreet": "urn:discreet:release#",
    }


def read_manifest(given: str) -> tuple[Contents, dict[str, Any]]:
    """What the text says, as values and as it stands. Raises FileFormatError for anything that this version would not have written."""
    document = document_in(given, FORMAT)
    return understood(lambda: _contents(document)), document


def document_in(given: str, form: str) -> dict[str, Any]:
    """A manifest of this format. Raises FileFormatError for another, and for characters that nobody sees."""
    document = read_object(given, what="the manifest of a release")
    stated = document.get("discreet:format")
    if stated != form:
        known = isinstance(stated, str) and stated.isprintable()
        what = "none is stated" if stated is None else f"{stated!r} was given" if known else "another was given"
        raise FileFormatError(f"this version reads releases of the format {form!r}; {what}. Install a version of discreet that reads it.")
    if not printable(document):
        raise FileFormatError("it holds control characters, which could disguise what it says.")
    return document


class Common(TypedDict):
    """What every manifest says, but for its files."""

    certificate: Certificate
    name: str
    description: str
    license: str | None


def common_of(document: dict[str, Any]) -> Common:
    """What all methods have in common, read from a manifest."""
    given = document.get("license")
    return {
        "certificate": Certificate.from_dict(document["discreet:certificate"]),
        "name": text(document["name"]),
        "description": text(document["description"]),
        "license": None if given is None else text(given),
    }


def _contents(document: dict[str, Any]) -> Contents:
    files = [entry for entry in _list(document["distribution"]) if entry["@type"] == "cr:FileObject"]
    parts = tuple(file_part(entry) for entry in files if entry["contentUrl"] != PROJECTION)
    projections = [file_part(entry) for entry in files if entry["contentUrl"] == PROJECTION]
    if [part.path for part in parts] != [part_path(number) for number in range(len(parts))] or not parts or len(projections) > 1:
        raise FileFormatError("it names other files than those of a release.")
    (record_set,) = _list(document["recordSet"])
    if document["discreet:method"] not in ALL_METHODS:
        raise FileFormatError("it was made by a method that this version does not know.")
    if document["discreet:calibration"] not in ("tight", "published"):
        raise FileFormatError("it states no calibration that this version knows.")
    schema = document["discreet:schema"]
    made = Contents(
        method=document["discreet:method"],
        calibration=document["discreet:calibration"],
        target=Target(document["discreet:target"]),
        columns=tuple(PublishedColumn.from_dict(text(field["name"]), field["discreet:column"]) for field in _list(record_set["field"])),
        parts=parts,
        projection_part=projections[0] if projections else None,
        schema=None if schema is None else Schema.from_dict(schema),
        **common_of(document),
    )
    if count(document["discreet:rows"]) != made.shape[0]:
        raise FileFormatError("its parts do not belong together: its files have another number of rows.")
    if Kind(document["discreet:kind"]) is not made.kind:
        raise FileFormatError("its parts do not belong together: its method makes releases of another kind.")
    return made


def file_part(entry: dict[str, Any]) -> Part:
    """A file as Croissant describes it."""
    size = text(entry["contentSize"])
    if not re.fullmatch(r"\d{1,18} B", size):
        raise ValueError
    return Part(path=text(entry["contentUrl"]), rows=count(entry["discreet:rows"]), size=int(size[:-2]), sha256=sha256(entry["sha256"]))


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value
