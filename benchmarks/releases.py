"""What a release is worth to those who learn from it: one table of all release methods, beside private fits and fits without privacy.

    DISCREET_DATA=FOLDER python benchmarks/releases.py [--kept FILE] [--tables adult lending] [--methods moments ..] [--epsilons 0.5 1 4] [--seeds 3]
                                                       [--page docs/releases.md]

Methods are those of `release_ways.py`; Adult on its published split, Lending Club on one of 80 and 20 percent. Every release is a line of the file
`--kept`, and what is in it already is not made again: a run that was stopped goes on with the same command, in other environments and with other
choices too. `--page` writes the tables of everything kept between the two marks of a page. Seconds are those of the processor, for the release and
both analyses. What is not installed (mbi, dpmm) is said once and left out.
"""

import argparse
import importlib.util
import json
import resource
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from additive import kept_lines
from plain_tables import plain_table, splits
from release_ways import NUMBERS, WAYS
from tabular_methods import Task
from tabular_page import END, START

KEY = ("table", "method", "epsilon", "seed")


def busy() -> float:
    """Processor seconds of this process and of those that it waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def cell(lines: Sequence[dict[str, Any]], figure: str) -> str:
    """A mean, with its standard error where there are several."""
    found = np.array([line[figure] for line in lines])
    if len(found) == 0:
        return ""
    error = f" +- {found.std(ddof=1) / np.sqrt(len(found)):.4f}" if len(found) > 1 else ""
    return f"{found.mean():.4f}{error}"


def tables(lines: Sequence[dict[str, Any]]) -> str:
    """In Markdown, a table for each data set and figure."""
    parts = []
    for table in dict.fromkeys(line["table"] for line in lines):
        mine = [line for line in lines if line["table"] == table]
        epsilons = sorted({line["epsilon"] for line in mine if line["epsilon"] < np.inf})
        head = [f"epsilon {epsilon:g}" for epsilon in epsilons]
        heads = [*(f"error, {one}" for one in head), *(f"{NUMBERS[table]}, {one}" for one in head), "releases", "seconds", "bytes"]
        rows = [f"| {table} | {' | '.join(heads)} |", "|" + "---|" * (len(heads) + 1)]
        for way in WAYS:
            its = [line for line in mine if line["method"] == way.name]
            if its:
                at = [[line for line in its if line["epsilon"] == epsilon or not way.private] for epsilon in epsilons]
                count = str(min(map(len, filter(None, at)))) if way.private else ""
                seconds, size = (np.mean([line[name] for line in its]) for name in ("seconds", "size"))
                cells = [cell(each, figure) for figure in ("error", "squared") for each in at]
                rows.append(f"| {way.says} | {' | '.join([*cells, count, f'{seconds:.0f}', f'{size:,.0f}' if size else ''])} |")
        parts.append("\n".join(rows))
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Make what is missing, then show everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kept", type=Path, default=Path("build/releases.jsonl"), help="where figures are kept")
    parser.add_argument("--tables", nargs="+", choices=sorted(NUMBERS), default=sorted(NUMBERS))
    parser.add_argument("--methods", nargs="+", choices=[way.name for way in WAYS], default=[way.name for way in WAYS])
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.5, 1.0, 4.0])
    parser.add_argument("--seeds", type=int, default=3, help="releases of each kind")
    parser.add_argument("--page", type=Path, help="write the tables into this page")
    options = parser.parse_args()
    chosen = [way for way in WAYS if way.name in options.methods]
    installed = [way for way in chosen if importlib.util.find_spec(way.needs)]
    for name in sorted({way.needs for way in chosen if way not in installed}):
        print(f"{name} is not installed: left out")
    lines = kept_lines(options.kept)
    known = {tuple(line[name] for name in KEY) for line in lines}
    options.kept.parent.mkdir(parents=True, exist_ok=True)
    with options.kept.open("a", encoding="utf-8") as file:
        for seed in range(options.seeds):
            for table in options.tables:
                train, test = splits(plain_table(table), 1)[0]
                for way in installed:
                    for epsilon in options.epsilons if way.private else [np.inf]:
                        key = (table, way.name, epsilon, seed)
                        if key in known or (seed and not way.private):
                            continue
                        start, wall = busy(), time.perf_counter()
                        found = way.run(Task(train=train, test=test, epsilon=epsilon, relation="add-remove"))
                        line = {**dict(zip(KEY, key, strict=True)), **found._asdict(), "seconds": busy() - start, "wall": time.perf_counter() - wall}
                        lines.append({name: round(value, 5) if isinstance(value, float) else value for name, value in line.items()})
                        file.write(json.dumps(lines[-1]) + "\n")
                        file.flush()
    print(tables(lines))
    if options.page:
        page = options.page.read_text(encoding="utf-8")
        head, rest = page.split(START, 1)
        options.page.write_text(f"{head}{START}\n{tables(lines)}\n{END}{rest.split(END, 1)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
