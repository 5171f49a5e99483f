"""What there is to report on in a file or a folder: a model, a certificate, a ledger, a published release, told apart by what they say they are."""

import json
from pathlib import Path
from typing import Any

from discreet.certificates import Certificate
from discreet.certificates.certificate import FORMAT as CERTIFICATE
from discreet.errors import DiscreetError, FileFormatError, InvalidInput
from discreet.estimators import Model
from discreet.estimators.model import FORMAT as MODEL
from discreet.files.strict_json import printable, read_object
from discreet.ledger import Ledger
from discreet.reports.subjects import Certified

_SQLITE = b"SQLite format 3\x00"
_LARGEST = 1 << 30


def subject_from(path: str | Path) -> Model | Certificate | Ledger | Certified:
    """Read it. Raises InvalidInput where there is nothing that can be read, FileFormatError for what is none of these or damaged."""
    where = Path(path)
    try:
        if where.is_dir():
            return _folder(where)
        with where.open("rb") as file:
            head = file.read(len(_SQLITE))
        if head == _SQLITE:
            return Ledger(where)
        if where.stat().st_size > _LARGEST:
            raise FileFormatError(f"{str(path)!r} is no model file, certificate or ledger: it is too large.")
        text = where.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        refusal: InvalidInput = FileFormatError(f"{str(path)!r} is no model file, certificate or ledger: it is not UTF-8 text.")
    except FileNotFoundError:
        refusal = InvalidInput(f"there is nothing at {str(path)!r}. Give a model file, a certificate, a ledger, or the folder of a release.")
    except (OSError, ValueError) as error:
        refusal = InvalidInput(f"{str(path)!r} cannot be read ({type(error).__name__}). A readable file is needed.")
    else:
        return _document(text, str(path))
    raise refusal


def _document(text: str, path: str) -> Model | Certificate:
    try:
        record: dict[str, Any] = read_object(text, what="a model or certificate")
        found = record.get("format")
        if found == MODEL:
            return Model.from_json(text)
        if found == CERTIFICATE and printable(record):
            return Certificate.from_dict(record)
    except DiscreetError as error:
        refusal = FileFormatError(f"{path!r}: {error}")
    except (TypeError, ValueError, LookupError, ArithmeticError, RecursionError):
        refusal = FileFormatError(f"{path!r} holds values of the wrong type.")
    else:
        if found == CERTIFICATE:
            raise FileFormatError(f"{path!r} holds control characters, which could disguise what it says.")
        stated = json.dumps(found)[:60] if found is not None else "none"
        known = f"{MODEL}, {CERTIFICATE}, a ledger, or the folder of a release"
        refusal = FileFormatError(f"{path!r} states the format {stated}; a report is on {known}.")
    raise refusal


def _folder(path: Path) -> Certified:
    from discreet.publications import read_release  # noqa: PLC0415 - only folders need it

    return read_release(path)
