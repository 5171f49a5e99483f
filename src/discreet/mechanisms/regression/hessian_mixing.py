"""Iterative Hessian mixing: one noisy sketch for the curvature, then noisy gradients (proof note hessian_mixing.md; Lev et al. 2026).

    k rows N(0, X'X + v I)                                            the sketch of release/sketch.md, of the features alone
    T times: g~ = sum x clip(y - <x, theta_j>) + noise,   theta_{j+1} = theta_j + A~^{-1} g~, shrunk as in module `belief`,   A~ = W / k - v I

The first gradient is at zero and clips at |x r| <= R B, so not at all; the others clip at a quarter of it. The curve of the whole is the numerical
composition of the sketch's profile with mu-GDP, mu^2 = sum_j (1 or 2)^2 / nu^2 (guarantees/composition.md), in place of the Renyi curves that were published;
discrete noise costs what it does in module `curve`:

    delta(epsilon) <= e^A (delta_sketch+Gaussian(epsilon - A - B) + e^epsilon T e^-800)
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from discreet.certificates import Hypothesis
from discreet.data import RealDataset
from discreet.errors import InfeasibleTarget, InvalidInput
from discreet.guarantees import ApproximateDP, GaussianDP, Json, NoGuarantee, Profile, compose, gaussian_mu
from discreet.mechanisms.regression.base import Fitted, RegressionMechanism
from discreet.mechanisms.regression.belief import Belief
from discreet.mechanisms.regression.curve import LEAST_SCALE, UP, step_reach
from discreet.mechanisms.regression.gradients import least_step_scale, noisy_gradient
from discreet.mechanisms.regression.mixing import drawn_moments, of_records, sketched
from discreet.mechanisms.regression.sums import LeastSquares
from discreet.mechanisms.release.sketch import SECRET, GaussianSketch
from discreet.neighbours import Neighbours
from discreet.noise import Noise

STEPS = 3
_LEAST_ROWS, _PER_WEIGHT = 2000, 50
_SHARE = 0.5
"""Of mu^2, about, the sketch's."""
_LATER_CLIP = 0.25
_POINTS = 64
_LARGEST_SCALE = 2.0**52
THEOREM = "Gaussian sketch, then clipped gradients, numerical composition (hessian_mixing.md)"
