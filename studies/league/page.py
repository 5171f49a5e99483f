"""Figures and words."""

import math

import polars as pl

from studies.curves import curves, level
from studies.figures import Panel, figure
from studies.page import Comparison, Figure, Page, Verdict, numbers
from studies.results import Results

TRIVIAL, PEER = "commoner class", "diffprivlib, logistic"
_TITLES = {
    "adult-cms": "Adult",
    "kdd": "KDD Cup 99",
    "mnist-4-9": "MNIST, 4 against 9",
    "breast-cancer": "breast cancer",
    "w8a": "w8a",
    "farm-ads": "farm ads",
}
_SUMMARY = (
    (
        "Test errors of every learning mechanism, each as a new user would write it: no setting is chosen in view of the records. delta = 1 / n^2 "
        "unless a method is pure."
    ),
    "Rows have norm 1. Replace-one keeps n public; add-remove hides it and needs about half the noise.",
)
_NOTES = (
    (
        "569 records (breast cancer) are too few for most of these guarantees at epsilon 0.1, where an error may be that of a coin; that is no fault "
        "of the code."
    ),
    "farm ads has 54,877 features: only methods whose cost and noise bear that are shown.",
    (
        "Columns of breast cancer are divided by about the largest values that the description of the table prints, which are taken for public here. "
        "Whoever has other records has to know such numbers."
    ),
    (
        "The l1 ball has radius 10 on every table, chosen by nobody; where rows of norm 1 spread over many columns, as in farm ads and w8a, that is "
        "too small to say much."
    ),
    "Quick settings: one split and one draw of noise, so single numbers may be off by the noise drawn; full settings average 25.",
    (
        "diffprivlib is shown where the environment variable DISCREET_PEERS names an interpreter that has it: pure, without intercept, told that "
        "rows have norm 1."
    ),
)


def page_of(results: Results) -> Page:
    """Of all tables that are there."""
    if not results.has("league"):
        return Page(summary=_SUMMARY, comparisons=[], figures=[], notes=_NOTES)
    rows = results.part("league")
    names = [name for name in _TITLES if bool((rows.get_column("table") == name).any())]
    return Page(
        summary=_SUMMARY,
        comparisons=[row for name in names for row in _rows(results, name)],
        figures=[_figure(results, name) for name in names],
        notes=(*_NOTES, *_failures(rows)),
    )


def _failures(rows: pl.DataFrame) -> list[str]:
    """A sentence for each fit that failed other than by an infeasible target."""
    failed = rows.filter(pl.col("measure") == "failed")
    return [
        f"Failed: {row['method']} on {_TITLES[row['table']]}, epsilon {row['epsilon']}, {row['neighbours']}: {row['words']}"
        for row in failed.iter_rows(named=True)
    ]


def _methods(results: Results, table: str) -> list[str]:
    found = results.part("league", table=table).get_column("method").unique(maintain_order=True).to_list()
    return [str(name) for name in found if name != TRIVIAL]


def _rows(results: Results, table: str) -> list[Comparison]:
    made = []
    for method in _methods(results, table):
        without = _mean(results, table, method, None, None)
        ours = []
        for relation, short in (("replace-one", "r"), ("add-remove", "a")):
            values = [f"{numbers(_mean(results, table, method, epsilon, relation))}" for epsilon in (0.1, 1.0, 10.0)]
            ours.append(f"{short}: {' / '.join(values)}")
        made.append(
            Comparison(
                what=f"{_TITLES[table]}: {method}",
                printed="",
                published=f"without privacy {numbers(without)}",
                ours="; ".join(ours if method != PEER else ours[:1]),
                verdict=Verdict.UNPRINTED,
                reason="epsilon 0.1 / 1 / 10; r: replace-one, a: add-remove",
            )
        )
    return made


def _mean(results: Results, table: str, method: str, epsilon: float | None, relation: str | None) -> float:
    rows = results.part("league", table=table, method=method)
    for name, value in (("epsilon", epsilon), ("neighbours", relation)):
        if name in rows.columns:
            rows = rows.filter(pl.col(name).is_null() if value is None else pl.col(name) == value)
        elif value is not None:
            return float("nan")
    found = rows.get_column("value").mean() if "value" in rows.columns and len(rows) else None
    return float(found) if isinstance(found, (int, float)) else float("nan")


def _figure(results: Results, table: str) -> Figure:
    panels = []
    for relation in ("replace-one", "add-remove"):
        rows = results.part("league", table=table, neighbours=relation)
        lines = curves(rows, x="epsilon", names={name: name for name in _methods(results, table)})
        if not lines:
            continue
        trivial = _mean(results, table, TRIVIAL, None, None)
        best = min(
            (value for value in (_mean(results, table, name, None, None) for name in _methods(results, table)) if math.isfinite(value)),
            default=trivial,
        )
        lines += [level("commoner class", trivial, lines), level("best without privacy", best, lines)]
        wide = best < 0.2 * trivial
        panels.append(
            Panel(
                title=f"{_TITLES[table]}, {relation}",
                across="epsilon",
                up="test error",
                lines=lines,
                log_x=True,
                log_y=wide,
                y_range=(0.8 * best if wide else 0.0, min(0.6, 1.6 * trivial)),
            )
        )
    return Figure(
        title=_TITLES[table],
        svg=figure(panels, title=table),
        caption="Mean over splits and draws of noise; what lies above the frame is drawn at its border.",
    )
