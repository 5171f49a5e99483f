"""What the report on a published release says besides its certificate: what is in the folder, how much noise it carries, how to use it."""

import math

from discreet.core.errors import DiscreetError
from discreet.display.odds import numbers_shown
from discreet.display.pages import Block, Bullets, Code, Facts, Section, Table, Text
from discreet.releases import PublishedRelease

_MOST = 60
"""Columns that are listed."""


def contents_section(release: PublishedRelease) -> Section:
    """What was published."""
    rows, columns = release.shape
    facts = [
        ("Name", release.name),
        ("Description", release.description),
        ("Licence", release.license or "none is stated"),
        ("What", f"{rows:,} rows of {columns:,} columns ({release.kind}), by the method {release.method}"),
        ("Records behind it", f"{release.records:,}" if release.records is not None else "not published"),
    ]
    said = release.inspection()
    blocks: list[Block] = [
        Facts("What was released", facts),
        Text("What this kind of release shows, and does not protect:"),
        Bullets(said[2][1]),
        Text("How to use it:"),
        Code(said[3][1]),
    ]
    return Section("What was released", blocks)


def noise_section(release: PublishedRelease) -> list[Section]:
    """The noise on each column beside the range of its numbers; nothing where the noise is not public."""
    try:
        covariance = release.noise_covariance
    except DiscreetError:
        return []
    rows = []
    for place, column in enumerate(release.columns[:_MOST]):
        deviation = math.sqrt(max(0.0, float(covariance[place, place])))
        low, high = column.encoded_lower, column.encoded_upper
        width = math.nan if low is None or high is None else high - low
        ratio = f"{deviation / width:.3g}" if width > 0 else "-"
        rows.append((column.name, column.role, numbers_shown(deviation), numbers_shown(width), ratio))
    more = f" The first {_MOST} of {len(release.columns):,} columns." if len(release.columns) > _MOST else ""
    caption = f"Standard deviation of the noise, in encoded units, beside the width of the range of the numbers.{more}"
    words = "Single rows say next to nothing where the noise is wider than the range; averages over many rows do, since noise averages out."
    table = Table(caption, ("Column", "Role", "Noise", "Range", "Noise over range"), rows, {2, 3, 4})
    return [Section("The noise against the signal", [table, Text(words)])]
