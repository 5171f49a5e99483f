"""What a certificate says where the unit of privacy is a person, whatever the mechanism.

    theorem of the mechanism; SHARED      rows of one person share one record's weight: a_i >= 0 with sum a_i <= 1, functions of that person's rows
    theorem of the mechanism; ONE_ROW     nobody has a second row

SHARED is true of a mechanism whose noise hides what one record may move, where the sum over one person's rows is a convex combination of such moves,
and of one whose own theorem is for such sums (proof note persons.md of the learning mechanisms). `register_words` says which these are; any other one
is refused persons with several rows, when it runs and when its certificate is read.
"""

from discreet.accounting.groups import ONE_ROW
from discreet.core.neighbours import Persons

SHARED = "rows of one person share one record's weight (persons.md)"


def theorem_for(theorem: str, persons: Persons) -> str:
    """That of a mechanism, for persons."""
    return f"{theorem}; {SHARED if persons.several else ONE_ROW}"


def conditions_for(persons: Persons) -> tuple[tuple[str, str], ...]:
    """What is required of rows and persons besides, and what enforces it."""
    kept = f"kept are at most {persons.rows} rows of a person, drawn uniformly by the run's own randomness; weights know their number alone"
    one = "one row of each person is kept, drawn uniformly by the run's own randomness"
    each = {"person": "one over the number of rows of its person", "row": f"one over {persons.rows}"}.get(persons.weight)
    owned = {
        "declared": ("nobody has a second row", "declared by the caller: rows are not told apart"),
        "kept": ("nobody has a second row", one),
        "shared": (f"the weights of one person's rows add up to at most 1: a row weighs {each}", kept),
    }["declared" if persons.weight == "declared" else "shared" if persons.several else "kept"]
    return owned, ("neighbours differ in all rows of one person", "what is said of records above is said of persons")
