"""One spelling for each JSON document, so that digests and signatures are about what it says and not about its blanks.

    keys sorted by their UTF-16 code units, no blanks, every character as itself in UTF-8, no NaN and no infinity

as in RFC 8785, but for numbers: these are written as Python writes them (integers with all their digits, others in the fewest digits that are read
back exactly), so that 1 and 1.0, which this library tells apart, stay apart.
"""

import json
from collections.abc import Mapping
from typing import Any


def canonical_bytes(document: Mapping[str, Any]) -> bytes:
    """The spelling. Raises ValueError for a number that JSON does not have, or a text that is no Unicode."""
    return json.dumps(_sorted(document), separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def _sorted(value: Any) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(value, Mapping):
        return {key: _sorted(value[key]) for key in sorted(value, key=lambda key: str(key).encode("utf-16-be", "surrogatepass"))}
    if isinstance(value, list | tuple):
        return [_sorted(inner) for inner in value]
    return value
