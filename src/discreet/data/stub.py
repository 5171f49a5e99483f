"""A schema to be filled in, written from the header alone: no cell of the table has any influence on it.

Every column gets both of its possible tables; its owner keeps one and replaces the placeholders by what is publicly known. Until then
`Schema.from_toml` refuses the text and says what is still open.
"""

from collections.abc import Sequence

from discreet.core.errors import SchemaError
from discreet.core.words import did_you_mean
from discreet.data.labels import PLACEHOLDER, checked_text
from discreet.data.toml_text import toml_key, toml_string

_OPEN = toml_string(PLACEHOLDER)

_HEAD = """\
# What is public about this table. Everything here will be published with the model, so write down what is known
# without looking at the records: from the questionnaire, the law, the code book. Never copy a bound or a list of
# categories from the table itself.
format = "discreet-schema/1"
name = {name}

# "normalise": each row is divided by its own norm, and the norm bound is 1.
# "bound": rows stay as they are, and the norm bound is the square root of the number of columns.
rows = "normalise"

# Texts that stand for a missing value, beside the empty one; as in ["?", "NA"].
missing_values = []

# The column to predict and its classes: two, of which the second is the positive one, or more in any order.
# other = "CLASS" and missing = "CLASS" say what any other value and a missing one count as; without them such a table is refused.
[target]
column = {target}
classes = [{open}, {open}]

# Each column below has two tables: keep ONE, fill it in and delete the other; delete both to leave the column out.
# A column of dates has a table [date.NAME] instead, with lower = "1990-01-01" and upper = "2030-12-31".
# numeric        lower and upper are the smallest and the largest possible value.
#                encoding = "curve" lets a model be any smooth curve of the number; without the line it is a straight line.
#                Further lines: outside = "clip" lets a value outside count as the nearer bound,
#                missing = NUMBER says what a missing one counts as, scale = "symmetric" encodes to [-1, 1] instead of [0, 1].
# categorical    categories are all possible values, at least two.
#                Further lines: other = "CATEGORY" and missing = "CATEGORY" say what any other value and a missing one count as.
# Without these lines a table with such values is refused.
"""

_COLUMN = """
[numeric.{key}]
lower = {open}
upper = {open}
encoding = "curve"
[categorical.{key}]
categories = [{open}, {open}]
"""


def schema_stub(header: Sequence[str], *, name: str, target: str | None = None) -> str:
    """A commented TOML stub for a table with these column names. Raises SchemaError for a header or a target that no schema can have."""
    checked_text(name, what="name")
    for column in header:
        checked_text(column, what="a column name")
    if len(set(header)) != len(header):
        raise SchemaError("two columns of the header have the same name. Give each its own.")
    if target is not None and target not in header:
        raise SchemaError(f"the header has no column {target!r} to be the target.{did_you_mean(target, header)}")
    if not set(header) - {target}:
        raise SchemaError("the header needs at least one column that can be a feature.")
    column = toml_string(target) if target is not None else _OPEN
    head = _HEAD.format(name=toml_string(name), target=column, open=_OPEN)
    return head + "".join(_COLUMN.format(key=toml_key(one), open=_OPEN) for one in header if one != target)
