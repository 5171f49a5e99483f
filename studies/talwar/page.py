"""Figures and words."""

import math

import polars as pl

from studies.curves import curves
from studies.figures import COLOURS, Line, Panel, figure
from studies.page import Comparison, Figure, Page, Verdict, numbers
from studies.results import Results, summary

_LASSO = {"published": "published (Algorithm 4)", "ours, replace-one": "ours, replace-one", "ours, add-remove": "ours, add-remove"}
_SUMMARY = (
    (
        "The paper proves rates and has no experiments. Here the measured excess risk lies beside what is proved, for fifteen sets; the LASSO as"
        " published beside ours; and the instance behind the lower bound, on which every private method must fail."
    ),
    (
        "Printed noise is several times what is needed (130 for 8.45 at epsilon 1 in mirror descent). That of the noisy minimum (Algorithm 4) stays "
        "below its claimed delta for epsilon up to 8 and exceeds it at 10, computed exactly on a worst pair; see the proof note beside Frank-Wolfe."
    ),
)
_NOTES = (
    (
        "Bounds are those of the walks that run, with their constants (theorem 3.2 and its relatives, proved again beside the code), not the "
        "paper's orders of magnitude."
    ),
    "Data of the first two figures: one coordinate tells the class, the others are noise. delta = 1e-6, add-remove.",
    (
        "Published LASSO: Laplace noise on 2 d scores, T = (Gamma n epsilon / L)^(2/3) steps. Ours: exponential mechanism with exact composition "
        "over far fewer steps."
    ),
    (
        "Lower bound: w people of whom each could be left out, 2 w^2 features, w^2 / 4 of them from a Tardos code; normalised risk F / n. "
        "Without privacy the least risk is 1 / |S| and gives all consensus signs away. The theorem's own parameters (1000 m^2 columns) are out "
        "of reach of a laptop; claims 1 and 2 hold at any size."
    ),
)


def page_of(results: Results) -> Page:
    """Of all parts that are there."""
    return Page(
        summary=_SUMMARY,
        comparisons=[*_bound_rows(results), *_lasso_rows(results), *_noise_rows(results)],
        figures=[*_sets(results), *_dimension(results), *_lasso(results), *_lower_bound(results)],
        notes=_NOTES,
    )


def _bound_rows(results: Results) -> list[Comparison]:
    if not results.has("sets"):
        return []
    rows = results.part("sets")
    keys = ["set", "features", "records", "epsilon"]
    measured = summary(rows.filter(rows["measure"] == "excess"), keys)
    bounds = summary(rows.filter(rows["measure"] == "bound"), keys)
    ratios = measured.join(bounds, on=keys, suffix="_bound").select(share=pl.col("mean") / pl.col("mean_bound")).get_column("share")
    low, high = (float(ratios.quantile(share) or 0.0) for share in (0.0, 1.0))
    return [
        Comparison(
            what=f"noisy mirror descent over a set: excess risk against its bound, {len(ratios)} cases",
            printed="an order of magnitude (theorem 3.2)",
            published="",
            ours=f"{low:.2f} to {high:.2f} of the bound with constants",
            verdict=Verdict.REPRODUCED if high <= 1.0 else Verdict.NOT_REPRODUCED,
            reason="" if high <= 1.0 else "a measured excess above the proved bound: this is a fault of ours, or of luck",
        )
    ]


def _lasso_rows(results: Results) -> list[Comparison]:
    rows = []
    for epsilon in sorted(set(results.part("lasso").get_column("epsilon"))) if results.has("lasso") else []:
        means = {m: results.value("lasso", epsilon=epsilon, method=m, measure="excess") for m in _LASSO}
        steps = {m: results.value("lasso", epsilon=epsilon, method=m, measure="steps") for m in _LASSO}
        rows.append(
            Comparison(
                what=f"LASSO, 20,000 x 1000, epsilon {epsilon:g}: excess mean squared error",
                printed="none",
                published=f"{numbers(means['published'])} ({steps['published']:.0f} steps)",
                ours=f"{numbers(means['ours, replace-one'])} replace-one, {numbers(means['ours, add-remove'])} add-remove "
                f"({steps['ours, add-remove']:.0f} steps)",
                verdict=Verdict.UNPRINTED,
            )
        )
    return rows


def _noise_rows(results: Results) -> list[Comparison]:
    rows = []
    for steps in (10, 100, 1000):
        found = {method: results.value("noise", epsilon=1.0, steps=steps, method=method) for method in ("printed, Laplace", "exact, Gumbel")}
        rows.append(
            Comparison(
                what=f"scale of the noise on a score, T = {steps}, n = 20,000, epsilon 1",
                printed="formula",
                published=numbers(found["printed, Laplace"]),
                ours=numbers(found["exact, Gumbel"]),
                verdict=Verdict.UNPRINTED,
            )
        )
    return rows


