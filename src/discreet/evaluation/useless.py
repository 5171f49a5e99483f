"""Whether a model is of any use: against always giving the one answer that needs no model, from what was released anyway.

    classes    the commonest class: right - (records of class k) = sum of n[a][a] over a != k, less sum of n[k][p] over p != k
    numbers    the mean target: R^2, the share of its squared error that the model saves
    times      one answer for all, of which every pair is half right: the concordance beyond 1/2

For each class k the difference of accuracies is the mean of numbers in -1, 0, 1, whose squares are counted too, so that its interval is narrow where
model and constant mostly agree. The commonest class is not known exactly: the least of the differences is what the model gains over the best
constant, and its interval is from the least low end to the least high one, each at a level of 1 - (1 - level) / K, so that all hold together.

    balanced accuracy    the mean over classes of the share of a class that is answered right: 1 / K for every constant, the commonest class
                         included; of two classes it is also the area under the ROC curve of the answers (Hand and Till 2001)
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.short import short_repr
from discreet.data.labels import canonical
from discreet.evaluation.intervals import Estimate
from discreet.evaluation.means import Total, difference_of
from discreet.evaluation.prepared import Prepared
from discreet.evaluation.survey import Survey


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The best constant prediction, and the model's gain over it; public."""

    answer: Any
    """A class, or None for the mean of the targets."""
    share: float | None
    """How many records are of that class, as a share of all; None for numbers."""
    gain: Estimate
    """The difference of accuracies; or R^2, the share of the mean squared error that is saved."""
    only: Any = None
    """The class that the model answers always, as far as noise shows; None where it answers several, and for numbers."""
    cut: float | None = None
    """Of numbers: where the model's errors are cut. Those of the mean are not."""
    narrow: bool = False
    """Whether that is less than half the range of targets, so that a model that is always far off may seem better than the mean."""
    chance: bool = False
    """Whether the answer is one time for all, which orders pairs as chance does."""

    __repr__ = short_repr

    @property
    def useless(self) -> bool | None:
        """True if no gain is plausible, False if a gain is certain at this level, None if neither is known, or if errors are clipped too early."""
        return True if self.gain.high <= 0.0 else False if self.gain.low > 0.0 and not self.narrow else None

    @property
    def words(self) -> str:
        """The comparison in one sentence."""
        if self.chance:
            head = {True: "Orders pairs no better", False: "Orders pairs better", None: "Not shown to order pairs better"}[self.useless]
            return f"{head} than chance: it gains {self.gain.value:.4f} ({self.gain.low:.4f} to {self.gain.high:.4f}) of concordance"
        named = "the mean of the targets" if self.share is None else f"{canonical(self.answer)!r} ({100.0 * self.share:.1f} % of all)"
        what = "it saves" if self.share is None else "it gains"
        of_what = " of accuracy" if self.cut is None else f" of the squared error, with its errors cut at {self.cut:,.6g}"
        gained = f"{what} {self.gain.value:.4f} ({self.gain.low:.4f} to {self.gain.high:.4f}){of_what}"
        found = {
            True: "No better than always predicting",
            False: "Better than always predicting",
            None: "Not shown to be better than always predicting",
        }
        only = "" if self.only is None else f". As far as the noise lets one see, it predicts only {canonical(self.only)!r}"
        return f"{found[self.useless]} {named}: {gained}{only}"

    def to_dict(self) -> dict[str, object]:
        """Plain dicts, lists and numbers, as JSON has them."""
        return {
            "answer": "chance" if self.chance else "mean" if self.share is None else self.answer,
            "share": self.share,
            "gain": self.gain.to_dict(),
            "useless": self.useless,
            "answers_only": self.only,
        }


def constant_class(prepared: Prepared[Survey], confusion: Floats, cells: int, total: Total) -> Baseline:
    """Of noisy counts (K, K) in records, each read from so many cells, and what all of them weigh."""
    kinds, law = len(confusion), prepared.law
    level, right = 1.0 - (1.0 - prepared.level) / kinds, np.diag(confusion)
    gains = []
    for k in range(kinds):
        saved, lost = float(right.sum() - right[k]), float(confusion[k].sum() - right[k])
        noise = law(0, 2 * (kinds - 1) * cells)
        gains.append(difference_of(Total(saved - lost, noise), Total(saved + lost, noise), total, level=level))
    rows, columns = confusion.sum(axis=1), confusion.sum(axis=0)
    common, answered = int(np.argmax(rows)), int(np.argmax(columns))
    ends = {name: min(getattr(gain, name) for gain in gains) for name in ("value", "low", "high", "noise_low", "noise_high")}
    others = float(columns.sum() - columns[answered])
    alone = others <= law(0, kinds * (kinds - 1) * cells).quantile(1.0 - prepared.level)
    return Baseline(
        answer=prepared.classes[common],
        share=min(1.0, max(0.0, float(rows[common]) / max(total.value, 1.0))),
        gain=Estimate(**ends, level=prepared.level),
        only=prepared.classes[answered] if alone else None,
    )


def balanced(confusion: Floats, share: Callable[[float, float, int, int], Estimate], *, level: float) -> Estimate:
    """The mean of the K shares of a class that are answered right, each from `share(right, wrong, cells, cells)` at a level at which all hold."""
    kinds = len(confusion)
    shares = [share(float(confusion[k, k]), float(confusion[k].sum() - confusion[k, k]), 1, kinds - 1) for k in range(kinds)]
    ends = {name: float(np.mean([getattr(one, name) for one in shares])) for name in ("value", "low", "high", "noise_low", "noise_high")}
    return replace(Estimate(**ends, level=level))
