"""Private tables as people have them: ours untuned against every rival that installs, on one machine in one environment.

    DISCREET_DATA=FOLDER python benchmarks/additive.py [--kept FILE] [--tables adult shoppers ..] [--methods cuts encoded ..] [--splits 5]
                                                       [--epsilons 0.1 0.5 1 4] [--records N] [--page docs/additive.md]

Methods are those of `tabular_methods.py`; tables those of `plain_tables.py`. Adult is measured on its published split and on `--splits` of 80 and
20 percent, as the others are. Figures are error, area under the ROC curve and log loss, or for numbers the mean squared error over the variance.

Every fit is a line of the file `--kept`, and what is in it already is not fitted again: a run that was stopped goes on with the same command, in
other environments and with other choices too. `--page` writes the rows of everything kept between the two marks of a page; a row there of other
fits stays where fewer splits or epsilons are kept. Gradient descent is shown at the best of its settings *by the mean over the test data, at no
cost*, for each figure anew. What is not installed (interpret, diffprivlib, dpmm) is said once and left out. One environment holds all of them:

    pip install . interpret-core[debug]==0.7.* diffprivlib scikit-learn==1.7.2 pandas==2.3.3 opendp==0.12.1 deprecated disjoint-set networkx tqdm
    pip install --no-deps dpmm        # it asks for NumPy 1 and runs on 2
"""

import argparse
import importlib.util
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import tabular_page
from plain_tables import TABLES, PlainTable, plain_table, splits
from tabular_methods import METHODS, RELATIONS, Method, Task

Cell = tuple[str, str, str, str, float, int]
"""Table, split, method, relation, epsilon, records."""


def cell_of(line: dict[str, Any]) -> Cell:
    """What a line is about."""
    return line["table"], line["split"], line["method"], line["relation"], line["epsilon"], line["records"]


def kept_lines(path: Path) -> list[dict[str, Any]]:
    """What was found before; a line cut short by the end of a run is left out."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith("}")]


def parts_of(table: PlainTable, count: int, records: int | None) -> Iterator[tuple[str, PlainTable, PlainTable]]:
    """(name, train, test) of every split, with at most so many records to learn from."""
    names = [*(["published"] if table.official is not None else []), *map(str, range(count))]
    for name, (train, test) in zip(names, splits(table, count), strict=True):
        few = records is not None and records < len(train.target)
        chosen = np.random.default_rng(len(train.target)).permutation(len(train.target))[:records]
        yield name, train.part(chosen) if few else train, test


def cells_of(method: Method, epsilons: Sequence[float]) -> Iterator[tuple[str, float]]:
    """Relations and epsilons."""
    if not method.private:
        yield RELATIONS[0], np.inf
        return
    for relation in method.relations:
        for epsilon in epsilons:
            yield relation, epsilon


def main() -> None:
    """Fit what is missing, then show everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kept", type=Path, default=Path("build/additive.jsonl"), help="where fits are kept")
    parser.add_argument("--tables", nargs="+", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.1, 0.5, 1.0, 4.0])
    parser.add_argument("--methods", nargs="+", choices=[method.name for method in METHODS], help="these and no others")
    parser.add_argument("--records", type=int, help="at most this many to learn from, chosen at random")
    parser.add_argument("--page", type=Path, help="write the tables into this page")
    options = parser.parse_args()
    chosen = [method for method in METHODS if method.name in options.methods] if options.methods else [one for one in METHODS if not one.aside]
    missing = sorted({method.needs for method in chosen if not importlib.util.find_spec(method.needs)})
    for name in missing:
        print(f"{name} is not installed: left out")
    lines = kept_lines(options.kept)
    known = set(map(cell_of, lines))
    options.kept.parent.mkdir(parents=True, exist_ok=True)
    with options.kept.open("a", encoding="utf-8") as file:
        for table in map(plain_table, options.tables):
            for split, train, test in parts_of(table, options.splits, options.records):
                task = Task(train=train, test=test, epsilon=np.inf, relation=RELATIONS[0])
                for method in chosen:
                    for relation, epsilon in cells_of(method, options.epsilons) if method.knows(table) and method.needs not in missing else ():
                        cell = (table.name, split, method.name, relation, epsilon, len(train.target))
                        if cell in known:
                            continue
                        busy = time.process_time()
                        scores = method.scores(table, replace(task, epsilon=epsilon, relation=relation))
                        line = dict(zip(("table", "split", "method", "relation", "epsilon", "records"), cell, strict=True))
                        lines.append({**line, "scores": np.round(scores, 5).tolist(), "seconds": round(time.process_time() - busy, 2)})
                        file.write(json.dumps(lines[-1]) + "\n")
                        file.flush()
    print(tabular_page.tables(lines))
    if options.page:
        options.page.write_text(tabular_page.written(options.page.read_text(encoding="utf-8"), lines), encoding="utf-8")


if __name__ == "__main__":
    main()
