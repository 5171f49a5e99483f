"""The properties of guarantees over everything that discreet.accounting exports, and the proof that each can fail.

A new kind of guarantee is under these laws by being exported: `example_of` builds it from its fields, and fails until it knows how.
"""

import dataclasses
import itertools
import json
import math

import numpy as np
import pytest

import discreet.accounting as package
from discreet.accounting import Guarantee, NoGuarantee, PureDP, Statement, Unit, compose, group, guarantee_from_dict, n_fold, post_processed
from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE

VALUES = {
    "epsilon": 0.8,
    "delta_at_epsilon": 1e-5,
    "mu": 0.6,
    "rho": 0.2,
    "bits": 0.05,
    "orders": (1.5, 2.0, 4.0, 16.0),
    "divergences": (0.1, 0.2, 0.3, 0.9),
    "epsilons": (0.0, 0.5, 2.0),
    "deltas_at": (0.3, 0.05, 1e-6),
    "information": ((2.0, 0.5), (0.5, 1.0)),
    "prior_information": ((1.0, 0.0), (0.0, 1.0)),
}
EPSILONS = np.linspace(0.0, 4.0, 41)
STATED = {field.name for field in dataclasses.fields(Statement)}
KINDS = [
    kind for name in package.__all__ if isinstance(kind := getattr(package, name), type) and issubclass(kind, Statement) and kind is not Statement
]
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def example_of(kind, **scope):
    names = [field.name for field in dataclasses.fields(kind) if field.name not in STATED]
    assert set(names) <= VALUES.keys(), f"give {kind.__name__} a value for each of {names}"
    return kind(**{name: VALUES[name] for name in names}, **{"neighbours": REPLACE_ONE, "theorem": "a theorem", **scope})


def test_every_exported_class_is_a_guarantee_or_says_what_one_is():
    classes = {name for name in package.__all__ if isinstance(getattr(package, name), type)}
    assert classes - {kind.__name__ for kind in KINDS} == {"Closeness", "Guarantee", "Statement", "Unit"}
    assert len(KINDS) >= 9


def check_curve(part):
    """A number in [0, 1] that never rises, and that no composition or grouping lowers."""
    curve = [part.delta(epsilon) for epsilon in EPSILONS]
    assert all(0.0 <= value <= 1.0 for value in curve)
    assert all(later <= earlier * (1 + 1e-9) for earlier, later in itertools.pairwise(curve))


def check_scope(part):
    """Relation, unit and theorem are stated, and survive a file."""
    record = part.to_dict()
    again = guarantee_from_dict(json.loads(json.dumps(record, allow_nan=False)))
    assert again == part
    assert hash(again) == hash(part)
    assert record["neighbours"] == part.neighbours
    assert record["unit"] == part.unit
    assert record["theorem"]
    assert record.get("secret", []) == list(part.secret)
    assert record.get("local", False) == part.local


def check_composition(composed_of):
    """Two releases promise no more than one, in any order, and forget neither unit nor secrets."""

    def check(part):
        secret = dataclasses.replace(part, secret=("the key",))
        whole, turned = composed_of([part, secret]), composed_of([secret, part])
        assert (whole.neighbours, whole.unit, whole.local) == (part.neighbours, part.unit, part.local)
        assert isinstance(part, NoGuarantee) or whole.secret == ("the key",)
        for epsilon in EPSILONS:
            assert whole.delta(epsilon) >= part.delta(epsilon) * 0.999
            assert whole.delta(epsilon) == pytest.approx(turned.delta(epsilon), rel=1e-6, abs=1e-15)
        assert part.delta(0.3) in (0.0, 1.0) or whole.delta(0.3) > 1.001 * part.delta(0.3)

    return check


CHECKS = [check_curve, check_scope, check_composition(lambda parts: compose(parts, planned=True))]


@each_kind
@pytest.mark.parametrize("check", CHECKS, ids=["curve", "scope", "composition"])
def test_law_holds(kind, check):
    check(example_of(kind))


@each_kind
def test_n_fold_is_composing_n_times(kind):
    part = example_of(kind)
    assert n_fold(part, 5, planned=True) == compose([part] * 5, planned=True)
    for count in (0, -1, 2.0, True):
        with pytest.raises(InvalidInput, match="integer of at least 1"):
            n_fold(part, count)


@each_kind
@pytest.mark.parametrize("change", [{"neighbours": ADD_REMOVE}, {"unit": Unit.ENTRY}, {"unit": Unit.FEATURES}, {"local": True}], ids=str)
def test_unlike_scopes_raise(kind, change):
    part = example_of(kind)
    try:
        other = dataclasses.replace(part, **change)
    except InvalidInput:
        return
    if other == part:
        return
    for planned in (False, True):
        with pytest.raises(InvalidInput, match="guarantees compose only with the same neighbouring"):
            compose([part, other], planned=planned)


@each_kind
def test_groups_are_promised_less_or_nothing_follows(kind):
    part = example_of(kind)
    try:
        pair = group(part, 2)
    except InvalidInput:
        assert kind.__name__ in {"MutualInformation", "CramerRaoBound"}
        return
    assert all(pair.delta(epsilon) >= part.delta(epsilon) * (1 - 1e-9) for epsilon in EPSILONS)


@each_kind
def test_post_processing_keeps_it(kind):
    assert post_processed(example_of(kind)) == example_of(kind)


@each_kind
def test_it_is_frozen_and_satisfies_the_protocol(kind):
    part = example_of(kind)
    assert isinstance(part, Guarantee)
    with pytest.raises(dataclasses.FrozenInstanceError):
        part.theorem = "another"


@each_kind
def test_a_record_without_one_of_its_fields_is_refused(kind):
    record = example_of(kind).to_dict()
    for name in record.keys() - {"prior_information"}:
        with pytest.raises(FileFormatError):
            guarantee_from_dict({key: value for key, value in record.items() if key != name})


# A law that cannot fail is not a law: each is met by a guarantee or a rule with one planted fault.


@dataclasses.dataclass(frozen=True, kw_only=True)
class Planted(PureDP):
    """A pure guarantee with one method replaced."""

    fault: str

    def delta(self, epsilon):
        if self.fault == "rises":
            return min(1.0, 0.1 * epsilon)
        return math.nan if self.fault == "nan" else PureDP.delta(self, epsilon)

    def to_dict(self):
        record = PureDP.to_dict(self)
        return {**record, "epsilon": 0.5 * self.epsilon} if self.fault == "another number" else {**record, "unit": "entry"}


@pytest.mark.parametrize(
    ("check", "fault"),
    [(check_curve, "rises"), (check_curve, "nan"), (check_scope, "another number"), (check_scope, "another unit")],
)
def test_a_planted_fault_breaks_the_law(check, fault):
    with pytest.raises(AssertionError):
        check(Planted(epsilon=1.0, neighbours=REPLACE_ONE, theorem="t", fault=fault))


RULES = {
    "the count is forgotten": lambda parts: parts[-1],
    "secrets are forgotten": lambda parts: dataclasses.replace(compose(parts, planned=True), secret=()),
    "the unit is forgotten": lambda parts: dataclasses.replace(compose(parts, planned=True), unit=Unit.ENTRY),
    "the relation is forgotten": lambda parts: dataclasses.replace(compose(parts, planned=True), neighbours=ADD_REMOVE),
    "only the last part counts twice": lambda parts: compose([parts[-1]] * (1 + len(parts[-1].secret)), planned=True),
}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
def test_a_planted_rule_of_composition_is_caught(rule):
    with pytest.raises(AssertionError):
        check_composition(rule)(example_of(PureDP))
