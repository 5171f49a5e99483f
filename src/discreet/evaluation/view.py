"""Private evaluations as blocks of a page: numbers with their intervals, the confusion table, the curves; and as a view in notebooks."""

from typing import TYPE_CHECKING

from discreet.data.labels import canonical
from discreet.pages import Block, Facts, Picture, Table, Text, view_html

if TYPE_CHECKING:
    from discreet.evaluation.intervals import Estimate
    from discreet.evaluation.report import PrivateEvaluation


def measures(report: "PrivateEvaluation") -> list[Block]:
    """Everything that was measured."""
    level = f"{100 * report.level:g} %"
    found: list[tuple[str, Estimate | None]] = [
        ("Accuracy", report.accuracy),
        ("Log loss (nats)", report.log_loss),
        ("Area under the ROC curve", None if report.roc is None else report.roc.area),
    ]
    rows = [
        (name, f"{one.value:.4f}", f"{one.low:.4f} to {one.high:.4f}", f"{one.noise_low:.4f} to {one.noise_high:.4f}")
        for name, one in found
        if one is not None
    ]
    blocks: list[Block] = []
    if rows:
        columns = ("Measure", "Released", f"{level} interval, population", f"{level} interval, these records")
        caption = "Measures. The first interval holds noise and sampling error, the second the noise alone"
        blocks.append(Table(caption=caption, header=columns, rows=rows))
    if report.confusion is not None:
        labels = [canonical(label) for label in report.classes]
        cells = [(label, *(f"{count:,.0f}" for count in row)) for label, row in zip(labels, report.confusion, strict=True)]
        caption = f"Noisy counts, each within {report.confusion_error:,.0f} of the true one with probability {level}; they may be negative"
        header = ("Actual / predicted", *labels)
        blocks.append(Table(caption=caption, header=header, rows=cells, numbers=frozenset(range(1, len(header)))))
    if report.roc is not None or report.calibration is not None:
        drawn = [name for name, one in (("ROC", report.roc), ("calibration", report.calibration)) if one is not None]
        area = "" if report.roc is None else f" The area under the ROC curve is {report.roc.area.value:.3f}."
        words = f"The {' and '.join(drawn)} curve{'s' if len(drawn) > 1 else ''}, with bands that hold noise and sampling error.{area}"
        blocks.append(Picture(svg=report.plot(), caption=words))
    return blocks or [Text(words="Nothing but the number of records was measured.")]


def evaluation_view(report: "PrivateEvaluation") -> str:
    """HTML for notebooks; the curves are left to `plot()`."""
    stated = report.certificate.guarantee.to_dict()
    count = f"{report.records:,.0f}" + (", which is public" if report.records_error == 0.0 else f" +- {report.records_error:,.0f}")
    privacy = ", ".join(f"{key} {stated[key]:.6g}" for key in ("epsilon", "delta") if isinstance(stated.get(key), float))
    rows = [("Records", count), ("Privacy", f"{privacy or 'none'}, {stated['neighbours']}")]
    facts = Facts(caption="What was measured, and what it cost", rows=rows)
    return view_html("Private evaluation", [facts, *(block for block in measures(report) if not isinstance(block, Picture))])
