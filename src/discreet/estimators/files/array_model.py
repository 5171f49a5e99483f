"""A model of arrays as a value and a file: the released weights of an estimator that was fitted without a schema.

    model = LinearSVC(...).fit(X, y);   model.save("model.json");   ArrayModel.load("model.json").predict(X)

It answers as the estimator does: rows X (n, d) as they are, brought within the declared bounds; classes, or numbers in the unit of y. What columns
mean it does not know, but for their names where X had some; a `Model` does, which has the schema. Everything here is public.

The file is JSON: {"format", "kind", "classes", "features", "names", "unit", "span", "weights", "certificate"}. Reading one runs no code, and one that
contradicts itself is refused. `unit` is what rows are divided by before the weights see them: the norm that was chosen in the fit, else 1. `span` is
the range of targets where the weights see them as numbers from -1 to 1, and null else.
"""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from discreet.certificates import Certificate, Check
from discreet.core.arrays import Floats
from discreet.core.errors import FileFormatError, InvalidInput, brief, quoted
from discreet.core.fields import finite, whole
from discreet.core.files.reading import read_parsed
from discreet.core.files.strict_json import read_object
from discreet.core.files.whole_file import write_whole
from discreet.core.lazily import lazily
from discreet.core.short import short_repr
from discreet.core.showing import html_of
from discreet.data.labels import Label
from discreet.estimators.files.stated_model import StatedModel, check_keys, kind_of, same, weights_of
from discreet.estimators.prediction_rules import BoundedForm, Form, KernelForm, MadeForm
from discreet.matrices.per_record import answers_per_record
from discreet.statements.base import NORM_THEN_FIT

if TYPE_CHECKING:
    from discreet.data import layout as layouts
    from discreet.estimators import inputs
    from discreet.estimators.door.private_estimator import PrivateModel
    from discreet.matrices import Matrix
else:
    inputs, layouts = lazily("discreet.estimators.inputs"), lazily("discreet.data.layout")

ARRAY_FORMAT = "discreet-arraymodel/1"
"""The format of the file; another version is refused."""
_KEYS = ("format", "kind", "classes", "features", "names", "unit", "span", "weights", "certificate")


