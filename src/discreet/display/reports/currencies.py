"""The guarantee in every currency that follows from it, and for those that do not, that they do not.

Besides the conversions of `discreet.accounting`:

    pure -> Gaussian       mu = 2 Phi^-1(e^epsilon / (1 + e^epsilon)). The trade-off function of epsilon-DP is, up to its fixed point
                           q = 1 / (1 + e^epsilon), the chord from (0, 1) to (q, q). That of mu-GDP runs through both ends of it and is convex,
                           so it lies below; beyond q by symmetry.
    concentrated -> bits   the information that the release holds about one record, whatever its law and whoever knows the others, is at most
                           the largest Kullback-Leibler divergence between neighbours, at most rho nats: rho / ln 2 bits, on average over
                           outcomes (divergences grow with their order; the reference law is that of any one neighbour)
"""

import math
from collections.abc import Iterator

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
from discreet.display.reports.curves import guarantee_pictures
from discreet.display.reports.odds import best_guess, percent
from discreet.pages import Block, Facts, Section, Table, Text, Tone

_DELTAS = (1e-3, 1e-5, 1e-6, 1e-9)
_ORDERS = (2.0, 10.0)
_UP = 1e-9


def guarantee_section(guarantee: Guarantee) -> Section:
    """Scope, currencies and curves."""
    relation = "one more or one less" if guarantee.neighbours is ADD_REMOVE else "one replaced by another, their number being public"
    scope = Facts(
        caption="What the guarantee is about",
        rows=[
            ("Kind", _KINDS.get(type(guarantee).__name__, type(guarantee).__name__)),
            ("What may differ", f"one {guarantee.unit}: {relation} ({guarantee.neighbours})"),
            ("Proof", guarantee.theorem),
        ],
    )
    blocks: list[Block] = [scope]
    if isinstance(guarantee, NoGuarantee):
        return Section(title="The guarantee", blocks=[*blocks, Text(words="There is none, in any currency.", tone=Tone.BAD)])
    if isinstance(guarantee, CramerRaoBound):
        bounds = [("Mean squared error of unbiased estimators, at least", f"{guarantee.unbiased_mse:.4g}")]
        if guarantee.prior_information:
            bounds.append(("Of every estimator, on average over the stated prior, at least", f"{guarantee.van_trees_mse:.4g}"))
        return Section(title="The guarantee", blocks=[*blocks, Facts(caption="The Cramer-Rao number, which is no guarantee of privacy", rows=bounds)])
    rows = list(_rows(guarantee))
    table = Table(caption="The same guarantee in several currencies; conversions only ever lose", header=("Currency", "Number", "Read as"), rows=rows)
    return Section(title="The guarantee", blocks=[*blocks, table, guarantee_pictures(guarantee)])


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


def _rows(guarantee: Guarantee) -> Iterator[tuple[str, str, str]]:
    match guarantee:
        case PureDP(epsilon=epsilon):
            yield (
                "epsilon",
                f"{epsilon:.6g}",
                f"no outcome becomes more than e^epsilon = {_exponential(epsilon)} times likelier through one {guarantee.unit}",
            )
            yield "delta", "0", "without exception"
        case ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta):
            yield (
                "epsilon",
                f"{epsilon:.6g}",
                f"no outcome becomes more than e^epsilon = {_exponential(epsilon)} times likelier through one {guarantee.unit}",
            )
            yield "delta", f"{delta:.3g}", "up to this probability"
        case MutualInformation(bits=bits):
            yield "bits", f"{bits:.6g}", "information about one number, on average over outcomes, given all others"
            yield "epsilon at delta 0.001", _epsilon(guarantee, 1e-3), "what follows from the bits; nothing leads back"
        case _:
            for delta in _DELTAS:
                yield f"epsilon at delta {delta:g}", _epsilon(guarantee, delta), "a point of the curve; all points hold together"
    yield (
        "total variation",
        _number(min(1.0, guarantee.delta(0.0))),
        f"a guess between two possibilities is right in at most {percent(best_guess(guarantee))}",
    )
    if not isinstance(guarantee, MutualInformation):
        yield from _further(guarantee)


def _further(guarantee: Guarantee) -> Iterator[tuple[str, str, str]]:
    if isinstance(guarantee, RenyiDP):
        yield from _divergences(guarantee)
    if not isinstance(guarantee, PureDP | GaussianDP | ConcentratedDP):
        yield "mu, rho, Renyi divergences, bits", "-", "nothing more follows: rare outcomes are left open, and these would bound them"
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


def _exponential(epsilon: float) -> str:
    return _number(math.exp(epsilon)) if epsilon < 100 else "10^43 or more"
