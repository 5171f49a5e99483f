"""Short spellings of guarantees, for tests."""

from discreet.accounting import ApproximateDP, PureDP
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE


def pure(epsilon, neighbours=REPLACE_ONE):
    return PureDP(epsilon=epsilon, neighbours=neighbours, theorem="a test")


def approximate(epsilon, delta):
    return ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta, neighbours=REPLACE_ONE, theorem="a test")


def added(epsilon):
    return pure(epsilon, ADD_REMOVE)
