"""A description as a file, read back: it holds the integers, the schema, what was asked and the certificate, and all else is computed again.

One that says anything else is refused.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from discreet.certificates import Certificate, Release
from discreet.core.errors import FileFormatError
from discreet.core.files.reading import read_parsed
from discreet.core.files.strict_json import read_back
from discreet.data import Schema
from discreet.descriptions.asked import Asked
from discreet.descriptions.read import read_description as _read_description
from discreet.descriptions.report import FORMAT, Description
from discreet.evaluation.intervals import checked_level
from discreet.evaluation.stored import mechanism_of, require_records


def read_description(path: str | Path) -> Description:
    """The description in a file. Raises InvalidInput if the file does not exist, and FileFormatError, with the path, if its content is not valid."""
    return read_parsed(path, description_from, what="description", remedy="Check the path, or write one with `discreet describe --out`.")


def description_from(text: str) -> Description:
    """The description that `to_json` wrote. Raises FileFormatError for any other text."""
    return read_back(text, _read, what="a description", format_=FORMAT, basis="the released integers")


def _read(record: Mapping[str, Any]) -> Description:
    certificate = Certificate.from_dict(record["certificate"])
    mechanism = mechanism_of(certificate)
    asked = Asked.from_dict(Schema.from_dict(record["schema"]), mechanism.neighbours, record["asked"])
    if certificate.problem != asked.queries.to_dict():
        raise FileFormatError("its parts do not belong together: its certificate is for other queries.")
    value = np.array(record["value"], dtype=np.float64)
    if value.shape != (asked.query.size,) or not np.array_equal(value, np.rint(value)):
        raise FileFormatError("its parts do not belong together: the queries need another number of answers, or answers that are integers.")
    level, records = record["level"], record["records"]
    checked_level(level)
    if asked.public_total == (records is None) or not (records is None or isinstance(records, int)):
        raise FileFormatError("its number of records is not a valid number.")
    require_records(certificate, records)
    return _read_description(asked, mechanism, Release(value=value, certificate=certificate), records, level=level)
