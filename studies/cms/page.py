"""Figures and words."""

import math

from studies.cms.printed import LAMBDAS, LOSSES, NAMES, NEAR, PRINTED
from studies.curves import curves
from studies.figures import Line, Panel, figure
from studies.page import Comparison, Figure, Page, Verdict, numbers
from studies.results import Results

_TABLES = {"table-1": "Adult", "table-2": "KDD Cup 99"}
_OVER_EPSILON = {
    "output, published": "output, published",
    "objective, published": "objective, published",
    "objective, tight": "tight",
    "objective, tight, add-remove": "tight, add-remove",
    "objective, tight, delta 1e-6": "tight, delta 1e-6",
    "objective, tight, delta 1e-6, add-remove": "tight, delta 1e-6, add-remove",
}
_DEFAULTS = {
    "default, pure": "default, pure*",
    "default, delta 1e-6": "default, delta 1e-6*",
    "default, delta 1e-6, add-remove": "default, delta 1e-6, add-remove*",
}
_LEARNING = {
    "Algorithm 4, output, published": "Algorithm 4, output, published",
    "Algorithm 4, objective, published": "Algorithm 4, objective, published",
    "Algorithm 4, objective, tight": "Algorithm 4, objective, tight",
    "non-private, best Lambda": "non-private",
    **_DEFAULTS,
}
_SUMMARY = (
    (
        "Test errors of the paper's two algorithms at epsilon 0.1 over its eight values of Lambda (Tables 1 and 2), over epsilon (Figures 2 and 3), "
        "and over the number of records with Lambda chosen by its Algorithm 4 (Figures 4 and 5); beside each the tight calibrations of the same "
        "mechanisms, and the tuning-free default, which looks at no test error to choose anything."
    ),
    (
        "The printed calibrations of both algorithms hold (with c R^2 for c where rows are not of norm 1); they spend more noise than they need. "
        "Choosing Lambda by the test error, as Tables 1 and 2 and Figures 2 and 3 do, is itself a look at the records, which nobody pays for there."
    ),
)
_NOTES = (
    (
        "A row counts as reproduced where the mean over folds and draws is within 0.006 (Adult) or 0.004 (KDD Cup 99) of the printed error, or "
        "within four of the standard errors beside it."
    ),
    (
        "Adult is the 45,222 complete records (the paper has 45,220), one-hot to 105 columns. KDD Cup 99 is 70,000 records drawn from the 10 % file: "
        "118 columns (the paper: 119, from the full file). Without privacy its errors agree with the printed ones at large Lambda and are higher by "
        "about 0.01 at small ones. Tried apart from this page, without success: denial of service against everything else as the label, one "
        "scale for all rows, an intercept. The full file was not at hand."
    ),
    (
        "The paper's errors of output perturbation are above ours wherever Lambda is small, and tend to 0.53 where a coin has 0.5. The same 50 noise "
        "vectors, used again for all folds and Lambdas, would leave such a difference (standard error 0.02), and fresh ones would not; whether "
        "that is what was done is not known."
    ),
    (
        "The constants 0.8248 (Adult) and 0.2084 (KDD Cup 99) of objective perturbation for logistic regression, equal over three Lambdas: the "
        "stated algorithm gives about 0.285 on Adult there (ten folds). Quick settings leave these Lambdas out."
    ),
    (
        "Figures 4 and 5: five Lambdas, each fitted on records of its own, which need 300,000 to 600,000 records and two times 25,000 more. The 10 % "
        "file has 494,021, so the curves end at 80,000 a Lambda. The paper does not print its five Lambdas; here 10^-2.5 to 10^-0.5. The default "
        "uses all of these records at once."
    ),
)


def page_of(results: Results) -> Page:
    """Of all parts that are there."""
    return Page(
        summary=_SUMMARY, comparisons=_comparisons(results), figures=[*_tables(results), *_over_epsilon(results), *_learning(results)], notes=_NOTES
    )


def _comparisons(results: Results) -> list[Comparison]:
    rows = []
    for part, title in _TABLES.items():
        for loss in LOSSES:
            for method in ("non-private", "output, published", "objective, published"):
                rows += [_row(results, part, title, loss, method, alpha) for alpha in LAMBDAS[part]]
        rows += _best(results, part, title)
    return rows


def _row(results: Results, part: str, title: str, loss: str, method: str, alpha: float) -> Comparison:
    printed = PRINTED[part, loss, method][LAMBDAS[part].index(alpha)]
    what = f"{title}, {NAMES[loss]}, {method.split(',', maxsplit=1)[0]}, Lambda 10^{math.log10(alpha):.3g}"
    found = results.value(part, loss=loss, alpha=alpha, method=method) if results.has(part) else math.nan
    if math.isnan(found):
        words = "no noise makes it private" if results.has(part) and method != "non-private" and _tried(results, part, loss, alpha) else _NOT_RUN
        return Comparison(what=what, printed=f"{printed:.4f}", published="-", ours="-", verdict=Verdict.MISSING, reason=words)
    error = results.error(part, loss=loss, alpha=alpha, method=method)
    error = 0.0 if math.isnan(error) else error
    apart = found - printed
    near = abs(apart) <= max(NEAR[part], 4.0 * error)
    tight = results.value(part, loss=loss, alpha=alpha, method=method.replace("published", "tight"))
    if not near:
        reason = _reason(part, loss, method, alpha, apart)
    else:
        reason = "within four standard errors, which are wide here" if abs(apart) > NEAR[part] else ""
    return Comparison(
        what=what,
        printed=f"{printed:.4f}",
        published=numbers(found, error),
        ours="" if method == "non-private" else "infeasible" if math.isnan(tight) else numbers(tight),
        verdict=Verdict.REPRODUCED if near else Verdict.NOT_REPRODUCED,
        reason=reason,
    )


