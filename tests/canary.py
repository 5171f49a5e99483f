"""The canary: a number that no repr, message, log, warning or file may ever show."""

CANARY = 918273.645
DIGITS = ("918273", "918_273", "918,273", "9.18273", "273.645")


def assert_silent(text: object) -> None:
    """Fail if any spelling of the canary's digits is in the text."""
    shown = str(text)
    for digits in DIGITS:
        assert digits not in shown, "a private value was shown"
