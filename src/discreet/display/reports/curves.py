"""Two pictures of a guarantee: what any test can detect, and delta against epsilon."""

import math
from collections.abc import Sequence

from discreet.accounting import ApproximateDP, Guarantee, MutualInformation, PureDP, epsilon_for
from discreet.display.reports.odds import curve, detection, percent
from discreet.pages import Picture, Pictures
from discreet.pages.svg import BLUE, PALE_BLUE, RED, even_ticks, line, path, picture, words

_LEFT, _TOP, _SIDE, _WIDTH, _HEIGHT = 74, 46, 320, 430, 430
_LOWEST = -12
_LARGEST = 40.0


def guarantee_pictures(guarantee: Guarantee) -> Pictures:
    """What there is to see, with captions that say what is to be seen."""
    farthest = _farthest(guarantee)
    points = curve(guarantee, farthest)
    match guarantee:
        case PureDP(epsilon=epsilon):
            points = (*points, (epsilon, 0.0))
        case ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta):
            points = (*points, (epsilon, delta))
        case _:
            pass
    found = percent(detection(points, 0.05))
    caption = (
        "What any test can detect. Across: in which share of cases it says that a certain person's record was as suspected although it was not. "
        "Up: in which share it says so rightly. No test lies above the shaded area; one that knows nothing lies on the dashed line. "
        f"With 5 % false alarms at most {found} are detected."
    )
    shown = " and ".join(f"{delta:.2g} at {epsilon:.3g}" for epsilon, delta in points[-1:])
    falling = (
        "Delta against epsilon: the probability up to which the factor e^epsilon may be exceeded, for every epsilon at once; "
        f"on a logarithmic scale, from {points[0][1]:.3g} at epsilon 0 to {shown}."
    )
    pictures = [Picture(svg=_detection(points), caption=caption)]
    if not isinstance(guarantee, MutualInformation):  # its delta hardly falls: bits are no delta
        pictures.append(Picture(svg=_falling(points, guarantee), caption=falling))
    return Pictures(pictures=pictures)


def _farthest(guarantee: Guarantee) -> float:
    match guarantee:
        case PureDP(epsilon=epsilon) | ApproximateDP(epsilon=epsilon):
            return 1.25 * max(epsilon, 1e-3)
        case _:
            reached = epsilon_for(guarantee, 1e-9)
            return min(_LARGEST, 1.1 * max(reached, 1e-3))


def _detection(points: Sequence[tuple[float, float]]) -> str:
    shares = [(place / 100.0) ** 2 for place in range(51)] + [0.25 + 0.75 * place / 60.0 for place in range(1, 61)]
    # Where two of the straight pieces of a curve meet, a share of its own shows the corner.
    shares = sorted({*shares, *((1.0 - delta) / (1.0 + math.exp(epsilon)) for epsilon, delta in points[-1:])})
    limit = [(_LEFT + _SIDE * share, _TOP + _SIDE * (1.0 - detection(points, share))) for share in shares]
    corners = [(_LEFT, _TOP + _SIDE), *limit, (_LEFT + _SIDE, _TOP), (_LEFT, _TOP + _SIDE)]
    body = [*_grid(), f'<path d="{path(corners)} Z" fill="{PALE_BLUE}"/>']
    body += [f'<path d="{path(limit)}" fill="none" stroke="{BLUE}" stroke-width="2"/>']
    body += [line((_LEFT, _TOP + _SIDE), (_LEFT + _SIDE, _TOP), colour=RED, dashed=True)]
    body += [words(_LEFT, 26, "The best that any test can do", size=14)]
    body += [words(_LEFT + _SIDE / 2, _TOP + _SIDE + 42, "false alarms", anchor="middle"), _up("detected")]
    return picture("\n".join(body), width=_WIDTH, height=_HEIGHT, title="Share detected against share of false alarms, at most")


def _grid() -> list[str]:
    lines = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, y = _LEFT + _SIDE * share, _TOP + _SIDE * (1.0 - share)
        lines += [line((_LEFT, y), (_LEFT + _SIDE, y)), line((x, _TOP), (x, _TOP + _SIDE))]
        lines += [words(_LEFT - 8, y + 4, f"{100 * share:g} %", anchor="end"), words(x, _TOP + _SIDE + 18, f"{100 * share:g} %", anchor="middle")]
    return lines


def _falling(points: Sequence[tuple[float, float]], guarantee: Guarantee) -> str:
    ordered = sorted(points)
    farthest = ordered[-1][0]

    def place(epsilon: float, delta: float) -> tuple[float, float]:
        height = max(math.log10(delta), _LOWEST) if delta > 0 else float(_LOWEST)
        return _LEFT + _SIDE * epsilon / farthest, _TOP + _SIDE * height / _LOWEST

    body = []
    for power in range(0, _LOWEST - 1, -2):
        y = place(0.0, 10.0**power)[1]
        body += [line((_LEFT, y), (_LEFT + _SIDE, y)), words(_LEFT - 8, y + 4, f"{10.0**power:g}", anchor="end")]
    for tick in even_ticks(farthest):
        x = _LEFT + _SIDE * tick / farthest
        body += [line((x, _TOP), (x, _TOP + _SIDE)), words(x, _TOP + _SIDE + 18, f"{tick:g}", anchor="middle")]
    body.append(f'<path d="{path(place(*point) for point in ordered)}" fill="none" stroke="{BLUE}" stroke-width="2"/>')
    mark: tuple[float, float] | None
    match guarantee:
        case PureDP(epsilon=epsilon):
            mark, name = (epsilon, 0.0), f"epsilon {epsilon:.4g}, delta 0"
        case ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta):
            mark, name = (epsilon, delta), f"epsilon {epsilon:.4g}, delta {delta:.3g}"
        case _:
            mark, name = None, ""
    if mark is not None:
        x, y = place(*mark)
        body += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{RED}"/>', words(x - 8, y - 9, name, anchor="end", size=13)]
    body += [words(_LEFT, 26, "How delta falls with epsilon", size=14)]
    body += [words(_LEFT + _SIDE / 2, _TOP + _SIDE + 42, "epsilon", anchor="middle"), _up("delta")]
    return picture("\n".join(body), width=_WIDTH, height=_HEIGHT, title="Delta against epsilon")


def _up(name: str) -> str:
    return f'<g transform="translate(14 {_TOP + _SIDE / 2:.1f}) rotate(-90)">{words(0, 0, name, anchor="middle")}</g>'
