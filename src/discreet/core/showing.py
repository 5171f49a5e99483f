"""How results are shown without importing what shows them.

`discreet.display` stands above all results and knows them; they know it by name alone. `shown("ledger.plot", ...)` is
`discreet.display.ledger.plot(...)`, imported when somebody looks. That every name is there is tested in tests/test_architecture.py.
"""

from importlib import import_module


def shown(what: str, *given: object) -> str:
    """The HTML or SVG that the function `what` of `discreet.display` makes of what is given; raises what it raises."""
    module, _, function = what.rpartition(".")
    made: str = getattr(import_module(f"discreet.display.{module}"), function)(*given)
    return made
