"""The search itself, run many times on two neighbours: what can be told stays below the claim, and does not once the score loses its noise."""

import numpy as np
import pytest
from scipy import stats

from discreet import LogisticRegression, PrivateSearchCV
from discreet.mechanisms.selection import CountNoise

RUNS = 700
RECORDS = 40
CLAIM = 1.0
LEVEL = 1e-6


def outcomes(signs: np.ndarray, method: str) -> np.ndarray:
    """(score, sign of the weight, setting) of RUNS searches on equal rows with these labels."""
    X = np.full((RECORDS, 1), 0.5)
    model = LogisticRegression(classes=[0, 1], fit_intercept=False)
    search = PrivateSearchCV(model, {"alpha": [1.0, 50.0]}, epsilon=CLAIM, expected_runs=4.0, method=method)
    found = []
    for _ in range(RUNS):
        search.fit(X, signs)
        found.append((search.best_score_ * RECORDS, search.best_estimator_.weights_[0] > 0, search.best_index_))
    return np.array(found, dtype=float)


def lower_bound(first: np.ndarray, second: np.ndarray) -> float:
    """Of the privacy loss, over events fixed in advance: scores above a number or next to one, signs, settings, and their combinations."""
    counts = np.arange(RECORDS + 1.0)
    rounded = [np.nan_to_num(np.rint(each[:, 0]), nan=-1.0) for each in (first, second)]
    events = [lambda score, _sign, _index, c=c: score == c for c in (0.0, 1.0, RECORDS - 1.0, float(RECORDS))]
    events += [lambda score, _sign, _index: (score == 0) | (score == RECORDS)]
    events += [lambda score, _sign, _index, c=c: score > c for c in counts[::8]]
    events += [lambda _score, sign, _index: sign > 0, lambda _score, _sign, index: index == 0]
    events += [lambda score, sign, _index: (sign > 0) & (score > RECORDS / 2)]
    best = 0.0
    for event in events:
        hits = [int(np.count_nonzero(event(score, each[:, 1], each[:, 2]))) for score, each in zip(rounded, (first, second), strict=True)]
        for likely, rare in (hits, hits[::-1], [RUNS - hit for hit in hits], [RUNS - hit for hit in hits[::-1]]):
            low = stats.beta.ppf(LEVEL, likely, RUNS - likely + 1) if likely else 0.0
            high = stats.beta.ppf(1.0 - LEVEL, rare + 1, RUNS - rare) if rare < RUNS else 1.0
            best = max(best, float(np.log(max(low, 1e-300) / high)))
    return best


@pytest.fixture(scope="module")
def neighbours() -> tuple[np.ndarray, np.ndarray]:
    ones = np.ones(RECORDS, dtype=int)
    other = ones.copy()
    other[0] = 0
    return ones, other


@pytest.mark.slow
@pytest.mark.parametrize("method", ["random-stopping", "algorithm-4"])
def test_what_can_be_told_is_below_the_claim(method: str, neighbours: tuple[np.ndarray, np.ndarray]) -> None:
    assert lower_bound(*(outcomes(signs, method) for signs in neighbours)) <= CLAIM


@pytest.mark.slow
def test_a_score_without_noise_is_caught(monkeypatch: pytest.MonkeyPatch, neighbours: tuple[np.ndarray, np.ndarray]) -> None:
    monkeypatch.setattr(CountNoise, "score", lambda _self, correct, _noise: correct)
    assert lower_bound(*(outcomes(signs, "random-stopping") for signs in neighbours)) > 2.0 * CLAIM
