"""ROC and calibration curves as one SVG picture, written by hand: one square panel each.

ROC: the curve, the band that holds the population's curve, and the diagonal of a model that knows nothing. Calibration: for each bin of the predicted
probability (the width of the bar) the interval of the share of the second class (its height) with its middle value; a calibrated model crosses the
diagonal.
"""

from collections.abc import Iterable

from discreet.evaluation.curves import CalibrationCurve, RocCurve
from discreet.pages.svg import BLUE, PALE, PALE_BLUE, RED, path, picture, words

_SIDE, _LEFT, _TOP, _GAP, _BOTTOM = 340, 64, 78, 96, 62
_CURVE, _BAND, _DIAGONAL = BLUE, PALE_BLUE, RED


def curves_plot(roc: RocCurve | None, calibration: CalibrationCurve | None, *, title: str) -> str:
    """The picture as text, to be written to a file with the ending .svg."""
    panels = []
    if roc is not None:
        panels.append(_panel(f"ROC: {_area(roc)}", "share of the first class above the threshold", "share of the second class above it", _roc(roc)))
    if calibration is not None:
        panels.append(_panel("Calibration", "predicted probability of the second class", "share of the second class", _calibration(calibration)))
    width, height = _LEFT + len(panels) * (_SIDE + _GAP) - _GAP + 28, _TOP + _SIDE + _BOTTOM
    body = "\n".join(f'<g transform="translate({_LEFT + index * (_SIDE + _GAP)} {_TOP})">\n{panel}\n</g>' for index, panel in enumerate(panels))
    return picture(f"{words(_LEFT, 28, title, size=15)}\n{body}", width=width, height=height, title=title)


def _panel(name: str, across: str, up: str, drawn: Iterable[str]) -> str:
    lines = [words(0, -16, name, size=13)]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, y = _point(share, share)
        lines += [
            f'<line x1="0" x2="{_SIDE}" y1="{y:.1f}" y2="{y:.1f}" stroke="{PALE}"/>',
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{_SIDE}" stroke="{PALE}"/>',
            words(-8, y + 4, f"{share:g}", anchor="end"),
            words(x, _SIDE + 18, f"{share:g}", anchor="middle"),
        ]
    middle = _SIDE / 2
    lines += [
        *drawn,
        f'<line x1="0" y1="{_SIDE}" x2="{_SIDE}" y2="0" stroke="{_DIAGONAL}" stroke-dasharray="7 4"/>',
        words(middle, _SIDE + 42, across, anchor="middle"),
        f'<g transform="translate(-44 {middle:.1f}) rotate(-90)">{words(0, 0, up, anchor="middle")}</g>',
    ]
    return "\n".join(lines)


def _roc(curve: RocCurve) -> list[str]:
    points = [(0.0, 0.0), *zip(curve.false_alarms, curve.hits, strict=True), (1.0, 1.0)]
    # The band between the most favourable and the least favourable corner of every point's box.
    best = [(0.0, 0.0), *((alarm[0], hit[1]) for alarm, hit in zip(curve.false_alarm_band, curve.hit_band, strict=True)), (1.0, 1.0)]
    worst = [(0.0, 0.0), *((alarm[1], hit[0]) for alarm, hit in zip(curve.false_alarm_band, curve.hit_band, strict=True)), (1.0, 1.0)]
    outline = [*best, *reversed(worst)]
    return [
        f'<path d="{_path(outline)} Z" fill="{_BAND}"/>',
        f'<path d="{_path(points)}" fill="none" stroke="{_CURVE}" stroke-width="2"/>',
    ]


def _calibration(curve: CalibrationCurve) -> list[str]:
    drawn = []
    for one in curve.bins:
        if one.share is None:
            continue
        left, low = _point(one.lowest, one.share.low)
        right, high = _point(one.highest, one.share.high)
        value = _point(0.0, one.share.value)[1]
        drawn.append(f'<rect x="{left:.1f}" y="{high:.1f}" width="{right - left:.1f}" height="{low - high:.1f}" fill="{_BAND}"/>')
        drawn.append(f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{value:.1f}" y2="{value:.1f}" stroke="{_CURVE}" stroke-width="2"/>')
    return drawn


def _area(curve: RocCurve) -> str:
    return f"AUC {curve.area.value:.3f} ({curve.area.low:.3f} to {curve.area.high:.3f})"


def _point(x: float, y: float) -> tuple[float, float]:
    return _SIDE * x, _SIDE * (1.0 - y)


def _path(points: Iterable[tuple[float, float]]) -> str:
    return path(_point(x, y) for x, y in points)
