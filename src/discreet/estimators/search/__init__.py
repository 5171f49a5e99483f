"""A search over settings under one guarantee: fits and scores, and the records in the form that both need."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.estimators.search.search import PrivateSearchCV
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = ["PrivateSearchCV"]
