"""Kinds of models by their names: where the estimator of each is, what the certificates of its models state, what it learns, and its settings.

    targets        what its class says it learns: "two classes", "more classes", "ordered classes", "numbers", "counts", "times"
    standard_for   of those the ones for which it is taken where nobody chooses
    settings       parameters whose type is Annotated[type, words]; the words are their help, on a command line and in a form

An estimator says these of itself, in its own file, and is found by it once its module is imported; what has a line here is read, shown and checked
without that, and without all that one needs to fit.
"""

import inspect
import math
import types
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias, Union, get_args, get_origin

from discreet.core.errors import InvalidInput, did_you_mean, quietly, quoted
from discreet.core.lazily import each_module, registered
from discreet.data import NumberTarget, NumberTargets, Schema, Target, TimeTarget
from discreet.estimators.prediction_rules import BoundedForm, Form, KernelForm, LinearForm, MadeForm

if TYPE_CHECKING:
    from discreet.estimators.door.private_estimator import PrivateModel

TargetKind: TypeAlias = Literal["two classes", "more classes", "ordered classes", "numbers", "counts", "several numbers", "times"]
"""What a target may be."""


class Saved(NamedTuple):
    """What model files need to know of one kind of model."""

    module: str
    """Where its estimator is, in this package."""
    form: type[Form] = LinearForm
    set_name: str | None = None
    """The set that the weights lie in; "" for any, None for all vectors."""
    loss_names: tuple[str, ...] = ()
    """The loss for two classes, and for more of them at once; () for any."""


KINDS: dict[str, Saved] = {
    "logistic-regression": Saved("margin_classifiers", loss_names=("logistic", "multinomial-logistic")),
    "linear-svc": Saved("margin_classifiers"),
    "linear-regression": Saved("linear_regression", BoundedForm),
    "kernel-classifier": Saved("kernel_classifier", KernelForm),
    "constrained-erm": Saved("over_sets", BoundedForm, ""),
    "group-lasso": Saved("over_sets", BoundedForm, "group-l2-ball"),
    "simplex-regression": Saved("over_sets", BoundedForm, "simplex"),
    "matrix-regression": Saved("over_sets", BoundedForm, "nuclear-ball"),
    "lasso": Saved("sparse", BoundedForm, "l1-ball"),
    "lasso-classifier": Saved("sparse", BoundedForm, "", ("logistic",)),
    "huber-regression": Saved("prediction_models", BoundedForm, loss_names=("huber",)),
    "expectile-regression": Saved("prediction_models", BoundedForm, loss_names=("expectile",)),
    "quantile-regression": Saved("prediction_models", BoundedForm),
    "poisson-regression": Saved("prediction_models", BoundedForm, loss_names=("poisson",)),
    "survival-model": Saved("survival_ordinal", MadeForm, loss_names=("logistic",)),
    "ordinal-regression": Saved("survival_ordinal", MadeForm, loss_names=("logistic",)),
    "gamma-regression": Saved("prediction_models", BoundedForm, loss_names=("gamma",)),
}
"""In the order in which they are asked what they are taken for: what many want, and what imports little, first."""
OWN: dict[str, Saved] = {}
"""Of estimators that say it in their classes."""
SAVED = ChainMap(KINDS, OWN)
"""What is known without another import."""
_MODELS = f"{__package__}.models"
"""Whose modules register their kinds as they are imported."""


def saved_as(kind: str) -> Saved | None:
    """What is known of a kind; None where no estimator has it."""
    return registered(SAVED, kind, _MODELS)


def every_kind() -> tuple[str, ...]:
    """Those with a line here first."""
    for _ in each_module(_MODELS):
        pass
    return (*KINDS, *OWN)


class Models(MutableMapping[str, "type[PrivateModel]"]):
    """Those of this package are imported when they are asked for."""

    def __init__(self) -> None:
        self._made: dict[str, type[PrivateModel]] = {}

    def __getitem__(self, kind: str) -> "type[PrivateModel]":
        """See MutableMapping."""
        if kind not in self._made and kind in KINDS:
            import_module(f"{_MODELS}.{KINDS[kind].module}")
        return self._made[kind]

    def __setitem__(self, kind: str, made: "type[PrivateModel]") -> None:
        """See MutableMapping."""
        self._made[kind] = made

    def __delitem__(self, kind: str) -> None:
        """See MutableMapping."""
        del self._made[kind]

    def __iter__(self) -> Iterator[str]:
        """See MutableMapping."""
        yield from KINDS
        every_kind()
        yield from [kind for kind in self._made if kind not in KINDS]

    def __len__(self) -> int:
        """See MutableMapping."""
        return sum(1 for _ in self)


