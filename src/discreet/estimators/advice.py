"""What is legal, and tells more than its user may think: said in a `PrivacyAdvice`, from public numbers and from how a fit was called.

    before a fit    a step of a Pipeline that learns from the records; a search, or cross-validation, that scores on the records; the same table
                    again, on no ledger; epsilon of 10 or more; delta above 1 / n, where n is public; the standard data_norm, left as it is

Nothing here looks at a record: tables are told apart by which object they are, and n is used where a certificate states it. No warning changes a fit.
Parameters of other libraries are answered with the name that they have here, and those of a wrong type are refused by it: types are those that the
fields of a class state, True or False, whole numbers, numbers, texts, None. A parameter that may be something else besides, such as a loss or a list
of labels, is left to those who read it.
"""

import inspect
import warnings
from abc import ABCMeta
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from functools import lru_cache, wraps
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Annotated, Any, Concatenate, ParamSpec, TypeVar, Union, get_args, get_origin
from weakref import WeakSet, ref

import numpy as np
from sklearn.utils import get_tags

from discreet.core.advice import OTHER_NAMES, about_numbers, caller
from discreet.core.errors import InvalidInput, InvalidType, PrivacyAdvice, did_you_mean
from discreet.core.lazily import lazily
from discreet.core.neighbours import Privacy
from discreet.core.validate import given

pipeline = lazily("sklearn.pipeline")
T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")
_TRUTH = (bool, np.bool_)
_WORDS = {bool: "True or False", int: "a whole number", float: "a number", str: "a text", NoneType: "None"}
_TAKEN: dict[Any, tuple[type, ...]] = {bool: _TRUTH, int: (Integral,), float: (Real,), str: (str,), NoneType: (NoneType,)}
_UNTOLD: "WeakSet[Any]" = WeakSet()
"""Estimators that were made without a bound of rows."""
_SEEN: dict[int, Any] = {}
"""Tables that were fitted on without a ledger, by which object they are: weak references, and nothing of what they hold."""


class Answering(ABCMeta):
    """Of estimators: a parameter that belongs to another library is answered by what it is called here."""

    @property
    def __signature__(cls) -> inspect.Signature:
        """That of the constructor, which help and scikit-learn show and read, and not that of the call below."""
        _, *parameters = inspect.signature(cls.__init__).parameters.values()  # type: ignore[misc]
        return inspect.Signature(parameters)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Raises InvalidType, a TypeError, for a parameter that there is not."""
        known = _parameters(cls.__init__)  # type: ignore[misc]
        refuse_other_names(cls.__name__, kwargs, known)
        made = super().__call__(*args, **kwargs)
        if "data_norm" in known and not {"data_norm", "data_bound"} & kwargs.keys():
            _UNTOLD.add(made)
        return made


@lru_cache(maxsize=128)
def _parameters(make: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(make).parameters)


def names_checked(method: Callable[Concatenate[T, P], R]) -> Callable[Concatenate[T, P], R]:
    """`fit`, which answers a parameter that there is not as the constructor does, by the class that was called."""
    known = _parameters(method)[1:]

    @wraps(method)
    def fit(self: T, /, *args: P.args, **kwargs: P.kwargs) -> R:
        refuse_other_names(f"{type(self).__name__}.fit", kwargs, known)
        return method(self, *args, **kwargs)

    return fit


def refuse_other_names(estimator: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raise InvalidType for the first name that is not `known`."""
    for name in given:
        if name not in known and "__" not in name:
            said = OTHER_NAMES.get(name)
            near = did_you_mean(name, known)
            raise InvalidType(
                f"{estimator} got an unexpected keyword argument {name!r}: {said}." if said else f"{estimator} has no parameter {name!r}.{near}"
            )


def advise(estimator: Any, X: Any, *, privacy: Privacy, records: int | None, encoded: bool, on_a_ledger: bool) -> None:
    """Warn of what module docstring lists; `records` is n where it is public, `encoded` whether a schema made the rows."""
    if not privacy.adds_noise or _inside(estimator):
        return
    untold = estimator in _UNTOLD and not encoded
    again = not on_a_ledger and _again(X)
    said = [*about_numbers(privacy, records), *_about_callers(estimator), *_about_rows(estimator, untold=untold, again=again)]
    for words in said:
        warnings.warn(words, PrivacyAdvice, stacklevel=caller())


def _inside(estimator: Any) -> bool:
    """Whether the fit was called by this library: by a search, or for cuts, which have their own guarantee and entry."""
    frame, outer = inspect.currentframe(), None
    while frame is not None:
        if frame.f_code.co_name in {"fit", "fit_many"} and frame.f_locals.get("self") is estimator:
            outer = frame.f_back
        frame = frame.f_back
    return outer is not None and str(outer.f_globals.get("__name__", "")).startswith(f"{__name__.partition('.')[0]}.")


