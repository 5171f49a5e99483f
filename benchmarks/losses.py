"""Regressions with losses of their own on public tables: test loss over epsilon, both relations, delta = 1e-6.

    python benchmarks/losses.py diamonds.csv.gz loanstats_2007_2011.csv.gz [--runs 5] [--epsilons 0.1 0.5 1 4]

Diamonds (53,940 x 6 numbers; price up to 20,000) by quantiles, Huber loss, expectile, Poisson and gamma with a log link, and its five ordered cuts;
36-month loans of Lending Club (about 31,000 x 9 numbers) by the half year in which they are charged off, those paid back censored. Bounds are written
down here, not taken from the data. A fifth of the records is for testing.

Numbers are the share of what the fit without privacy gains over the best constant that the private fit gains too, on the test loss that the model is
named after (without rounded kinks and, but for gamma, caps; the robust line by absolute errors; survival and ordered classes by the log loss),
averaged over runs: 1 is no price of privacy, 0 is no use, below 0 is worse than a constant. In the last column the loss without privacy over that of
the constant.
"""

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from discreet import (
    ExpectileRegression,
    GammaRegression,
    HuberRegression,
    OrdinalRegression,
    PoissonRegression,
    QuantileRegression,
    SurvivalModel,
)

CUTS = ["Fair", "Good", "Very Good", "Premium", "Ideal"]
ENDS = [6.0, 12.0, 18.0, 24.0, 30.0, 36.0]
Array = np.ndarray[Any, Any]


def scaled(frame: pl.DataFrame, bounds: dict[str, tuple[float, float]]) -> Array:
    """Columns to [-1, 1] over the square root of their number, so that no row is longer than 1."""
    low, high = (np.array([bound[end] for bound in bounds.values()]) for end in (0, 1))
    rows = frame.select(list(bounds)).cast(pl.Float64).fill_null(0.0).to_numpy()
    return np.asarray(np.clip(2.0 * (rows - low) / (high - low) - 1.0, -1.0, 1.0) / math.sqrt(len(bounds)))


def diamonds(path: Path) -> tuple[Array, Array, Array]:
    """Rows, prices, cuts."""
    frame = pl.read_csv(path)
    bounds = {"carat": (0.0, 3.0), "depth": (50.0, 70.0), "table": (50.0, 70.0), "x": (0.0, 10.0), "y": (0.0, 10.0), "z": (0.0, 6.0)}
    return scaled(frame, bounds), frame["price"].to_numpy().astype(float), frame["cut"].to_numpy().astype(str)


def loans(path: Path) -> tuple[Array, Array]:
    """Rows, and months with whether a loan was charged off then."""
    frame = pl.read_csv(path, infer_schema_length=None, try_parse_dates=True)
    frame = frame.filter((pl.col("term") == 36) & pl.col("issue_d").is_not_null() & pl.col("loan_status").str.contains("Fully Paid|Charged Off"))
    months = (pl.col("last_pymnt_d") - pl.col("issue_d")).dt.total_days().fill_null(0) / 30.44
    frame = frame.with_columns(months.clip(0.5, 60.0).alias("months"), pl.col("loan_status").str.contains("Charged Off").alias("off"))
    bounds = {
        "loan_amnt": (0.0, 35_000.0),
        "int_rate": (0.05, 0.25),
        "installment": (0.0, 1300.0),
        "annual_inc": (0.0, 200_000.0),
        "dti": (0.0, 30.0),
        "delinq_2yrs": (0.0, 3.0),
        "inq_last_6mths": (0.0, 6.0),
        "open_acc": (0.0, 25.0),
        "revol_util": (0.0, 1.0),
    }
    return scaled(frame, bounds), np.column_stack((frame["months"].to_numpy(), frame["off"].to_numpy().astype(float)))


def pinball(quantile: float) -> Callable[[Array, Array], float]:
    """The mean pinball loss."""
    return lambda found, y: float(np.maximum(quantile * (y - found), (quantile - 1.0) * (y - found)).mean())


def expectile(level: float) -> Callable[[Array, Array], float]:
    """The mean asymmetric square."""
    return lambda found, y: float((np.where(y > found, level, 1.0 - level) * np.square(y - found)).mean())


def poisson(found: Array, y: Array) -> float:
    """Half the mean deviance."""
    return float((found - y + y * np.log(y / found)).mean())


def gamma(found: Array, y: Array) -> float:
    """Half the mean deviance, a line from where a target is four times its mean, as the model has it."""
    logs = np.log(y / found)
    near = np.minimum(logs, math.log(4.0))
    return float((np.expm1(near) - near + 3.0 * (logs - near)).mean())


