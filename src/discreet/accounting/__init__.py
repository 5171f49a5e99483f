"""Guarantees: privacy curves with their neighbouring relation, unit and theorem, and how they compose."""

from discreet.accounting.algebra import AnyGuarantee, compose, n_fold
from discreet.accounting.base import ApproximateDP, Guarantee, NoGuarantee, PureDP, Statement, Unit
from discreet.accounting.before_gaussian import before_gaussian, near, through
from discreet.accounting.bounded_range import bounded_range_delta, bounded_range_renyi, bounded_range_width, gumbel_scale
from discreet.accounting.conversions import (
    epsilon_for,
    post_processed,
    to_approximate,
    to_central,
    to_concentrated,
    to_profile,
    to_renyi,
)
from discreet.accounting.files import guarantee_from_dict
from discreet.accounting.gaussian import (
    Closeness,
    GaussianDP,
    beyond,
    beyond_each,
    closeness,
    discrete_delta,
    gaussian_delta,
    gaussian_deltas,
    gaussian_epsilon,
    gaussian_mu,
    gaussian_scale,
)
from discreet.accounting.groups import group, parallel, to_persons, to_replace_one
from discreet.accounting.information import CramerRaoBound, MutualInformation
from discreet.accounting.profile import Profile, both_ways
from discreet.accounting.renyi import ConcentratedDP, RenyiDP
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
    "before_gaussian",
    "beyond",
    "beyond_each",
    "both_ways",
    "bounded_range_delta",
    "bounded_range_renyi",
    "bounded_range_width",
    "closeness",
    "compose",
    "discrete_delta",
    "epsilon_for",
    "gaussian_delta",
    "gaussian_deltas",
    "gaussian_epsilon",
    "gaussian_mu",
    "gaussian_scale",
    "group",
    "guarantee_from_dict",
    "gumbel_scale",
    "n_fold",
    "near",
    "parallel",
    "post_processed",
    "selected",
    "through",
    "to_approximate",
    "to_central",
    "to_concentrated",
    "to_persons",
    "to_profile",
    "to_renyi",
    "to_replace_one",
]
