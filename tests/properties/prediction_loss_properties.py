"""What every loss of a prediction must satisfy, as functions that raise AssertionError; see discreet.losses.predictions.base for the words."""

import numpy as np

BOUNDS = [(1.0, 1.0), (0.3, 1.0), (5.0, 1.0)]
"""(reach, target bound); targets of losses of the margin have bound 1."""
SPACING = np.finfo(np.float64).eps


def scan(reach, target_bound, points=4001):
    """Predictions over [-reach, reach] and targets over [-b, b], corners included: two arrays of one shape."""
    predictions, targets = np.meshgrid(np.linspace(-reach, reach, points), target_bound * np.array([-1.0, -0.5, 0.0, 0.25, 1.0]))
    return predictions, targets


def check_slope_is_derivative_of_value(loss):
    """Between close predictions a < b: l'(a) <= (l(b) - l(a)) / (b - a) <= l'(b), up to rounding: convexity and the slope at once."""
    for reach, bound in BOUNDS:
        left, targets = scan(reach, bound)
        right = left + 1e-5
        quotient = (loss.value(right, targets) - loss.value(left, targets)) / (right - left)
        room = 1e-9 * (1.0 + loss.lipschitz(reach, bound)) ** 2
        assert np.all(loss.slope(left, targets) <= quotient + room), "the slope exceeds the rise of the value to its right"
        assert np.all(quotient <= loss.slope(right, targets) + room), "the slope is below the rise of the value to its left"


def check_value_is_not_negative(loss):
    """l >= 0."""
    for reach, bound in BOUNDS:
        assert np.all(loss.value(*scan(reach, bound)) >= 0.0), "a loss is negative"


def check_lipschitz(loss):
    """|l'| <= lipschitz(reach, b), and within 1 % of it somewhere, for losses whose bound depends on the reach."""
    for reach, bound in BOUNDS:
        steepest = np.abs(loss.slope(*scan(reach, bound))).max()
        assert steepest <= loss.lipschitz(reach, bound) * (1.0 + 4 * SPACING), "a slope exceeds the stated bound"


def check_lipschitz_is_attained(loss):
    """Somewhere over a wide enough range the bound is reached within 1 %."""
    wide = 60.0 * max([1.0, *(float(value) for value in loss.parameters.values() if isinstance(value, float))])
    steepest = np.abs(loss.slope(*scan(wide, 1.0))).max()
    assert steepest >= 0.99 * loss.lipschitz(wide, 1.0), "the stated bound is too large"


def check_smoothness(loss):
    """Slopes of close predictions differ by at most smoothness(b) times the distance; for a kink infinity is stated."""
    for reach, bound in BOUNDS:
        left, targets = scan(reach, bound)
        right = left + 1e-4
        rise = (loss.slope(right, targets) - loss.slope(left, targets)) / (right - left)
        assert np.all(rise <= loss.smoothness(bound) * (1.0 + 1e-6) + 1e-9), "slopes rise faster than the stated smoothness"


def check_smoothness_is_attained(loss):
    """Somewhere slopes rise as fast as stated, within 1 %; where infinity is stated, they jump."""
    widths = [float(value) for value in loss.parameters.values() if isinstance(value, float)]
    step = 1e-4 * min([1.0, *widths])
    reach = 8.0 * max([1.0, *widths])
    left, targets = scan(reach, 1.0, points=400_001)
    rise = ((loss.slope(left + step, targets) - loss.slope(left, targets)) / step).max()
    stated = loss.smoothness(1.0)
    assert rise >= (0.5 / step if np.isinf(stated) else 0.99 * stated), "the stated smoothness is too large"


def check_smoothed_is_near(loss):
    """What stands in for a loss in searches has a second derivative, is nowhere more than it says above the loss, and within the width of it."""
    for width in (0.01, 0.3):
        smooth, unit, above = loss.smoothed(width)
        assert np.isfinite(smooth.smoothness(1.0)), "the smoothed loss has a kink"
        for reach, bound in BOUNDS:
            ahead = smooth.value(*scan(reach, bound)) / unit - loss.value(*scan(reach, bound))
            assert np.all(ahead <= above + 1e-12 * (1.0 + reach)), "the smoothed loss is further above than it says"
            assert np.all(np.abs(ahead) <= width + 1e-12 * (1.0 + reach)), "the smoothed loss is further away than the width"


LAWS = [
    check_slope_is_derivative_of_value,
    check_value_is_not_negative,
    check_lipschitz,
    check_lipschitz_is_attained,
    check_smoothness,
    check_smoothness_is_attained,
    check_smoothed_is_near,
]
