"""Guarantees: privacy curves with their neighbouring relation, unit and theorem, and how they compose."""

from discreet.guarantees.algebra import AnyGuarantee, compose, n_fold
from discreet.guarantees.approximate import ApproximateDP
from discreet.guarantees.base import Guarantee, Json, Statement, Unit
from discreet.guarantees.bounded_range import bounded_range_delta, bounded_range_renyi, bounded_range_width, gumbel_scale
from discreet.guarantees.concentrated import ConcentratedDP
from discreet.guarantees.conversions import (
    epsilon_for,
    post_processed,
    to_approximate,
    to_central,
    to_concentrated,
    to_profile,
    to_renyi,
)
from discreet.guarantees.cramer_rao import CramerRaoBound
from discreet.guarantees.discrete_gaussian import Closeness, beyond, beyond_each, closeness, discrete_delta
from discreet.guarantees.files import guarantee_from_dict
from discreet.guarantees.gaussian import gaussian_delta, gaussian_deltas, gaussian_mu, gaussian_scale
from discreet.guarantees.gaussian_dp import GaussianDP
from discreet.guarantees.groups import group, to_replace_one
from discreet.guarantees.information import MutualInformation
from discreet.guarantees.none import NoGuarantee
from discreet.guarantees.parallel import parallel
from discreet.guarantees.profile import Profile
from discreet.guarantees.pure import PureDP
from discreet.guarantees.renyi import RenyiDP
from discreet.guarantees.selection import selected

__all__ = [
    "AnyGuarantee",
    "ApproximateDP",
    "Closeness",
    "ConcentratedDP",
    "CramerRaoBound",
    "GaussianDP",
    "Guarantee",
    "Json",
    "MutualInformation",
    "NoGuarantee",
    "Profile",
    "PureDP",
    "RenyiDP",
    "Statement",
    "Unit",
    "beyond",
    "beyond_each",
    "bounded_range_delta",
    "bounded_range_renyi",
    "bounded_range_width",
    "closeness",
    "compose",
    "discrete_delta",
    "epsilon_for",
    "gaussian_delta",
    "gaussian_deltas",
    "gaussian_mu",
    "gaussian_scale",
    "group",
    "guarantee_from_dict",
    "gumbel_scale",
    "n_fold",
    "parallel",
    "post_processed",
    "selected",
    "to_approximate",
    "to_central",
    "to_concentrated",
    "to_profile",
    "to_renyi",
    "to_replace_one",
]
