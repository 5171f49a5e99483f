"""Everything exported that reads private records and answers, in one form: a function of rows (n, 3), labels 0..2 (n,), numbers (n,), weights (n,).

What it returns does not matter here; that it returns, and whether it says anything besides, must not depend on one record.
"""

import inspect

import numpy as np
import polars as pl
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression as Foreign
from sklearn.tree import DecisionTreeClassifier

from discreet import (
    ConstrainedERM,
    ExpectileRegression,
    GammaRegression,
    GroupLasso,
    HuberRegression,
    KernelClassifier,
    Lasso,
    LassoClassifier,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    MatrixRegression,
    OrdinalRegression,
    PoissonRegression,
    PrivateSearchCV,
    QuantileRegression,
    SimplexRegression,
    SurvivalModel,
    choose_bounds,
    choose_norm,
    evaluate_privately,
    release_uncertainty,
)
from discreet.core.neighbours import Neighbours
from discreet.data import Block, Domain, FunctionTable, Records, SchemaDraft
from discreet.matrices import as_matrix
from discreet.noise import SystemNoise
from discreet.queries import Target as ReleasedTarget
from discreet.releases import METHODS, Request
from discreet.sets import L1Ball, L2Ball
from tests.schemas import OPEN, schema_text

FEATURES = 3
PRIVATE = {"epsilon": 2.0, "delta": 1e-6}
METRICS = ("accuracy", "confusion", "log_loss", "roc", "calibration")


def _predicting(make, *, classes=2, numbers=False, weighted=False, rows=np.asarray):
    def answer(X, labels, targets, weights):
        model = make(**({} if numbers else {"classes": list(range(classes))}))
        given = {"sample_weight": weights} if weighted else {}
        return model.fit(rows(X), targets if numbers else labels % classes, **given).predict(rows(X))

    return answer


def _in_blocks(make, *, numbers=False, weighted=False):
    def answer(X, labels, targets, weights):
        cut = len(X) // 2
        parts = [slice(0, cut), slice(cut, len(X))]
        column = targets if numbers else labels % 2

        def block(number):
            rows = parts[number]
            return Block(as_matrix(X[rows]), column[rows], weights[rows] if weighted else None)

        table = FunctionTable(block, blocks=2, features=FEATURES)
        return make(**({} if numbers else {"classes": [0, 1]})).fit(table).predict(X)

    return answer