def _sets(results: Results) -> list[Figure]:
    if not results.has("sets"):
        return []
    rows = results.part("sets")
    panels = []
    for d in sorted(set(rows.get_column("features"))):
        lines = []
        for records, epsilon in ((2000, 1.0), (8000, 0.5), (8000, 1.0), (8000, 4.0)):
            part = rows.filter((rows["features"] == d) & (rows["records"] == records) & (rows["epsilon"] == epsilon))
            measured = summary(part.filter(part["measure"] == "excess"), ["set"])
            bounds = dict(zip(*(summary(part.filter(part["measure"] == "bound"), ["set"]).get_column(name) for name in ("set", "mean")), strict=True))
            pairs = sorted(
                (bounds[name], max(mean, 1e-6)) for name, mean in zip(measured.get_column("set"), measured.get_column("mean"), strict=True)
            )
            lines.append(Line(name=f"n = {records}, epsilon = {epsilon:g}", x=[x for x, _ in pairs], y=[y for _, y in pairs], joined=False))
        ends = [x for line in lines for x in line.x]
        lines.append(Line(name="measured = bound", x=[min(ends), max(ends)], y=[min(ends), max(ends)], dashed=True, marked=False, colour="#222222"))
        panels.append(Panel(title=f"fifteen sets, d = {d}", across="bound", up="measured excess", lines=lines, log_x=True, log_y=True))
    return [
        Figure(
            title="Every set against its bound",
            svg=figure(panels, title="sets"),
            caption=(
                "A point is a set: balls of several norms, box, simplex, hull, groups, k-support, nuclear, scaled and moved ones. None may lie "
                "above the dashed line."
            ),
        )
    ]


def _dimension(results: Results) -> list[Figure]:
    if not results.has("dimension"):
        return []
    lines = []
    for name, colour in (("l2 ball", "#c8553d"), ("l1 ball", "#2f6690")):
        for measure, dashed in (("excess", False), ("bound", True)):
            part = results.part("dimension", set=name, measure=measure)
            title = f"{name}, {'bound' if dashed else 'measured'}"
            lines += [
                Line(name=title, x=line.x, y=line.y, error=line.error, dashed=dashed, colour=colour)
                for line in curves(part, x="features", by="set", names={name: title})
            ]
    panel = Panel(title="n = 4000, epsilon = 1", across="dimension d", up="excess risk", lines=lines, log_x=True, log_y=True)
    return [
        Figure(
            title="Width, not dimension",
            svg=figure([panel], title="dimension", columns=1),
            caption="The l2 ball's Gaussian width grows with sqrt(d), the l1 ball's with sqrt(log d), and so do bound and risk.",
        )
    ]


def _lasso(results: Results) -> list[Figure]:
    panels = []
    for part, x, across, title in (("lasso", "epsilon", "epsilon", "20,000 x 1000"), ("lasso-size", "records", "records n", "d = 200, epsilon = 1")):
        if results.has(part):
            lines = curves(results.part(part, measure="excess"), x=x, names=_LASSO)
            panels.append(Panel(title=title, across=across, up="excess mean squared error", lines=lines, log_x=True, log_y=True))
    if results.has("noise"):
        lines = []
        for epsilon, colour in zip((0.1, 1.0, 4.0), COLOURS[3:], strict=False):
            for method, dashed in (("printed, Laplace", True), ("exact, Gumbel", False)):
                found = results.part("noise", epsilon=epsilon, method=method)
                name = f"{'printed' if dashed else 'exact'} scale, epsilon {epsilon:g}"
                drawn = curves(found, x="steps", names={method: name})
                lines += [Line(name=name, x=line.x, y=line.y, dashed=dashed, colour=colour) for line in drawn]
        panels.append(Panel(title="noise on one score, n = 20,000", across="steps T", up="scale", lines=lines, log_x=True, log_y=True))
    caption = "delta = 1e-6. The predictor zero has an excess of about 0.26."
    return [Figure(title="The LASSO, published and tight", svg=figure(panels, title="lasso"), caption=caption)] if panels else []


def _lower_bound(results: Results) -> list[Figure]:
    if not results.has("lower-bound"):
        return []
    panels = []
    rows = results.part("lower-bound")
    for measure, up in (("risk", "normalised risk F / n"), ("consensus signs known", "share of consensus signs known")):
        lines = []
        for users, colour in zip(sorted(set(rows.get_column("users"))), COLOURS, strict=False):
            part = rows.filter(rows["users"] == users)
            found = summary(part.filter(part["epsilon"].is_not_null() & (part["measure"] == measure)), ["epsilon"])
            ends = list(found.get_column("epsilon"))
            lines.append(Line(name=f"{users} people", x=ends, y=list(found.get_column("mean")), error=list(found.get_column("error")), colour=colour))
            if measure == "risk":
                lines += _flat(part, "risk", f"{users} people, without privacy", ends, colour)
                lines += _flat(part, "risk of zero weights", f"{users} people, weights zero", ends, "#9a9a9a")
        panels.append(Panel(title=up, across="epsilon", up=up, lines=lines, log_x=True, log_y=measure == "risk"))
    return [
        Figure(
            title="The instance behind the lower bound (theorem 5.8)",
            svg=figure(panels, title="lower bound"),
            caption=(
                "Dashed in grey: weights zero, which know nothing. Up to epsilon = 1 the private walk is no better than they are, and hardly gives "
                "a sign away; without privacy all signs are known. Knowing the signs names somebody who is in the table, so no private algorithm can."
            ),
        )
    ]


def _flat(part: pl.DataFrame, measure: str, name: str, ends: list[float], colour: str) -> list[Line]:
    """A dashed line at the value without privacy."""
    value = part.filter(part["epsilon"].is_null() & (part["measure"] == measure)).get_column("value").mean()
    if not (ends and isinstance(value, float) and math.isfinite(value)):
        return []
    return [Line(name=name, x=[min(ends), max(ends)], y=[value, value], dashed=True, marked=False, colour=colour)]
