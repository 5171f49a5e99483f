"""Sentences about a promise that is legal and says little, from public numbers alone, and about names of other libraries.

Who says the former warns, above mechanisms.
"""

import inspect
import math
from collections.abc import Iterator

from discreet.core.neighbours import Privacy

WEAK, EMPTY, LARGE_DELTA = 3.0, 8.0, 1e-4
"""From here on an epsilon or a delta deserves a warning on every page and before it is spent."""
MUCH = 10.0
"""An epsilon from which on a promise is a formality: e^10 is 22,000."""

REPRODUCIBLE = (
    "random_state is set, so whoever knows or guesses it can draw the same noise again and subtract it: the result is not private, and its "
    "certificate is invalid. Leave random_state out for anything that others will see."
)
"""Of noise with a seed."""

OTHER_NAMES = {
    "C": ("C is called alpha here and multiplies |w|^2 / 2 in the mean loss: set alpha = 1 / (C n), or None to have it chosen from public numbers"),
    "neighbors": "neighbors is called neighbours here: 'replace-one' or 'add-remove'",
    "n_neighbors": "there is no number of neighbours; neighbours says how two tables differ: 'replace-one' or 'add-remove'",
    "penalty": "the penalty is always |w|^2, with strength alpha; for sparse weights use Lasso or LassoClassifier",
    "l1_ratio": "the penalty is always |w|^2, with strength alpha; an elastic net is ConstrainedERM over an l1 ball with alpha set",
    "tol": "the solver sets its own tolerance, small enough for the noise to hide. Leave tol out",
    "solver": "the solver is fixed, and certifies its answer. Leave solver out",
    "max_iter": "the solver runs until its answer is certified. Leave max_iter out; models over constraint sets take n_iter",
    "accountant": "a ledger keeps track of spending: pass ledger=Account(path, name)",
    "bounds_X": "bound the rows with data_norm, or their entries with data_bound",
    "bounds": "bound the rows with data_norm, or their entries with data_bound",
    "lambda_": "set alpha instead: lambda is alpha times the number of records",
    "seed": "seed is called random_state here; setting it makes the certificate invalid",
}
"""Parameters of other libraries, and what they are called here."""


def about_numbers(privacy: Privacy, records: int | None, *, seeded: bool) -> Iterator[str]:
    """What is worth saying of epsilon, of delta where the number of records is public, and of noise with a seed."""
    if seeded and privacy.adds_noise:
        yield REPRODUCIBLE
    if privacy.epsilon >= MUCH:
        times = f"{math.exp(min(privacy.epsilon, 700.0)):,.0f}" if privacy.epsilon < 20 else f"e^{privacy.epsilon:g}"
        yield (
            f"epsilon={privacy.epsilon:g} allows a result to be {times} times as likely with a record as without it. Choose about 1, and at most 4."
        )
    if records is not None and records > 0 and privacy.delta > 1.0 / records:
        yield (
            f"delta={privacy.delta:g} is above 1 / n for n = {records:,}, so it would permit publishing one whole record. "
            f"Choose delta={_round_down(0.01 / records)} or less."
        )


def mostly_noise(what: str, least: int, records: int | None) -> Iterator[str]:
    """That a private choice is mostly noise, where public numbers say so; None of records whose number is private."""
    if records is not None and records < least:
        yield f"{what} takes about {least:,} records here, and there are {records:,}: it would be mostly noise."


def weaknesses(epsilon: float, delta: float, records: int | None, *, one: str, many: str) -> Iterator[str]:
    """What a reader of a report, or who is about to spend, must know of (epsilon, delta); `one` and `many` name what is protected."""
    factor = "more than a million" if epsilon >= 14 else f"{float(f'{math.exp(epsilon):.3g}'):,g}"
    if epsilon >= EMPTY:
        yield (f"Epsilon is {epsilon:.3g}. One {one} can make any conclusion up to {factor} times as likely, so this guarantees almost nothing.")
    elif epsilon >= WEAK:
        yield (
            f"Epsilon is {epsilon:.3g}, a weak guarantee: one {one} can make any conclusion up to {factor} times as likely (2.7 times at epsilon 1)."
        )
    if records is not None and records > 0 and delta * records > 0.1:
        yield (
            f"Delta is {delta:.3g} with {records:,} {many}. Printing one {one} in {1.0 / delta:,.0f}, picked at random, would satisfy that "
            f"delta. Choose a delta far below 1 / {records:,}."
        )
    elif records is None and delta > LARGE_DELTA:
        yield (
            f"Delta is {delta:.3g}, too large unless there are far fewer than {1.0 / delta:,.0f} {many}. Choose a delta far below 1 / "
            f"(number of {many})."
        )


def caller() -> int:
    """How many frames above the one that warns the first is that is not this library's, as `warnings.warn` counts."""
    frame, inside = inspect.currentframe(), 0
    while frame is not None and str(frame.f_globals.get("__name__", "")).startswith(f"{__name__.partition('.')[0]}."):
        frame, inside = frame.f_back, inside + 1
    return inside


def _round_down(value: float) -> str:
    """A power of ten at most this."""
    return f"1e{math.floor(math.log10(value))}"
