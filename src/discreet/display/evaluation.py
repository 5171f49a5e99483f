"""Private evaluations: numbers with their intervals, the confusion table and the curves, as blocks of a page, as a picture and in notebooks.

The picture has one square panel each. ROC: the curve, the band that holds the population's curve, and the diagonal of a model that knows nothing.
Calibration: for each bin of the predicted probability (the width of the bar) the interval of the share of the second class (its height) with its
middle value; a calibrated model crosses the diagonal.
"""

from collections.abc import Iterator, Sequence

from discreet.accounting.base import guarantee_words
from discreet.data.labels import canonical
from discreet.display.pages import Block, Facts, Picture, Table, Text, view_html
from discreet.display.plots import BLUE, PALE_BLUE, RED, Drawing, Panel, Shape, share_axis, svg, words
from discreet.evaluation import PrivateEvaluation
from discreet.evaluation.curves import CalibrationCurve, RocCurve

_SIDE, _LEFT, _TOP, _GAP, _BOTTOM = 340, 64, 78, 96, 62


def measures(report: PrivateEvaluation) -> list[Block]:
    """Everything that was measured."""
    level = f"{100 * report.level:g} %"
    rows = [
        (name, figure(one.value), f"{figure(one.low)} to {figure(one.high)}", f"{figure(one.noise_low)} to {figure(one.noise_high)}")
        for _, name, one in report.measures
    ]
    blocks: list[Block] = []
    if rows:
        columns = ("Measure", "Released", f"{level} interval, population", f"{level} interval, these {report.counted.lower()}")
        blocks.append(Table("Measures. The first interval counts noise and sampling error, the second noise alone", columns, rows))
    if report.baseline is not None:
        blocks.append(Text(report.baseline.words + "."))
    if report.confusion is not None:
        labels = [canonical(label) for label in report.classes]
        cells = [(label, *(f"{count:,.0f}" for count in row)) for label, row in zip(labels, report.confusion, strict=True)]
        caption = f"Noisy counts, each within {report.confusion_error:,.0f} of the true one with probability {level}; they may be negative"
        blocks.append(Table(caption, ("Actual / predicted", *labels), cells, range(1, len(labels) + 1)))
    if report.roc is not None or report.calibration is not None:
        drawn = [name for name, one in (("ROC", report.roc), ("calibration", report.calibration)) if one is not None]
        area = "" if report.roc is None else f" The area under the ROC curve is {report.roc.area.value:.3f}."
        sentence = f"The {' and '.join(drawn)} curve{'s' if len(drawn) > 1 else ''}, with bands that count noise and sampling error.{area}"
        blocks.append(Picture(_curves(report), sentence))
    return blocks or [Text("Nothing but the number of records was measured.")]


def figure(number: float) -> str:
    """Of a measure: four places, or four digits where it is large."""
    return f"{number:.4f}" if abs(number) < 10.0 else f"{number:,.4g}" if abs(number) < 1e4 else f"{number:,.0f}"


def records(report: PrivateEvaluation, with_noise: str) -> str:
    """How many records were measured on; `with_noise` is said of a number that is not public."""
    exact = report.records_error == 0.0
    return f"{report.records:,.0f}" + (", which is public" if exact else f"{with_noise}{report.records_error:,.0f}")


def view(report: PrivateEvaluation) -> str:
    """HTML for notebooks."""
    rows = [(report.counted, records(report, " +- ")), ("Privacy", guarantee_words(report.certificate.guarantee.to_dict()))]
    return view_html("Private evaluation", Facts("What was measured, and what it cost", rows), *measures(report))


def plot(report: PrivateEvaluation) -> str:
    """The picture as text, to be written to a file with the ending .svg."""
    return svg(_curves(report))


def curve_plot(curve: RocCurve | CalibrationCurve) -> str:
    """One curve alone."""
    return svg(_drawing("Released privately, with bands that count noise and sampling error", [curve]))


def _curves(report: PrivateEvaluation) -> Drawing:
    stated = report.certificate.guarantee.to_dict()
    title = f"Private evaluation: epsilon {stated.get('epsilon', 0.0):.4g}, delta {stated.get('delta', 0.0):.3g}, {stated['neighbours']}"
    return _drawing(title, [one for one in (report.roc, report.calibration) if one is not None])


def _drawing(title: str, curves: Sequence[RocCurve | CalibrationCurve]) -> Drawing:
    shapes, left = [words(_LEFT, 28, title, size=15)], float(_LEFT)
    for one in curves:
        shapes += _roc(one, left) if isinstance(one, RocCurve) else _calibration(one, left)
        left += _SIDE + _GAP
    return Drawing(title=title, width=left - _GAP + 28, height=_TOP + _SIDE + _BOTTOM, shapes=shapes)


def _panel(left: float) -> Panel:
    return Panel(across=share_axis(left, left + _SIDE), up=share_axis(_TOP + _SIDE, _TOP))


def _roc(curve: RocCurve, left: float) -> Iterator[Shape]:
    panel = _panel(left)
    name = f"ROC: AUC {curve.area.value:.3f} ({curve.area.low:.3f} to {curve.area.high:.3f})"
    yield from panel.frame(across="share of the first class above the threshold", up="share of the second class above it", name=name)
    boxes = list(zip(curve.false_alarm_band, curve.hit_band, strict=True))
    # The band between the most favourable and the least favourable corner of every point's box.
    best = [(0.0, 0.0), *((alarm[0], hit[1]) for alarm, hit in boxes), (1.0, 1.0)]
    worst = [(0.0, 0.0), *((alarm[1], hit[0]) for alarm, hit in boxes), (1.0, 1.0)]
    yield panel.area([*best, *reversed(worst)], PALE_BLUE)
    yield panel.curve([(0.0, 0.0), *zip(curve.false_alarms, curve.hits, strict=True), (1.0, 1.0)], BLUE)
    yield panel.dashed((0.0, 0.0), (1.0, 1.0), RED)


def _calibration(curve: CalibrationCurve, left: float) -> Iterator[Shape]:
    panel = _panel(left)
    yield from panel.frame(across="predicted probability of the second class", up="share of the second class", name="Calibration")
    for one in curve.bins:
        if one.share is not None:
            yield panel.bar((one.lowest, one.share.low), (one.highest, one.share.high), PALE_BLUE)
            yield panel.curve([(one.lowest, one.share.value), (one.highest, one.share.value)], BLUE)
    yield panel.dashed((0.0, 0.0), (1.0, 1.0), RED)
