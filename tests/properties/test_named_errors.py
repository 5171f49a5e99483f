"""An error of an estimator speaks of the class that was called, and of no other that works inside it."""

import re

import numpy as np
import pytest

from discreet import LogisticRegression, PrivateSearchCV
from tests.estimators.declaring import _exported

ROWS = np.random.default_rng(0).uniform(-0.5, 0.5, (40, 2))
HALVES = np.arange(40) % 2
WRONG = {
    "no targets": lambda made: made.fit(ROWS, None),
    "three dimensions": lambda made: made.fit(ROWS[None], HALVES),
    "not finite": lambda made: made.fit(np.full((40, 2), np.nan), HALVES),
    "targets of three dimensions": lambda made: made.fit(ROWS, np.zeros((40, 3, 2))),
    "too many classes": lambda made: made.fit(ROWS, np.linspace(0.0, 1.0, 40)),
    "one class": lambda made: made.fit(ROWS, np.zeros(40)),
    "not fitted": lambda made: made.predict(ROWS),
    "another width": lambda made: made.fit(ROWS, HALVES).predict(ROWS[:, :1]),
    "no budget": lambda made: made.set_params(epsilon=-1.0).fit(ROWS, HALVES),
}


@pytest.mark.more
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(_exported()))
def test_an_error_names_the_class_that_was_called_or_none(name):
    kinds = _exported()
    others = re.compile("|".join(rf"\b{other}\b" for other in kinds if other != name))
    said = {}
    for what, ask in WRONG.items():
        made = PrivateSearchCV(LogisticRegression(classes=[0, 1]), {"alpha": [0.1]}) if name == "PrivateSearchCV" else kinds[name]()
        try:
            ask(made)
        except (ValueError, TypeError, AttributeError) as error:
            said[what] = str(error)
    assert "no targets" in said or "not finite" in said, "nothing was refused"
    wrong = {what: text for what, text in said.items() if others.search(text) and not re.search(rf"[Uu]se ({others.pattern})", text)}
    assert not wrong
