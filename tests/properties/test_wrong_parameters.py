"""Whatever is wrong about a parameter is said in one sentence that names it, before anything is spent: of every estimator that is exported.

Of a parameter of a wrong type the sentence names the class too. A fit may take a strange number, and then spends; an error of another kind, or of a
parameter that was not named, may not come out of one.
"""

import inspect
import math
import warnings

import numpy as np
import pytest

from discreet import estimators
from discreet.core.errors import DiscreetError, InvalidInput
from discreet.estimators.door.private_estimator import PrivateEstimator
from discreet.ledger import Account, Ledger

X = np.random.default_rng(0).uniform(-0.5, 0.5, (40, 3))
CODES = np.arange(40) % 3
TARGETS = {"two classes": CODES % 2, "ordered classes": CODES, "numbers": X[:, 1], "times": 1.0 + CODES, "counts": CODES}
MODELS = [
    made for made in (getattr(estimators, name) for name in estimators.__all__) if isinstance(made, type) and issubclass(made, PrivateEstimator)
]
NEEDED = {
    **{kind.__name__: {"target_bound": 5.0} for kind in MODELS if "target_bound" in inspect.signature(kind).parameters},
    "KernelClassifier": {"n_features": 8},
    "PrivateSearchCV": {"estimator": estimators.LogisticRegression(classes=[0, 1]), "param_grid": {"alpha": [0.1, 1.0]}, "expected_runs": 2.0},
}
MANY_STEPS = ("ConstrainedERM", "GroupLasso", "Lasso", "LassoClassifier", "MatrixRegression", "SimplexRegression")
NUMBERS = {"not a number": math.nan, "negative": -1.0, "nought": 0, "huge": 1e308, "long": 10**400}
STRANGE = {
    "a list": ["strange"],
    "numbers": [1, 12],
    "a text": "strange",
    "nothing": None,
    "truth": True,
    "an array": np.array([1.0, 2.0]),
    "an object": object(),
    **NUMBERS,
}
ANYTHING = {"classes"}
"""Of ConstrainedERM, which has none where it learns numbers."""


def _made(kind, **changed):
    parameters = inspect.signature(kind).parameters
    learnt = getattr(kind, "targets", ("two classes",))[0]
    settings = {"classes": np.unique(TARGETS[learnt]).tolist()} if "classes" in parameters and learnt != "numbers" else {}
    settings |= {"n_iter": 3} if kind.__name__ in MANY_STEPS else {}
    return kind(**{**settings, **NEEDED.get(kind.__name__, {}), "random_state": 0, **changed}), TARGETS[learnt]


def _refusal(kind, name, value, **spends):
    """What a fit with this parameter says; None where it is taken."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model, y = _made(kind, **{**spends, name: value})
            model.fit(X, y)
        except DiscreetError as error:
            return str(error)
    return None


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.__name__)
def test_a_wrong_parameter_is_named_and_nothing_is_spent(kind, tmp_path):
    path = tmp_path / "team.ledger"
    Ledger.create(path).declare("people", epsilon=100.0, delta=1e-3)
    for name in set(inspect.signature(kind).parameters) - ANYTHING:
        for value in (STRANGE["a list"], STRANGE["an object"], math.nan):
            said = _refusal(kind, name, value, ledger=Account(str(path), "people"))
            assert said is not None, f"{kind.__name__}({name}={value!r}) was taken"
            assert name in said, f"{kind.__name__}({name}={value!r}): {said}"
    assert not Ledger(path).history("people")


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.__name__)
def test_a_wrong_type_names_the_class(kind):
    typed = [name for name, one in kind.__dataclass_fields__.items() if one.init and one.type in (int, float, str, bool)]
    assert typed
    for name in typed:
        assert _refusal(kind, name, object()).startswith(f"{kind.__name__}: {name} must be ")


@pytest.mark.more
@pytest.mark.parametrize("what", [what for what in STRANGE if what != "nothing"])
@pytest.mark.parametrize("kind", [kind for kind in MODELS if kind is not estimators.PrivateSearchCV], ids=lambda kind: kind.__name__)
def test_any_strange_value_is_taken_or_refused_by_name(kind, what):
    for name in inspect.signature(kind).parameters:
        said = _refusal(kind, name, STRANGE[what])
        assert said is None or name in said, f"{kind.__name__}({name}={STRANGE[what]!r}): {said}"


def test_a_bound_for_each_target_is_refused_by_link_models_in_words():
    for kind in (estimators.PoissonRegression, estimators.GammaRegression):
        with pytest.raises(InvalidInput, match=f"{kind.__name__}: target_bound must be one number for all columns"):
            kind(target_bound=[1, 12], epsilon=1.0).fit(X, np.abs(X[:, :2]))
