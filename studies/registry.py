"""All studies by name, in the order of the list. A new one is its folder and a line here; its code is loaded when it is asked for."""

from importlib import import_module

from discreet.core.errors import InvalidInput
from studies.base import Study

STUDIES = ("cms", "talwar", "tu", "showkatbakhsh", "farokhi", "league")
"""Each is a package of this one, whose module `study` has an object STUDY."""


def study_named(name: str) -> Study:
    """The study. Raises InvalidInput for a name that there is not."""
    if name not in STUDIES:
        raise InvalidInput(f"there is no study {name!r}; there are {', '.join(STUDIES)}.")
    made: Study = import_module(f"studies.{name}.study").STUDY
    return made
