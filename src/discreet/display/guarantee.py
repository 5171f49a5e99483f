"""The guarantee in every currency that follows from it, and for those that do not, that they do not; with its curves.

Besides the conversions of `discreet.accounting`:

    pure -> Gaussian       mu = 2 Phi^-1(e^epsilon / (1 + e^epsilon)). The trade-off function of epsilon-DP is, up to its fixed point
                           q = 1 / (1 + e^epsilon), the chord from (0, 1) to (q, q). That of mu-GDP runs through both ends of it and is convex,
                           so it lies below; beyond q by symmetry.
    concentrated -> bits   the information that the release holds about one record, whatever its law and whoever knows the others, is at most
                           the largest Kullback-Leibler divergence between neighbours, at most rho nats: rho / ln 2 bits, on average over
                           outcomes (divergences grow with their order; the reference law is that of any one neighbour)
"""

import math
from collections.abc import Iterator, Sequence

from scipy.special import ndtri

from discreet.accounting import (
    ApproximateDP,
    ConcentratedDP,
    CramerRaoBound,
    GaussianDP,
    Guarantee,
    MutualInformation,
    NoGuarantee,
    PureDP,
    RenyiDP,
    epsilon_for,
    to_concentrated,
    to_renyi,
)
from discreet.core.neighbours import ADD_REMOVE
from discreet.display.pages import Block, Facts, Picture, Pictures, Section, Table, Text, Tone
from discreet.display.plots import BLUE, PALE_BLUE, RED, Axis, Drawing, Panel, Point, dot, even_ticks, share_axis, words
from discreet.display.promise import best_guess, curve, detection, percent, stated

_DELTAS = (1e-3, 1e-5, 1e-6, 1e-9)
_ORDERS = (2.0, 10.0)
_UP = 1e-9
_LEFT, _TOP, _SIDE, _WIDTH = 74, 46, 320, 430
_LOWEST = -12
"""The least power of ten that is drawn."""
_LARGEST = 40.0
"""The largest epsilon that is drawn of a guarantee that names none."""


def guarantee_section(guarantee: Guarantee) -> Section:
    """Scope, currencies and curves."""
    relation = "one more or one less" if guarantee.neighbours is ADD_REMOVE else "one replaced by another; their number is public"
    scope = [
        ("Kind", _KINDS.get(type(guarantee).__name__, type(guarantee).__name__)),
        ("What may differ", f"one {guarantee.unit}: {relation} ({guarantee.neighbours})"),
        ("Proof", guarantee.theorem),
    ]
    blocks: list[Block] = [Facts("What the guarantee is about", scope)]
    if isinstance(guarantee, NoGuarantee):
        blocks.append(Text("There is none, in any measure.", Tone.BAD))
    elif isinstance(guarantee, CramerRaoBound):
        bounds = [("Mean squared error of unbiased estimators, at least", f"{guarantee.unbiased_mse:.4g}")]
        if guarantee.prior_information:
            bounds.append(("Of every estimator, on average over the stated prior, at least", f"{guarantee.van_trees_mse:.4g}"))
        blocks.append(Facts("The Cramer-Rao number, which is no guarantee of privacy", bounds))
    else:
        caption = "The same guarantee in other measures; no conversion gains"
        blocks += [Table(caption, ("Currency", "Number", "Read as"), list(_rows(guarantee))), _pictures(guarantee)]
    return Section("The guarantee", blocks)


_KINDS = {
    "PureDP": "pure differential privacy",
    "ApproximateDP": "approximate differential privacy",
    "GaussianDP": "Gaussian differential privacy",
    "ConcentratedDP": "zero-concentrated differential privacy",
    "RenyiDP": "Renyi differential privacy",
    "Profile": "a privacy profile: many pairs (epsilon, delta) at once",
    "MutualInformation": "mutual information about one number",
    "CramerRaoBound": "a bound on estimators, which is no guarantee of privacy",
    "NoGuarantee": "none",
}


def guarantee_words(guarantee: Guarantee) -> str:
    """Of one that names no epsilon, in a line."""
    return f"{_KINDS.get(type(guarantee).__name__, type(guarantee).__name__)}; see the appendix"


def _rows(guarantee: Guarantee) -> Iterator[tuple[str, str, str]]:
    named = stated(guarantee)
    if named is not None:
        epsilon, delta = named
        factor = _number(math.exp(epsilon)) if epsilon < 100 else "10^43 or more"
        yield "epsilon", f"{epsilon:.6g}", f"one {guarantee.unit} makes no outcome more than e^epsilon = {factor} times as likely"
        yield "delta", f"{delta:.3g}", "up to this probability" if isinstance(guarantee, ApproximateDP) else "without exception"
    elif isinstance(guarantee, MutualInformation):
        yield "bits", f"{guarantee.bits:.6g}", "information about one number, given all others, averaged over outcomes"
        yield "epsilon at delta 0.001", _epsilon(guarantee, 1e-3), "follows from the bits, but not the other way round"
    else:
        for delta in _DELTAS:
            yield f"epsilon at delta {delta:g}", _epsilon(guarantee, delta), "a point of the curve; all points hold together"
    guess = f"a guess between two possibilities is right in at most {percent(best_guess(guarantee))}"
    yield "total variation", _number(min(1.0, guarantee.delta(0.0))), guess
    if not isinstance(guarantee, MutualInformation):
        yield from _further(guarantee)


