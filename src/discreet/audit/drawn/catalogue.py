"""Every mechanism of ours that draws noise, watched: WATCHED by name.

    WATCHED[name].run(Target(...))    what left many runs, with the noise recovered

`discreet audit NAME` runs these, the quick tests run all of them, and a law says that no registered mechanism is missing. Searches are on a floor
above (cli/audit_estimators.py), since estimators are siblings of this package; what they draw of their own is there.
"""

from dataclasses import dataclass
from functools import partial

from discreet.audit.drawn import constrained, integers, learning, regression, released_rows, sketches
from discreet.audit.drawn.parts import Watched


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedWatch:
    """One entry."""

    certified: tuple[str, ...]
    """The mechanisms that it runs, by their names in certificates."""
    run: Watched
    summary: str
    pure: bool = False
    """Whether it has delta = 0."""


def _watch(run: Watched, summary: str, *certified: str, pure: bool = False) -> NamedWatch:
    return NamedWatch(certified=certified, run=run, summary=summary, pure=pure)


WATCHED: dict[str, NamedWatch] = {
    "objective": _watch(
        partial(learning.one_model, mechanism="objective"),
        "objective perturbation; delta 0 or more",
        "objective-perturbation-gaussian",
        "objective-perturbation-pure",
    ),
    "output": _watch(
        partial(learning.one_model, mechanism="output"),
        "output perturbation; delta 0 or more",
        "output-perturbation-gaussian",
        "output-perturbation-pure",
    ),
    "multinomial": _watch(
        partial(learning.several_classes, multinomial=True),
        "objective perturbation of three classes together; delta 0 or more",
        "multinomial-perturbation-gaussian",
        "multinomial-perturbation-pure",
    ),
    "one-vs-rest": _watch(
        partial(learning.several_classes, multinomial=False),
        "three classes, each against the rest; delta 0 or more",
        "one-vs-rest-gaussian",
        "one-vs-rest-pure",
    ),
    "objective-over-set": _watch(constrained.over_set, "objective perturbation over a ball", "objective-perturbation-set"),
    "frank-wolfe-polytope": _watch(constrained.polytope, "two chosen vertices of a simplex", "frank-wolfe-polytope"),
    "frank-wolfe-gaussian": _watch(constrained.frank_wolfe, "three noisy gradients", "frank-wolfe-gaussian"),
    "mirror-descent": _watch(constrained.mirror_descent, "three noisy gradients", "mirror-descent"),
    "mirror-descent-sampled": _watch(
        constrained.sampled, "mirror descent on Poisson batches, add-remove: who takes part, and the noise", "mirror-descent-sampled"
    ),
    "bounds": _watch(integers.bounds, "private bounds of two columns; delta 0 or more", "bounds-choice"),
    "cuts": _watch(integers.cuts, "private cuts: histograms of three columns together; delta 0 or more", "counting-gaussian", "counting-laplace"),
    "counting-laplace": _watch(integers.counting_laplace, "a histogram and a sum", "counting-laplace", pure=True),
    "counting-gaussian": _watch(integers.counting_gaussian, "a histogram and a sum", "counting-gaussian"),
    "curvature": _watch(integers.curvature, "the curvature of a released model, for its intervals", "curvature-gaussian"),
    "exponential": _watch(integers.exponential, "one of four candidates", "exponential-mechanism", pure=True),
    "random-stopping": _watch(integers.random_stopping, "a search's number of runs, their settings and noisy scores", "random-stopping", pure=True),
    "rows": _watch(released_rows.rows, "rows with Gaussian noise, those of single owners, and secret orders", "release-gaussian-rows"),
    "information-rows": _watch(released_rows.for_bits, "rows with Gaussian noise for half a bit about an entry", "release-information-rows"),
    "fisher": _watch(released_rows.fisher, "rows with noise shaped by weights", "release-fisher-noise"),
    "bounded": _watch(released_rows.bounded, "rows with noise of bounded support", "release-bounded-noise"),
    "fresh-projection": _watch(released_rows.fresh_projection, "a fresh projection, and projected rows", "release-fresh-projection"),
    "null-space": _watch(released_rows.null_space, "rows with noise that leaves a machine unchanged; not private", "release-null-space-noise"),
    "sketch": _watch(sketches.sketch, "a secret Gaussian sketch", "release-gaussian-sketch"),
    "eigenvalue-sketch": _watch(sketches.eigenvalue_sketch, "a sketch with a noisy least eigenvalue", "release-eigenvalue-sketch"),
    "information-sketch": _watch(sketches.information_sketch, "a sketch for half a bit about an entry", "release-information-sketch"),
    "clear-target-sketch": _watch(sketches.clear_target_sketch, "a sketch whose target has no noise", "release-clear-target-sketch"),
    "published-sketch": _watch(sketches.published_sketch, "the sketch as published; not private", "release-published-sketch"),
    "least-squares": _watch(regression.objective, "linear regression by objective perturbation of residuals", "least-squares-objective"),
    "least-squares-moments": _watch(regression.refined, "linear regression from noisy moments and gradients", "least-squares-moments"),
    "least-squares-adassp": _watch(regression.adassp, "linear regression by AdaSSP", "least-squares-adassp"),
    "least-squares-mixing": _watch(sketches.mixing, "linear regression from a sketch", "least-squares-mixing"),
    "least-squares-hessian-mixing": _watch(regression.hessian_mixing, "noisy gradients beside a sketch", "least-squares-hessian-mixing"),
}
"""By the name of `discreet audit`."""