MODELS = Models()
"""Estimators by the kind that their model files state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A parameter that may be given as text."""

    name: str
    """Of the estimator's field."""
    words: str
    """What it is."""
    spelling: str
    """Of its values: NUMBER, WHOLE NUMBER, TEXT, NUMBERS, LABEL=NUMBER, COLUMN=NUMBER or, of what is on or off, FLAG."""
    default: Any
    """None where it is chosen from public numbers, or there is none."""
    _read: Callable[[str], Any]

    def read(self, text: str) -> Any:
        """The value. Raises InvalidInput, with the setting's name, for text that is not a value."""
        wanted = InvalidInput(f"{self.name.replace('_', '-')} takes {self.takes}; {text!r} was given.")
        return quietly(lambda: self._read(text), wanted)

    @property
    def takes(self) -> str:
        """The allowed values, in words."""
        return _SPELLED[self.spelling]


def kind_named(name: str) -> "type[PrivateModel]":
    """The estimator of this kind. Raises InvalidInput for a name that no model has."""
    found = MODELS.get(name)
    if found is None:
        known = dict(MODELS)  # each that there is, imported
        if name not in known:
            raise InvalidInput(f"the model must be one of {quoted(known, most=len(known))}; {name!r} was given.{did_you_mean(name, known)}")
        return known[name]
    return found


def learnt_from(schema: Schema) -> TargetKind:
    """What the schema's target is."""
    if isinstance(schema.target, NumberTargets):
        return "several numbers"
    if isinstance(schema.target, NumberTarget):
        return "counts" if schema.target.counts else "numbers"
    if isinstance(schema.target, TimeTarget):
        return "times"
    if schema.target.ordered:
        return "ordered classes"
    return "two classes" if len(schema.target.classes) == 2 else "more classes"


def standard_kind(learnt: TargetKind) -> str:
    """The kind that is taken where nobody chooses: the least error at a budget (docs/defaults.md)."""
    return next(name for name, kind in MODELS.items() if learnt in kind.standard_for)


def check_learns(estimator: "PrivateModel", schema: Schema) -> None:
    """Raise InvalidInput for an estimator that does not learn what the schema's target is, which names those that do.

    And for one that makes several rows of a record where the schema does not say that nobody has a second record. What learns
    classes learns those that are in order too, without it, and what learns numbers learns counts.
    """
    learnt = {learnt_from(schema)}
    kinds = len(schema.target.classes) if isinstance(schema.target, Target) else 0
    if "ordered classes" in learnt:
        learnt.add("two classes" if kinds == 2 else "more classes")
    if "counts" in learnt:
        learnt.add("numbers")
    if learnt & set(estimator.learns):
        estimator.require_one_row(schema.persons)
        return
    able = [name for name, kind in MODELS.items() if learnt & set(kind.targets)]
    said = f"{kinds} classes" if kinds else "a number" if "numbers" in learnt else next(iter(learnt))
    if "ordered classes" in estimator.learns and said.endswith("classes"):
        said += " without ordered = true"
    raise InvalidInput(
        f"{estimator.described} learns {learnt_words(estimator.learns)}, but the schema declares {said}. Models for that: {', '.join(able)}."
    )


def learnt_words(learnt: Sequence[TargetKind]) -> str:
    """What is learnt, in a sentence."""
    named = ["two or more classes", *learnt] if {"two classes", "more classes"} <= set(learnt) else [*learnt]
    return " or ".join(one for one in named if len(named) == len(learnt) or one not in ("two classes", "more classes"))


def settings_of(kind: "type[PrivateModel]") -> dict[str, Setting]:
    """By name, in the order in which the class has them."""
    found = {}
    for one in fields(kind):
        annotated = _annotated(kind, one.name)
        if one.init and annotated is not None:
            value, words = get_args(annotated)[:2]
            spelling, read = _spelled(value)
            default = None if one.default is MISSING else one.default
            found[one.name] = Setting(name=one.name, words=words, spelling=spelling, default=default, _read=read)
    return found


def grid_of(entries: Sequence[str], kind: str) -> dict[str, list[Any]]:
    """From NAME=V1,V2 to the grid of a search, NAME a setting of this kind of model. Raises InvalidInput, with the option's name."""
    known = {name: one for name, one in settings_of(kind_named(kind)).items() if one.spelling in _ONE}
    values: dict[str, list[Any]] = {}
    for entry in entries:
        typed, equals, texts = entry.partition("=")
        name = typed.replace("-", "_")
        if name not in known or not equals or not texts:
            names = ", ".join(one.replace("_", "-") for one in known)
            raise InvalidInput(f"--grid needs NAME=V1,V2,... with NAME one of {names} for a {kind}; {entry!r} was given.")
        if name in values:
            raise InvalidInput(f"--grid {typed} was given twice; list all its values once.")
        values[name] = [_in_grid(known[name], text.strip()) for text in texts.split(",")]
    return values


