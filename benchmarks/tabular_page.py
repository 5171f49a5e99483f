"""Tables of what `additive.py` kept: every method in every cell, and the cells where ours is behind."""

from collections.abc import Iterable, Sequence
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
    "synthetic": "synthetic table and a model of it",
    "open": "without privacy",
    "base": "the same answer for everybody",
}
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


def tables(lines: Sequence[dict[str, Any]]) -> str:
    """In Markdown: one table for each table and kind of split, and what is behind."""
    found = summarised(lines)
    parts = []
    for table, splits in dict.fromkeys(key[:2] for key in found):
        cells = {key[2:]: value for key, value in found.items() if key[:2] == (table, splits)}
        records = max(line["records"] for line in lines if line["table"] == table and (line["split"] == "published") == (splits == "published"))
        parts.append(_table(table, splits, records, cells))
    behind = [line for table, splits in dict.fromkeys(key[:2] for key in found) for line in _behind(table, splits, found)]
    head = ["| table | relation | epsilon | of | |", "|---|---|---|---|---|"]
    return "\n".join([*parts, "## Cells where ours is behind", "", BEHIND, "", *((head + behind) if behind else ["None."]), ""])


def _table(table: str, splits: str, records: int, cells: dict[Any, tuple[Scores, Scores]]) -> str:
    epsilons = sorted({epsilon for _, _, epsilon in cells if np.isfinite(epsilon)})
    lines = [f"## {table}, {'published split' if splits == 'published' else '80/20'}, {records:,} records to learn from", ""]
    lines += [f"| relation | | splits | {' | '.join(f'epsilon {epsilon:g}' for epsilon in epsilons)} |", "|" + "---|" * (3 + len(epsilons))]
    best = {(relation, epsilon): _leaders(cells, relation, epsilon) for relation in ("add-remove", "replace-one") for epsilon in epsilons}
    for relation in ("add-remove", "replace-one"):
        for method, words in WORDS.items():
            mine = {epsilon: cells[method, relation, epsilon] for epsilon in epsilons if (method, relation, epsilon) in cells}
            if mine:
                counts = sorted({len(scores) for scores, _ in mine.values()})
                shown = [_shown(mine[epsilon][1], best[relation, epsilon]) if epsilon in mine else "" for epsilon in epsilons]
                lines.append(f"| {relation} | {words} | {' to '.join(map(str, counts))} | {' | '.join(shown)} |")
    for method in ("open", "base"):
        if (method, "add-remove", np.inf) in cells:
            scores, mean = cells[method, "add-remove", np.inf]
            lines.append(f"| none | {WORDS[method]} | {len(scores)} | {_shown(mean, mean + np.nan)} |" + " |" * (len(epsilons) - 1))
    return "\n".join([*lines, ""])


def _leaders(cells: dict[Any, tuple[Scores, Scores]], relation: str, epsilon: float) -> Scores:
    means = [mean for (_, its, at), (_, mean) in cells.items() if (its, at) == (relation, epsilon)]
    return np.array([min(mean[0] for mean in means), max(mean[1] for mean in means), min(mean[2] for mean in means)]) if means else np.full(3, np.nan)


def _shown(mean: Scores, best: Scores) -> str:
    said = [f"{value:.4f}" if figure == 0 else f"{value:.3f}" for figure, value in enumerate(mean) if not np.isnan(value)]
    return " ".join(f"**{word}**" if mean[figure] == best[figure] else word for figure, word in enumerate(said))


def _behind(table: str, splits: str, found: dict[Key, tuple[Scores, Scores]]) -> list[str]:
    """By more than a standard error of the difference over splits, of gradient descent; at all, of others' errors and areas, and of the base rate."""
    lines = []
    cells = sorted({key[3:] for key in found if key[:2] == (table, splits) and key[2] in OURS})
    for relation, epsilon in cells:
        ours = next(method for method in OURS if (table, splits, method, relation, epsilon) in found)
        scores = found[table, splits, ours, relation, epsilon][0]
        for rival, figures in (("ebm", (0, 1)), ("diffprivlib", (0, 1)), ("synthetic", (0, 1)), ("descent", (0, 1, 2)), ("base", (2,))):
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
            if said:
                lines.append(f"| {table}, {splits} | {relation} | {epsilon:g} | {WORDS[rival]} | {', '.join(said)} |")
    return lines


def written(page: str, lines: Sequence[dict[str, Any]]) -> str:
    """The page with its figures anew. Raises ValueError for one without the two marks."""
    before, rest = page.split(START)
    _, after = rest.split(END)
    return before + START + "\n" + tables(lines) + END + after
