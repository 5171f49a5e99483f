"""Numbers on the command line: what is written as a number is not read as infinity, at which a fit has no privacy."""

import math
from typing import Any

import click


class _Number(click.types.FloatParamType):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401 - as click has it
        """A float; "inf" is one, and 1e400 is none."""
        number: float = super().convert(value, param, ctx)
        if math.isinf(number) and isinstance(value, str) and "inf" not in value.lower():
            self.fail("a number beyond the range of float64 was given, up to 1.8e308.", param, ctx)
        return number


NUMBER = _Number()
