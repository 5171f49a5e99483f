"""Estimators over a set whose mechanism is the one with the best bound of risk, and what they say about that choice."""

import math

from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours, neighbours_of
from discreet.core.validate import number
from discreet.estimators.constrained_model import ConstrainedModel
from discreet.estimators.explanation import Explanation, Reason
from discreet.estimators.parameters import whole_or_none
from discreet.mechanisms.constrained import ConstrainedMechanism, calibrate_over_set, candidates
from discreet.problems import ConstrainedRisk


class ComparedModel(ConstrainedModel):
    """Base of ConstrainedERM and the regressions over sets."""

    target_bound: float = 1.0

    def explain(self, *, features: int | None = None, records: int | None = None) -> Explanation:
        """The mechanisms that there are for this problem with the bounds of risk that are proved for them; needs no data.

        Parameters: `features` d (of the fitted model if left out), `records` n, public or supposed. Raises InvalidInput where d is unknown or
        epsilon is infinite.
        """
        known = features if features is not None else vars(self).get("n_features_in_")
        if known is None:
            raise InvalidInput("explain needs the number of features: explain(features=d), or a fitted model.")
        neighbours, epsilon, delta = neighbours_of(self.neighbours), number(self.epsilon, "epsilon"), number(self.delta, "delta")
        count = whole_or_none(self.public_records if records is None else records, "records")
        problem = self._problem(self._domain(known, self._target_bound(), count))
        found = candidates(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
        chosen = found[0].name if self.mechanism == "auto" else self.mechanism
        constraint = problem.constraint
        numbers = f"l2 radius {constraint.l2_radius:.4g}, diameter {constraint.diameter:.4g}, Gaussian width {constraint.gaussian_width:.4g}"
        slope = f"{problem.loss.name}: a record adds at most {problem.gradient_bound:.4g} to the gradient (l2), predictions reach {problem.reach:.4g}"
        reasons = [
            Reason(
                choice="set", text=f"{constraint.name}: {numbers}.", numbers={"name": constraint.name, "gaussian_width": constraint.gaussian_width}
            ),
            Reason(choice="loss", text=slope + ".", numbers={"name": problem.loss.name, "gradient_bound": problem.gradient_bound}),
        ]
        for candidate in found:
            bound = "no bound" if math.isinf(candidate.risk) else f"expected excess of the mean loss at most {candidate.risk:.4g}"
            mark = "chosen: " if candidate.name == chosen else ""
            risk = None if math.isinf(candidate.risk) else candidate.risk
            reasons.append(Reason(choice=candidate.name, text=f"{mark}{bound} ({candidate.remark})", numbers={"risk": risk}))
        shown = "a nominal number of records" if count is None else f"{count:,} records"
        title = f"{type(self).__name__} on {known:,} features, {shown}: epsilon {epsilon:g}, delta {delta:g}, {neighbours}"
        return Explanation(title=title, reasons=tuple(reasons))

    def _target_bound(self) -> float:
        """Bound on |y|."""
        return number(self.target_bound, "target_bound")

    def _mechanism(self, problem: ConstrainedRisk, neighbours: Neighbours) -> ConstrainedMechanism:
        return calibrate_over_set(
            problem,
            mechanism=self.mechanism,
            epsilon=number(self.epsilon, "epsilon"),
            delta=number(self.delta, "delta"),
            neighbours=neighbours,
            steps=whole_or_none(self.n_iter, "n_iter"),
        )