def _in_grid(setting: Setting, text: str) -> Any:
    refusal = InvalidInput(f"--grid {setting.name.replace('_', '-')} takes {setting.takes}; {text!r} was given.")
    return quietly(partial(setting.read, text), refusal, InvalidInput)


def encoded_estimator(kind: str, schema: Schema, settings: Mapping[str, Any]) -> "PrivateModel":
    """An estimator for tables encoded by `schema`, with its bounds and its unit of privacy. Raises InvalidInput for an unknown model name."""
    made = kind_named(kind)
    known = {one.name for one in fields(made) if one.init}
    bounds: dict[str, Any] = {"data_norm": schema.norm_bound, "data_bound": 1.0 if _default_of(made, "data_bound") is not None else None}
    whose: dict[str, Any] = {} if schema.persons is None else dict(schema.persons.as_declared)
    periods: dict[str, Any] = {"ends": schema.target.ends} if isinstance(schema.target, TimeTarget) and "ends" in known else {}
    by_column = {name for name, one in settings_of(made).items() if one.spelling == _COLUMNS}
    given = {
        name: _of_features(name, value, schema) if name in by_column and isinstance(value, Mapping) else value for name, value in settings.items()
    }
    suited = {**made.suited.get(learnt_from(schema), {}), **given}
    return made(**{name: value for name, value in bounds.items() if name in known}, **periods, **whose, **suited)


def _of_features(name: str, named: Mapping[str, float], schema: Schema) -> tuple[float, ...]:
    """The numbers of columns, by their names, as those of the features that the schema makes of them; 1 for what is not named."""
    every = schema.layout.every
    known = [column.name for column in every]
    for column in named:
        if column not in known:
            near = did_you_mean(column, known)
            raise InvalidInput(f"{name} names columns of the schema, {quoted(known, most=12)}; {column!r} was given.{near}")
    parts = zip(every, schema.layout.names(), strict=True)
    return tuple(float(named.get(column.name, 1.0)) for column, names in parts for _ in names)


def summary_of(kind: "type[PrivateModel]") -> str:
    """The first sentence of its documentation."""
    return (inspect.getdoc(kind) or "").partition("\n")[0].partition(". See ")[0].rstrip(".")


def _default_of(kind: "type[PrivateModel]", name: str) -> Any:
    return next((one.default for one in fields(kind) if one.name == name and one.default is not MISSING), None)


def _annotated(kind: type, name: str) -> Any:
    """The nearest annotation with words, of a class or its bases: who changes a default alone does not say it again."""
    for base in kind.__mro__:
        found = vars(base).get("__annotations__", {}).get(name)
        if get_origin(found) is Annotated:
            return found
    return None


def _flag(text: str) -> bool:
    return {"true": True, "yes": True, "false": False, "no": False}[text.strip().lower()]


def _number(text: str) -> float:
    found = float(text)
    if not math.isfinite(found):
        raise ValueError
    return found


def _wholes(text: str) -> Any:
    parts = [int(part) for part in text.split(",")]
    return parts[0] if len(parts) == 1 else tuple(parts)


def _weights(text: str) -> dict[str, float]:
    pairs = [part.rpartition("=") for part in text.split(",")]
    if not all(equals and label.strip() for label, equals, _ in pairs) or len({label.strip() for label, _, _ in pairs}) < len(pairs):
        raise ValueError
    return {label.strip(): _number(weight) for label, _, weight in pairs}


_COLUMNS = "COLUMN=NUMBER"
_ONE = ("NUMBER", "WHOLE NUMBER", "TEXT", "FLAG")
"""Spellings of settings whose values hold no comma."""
_READERS: dict[Any, tuple[str, Callable[[str], Any]]] = {
    bool: ("FLAG", _flag),
    dict: ("LABEL=NUMBER", _weights),
    Mapping: (_COLUMNS, _weights),
    Sequence: ("WHOLE NUMBERS", _wholes),
    tuple: ("WHOLE NUMBERS", _wholes),
    int: ("WHOLE NUMBER", int),
    float: ("NUMBER", _number),
    str: ("TEXT", str.strip),
}
"""By type, the first that a parameter takes."""
_SPELLED = {
    "FLAG": "yes or no",
    "LABEL=NUMBER": "labels with their numbers, LABEL=NUMBER,...",
    _COLUMNS: "columns with their numbers, COLUMN=NUMBER,...",
    "WHOLE NUMBERS": "whole numbers with commas between them",
    "WHOLE NUMBER": "a whole number",
    "NUMBER": "a finite number",
    "TEXT": "a text",
}


def _spelled(value: Any) -> tuple[str, Callable[[str], Any]]:
    members = get_args(value) if get_origin(value) in (Union, types.UnionType) else (value,)
    taken = [get_origin(member) or member for member in members]
    return next(found for one, found in _READERS.items() if one in taken)
