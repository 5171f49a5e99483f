"""Plans and their bounds in notebooks."""

import math
from dataclasses import fields
from typing import TYPE_CHECKING

from discreet.pages import Facts, Table, view_html
from discreet.sets import Constraint

if TYPE_CHECKING:
    from discreet.planning.plan import Plan, PlannedBound
    from discreet.planning.set_plan import SetBound, SetPlan


def plan_view(plan: "Plan | SetPlan") -> str:
    """HTML of the public numbers of a plan."""
    rows = [(field.name.replace("_", " "), _shown(getattr(plan, field.name))) for field in fields(plan)]
    return view_html(type(plan).__name__, [Facts(caption="Public numbers; bound(records) says what is proved", rows=rows)])


def bound_view(bound: "PlannedBound") -> str:
    """HTML of what is proved for n records."""
    rows = [
        ("Records", f"{bound.records:,}"),
        ("Excess of expected loss, at most", f"{bound.excess:.4g}"),
        ("The same without privacy", f"{bound.without_privacy:.4g}"),
        ("of which noise on the objective or weights", f"{bound.parts.empirical:.4g}"),
        ("of which sampling", f"{bound.parts.generalisation:.4g}"),
        ("of which regularisation", f"{bound.parts.regularisation:.4g}"),
        ("alpha", f"{bound.alpha:.4g}"),
    ]
    return view_html("Planned bound", [Facts(caption="What is proved", rows=rows)])


def set_bound_view(bound: "SetBound") -> str:
    """HTML of what is proved of every mechanism over a set."""
    rows = [
        (one.mechanism, _number(one.risk), "-" if one.steps is None else f"{one.steps:,}", _number(one.own_risk), one.remark or "-")
        for one in bound.mechanisms
    ]
    caption = f"Expected excess of the mean loss with {bound.records:,} records; no point of the set exceeds {bound.trivial:.4g}"
    header = ("Mechanism", "Proved", "Steps", "Proved of a fit by itself", "Remark")
    return view_html("Bound over a set", [Table(caption=caption, header=header, rows=rows, numbers=frozenset({1, 2, 3}))])


def _number(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else "-"


def _shown(value: object) -> str:
    if isinstance(value, Constraint):
        return f"{value.name} in {value.dimension:,} dimensions"
    if isinstance(value, float):
        return f"{value:g}"
    return "none" if value is None else str(value)
