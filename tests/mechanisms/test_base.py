"""What is the same for every mechanism."""

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from discreet import LinearRegression
from discreet.mechanisms.regression.sums import LeastSquares


def test_the_linear_algebra_library_has_one_thread_while_a_mechanism_draws_and_its_own_again_afterwards(monkeypatch):
    def threads():
        return max(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")

    rng, seen = np.random.default_rng(0), []
    moments = LeastSquares.moments
    monkeypatch.setattr(LeastSquares, "moments", lambda *given: (seen.append(threads()), moments(*given))[1])
    with threadpool_limits(2, user_api="blas"):
        model = LinearRegression(mechanism="moments", epsilon=1.0, delta=1e-6, data_norm=1.0, target_bound=1.0, random_state=0)
        model.fit(0.1 * rng.standard_normal((200, 3)), rng.uniform(-1.0, 1.0, 200))
        assert threads() == 2
    assert set(seen) == {1}
