"""What is legal, and tells more than its user may think: said in a `PrivacyAdvice`, from public numbers and from how a fit was called.

    before a fit    a step of a Pipeline that learns from the records; a search, or cross-validation, that scores on the records; any other estimator
                    around this one that calls its fit; the same table again, on no ledger; noise with a seed; epsilon of 10 or more; delta above
                    1 / n, where n is public; the standard data_norm, left as it is; so few records, or so many that are needed, that one answer
                    for everybody is as good as a classifier

n is used where a certificate states it. A table is known again by a digest of its rows, of some evenly spaced ones where there are many, keyed with a
secret that is drawn anew in every process and never leaves it; of tables in blocks it is the object. No warning changes a fit.
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
from hashlib import blake2b
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, ParamSpec, TypeVar, Union, get_args, get_origin
from weakref import WeakSet

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

from discreet.core.advice import OTHER_NAMES, about_numbers, caller
from discreet.core.errors import InvalidInput, InvalidType, PrivacyAdvice, did_you_mean
from discreet.core.frameless import Frameless, is_door
from discreet.core.lazily import lazily
from discreet.core.neighbours import Privacy
from discreet.core.validate import given
from discreet.data import BlockTable, EncodedTable
from discreet.data.row_lengths import FOR_NOTHING
from discreet.noise import SystemNoise

if TYPE_CHECKING:
    from discreet.estimators import inputs
    from discreet.matrices import Matrix, convert
    from discreet.mechanisms.learning import Outlook
else:
    inputs, convert = lazily("discreet.estimators.inputs"), lazily("discreet.matrices.convert")

pipeline = lazily("sklearn.pipeline")
T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")
_TRUTH = (bool, np.bool_)
_WORDS = {bool: "True or False", int: "a whole number", float: "a number", str: "a text", NoneType: "None"}
_TAKEN: dict[Any, tuple[type, ...]] = {bool: _TRUTH, int: (Integral,), float: (Real,), str: (str,), NoneType: (NoneType,)}
_UNTOLD: "WeakSet[Any]" = WeakSet()
"""Estimators that were made without a bound of rows."""
_SEEN: dict[bytes, None] = {}
"""Digests of tables that were fitted on without a ledger."""
_BLOCKS: "WeakSet[BlockTable]" = WeakSet()
"""Tables in blocks, likewise."""
_MOST_SEEN, _NUMBERS = 4096, 1 << 18
"""Digests that are kept, the oldest goes first; and numbers of a table that one is made of."""


class Answering(Frameless, ABCMeta):
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


def advise(estimator: Any, X: Any, *, privacy: Privacy, records: int | None, encoded: bool, on_a_ledger: bool, seeded: bool) -> None:
    """Warn of what module docstring lists; `records` is n where it is public, `encoded` whether a schema made the rows."""
    if not privacy.adds_noise or _inside(estimator):
        return
    untold = estimator in _UNTOLD and not encoded
    empty = isinstance(X, EncodedTable) and X.numeric == X.rows.shape[1] == 1 and not X.coding.longest
    again = not on_a_ledger and _again(X)
    rows = _about_rows(estimator, untold=untold, again=again, empty=empty)
    for words in (*about_numbers(privacy, records, seeded=seeded), *_about_callers(estimator), *rows):
        warnings.warn(words, PrivacyAdvice, stacklevel=caller())


def advise_of_worth(estimator: Any, outlook: "Outlook | None") -> None:
    """Warn where no more is to be expected of a fit than of one answer for everybody."""
    if outlook is not None and outlook.little and not _inside(estimator):
        warnings.warn(outlook.words, PrivacyAdvice, stacklevel=caller())


def _inside(estimator: Any) -> bool:
    """Whether the fit was called by this library: by a search, or for cuts, which have their own guarantee and entry."""
    frame, outer = inspect.currentframe(), None
    while frame is not None:
        if frame.f_code.co_name in {"fit", "fit_many"} and frame.f_locals.get("self") is estimator:
            outer = frame.f_back
        frame = frame.f_back
    while outer is not None and is_door(outer):
        outer = outer.f_back
    return outer is not None and str(outer.f_globals.get("__name__", "")).startswith(f"{__name__.partition('.')[0]}.")


def _about_rows(estimator: Any, *, untold: bool, again: bool, empty: bool) -> Iterator[str]:
    if untold:
        name = "data_bound" if estimator.data_norm is None else "data_norm"
        yield (
            f"{name} was left at {getattr(estimator, name)}, so rows beyond that are shortened. Scale the columns by public bounds "
            "(Schema.transformer does) and set data_norm or data_bound, which you know without the records; or set data_norm='private' "
            "where the model supports it."
        )
    if empty:
        yield (f'with rows = "normalise" nothing can be learnt: {FOR_NOTHING}. Leave rows out of the schema, or write rows = "bound".')
    if again:
        yield (
            "this table was used in an earlier fit, and no ledger is in use: the privacy losses add up, and nothing keeps track of the "
            "total. Pass ledger=Account(path, name), or use discreet.ledger.using(path, name)."
        )


def _about_callers(estimator: Any) -> Iterator[str]:
    """What scikit-learn was doing when it called this fit."""
    frame, searched, scored, learnt, outer = inspect.currentframe(), False, False, set[str](), list[str]()
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        scored = scored or module.startswith("sklearn.model_selection._validation")
        holder = frame.f_locals.get("self") if "fit" in frame.f_code.co_name else None
        if isinstance(holder, pipeline.Pipeline):
            learnt |= {name for name, step in holder.steps[:-1] if _learns(step)}
        elif isinstance(holder, BaseEstimator) and holder is not estimator and not _ours(holder):
            if not searched and any(kind.__module__.startswith("sklearn.model_selection.") for kind in type(holder).__mro__):
                searched = True
                yield f"{type(holder).__name__} chooses by scores that are not private, so its choice is not private. Use PrivateSearchCV."
            else:
                outer.append(type(holder).__name__)
        elif module.startswith("sklearn.") and module.split(".")[1] not in _PASSING:  # a function of theirs, in a process of its own perhaps
            outer.append(module)
        frame = frame.f_back
    if outer and not (searched or scored):
        yield (
            f"{outer[-1]} calls the fit of {type(estimator).__name__}: every such call spends epsilon and delta, and what it learns or chooses from "
            f"the records besides is not private. Fit {type(estimator).__name__} by itself{_BY_ITSELF.get(outer[-1], '')}."
        )
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


_PASSING = {"base", "pipeline", "utils", "model_selection"}
"""Of scikit-learn's modules those that only pass a call on, and the one that is told of by itself."""
_BY_ITSELF = {"CalibratedClassifierCV": ", or with fit_with_calibration, which corrects its probabilities within one budget"}