_EPSILON = 0.1
"""Of tables 1 and 2."""
_NOT_RUN = "left out by quick settings, or its table is missing"


def _tried(results: Results, part: str, loss: str, alpha: float) -> bool:
    return not math.isnan(results.value(part, loss=loss, alpha=alpha, method="non-private"))


def _reason(part: str, loss: str, method: str, alpha: float, apart: float) -> str:
    """What is known about a difference (ours minus printed) beyond chance; "not explained" where nothing is."""
    if method.startswith("objective") and loss == "logistic" and alpha < 10**-3.75:
        return "not an error that the stated algorithm can have; see the notes"
    if method.startswith("output") and apart < 0 and alpha < 10**-2.25:
        return "ours is lower; the paper's errors tend to 0.53 as Lambda falls, as noise vectors used again could make them; see the notes"
    if part == "table-2" and apart > 0:
        return "not explained: errors on the 10 % file are higher without privacy too where Lambda is small; see the notes"
    return f"not explained: off by {apart:+.3f}; folds and noise were drawn anew"


def _best(results: Results, part: str, title: str) -> list[Comparison]:
    """The best private number of each table against the default, which chose nothing."""
    found: list[Comparison] = []
    name = part.replace("table", "default")
    tried = results.part(name).get_column("epsilon").to_list() if results.has(name) else []
    epsilon = max((one for one in tried if one <= _EPSILON), default=None)
    if epsilon is None:
        return found
    for loss in LOSSES:
        least = min(PRINTED[part, loss, "objective, published"])
        default = {method: results.value(name, loss="svm", epsilon=epsilon, method=method) for method in ("default, pure", "default, delta 1e-6")}
        ours = (
            f"{numbers(default['default, pure'])} pure, {numbers(default['default, delta 1e-6'])} with delta 1e-6 (LinearSVC(), epsilon {epsilon:g})"
        )
        found.append(
            Comparison(
                what=f"{title}: least private error over Lambda, {NAMES[loss]}, against a default that chooses nothing",
                printed=f"{least:.4f}",
                published="",
                ours=ours,
                verdict=Verdict.UNPRINTED,
            )
        )
    return found


def _tables(results: Results) -> list[Figure]:
    made = []
    names = {"non-private": "non-private", **_OVER_EPSILON, "output, tight": "output, tight"}
    for part, title in _TABLES.items():
        if not results.has(part):
            continue
        panels = []
        for loss in LOSSES:
            lines = curves(results.part(part, loss=loss), x="alpha", names=names)
            alphas = [alpha for alpha in LAMBDAS[part] if any(alpha in line.x for line in lines)]
            for method, colour in (("output, published", "#999999"), ("objective, published", "#222222")):
                row = dict(zip(LAMBDAS[part], PRINTED[part, loss, method], strict=True))
                lines.append(Line(name=f"printed, {method.split(',')[0]}", x=alphas, y=[row[alpha] for alpha in alphas], dashed=True, colour=colour))
            panels.append(Panel(title=f"{title}, {NAMES[loss]}", across="Lambda", up="test error", lines=lines, log_x=True, log_y=part == "table-2"))
        made.append(
            Figure(
                title=f"{part.replace('-', ' ').capitalize()}: {title} at epsilon 0.1",
                svg=figure(panels, title=part),
                caption=(
                    "Dashed: as printed. Where a tight line ends on the left, no noise makes objective perturbation private at that Lambda; "
                    "the printed algorithm adds a ridge there. 'Tight' is objective perturbation; pure, replace-one unless said otherwise."
                ),
            )
        )
    return made


def _over_epsilon(results: Results) -> list[Figure]:
    made = []
    for part, title in _TABLES.items():
        name, default = part.replace("table", "over-epsilon"), part.replace("table", "default")
        if not (results.has(name) and results.has(default)):
            continue
        panels = []
        for loss in LOSSES:
            lines = curves(results.part(name, loss=loss), x="epsilon", names=_OVER_EPSILON)
            lines += curves(results.part(default, loss="svm" if loss == "huber-hinge" else loss), x="epsilon", names=_DEFAULTS)
            panels.append(Panel(title=f"{title}, {NAMES[loss]}", across="epsilon", up="test error", lines=lines, log_x=True, log_y=part == "table-2"))
        made.append(
            Figure(
                title=f"Figure {'2' if part == 'table-1' else '3'}: {title} over epsilon",
                svg=figure(panels, title=name),
                caption=(
                    "The published lines at the Lambda with the least printed error; the tight ones (objective) at 0.001 throughout, chosen by "
                    "nobody; the defaults choose a ridge from public numbers at each epsilon (softplus hinge in the right panel). The paper prints "
                    "curves, not numbers."
                ),
            )
        )
    return made


def _learning(results: Results) -> list[Figure]:
    if not results.has("learning"):
        return []
    made = []
    for loss, place in zip(LOSSES, ("4", "5"), strict=True):
        panels = []
        for epsilon in sorted(set(results.part("learning").get_column("epsilon")), reverse=True):
            lines = curves(results.part("learning", loss=loss, epsilon=epsilon), x="records", names=_LEARNING)
            if lines:
                panels.append(Panel(title=f"{NAMES[loss]}, epsilon {epsilon:g}", across="records a Lambda", up="test error", lines=lines, log_y=True))
        made.append(
            Figure(
                title=f"Figure {place}: learning curves on {_TABLES['table-2']}, {NAMES[loss]}",
                svg=figure(panels, title=f"figure {place}"),
                caption="Lambda chosen privately by Algorithm 4, on records set apart. The defaults choose nothing, and learn from all records.",
            )
        )
    return made
