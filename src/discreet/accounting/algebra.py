"""Composition of guarantees on the same records: what all releases promise together.

Two questions have different answers, and `planned` says which is asked.

planned=False: each release, *its guarantee included*, may be chosen in view of the ones before, as in a ledger. Sums hold then:
    pure, approximate             epsilons add, deltas add   (Dwork, Kenthapadi, McSherry, Mironov, Naor 2006; Rogers, Roth, Ullman, Vadhan 2016)
    Gaussian                      mu^2 adds                  (Dong, Roth, Su 2022, corollary 3.3; Koskela, Tobaben, Honkela 2023)
    concentrated, with Gaussian   rho adds, mu^2 / 2 each    (Bun and Steinke 2016, lemma 2.3; Feldman and Zrnic 2021)
    Renyi, with pure and these    curves add at each order   (Mironov 2017, proposition 1; Feldman and Zrnic 2021)
    mutual information            bits add                   (chain rule)
    Cramer-Rao                    information matrices add   (independent noise)
the second source each is for guarantees chosen on the way; for Renyi curves it needs the order at which delta is read to be fixed in advance.
Other mixtures raise.

planned=True: the guarantees were fixed before the first release; which mechanism has each may still depend on the outcomes before. Then the
tightest proved route is taken: the exact sum for Gaussian, concentrated, information; otherwise the convolution of worst-case losses
(module `numerical`), which is the optimum for pure and approximate guarantees (Kairouz, Oh, Viswanath 2015; Murtagh, Vadhan 2016) up to its
grid; with Renyi parts also the sum of Renyi curves, and at each epsilon the smaller.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from discreet.accounting.base import ApproximateDP, Guarantee, NoGuarantee, PureDP, Statement, scope, sum_up, together
from discreet.accounting.conversions import to_concentrated, to_profile, to_renyi
from discreet.accounting.gaussian import GaussianDP
from discreet.accounting.information import CramerRaoBound, MutualInformation, added
from discreet.accounting.numerical import numerical_curve
from discreet.accounting.profile import Profile, hull
from discreet.accounting.renyi import ConcentratedDP, RenyiDP
from discreet.core.errors import InvalidInput
from discreet.core.rounding import up
from discreet.core.validate import whole

AnyGuarantee = PureDP | ApproximateDP | Profile | GaussianDP | ConcentratedDP | RenyiDP | MutualInformation | CramerRaoBound | NoGuarantee
"""Every kind of guarantee that there is."""
Counts = Mapping[Guarantee, int]

_DIVERGING = (PureDP, GaussianDP, ConcentratedDP, RenyiDP)


def compose(parts: Sequence[Guarantee], *, planned: bool = False) -> AnyGuarantee:
    """The guarantee of releasing all `parts`; see the module docstring for `planned`.

    Raises InvalidInput without parts, for different neighbouring relations or units, for local and central parts together, and for kinds without a
    composition theorem.
    """
    return _composed(Counter(parts), planned=planned)


def n_fold(part: Guarantee, count: int, *, planned: bool = False) -> AnyGuarantee:
    """The guarantee of `count` releases, each with the guarantee `part`: the same as `compose` of `count` copies."""
    whole(count, "the number of releases")
    return _composed({part: count}, planned=planned)


def _composed(counts: Counts, *, planned: bool) -> AnyGuarantee:  # noqa: PLR0911 - one return for each rule of the module docstring
    several = sum(counts.values()) > 1
    kinds: set[type] = {type(part) for part in counts}
    shared = together(list(counts), "")
    if NoGuarantee in kinds:
        why = next(part.theorem for part in counts if isinstance(part, NoGuarantee))
        return NoGuarantee(**{**scope(shared), "theorem": why})
    if not several and not kinds.issubset((PureDP, ApproximateDP)):
        return next(iter(counts))  # type: ignore[return-value]
    if kinds & {MutualInformation, CramerRaoBound}:
        if len(kinds) > 1:
            raise InvalidInput("bits of mutual information compose only with bits, and Cramer-Rao numbers only with Cramer-Rao numbers.")
        return _information(counts)
    if kinds.issubset((GaussianDP,)):
        return _gaussian(counts)
    if kinds.issubset((GaussianDP, ConcentratedDP)):
        return _concentrated(counts)
    if planned and several and not kinds.issubset((RenyiDP, ConcentratedDP)):
        return _numerical(counts)
    if kinds.issubset((PureDP, ApproximateDP)):
        return _basic(counts, several=several)
    if kinds.issubset(_DIVERGING):
        return _renyi(counts)
    names = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise InvalidInput(f"{names} compose only if all guarantees were fixed in advance. Pass planned=True if they were, or convert them to one kind.")


def _basic(counts: Counts, *, several: bool) -> PureDP | ApproximateDP | NoGuarantee:
    shared: Statement = together(list(counts), "basic composition" if several else "")
    epsilon = sum_up((part.epsilon, count) for part, count in counts.items() if isinstance(part, PureDP | ApproximateDP))
    delta = sum_up((part.delta_at_epsilon, count) for part, count in counts.items() if isinstance(part, ApproximateDP))
    if delta >= 1 or epsilon == math.inf:
        why = "deltas add up to 1 or more" if delta >= 1 else "the epsilons add up to more than float64 can hold"
        return NoGuarantee(**{**scope(shared), "theorem": f"{shared.theorem} ({why})"})
    if delta > 0:
        return ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta, **scope(shared))
    return PureDP(epsilon=epsilon, **scope(shared))


def _gaussian(counts: Counts) -> GaussianDP | NoGuarantee:
    squares = sum_up((part.mu * part.mu, count) for part, count in counts.items() if isinstance(part, GaussianDP))
    if squares == math.inf:
        return _beyond(counts)
    return GaussianDP(mu=up(float(np.sqrt(squares)), 5), **_scope(counts, "Gaussian composition"))


def _concentrated(counts: Counts) -> ConcentratedDP | NoGuarantee:
    rho = sum_up((to_concentrated(part).rho, count) for part, count in counts.items() if isinstance(part, GaussianDP | ConcentratedDP))
    if rho == math.inf:
        return _beyond(counts)
    return ConcentratedDP(rho=rho, **_scope(counts, "concentrated composition"))


def _renyi(counts: Counts) -> RenyiDP:
    curves = [(part, count) for part, count in counts.items() if isinstance(part, _DIVERGING)]
    orders = next((part.orders for part, _ in curves if isinstance(part, RenyiDP)), None)
    sums: dict[float, list[tuple[float, int]]] = {}
    known = [(to_renyi(part) if orders is None else to_renyi(part, orders=orders), count) for part, count in curves]
    common = set.intersection(*(set(curve.orders) for curve, _ in known))
    for curve, count in known:
        for order, divergence in zip(curve.orders, curve.divergences, strict=True):
            sums.setdefault(order, []).append((divergence, count))
    kept = tuple(sorted(common))
    return RenyiDP(orders=kept, divergences=tuple(sum_up(sums[order]) for order in kept), **_scope(counts, "Renyi composition"))


def _information(counts: Counts) -> MutualInformation | CramerRaoBound:
    first = next(iter(counts))
    if isinstance(first, MutualInformation):
        bits = sum_up((part.bits, count) for part, count in counts.items() if isinstance(part, MutualInformation))
        return MutualInformation(bits=bits, **_scope(counts, "chain rule of mutual information"))
    bounds = [(part, count) for part, count in counts.items() if isinstance(part, CramerRaoBound)]
    priors = {part.prior_information for part, _ in bounds}
    if len(priors) > 1:
        raise InvalidInput("Cramer-Rao numbers with different priors do not compose.")
    total = None
    for part, count in bounds:
        scaled = tuple(tuple(count * value for value in row) for row in part.information)
        total = scaled if total is None else added(total, scaled)
    return CramerRaoBound(information=total or (), prior_information=priors.pop(), **_scope(counts, "information matrices add"))


def _numerical(counts: Counts) -> Profile:
    """Convolution of the losses; sums where they are exact come first, and Renyi parts are summed before their curve is read."""
    shared = _scope(counts, "numerical composition")
    exact: dict[Guarantee, int] = {part: count for part, count in counts.items() if isinstance(part, GaussianDP)}
    summed: dict[Guarantee, int] = {part: count for part, count in counts.items() if isinstance(part, RenyiDP | ConcentratedDP)}
    merged: dict[Guarantee, int] = {part: count for part, count in counts.items() if part not in exact and part not in summed}
    if exact:
        merged[_gaussian(exact)] = 1
    if summed:
        merged[to_profile(_concentrated(summed) if all(isinstance(part, ConcentratedDP) for part in summed) else _renyi(summed))] = 1
    epsilons, deltas = numerical_curve(merged)
    if summed and all(isinstance(part, _DIVERGING) for part in counts):
        epsilons, deltas = _smaller(Profile(epsilons=epsilons, deltas_at=deltas, **shared), _renyi(counts))
    if all(isinstance(part, PureDP | ApproximateDP) for part in counts):
        epsilons, deltas = _with_basic_point(epsilons, deltas, _basic(counts, several=True))
    return Profile(epsilons=epsilons, deltas_at=deltas, **shared)


def _with_basic_point(
    epsilons: tuple[float, ...], deltas: tuple[float, ...], basic: PureDP | ApproximateDP | NoGuarantee
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Also the point that the sums of epsilon and delta give: exact at the end of the curve, where a grid is not."""
    if isinstance(basic, NoGuarantee):
        return epsilons, deltas
    points = dict(zip(epsilons, deltas, strict=True))
    points[basic.epsilon] = min(basic.delta(basic.epsilon), points.get(basic.epsilon, 1.0))
    knots = sorted(points)
    return hull(np.array(knots), np.array([points[knot] for knot in knots]))


def _smaller(first: Profile, second: RenyiDP) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Points of the smaller of two valid curves."""
    knots = np.asarray(first.epsilons)
    return hull(knots, np.minimum(first.deltas(knots), [second.delta(knot) for knot in first.epsilons]))


def _beyond(counts: Counts) -> NoGuarantee:
    return NoGuarantee(**_scope(counts, "a sum beyond float64"))


def _scope(counts: Counts, rule: str) -> dict[str, Any]:
    return scope(together(list(counts), rule if sum(counts.values()) > 1 else ""))
