"""Discreet: private convex learning, with guarantees that are proved, checked by machine and written down.

    from discreet import LinearSVC
    model = LinearSVC(epsilon=1.0, delta=1e-6, data_norm=1.0, classes=["no", "yes"]).fit(X, y)
    print(model.certificate_)

Names are imported when they are first used, and so are packages such as `discreet.releases`, so that the command line answers at once.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from discreet.core.lazily import above as _above
from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    from discreet import signing as signing
    from discreet.certificates import Certificate, Check, Release, Verification
    from discreet.core.errors import DiscreetError, PrivacyWarning
    from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours
    from discreet.core.version import VERSION
    from discreet.data import Domain, EncodedTable, Records, Schema, SchemaDraft, read_table
    from discreet.descriptions.describe import describe
    from discreet.descriptions.report import Description
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
    from discreet.estimators.transformers.public_metric import PublicMetric
    from discreet.evaluation import PrivateEvaluation, evaluate_privately
    from discreet.mechanisms.bounds_choice import choose_bounds, choose_norm
    from discreet.noise import SeededNoise, SystemNoise

    __version__ = VERSION

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
    _named, _ = names_of(__name__)

    def __getattr__(name: str) -> object:
        """The public names, each from the package where it lives, and the packages."""
        if name == "__version__":
            return import_module("discreet.core.version").VERSION
        if not name.startswith("_") and _found(name):
            return _imported(name)
        return _named(name)


def _shown(what: str, *given: object) -> str:
    from discreet.core.parts import PARTS  # noqa: PLC0415 - when somebody looks

    module, _, function = what.rpartition(".")
    home = _imported(f"{module}.views" if module in PARTS else f"display.{module}")
    made: str = getattr(home, function)(*given)
    return made


def _found(name: str) -> bool:
    return find_spec(f"discreet.{name}") is not None


def _imported(name: str) -> "ModuleType":
    return import_module(f"discreet.{name}")


def _checked(stated: "Certificate") -> "Iterable[Check]":
    from discreet.verification import rebuilt_checks, recheck  # noqa: PLC0415 - when somebody asks

    return (*recheck(stated), *rebuilt_checks(stated))


def _transformer(schema: "Schema", *, sparse_output: bool) -> object:
    from discreet.estimators.transformers.schema_transformer import SchemaTransformer  # noqa: PLC0415 - when somebody asks

    return SchemaTransformer(schema, sparse_output=sparse_output)


_above.checked, _above.found, _above.imported, _above.shown, _above.transformer = _checked, _found, _imported, _shown, _transformer


def __dir__() -> list[str]:
    """Public names, imported or not."""
    return sorted({*globals(), *__all__})
