"""Tables of what `additive.py` kept."""
from typing import Any
def tables(lines: list[dict[str, Any]]) -> str:
    return f"{len(lines)} fits"
