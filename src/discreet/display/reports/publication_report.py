"""What the report on a published release says besides its certificate: what is in the folder, how much noise it carries, how to use it."""

import math

from discreet.core.errors import DiscreetError
from discreet.display.reports.odds import numbers_shown
from discreet.pages import Block, Bullets, Code, Facts, Section, Table, Text
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
    blocks: list[Block] = [Facts(caption="What was released", rows=facts)]
    said = release.inspection()
    blocks += [Text(words="What this kind of release shows, and does not protect:"), Bullets(items=said[2][1])]
    blocks += [Text(words="How to use it:"), Code(lines=said[3][1])]
    return Section(title="What was released", blocks=blocks)


def noise_section(release: PublishedRelease) -> Section | None:
    """The noise on each column beside the range of its numbers; None where the noise is not public."""
    try:
        covariance = release.noise_covariance
    except DiscreetError:
        return None
    rows = []
    for place, column in enumerate(release.columns[:_MOST]):
        deviation = math.sqrt(max(0.0, float(covariance[place, place])))
        width = math.nan
        if column.encoded_lower is not None and column.encoded_upper is not None:
            width = column.encoded_upper - column.encoded_lower
        span = "-" if math.isnan(width) else f"{width:.4g}"
        ratio = "-" if math.isnan(width) or width <= 0 else f"{deviation / width:.3g}"
        rows.append((column.name, column.role, numbers_shown(deviation), span, ratio))
    more = f" The first {_MOST} of {len(release.columns):,} columns." if len(release.columns) > _MOST else ""
    caption = f"Standard deviation of the noise, in encoded units, beside the width of the range of the numbers.{more}"
    header = ("Column", "Role", "Noise", "Range", "Noise over range")
    table = Table(caption=caption, header=header, rows=rows, numbers=frozenset({2, 3, 4}))
    words = "Single rows say next to nothing where the noise is wider than the range; averages over many rows do, since noise averages out."
    return Section(title="The noise against the signal", blocks=[table, Text(words=words)])
