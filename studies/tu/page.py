"""Figures and words of the study of Tu (2013)."""

from studies.curves import curves
from studies.figures import Line, Panel, figure
from studies.page import Comparison, Figure, Page, Verdict, numbers
from studies.results import Results

_PRINTED, _OTHER, _FRESH, _FIXED = "theorem 1, printed", "theorem 2, printed", "fresh, exact", "fixed, exact"
_NOISE = {_OTHER: "theorem 2, printed", _PRINTED: "theorem 1, printed", _FIXED: "fixed projection, needed", _FRESH: "fresh projection, needed"}
_USES = {
    _PRINTED: "theorem 1, printed",
    _FIXED: "fixed projection, needed",
    _FRESH: "fresh projection, needed",
    "no projection": "no projection, needed",
    "without noise": "projection without noise*",
}
_POINTS = ((100, 10, 0.5, 1e-6), (1000, 50, 0.9, 1e-6), (1000, 200, 0.1, 1e-6), (1000, 200, 0.9, 1e-9), (10_000, 50, 0.5, 1e-6))

_SUMMARY = (
    (
        "A table X is released as X P + N, P Gaussian. Two questions decide how much noise N takes. Is P drawn afresh, after the records are "
        "fixed, and used once? Then theorem 1 holds and asks 1.6 to 2.6 times the noise that is needed (theorem 2: 34 to 63 times). Or is P "
        "fixed, public or used again? Then theorem 1 is false, since whoever knows P can look for the two records that it stretches most: the "
        "larger d, the more so."
    ),
    (
        "The paper has no experiments. What is printed are formulas; the figures and numbers below are evaluations of them beside the exact "
        "privacy curves, and what the released rows are good for."
    ),
)
_NOTES = (
    (
        "Factors are standard deviations of the noise in units of B sigma_p, B the largest distance of two records, sigma_p the standard "
        "deviation of P's entries. The printed radical swallows the last factor in some copies; it is read as a product here, as the proof needs."
    ),
    ("Theorem 1 is proved with delta / 2 in two lemmas, which turns log(1 / (2 delta)) into log(1 / delta); numerically harmless: Lemma 2 is loose."),
    (
        "Regression uses the known covariance of the noise. A fresh projection that keeps few columns makes averages over many records useful; "
        "single rows, and so nearest neighbours and distances between two records, stay useless at any epsilon that protects a record: that is "
        "what the guarantee says."
    ),
)


def page_of(results: Results) -> Page:
    """Of all parts that are there."""
    return Page(summary=_SUMMARY, comparisons=_comparisons(results), figures=[*_noise(results), *_uses(results)], notes=_NOTES)


def _comparisons(results: Results) -> list[Comparison]:
    rows = []
    for d, k, epsilon, delta in _POINTS:
        at = {"features": d, "width": k, "epsilon": epsilon, "delta": delta}

        def mean(method: str, measure: str, where: dict[str, float] = at) -> float:
            return results.value("noise", method=method, measure=measure, **where)

        place = f"d = {d}, k = {k}, epsilon = {epsilon:g}, delta = {delta:g}"
        needed = f"fresh {numbers(mean(_FRESH, 'factor'))}, fixed {numbers(mean(_FIXED, 'factor'))}"
        formulas = f"theorem 1 {numbers(mean(_PRINTED, 'factor'))}, theorem 2 {numbers(mean(_OTHER, 'factor'), digits=4)}"
        rows.append(Comparison(what=f"noise at {place}", printed="formulas", published=formulas, ours=needed, verdict=Verdict.UNPRINTED))
        fresh, fixed = mean(_PRINTED, "delta if fresh"), mean(_PRINTED, "delta if fixed")
        rows.append(
            Comparison(
                what="delta of theorem 1's noise there, P fresh",
                printed=f"{delta:g}",
                published=numbers(fresh),
                ours=f"{delta:g}",
                verdict=Verdict.REPRODUCED,
                reason="holds, with room to spare: its lemmas are loose",
            )
        )
        holds = fixed <= delta
        power, allowed = mean(_PRINTED, "power of the attack"), mean(_PRINTED, "power allowed")
        rows.append(
            Comparison(
                what="delta of theorem 1's noise there, P fixed",
                printed=f"{delta:g}",
                published=numbers(fixed),
                ours=f"{delta:g}",
                verdict=Verdict.REPRODUCED if holds else Verdict.NOT_REPRODUCED,
                reason=""
                if holds
                else "Lemma 1 bounds each pair of records with high probability over P; neighbours are all pairs, and the worst is known once P is."
                + (f" A test finds it with power {numbers(power)} at false alarms 0.001; allowed: {numbers(allowed)}." if power > allowed else ""),
            )
        )
    return rows


