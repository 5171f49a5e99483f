"""Noise as the papers print it, for comparison: `calibration="published"`; certificates state what is proved of it."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.papers.classifiers import published_objective, published_output
    from discreet.papers.over_sets import published_over_set
    from discreet.papers.releases import farokhi_theorem_5, showkatbakhsh_16, tu_factor_1, tu_factor_2, tu_theorem_1
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = [
    "farokhi_theorem_5",
    "published_objective",
    "published_output",
    "published_over_set",
    "showkatbakhsh_16",
    "tu_factor_1",
    "tu_factor_2",
    "tu_theorem_1",
]
