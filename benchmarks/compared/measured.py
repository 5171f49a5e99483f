"""What is measured: contestants in turns, on the clock and by processor time, in groups whose first contestant the others are compared with."""

import gc
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

Timed = tuple[float, float]
"""Seconds on the clock, and of the processor."""

SCALES = {"ms": 1e3, "s": 1.0, "us": 1e6}


@dataclass(frozen=True, kw_only=True)
class Contestant:
    """`run` does it once and says how long that took."""

    name: str
    run: Callable[[], Timed]
    side: str
    """"bare" (no privacy, ours), "ours" or "peer"."""
    count: float = 1.0
    """How many things (fits, draws) a run makes."""
    rounds: int | None = None
    """In how many rounds at most it takes part; None for all."""
    note: str | Callable[[], str] = ""


@dataclass(frozen=True, kw_only=True)
class Row:
    """What was seen of a contestant; `busy` is processor time, and for a table of memory the figure itself."""

    name: str
    side: str
    count: float
    clock: list[float]
    busy: list[float]
    note: str

    def each(self) -> float:
        """Median processor seconds of one thing."""
        return median(self.busy) / self.count

    def over(self, base: "Row") -> float:
        """The median, over rounds, of its processor time over that of `base`, per thing."""
        pairs = zip(self.busy, base.busy, strict=False)
        return median(mine * base.count / (its * self.count) for mine, its in pairs)


@dataclass(frozen=True, kw_only=True)
class Group:
    """Rows to be compared with the first of them."""

    title: str
    rows: list[Row]

    def row(self, name: str) -> Row | None:
        """The row of that name, if it took part."""
        return next((row for row in self.rows if row.name == name), None)


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A figure that was aimed at, and what was seen of it."""

    text: str
    seen: float
    limit: float
    at_most: bool

    @property
    def met(self) -> bool:
        """Whether it was reached."""
        return self.seen <= self.limit if self.at_most else self.seen >= self.limit


@dataclass(frozen=True, kw_only=True)
class Table:
    """One comparison: `unit` is a time, "fits", "draws" (both per processor second) or "memory"."""

    key: str
    title: str
    text: str
    unit: str
    groups: list[Group]
    load: tuple[float, float]
    claims: list[Claim] = field(default_factory=list)

    def shown(self, row: Row) -> str:
        """Its figure in the table's unit."""
        if self.unit == "memory":
            return f"{row.busy[-1]:.2f}"
        value = SCALES[self.unit] * row.each() if self.unit in SCALES else 1.0 / row.each() / (1e6 if self.unit == "draws" else 1.0)
        return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def timed(work: Callable[[], object]) -> Timed:
    """How long `work` takes; its garbage is another's."""
    gc.collect()
    start, busy = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start, time.process_time() - busy


def local(work: Callable[[], object]) -> Callable[[], Timed]:
    """A contestant's run in this process."""
    return lambda: timed(work)


def compete(groups: Mapping[str, list[Contestant]], rounds: int) -> list[Group]:
    """Every contestant of every group once a round; what was seen. Nothing is warmed up: the first round counts, as medians are taken."""
    seen: dict[tuple[str, str], list[Timed]] = {}
    for turn in range(rounds):
        for title, contestants in groups.items():
            for one in contestants:
                if one.rounds is None or turn < one.rounds:
                    seen.setdefault((title, one.name), []).append(one.run())
    found = []
    for title, contestants in groups.items():
        rows = []
        for one in contestants:
            times = seen[title, one.name]
            note = one.note if isinstance(one.note, str) else one.note()
            clock, busy = [run[0] for run in times], [run[1] for run in times]
            rows.append(Row(name=one.name, side=one.side, count=one.count, clock=clock, busy=busy, note=note))
        found.append(Group(title=title, rows=rows))
    return found


def ratio_claim(text: str, group: Group, names: tuple[str, str], *, limit: float, at_most: bool) -> list[Claim]:
    """A claim on the time of the first named contestant over that of the second; none where one of them is missing."""
    one, base = (group.row(name) for name in names)
    return [] if one is None or base is None else [Claim(text=text, seen=one.over(base), limit=limit, at_most=at_most)]


def load() -> float:
    """The machine's load average of the last minute."""
    return os.getloadavg()[0]


def printed(table: Table) -> str:
    """For a terminal."""
    lines = [f"\n{table.title}   (load {table.load[0]:.2f} to {table.load[1]:.2f})"]
    heads = {"fits": "fits a CPU second", "draws": "million draws a CPU second", "memory": "times the data"}
    lines.append(f"  {'':58s} {heads.get(table.unit, table.unit + ' of a CPU'):>26s}   clock / CPU   ratio")
    for group in table.groups:
        lines.append(f"  {group.title}")
        for row in group.rows:
            waited = "" if table.unit == "memory" else f"{median(row.clock) / max(median(row.busy), 1e-9):8.2f}"
            ratio = "" if table.unit == "memory" else f"{row.over(group.rows[0]):8.2f} x"
            lines.append(f"    {row.name:56s} {table.shown(row):>26s}   {waited:>11s} {ratio}   {row.note}")
    lines += [f"  {'met   ' if claim.met else 'MISSED'} {claim.text}: {claim.seen:.3g}" for claim in table.claims]
    return "\n".join(lines)


def as_json(table: Table) -> dict[str, Any]:
    """All of it."""
    return asdict(table)


def from_json(given: dict[str, Any]) -> Table:
    """The inverse of `as_json`."""
    groups = [Group(title=group["title"], rows=[Row(**row) for row in group["rows"]]) for group in given["groups"]]
    claims = [Claim(**claim) for claim in given["claims"]]
    return Table(**{**given, "groups": groups, "claims": claims, "load": tuple(given["load"])})
