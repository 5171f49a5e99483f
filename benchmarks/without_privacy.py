"""Every loss at epsilon = infinity beside the non-private library that knows it: how far coefficients are apart.

    pip install statsmodels lifelines
    python benchmarks/without_privacy.py

Invented records, 3,000 x 4, bounds that cut nothing. Ours is the fit without privacy, without a ridge (classes of rows of one person: alpha = 1e-11).

    ordinary lines     statsmodels' OLS                       quantiles      its QuantReg, and the linear program by SciPy's HiGHS
    Huber's            its RLM at a fixed scale               expectiles     its WLS, weights and residuals in turns
    counts, amounts    its GLM, Poisson, gamma, log link      survival       its binomial GLM of person-period rows; lifelines' Kaplan-Meier
    ordered classes    its Logit of a row for each threshold; of two classes its OrderedModel

Printed: the largest difference of a coefficient, of a share for Kaplan-Meier, and that of what is minimised, ours less theirs over it: where one
stops early ours is below. statsmodels' OrderedModel of more than two classes maximises another likelihood (a class at a time, and not a row for each
threshold), so only two classes are compared.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import statsmodels.api as sm
from lifelines import KaplanMeierFitter
from scipy.optimize import linprog
from statsmodels.miscmodels.ordinal_model import OrderedModel

from discreet import (
    ExpectileRegression,
    GammaRegression,
    HuberRegression,
    LinearRegression,
    OrdinalRegression,
    PoissonRegression,
    QuantileRegression,
    SurvivalModel,
)

Floats = npt.NDArray[np.float64]
Loss = Callable[[Floats], float]
COUNT, SLOPES = 3000, np.array([1.0, -0.6, 0.3, 0.0])
OURS: dict[str, Any] = {"epsilon": np.inf, "data_norm": 4.0}


def with_constant(rows: Floats) -> Floats:
    """Rows with a 1 at the end."""
    return np.column_stack((rows, np.ones(len(rows))))


def weights(model: Any) -> Floats:  # noqa: ANN401 - any regression
    """Coefficients, the intercept last."""
    return np.append(model.coef_, model.intercept_)


def quantile_program(rows: Floats, targets: Floats, share: float) -> Floats:
    """The minimiser of the pinball loss: weights free, residuals above and below."""
    count, size = rows.shape
    cost = np.concatenate((np.zeros(size), np.full(count, share), np.full(count, 1.0 - share)))
    equal = np.hstack((rows, np.eye(count), -np.eye(count)))
    bounds = [(None, None)] * size + [(0.0, None)] * (2 * count)
    return np.asarray(linprog(cost, A_eq=equal, b_eq=targets, bounds=bounds, method="highs").x[:size])


def expectile_by_turns(rows: Floats, targets: Floats, level: float) -> Floats:
    """Weighted least squares whose weights are the signs of its residuals."""
    found = sm.OLS(targets, rows).fit().params
    for _ in range(200):
        found = sm.WLS(targets, rows, weights=np.where(targets > rows @ found, level, 1.0 - level)).fit().params
    return np.asarray(found)


def pinball(rows: Floats, targets: Floats, share: float) -> Loss:
    """Its mean."""
    return lambda w: float(np.mean(np.maximum(share * (targets - rows @ w), (share - 1.0) * (targets - rows @ w))))


def huber(rows: Floats, targets: Floats, width: float) -> Loss:
    """Its mean."""

    def mean(w: Floats) -> float:
        far = np.abs(targets - rows @ w)
        near = np.minimum(far, width)
        return float(np.mean(near * (far - 0.5 * near)))

    return mean


def lines(rows: Floats, draw: np.random.Generator) -> Iterator[tuple[str, Floats, Floats, Loss | None]]:
    """Name, ours, theirs, and what is minimised where a library may stop early."""
    whole = with_constant(rows)
    targets = rows @ SLOPES + 0.3 * draw.standard_t(4.0, len(rows))
    bounds = {"target_bound": 20.0, **OURS}
    yield "line: OLS", weights(LinearRegression(**bounds).fit(rows, targets)), sm.OLS(targets, whole).fit().params, None
    for share in (0.5, 0.9):
        ours, least = weights(QuantileRegression(quantile=share, **bounds).fit(rows, targets)), pinball(whole, targets, share)
        yield f"quantile {share}: QuantReg", ours, sm.QuantReg(targets, whole).fit(q=share, max_iter=10_000, p_tol=1e-12).params, least
        yield f"quantile {share}: HiGHS", ours, quantile_program(whole, targets, share), least
    robust = sm.RLM(targets, whole, M=sm.robust.norms.HuberT(1.2)).fit(update_scale=False, tol=1e-15, maxiter=10_000, conv="coefs")
    width = 1.2 * float(robust.scale)
    yield "Huber: RLM", weights(HuberRegression(width=width, **bounds).fit(rows, targets)), robust.params, huber(whole, targets, width)
    ours = weights(ExpectileRegression(level=0.8, width=40.0, **bounds).fit(rows, targets))
    yield "expectile 0.8: WLS", ours, expectile_by_turns(whole, targets, 0.8), None


def means(rows: Floats, draw: np.random.Generator) -> Iterator[tuple[str, Floats, Floats, Loss | None]]:
    """Counts and amounts."""
    whole, mean = with_constant(rows), np.exp(rows @ SLOPES)
    counts, amounts = draw.poisson(2.0 * mean).astype(float), draw.gamma(2.0, mean)
    tight: dict[str, Any] = {"tol": 1e-14, "maxiter": 200}
    ours = weights(PoissonRegression(target_bound=200.0, **OURS).fit(rows, counts))
    yield "counts: GLM Poisson", ours, sm.GLM(counts, whole, family=sm.families.Poisson()).fit(**tight).params, None
    family = sm.families.Gamma(sm.families.links.Log())
    ours = weights(GammaRegression(target_bound=200.0, most_times=1e6, least=1e-6, **OURS).fit(rows, amounts))
    yield "amounts: GLM gamma", ours, sm.GLM(amounts, whole, family=family).fit(**tight).params, None


def persons(rows: Floats, draw: np.random.Generator) -> Iterator[tuple[str, Floats, Floats, Loss | None]]:
    """Survival and ordered classes."""
    ends, small = np.array([1.0, 2.0, 3.0]), {"alpha": 1e-11, **OURS}
    times, seen = draw.exponential(3.0 / np.exp(rows @ SLOPES)), draw.uniform(1.0, 6.0, len(rows))
    happened, until = (times <= seen).astype(float), np.minimum(times, seen)
    y = np.column_stack((until, happened))
    model = SurvivalModel(ends=ends, **small).fit(rows, y)
    expanded, answers = [], []
    for place, end in enumerate(ends):
        in_it = (happened > 0) & (until <= end) & (until > end - 1.0)
        kept = (until >= end) | in_it
        expanded.append(np.column_stack((rows[kept], np.tile(np.eye(3)[place], (int(kept.sum()), 1)))))
        answers.append(in_it[kept])
    theirs = sm.GLM(np.concatenate(answers).astype(float), np.concatenate(expanded), family=sm.families.Binomial()).fit(tol=1e-14).params
    yield "survival: GLM", np.asarray(model.coef_), theirs[:4], None
    # Without features hazards are shares: where censoring is at the end of a period, Kaplan and Meier's.
    rounded = np.ceil(until)
    blind = SurvivalModel(ends=ends, **small).fit(np.zeros((len(rows), 1)), np.column_stack((rounded, happened)))
    curve = KaplanMeierFitter().fit(rounded, happened).survival_function_at_times(ends).to_numpy()
    yield "survival: Kaplan-Meier", blind.predict_survival(np.zeros((1, 1)))[0], curve, None
    grades = np.digitize(2.0 * rows @ SLOPES + draw.logistic(size=len(rows)), [-1.0, 0.5, 1.5])
    model = OrdinalRegression(classes=[0, 1, 2, 3], **small).fit(rows, grades)
    table = np.vstack([np.column_stack((rows, np.tile(-np.eye(3)[place], (len(rows), 1)))) for place in range(3)])
    theirs = sm.Logit(np.concatenate([grades > place for place in range(3)]).astype(float), table).fit(disp=0, tol=1e-14).params
    yield "ordered: Logit of thresholds", np.concatenate((model.coef_, model.thresholds_)), theirs, None
    two = OrdinalRegression(classes=[0, 1], **small).fit(rows, (grades > 1).astype(int))
    theirs = OrderedModel((grades > 1).astype(int), rows, distr="logit").fit(method="newton", disp=0, tol=1e-14).params
    yield "ordered, two: OrderedModel", np.concatenate((two.coef_, two.thresholds_)), np.asarray(theirs), None


def compared() -> Iterator[tuple[str, float, float | None]]:
    """Name, the largest difference, and the relative difference of what is minimised."""
    draw = np.random.default_rng(0)
    rows = draw.uniform(-1.0, 1.0, (COUNT, len(SLOPES)))
    for group in (lines, means, persons):
        for name, ours, theirs, least in group(rows, draw):
            apart = None if least is None else least(ours) / least(np.asarray(theirs)) - 1.0
            yield name, float(np.abs(ours - np.asarray(theirs)).max()), apart


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for name, largest, apart in compared():
        print(f"{name:30} {largest:10.1e}" + ("" if apart is None else f"   minimised: {apart:+.1e}"), flush=True)
