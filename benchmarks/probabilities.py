"""The log loss of what linear classifiers tell, before and after the link of the softplus hinge was mixed, and with the noise integrated out.

    python benchmarks/probabilities.py adult
    python benchmarks/probabilities.py rare            2,000 records of Adult, 11 % of them of the rarer class
    python benchmarks/probabilities.py kdd FILE        kddcup.data_10_percent.gz
    python benchmarks/probabilities.py mnist49 FOLDER  the four IDX files of MNIST

One split, four fifths to one, rows of norm 1, delta = 1 / n^2, both relations; nothing is chosen in view of the data. Columns: `constant` answers the
training records' share of each class, without noise; `told` is predict_proba; `proper` the link of the best decision of all functions (of LinearSVC;
of LogisticRegression it is `told`); `integrated` the proper link with the noise's law integrated out at the curvature of the records,

    p = E s(q(f + N(0, v(x)))),    v(x) = sigma^2 x' S^{-2} x,    S = sum_i l''(y_i f_i) x_i x_i' + lambda I

which is private: no estimator could use it, and it shows what knowing the law of the released weights would be worth at best.
"""

import argparse

import numpy as np
import numpy.typing as npt
from scipy.special import expit, log_expit
from tables import Table, adult, kdd_cup_99, mnist_4_against_9

from discreet import LinearSVC, LogisticRegression
from discreet.estimators.prediction_rules import log_odds
from discreet.losses import MarginLoss

Floats = npt.NDArray[np.float64]
_STEP = 1e-4


def split(table: Table) -> tuple[Table, Table]:
    """Four fifths and the rest."""
    rows, signs = table
    order = np.random.default_rng(0).permutation(len(signs))
    first, rest = np.split(order, [4 * len(signs) // 5])
    return (rows[first], signs[first]), (rows[rest], signs[rest])


def rare(table: Table, *, records: int = 2000, share: float = 0.11) -> tuple[Table, Table]:
    """So many records to fit, and held-out ones, both with this share of the second class."""
    (rows, signs), (held, answers) = split(table)
    some = int(records * share)
    chosen = np.concatenate((np.flatnonzero(signs > 0)[:some], np.flatnonzero(signs < 0)[: records - some]))
    others = np.flatnonzero(answers < 0)
    kept = np.concatenate((np.flatnonzero(answers > 0)[: int(len(others) * share / (1.0 - share))], others))
    return (rows[chosen], signs[chosen]), (held[kept], answers[kept])


def log_loss(signs: npt.NDArray[np.int64], odds: Floats) -> float:
    """Mean, in nats."""
    return float(-np.mean(log_expit(signs * odds)))


def integrated(loss: MarginLoss, decision: Floats, variance: Floats) -> Floats:
    """Log odds of E p(f + N(0, v)), by 41 nodes."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    chances = expit(loss.proper_log_odds(decision[:, np.newaxis] + np.sqrt(variance)[:, np.newaxis] * nodes)) @ (weights / weights.sum())
    return np.asarray(np.log(chances) - np.log1p(-chances))


def variances(model: LogisticRegression | LinearSVC, loss: MarginLoss, train: Table, rows: Floats) -> Floats:
    """v(x) of every row; zeros for a mechanism with another law."""
    parameters, problem = model.certificate_.parameters, model.certificate_.problem
    if model.certificate_.mechanism != "objective-perturbation-gaussian":
        return np.zeros(len(rows))
    constant = float(problem["intercept_scale"])  # type: ignore[arg-type]
    inputs, new = (np.column_stack((part, np.full(len(part), constant))) for part in (train[0], rows))
    margins = train[1] * (inputs @ model.weights_)
    curvature = (loss.slope(margins + _STEP) - loss.slope(margins - _STEP)) / (2.0 * _STEP)
    ridge = float(problem["ridge"]) + float(parameters.get("extra_ridge", 0.0))  # type: ignore[arg-type]
    moved = np.linalg.solve((inputs * curvature[:, np.newaxis]).T @ inputs + ridge * np.eye(inputs.shape[1]), new.T)
    return np.asarray(float(parameters["scale"]) ** 2 * np.sum(np.square(moved), axis=0))  # type: ignore[arg-type]


def main() -> None:
    """Print one line for each estimator, relation and epsilon."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", choices=["adult", "rare", "kdd", "mnist49"])
    parser.add_argument("path", nargs="?")
    parser.add_argument("--epsilons", type=float, nargs="*", default=[0.1, 0.5, 1.0, 4.0])
    parser.add_argument("--seeds", type=int, default=5)
    asked = parser.parse_args()
    table = {"kdd": lambda: kdd_cup_99(asked.path), "mnist49": lambda: mnist_4_against_9(asked.path)}.get(asked.data, adult)()
    train, test = rare(table) if asked.data == "rare" else split(table)
    share = float(np.mean(train[1] > 0))
    constant = log_loss(test[1], np.full(len(test[1]), np.log(share / (1.0 - share))))
    print(f"{asked.data}: {len(train[1]):,} records, constant {constant:.4f}\n")
    print("| estimator | neighbours | epsilon | proper | told | integrated |\n|---|---|---|---|---|---|")
    for kind in (LogisticRegression, LinearSVC):
        for neighbours in ("replace-one", "add-remove"):
            for epsilon in asked.epsilons:
                found = []
                for seed in range(asked.seeds):
                    model = kind(epsilon=epsilon, delta=len(train[1]) ** -2.0, neighbours=neighbours, classes=[-1, 1], random_state=seed).fit(*train)
                    decision, loss = model.decision_function(test[0]), model._loss()  # noqa: SLF001
                    spread = variances(model, loss, train, test[0])
                    told = (loss.proper_log_odds(decision), log_odds(loss, decision), integrated(loss, decision, spread))
                    found.append([log_loss(test[1], odds) for odds in told])
                print(
                    f"| {kind.__name__} | {neighbours} | {epsilon:g} | " + " | ".join(f"{mean:.4f}" for mean in np.mean(found, axis=0)) + " |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
