"""The noise of a fit on persons with several rows over that of the same fit on rows, beside what other proofs of the same promise would ask for.

    python benchmarks/person_noise.py

    fit        sigma in the certificate of LogisticRegression with rows_per_person=M over that without, both fitted, of the same lambda
    union      rows share the weight, and each is hidden at delta / M: what the union bound of M rows' losses asks for
    group      rows weigh 1 and are hidden one by one: at (epsilon / M, delta / (1 + e^(epsilon / M) + ..)), of which group privacy makes the promise

lambda is 1.02 R^2 / epsilon, at which one record's theorem has no slack, and twice that. It must come out at most 1.002 at (1, 1e-6), add-remove.
"""

import numpy as np

from discreet import LogisticRegression
from discreet.core.errors import InfeasibleTarget

ROWS, RECORDS = (1, 5, 50), 10_000
X = np.array([[0.1, 0.2], [-0.3, 0.1]])
Y, OWNERS = np.array([0, 1]), np.array([1, 2])


def scale(*, epsilon: float, delta: float, neighbours: str, ridge: float, rows: int | None = None) -> float:
    """sigma, as a fit states it."""
    several = {} if rows is None else {"persons": OWNERS}
    public = {"public_records": RECORDS} if neighbours == "add-remove" else {}
    model = LogisticRegression(
        epsilon=epsilon,
        delta=delta,
        neighbours=neighbours,
        alpha=ridge / (RECORDS if public else len(X)),
        rows_per_person=rows,
        fit_intercept=False,
        mechanism="objective",
        classes=[0, 1],
        **public,
    )
    return float(model.fit(X, Y, **several).certificate_.parameters["scale"])  # type: ignore[arg-type]


def prices(*, epsilon: float, delta: float, neighbours: str, share: float, rows: int) -> tuple[float, float, float]:
    """fit, union and group over a fit on rows; infinity where no noise would do."""
    setting = {"neighbours": neighbours, "ridge": share / epsilon}
    alone = scale(epsilon=epsilon, delta=delta, **setting)  # type: ignore[arg-type]
    from discreet.planning import Plan  # noqa: PLC0415 - a part, which tests that import this file may lack
    from discreet.planning.persons import by_groups  # noqa: PLC0415

    single = by_groups(Plan(epsilon=epsilon, delta=delta, features=2, norm=1.0, rows_per_person=rows))

    def over(**asked: float) -> float:
        try:
            return scale(**{"epsilon": epsilon, "delta": delta, **setting, **asked}) / alone  # type: ignore[arg-type]
        except InfeasibleTarget:
            return float("inf")

    grouped = {"ridge": share / single.epsilon}  # the least that noise in the objective can have at such an epsilon
    return over(rows=rows), over(delta=delta / rows), over(epsilon=single.epsilon, delta=single.delta, **grouped)


def main() -> None:
    """The table."""
    print("| relation | epsilon | delta | lambda epsilon / R^2 | M | fit | union | group |\n|---|---|---|---|---|---|---|---|")
    for neighbours, shares in (("add-remove", (1.02, 2.04)), ("replace-one", (2.55,))):
        for epsilon, delta in ((0.1, 1e-6), (1.0, 1e-6), (4.0, 1e-6)):
            for share in shares:
                for rows in ROWS:
                    fit, union, group = prices(epsilon=epsilon, delta=delta, neighbours=neighbours, share=share, rows=rows)
                    print(f"| {neighbours} | {epsilon:g} | {delta:g} | {share:g} | {rows} | {fit:.4f} | {union:.3f} | {group:.3g} |", flush=True)


if __name__ == "__main__":
    main()
