"""Parallel composition: releases on disjoint parts of the records, split by a public rule.

Let a public rule, fixed before the data are seen, send every record to one part, and let release i read part i only (and the releases before
it). Let delta_i be the curves.

1. Add-remove. Neighbours differ in one record, so in one part; all other releases have the same law on both. Together they satisfy max_i delta_i.
2. Replace-one, and the part of a record cannot change when its content is replaced (its row number, the hospital it came from): again one part
   differs, by one replaced record. Together max_i delta_i, with the replace-one curves.
3. Replace-one, and the rule reads what is replaced. The record may move: two parts differ, one loses a record and one gains one, and their numbers
   of records change. Replace-one guarantees of the parts promise nothing then. Add-remove guarantees do: take 1 and replace in two steps
   (`to_replace_one`). `parallel` therefore refuses replace-one parts unless the caller states that the part of a record stays.

Proofs in the note composition.md. The curves may not be chosen in view of other parts' outcomes unless their maximum was fixed in advance.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.accounting.approximate import ApproximateDP
from discreet.accounting.base import Guarantee, scope, together
from discreet.accounting.concentrated import ConcentratedDP
from discreet.accounting.conversions import to_profile
from discreet.accounting.cramer_rao import CramerRaoBound
from discreet.accounting.gaussian_dp import GaussianDP
from discreet.accounting.information import MutualInformation
from discreet.accounting.none import NoGuarantee
from discreet.accounting.profile import Profile, hull
from discreet.accounting.pure import PureDP
from discreet.accounting.renyi import RenyiDP
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import REPLACE_ONE

Parallel = PureDP | ApproximateDP | GaussianDP | ConcentratedDP | RenyiDP | MutualInformation | Profile | NoGuarantee


def parallel(parts: Sequence[Guarantee], *, part_of_a_record_stays: bool = False) -> Parallel:
    """The guarantee of releases on disjoint parts; see the module docstring.

    Raises InvalidInput for unlike scopes, for Cramer-Rao numbers, and under replace-one unless `part_of_a_record_stays` is stated.
    """
    shared = scope(together(parts, "parallel composition" if len(parts) > 1 else ""))
    if parts[0].neighbours is REPLACE_ONE and not part_of_a_record_stays:
        raise InvalidInput(
            "under replace-one a record may move to another part, and then two parts change their number of records. Give add-remove guarantees and "
            "convert the result with to_replace_one, or state part_of_a_record_stays=True if the rule reads nothing that is replaced."
        )
    kinds = {type(part) for part in parts}
    if CramerRaoBound in kinds:
        raise InvalidInput("a Cramer-Rao number is about one record's own release: there is nothing to compose in parallel.")
    if NoGuarantee in kinds:
        return NoGuarantee(**shared)
    worst = _largest(parts)
    if worst is not None:
        return type(worst)(**{**_numbers(worst), **shared})
    if MutualInformation in kinds:
        raise InvalidInput("bits of mutual information compose in parallel among themselves only.")
    curves = [to_profile(part) for part in parts]
    knots = np.unique(np.concatenate([curve.epsilons for curve in curves]))
    epsilons, deltas = hull(knots, np.max([curve.deltas(knots) for curve in curves], axis=0))
    return Profile(epsilons=epsilons, deltas_at=deltas, **shared)


def _largest(  # noqa: PLR0911 - one case for each kind
    parts: Sequence[Guarantee],
) -> PureDP | GaussianDP | ConcentratedDP | RenyiDP | ApproximateDP | MutualInformation | None:
    """A guarantee whose numbers are the largest of all, where the kind has an order."""
    first = parts[0]
    if any(type(part) is not type(first) for part in parts):
        return None
    match first:
        case PureDP():
            return max((part for part in parts if isinstance(part, PureDP)), key=lambda part: part.epsilon)
        case GaussianDP():
            return max((part for part in parts if isinstance(part, GaussianDP)), key=lambda part: part.mu)
        case ConcentratedDP():
            return max((part for part in parts if isinstance(part, ConcentratedDP)), key=lambda part: part.rho)
        case MutualInformation():
            return max((part for part in parts if isinstance(part, MutualInformation)), key=lambda part: part.bits)
        case ApproximateDP() if len({part.epsilon for part in parts if isinstance(part, ApproximateDP)}) == 1:
            return max((part for part in parts if isinstance(part, ApproximateDP)), key=lambda part: part.delta_at_epsilon)
        case RenyiDP() if len({part.orders for part in parts if isinstance(part, RenyiDP)}) == 1:
            curves = [part.divergences for part in parts if isinstance(part, RenyiDP)]
            return RenyiDP(orders=first.orders, divergences=tuple(max(values) for values in zip(*curves, strict=True)), **scope(first))
    return None


def _numbers(part: Guarantee) -> dict[str, Any]:
    names = set(type(part).__dataclass_fields__) - {"neighbours", "theorem", "unit", "local", "secret"}  # type: ignore[attr-defined]
    return {name: getattr(part, name) for name in names}
