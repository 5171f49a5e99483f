"""How often what a model prints of its coefficients covers: every model and mechanism, every view, on features that fill a tenth of their bounds.

    python -m benchmarks.printed_intervals                                       200 fits a row on tables of 10,000, (1, 1e-6), replace-one
    python -m benchmarks.printed_intervals linear-regression --records 100000    of one kind
    python -m benchmarks.printed_intervals --bought                              intervals of one budget with the fit, for every model that has them

Kinds come from the registry, and their mechanisms from the refusal of one that there is not: no list here says which there are. Three features in
[0, 1] around .4 with a deviation of .1 (module `model_intervals`). Views: `summary()` (which curves, reports, files and pictures repeat: one source,
`discreet.estimators.intervals.known_errors`), and where an estimator has them `coef_interval()` and `predict_interval()`. What is to be covered:

    the fit without noise     noise alone is counted: fits of the same records, whose mean is taken for it
    the population            least squares of many records; targets of new records for `predict_interval`
    with the penalty          bought intervals: the minimiser of the expected risk with the penalty of the fit

Printed: the share that covers at .95, over all coefficients; of the coefficient that is covered least; the share of fits that print none, and say
why; the median half width. A share of 200 fits is known to .015.
"""

import argparse
import ast
import re
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from benchmarks.model_intervals import CASES, PEOPLE, Case, coverage, records
from discreet import LinearRegression
from discreet.core.errors import InvalidInput, PrivacyAdvice
from discreet.estimators.door.private_estimator import PrivateModel
from discreet.estimators.intervals.known_errors import WHOLE

Floats = npt.NDArray[np.float64]
MANY = 1_000_000
_TARGETS = {"two classes": "two classes", "numbers": "linear", "counts": "poisson", "times": "times", "ordered classes": "ordered classes"}
"""Where a kind of model finds its targets among the cases, by what it learns first."""


class Shown(NamedTuple):
    """Intervals of one view of one fit."""

    view: str
    covers: str
    ends: Floats | None
    """(k, 2), or None where the view prints none."""


class Row(NamedTuple):
    """Of the table."""

    kind: str
    mechanism: str
    view: str
    covers: str
    hits: Floats
    """(fits, k), of those that print any."""
    none: float
    half: float


def pairs() -> list[tuple[str, str | None]]:
    """Every kind of model with each of its mechanisms, None where it has one only."""
    found: list[tuple[str, str | None]] = []
    for kind, made in sorted(PrivateModel.models.items()):
        if "mechanism" not in made().get_params():
            found.append((kind, None))
            continue
        try:
            fit_of(kind, "no such mechanism", 40, 0, 0)
        except InvalidInput as refusal:
            named = re.search(r"one of (\[.*?\])", str(refusal))
            found += [(kind, name) for name in (ast.literal_eval(named[1]) if named else [None]) if name != "auto"]
    return found


def case_of(kind: str) -> Case:
    """Whose targets it learns."""
    return CASES["gamma" if kind.startswith("gamma") else _TARGETS[next(one for one in PrivateModel.models[kind].targets if one in _TARGETS)]]


def estimator_of(kind: str, mechanism: str | None, **settings: Any) -> Any:  # noqa: ANN401 - parameters of any estimator
    """With what it must be told of the records of `case_of`, and three steps where it takes any."""
    made = PrivateModel.models[kind]
    known, told = made().get_params(), case_of(kind).make().get_params()
    given = {name: told[name] for name in ("classes", "target_bound", "ends") if name in known and name in told}
    steps = {"n_iter": 3} if "max_slope" in known and mechanism != "objective-perturbation-set" else {}
    bounds = {"data_norm": PEOPLE["tenth"].norm} if "data_norm" in known else {}
    chosen = {} if mechanism is None else {"mechanism": mechanism}
    return made(**({"epsilon": 1.0, "delta": 1e-6} | given | steps | bounds | chosen | settings))


def fit_of(kind: str, mechanism: str | None, count: int, people: int, noise: int, **settings: Any) -> Any:  # noqa: ANN401 - parameters of any estimator
    """Fitted to `count` records of the seed `people`."""
    rows, targets = records(case_of(kind), count, np.random.default_rng(people), "tenth")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyAdvice)
        return estimator_of(kind, mechanism, random_state=noise, **settings).fit(rows, targets)