def _further(guarantee: Guarantee) -> Iterator[tuple[str, str, str]]:
    if isinstance(guarantee, RenyiDP):
        yield from _divergences(guarantee)
    if not isinstance(guarantee, PureDP | GaussianDP | ConcentratedDP):
        yield "mu, rho, Renyi divergences, bits", "-", "nothing more follows, because rare outcomes have no bound"
        return
    mu, rho = _gaussian(guarantee), to_concentrated(guarantee).rho
    if mu is not None:
        yield "mu (Gaussian DP)", _number(mu), "telling two neighbours apart is at least as hard as telling N(0, 1) from N(mu, 1)"
    yield "rho (zero-concentrated DP)", _number(rho), "Renyi divergences of every order a are at most rho a"
    yield from _divergences(guarantee)
    yield f"bits about one {guarantee.unit}", _number(rho / math.log(2.0)), "information on average over outcomes, given everything else"


def _divergences(guarantee: PureDP | GaussianDP | ConcentratedDP | RenyiDP) -> Iterator[tuple[str, str, str]]:
    orders = tuple(order for order in _ORDERS if not isinstance(guarantee, RenyiDP) or guarantee.orders[0] <= order <= guarantee.orders[-1])
    if orders:
        found = to_renyi(guarantee, orders=orders)
        for order, divergence in zip(found.orders, found.divergences, strict=True):
            yield f"Renyi divergence of order {order:g}", _number(divergence), "in nats"


def _gaussian(guarantee: Guarantee) -> float | None:
    match guarantee:
        case GaussianDP(mu=mu):
            return mu
        case PureDP(epsilon=epsilon) if epsilon < 30.0:
            return 2.0 * float(ndtri(1.0 / (1.0 + math.exp(-epsilon)))) * (1.0 + _UP)
        case _:
            return None


def _epsilon(guarantee: Guarantee, delta: float) -> str:
    found = epsilon_for(guarantee, delta)
    return _number(found) if math.isfinite(found) else "none"


def _number(value: float) -> str:
    """Rounded up, to four digits."""
    if value <= 0 or not math.isfinite(value):
        return f"{value:g}"
    step = 10.0 ** (math.floor(math.log10(value)) - 3)
    return f"{math.ceil(value / step - 1e-6) * step:.4g}"


def _pictures(guarantee: Guarantee) -> Pictures:
    """What there is to see, with captions that say what is to be seen."""
    named = stated(guarantee)
    farthest = min(_LARGEST, 1.1 * max(epsilon_for(guarantee, 1e-9), 1e-3)) if named is None else 1.25 * max(named[0], 1e-3)
    points = [*curve(guarantee, farthest), *([] if named is None else [named])]
    caption = (
        f"What any test can detect. Horizontal axis: the share of false alarms about one {guarantee.unit}. Vertical axis: the share of true "
        "detections. No test lies above the shaded area; a test that knows nothing lies on the dashed line. With 5 % false alarms, at most "
        f"{percent(detection(points, 0.05))} are detected."
    )
    falling = (
        "Delta against epsilon: the probability up to which the factor e^epsilon may be exceeded, for every epsilon at once, on a logarithmic scale "
        f"from {points[0][1]:.3g} at epsilon 0 to {points[-1][1]:.2g} at {points[-1][0]:.3g}."
    )
    pictures = [Picture(_detection(points), caption)]
    if not isinstance(guarantee, MutualInformation):  # its delta hardly falls: bits are no delta
        pictures.append(Picture(_falling(points, named), falling))
    return Pictures(pictures)


def _detection(points: Sequence[Point]) -> Drawing:
    epsilon, delta = points[-1]
    shares = [(place / 100.0) ** 2 for place in range(51)] + [0.25 + 0.75 * place / 60.0 for place in range(1, 61)]
    # Where two of the straight pieces of a curve meet, a share of its own shows the corner.
    limit = [(share, detection(points, share)) for share in sorted({*shares, (1.0 - delta) / (1.0 + math.exp(epsilon))})]
    panel = Panel(across=share_axis(_LEFT, _LEFT + _SIDE, label=_per_cent), up=share_axis(_TOP + _SIDE, _TOP, label=_per_cent))
    shapes = [words(_LEFT, 26, "The best that any test can do", size=14), *panel.frame(across="false alarms", up="detected")]
    shapes += [panel.area([(0.0, 0.0), *limit, (1.0, 1.0), (0.0, 0.0)], PALE_BLUE), panel.curve(limit, BLUE)]
    shapes += [panel.dashed((0.0, 0.0), (1.0, 1.0), RED)]
    return Drawing(title="Largest share detected, against the share of false alarms", width=_WIDTH, height=_WIDTH, shapes=shapes)


def _per_cent(share: float) -> str:
    return f"{100 * share:g} %"


def _falling(points: Sequence[Point], named: Point | None) -> Drawing:
    farthest = max(epsilon for epsilon, _ in points)
    across = Axis(low=0.0, high=farthest, start=_LEFT, end=_LEFT + _SIDE, ticks=even_ticks(0.0, farthest), label="{:g}".format)
    powers = [10.0**power for power in range(_LOWEST, 1, 2)]
    up = Axis(low=powers[0], high=1.0, start=_TOP + _SIDE, end=_TOP, ticks=powers, label="{:g}".format, logarithmic=True)
    panel = Panel(across=across, up=up)
    shapes = [words(_LEFT, 26, "How delta falls with epsilon", size=14), *panel.frame(across="epsilon", up="delta")]
    shapes.append(panel.curve(sorted(points), BLUE))
    if named is not None:
        x, y = panel.at(named)
        shapes += [dot((x, y), RED, radius=5.0), words(x - 8, y - 9, f"epsilon {named[0]:.4g}, delta {named[1]:.3g}", anchor="end", size=13)]
    return Drawing(title="Delta against epsilon", width=_WIDTH, height=_WIDTH, shapes=shapes)
