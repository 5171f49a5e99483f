"""Reading a manifest, strictly: what is missing, mistyped, of another version or contradicts itself is refused, and no path in it is followed."""

import math
import re
from typing import Any

from discreet.certificates import Certificate
from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.files.strict_json import printable, read_object
from discreet.data import Schema
from discreet.queries import Target
from discreet.releases.columns import PublishedColumn
from discreet.releases.manifest import FORMAT, Contents
from discreet.releases.methods import LOCAL, METHODS, Kind
from discreet.releases.parts import PROJECTION, Part, part_path

_SHA256 = re.compile(r"[0-9a-f]{64}")


def read_manifest(text: str) -> tuple[Contents, dict[str, Any]]:
    """What the text says, as values and as it stands. Raises FileFormatError for anything that this version would not have written."""
    document = read_object(text, what="the manifest of a release")
    given = document.get("discreet:format")
    if given != FORMAT:
        what = (
            "none is stated" if given is None else f"{given!r} was given" if isinstance(given, str) and given.isprintable() else "another was given"
        )
        raise FileFormatError(f"this version reads releases of the format {FORMAT!r}; {what}. Install a version of discreet that reads it.")
    if not printable(document):
        raise FileFormatError("it holds control characters, which could disguise what it says.")
    try:
        return _contents(document), document
    except FileFormatError:
        raise
    except InvalidInput as error:
        refusal = FileFormatError(f"it contradicts itself: {error}")
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        refusal = FileFormatError("it is incomplete, or holds values of the wrong type.")
    raise refusal


def _contents(document: dict[str, Any]) -> Contents:
    files = [entry for entry in _list(document["distribution"]) if entry["@type"] == "cr:FileObject"]
    parts = tuple(_part(entry) for entry in files if entry["contentUrl"] != PROJECTION)
    projections = [_part(entry) for entry in files if entry["contentUrl"] == PROJECTION]
    if [part.path for part in parts] != [part_path(number) for number in range(len(parts))] or not parts or len(projections) > 1:
        raise FileFormatError("it names other files than those of a release.")
    rows = _count(document["discreet:rows"])
    if sum(part.rows for part in parts) != rows:
        raise FileFormatError("it contradicts itself: its files hold another number of rows.")
    (record_set,) = _list(document["recordSet"])
    method = str(document["discreet:method"])
    if method not in (*METHODS, LOCAL):
        raise FileFormatError("it was made by a method that this version does not know.")
    calibration = document["discreet:calibration"]
    if calibration not in ("tight", "published"):
        raise FileFormatError("it states no calibration that this version knows.")
    schema = document["discreet:schema"]
    license_ = document.get("license")
    return Contents(
        method=method,
        calibration=calibration,
        kind=Kind(document["discreet:kind"]),
        target=Target(document["discreet:target"]),
        columns=tuple(_column(field) for field in _list(record_set["field"])),
        rows=rows,
        parts=parts,
        projection=projections[0] if projections else None,
        schema=None if schema is None else Schema.from_dict(schema),
        certificate=Certificate.from_dict(document["discreet:certificate"]),
        name=_text(document["name"]),
        description=_text(document["description"]),
        license=None if license_ is None else _text(license_),
    )


def _part(entry: dict[str, Any]) -> Part:
    sha256, size = _text(entry["sha256"]), _text(entry["contentSize"])
    if not _SHA256.fullmatch(sha256) or not re.fullmatch(r"\d{1,18} B", size):
        raise ValueError
    return Part(path=_text(entry["contentUrl"]), rows=_count(entry["discreet:rows"]), size=int(size[:-2]), sha256=sha256)


def _column(field: dict[str, Any]) -> PublishedColumn:
    stated = field["discreet:column"]
    role, noisy = stated["role"], stated["noisy"]
    if role not in ("feature", "target") or not isinstance(noisy, bool):
        raise ValueError
    return PublishedColumn(
        name=_text(field["name"]),
        role=role,
        noisy=noisy,
        lower=_optional(stated["lower"]),
        upper=_optional(stated["upper"]),
        encoded_lower=_optional(stated["encodedLower"]),
        encoded_upper=_optional(stated["encodedUpper"]),
    )


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise TypeError
    return value


def _optional(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError
    return float(value)
