"""Defaults at the ends of what they are for: tables of 500 and 2,000 records beside one answer for everybody, and epsilon from .1 to infinity.

    DISCREET_DATA=FOLDER python benchmarks/small_tables.py [--tables shoppers lending ..] [--records 500 2000] [--epsilons 0.1 1 4] [--draws 20]
    DISCREET_DATA=FOLDER python benchmarks/small_tables.py --large [--tables spambase phishing adult]

Tables are those of `plain_tables.py`, numbers as curves, delta 1e-6; each draw has other records and other noise, and is measured on 3,000 held-out
records. A row is error and log loss of the constant that answers the true share of each class; of a fit that counts no records (`records_share=0`),
where another would; of `LinearSVC()` without a word more; and of the same with calibrated probabilities (`discreet fit --calibrate`), fit and counts
within the budget.
"""

import argparse
from typing import Any

import numpy as np
from plain_tables import Numbers, PlainTable, plain_table, splits
from sklearn.base import clone
from sklearn.metrics import log_loss
from tabular_methods import frame, schema_of

from discreet import LinearSVC
from discreet.data import Schema
from discreet.estimators import fit_with_calibration

RELATIONS = ("add-remove", "replace-one")
LARGE = (0.1, 1.0, 4.0, 10.0, 100.0, 1e4, 1e6, 1e8, np.inf)


def figures(model: LinearSVC, rows: Any, targets: Numbers) -> tuple[float, float]:  # noqa: ANN401 - an encoded table
    """Error and log loss."""
    chances = np.clip(model.predict_proba(rows)[:, 1], 1e-6, 1.0 - 1e-6)
    return float(np.mean((model.decision_function(rows) > 0) != (targets > 0))), float(log_loss(targets, chances))


def parts(name: str) -> tuple[Schema, PlainTable, PlainTable]:
    """Schema, records to draw from, held-out ones."""
    table = plain_table(name)
    train, test = splits(table, 1)[-1]
    return schema_of(table, "curve"), train, test.part(np.arange(min(3000, len(test.target))))


def drawn(table: PlainTable, records: int, seed: int) -> PlainTable:
    """So many records."""
    return table.part(np.random.default_rng(2500 + seed).permutation(len(table.target))[:records])


def small(name: str, records: int, epsilons: list[float], draws: int) -> None:
    """Print the rows of one table."""
    schema, train, test = parts(name)
    share, held = float(np.mean(test.target)), schema.encode(frame(test), target=False)
    constant = min(share, 1.0 - share), log_loss(test.target, np.full(len(test.target), share))
    tables = [schema.encode(frame(drawn(train, records, seed)), target=True) for seed in range(draws)]
    for relation in RELATIONS:
        cells = []
        for epsilon in epsilons:
            made = LinearSVC(epsilon=epsilon, neighbours=relation, data_norm=schema.norm_bound)
            blind = [clone(made).set_params(records_share=0.0)] if relation == "add-remove" else []
            fits = [[*(clone(one).fit(rows) for one in (*blind, made)), fit_with_calibration(made, rows).model] for rows in tables]
            found = np.mean([[figures(fit, held, test.target) for fit in each] for each in fits], axis=0)
            cells.append(" / ".join(f"{error:.3f} {loss:.3f}" for error, loss in found))
        print(f"| {name}, {records:,} | {relation} | {constant[0]:.3f} {constant[1]:.3f} | {' | '.join(cells)} |", flush=True)


def large(name: str) -> None:
    """Print one row a relation: errors at every epsilon."""
    schema, train, test = parts(name)
    rows, held = schema.encode(frame(drawn(train, 5_000, 0)), target=True), schema.encode(frame(test), target=False)
    for relation in RELATIONS:
        made = [LinearSVC(epsilon=epsilon, neighbours=relation, data_norm=schema.norm_bound).fit(rows) for epsilon in LARGE]
        print(f"| {name} | {relation} | {' | '.join(f'{figures(model, held, test.target)[0]:.4f}' for model in made)} |", flush=True)


def main() -> None:
    """See the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", nargs="+", default=["shoppers", "lending", "adult", "spambase", "phishing"])
    parser.add_argument("--records", type=int, nargs="+", default=[500, 2000])
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.1, 1.0, 4.0])
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--large", action="store_true", help="every epsilon up to infinity, up to 5,000 records")
    options = parser.parse_args()
    for name in options.tables:
        if options.large:
            large(name)
        else:
            for records in options.records:
                small(name, records, options.epsilons, options.draws)


if __name__ == "__main__":
    main()
