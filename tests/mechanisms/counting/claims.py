"""What a claim of counts is held against: the worst pair of tables under noise this wide, and certificates that lie."""

import json
import math

import numpy as np
from scipy.special import ndtr

from discreet.certificates import Certificate


def is_kept_and_nearly_reached(queries, made, here, there):
    """Of Gaussian noise this wide, what tells two tables apart is the distance of their answers over the scale; half the noise is caught."""
    length = float(np.linalg.norm((here - there).astype(float)))

    def delta(scale):
        mu = length / scale
        return float(ndtr(0.5 * mu - 1.0 / mu) - math.e * ndtr(-0.5 * mu - 1.0 / mu))

    claimed = made.guarantee(queries).delta_at_epsilon
    assert 0.9 * claimed < delta(made.scales[0]) <= claimed
    assert delta(0.5 * made.scales[0]) > 10 * claimed


def verifies_and_lies_do_not(release, lies):
    """`lies` are (name, change of the first query in the problem); less noise is a lie too."""
    release.certificate.verify(release.value).require()
    truth = release.certificate.to_json()
    for name, lie in lies:
        document = json.loads(truth)
        lie(document["problem"]["queries"][0])
        assert not Certificate.from_dict(document).verify(release.value).ok, name
    smaller = json.loads(truth)
    smaller["parameters"]["scales"] = [0.9 * smaller["parameters"]["scales"][0]]
    failed = [check.name for check in Certificate.from_dict(smaller).verify(release.value).checks if not check.ok]
    assert {"epsilon", "delta"} & set(failed)
