import pytest

from discreet.core.errors import InvalidInput, SchemaError, quietly


def failing(error):
    raise error


class Panic(BaseException):
    """As polars raises it."""


@pytest.mark.parametrize("error", [ValueError("secret"), Panic("secret")])
def test_what_an_action_raises_is_neither_cause_nor_context_of_the_refusal(error):
    with pytest.raises(InvalidInput) as caught:
        quietly(lambda: failing(error), InvalidInput("public"))
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@pytest.mark.parametrize("error", [SchemaError("ours"), KeyboardInterrupt(), MemoryError()])
def test_our_own_errors_and_interrupts_pass(error):
    with pytest.raises(type(error)) as caught:
        quietly(lambda: failing(error), InvalidInput("public"))
    assert caught.value is error


def test_a_result_passes():
    assert quietly(lambda: 3, InvalidInput("public")) == 3
