"""Releases in folders: what notebooks show, which is what `discreet inspect` says, and the report on a synthetic table."""

from shlex import quote

from discreet.display.certificates import Report, chosen_bounds
from discreet.display.pages import Block, Bullets, Code, Facts, Section, Table, Text, Tone, view_html
from discreet.releases import PublishedRelease, SyntheticTable
from discreet.releases.synthetic.words import NOBODY


def view(release: PublishedRelease | SyntheticTable) -> str:
    """HTML: what it is, what it protects and what not, and how to use it."""
    blocks: list[Block] = []
    for heading, lines in release.inspection():
        blocks += [Text(f"{heading}:"), Bullets(lines)]
    return view_html(f"Release {release.name}", *blocks)


_MOST = 60


def report(release: SyntheticTable) -> Report:
    """The page of one."""
    rows, columns = release.shape
    said = release.inspection()
    facts = [
        ("Name", release.name),
        ("Description", release.description),
        ("Licence", release.license or "none is stated"),
        ("What", f"{len(release.parts)} x {rows:,} rows of {columns:,} columns, drawn from noisy counts"),
    ]
    blocks: list[Block] = [
        Facts("What was released", facts),
        Text(NOBODY, Tone.NOTE),
        Text("What this release reveals, and does not protect:"),
        Bullets(said[2][1]),
        Text("How to use it:"),
        Code(said[3][1]),
    ]
    return Report(
        title=f"Privacy report: {release.name}",
        what="this release",
        subject=release,
        check=f"discreet verify {quote(str(release.folder.name))}",
        first=[Section("What was released", blocks)],
        later=[_fidelity(release)],
        chosen=chosen_bounds(release.schema, what="this release"),
    )


def _fidelity(release: SyntheticTable) -> Section:
    """Every table that was measured, those farthest from their noise first."""
    ordered = sorted(release.fidelity, key=lambda one: one.noise - one.distance)
    rows = [(" and ".join(one.columns), f"{one.distance:.3f}", f"{one.noise:.3f}") for one in ordered[:_MOST]]
    more = f"; the first {_MOST} of {len(ordered)}" if len(ordered) > _MOST else ""
    caption = f"Half the sum of absolute differences between the shares of cells in the rows and the noisy shares, beside what noise alone adds{more}"
    words = "Both are computed from the release. If a table is much farther away than its noise, the fit is poor: do not rely on it."
    return Section("How far the rows are from the measured counts", [Table(caption, ("Columns", "Distance", "Noise"), rows, {1, 2}), Text(words)])
