"""What a fitted model says, as tables of statistics print it: coefficients with names and units, how sure they are, and what was paid for.

    f(x) = c + sum_j b_j x_j        a line a coefficient: b_j, the deviation of the noise in it, an interval, and e^(b_j) where it is a ratio of odds

Units. A model of a schema's rows sees features; a number that enters linearly is one feature, f = s x + o, so its coefficient in the unit of the
column is s w, and the intercept is t v + sum o w, the decision where every number is 0. Categories, cells of other encodings and rows that are
divided by their norm have no unit of the table: their coefficients are those of features, which are at most 1. A regression on a schema's numbers
answers in [-1, 1], and coefficients are given in the unit of the target; with a link, as of counts, in that of the decision. Every line is
<a, w> + constant with public a, so what is said of w holds.

How sure: module `known_errors`, which every view of a model asks.

Of long lists the most important coefficients come first, by what they can add: |w| in the units of the features. All of it follows from what was
released, and costs nothing.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.lazily import lazily
from discreet.core.validate import whole
from discreet.data import NumberTarget, Schema
from discreet.data.columns import NumericColumn
from discreet.data.labels import canonical
from discreet.data.toml_text import AnyTarget
from discreet.estimators.intervals.known_errors import KnownErrors, known_errors
from discreet.estimators.intervals.released_noise import noise_share
from discreet.estimators.prediction_rules import KernelForm, MadeForm, form_of
from discreet.estimators.summaries.summary import Line, Part, Summary
from discreet.estimators.summaries.summary_source import Subject, answers_of, facts_of, legible, names_of, paid_for, targets_of, towards_of

if TYPE_CHECKING:
    from discreet.estimators.door.private_estimator import PrivateModel
    from discreet.estimators.files.model import Model
    from discreet.estimators.intervals.uncertainty import Uncertainty

validation = lazily("sklearn.utils.validation")
INTERCEPT = "(intercept)"


def summary_of(subject: Subject, *, level: float, uncertainty: "Uncertainty | None", most: int) -> Summary:
    """Of `most` coefficients each. Raises InvalidInput for a level outside (0, 1), or an uncertainty of other weights."""
    most = whole(most, "most")
    errors = known_errors(subject.certificate, subject.weights, level=level, uncertainty=uncertainty, equations=subject.equations)
    about: dict[str, Any] = {"facts": tuple(facts_of(subject)), "paid": tuple(paid_for(subject.certificate, uncertainty)), "level": level}
    title = f"{subject.name}: {answers_of(subject)}"
    if isinstance(subject.form, KernelForm):
        note = "Coefficients of random features mean nothing by themselves. Ask for decisions, or probabilities, at rows of interest."
        return Summary(title=title, parts=(), counted=None, intervals="", notes=(note,), **about)
    several = list(zip(targets_of(subject), towards_of(subject), strict=True))
    parts = tuple(_part(subject, _read(subject, target), errors, towards, function, most) for function, (target, towards) in enumerate(several))
    notes = tuple(_notes(subject, errors))
    return Summary(title=title, parts=parts, counted=errors.counted, intervals=errors.words, notes=notes, **about)


class _Read(NamedTuple):
    """Every coefficient as a combination of the weights of one function."""

    names: list[tuple[str, str]]
    """With units."""
    directions: Floats
    """(lines, m)."""
    constants: Floats
    importance: list[int]
    """The places of the lines of features (the intercept's is before them), as features."""


def _read(subject: Subject, target: AnyTarget | None) -> _Read:
    """See the module docstring."""
    schema, form = subject.schema, subject.form
    constant = form.intercept_scale > 0
    functions = subject.functions
    size = len(subject.weights) // functions
    features = form.features if isinstance(form, MadeForm) else size - constant
    directions = np.eye(features, size) / subject.unit
    intercept = np.zeros(size)
    if constant:
        intercept[-1] = form.intercept_scale
    names = [(name, "") for name in names_of(subject, features)]
    if schema is not None and schema.rows == "bound":
        place = 0
        for column, made in zip(schema.layout.every, schema.layout.names(), strict=True):
            if isinstance(column, NumericColumn) and column.plain:
                least = -1.0 if column.bounds.symmetric else 0.0
                slope = (1.0 - least) / column.bounds.width
                names[place] = (legible(column.name), column.name)
                directions[place] *= slope
                intercept[place] = least - slope * column.bounds.lower
            place += len(made)
    if schema is not None and schema.metric is not None:  # a coefficient of a column is a mixture of weights
        intercept[:features] = schema.metric.coefficients(intercept[:features])
        directions[:, :features] = directions[:, :features] @ schema.metric.matrix
    scale, constants = 1.0, np.zeros(features + 1)
    if isinstance(target, NumberTarget) and not subject.linked:
        scale = 0.5 * (target.upper - target.lower)
        constants[0] = target.lower + scale
    if (asked := subject.made) is not None:
        lines = [(level, "") for level in asked.questions([legible(label) for label in subject.labels])]
        rows = np.vstack((asked.level_directions(intercept), directions))
        return _Read([*lines, *names], rows, np.zeros(len(rows)), list(range(features)))
    told = bool(np.any(intercept)) or constants[0] != 0
    rows = scale * np.vstack((intercept, directions))
    if told:
        return _Read([(INTERCEPT, ""), *names], rows, constants, list(range(features)))
    return _Read(names, rows[1:], constants[1:], list(range(features)))


def _part(subject: Subject, read: _Read, errors: KnownErrors, towards: str, function: int, most: int) -> Part:
    size = read.directions.shape[1]
    weights = subject.weights[function * size : (function + 1) * size]
    first = len(read.names) - len(read.importance)
    kept = list(range(len(read.importance)))
    if len(kept) > most:
        kept = np.argsort(-np.abs(weights[: len(kept)]), kind="stable")[:most].tolist()
    places = [*range(first), *(first + place for place in kept)]
    directions, constants = read.directions[places] * (subject.units[function] if subject.units else 1.0), read.constants[places]
    estimates = (directions @ weights + constants).tolist()
    found = errors.along(_among(directions, function, subject.weights))
    nothing = [None] * len(places)
    ends = (nothing, nothing) if found is None else ((found.low + constants).tolist(), (found.high + constants).tolist())
    noise = nothing if found is None or found.noise is None else found.noise.tolist()
    lines = [
        Line(
            name=read.names[place][0],
            unit=read.names[place][1],
            coefficient=value,
            noise=spread,
            low=low,
            high=high,
            odds_ratio=_power(value) if subject.probabilities and place >= first else None,
        )
        for place, value, spread, low, high in zip(places, estimates, noise, *ends, strict=True)
    ]
    return Part(towards=towards, lines=tuple(lines), left_out=len(read.importance) - len(kept))


def _among(directions: Floats, function: int, weights: Floats) -> Floats:
    """The same directions among the weights of all functions."""
    found = np.zeros((len(directions), len(weights)))
    size = directions.shape[1]
    found[:, function * size : (function + 1) * size] = directions
    return found


def _notes(subject: Subject, errors: KnownErrors) -> Iterator[str]:
    found = noise_share(subject.certificate, subject.weights)
    if found is not None and found.words is not None:
        yield found.words
    yield from errors.sentences
    schema = subject.schema
    if schema is not None and schema.rows != "bound":
        yield "Rows are divided by their norm, so coefficients belong to the scaled features and have no unit of the table."
    elif schema is not None and not all(column.plain for column in schema.numeric):
        yield "Encoded columns have one coefficient per cell; curves show what each column adds."


def _power(value: float) -> float:
    return math.exp(value) if value < 700 else math.inf


def summary_of_model(model: "Model", *, level: float, uncertainty: "Uncertainty | None", most: int) -> Summary:
    """See `Model.summary`."""
    labels = tuple(map(canonical, model.classes))
    return summary_of(
        Subject(
            name=model.kind,
            weights=model.weights,
            certificate=model.certificate,
            form=model.form,
            labels=labels,
            schema=model.schema,
            probabilities=model.made is not None or (len(labels) == 2 and model.certificate.problem.get("loss") == "logistic"),
        ),
        level=level,
        uncertainty=uncertainty,
        most=most,
    )


def summary_of_estimator(estimator: "PrivateModel", *, level: float, uncertainty: "Uncertainty | None", schema: Schema | None, most: int) -> Summary:
    """See `PrivateModel.summary`."""
    validation.check_is_fitted(estimator)
    held, certificate = vars(estimator), estimator.certificate_
    labels = tuple(str(label) for label in held["classes_"].tolist()) if "classes_" in held else ()
    features, named = held["n_features_in_"], held.get("feature_names_in_")
    if schema is not None and schema.features != features:
        raise InvalidInput(f"the schema gives {schema.features} features; the model was fitted on {features}.")
    form = form_of(certificate.problem, columns=features, classes=len(labels), weights=len(estimator.weights_))
    return summary_of(
        Subject(
            name=type(estimator).__name__,
            weights=estimator.weights_,
            certificate=certificate,
            form=form,
            labels=labels,
            schema=schema,
            names=None if named is None else tuple(map(str, named)),
            unit=held.get("data_norm_", 1.0),
            equations=None if (known := held.get("equations_")) is None else known[0],
            probabilities=isinstance(form, MadeForm) or (len(labels) == 2 and certificate.problem.get("loss") == "logistic"),
        ),
        level=level,
        uncertainty=uncertainty,
        most=most,
    )
