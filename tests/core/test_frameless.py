import inspect
import pickle
import traceback
from abc import abstractmethod

import pytest
from sklearn.base import BaseEstimator, RegressorMixin, TransformerMixin
from sklearn.utils.metaestimators import available_if

from discreet.core.errors import InvalidInput
from discreet.core.frameless import Frameless, frameless, is_frameless
from tests.canary import CANARY, assert_carries_nothing

ROWS = [CANARY] * 12


def failing(X):
    """With variables of its own, in a closure and in a generator."""
    kept = list(X)

    def inside(place):
        return next(kept[place] for _ in X)

    return inside(len(X))


def chained(X):
    try:
        failing(X)
    except IndexError as error:
        raise ValueError("words") from error


def in_a_handler(X):
    try:
        failing(X)
    except IndexError:
        {}["words"]


def kept_for_later(X):
    def returned(rows):
        try:
            failing(rows)
        except IndexError as error:
            return error

    raise TypeError("words") from returned(X)


def several(X):
    found = []
    for work in (failing, chained):
        try:
            work(X)
        except (IndexError, ValueError) as error:
            found.append(error)
    raise ExceptionGroup("words", found)


def in_a_class(X):
    class Body:
        rows = X
        failing(X)


def without_attribute(X):
    return X.nothing


def interrupted(X):
    raise KeyboardInterrupt


def refused(X):
    raise InvalidInput("words")


class Refused(InvalidInput):
    """With an attribute, which stays."""


def refused_for(X):
    try:
        failing(X)
    except IndexError as error:
        refusal = Refused("words")
        refusal.__context__ = error
        raise refusal  # noqa: B904 - as nobody should


ALL = [failing, chained, in_a_handler, kept_for_later, several, in_a_class, without_attribute, interrupted, refused, refused_for]


def raised(work, *given):
    try:
        work(*given)
    except BaseException as error:  # noqa: BLE001 - an interrupt too
        return error
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize("work", ALL)
def test_what_passes_a_door_takes_no_variable_along(work):
    error = raised(frameless(work), ROWS)
    assert_carries_nothing(error)


@pytest.mark.parametrize("work", [work for work in ALL if work is not refused])
def test_a_door_that_leaves_variables_is_found(monkeypatch, work):
    monkeypatch.setattr("discreet.core.frameless._emptied", lambda traceback: traceback)
    with pytest.raises(AssertionError, match=r"kept|taken"):
        assert_carries_nothing(raised(frameless(work), ROWS))


@pytest.mark.parametrize("work", ALL)
def test_its_kind_its_sentence_and_its_causes_stay(work):
    before, after = raised(work, ROWS), raised(frameless(work), ROWS)
    while before is not None or after is not None:
        assert (type(before), str(before)) == (type(after), str(after))
        before, after = (one.__cause__ or one.__context__ for one in (before, after))


def test_lines_stay_but_those_of_a_refusal():
    def functions(error):
        return [entry.name for entry in traceback.extract_tb(error.__traceback__)]

    assert functions(raised(frameless(failing), ROWS)) == ["raised", "failing", "inside", "<genexpr>"]
    error = raised(frameless(chained), ROWS)
    assert functions(error) == ["raised", "chained"]
    assert functions(error.__cause__) == ["chained", "failing", "inside", "<genexpr>"]
    assert functions(raised(frameless(refused), ROWS)) == ["raised"]


def test_what_the_caller_was_handling_is_the_callers():
    def caller():
        mine = ROWS
        try:
            failing(mine)
        except IndexError as error:
            before = error.__traceback__
            return error, before, raised(frameless(chained), mine)

    error, before, found = caller()
    assert found.__cause__.__context__ is error
    assert error.__traceback__ is before
    assert all(frame.f_locals for frame, _ in traceback.walk_tb(before))


def test_what_it_was_handling_may_be_raised_again():
    def again(X):
        kept = list(X)
        raise handled if kept else None

    try:
        failing(ROWS)
    except IndexError as error:
        handled = error
        assert_carries_nothing(raised(frameless(again), ROWS))


def test_without_the_door_variables_are_there():
    error = raised(frameless(failing).__wrapped__, ROWS)
    assert any("kept" in frame.f_locals for frame, _ in traceback.walk_tb(error.__traceback__))


class Scored:
    """A mixin, which is no door by itself."""

    def score(self, X, y):
        return failing(X)


class Base(Scored, BaseEstimator, metaclass=Frameless):
    """Methods of every sort."""

    def __init__(self, *, there=True):
        self.there = there

    def fit(self, X, y=None, *, persons=None):
        """Fit, and fail."""
        return failing(X)

    @classmethod
    def of_rows(cls, rows):
        return failing(rows)

    @staticmethod
    def of_table(table):
        return failing(table)

    @available_if(lambda self: self.there)
    def predict(self, X):
        """Predict, and fail."""
        return failing(X)

    @abstractmethod
    def decision(self, X): ...

    def count(self, records):
        return records


class Whole(TransformerMixin, RegressorMixin, Base):
    """What scikit-learn wraps, and what it brings."""

    def decision(self, X):
        return failing(X)

    def transform(self, X):
        return failing(X)


class Named(Scored):
    """A mixin of somebody else's, which says more than another."""

    def score(self, X, y):
        return "named"


@pytest.mark.parametrize("name", ["fit", "of_rows", "of_table", "predict", "decision", "transform", "fit_transform", "score"])
@pytest.mark.parametrize("kind", [Whole, pytest.param(type("Sub", (Whole,), {}), id="Sub")])
def test_every_method_of_a_class_is_a_door(kind, name):
    model = kind()
    assert all(map(is_frameless, (inspect.getattr_static(kind, name), getattr(kind, name), getattr(model, name))))
    given = (ROWS, ROWS) if name == "score" else (ROWS,)
    assert_carries_nothing(raised(getattr(model, name), *given))
    if name not in {"of_rows", "of_table"}:
        assert_carries_nothing(raised(getattr(kind, name), model, *given))


def test_other_methods_are_left_alone():
    assert not is_frameless(Base.count)
    assert not is_frameless(Base.get_params)


def test_a_door_is_shown_as_what_it_stands_for():
    assert str(inspect.signature(Base.fit)) == "(self, X, y=None, *, persons=None)"
    assert (Base.fit.__name__, Base.fit.__doc__) == ("fit", "Fit, and fail.")
    assert str(inspect.signature(Whole().predict)) == "(X)"
    assert Whole.predict.__doc__ == Whole().predict.__doc__ == "Predict, and fail."


def test_conditions_and_abstract_methods_stay():
    assert hasattr(Whole(), "predict")
    assert not hasattr(Whole(there=False), "predict")
    with pytest.raises(TypeError, match="decision"):
        Base()


def test_a_bound_method_travels():
    model = Whole()
    for method in (model.fit, model.predict):
        travelled = pickle.loads(pickle.dumps(method))  # noqa: S301 - our own
        assert (travelled.__self__.get_params(), travelled.__func__) == (model.get_params(), method.__func__)


def test_a_mixins_method_comes_not_before_another_bases():
    class Plain(Base):
        def decision(self, X): ...

    class Mixed(Plain, Named):
        """Where a mixin's method was made a door of a base."""

    assert Mixed().score(ROWS, ROWS) == "named"
    assert is_frameless(Mixed.score)
