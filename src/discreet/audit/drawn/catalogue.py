"""Every mechanism of ours that draws noise, watched: WATCHED by name.

    WATCHED[name].run(Target(...))    what left many runs, with the noise recovered

`discreet audit NAME` runs these, the quick tests run all of them, and a law says that no registered mechanism is missing. Searches are on a floor
above (cli/audit_estimators.py), since estimators are siblings of this package; what they draw of their own is there.
"""

from dataclasses import dataclass

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


WATCHED: dict[str, NamedWatch] = {
    "objective": NamedWatch(
        certified=("objective-perturbation-gaussian", "objective-perturbation-pure"),
        run=learning.one_model("objective"),
        summary="objective perturbation; delta 0 or more",
    ),
    "output": NamedWatch(
        certified=("output-perturbation-gaussian", "output-perturbation-pure"),
        run=learning.one_model("output"),
        summary="output perturbation; delta 0 or more",
    ),
    "multinomial": NamedWatch(
        certified=("multinomial-perturbation-gaussian", "multinomial-perturbation-pure"),
        run=learning.several_classes(multinomial=True),
        summary="objective perturbation of three classes together; delta 0 or more",
    ),
    "one-vs-rest": NamedWatch(
        certified=("one-vs-rest-gaussian", "one-vs-rest-pure"),
        run=learning.several_classes(multinomial=False),
        summary="three classes, each against the rest; delta 0 or more",
    ),
    "objective-over-set": NamedWatch(
        certified=("objective-perturbation-set",), run=constrained.over_set, summary="objective perturbation over a ball"
    ),
    "frank-wolfe-polytope": NamedWatch(certified=("frank-wolfe-polytope",), run=constrained.polytope, summary="two chosen vertices of a simplex"),
    "frank-wolfe-gaussian": NamedWatch(certified=("frank-wolfe-gaussian",), run=constrained.frank_wolfe, summary="three noisy gradients"),
    "mirror-descent": NamedWatch(certified=("mirror-descent",), run=constrained.mirror_descent, summary="three noisy gradients"),
    "mirror-descent-sampled": NamedWatch(
        certified=("mirror-descent-sampled",),
        run=constrained.sampled,
        summary="mirror descent on Poisson batches, add-remove: who takes part, and the noise",
    ),
    "bounds": NamedWatch(certified=("bounds-choice",), run=integers.bounds, summary="private bounds of two columns; delta 0 or more"),
    "counting-laplace": NamedWatch(certified=("counting-laplace",), run=integers.counting_laplace, summary="a histogram and a sum", pure=True),
    "counting-gaussian": NamedWatch(certified=("counting-gaussian",), run=integers.counting_gaussian, summary="a histogram and a sum"),
    "curvature": NamedWatch(
        certified=("curvature-gaussian",), run=integers.curvature, summary="the curvature of a released model, for its intervals"
    ),
    "exponential": NamedWatch(certified=("exponential-mechanism",), run=integers.exponential, summary="one of four candidates", pure=True),
    "random-stopping": NamedWatch(
        certified=("random-stopping",), run=integers.random_stopping, summary="a search's number of runs, their settings and noisy scores", pure=True
    ),
    "rows": NamedWatch(
        certified=("release-gaussian-rows",), run=released_rows.rows, summary="rows with Gaussian noise, those of single owners, and secret orders"
    ),
    "information-rows": NamedWatch(
        certified=("release-information-rows",), run=released_rows.for_bits, summary="rows with Gaussian noise for half a bit about an entry"
    ),
    "fisher": NamedWatch(certified=("release-fisher-noise",), run=released_rows.fisher, summary="rows with noise shaped by weights"),
    "bounded": NamedWatch(certified=("release-bounded-noise",), run=released_rows.bounded, summary="rows with noise of bounded support"),
    "fresh-projection": NamedWatch(
        certified=("release-fresh-projection",), run=released_rows.fresh_projection, summary="a fresh projection, and projected rows"
    ),
    "null-space": NamedWatch(
        certified=("release-null-space-noise",), run=released_rows.null_space, summary="rows with noise that leaves a machine unchanged; not private"
    ),
    "sketch": NamedWatch(certified=("release-gaussian-sketch",), run=sketches.sketch, summary="a secret Gaussian sketch"),
    "eigenvalue-sketch": NamedWatch(
        certified=("release-eigenvalue-sketch",), run=sketches.eigenvalue_sketch, summary="a sketch with a noisy least eigenvalue"
    ),
    "information-sketch": NamedWatch(
        certified=("release-information-sketch",), run=sketches.information_sketch, summary="a sketch for half a bit about an entry"
    ),
    "clear-target-sketch": NamedWatch(
        certified=("release-clear-target-sketch",), run=sketches.clear_target_sketch, summary="a sketch whose target has no noise"
    ),
    "published-sketch": NamedWatch(
        certified=("release-published-sketch",), run=sketches.published_sketch, summary="the sketch as published; not private"
    ),
    "least-squares": NamedWatch(
        certified=("least-squares-objective",), run=regression.objective, summary="linear regression by objective perturbation of residuals"
    ),
    "least-squares-moments": NamedWatch(
        certified=("least-squares-moments",), run=regression.refined, summary="linear regression from noisy moments and gradients"
    ),
    "least-squares-adassp": NamedWatch(certified=("least-squares-adassp",), run=regression.adassp, summary="linear regression by AdaSSP"),
    "least-squares-mixing": NamedWatch(certified=("least-squares-mixing",), run=sketches.mixing, summary="linear regression from a sketch"),
    "least-squares-hessian-mixing": NamedWatch(
        certified=("least-squares-hessian-mixing",), run=regression.hessian_mixing, summary="noisy gradients beside a sketch"
    ),
}
"""By the name of `discreet audit`."""
