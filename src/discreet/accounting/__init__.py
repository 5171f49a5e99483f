"""Guarantees: privacy curves with their neighbouring relation, unit and theorem, and how they compose."""

from discreet.accounting.algebra import AnyGuarantee, compose, n_fold
from discreet.accounting.approximate import ApproximateDP
from discreet.accounting.base import Guarantee, Statement, Unit
from discreet.accounting.bounded_range import bounded_range_delta, bounded_range_renyi, bounded_range_width, gumbel_scale
from discreet.accounting.concentrated import ConcentratedDP
from discreet.accounting.conversions import (
    epsilon_for,
    post_processed,
    to_approximate,
    to_central,
    to_concentrated,
    to_profile,
    to_renyi,
)
from discreet.accounting.cramer_rao import CramerRaoBound
from discreet.accounting.discrete_gaussian import Closeness, beyond, beyond_each, closeness, discrete_delta
from discreet.accounting.files import guarantee_from_dict
from discreet.accounting.gaussian import gaussian_delta, gaussian_deltas, gaussian_mu, gaussian_scale
from discreet.accounting.gaussian_dp import GaussianDP
from discreet.accounting.groups import group, to_replace_one
from discreet.accounting.information import MutualInformation
from discreet.accounting.none import NoGuarantee
from discreet.accounting.parallel import parallel
from discreet.accounting.profile import Profile
from discreet.accounting.pure import PureDP
from discreet.accounting.renyi import RenyiDP
from discreet.accounting.selection import selected
from discreet.core.fields import Json

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