@answers_per_record
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ArrayModel(StatedModel):
    """Weights with their certificate. Raises InvalidInput if these contradict each other.

    Examples
    --------
    >>> from discreet import ArrayModel, LogisticRegression
    >>> fitted = LogisticRegression(epsilon=1.0, classes=[0, 1]).fit([[0.0, 0.9], [0.8, 0.1]] * 500, [0, 1] * 500)
    >>> fitted.save("model.json")
    >>> model = ArrayModel.load("model.json")
    >>> model.verify().ok, model.predict([[0.8, 0.0]])
    (True, array([1]))
    """

    kind: str
    """Of the estimator: its `saved_as`."""
    labels: tuple[Label, ...]
    """Of the classes; none where the target is a number."""
    features: int
    """d."""
    names: tuple[str, ...] | None = None
    """Of the columns of X, where it had names."""
    unit: float = 1.0
    span: tuple[Any, Any] | None = None
    """The range of targets, where the weights see them as numbers from -1 to 1."""
    weights: Floats
    certificate: Certificate
    form: Form = field(init=False, repr=False)
    """How the weights answer about rows over `unit`, as the certificate says."""

    __repr__ = short_repr
    _repr_html_ = html_of("estimators.array_model_view")

    def __post_init__(self) -> None:
        """Keep a read-only copy of the weights, and refuse parts that do not belong together."""
        self._settle(columns=self.features, parts="weights and certificate")

    @classmethod
    def from_estimator(cls, estimator: "PrivateModel") -> Self:
        """The model of a fitted estimator. Raises InvalidType for another kind, InvalidInput for one that is not fitted."""
        kind, held = kind_of(estimator), vars(estimator)
        if "weights_" not in held:
            raise InvalidInput("the estimator is not fitted yet. Call fit first.")
        labels = held["classes_"].tolist() if "classes_" in held else []
        names = held.get("feature_names_in_")
        return cls(
            kind=kind,
            labels=tuple(labels),
            features=held["n_features_in_"],
            names=None if names is None else tuple(map(str, names)),
            unit=held.get("data_norm_", 1.0) if held["certificate_"].mechanism == NORM_THEN_FIT else 1.0,
            span=estimator._span(),  # noqa: SLF001 - of this package
            weights=held["weights_"],
            certificate=held["certificate_"],
        )

    @property
    def classes(self) -> tuple[Label, ...]:
        """The classes, as the estimator had them."""
        return self.labels

    @property
    def target_range(self) -> tuple[float, float] | None:
        """The declared bounds of the targets of a regression, in the unit of its predictions."""
        bound = None if self.classes else self.certificate.problem.get("target_bound")
        return self.span or ((-bound, bound) if isinstance(bound, float) else None)

    def decision(self, X: Any) -> Floats:
        """f(x) for every row, (n,), positive for the second class; (n, K) for K > 2 classes. X is as for the estimator."""
        form, unit = self.form, self.unit
        if unit == 1.0:
            return form.decision(self._rows(X), self.weights)
        if isinstance(form, BoundedForm):
            domain = replace(form.domain, norm_bound=form.domain.norm_bound * unit, intercept_scale=form.domain.intercept_scale * unit)
            return BoundedForm(domain=domain, units=form.units).decision(self._rows(X), self.weights / unit)
        scaled: Form = replace(form, data_norm=form.data_norm * unit, intercept_scale=form.intercept_scale * unit)  # type: ignore[type-var]
        return scaled.decision(self._rows(X), self.weights / unit)

    def to_dict(self) -> dict[str, object]:
        """A plain dictionary for JSON."""
        return {
            "format": ARRAY_FORMAT,
            "kind": self.kind,
            "classes": list(self.labels),
            "features": self.features,
            "names": None if self.names is None else list(self.names),
            "unit": self.unit,
            "span": None if self.span is None else list(self.span),
            "weights": self.weights.tolist(),
            "certificate": self.certificate.to_dict(),
        }

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the file completely or not at all. Raises InvalidInput if it exists (unless `overwrite`) or cannot be written."""
        write_whole(path, json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n", overwrite=overwrite)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The model that `save` wrote. Raises FileFormatError for any other text."""
        record = read_object(text, what="a model of arrays")
        check_keys(record, ARRAY_FORMAT, _KEYS, other="Model.load reads those of `discreet fit`.")
        labels, names, span = record["classes"], record["names"], record["span"]
        if not isinstance(labels, list) or not all(isinstance(one, str | int | float) for one in labels):
            raise FileFormatError("its classes are not a list of labels.")
        if labels and span is not None:
            raise FileFormatError("it has both classes and a range of targets; a model has at most one of them.")
        if names is not None and not (isinstance(names, list) and all(isinstance(one, str) for one in names)):
            raise FileFormatError("its names are not a list of texts.")
        try:
            return cls(
                kind=record["kind"],
                labels=tuple(labels),
                features=whole(record["features"]),
                names=None if names is None else tuple(names),
                unit=finite(record["unit"]),
                span=None if span is None else _range(span),
                weights=weights_of(record["weights"]),
                certificate=Certificate.from_dict(record["certificate"]),
            )
        except FileFormatError:
            raise
        except (InvalidInput, TypeError, ValueError) as error:
            refusal = FileFormatError(str(error) if isinstance(error, InvalidInput) else "its features, unit and span must be numbers.")
        raise refusal

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The model in a file. Raises InvalidInput if the file does not exist, and FileFormatError, with the path, if its content is not valid."""
        return read_parsed(path, cls.from_json, what="model file", remedy="Check the path, or write one with `save` of a fitted estimator.")

    def _rows(self, X: Any) -> "Matrix":
        if isinstance(X, layouts.EncodedTable):
            rows = X.rows
        else:
            rows, names = inputs.feature_rows(X), getattr(X, "columns", None)
            if names is not None and self.names is not None and tuple(map(str, names)) != self.names:
                raise InvalidInput(f"the model was fitted on the columns {quoted(list(self.names))}, in this order; the columns given differ.")
        if rows.shape[1] != self.features:
            raise InvalidInput(f"the model was fitted on {self.features} features; rows with {rows.shape[1]} were given.")
        return rows

    def _agreement(self) -> Iterator[Check]:
        """Whether the parts belong together, in words."""
        certificate, form = self.certificate, self.form
        problem = certificate.problem
        stated, loss = problem.get("classes", 2), problem.get("loss")
        chosen = certificate.parameters.get("data_norm") if certificate.mechanism == NORM_THEN_FIT else 1.0
        yield Check(
            "features",
            isinstance(form, KernelForm) or same(form.features if isinstance(form, MadeForm) else problem.get("features"), self.features),
            f"the model has {self.features} features, the certificate states {brief(problem.get('features'))}",
        )
        yield Check("names", self.names is None or len(self.names) == self.features, f"{self.features} features have names, or none has")
        yield Check("unit", same(chosen, self.unit), f"the model divides rows by {self.unit:.10g}, the certificate by {brief(chosen)}")
        yield Check(
            "classes",
            self._has_its_classes(stated, problem.get("scheme")) and len(set(self.labels)) == len(self.labels),
            f"the model has {self._targets_in_words()}",
        )
        yield Check(
            "weights",
            self.weights.shape == (form.size,),
            f"{form.size} weights belong to this problem, but the model has {self.weights.size}",
        )
        yield Check("loss", self._has_its_loss() and self._has_its_set(), f"a {self.kind} was stated, the certificate is for the loss {brief(loss)}")


def _range(record: object) -> tuple[float, float]:
    """Lower and upper. Raises TypeError and ValueError for what is none."""
    if not isinstance(record, list):
        raise TypeError
    lower, upper = map(finite, record)
    if not (lower < upper and math.isfinite(upper - lower)):
        raise ValueError
    return lower, upper