def survival(hazards: Array, y: Array) -> float:
    """The mean log loss of a person's periods."""
    time, ends = y[:, :1], np.array(ENDS)
    happens = (y[:, 1:] > 0.5) & (time <= ends) & (time > np.append(0.0, ends[:-1]))
    kept = (time >= ends) | happens
    chances = np.clip(np.where(happens, hazards, 1.0 - hazards), 1e-12, 1.0)
    return float(-(np.log(chances) * kept).sum(axis=1).mean())


def ordinal(chances: Array, y: Array) -> float:
    """The mean log loss."""
    codes = np.array([CUTS.index(one) for one in y])
    return float(-np.log(np.clip(chances[np.arange(len(y)), codes], 1e-12, 1.0)).mean())


def numbers(model: Any) -> Array:  # noqa: ANN401 - a fitted model and rows
    """Predictions of a fitted model for rows."""
    return np.asarray(model[0].predict(model[1]))


CASES: dict[str, tuple[Any, Callable[..., float], Callable[[Any], Array]]] = {
    "median of prices": (QuantileRegression(quantile=0.5, target_bound=10_000.0), pinball(0.5), numbers),
    "nine tenths of prices lie below": (QuantileRegression(quantile=0.9, target_bound=10_000.0), pinball(0.9), numbers),
    "robust line (Huber)": (HuberRegression(target_bound=10_000.0), pinball(0.5), numbers),
    "expectile .8": (ExpectileRegression(level=0.8, target_bound=10_000.0, width=10_000.0), expectile(0.8), numbers),
    "mean price (Poisson)": (PoissonRegression(target_bound=20_000.0), poisson, numbers),
    "mean price (gamma)": (GammaRegression(target_bound=20_000.0), gamma, numbers),
    "cut of diamonds (ordered)": (OrdinalRegression(classes=CUTS), ordinal, lambda model: np.asarray(model[0].predict_proba(model[1]))),
    "loans charged off (survival)": (SurvivalModel(ends=ENDS, typical=0.1), survival, lambda model: np.asarray(model[0].predict_hazard(model[1]))),
}
CENTRED = ("median", "nine", "robust", "expectile")
"""Targets less 10,000, the public middle of their range."""


def main() -> None:
    """See module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("diamonds", type=Path)
    parser.add_argument("loans", type=Path)
    parser.add_argument("--only", default="", help="cases whose names begin so")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.1, 0.5, 1.0, 4.0])
    arguments = parser.parse_args()
    rows, prices, cuts = diamonds(arguments.diamonds)
    tables = {"loans charged off (survival)": loans(arguments.loans), "cut of diamonds (ordered)": (rows, cuts)}
    print(f"{'':34}{'relation':13}" + "".join(f"{epsilon:>9g}" for epsilon in arguments.epsilons) + f"{'no privacy':>12}")
    for name, (model, measure, answers) in ((name, case) for name, case in CASES.items() if name.startswith(arguments.only)):
        X, y = tables.get(name, (rows, prices - 10_000.0 if name.startswith(CENTRED) else prices))
        for relation in ("add-remove", "replace-one"):
            shares, whole = [], []
            for run in range(arguments.runs):
                order = np.random.default_rng(run).permutation(len(X))
                test, train = order[: len(X) // 5], order[len(X) // 5 :]

                def loss(epsilon: float, given: Array) -> float:
                    public = {"public_records": len(train)} if relation == "add-remove" and epsilon < math.inf else {}  # noqa: B023
                    parameters = {"epsilon": epsilon, "neighbours": relation, **public}  # noqa: B023
                    if epsilon == math.inf and name in tables:  # noqa: B023
                        parameters |= {"alpha": 1e-9, "neighbours": "replace-one"}
                    fitted = type(model)(**{**model.get_params(), **parameters}).fit(given[train], y[train])  # noqa: B023
                    return measure(answers((fitted, given[test])), y[test])  # noqa: B023

                best, constant = loss(math.inf, X), loss(math.inf, np.zeros_like(X))
                shares.append([(constant - loss(epsilon, X)) / (constant - best) for epsilon in arguments.epsilons])
                whole.append(best / constant)
            print(f"{name:34}{relation:13}" + "".join(f"{share:9.3f}" for share in np.mean(shares, axis=0)) + f"{np.mean(whole):12.3f}", flush=True)


if __name__ == "__main__":
    main()
