"""What a release will be worth, said before it is run: each kind's own words, from public numbers alone."""

from typing import Protocol

from discreet.core.errors import InvalidInput, quietly
from discreet.core.neighbours import Neighbours
from discreet.data import Schema, Target
from discreet.descriptions import prepare_description
from discreet.descriptions.asked import QUARTILES
from discreet.estimators.model_kinds import encoded_estimator, learnt_from, standard_kind
from discreet.releases.methods import ALL_METHODS
from discreet.releases.synthetic import SyntheticPlan, SyntheticPublication
from discreet.releases.synthetic.plan import listed, listed_tables
from discreet.workbench.tradeoff import Budget, planned_release
from discreet.workbench.wire import Fields


class _Outlook(Protocol):
    def lines(self) -> list[tuple[str, str]]:
        """Label and words."""


def worth(schema: Schema, job: str, chosen: str, budget: Budget, given: Fields, *, records: int | None) -> list[list[str]]:
    """Of this job with this method; nothing where nothing is released. Raises as planning does."""
    made: _Outlook | None = None
    if job == "fit":
        made = _model(schema, chosen, budget, records)
    elif job == "describe":
        made = _description(schema, budget, given, records)
    elif chosen == "synthetic":
        made = _synthetic(schema, budget, given, records)
    elif chosen in ALL_METHODS:
        made = planned_release(schema, chosen, budget, given).outlook(records)
    return [] if made is None else [list(line) for line in made.lines()]


def _model(schema: Schema, chosen: str, budget: Budget, records: int | None) -> _Outlook | None:
    """Beside one answer for everybody."""
    asked = {"epsilon": budget.epsilon, "delta": budget.delta, "neighbours": budget.neighbours}
    estimator = encoded_estimator(chosen or standard_kind(learnt_from(schema)), schema, asked)
    if not isinstance(schema.target, Target):
        return None
    return estimator.outlook(features=schema.features, records=records, classes=len(schema.target.classes))


def _description(schema: Schema, budget: Budget, given: Fields, records: int | None) -> _Outlook:
    shares = given.text("--quantiles")
    refusal = InvalidInput(f"--quantiles takes numbers with commas between them; {shares!r} was given.")
    quantiles = quietly(lambda: [float(share) for share in listed(shares)], refusal)
    return prepare_description(
        schema,
        epsilon=budget.epsilon,
        delta=budget.delta,
        neighbours=budget.neighbours,
        columns=listed(given.text("--columns")) or None,
        by=given.text("--by") or None,
        pairs=[(first, second) for first, _, second in (pair.partition(":") for pair in listed(given.text("--pairs")))],
        whole=listed(given.text("--whole")),
        quantiles=quantiles or QUARTILES,
    ).outlook(records)


def _synthetic(schema: Schema, budget: Budget, given: Fields, records: int | None) -> _Outlook:
    plan = SyntheticPlan.calibrate(
        schema,
        epsilon=budget.epsilon,
        delta=budget.delta,
        neighbours=Neighbours(budget.neighbours),
        target=given.text("--target") != "omitted",
        workload=listed_tables(given.text("--workload")),
        whole=listed(given.text("--whole")),
        cuts="private" if given.text("--cuts") == "private" else "schema",
    )
    return SyntheticPublication.planned(plan).outlook(records)