def _learning(relation):
    of = {"neighbours": relation}
    public = of | ({"public_records": 50} if relation == "add-remove" else {})
    few = of | {"n_iter": 3}

    def made(kind, **settings):
        bounds = {"target_bound": 1.0} if "target_bound" in inspect.signature(kind).parameters else {}
        return lambda **classes: kind(**{**bounds, **settings, **classes})

    both = {"pure": made(LogisticRegression, **of), "logistic": made(LogisticRegression, **PRIVATE, **of)}
    yield from ((f"{name} of two classes", _predicting(make)) for name, make in both.items())
    yield "logistic of sparse rows", _predicting(both["logistic"], rows=sp.csr_array)
    yield "logistic of single precision", _predicting(both["logistic"], rows=lambda X: np.clip(X, -3e38, 3e38).astype(np.float32))
    yield "logistic with a norm of its own", _predicting(made(LogisticRegression, data_norm="private", **PRIVATE, **of))
    yield "logistic with alpha", _predicting(made(LogisticRegression, alpha=1.0, **PRIVATE, **public))
    yield "logistic with weights", _predicting(made(LogisticRegression, max_sample_weight=2.0, **PRIVATE, **of), weighted=True)
    yield "logistic in blocks", _in_blocks(both["logistic"])
    yield "regression with weights", _predicting(made(LinearRegression, max_sample_weight=2.0, **of), numbers=True, weighted=True)
    yield "weights of a regression in blocks", _in_blocks(made(LinearRegression, max_sample_weight=2.0, **of), numbers=True, weighted=True)
    yield "weights in blocks", _in_blocks(made(LinearSVC, max_sample_weight=2.0, **of), weighted=True)
    yield "multinomial", _predicting(made(LogisticRegression, **of), classes=3)
    yield "multinomial with delta", _predicting(made(LogisticRegression, **PRIVATE, **of), classes=3)
    yield "output", _predicting(made(LogisticRegression, mechanism="output", **PRIVATE, **of))
    yield "output, pure", _predicting(made(LinearSVC, mechanism="output", **of))
    yield "hinge", _predicting(made(LinearSVC, **PRIVATE, **of))
    yield "hinge with a kink", _predicting(made(LinearSVC, loss="huber-hinge", **PRIVATE, **of))
    yield "one against the rest", _predicting(made(LinearSVC, **PRIVATE, **of), classes=3)
    yield "no privacy", _predicting(made(LinearSVC, epsilon=np.inf, **of))
    yield "kernel", _predicting(made(KernelClassifier, n_features=8, **PRIVATE, **of))
    yield "kernel in blocks", _in_blocks(made(KernelClassifier, n_features=8, **PRIVATE, **of))
    yield "lasso of classes", _predicting(made(LassoClassifier, **PRIVATE, **few))
    yield "lasso of classes, pure", _predicting(made(LassoClassifier, data_norm=1.0, **few))
    yield "lasso", _predicting(made(Lasso, **PRIVATE, **few), numbers=True)
    yield "lasso in blocks", _in_blocks(made(Lasso, **PRIVATE, **few), numbers=True)
    yield "lasso of sparse rows", _predicting(made(Lasso, **PRIVATE, **few), numbers=True, rows=sp.csr_array)
    ball = {"constraint": L2Ball(dimension=FEATURES), **PRIVATE}
    sets = {"constraint": L1Ball(dimension=FEATURES), **PRIVATE}
    for mechanism in ("mirror-descent", "frank-wolfe-gaussian", "frank-wolfe-polytope"):
        yield f"{mechanism} over a set", _predicting(made(ConstrainedERM, mechanism=mechanism, **sets, **few), numbers=True)
    yield (
        "noise in the objective over a set",
        _predicting(made(ConstrainedERM, loss="logistic", mechanism="objective-perturbation-set", **ball, **of)),
    )
    yield "three classes over a set", _predicting(made(ConstrainedERM, loss="logistic", constraint="l1-ball:2", **PRIVATE, **few), classes=3)
    yield "classes over a set", _predicting(made(ConstrainedERM, loss="hinge", **ball, **few))
    yield "groups", _predicting(made(GroupLasso, groups=[1, 2], **PRIVATE, **few), numbers=True)
    yield "simplex", _predicting(made(SimplexRegression, **PRIVATE, **few), numbers=True)
    yield "matrix", _predicting(made(MatrixRegression, shape=(3, 1), **PRIVATE, **few), numbers=True)
    for mechanism in ("objective", "objective-huber", "refined", "moments", "adassp", "mixing", "hessian-mixing"):
        yield f"regression by {mechanism}", _predicting(made(LinearRegression, mechanism=mechanism, **of), numbers=True)
    yield "regression of clipped entries", _predicting(made(LinearRegression, data_norm=None, data_bound=1.0, **of), numbers=True)
    yield "regression with a norm of its own", _predicting(made(LinearRegression, data_norm="private", **of), numbers=True)
    yield "regression in blocks", _in_blocks(made(LinearRegression, **of), numbers=True)
    yield "regression with a prior", _predicting(made(LinearRegression, prior=[0.1, 0.0, -0.1], **of), numbers=True)
    for kind in (QuantileRegression, HuberRegression, ExpectileRegression):
        yield kind.saved_as, _predicting(made(kind, **of), numbers=True)
    for kind in (PoissonRegression, GammaRegression):
        yield kind.saved_as, _predicting(made(kind, target_bound=2.0, **of), numbers=True)
    yield "quantiles in blocks", _in_blocks(made(QuantileRegression, **of), numbers=True)
    yield "ordered classes", _predicting(made(OrdinalRegression, **of), classes=3)
    yield "survival", _predicting(made(SurvivalModel, **of), numbers=True)

    for method in ("random-stopping", "algorithm-4"):

        def searched(X, labels, targets, weights, method=method):
            inner = LogisticRegression(classes=[0, 1], neighbours=relation)
            search = PrivateSearchCV(inner, {"data_norm": [0.5, 1.0]}, method=method, expected_runs=1.5, epsilon=4.0)
            return search.fit(X, labels % 2).predict(X)

        yield f"search by {method}", searched

    def searched_numbers(X, labels, targets, weights):
        inner = LinearRegression(neighbours=relation, target_bound=1.0)
        return PrivateSearchCV(inner, {"data_norm": [0.5, 1.0]}, expected_runs=1.5, epsilon=4.0, delta=1e-6).fit(X, targets).predict(X)

    yield "search of regressions", searched_numbers