def _ours(holder: Any) -> bool:
    """Whether an estimator is one of this library, or made from one."""
    return any(kind.__module__.startswith(f"{__name__.partition('.')[0]}.") for kind in type(holder).__mro__)


def _learns(step: Any) -> bool:
    """Whether a step of a pipeline asks for a fit."""
    return not (step is None or isinstance(step, str)) and bool(get_tags(step).requires_fit)


def _again(X: Any) -> bool:
    """Whether a fit saw this table before."""
    if isinstance(X, BlockTable):
        before = X.source in _BLOCKS
        _BLOCKS.add(X.source)
        return before
    array = type(X) is np.ndarray and X.ndim == 2
    rows: Any = X.rows if isinstance(X, EncodedTable) else X if array else inputs.feature_rows(X)
    count, width = rows.shape
    some = max(1, _NUMBERS // width)
    places = np.arange(count) if count <= some else np.linspace(0, count - 1, some).astype(np.intp)
    chosen: Matrix = convert.as_matrix(rows[places].astype(np.float64)) if array else rows.chosen(places)
    code = blake2b(f"{count} {width}".encode(), key=_secret(), digest_size=16)
    for part in chosen.content():
        code.update(part)
    found = code.digest()
    before = found in _SEEN
    while len(_SEEN) >= _MOST_SEEN:
        del _SEEN[next(iter(_SEEN))]
    _SEEN[found] = None
    return before


def forget() -> None:
    """Begin anew, as in another process: for tests."""
    _SEEN.clear()
    _BLOCKS.clear()


@lru_cache(maxsize=1)
def _secret() -> bytes:
    """Of this process."""
    return SystemNoise().words()(4).tobytes()


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
