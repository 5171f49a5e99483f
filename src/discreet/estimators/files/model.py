"""A model as a value that may be saved, sent and published: the released weights with the schema and the certificate they belong to.

    two classes       the answer is classes[1] where f(x) > 0, else classes[0]
    K > 2 classes     f_k for each; the answer is the class with the largest f_k(x)
    numbers           the answer is f(x), from [-1, 1] to between the bounds of the schema's target (and beyond, where f is); of several f_k for each

x is the row that the schema makes of a record, exactly as in the fit; f follows from the weights and what the certificate states (module
`prediction_rules`). Everything here is public: a Model has never held a record.

A model file is JSON: {"format", "kind", "classes", "weights", "schema", "certificate"}; classes are empty for numbers. Reading one runs no code, and
one that is incomplete, mistyped or contradicts itself is refused.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from discreet.certificates import Certificate, Check
from discreet.core.arrays import Floats
from discreet.core.errors import DiscreetError, FileFormatError, InvalidInput, brief
from discreet.core.files.reading import read_parsed
from discreet.core.files.strict_json import read_object
from discreet.core.files.whole_file import write_whole
from discreet.core.frameless import Frameless
from discreet.core.lazily import lazily
from discreet.core.short import short_repr
from discreet.core.showing import html_of
from discreet.data import NumberTarget, NumberTargets, Schema, Target
from discreet.data.labels import Label, canonical
from discreet.estimators.files.stated_model import StatedModel, check_keys, kind_of, same, weights_of
from discreet.estimators.prediction_rules import Form, KernelForm, LinearForm, MadeForm
from discreet.estimators.summaries.summary import MOST, Summary
from discreet.matrices.per_record import answers_per_record
from discreet.statements.base import CLASSES, LABELS_THAT_OCCUR, METRIC, NORM_THEN_FIT, SCHEMA

if TYPE_CHECKING:
    from discreet.data import EncodedTable
    from discreet.data import layout as layouts
    from discreet.data.frames import Frame
    from discreet.estimators.door.private_estimator import PrivateModel
    from discreet.estimators.files import to_sklearn
    from discreet.estimators.intervals.uncertainty import Uncertainty
    from discreet.estimators.summaries import curves, explanation, summarise
    from discreet.estimators.summaries.curves import Curves
    from discreet.estimators.summaries.explanation import Explanation
    from discreet.matrices import Matrix
else:
    curves, explanation = lazily("discreet.estimators.summaries.curves"), lazily("discreet.estimators.summaries.explanation")
    to_sklearn, summarise = lazily("discreet.estimators.files.to_sklearn"), lazily("discreet.estimators.summaries.summarise")
    layouts = lazily("discreet.data.layout")

FORMAT = "discreet-model/1"
"""The format of a model file; another version is refused."""
_KEYS = ("format", "kind", "classes", "weights", "schema", "certificate")


@answers_per_record
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Model(StatedModel):
    """Weights with their schema and certificate. Raises InvalidInput if these contradict each other.

    Examples
    --------
    >>> from discreet import LogisticRegression, Model, Schema
    >>> from discreet.data import NumericColumn, Target
    >>> age, pay = NumericColumn(name="age", lower=0, upper=100), Target(column="pay", classes=("low", "high"))
    >>> schema = Schema(name="people", target=pay, numeric=(age,), rows="bound")
    >>> table = schema.encode({"age": [20.0, 60.0] * 5_000, "pay": ["low", "high"] * 5_000}, target=True)
    >>> fitted = LogisticRegression(epsilon=1.0, data_norm=schema.norm_bound).fit(table)
    >>> Model.from_estimator(fitted, schema).save("model.json")
    >>> Model.load("model.json").predict({"age": [15.0, 65.0]})
    array(['low', 'high'], dtype='<U4')
    """

    kind: str
    """Of the estimator: its `saved_as`."""
    schema: Schema
    weights: Floats
    """(d,) or, with an intercept, (d + 1,); with K > 2 classes K times as long, one class after the other; d of random features for a kernel;
    read-only."""
    certificate: Certificate
    form: Form = field(init=False, repr=False)
    """How the weights answer, as the certificate says."""

    __repr__ = short_repr
    _repr_html_ = html_of("estimators.model_view")

    def __post_init__(self) -> None:
        """Keep a read-only copy of the weights, and refuse parts that do not belong together."""
        self._settle(columns=self.schema.features, parts="weights, schema and certificate")

    def __eq__(self, other: object) -> bool:
        """Equal in every part."""
        return self.to_dict() == other.to_dict() if isinstance(other, Model) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def from_estimator(cls, estimator: "PrivateModel", schema: Schema) -> Self:
        """The model of an estimator that was fitted on a table encoded by `schema`.

        Raises InvalidType for another kind of estimator, InvalidInput for one that is not fitted, or was fitted with other features, norm or classes.
        """
        kind, fitted = kind_of(estimator), vars(estimator)
        if "certificate_" not in fitted:
            raise InvalidInput("the estimator is not fitted yet. Call fit on a table encoded by the schema first.")
        fitted_classes = [canonical(label) for label in fitted["classes_"].tolist()] if "classes_" in fitted else []
        declared = [canonical(label) for label in _classes_of(schema)]
        if fitted_classes != declared:
            raise InvalidInput(
                f"the schema declares the classes {declared}; the estimator was fitted on {fitted_classes}. Fit it on a table of this schema."
            )
        certificate: Certificate = fitted["certificate_"]
        if schema.metric is not None:
            certificate = replace(certificate, declared=(*certificate.declared, METRIC.format(digest=schema.metric.digest)))
        return cls(kind=kind, schema=schema, weights=fitted["weights_"], certificate=certificate)

    @property
    def classes(self) -> tuple[Label, ...]:
        """The classes, as the schema declares them; empty if the target is a number."""
        return _classes_of(self.schema)

    @property
    def span(self) -> tuple[Any, Any] | None:
        """See StatedModel: in the unit of the target's column."""
        match self.schema.target:
            case NumberTarget(lower=lower, upper=upper):
                return lower, upper
            case NumberTargets(parts=parts):
                return np.array([part.lower for part in parts]), np.array([part.upper for part in parts])
            case _:
                return None

    def of_target(self, column: str) -> "OneOfSeveral":
        """The model of one of its several targets, for an evaluation.

        Raises InvalidInput for a model with a single target, and for an unknown column.
        """
        if not isinstance(self.schema.target, NumberTargets):
            raise InvalidInput(f"a {self.kind} of one target is measured as it is.")
        place = self.schema.target.place_of(column)
        return OneOfSeveral(model=self, place=place, schema=replace(self.schema, target=self.schema.target.parts[place]))

    def decision(self, frame: "Frame | EncodedTable") -> Floats:
        """f(x) for every record of a table (see `Schema.encode`), (n,), positive for the second class; (n, K) for K > 2 classes.

        Raises as `Schema.encode` does.
        """
        return self.form.decision(self._rows(frame), self.weights)

    def curves(self, *, uncertainty: "Uncertainty | None" = None, level: float = 0.95, label: Label | None = None) -> "Curves":
        """What each column adds, with a band at `level` that accounts for the noise and, given the `uncertainty` of this model, for sampling.

        It is free.

        See module `curves`. More than two classes need a `label`. Raises InvalidInput for a model that is not linear, and for the uncertainty of
        another model.
        """
        return curves.curves_of(self, uncertainty=uncertainty, level=level, label=label)

    def summary(self, *, level: float = 0.95, uncertainty: "Uncertainty | None" = None, most: int = MOST) -> Summary:
        """The coefficients in the units of the table, their uncertainty, and what was paid for: `print` it. See `PrivateModel.summary`."""
        return summarise.summary_of_model(self, level=level, uncertainty=uncertainty, most=most)

    def to_sklearn(self) -> Any:
        """A scikit-learn estimator with these coefficients, for rows encoded by the schema: see module `to_sklearn`.

        Raises InvalidInput for a kernel model.
        """
        return to_sklearn.plain_estimator(self)

    def explain(self) -> "Explanation":
        """What was chosen and what it costs, from the certificate alone. Estimators also explain alternatives, before a fit."""
        return explanation.explained(self.certificate, self.form, name=self.kind)

    def to_dict(self) -> dict[str, object]:
        """A plain dictionary for JSON."""
        return {
            "format": FORMAT,
            "kind": self.kind,
            "classes": list(self.classes),
            "weights": self.weights.tolist(),
            "schema": self.schema.to_dict(),
            "certificate": self.certificate.to_dict(),
        }

    def to_json(self) -> str:
        """`to_dict` as text; weights are written so that they are read back exactly."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The model that `to_json` wrote. Raises FileFormatError for any other text."""
        record = read_object(text, what="a model")
        check_keys(record, FORMAT, _KEYS, other="Install a version of discreet that reads it.")
        schema = _read_schema(record["schema"])
        declared = list(_classes_of(schema))
        if json.dumps(record["classes"]) != json.dumps(declared):
            raise FileFormatError(
                f"the parts of the model do not belong together: its schema declares the classes {declared}, and its field classes differs."
            )
        try:
            return cls(
                kind=record["kind"], schema=schema, weights=weights_of(record["weights"]), certificate=Certificate.from_dict(record["certificate"])
            )
        except FileFormatError:
            raise
        except InvalidInput as error:
            refusal = FileFormatError(str(error))
        raise refusal

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the model file completely or not at all. Raises InvalidInput if it exists (unless `overwrite`) or cannot be written."""
        write_whole(path, self.to_json(), overwrite=overwrite)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The model in a file. Raises InvalidInput if the file does not exist, and FileFormatError, with the path, if its content is not valid."""
        return read_parsed(path, cls.from_json, what="model file", remedy="Check the path, or write one with `discreet fit`.")

    def _rows(self, frame: "Frame | EncodedTable") -> "Matrix":
        if not isinstance(frame, layouts.EncodedTable):
            return self.schema.encode(frame, target=False).rows
        if frame.rows.shape[1] != self.schema.features:
            raise InvalidInput(f"the model was fitted on {self.schema.features} features; rows with {frame.rows.shape[1]} were given.")
        return frame.rows

    def _agreement(self) -> tuple[Check, ...]:
        """Whether the parts belong together, in words."""
        problem, schema, form = self.certificate.problem, self.schema, self.form
        features, loss, over = (problem.get(name) for name in ("features", "loss", "constraint"))
        stated, scheme = problem.get("classes", 2), problem.get("scheme")
        shape = "a vector" if self.weights.ndim == 1 else "an array"
        return (
            Check(
                "features",
                isinstance(form, KernelForm) or same(form.features if isinstance(form, MadeForm) else features, schema.features),
                f"the schema gives {schema.features} features, the certificate states {brief(features)}",
            ),
            Check(
                "row norm",
                (type(form) not in (LinearForm, MadeForm) or same(form.data_norm, schema.norm_bound)) and self.certificate.mechanism != NORM_THEN_FIT,
                f"the schema bounds rows by {schema.norm_bound:.10g}, the certificate states {brief(form.data_norm)}",
            ),
            Check(
                "target",
                self._has_its_classes(stated, scheme) and (self.made is None or self.made.ends == schema.ends) and self._has_its_targets(),
                f"the schema declares {self._targets_in_words()}",
            ),
            Check(
                "weights",
                self.weights.shape == (form.size,),
                f"{form.size} weights belong to this problem, the model holds {shape} of {self.weights.size}",
            ),
            Check(
                "declared",
                not self.classes or any(line in self.certificate.declared for line in (SCHEMA, CLASSES, LABELS_THAT_OCCUR)),
                "where the classes come from is among what was declared",
            ),
            Check("metric", self._has_its_metric(), "the metric of the schema, or that there is none, is among what was declared"),
            Check(
                "loss",
                self._has_its_loss() and self._has_its_set(),
                f"a {self.kind} was stated, the certificate is for the loss {brief(loss)}{'' if over is None else f' over the set {brief(over)}'}",
            ),
            *self._agreement_on_persons(),
        )

    def _has_its_metric(self) -> bool:
        of_rows, stated = self.schema.metric, [line for line in self.certificate.declared if line.startswith(METRIC.partition("(")[0])]
        return stated == ([] if of_rows is None else [METRIC.format(digest=of_rows.digest)])

    def _has_its_targets(self) -> bool:
        """Each target as the schema encodes it, in [-1, 1]."""
        several = self.schema.target.parts if isinstance(self.schema.target, NumberTargets) else ()
        return self.certificate.problem.get("target_units", []) == [1.0] * len(several)

    def _agreement_on_persons(self) -> Iterator[Check]:
        """Where the schema says whose rows are whose: a certificate for records says less than one row a person, and nothing about several rows."""
        rule, stated = self.schema.persons, self.certificate.problem.get("persons")
        if rule is not None:
            ok = stated == rule.to_dict() or ((stated is None or self.made is not None) and not rule.told_apart)
            yield Check("persons", ok, f"the schema says {brief(dict(rule.to_dict()))} about rows of persons, the certificate {brief(stated)}")