_PUBLIC = np.random.default_rng(0).uniform(-0.5, 0.5, (200, FEATURES))
_MODELS = {
    "logistic": LogisticRegression(epsilon=np.inf, alpha=0.1, classes=[0, 1]),
    "hinge with a kink": LinearSVC(epsilon=np.inf, alpha=0.1, loss="huber-hinge", classes=[0, 1]),
    "lasso": LassoClassifier(epsilon=np.inf, n_iter=3, classes=[0, 1]),
    "kernel": KernelClassifier(n_features=8, epsilon=np.inf, alpha=0.1, classes=[0, 1]),
    "a foreign model": Foreign(),
    "a foreign model of single precision": DecisionTreeClassifier(max_depth=2),
}


_DRAFT = schema_text("people", "y", {"a": (0, 1), "b": OPEN, "c": {"grid": [1, 10, 100]}})


def _measuring(relation):
    for name, model in _MODELS.items():

        def measured(X, labels, targets, weights, model=model):
            metrics = METRICS if hasattr(model, "predict_proba") else ("accuracy", "confusion", "roc")
            fitted = model if hasattr(model, "classes_") else model.fit(_PUBLIC, (_PUBLIC[:, 0] > 0).astype(int))
            return evaluate_privately(fitted, X, labels % 2, epsilon=1.0, neighbours=relation, metrics=metrics)

        yield f"evaluation of {name}", measured

    line = LinearRegression(epsilon=np.inf, target_bound=1.0).fit(_PUBLIC, _PUBLIC[:, 0])
    ends = SurvivalModel(epsilon=np.inf, ends=[0.5, 1.0, 2.0], data_norm=1.0).fit(_PUBLIC, np.abs(_PUBLIC[:, 0]))
    yield "evaluation of times", lambda X, labels, targets, weights: evaluate_privately(ends, X, targets, epsilon=1.0, neighbours=relation)
    yield "evaluation of numbers", lambda X, labels, targets, weights: evaluate_privately(line, X, targets, epsilon=1.0, neighbours=relation)

    model = LogisticRegression(classes=[0, 1], neighbours=relation, max_sample_weight=2.0, **PRIVATE)
    model.fit(_PUBLIC, (_PUBLIC[:, 0] > 0).astype(int), sample_weight=np.ones(len(_PUBLIC)))

    def curvature(X, labels, targets, weights):
        return release_uncertainty(model, X, labels % 2, sample_weight=weights, **PRIVATE)

    yield "curvature", curvature
    counts = PoissonRegression(target_bound=3.0, data_bound=1.0, data_norm=None, neighbours=relation, **PRIVATE).fit(_PUBLIC, np.ones(len(_PUBLIC)))
    many = LogisticRegression(classes=[0, 1, 2], neighbours=relation, **PRIVATE).fit(_PUBLIC, np.arange(len(_PUBLIC)) % 3)
    yield "curvature of counts", lambda X, labels, targets, weights: release_uncertainty(counts, X, targets, **PRIVATE)
    yield "curvature of classes", lambda X, labels, targets, weights: release_uncertainty(many, X, labels % 3, **PRIVATE)
    yield "a bound of norms", lambda X, labels, targets, weights: choose_norm(X, epsilon=1.0, neighbours=relation)

    def bounds(X, labels, targets, weights):
        draft = SchemaDraft.from_toml(_DRAFT)
        frame = pl.DataFrame({name: X[:, place] for place, name in enumerate("abc")})
        return choose_bounds(frame.with_columns(y=pl.lit("no")), draft, epsilon=1.0, neighbours=relation)

    yield "bounds of columns", bounds


_REQUESTS = {
    "additive": {},
    "laplace": {"delta": 0.0},
    "projection": {"width": 2},
    "fresh-projection": {"width": 2},
    "fisher": {},
    "moments": {"most_records": 10_000},
    "sketch": {"rows": 20, "most_records": 10_000},
    "eigenvalue-sketch": {"rows": 20, "most_records": 10_000},
}


def _releasing(relation):
    hidden = relation == "add-remove"
    for method, given in _REQUESTS.items():
        slots = {"slots": 50} if hidden and "most_records" not in given else {}
        for name, domain in (("entries", {"entry_bound": 0.8}), ("norms", {"norm_bound": 1.0})):
            box = Domain(features=FEATURES, target_bound=1.0, **domain)

            def released(X, labels, targets, weights, method=method, box=box, given=given | slots):
                request = Request(domain=box, neighbours=Neighbours(relation), target=ReleasedTarget.NOISY, **(PRIVATE | given))
                query, mechanism = METHODS[method].plan(request, "tight")
                return mechanism.run(query, Records(rows=as_matrix(X), targets=targets, domain=box), SystemNoise())

            yield f"{method} with bounded {name}", released


def answers(relation):
    """All of them for a neighbouring relation, by name."""
    return dict([*_learning(relation), *_measuring(relation), *_releasing(relation)])
