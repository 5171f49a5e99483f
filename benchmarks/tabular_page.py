"""Tables of what `additive.py` kept: every method in every cell, and the cells where ours is behind."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

START, END = "<!-- figures -->\n", "<!-- end of figures -->\n"
FIGURES = ("error", "area", "log loss")
OURS = ("cuts", "encoded", "linear")
"""The first that a cell has is ours: where public numbers decide for curves, the first and the second are the same."""
WORDS = {
    "cuts": "curves or private cuts, by public numbers",
    "encoded": "curves at public steps",
    "calibrated": "curves at public steps, calibrated",
    "linear": "numbers as they are",
    "ebm": "DP-EBM",
    "diffprivlib": "diffprivlib, delta = 0",
    "descent": "gradient descent, tuned on the test data",
    "synthetic": "synthetic table (MST) and a model of it",
    "aim": "synthetic table (AIM) and a model of it",
    "open": "without privacy",
    "base": "the same answer for everybody",
}
BEHIND_TITLE = "## Cells where ours is behind"
BEHIND = (
    "Ours is what the rule takes, curves or private cuts (numbers as they are on MNIST). Of gradient descent, by more than a standard error of the "
    "difference over splits; of others in error or area at all; of the same answer for everybody in log loss. After +- the standard error, "
    "where there are several splits."
)
Scores = npt.NDArray[np.float64]
Key = tuple[str, str, str, str, float]
"""Table, splits, method, relation, epsilon."""


def summarised(lines: Iterable[dict[str, Any]]) -> dict[Key, tuple[Scores, Scores]]:
    """Scores of every split, (splits, 3), and their means; of several settings each figure at the one that is best in the mean."""
    found: dict[Key, dict[str, Scores]] = {}
    for line in lines:
        splits = "published" if line["split"] == "published" else "80/20"
        key = (line["table"], splits, line["method"], line["relation"], line["epsilon"])
        found.setdefault(key, {})[line["split"]] = np.array(line["scores"], dtype=float)
    return {key: _best(np.stack([scores[split] for split in sorted(scores)])) for key, scores in found.items()}


def _best(scores: Scores) -> tuple[Scores, Scores]:
    if scores.ndim == 3:  # splits, settings, figures
        mean = np.nan_to_num(scores.mean(axis=0), nan=0.0)
        best = (np.argmin(mean[:, 0]), np.argmax(mean[:, 1]), np.argmin(mean[:, 2]))
        scores = np.stack([scores[:, setting, figure] for figure, setting in enumerate(best)], axis=1)
    return scores, scores.mean(axis=0)


def tables(lines: Sequence[dict[str, Any]], before: str = "") -> str:
    """In Markdown: one table for each table and kind of split, and what is behind.

    `before` has tables of other fits: a row of theirs stays where these lines have none of it, or fewer splits or epsilons, and what was behind stays
    where these lines do not have both methods.
    """
    found = summarised(lines)
    sections, behind = _read(before)
    for table, splits in dict.fromkeys(key[:2] for key in found):
        records = max(line["records"] for line in lines if line["table"] == table and (line["split"] == "published") == (splits == "published"))
        title = f"## {table}, {'published split' if splits == 'published' else '80/20'}, {records:,} records to learn from"
        rows = sections.setdefault(title, {})
        for name, row in _rows({key[2:]: value for key, value in found.items() if key[:2] == (table, splits)}).items():
            if name not in rows or (row.splits >= rows[name].splits and set(row.cells) >= {at for at, said in rows[name].cells.items() if said}):
                rows[name] = row
        behind.update(_behind(table, splits, found))
    places = [title.removeprefix("## ").replace(" split", "").rsplit(", ", 1)[0] for title in sections]
    words = list(WORDS.values())
    order = sorted(behind, key=lambda key: (places.index(key[0]), key[1], float(key[2]), words.index(key[3])))
    listed = [f"| {' | '.join(key)} | {behind[key]} |" for key in order if behind[key]]
    head = ["| table | relation | epsilon | of | |", "|---|---|---|---|---|"]
    parts = [_table(title, rows) for title, rows in sections.items()]
    return "\n".join([*parts, BEHIND_TITLE, "", BEHIND, "", *((head + listed) if listed else ["None."]), ""])


@dataclass(frozen=True, slots=True)
class _Row:
    """Of one method and relation."""

    splits: int
    counts: str
    """Numbers of splits as the page says them."""
    cells: dict[str, str]
    """Figures by epsilon."""


def _rows(cells: dict[Any, tuple[Scores, Scores]]) -> dict[tuple[str, str], _Row]:
    rows = {}
    for method, relation in dict.fromkeys(key[:2] for key in cells):
        mine = {epsilon: found for (its, at, epsilon), found in cells.items() if (its, at) == (method, relation)}
        counts = sorted({len(scores) for scores, _ in mine.values()})
        shown = {f"epsilon {epsilon:g}": _shown(mean) for epsilon, (_, mean) in mine.items()}
        name = ("none" if method in ("open", "base") else relation, WORDS[method])
        rows[name] = _Row(counts[0], " to ".join(map(str, counts)), shown)
    return rows


def _shown(mean: Scores) -> str:
    return " ".join(f"{value:.4f}" if figure == 0 else f"{value:.3f}" for figure, value in enumerate(mean) if not np.isnan(value))


def _read(page: str) -> tuple[dict[str, dict[tuple[str, str], _Row]], dict[tuple[str, ...], str]]:
    """The rows of every table, and what was behind, from a page of before."""
    sections: dict[str, dict[tuple[str, str], _Row]] = {}
    behind: dict[tuple[str, ...], str] = {}
    title, head = "", [""]
    for line in page.replace("**", "").splitlines():
        title = line if line.startswith("## ") else title
        parts = [part.strip() for part in line.removeprefix("|").removesuffix("|").split("|")]
        if not line.startswith("|") or line.startswith("|---"):
            continue
        if parts[0] in ("relation", "table"):
            head = parts[3:]
        elif title == BEHIND_TITLE:
            behind[tuple(parts[:4])] = parts[4]
        else:
            shown = {"epsilon inf": parts[3]} if parts[0] == "none" else dict(zip(head, parts[3:], strict=True))
            sections.setdefault(title, {})[parts[0], parts[1]] = _Row(int(parts[2].split(" ")[0]), parts[2], shown)
    return sections, behind


def _table(title: str, rows: dict[tuple[str, str], _Row]) -> str:
    epsilons = sorted({at for (relation, _), row in rows.items() if relation != "none" for at in row.cells}, key=lambda at: float(at.split()[1]))
    lines = [title, "", f"| relation | | splits | {' | '.join(epsilons)} |", "|" + "---|" * (3 + len(epsilons))]
    words = list(WORDS.values())
    for name in sorted(rows, key=lambda name: (("add-remove", "replace-one", "none").index(name[0]), words.index(name[1]))):
        row = rows[name]
        if name[0] == "none":
            lines.append(f"| none | {name[1]} | {row.counts} | {row.cells['epsilon inf']} |" + " |" * (len(epsilons) - 1))
            continue
        rivals = {at: [other.cells[at] for its, other in rows.items() if its[0] == name[0] and other.cells.get(at)] for at in epsilons}
        lines.append(f"| {' | '.join(name)} | {row.counts} | {' | '.join(_marked(row.cells.get(at, ''), rivals[at]) for at in epsilons)} |")
    return "\n".join([*lines, ""])


def _marked(said: str, rivals: Sequence[str]) -> str:
    """In bold what is best as it is printed."""
    columns = list(zip(*(map(float, rival.split()) for rival in rivals), strict=True))
    best = [max(column) if figure == 1 else min(column) for figure, column in enumerate(columns)]
    return " ".join(f"**{word}**" if float(word) == best[figure] else word for figure, word in enumerate(said.split()))


def _behind(table: str, splits: str, found: dict[Key, tuple[Scores, Scores]]) -> dict[tuple[str, ...], str]:
    """By more than a standard error of the difference over splits, of gradient descent; at all, of others' errors and areas, and of the base rate.

    Every pair of methods that was compared, with nothing said where ours is not behind.
    """
    lines: dict[tuple[str, ...], str] = {}
    cells = sorted({key[3:] for key in found if key[:2] == (table, splits) and key[2] in OURS})
    for relation, epsilon in cells:
        ours = next(method for method in OURS if (table, splits, method, relation, epsilon) in found)
        scores = found[table, splits, ours, relation, epsilon][0]
        for rival, figures in (
            ("ebm", (0, 1)),
            ("diffprivlib", (0, 1)),
            ("synthetic", (0, 1)),
            ("aim", (0, 1)),
            ("descent", (0, 1, 2)),
            ("base", (2,)),
        ):
            place = ("add-remove", np.inf) if rival == "base" else (relation, epsilon)
            if (table, splits, rival, *place) not in found:
                continue
            others = found[table, splits, rival, *place][0]
            both = min(len(scores), len(others))
            said = []
            for figure in figures:
                worse = (scores[:both, figure] - others[:both, figure]) * (-1.0 if figure == 1 else 1.0)
                error = float(worse.std(ddof=1) / np.sqrt(both)) if both > 1 else np.nan
                if worse.mean() > (np.nan_to_num(error) if rival == "descent" else 0.0):
                    known = f" +- {error:.4f}" if both > 1 else ""
                    said.append(f"{FIGURES[figure]} by {worse.mean():.4f}{known}")
            lines[f"{table}, {splits}", relation, f"{epsilon:g}", WORDS[rival]] = ", ".join(said)
    return lines


def written(page: str, lines: Sequence[dict[str, Any]]) -> str:
    """The page with figures of these lines, and those it has of methods that they do not have. Raises ValueError for one without the two marks."""
    before, rest = page.split(START)
    figures, after = rest.split(END)
    return before + START + "\n" + tables(lines, figures) + END + after