def _about_rows(estimator: Any, *, untold: bool, again: bool) -> Iterator[str]:
    if untold:
        name = "data_bound" if estimator.data_norm is None else "data_norm"
        yield (
            f"{name} was left at {getattr(estimator, name)}, so rows beyond that are shortened. Scale the columns by public bounds "
            "(Schema.transformer does) and set data_norm or data_bound, which you know without the records; or set data_norm='private' "
            "where the model supports it."
        )
    if again:
        yield (
            "this table was used in an earlier fit, and no ledger is in use: the privacy losses add up, and nothing keeps track of the "
            "total. Pass ledger=Account(path, name), or use discreet.ledger.using(path, name)."
        )


def _about_callers(estimator: Any) -> Iterator[str]:
    """What scikit-learn was doing when it called this fit."""
    frame, searched, scored, learnt = inspect.currentframe(), False, False, set[str]()
    while frame is not None:
        scored = scored or str(frame.f_globals.get("__name__", "")).startswith("sklearn.model_selection._validation")
        theirs = str(frame.f_globals.get("__name__", "")).startswith("sklearn.") and frame.f_code.co_name in {"fit", "fit_transform", "fit_predict"}
        holder = frame.f_locals.get("self") if theirs else None
        if not searched and any(kind.__module__.startswith("sklearn.model_selection.") for kind in type(holder).__mro__):
            searched = True
            yield f"{type(holder).__name__} chooses by scores that are not private, so its choice is not private. Use PrivateSearchCV."
        if theirs and isinstance(holder, pipeline.Pipeline):
            learnt |= {name for name, step in holder.steps[:-1] if _learns(step)}
        frame = frame.f_back
    if scored and not searched:
        yield (
            "cross-validation publishes scores computed on private records, and the privacy losses of its fits add up. Use PrivateSearchCV "
            "to choose, and evaluate_privately on held-out records to measure."
        )
    if learnt:
        steps = ", ".join(sorted(learnt))
        yield (
            f"the Pipeline learns from the records before {type(estimator).__name__} does, in {steps}; the guarantee does not cover that. "
            "Use Schema.transformer(), whose bounds and categories are public, or FunctionTransformer with public numbers."
        )


def _learns(step: Any) -> bool:
    """Whether a step of a pipeline asks for a fit."""
    return not (step is None or isinstance(step, str)) and bool(get_tags(step).requires_fit)


def _again(X: Any) -> bool:
    """Whether this very object was fitted on before."""
    key, before = id(X), _SEEN.get(id(X))
    if before is not None and before() is X:
        return True
    try:
        _SEEN[key] = ref(X, lambda _: _SEEN.pop(key, None))
    except TypeError:  # lists know no weak references, and are not held back from being freed
        return False
    return False


def refuse_bad_names(estimator: Any, given: Iterable[str]) -> None:
    """As `Answering`, for `set_params`."""
    try:
        refuse_other_names(type(estimator).__name__, given, _parameters(type(estimator).__init__))
    except InvalidType as error:
        refusal = InvalidInput(str(error))
    else:
        return
    raise refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class _Typed:
    """A field whose types are known."""

    name: str
    types: tuple[Any, ...]

    def takes(self, value: Any) -> bool:
        """Whether it is of one of the types; what is true or false is no number."""
        if type(value) in self.types:
            return True
        if isinstance(value, _TRUTH):
            return bool in self.types
        return any(isinstance(value, _TAKEN[one]) for one in self.types if one is not bool)

    @property
    def words(self) -> str:
        """In a message."""
        *first, last = (_WORDS[one] for one in self.types)
        return f"{', '.join(first)} or {last}" if first else last


def refuse_wrong_types(estimator: Any) -> None:
    """Raise InvalidInput for the first parameter that is of none of the types that its field states."""
    kind: Any = type(estimator)
    for one in _typed(kind):
        value = getattr(estimator, one.name)
        if not one.takes(value):
            raise InvalidInput(f"{kind.__name__}: {one.name} must be {one.words}; {given(value)} was given.")


@lru_cache(maxsize=64)
def _typed(kind: type) -> tuple[_Typed, ...]:
    found = ((one.name, tuple(_members(one.type))) for one in fields(kind) if one.init)
    return tuple(_Typed(name=name, types=types) for name, types in found if types and all(type_ in _WORDS for type_ in types))


def _members(stated: Any) -> Iterator[Any]:
    """Of a union, the first of what stands in Annotated[..]."""
    if get_origin(stated) is Annotated:
        yield from _members(get_args(stated)[0])
    elif get_origin(stated) in (Union, UnionType):
        yield from get_args(stated)
    else:
        yield stated