def _noise(results: Results) -> list[Figure]:
    if not results.has("noise"):
        return []
    rows = results.part("noise", measure="factor", delta=1e-6)
    against_epsilon = [
        Panel(
            title=f"d = {d}, k = 50",
            across="epsilon",
            up="noise / (B sigma_p)",
            lines=curves(results.part("noise", measure="factor", delta=1e-6, features=d, width=50), x="epsilon", names=_NOISE),
            log_x=True,
            log_y=True,
        )
        for d in (100, 1000, 10_000)
    ]
    against_d = Panel(
        title="k = 50, epsilon = 0.5",
        across="d",
        up="noise / (B sigma_p)",
        lines=curves(results.part("noise", measure="factor", delta=1e-6, epsilon=0.5, width=50), x="features", names=_NOISE),
        log_x=True,
        log_y=True,
    )
    against_k = Panel(
        title="d = 1000, epsilon = 0.5",
        across="k",
        up="noise / (B sigma_p)",
        lines=curves(results.part("noise", measure="factor", delta=1e-6, epsilon=0.5, features=1000), x="width", names=_NOISE),
        log_x=True,
        log_y=True,
    )
    broken = Panel(
        title="exact delta of theorem 1's noise, epsilon = 0.5",
        across="d",
        up="delta",
        lines=[
            line
            for k in (10, 50, 200)
            for line in _renamed(
                curves(
                    results.part("noise", measure="delta if fixed", delta=1e-6, epsilon=0.5, width=k),
                    x="features",
                    names={_PRINTED: f"P fixed, k = {k}"},
                )
            )
        ]
        + [Line(name="claimed", x=[10.0, 10_000.0], y=[1e-6, 1e-6], dashed=True, marked=False, colour="#222222")],
        log_x=True,
        log_y=True,
    )
    return [
        Figure(
            title="Noise that each calibration takes",
            svg=figure([*against_epsilon, against_d, against_k], title="noise", columns=2),
            caption=f"delta = 1e-6. Fixed projections: mean over {rows.get_column('repeats').to_list()[0]} draws of P; the rest is exact. "
            "A fresh projection's noise does not depend on d; a fixed one's grows with sqrt(d) + sqrt(k).",
        ),
        Figure(
            title="Where theorem 1 fails: one projection that is known",
            svg=figure([broken], title="delta", columns=1),
            caption="Replace-one, with the pair of records that this P stretches most. Below d = 10 or so the theorem holds for a fixed P, too.",
        ),
    ]


def _renamed(lines: list[Line]) -> list[Line]:
    """Points that a logarithmic axis cannot show are left out."""
    return [
        Line(name=line.name, x=line.x, y=[value if value is not None and value > 1e-12 else None for value in line.y], error=None) for line in lines
    ]


def _uses(results: Results) -> list[Figure]:
    made = []
    if results.has("regression"):
        widths = sorted(set(results.part("regression").get_column("width")))
        records = max(results.part("regression").get_column("records").to_list())
        panels = [
            Panel(
                title=f"k = {k}",
                across="epsilon",
                up="1 - R^2 on new records",
                lines=curves(results.part("regression", width=k), x="epsilon", names=_USES),
                log_x=True,
                y_range=(0.0, 1.05),
            )
            for k in widths
        ]
        made.append(
            Figure(
                title="Least squares on released rows",
                svg=figure(panels, title="regression"),
                caption=f"{records:,} records of 100 features with five factors; delta = 1e-6, replace-one; bars are standard errors over repeats.",
            )
        )
    if results.has("neighbours"):
        panels = []
        for table in dict.fromkeys(results.part("neighbours").get_column("table")):
            for measure, up in (("class means' error", "error, nearest class mean"), ("neighbours' error", "error, 15 neighbours")):
                rows = results.part("neighbours", table=table, measure=measure, width=10)
                panels.append(Panel(title=f"{table}, k = 10", across="epsilon", up=up, lines=curves(rows, x="epsilon", names=_USES), log_x=True))
        rows = results.part("neighbours", table="digits", measure="distances' error", width=10)
        panels.append(
            Panel(
                title="digits, k = 10",
                across="epsilon",
                up="error of a squared distance",
                lines=curves(rows, x="epsilon", names=_USES),
                log_x=True,
                log_y=True,
            )
        )
        made.append(
            Figure(
                title="Neighbours and distances",
                svg=figure(panels, title="neighbours"),
                caption="New records under the same projection, without noise. Error of a squared distance: root mean square over the mean "
                "squared distance.",
            )
        )
    return made
