"""Displays under the names that scikit-learn gives them: `RocCurveDisplay.from_estimator(model, X, y, epsilon=0.5)`.

A display is what it shows: a notebook draws it, `plot()` is its picture as SVG, which needs no other library, and `.plot().save(path)` writes it.

What is measured on records is a release: `from_estimator` of the first three calls `evaluate_privately`, which spends epsilon on the account
given, or on the ledger in use, and `evaluation` holds what was released, with its certificate. What is read from a model alone costs nothing.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from discreet.core.errors import InvalidInput, InvalidType
from discreet.core.files.picture import Svg
from discreet.core.frameless import Frameless
from discreet.core.neighbours import DELTA, REPLACE_ONE, Neighbours
from discreet.core.short import short_repr
from discreet.data import Schema
from discreet.data.labels import canonical
from discreet.display.evaluation import curve_plot
from discreet.display.plots import LIGHT_BLUE, PALE_BLUE, Drawing, box, svg, words
from discreet.display.summaries import pictures
from discreet.estimators import Model, Uncertainty
from discreet.estimators.door.private_estimator import PrivateModel
from discreet.estimators.summaries.curves import Curves
from discreet.estimators.summaries.summary import Summary
from discreet.evaluation import PrivateEvaluation, evaluate_privately
from discreet.ledger import Account

_CELL, _LEFT, _TOP = 86, 150, 84


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Measured(metaclass=Frameless):
    """A private evaluation of which one thing is shown."""

    metric: ClassVar[str]
    evaluation: PrivateEvaluation

    __repr__ = short_repr

    @classmethod
    def from_estimator(  # noqa: PLR0913 - as evaluate_privately
        cls,
        estimator: Any,  # noqa: ANN401 - whatever predicts
        X: Any,  # noqa: ANN401 - whatever it takes
        y: Any = None,  # noqa: ANN401 - labels of any kind
        *,
        epsilon: float,
        delta: float = DELTA,
        neighbours: Neighbours | str = REPLACE_ONE,
        bins: int = 20,
        level: float = 0.95,
        account: Account | None = None,
        random_state: int | None = None,
        n_jobs: int | None = None,
        persons: Any = None,  # noqa: ANN401 - ids of any kind
        rows_per_person: int | None = None,
    ) -> Self:
        """Measure a fitted model on records X (n, d) with classes y (n,), and spend (epsilon, delta): see `evaluate_privately`, which raises."""
        return cls(
            evaluation=evaluate_privately(
                estimator,
                X,
                y,
                epsilon=epsilon,
                delta=delta,
                neighbours=neighbours,
                metrics=(cls.metric,),
                bins=bins,
                level=level,
                account=account,
                random_state=random_state,
                n_jobs=n_jobs,
                persons=persons,
                rows_per_person=rows_per_person,
            )
        )

    def __post_init__(self) -> None:
        """Raise InvalidInput for an evaluation that did not measure this."""
        if getattr(self.evaluation, self.metric) is None:
            raise InvalidInput(f"the evaluation did not measure {self.metric}: ask for it by metrics=[{self.metric!r}].")

    def plot(self) -> Svg:
        """The picture, SVG."""
        return Svg(curve_plot(getattr(self.evaluation, self.metric)))

    def _repr_html_(self) -> str:
        """For notebooks."""
        return self.plot()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RocCurveDisplay(_Measured):
    """The ROC curve of two classes, with its band. Raises InvalidInput for an evaluation without one."""

    metric = "roc"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class CalibrationDisplay(_Measured):
    """How often the second class is right for each predicted probability. Raises InvalidInput for an evaluation without it."""

    metric = "calibration"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ConfusionMatrixDisplay(_Measured):
    """Actual classes against predicted ones, in noisy counts. Raises InvalidInput for an evaluation without them."""

    metric = "confusion"

    def plot(self) -> Svg:
        """The table as a picture, SVG: the darker a cell, the more records."""
        return Svg(svg(self._drawing()))

    def _drawing(self) -> Drawing:
        counts, labels = self.evaluation.confusion or (), [canonical(one) for one in self.evaluation.classes]
        most = max((count for row in counts for count in row), default=1.0)
        side = _CELL * len(labels)
        shapes = [words(24, 28, "Actual classes (rows) against predicted ones, noisy counts", size=15)]
        shapes += [words(_LEFT + _CELL * (place + 0.5), _TOP - 12, label[:12], anchor="middle") for place, label in enumerate(labels)]
        for place, (label, row) in enumerate(zip(labels, counts, strict=True)):
            y = _TOP + _CELL * place
            shapes.append(words(_LEFT - 10, y + _CELL / 2 + 4, label[:18], anchor="end"))
            for other, count in enumerate(row):
                x = _LEFT + _CELL * other
                shapes.append(box(x, y, _CELL - 2, _CELL - 2, LIGHT_BLUE if count > 0.5 * most else PALE_BLUE))
                shapes.append(words(x + _CELL / 2, y + _CELL / 2 + 4, f"{count:,.0f}", anchor="middle"))
        return Drawing(title="Confusion table", width=max(_LEFT + side + 24, 480), height=_TOP + side + 24, shapes=shapes)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartialDependenceDisplay:
    """What each column adds to the decision of a linear model, over its values; read from the model, free."""

    curves: Curves

    __repr__ = short_repr

    @classmethod
    def from_estimator(
        cls,
        estimator: PrivateModel | Model,
        schema: Schema | None = None,
        *,
        uncertainty: Uncertainty | None = None,
        level: float = 0.95,
        label: Any = None,  # noqa: ANN401 - a class
    ) -> Self:
        """Of a fitted estimator and the schema of its table, or of a `Model`, which brings its own; the rest as `Model.curves`, which raises."""
        return cls(curves=_model_of(estimator, schema).curves(uncertainty=uncertainty, level=level, label=label))

    def plot(self, *, most: int = 12) -> Svg:
        """The `most` important columns, SVG."""
        return self.curves.plot(most=most)

    def _repr_html_(self) -> str:
        """For notebooks."""
        return self.plot()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CoefficientsDisplay:
    """The coefficients with their intervals below each other; read from what was released, free."""

    summary: Summary

    __repr__ = short_repr

    @classmethod
    def from_estimator(
        cls, estimator: PrivateModel | Model, schema: Schema | None = None, *, uncertainty: Uncertainty | None = None, level: float = 0.95
    ) -> Self:
        """Of a fitted estimator, with the schema of its table where there is one, or of a `Model`; as `summary`, which raises."""
        if isinstance(estimator, Model):
            return cls(summary=estimator.summary(level=level, uncertainty=uncertainty))
        if not isinstance(estimator, PrivateModel):
            raise InvalidType(f"CoefficientsDisplay needs an estimator of this library, or a Model; a {type(estimator).__name__} was given.")
        return cls(summary=estimator.summary(level=level, uncertainty=uncertainty, schema=schema))

    def plot(self) -> Svg:
        """The first function's, SVG. Raises InvalidInput where no coefficient has an interval with two ends."""
        found = pictures(self.summary)
        if not found:
            why = self.summary.intervals or self.summary.notes[0]
            raise InvalidInput(f"no coefficient of this model has an interval with two finite ends. {why}")
        return Svg(svg(found[0].drawing))

    def _repr_html_(self) -> str:
        """For notebooks."""
        return self.summary._repr_html_()


def _model_of(estimator: PrivateModel | Model, schema: Schema | None) -> Model:
    if isinstance(estimator, Model):
        return estimator
    if schema is None:
        raise InvalidInput("an estimator does not know how its features are made of columns. Pass schema=..., or a Model.")
    return Model.from_estimator(estimator, schema)
