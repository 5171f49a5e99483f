"""Log loss of classifiers of three classes or more: untuned, calibrated within the same budget, and the private shares of the classes for everybody.

    DISCREET_DATA=FOLDER python benchmarks/calibrated_classes.py [--tables visitor home ..] [--records 2000 8000] [--splits 5] [--loss softmax]
                                                                  [--epsilons 0.1 0.5 1 4] [--kept build/classes.jsonl]

Tables are `CLASSES` of `plain_tables.py`, numbers as the schema's standard curves, delta = 1 / n^2, 80/20 splits, at most 4,000 records to test.
`shares` answers one noisy histogram of the classes with the whole budget, read as a calibrated fit reads its own; it is drawn 20 times a split, since
only its noise differs. `+-` is the standard error over splits of calibrated less shares. Every cell is a line of the file `--kept`, and not fitted
again.
"""

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from plain_tables import CLASSES, PlainTable, splits
from tabular_methods import RELATIONS, Task, frame, schema_of

from discreet import LinearSVC, LogisticRegression
from discreet.core.neighbours import Neighbours
from discreet.data import Schema
from discreet.estimators import fit_with_calibration
from discreet.mechanisms.counting import Histogram, Queries, noise_to_compose
from discreet.mechanisms.counting.choice import deviation_of
from discreet.mechanisms.scores.many import shares_of

KINDS = {"softmax": LogisticRegression, "one-vs-rest": LinearSVC}
DRAWS, MOST_TESTED = 20, 4_000


def log_loss(probabilities: npt.NDArray[np.float64], codes: npt.NDArray[np.intp]) -> float:
    """Mean, in nats."""
    return float(-np.mean(np.log(np.maximum(probabilities[np.arange(len(codes)), codes], 1e-12))))


def of_shares(task: Task, random: np.random.Generator) -> float:
    """Of the private shares."""
    counts, codes = np.bincount(task.train.target.astype(int), minlength=task.train.classes), task.test.target.astype(int)
    asked = Queries([Histogram(cells=task.train.classes)])
    made = noise_to_compose(asked, epsilon=task.epsilon, delta=task.delta, neighbours=Neighbours(task.relation))
    deviation = deviation_of(made)
    drawn = [shares_of(counts + random.normal(0.0, deviation, len(counts)), deviation) for _ in range(DRAWS)]
    return float(np.mean([log_loss(np.tile(shares, (len(codes), 1)), codes) for shares in drawn]))


def cell(task: Task, schema: Schema, kind: str) -> dict[str, Any]:
    """One fit, the same calibrated, and the shares."""
    codes = task.test.target.astype(int)
    rows, fresh = schema.encode(frame(task.train), target=True), schema.encode(frame(task.test), target=False)
    classes = [str(code) for code in range(task.train.classes)]
    model = KINDS[kind](epsilon=task.epsilon, delta=task.delta, neighbours=task.relation, classes=classes, data_norm=schema.norm_bound)
    corrected = fit_with_calibration(model, rows)
    return {
        "fit": log_loss(model.fit(rows).predict_proba(fresh), codes),
        "calibrated": log_loss(corrected.model.predict_proba(fresh), codes),
        "shares": of_shares(task, np.random.default_rng(len(codes))),
        "slope": corrected.shrinkage.slope,
    }


def parts(table: PlainTable, count: int, records: int) -> list[tuple[PlainTable, PlainTable]]:
    """(train, test) of so many splits."""
    found = []
    for train, test in splits(table, count):
        chosen = np.random.default_rng(len(train.target)).permutation(len(train.target))[:records]
        found.append((train.part(chosen), test.part(np.arange(min(MOST_TESTED, len(test.target))))))
    return found


def main() -> None:
    """Fit what is missing, then a line for each table, relation and epsilon."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", nargs="+", choices=list(CLASSES), default=list(CLASSES))
    parser.add_argument("--records", type=int, nargs="+", default=[2000, 8000])
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.1, 0.5, 1.0, 4.0])
    parser.add_argument("--loss", choices=list(KINDS), default="softmax")
    parser.add_argument("--kept", type=Path, default=Path("build/classes.jsonl"))
    asked = parser.parse_args()
    asked.kept.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.loads(line) for line in asked.kept.read_text(encoding="utf-8").splitlines()] if asked.kept.exists() else []
    known = {tuple(line["cell"]) for line in lines}
    for name in asked.tables:
        table = CLASSES[name]()
        for records in asked.records:
            for split, (train, test) in enumerate(parts(table, asked.splits, records)):
                for relation in RELATIONS:
                    for epsilon in asked.epsilons:
                        place = (name, asked.loss, len(train.target), relation, epsilon, split)
                        if place in known:
                            continue
                        found = cell(Task(train=train, test=test, epsilon=epsilon, relation=relation), schema_of(table, "curve"), asked.loss)
                        lines.append({"cell": place, **found})
                        with asked.kept.open("a", encoding="utf-8") as file:
                            file.write(json.dumps(lines[-1]) + "\n")
    shown = defaultdict(list)
    for line in lines:
        shown[tuple(line["cell"][:-1])].append([line[figure] for figure in ("shares", "fit", "calibrated", "slope")])
    print("| table | loss | records | relation | epsilon | splits | shares | fit | calibrated | +- | slope |\n|" + "---|" * 11)
    for place, found in shown.items():
        means, count = np.mean(found, axis=0), len(found)
        error = np.std([one[2] - one[0] for one in found], ddof=1) / np.sqrt(count) if count > 1 else np.nan
        cells = [*place[:3], place[3], f"{place[4]:g}", count, *(f"{mean:.3f}" for mean in means[:3]), f"{error:.3f}", f"{means[3]:.2f}"]
        print("| " + " | ".join(map(str, cells)) + " |")


if __name__ == "__main__":
    main()
