"""Discreet: private convex learning, with guarantees that are proved, checked by machine and written down.

    from discreet import LinearSVC
    model = LinearSVC(epsilon=1.0, delta=1e-6, data_norm=1.0, classes=["no", "yes"]).fit(X, y)
    print(model.certificate_)

Names are imported when they are first used, and so are packages such as `discreet.releases`, so that the command line answers at once.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet import signing as signing
    from discreet.certificates import Certificate, Release, Verification
    from discreet.core.errors import DiscreetError, PrivacyWarning
    from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours
    from discreet.core.version import VERSION
    from discreet.data import Domain, EncodedTable, Records, Schema, SchemaDraft, read_table
    from discreet.descriptions import Description, describe
    from discreet.estimators import (
        ArrayModel,
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
        Model,
        OrdinalRegression,
        PoissonRegression,
        PrivateSearchCV,
        QuantileRegression,
        SimplexRegression,
        SurvivalModel,
        release_uncertainty,
    )
    from discreet.estimators.metric import PublicMetric
    from discreet.evaluation import PrivateEvaluation, evaluate_privately
    from discreet.mechanisms.bounds_choice import choose_bounds, choose_norm
    from discreet.noise import SeededNoise, SystemNoise

    __version__ = VERSION

_HOMES = {
    "ADD_REMOVE": "core.neighbours",
    "REPLACE_ONE": "core.neighbours",
    "ArrayModel": "estimators",
    "Certificate": "certificates",
    "ConstrainedERM": "estimators",
    "Records": "data",
    "Description": "descriptions",
    "DiscreetError": "core.errors",
    "Domain": "data",
    "EncodedTable": "data",
    "ExpectileRegression": "estimators",
    "GammaRegression": "estimators",
    "GroupLasso": "estimators",
    "HuberRegression": "estimators",
    "KernelClassifier": "estimators",
    "Lasso": "estimators",
    "LassoClassifier": "estimators",
    "LinearRegression": "estimators",
    "LinearSVC": "estimators",
    "LogisticRegression": "estimators",
    "MatrixRegression": "estimators",
    "Model": "estimators",
    "Neighbours": "core.neighbours",
    "PrivacyWarning": "core.errors",
    "OrdinalRegression": "estimators",
    "PoissonRegression": "estimators",
    "PrivateEvaluation": "evaluation",
    "PrivateSearchCV": "estimators",
    "PublicMetric": "estimators.metric",
    "QuantileRegression": "estimators",
    "Release": "certificates",
    "Schema": "data",
    "SchemaDraft": "data",
    "SeededNoise": "noise",
    "SimplexRegression": "estimators",
    "SurvivalModel": "estimators",
    "SystemNoise": "noise",
    "Verification": "certificates",
    "choose_bounds": "mechanisms.bounds_choice",
    "choose_norm": "mechanisms.bounds_choice",
    "describe": "descriptions",
    "evaluate_privately": "evaluation",
    "read_table": "data",
    "release_uncertainty": "estimators",
}

__all__ = [
    "ADD_REMOVE",
    "REPLACE_ONE",
    "ArrayModel",
    "Certificate",
    "ConstrainedERM",
    "Description",
    "DiscreetError",
    "Domain",
    "EncodedTable",
    "ExpectileRegression",
    "GammaRegression",
    "GroupLasso",
    "HuberRegression",
    "KernelClassifier",
    "Lasso",
    "LassoClassifier",
    "LinearRegression",
    "LinearSVC",
    "LogisticRegression",
    "MatrixRegression",
    "Model",
    "Neighbours",
    "OrdinalRegression",
    "PoissonRegression",
    "PrivacyWarning",
    "PrivateEvaluation",
    "PrivateSearchCV",
    "PublicMetric",
    "QuantileRegression",
    "Records",
    "Release",
    "Schema",
    "SchemaDraft",
    "SeededNoise",
    "SimplexRegression",
    "SurvivalModel",
    "SystemNoise",
    "Verification",
    "__version__",
    "choose_bounds",
    "choose_norm",
    "describe",
    "evaluate_privately",
    "read_table",
    "release_uncertainty",
]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """The public names, each from the package where it lives, and the packages."""
        if name == "__version__":
            return import_module("discreet.core.version").VERSION
        if name in _HOMES:
            return getattr(import_module(f"discreet.{_HOMES[name]}"), name)
        if find_spec(f"discreet.{name}") is not None:
            return import_module(f"discreet.{name}")
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Public names, imported or not."""
    return sorted({*globals(), *__all__})
