"""docs/benchmarks.md, from what a run found."""

from statistics import median
from typing import Any

from compared.measured import Claim, Group, Row, Table, from_json

HEAD = """\
# Benchmarks

This page compares the run time and memory of this library with scikit-learn, diffprivlib, OpenDP and dp-accounting. One command runs all of them:

    python benchmarks/run.py --peers .venv-peers                       # --quick for a tenth of the size
    python benchmarks/run.py --peers .venv-peers --json benchmarks/results/latest.json --page docs/benchmarks.md

The first run creates the environment `.venv-peers` with diffprivlib 0.6.6, the newest scikit-learn that works with it, OpenDP and dp-accounting;
without `--peers`, these are left out. The libraries take turns in each round, and each has one thread, or, where stated, as many as users have. The
others run in a separate process, which times itself. Figures are medians of **processor time**, which other work on the machine disturbs less than
wall time. A ratio is the median over rounds of the time divided by that of the first line of its group: above 1 is slower than that line.

The libraries do not do the same work, and no ratio shows that: scikit-learn gives no privacy; diffprivlib fits to a tolerance, in floating-point
numbers, but its guarantee holds only for exact minimisers ([what an audit found](audit.md)); certificates and exact noise take time.

The second command writes this page; `python benchmarks/run.py --from benchmarks/results/latest.json --page docs/benchmarks.md` writes it from
stored results.
"""

HISTORY = """\
## Over time

`benchmarks/history` holds small benchmarks of this library alone, for pytest-benchmark, which keeps a JSON file of each run. They are not part of the
tests. In an environment with `pip install -e ".[dev,history]"`,

    python benchmarks/history/compare.py HEAD~1 HEAD

unpacks the sources of both commits beside the working tree (`.` is the working tree itself), runs the benchmarks on them in turns, on this machine,
and prints the least processor time of each and the ratio. `pytest benchmarks/history --benchmark-autosave` keeps a run of the working tree in
`.benchmarks/`, and `--benchmark-compare` compares with the last one that was kept. Runs of different machines do not compare.
"""


def page(found: dict[str, Any]) -> str:
    """The whole page."""
    tables = [from_json(table) for table in found["tables"]]
    parts = [HEAD, _where(found), _claims(tables), _faster(tables)]
    parts += [_table(table) for table in tables]
    return "\n".join([*parts, HISTORY])


def _where(found: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    peers = ", ".join(f"{name} {number}" for name, number in found["peers"].items())
    beside = f" The others' environment: {peers}." if peers else " No environment of the others was given."
    return (
        f"## This run\n\n{found['date']}, commit {found['commit']}; {found['machine']}; {versions}.{beside} "
        f"Rounds: {found['rounds']}{', a tenth of the size' if found['quick'] else ''}, {found['seconds']:.0f} s in all. "
        f"The load average of the machine stands with each table: 1 is this run alone.{_left_out(found)}\n"
    )


def _left_out(found: dict[str, Any]) -> str:
    """What went wrong."""
    failed = found.get("failed", [])
    return f" **These parts failed, and are left out: {', '.join(failed)}.**" if failed else ""


def _claims(tables: list[Table]) -> str:
    if not any(table.claims for table in tables):
        return ""  # aims are for the full size
    lines = ["## What was aimed at", "", "What was missed stands first.", "", "| aim | seen | |", "|---|---|---|"]
    claims = sorted((claim for table in tables for claim in table.claims), key=_reached)
    lines += [f"| {claim.text} | {claim.seen:.3g} | {'met' if claim.met else '**missed**'} |" for claim in claims]
    return "\n".join([*lines, ""])


def _reached(claim: Claim) -> float:
    """At least 1 where the claim is met, smaller the further it is from that."""
    return claim.limit / max(claim.seen, 1e-300) if claim.at_most else claim.seen / claim.limit


def _faster(tables: list[Table]) -> str:
    seen = [line for table in tables if table.unit != "memory" for group in table.groups for line in _faster_in(table, group)]
    found = [line for _, line in sorted(seen, reverse=True)]
    lines = ["## Where others were faster", ""]
    lines += found or ["Nowhere in this run."]
    return "\n".join([*lines, ""])


def _faster_in(table: Table, group: Group) -> list[tuple[float, str]]:
    """Ratios, and what to say of them."""
    mine = [row for row in group.rows if row.side == "ours"]
    if not mine:
        return []
    first, best = mine[0], min(mine, key=Row.each)
    lines = []
    for row in group.rows:
        if row.side == "peer" and row.each() < first.each():
            other = "" if best is first else f", and {best.name} {best.each() / row.each():.2f} times"
            note = f" ({row.note})" if row.note else ""
            ratio = first.each() / row.each()
            text = f"- {table.title}, {group.title}: {row.name}{note}; our {first.name} takes {ratio:.2f} times as long{other}."
            lines.append((ratio, text))
    return lines


def _table(table: Table) -> str:
    heads = {"fits": "fits a CPU second", "draws": "million draws a CPU second", "memory": "times the data"}
    lines = [f"## {table.title}", "", table.text, "", f"Load {table.load[0]:.1f} before, {table.load[1]:.1f} after.", ""]
    timed = table.unit != "memory"
    lines.append(f"| | {heads.get(table.unit, table.unit + ' of a processor')} | {'rounds from, to | ratio | ' if timed else ''}|")
    lines.append("|---|---|---|---|---|" if timed else "|---|---|---|")
    for group in table.groups:
        if len(table.groups) > 1:
            lines.append(f"| *{group.title}* | |{' | | |' if timed else ' |'}")
        lines += [_line(table, group, row) for row in group.rows]
    return "\n".join([*lines, ""])


def _line(table: Table, group: Group, row: Row) -> str:
    name = f"**{row.name}**" if row.side == "ours" else row.name
    if table.unit == "memory":
        return f"| {name} | {table.shown(row)} | {row.note} |"
    middle = median(row.busy)
    span = f"{min(row.busy) / middle:.2f}, {max(row.busy) / middle:.2f}" if len(row.busy) > 1 else "one"
    return f"| {name} | {table.shown(row)} | {span} | {row.over(group.rows[0]):.2f} | {row.note} |"
