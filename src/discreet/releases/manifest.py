"""The manifest of a release: one JSON document that says everything that is public about it.

It is a data set in the words of Croissant 1.0 (name, description, license, distribution with checksums, record sets with their fields and types), so
that tools that read Croissant find files and columns. What Croissant has no words for has names beginning with `discreet:`. The last of these is the
SHA-256 of all the rest, so that a change of any word is seen; a change of a number that a proof rests on is seen even where that digest was changed
too (module `checks`).
"""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from discreet.accounting import Json
from discreet.certificates import Certificate
from discreet.core.files.canonical_json import canonical_bytes
from discreet.data import Schema
from discreet.queries import Target
from discreet.releases.columns import PublishedColumn
from discreet.releases.methods import Kind
from discreet.releases.parts import Part
from discreet.releases.request import Calibration
from discreet.releases.words import exposes, protects, usage

FORMAT = "discreet-release/1"
"""The format of a release; another version is refused."""

NAME = "manifest.json"
DIGEST = "discreet:digest"
_PARQUET = "application/vnd.apache.parquet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What a manifest says, as values."""

    method: str
    calibration: Calibration
    kind: Kind
    target: Target
    columns: tuple[PublishedColumn, ...]
    rows: int
    parts: tuple[Part, ...]
    projection: Part | None
    schema: Schema | None
    certificate: Certificate
    name: str
    description: str
    license: str | None = None

    def manifest(self) -> dict[str, Any]:
        """The document, with its digest."""
        document = {
            "@context": _context(),
            "@type": "sc:Dataset",
            "conformsTo": "http://mlcommons.org/croissant/1.0",
            "name": self.name,
            "description": self.description,
            **({} if self.license is None else {"license": self.license}),
            "distribution": self._distribution(),
            "recordSet": [self._record_set()],
            "discreet:format": FORMAT,
            "discreet:method": self.method,
            "discreet:calibration": self.calibration,
            "discreet:kind": str(self.kind),
            "discreet:target": str(self.target),
            "discreet:rows": self.rows,
            "discreet:schema": None if self.schema is None else self.schema.to_dict(),
            "discreet:certificate": self.certificate.to_dict(),
            **self.in_words(),
        }
        return {**document, DIGEST: digest_of_manifest(document)}

    def in_words(self) -> dict[str, Json]:
        """What people read."""
        return {
            "discreet:protects": [*protects(self.certificate)],
            "discreet:doesNotProtect": [*exposes(self.certificate, self.method, self.kind, self.target)],
            "discreet:howToUse": [*usage(self.certificate, self.kind, self.target)],
        }

    def _distribution(self) -> list[dict[str, Any]]:
        files = [_file(part) for part in self.parts]
        if self.projection is not None:
            files.append(
                {**_file(self.projection), "description": "The public matrix P that records were multiplied by, one row a number of a record."}
            )
        if len(self.parts) > 1:
            files.append({"@type": "cr:FileSet", "@id": "data", "name": "data", "encodingFormat": _PARQUET, "includes": "data/*.parquet"})
        return files

    def _record_set(self) -> dict[str, Any]:
        source = {"fileSet": {"@id": "data"}} if len(self.parts) > 1 else {"fileObject": {"@id": self.parts[0].path}}
        return {
            "@type": "cr:RecordSet",
            "@id": "rows",
            "name": "rows",
            "field": [
                {
                    "@type": "cr:Field",
                    "@id": f"rows/{column.name}",
                    "name": column.name,
                    "dataType": "sc:Float",
                    "source": {**source, "extract": {"column": column.name}},
                    "discreet:column": column.to_dict(),
                }
                for column in self.columns
            ],
        }


def digest_of_manifest(document: dict[str, Any]) -> str:
    """SHA-256 of the document without its digest, in its canonical spelling."""
    rest = {key: value for key, value in document.items() if key != DIGEST}
    return hashlib.sha256(canonical_bytes(rest)).hexdigest()


def manifest_text(document: dict[str, Any]) -> str:
    """As it is written."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _file(part: Part) -> dict[str, Any]:
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


def _context() -> dict[str, Any]:
    """Croissant's, and ours."""
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
