import pytest

from discreet.core.errors import SchemaError
from discreet.data.labels import canonical, checked_labels, checked_text, declared, label_array, of_one_type, spellings


@pytest.mark.parametrize(("label", "texts"), [("Private", ("Private",)), (1, ("1", "1.0")), (-3, ("-3", "-3.0")), (True, ("true", "True", "TRUE"))])
def test_a_label_matches_its_documented_texts(label, texts):
    assert spellings(label) == texts
    assert canonical(label) == texts[0]


@pytest.mark.parametrize("labels", [("a", "b", "a"), (1, "1"), (True, "true"), (1, "1.0"), ("True", True)])
def test_labels_that_match_the_same_text_are_duplicates(labels):
    with pytest.raises(SchemaError, match="twice"):
        checked_labels(labels, what="categories")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("ab", "must be a list"),
        (3, "must be a list of strings, integers or booleans"),
        (["a"], "needs at least 2 labels; 1 was given"),
        (["a", 0.5], "Put fractional numbers in quotes"),
        (["a", 2**63], "64 bits"),
        (["a", " b"], "has blanks around it"),
        (["a", ""], "must not be empty"),
        (["a", "\ud800"], "surrogate"),
        (["a", "red\x1b[31m"], "control character"),
        (["a", "two\nlines"], "control character"),
        (["a", "\x9b31m"], "control character"),
        (["a", "turned\u202eback"], "control character"),
        (["a", "FILL IN"], "placeholder"),
    ],
)
def test_labels_that_cannot_be_used_are_refused_with_the_remedy(labels, message):
    with pytest.raises(SchemaError, match=message) as caught:
        checked_labels(labels, what="categories")
    assert caught.value.__context__ is None


def test_a_label_is_declared_by_its_text_and_kept_as_declared():
    assert declared("2", (1, 2), what="other", among="categories") == 2
    assert declared(None, (1, 2), what="other", among="categories") is None
    with pytest.raises(SchemaError, match="Did you mean 'unknown'"):
        declared("unknwon", ("a", "unknown"), what="other", among="categories")


def test_a_name_must_be_a_string():
    with pytest.raises(SchemaError, match=r"a number was given. Put it in quotes"):
        checked_text(1, what="name")


MIXED = {
    (False, True): (bool, (False, True)),
    (1, 2): (int, (1, 2)),
    ("a", "b"): (str, ("a", "b")),
    (False, True, "unknown"): (str, ("false", "true", "unknown")),
    (1, 2, "none"): (str, ("1", "2", "none")),
    (1, True): (str, ("1", "true")),
}
"""Labels, and the type and the values of what is made of them."""


@pytest.mark.parametrize("labels", MIXED)
def test_what_is_made_of_labels_has_one_type_in_which_they_still_differ(labels):
    assert of_one_type(labels) == MIXED[labels]
    array = label_array(labels)
    assert array.tolist() == list(MIXED[labels][1])
    assert [canonical(one) for one in array.tolist()] == [canonical(one) for one in labels]
