"""The page on how common categories are, from reports that their owners randomised."""

from collections.abc import Mapping

from discreet.consumers import Frequencies
from discreet.data.labels import canonical
from discreet.display.pages import FOOT, Bullets, Page, Section, Table, Text, Tone


def page(found: Mapping[str, Frequencies], *, name: str, promised: str | None = None) -> Page:
    """A section a column; `name` is that of the schema, and `promised` what holds of those who see the shares alone, if that was counted."""
    first = next(iter(found.values()))
    level = f"{100 * first.level:g} %"
    lead = Text(
        f"{first.reports:,} persons answered. Each added random noise to their own answer on their own device, so nobody, not even the "
        "collector, has ever held a true answer. The noise averages out over many answers: the shares below are estimates.",
        Tone.LEAD,
    )
    limits = [
        f"Each interval contains the share in the population with probability {level}, one at a time; it counts noise and sampling error.",
        "It ignores people who did not answer, and people who lied on purpose.",
        "Each answer states how much privacy it cost its owner. Answers of the same person elsewhere add up.",
    ]
    limits += [] if promised is None else [f"Privacy {promised}."]
    return Page(f"Shares of categories: {name}", [lead], [*map(_section, found.values()), Section("What this does not say", [Bullets(limits)])], FOOT)


def _section(one: Frequencies) -> Section:
    numbers = zip(one.categories, one.shares.tolist(), one.lower.tolist(), one.upper.tolist(), strict=True)
    rows = [(canonical(label), _percent(share), f"{_percent(low)} to {_percent(high)}") for label, share, low, high in numbers]
    caption = f"The noise alone moves the share of a rare category by about {_percent(one.noise)}"
    return Section(one.column, [Table(caption, ("Category", "Share", f"{100 * one.level:g} % interval"), rows, {1, 2})])


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
