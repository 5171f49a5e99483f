"""Guarantees: privacy curves with their neighbouring relation, unit and theorem, and how they compose."""

from discreet.guarantees.algebra import compose, guarantee_from_dict
from discreet.guarantees.approximate import ApproximateDP
from discreet.guarantees.base import Guarantee, Json, Unit
from discreet.guarantees.gaussian import gaussian_delta, gaussian_mu
from discreet.guarantees.none import NoGuarantee
from discreet.guarantees.pure import PureDP

__all__ = [
    "ApproximateDP",
    "Guarantee",
    "Json",
    "NoGuarantee",
    "PureDP",
    "Unit",
    "compose",
    "gaussian_delta",
    "gaussian_mu",
    "guarantee_from_dict",
]
