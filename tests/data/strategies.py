"""Schemas as hypothesis draws them: every kind of name, label and bound that a schema can have."""

from hypothesis import strategies as st

from discreet.data import CategoricalColumn, NumericColumn, Schema, Target
from discreet.data.labels import BLANKS, PLACEHOLDER, spellings
from discreet.data.person_column import PersonColumn

_LETTERS = st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters="\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
names = st.text(_LETTERS, min_size=1, max_size=8).filter(lambda t: t == t.strip(BLANKS) and t != PLACEHOLDER)
labels = st.one_of(names, st.integers(-(2**63), 2**63 - 1), st.booleans())
bounds = st.floats(-1e100, 1e100, allow_nan=False)


def distinct_labels(least: int, most: int) -> st.SearchStrategy[list[str | int | bool]]:
    return st.lists(labels, min_size=least, max_size=most, unique_by=tuple(lambda label, at=at: (spellings(label) * 3)[at] for at in range(3)))


@st.composite
def numeric_columns(draw, name):
    lower, upper = sorted(draw(st.lists(bounds, min_size=2, max_size=2, unique=True)))
    return NumericColumn(
        name=name,
        lower=lower,
        upper=upper,
        outside=draw(st.sampled_from(["clip", None])),
        missing=draw(st.none() | st.floats(lower, upper)),
        scale=draw(st.sampled_from(["unit", "symmetric"])),
    )


@st.composite
def categorical_columns(draw, name):
    categories = draw(distinct_labels(2, 4).filter(_really_distinct))
    return CategoricalColumn(
        name=name,
        categories=tuple(categories),
        other=draw(st.none() | st.sampled_from(categories)),
        missing=draw(st.none() | st.sampled_from(categories)),
    )


def _really_distinct(found):
    texts = [text for label in found for text in spellings(label)]
    return len(texts) == len(set(texts))


@st.composite
def schemas(draw):
    columns = draw(st.lists(names.filter(lambda name: "=" not in name), min_size=3, max_size=5, unique=True))
    target, owner, *features = columns
    rows, weight = draw(st.integers(1, 100)), draw(st.sampled_from(["person", "row"]))
    whose = draw(st.sampled_from([{}, {"rows_per_person": 1}, {"person": PersonColumn(column=owner, rows=rows, weight=weight)}]))
    numeric = draw(st.integers(0, len(features)))
    classes = draw(distinct_labels(2, 2).filter(_really_distinct))
    parts = {
        "numeric": tuple(draw(numeric_columns(name)) for name in features[:numeric]),
        "categorical": tuple(draw(categorical_columns(name)) for name in features[numeric:]),
    }
    taken = {text for column in parts["categorical"] for label in column.categories for text in spellings(label)}
    taken |= {text for label in classes for text in spellings(label)}
    return Schema(
        name=draw(names),
        target=Target(column=target, classes=tuple(classes), other=draw(st.none() | st.sampled_from(classes))),
        rows=draw(st.sampled_from(["normalise", "bound"])),
        missing_values=tuple(draw(st.lists(names.filter(lambda text: text not in taken), max_size=2))),
        **parts,
        **whose,
    )