def shown(estimator: PrivateModel, new: Floats | None = None) -> Iterator[Shown]:
    """The intervals of each view, of coefficients of features, and of predictions at `new` rows where any are given."""
    summary = estimator.summary()
    lines = [line for part in summary.parts for line in part.lines if not line.name.startswith("(")]
    ends = None if summary.counted is None else np.array([(line.low, line.high) for line in lines])
    yield Shown("summary()", "the population" if summary.counted == WHOLE or ends is None else "the fit without noise", ends)
    if getattr(estimator, "equations_", None) is not None:
        for view, symmetric in (("coef_interval()", False), ("coef_interval(symmetric=True)", True)):
            found = np.asarray(cast(LinearRegression, estimator).coef_interval(symmetric=symmetric))
            yield Shown(view, "the population", found if np.all(np.isfinite(found)) else None)
        if new is not None:
            yield Shown("predict_interval()", "new targets", np.asarray(cast(LinearRegression, estimator).predict_interval(new)))


def rows_of(kind: str, mechanism: str | None, *, count: int, fits: int) -> Iterator[Row]:
    """A row a view. Of noise alone all fits are of the same records, else each has its own."""
    try:
        first = fit_of(kind, mechanism, count, 0, 0)
    except InvalidInput:  # a mechanism that is not for this set
        return
    views, alone = list(shown(first)), "equations_" not in vars(first) or first.equations_ is None
    if views[0].ends is None and alone:
        yield Row(kind, mechanism or "", views[0].view, "", np.zeros((0, 1)), 1.0, np.nan)
        return
    fitted = [fit_of(kind, mechanism, count, 0 if alone else seed, seed) for seed in range(fits)]
    if alone:
        middle = np.mean([np.ravel(one.coef_) for one in fitted], axis=0)
        found = [list(shown(each)) for each in fitted]
        truths = [middle] * fits
    else:
        case, many = case_of(kind), records(case_of(kind), MANY, np.random.default_rng(10**6), "tenth")
        whole = np.column_stack((many[0], np.ones(MANY)))
        truths = [np.linalg.lstsq(whole, many[1], rcond=None)[0][:3]] * fits
        new = [records(case, 100, np.random.default_rng(10**7 + seed), "tenth") for seed in range(fits)]
        found = [list(shown(one, rows)) for one, (rows, _) in zip(fitted, new, strict=True)]
    for place, view in enumerate(found[0]):
        given = [each[place].ends for each in found]
        true = [targets for _, targets in new] if view.covers == "new targets" else truths
        kept = [(ends, to_cover) for ends, to_cover in zip(given, true, strict=True) if ends is not None]
        hits = np.array([(ends[:, 0] <= to_cover) & (to_cover <= ends[:, 1]) for ends, to_cover in kept]).reshape(len(kept), len(true[0]))
        half = float(np.median([0.5 * np.ptp(ends, axis=1) for ends, _ in kept])) if kept else np.nan
        yield Row(kind, mechanism or "", view.view, view.covers, hits, 1.0 - len(kept) / fits, half)


def main() -> None:
    """See module docstring."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("kinds", nargs="*", help="some kinds of models; all if left out")
    reader.add_argument("--records", type=int, default=10_000)
    reader.add_argument("--fits", type=int, default=200)
    reader.add_argument("--bought", action="store_true")
    given = reader.parse_args()
    print("| model | mechanism | view | covers | covered | least of one | prints none | half width |\n|---|---|---|---|---|---|---|---|")
    if given.bought:
        for name in given.kinds or CASES:
            hits, widths = coverage(name, "replace-one", count=given.records, fits=given.fits, jobs=1, people="tenth")
            shares = hits.mean(axis=0)
            numbers = f"{shares.mean():.3f} | {shares.min():.3f} | 0.00 | {np.median(widths):.3g}"
            print(f"| {name} | | `summary(uncertainty=)` | with the penalty | {numbers} |", flush=True)
        return
    for kind, mechanism in pairs():
        if given.kinds and kind not in given.kinds:
            continue
        for row in rows_of(kind, mechanism, count=given.records, fits=given.fits):
            shares = row.hits.mean(axis=None if row.covers == "new targets" else 0, keepdims=True) if len(row.hits) else None
            covered = " | " if shares is None else f"{shares.mean():.3f} | {shares.min():.3f}"
            half = "" if np.isnan(row.half) else f"{row.half:.3g}"
            print(f"| {row.kind} | {row.mechanism} | `{row.view}` | {row.covers} | {covered} | {row.none:.2f} | {half} |", flush=True)


if __name__ == "__main__":
    main()
