"""Any loss of the margin as a loss of the prediction.

    l(f; y) = m(y f),   l' = y m'(y f),   l'' = y^2 m''(y f)

So |l'| <= b L and l'' <= b^2 c for |y| <= b, L and c the constants of m: for classes written as +1 and -1, L and c themselves.
"""

from dataclasses import dataclass, field

from discreet.core.arrays import Floats
from discreet.losses.base import MarginLoss
from discreet.losses.logistic import Logistic
from discreet.losses.predictions.base import PredictionLoss


@dataclass(frozen=True, slots=True, kw_only=True)
class OfMargin(PredictionLoss):
    """A loss of the margin y f; the logistic one unless another is given."""

    signed_targets = True
    loss: MarginLoss = field(default_factory=Logistic)

    @property
    def name(self) -> str:  # type: ignore[override]
        """That of the loss of the margin."""
        return self.loss.name

    @property
    def parameters(self) -> dict[str, object]:
        """Those of the loss of the margin."""
        return dict(self.loss.parameters)

    def lipschitz(self, reach: float, target_bound: float) -> float:  # noqa: ARG002 - the bound of the whole line
        """b L."""
        return target_bound * self.loss.lipschitz

    def smoothness(self, target_bound: float) -> float:
        """b^2 c."""
        return target_bound**2 * self.loss.smoothness

    def value(self, predictions: Floats, targets: Floats) -> Floats:
        """m(y f)."""
        return self.loss.value(targets * predictions)

    def slope(self, predictions: Floats, targets: Floats) -> Floats:
        """y m'(y f)."""
        return targets * self.loss.slope(targets * predictions)