@answers_per_record
@dataclass(frozen=True, slots=True, kw_only=True)
class OneOfSeveral(metaclass=Frameless):
    """One target of a model of several: what it answers about that one, and nothing that could be saved or verified."""

    model: Model
    place: int
    schema: Schema
    """With that target alone."""
    has_probabilities: ClassVar[bool] = False
    classes: ClassVar[tuple[Label, ...]] = ()
    made: ClassVar[None] = None

    __repr__ = short_repr

    def predict(self, frame: "Frame | EncodedTable") -> Floats:
        """Its number, (n,), in the unit of its column."""
        return np.asarray(self.model.predict(frame)[:, self.place])

    def decision(self, frame: "Frame | EncodedTable") -> Floats:
        """f(x), (n,)."""
        return self.model.decision(frame)[:, self.place]

    def probabilities(self, frame: "Frame | EncodedTable") -> Floats:
        """Raises InvalidInput: numbers have none."""
        return self.model.probabilities(frame)


def _classes_of(schema: Schema) -> tuple[Label, ...]:
    return schema.target.classes if isinstance(schema.target, Target) else ()


def _read_schema(record: object) -> Schema:
    """Raises FileFormatError for what is no schema."""
    try:
        return Schema.from_dict(record)
    except DiscreetError as error:
        refusal = FileFormatError(f"its schema is not valid: {error}")
    except (TypeError, ValueError, LookupError, ArithmeticError, RecursionError):
        refusal = FileFormatError("its schema holds values of the wrong type.")
    raise refusal
