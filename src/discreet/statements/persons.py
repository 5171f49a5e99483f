"""What a certificate says where the unit of privacy is a person, whatever the mechanism.

    theorem of the mechanism; SHARED      rows of one person share one record's weight: a_i >= 0 with sum a_i <= 1, functions of that person's rows
    theorem of the mechanism; APART       rows of one person leave one by one, and the noise hides all of them together
    theorem of the mechanism; ONE_ROW     nobody has a second row

SHARED is true of a mechanism whose noise hides what one record may move, where the sum over one person's rows is a convex combination of such moves,
and of one whose own theorem is for such sums (proof note persons.md of the learning mechanisms). APART is true of released rows, whose noise knows
how many a person has at most (proof note rows.md of the releases). `register_words` says which mechanisms these are; any other one is refused
persons with several rows, when it runs and when its certificate is read.
"""

from discreet.accounting.groups import ONE_ROW
from discreet.core.neighbours import Persons

SHARED = "rows of one person share one record's weight (persons.md)"

APART = "rows of one person do not share a weight, and move sqrt(their number) times as far as one (rows.md)"


def theorem_for(theorem: str, persons: Persons, several: str = SHARED) -> str:
    """That of a mechanism, for persons; `several` of whom have several rows."""
    return f"{theorem}; {several if persons.several else ONE_ROW}"


def conditions_for(persons: Persons, several: str = SHARED) -> tuple[tuple[str, str], ...]:
    """What is required of rows and persons besides, and what enforces it."""
    kept = f"kept are at most {persons.rows} rows of a person, drawn uniformly by the run's own randomness"
    one = "one row of each person is kept, drawn uniformly by the run's own randomness"
    each = {"person": "one over the number of rows of its person", "row": f"one over {persons.rows}"}.get(persons.weight)
    owned = {
        "declared": ("nobody has a second row", "declared by the caller: rows are not told apart"),
        "kept": ("nobody has a second row", one),
        SHARED: (f"the weights of one person's rows add up to at most 1: a row weighs {each}", f"{kept}; weights know their number alone"),
        APART: (f"a person has at most {persons.rows} rows, and noise hides them together", f"{kept}, and they leave in a secret uniform order"),
    }["declared" if not persons.told_apart else several if persons.several else "kept"]
    return owned, ("neighbours differ in all rows of one person", "what is said of records above is said of persons")
