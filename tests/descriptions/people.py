"""An invented table with columns of every kind, and its schema."""

from datetime import date, timedelta

import numpy as np
import polars as pl

from discreet.data import CategoricalColumn, DateColumn, NumericColumn, PersonColumn, Schema, Target

CITIES = ("north", "south", "east")
WARDS = ("A", "B", "C", "D")


def people(count, seed=0, visits=1):
    """Records of so many people, some of whom have several."""
    draw = np.random.default_rng(seed)
    ids = np.repeat(np.arange(count), draw.integers(1, visits + 1, count))
    n = len(ids)
    city = draw.choice(3, n, p=[0.6, 0.3, 0.1])
    age = np.clip(np.rint(draw.normal(40 + 10 * city, 12)), 0, 99)
    days = draw.integers(0, 1000, n)
    return pl.DataFrame(
        {
            "age": age,
            "income": [
                None if absent else amount for absent, amount in zip(draw.uniform(size=n) < 0.1, draw.exponential(20_000, n).tolist(), strict=True)
            ],
            "seen": [date(2020, 1, 1) + timedelta(days=int(day)) for day in days],
            "city": [CITIES[one] for one in city],
            "ward": [WARDS[one] for one in draw.integers(0, 4, n)],
            "ill": np.where(draw.uniform(size=n) < 0.2 + 0.2 * city, "yes", "no"),
            "id": ids,
        }
    )


SCHEMA = Schema(
    name="people",
    target=Target(column="ill", classes=("no", "yes")),
    numeric=(
        NumericColumn(name="age", lower=0, upper=99, outside="clip"),
        NumericColumn(name="income", lower=0, upper=200_000, outside="clip", missing="indicator"),
    ),
    date=(DateColumn(name="seen", lower="2020-01-01", upper="2023-01-01", outside="clip"),),
    categorical=(CategoricalColumn(name="city", categories=CITIES), CategoricalColumn(name="ward", categories=WARDS)),
)
SEVERAL = PersonColumn(column="id", rows=3)
