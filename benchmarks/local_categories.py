"""How much less noise categories have than numbers where owners randomise them: variance of a share times the number of respondents.

    python benchmarks/local_categories.py [--delta 1e-6] [--reports 4000]

At k categories and epsilon: formulas of both laws for a rare category; that of the law that is taken, found by drawing reports; and Gaussian noise
on the same one-hot record, as `LocalSurvey` draws it. No records: every report is of the first category.
"""

import argparse

import numpy as np

from discreet import Schema, SystemNoise
from discreet.data import CategoricalColumn, Target
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.release import Categories, RandomisedCategories
from discreet.mechanisms.release.categories import columns_of, unbiased, variance
from discreet.queries import Target as Column
from discreet.releases import LocalSurvey
from discreet.words.categories import RESPONSE, UNARY


def main() -> None:
    """Print one row a setting."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delta", type=float, default=1e-6)
    parser.add_argument("--reports", type=int, default=4000)
    asked = parser.parse_args()
    print("| epsilon | categories | response | encoding | taken | found | Gaussian noise | times |\n|---|---|---|---|---|---|---|---|")
    for epsilon in (0.5, 1.0, 4.0):
        for cells in (2, 4, 20):
            problem = Categories(columns=(("a", cells),))
            made = RandomisedCategories.calibrate(problem, epsilon=epsilon)
            (column,) = columns_of(made.parameters(), problem.to_dict())
            odds = column[2]
            draws = [next(made.draw(problem, Numbers(np.array([0])), SystemNoise()).blocks)[0] for _ in range(asked.reports)]
            found = float(np.mean(np.var([unbiased(*column, bits) for bits in draws], axis=0)[1:]))
            labels = tuple(f"c{place}" for place in range(cells))
            schema = Schema(
                name="one",
                categorical=(CategoricalColumn(name="a", categories=labels),),
                target=Target(column="y", classes=("no", "yes")),
                rows="bound",
            )
            noise = LocalSurvey.planned(schema, epsilon=epsilon, delta=asked.delta, target=Column.OMITTED).mechanism.deviation ** 2
            numbers = [variance(law, cells, odds) for law in (RESPONSE, UNARY)]
            taken = variance(made.laws[0], cells, odds)
            shown = " | ".join(f"{number:.3g}" for number in numbers)
            print(f"| {epsilon:g} | {cells} | {shown} | {made.laws[0]} | {found:.3g} | {noise:.3g} | {noise / taken:.0f} |")


if __name__ == "__main__":
    main()
