"""Honest certificates of every kind verify and forged ones do not: a few hundred of those that benchmarks/forgeries.py makes by the thousand."""

import importlib.util
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from discreet import LogisticRegression
from discreet.certificates import Certificate
from discreet.core.errors import DiscreetError
from discreet.words import words_of

PATH = Path(__file__).parent.parent / "benchmarks" / "forgeries.py"


@pytest.fixture(scope="module")
def forgeries():
    spec = importlib.util.spec_from_file_location("forgeries", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        ("fit", 12),
        ("persons", 12),
        ("many", 3),
        ("kernel", 3),
        ("model", 12),
        ("regression", 8),
        ("set", 6),
        ("release", 20),
        ("categories", 6),
        ("counts", 15),
        ("summaries", 5),
        ("curvature", 4),
        ("norms", 3),
    ],
)
def test_honest_ones_verify_and_forged_ones_do_not(forgeries, kind, count):
    draw, turns, made, tried = np.random.default_rng(7), Counter(), 0, 0
    while made < count:
        tried += 1
        assert tried <= 1000 * (made + 1), "nearly all that was drawn was refused"
        try:
            one = forgeries.KINDS[kind][0](draw)
        except DiscreetError:
            continue
        made += 1
        assert one.holds(one.document), one.kind
        for _ in range(4):
            changed = forgeries.forgery(one.document, draw, turns)
            if changed is None:
                continue
            what, document = changed
            try:
                accepted = one.holds(document)
            except DiscreetError:
                accepted = False
            assert not accepted, f"{one.kind}: {what}"


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (lambda d: d.update(releases=0), "form"),
        (lambda d: d.update(releases=-1), "form"),
        (lambda d: d.update(version="9.9"), "form"),
        (lambda d: d.update(hypotheses=[]), "hypotheses"),
        (lambda d: d["guarantee"].update(theorem="a theorem in Lean"), "theorem"),
        (lambda d: d["guarantee"].update(local=True), "theorem"),
        (lambda d: d["guarantee"].update(secret=["a seed"]), "theorem"),
        (lambda d: d["problem"].update(max_weight=0.001), "hypotheses"),
        (lambda d: d["problem"].update(records=-5), "record"),
        (lambda d: d["problem"].update(more=1), "record"),
        (lambda d: d["noise"].update(source="ChaCha20 from a seed chosen by the caller: reproducible, therefore not private"), "noise source"),
        (lambda d: d.update(declared=["nothing at all"]), "declared"),
    ],
)
def test_what_used_to_verify_fails_by_name(forgeries, change, check):
    one = forgeries.fit(np.random.default_rng(11))
    document = json.loads(json.dumps(one.document))
    change(document)
    assert check in {found.name for found in Certificate.from_dict(document).verify().checks if not found.ok}


_RULE = {"rows": 7, "weight": "person"}


def _rebuilt(document, persons):
    """The document as a forger writes it who knows the library: another rule of persons, and every word that belongs to it."""
    problem = {name: value for name, value in document["problem"].items() if name != "persons"} | ({} if persons is None else {"persons": persons})
    words = words_of(document["mechanism"], document["parameters"], problem)
    said = [{"required": one.required, "enforced": one.enforced} for one in words.hypotheses]
    guarantee = {**document["guarantee"], "theorem": words.theorem, "unit": str(words.unit)}
    return {**document, "problem": problem, "hypotheses": said, "guarantee": guarantee}


@pytest.fixture(scope="module", params=["add-remove", "replace-one"])
def of_persons(request):
    """Certificates of the same fit: for records, and for persons of whom at most 7 rows are kept."""
    X, y = np.random.default_rng(2).uniform(-1, 1, (200, 2)), np.arange(200) % 2
    model = LogisticRegression(epsilon=1.0, delta=1e-6, classes=[0, 1], mechanism="objective", neighbours=request.param)
    alone = model.fit(X, y).certificate_.to_dict()
    return alone, model.set_params(rows_per_person=7).fit(X, y, persons=np.arange(200) // 5).certificate_.to_dict()


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (lambda d: d["guarantee"].update(unit="record"), "theorem"),
        (lambda d: d["problem"].pop("persons"), "hypotheses"),
        (lambda d: d["problem"]["persons"].update(rows=8), "hypotheses"),
        (lambda d: d["problem"]["persons"].update(rows=1), "hypotheses"),
        (lambda d: d["problem"]["persons"].update(weight="row"), "hypotheses"),
        (lambda d: d["problem"]["persons"].update(rows=1, weight="declared"), "hypotheses"),
        (lambda d: d["problem"]["persons"].update(weight="declared"), "record"),
        (lambda d: d["problem"]["persons"].update(rows=0), "record"),
        (lambda d: d["problem"]["persons"].update(names=["Ada"]), "record"),
        (lambda d: d.update(hypotheses=d["hypotheses"][:-1]), "hypotheses"),
    ],
)
def test_a_rule_of_persons_that_was_changed_fails_by_name(of_persons, change, check):
    document = json.loads(json.dumps(of_persons[1]))
    assert Certificate.from_dict(document).verify().ok
    change(document)
    assert check in {found.name for found in Certificate.from_dict(document).verify().checks if not found.ok}


def test_a_promise_to_a_record_does_not_become_one_to_a_person(of_persons):
    """By the unit alone; nor, where one is added, with every word rebuilt: several rows need a little more noise than one, and the number fails."""
    alone, _ = json.loads(json.dumps(of_persons))
    assert Certificate.from_dict(_rebuilt(alone, None)).verify().ok
    swapped = {**alone, "guarantee": {**alone["guarantee"], "unit": "person"}}
    assert [found.name for found in Certificate.from_dict(swapped).verify().checks if not found.ok] == ["theorem"]
    if alone["guarantee"]["neighbours"] == "add-remove":
        forged = Certificate.from_dict(_rebuilt(alone, _RULE))
        assert [found.name for found in forged.verify().checks if not found.ok] == ["delta"]


def test_an_unknown_key_of_a_certificate_is_refused(forgeries):
    one = forgeries.fit(np.random.default_rng(11))
    for part in ("", "guarantee", "noise"):
        document = json.loads(json.dumps(one.document))
        (document[part] if part else document)["more"] = 1
        with pytest.raises(DiscreetError):
            Certificate.from_dict(document)


def test_a_number_of_records_under_add_remove_is_one_that_was_declared(forgeries):
    X, y = np.random.default_rng(2).uniform(-1, 1, (20, 2)), np.arange(20) % 2
    document = LogisticRegression(classes=[0, 1], neighbours="add-remove").fit(X, y).certificate_.to_dict()
    document["problem"] = {**document["problem"], "records": 20}
    failed = {found.name for found in Certificate.from_dict(document).verify().checks if not found.ok}
    assert "declared" in failed
    declared = LogisticRegression(classes=[0, 1], neighbours="add-remove", public_records=20).fit(X, y).certificate_
    assert declared.verify().ok
    assert "about 20 records" in declared.declared


@pytest.mark.parametrize(("records", "dimension"), [(40, 1), (3000, 8), (20_000, 2)])
def test_the_unit_of_targets_is_the_one_that_the_noisy_count_gives(records, dimension):
    """What is read from a fit is multiplied by it: a forged one would make intervals narrower."""
    from dataclasses import replace

    from discreet import LinearRegression

    X = np.random.default_rng(2).uniform(-0.5, 0.5, (records, dimension))
    fitted = LinearRegression(mechanism="objective", epsilon=2.0, delta=1e-6, data_norm=2.0, target_bound=3.0, neighbours="add-remove").fit(
        X, X[:, 0]
    )
    certificate = fitted.certificate_
    assert certificate.verify(fitted.weights_).ok
    for unit in {1.0, 0.5, 0.25, 0.125, 0.0625, 1024.0} - {certificate.parameters["unit"]}:
        assert not replace(certificate, parameters={**certificate.parameters, "unit": unit}).verify().ok


def test_the_bounds_of_the_records_are_words_of_every_regression():
    from discreet import LinearRegression

    X = np.random.default_rng(2).uniform(-1, 1, (200, 2))
    for mechanism in ("objective-huber", "refined", "moments", "adassp", "objective", "mixing", "hessian-mixing"):
        fitted = LinearRegression(mechanism=mechanism, epsilon=2.0, delta=1e-5, data_norm=1.5, target_bound=1.0, neighbours="replace-one").fit(
            X, X[:, 0]
        )
        document = fitted.certificate_.to_dict()
        document["problem"] = {**document["problem"], "entry_bound": 0.5}
        failed = {found.name for found in Certificate.from_dict(document).verify().checks if not found.ok}
        assert "hypotheses" in failed, mechanism


def test_a_law_so_narrow_that_it_hides_nothing_does_not_verify():
    """Its potential makes the matrix large: what an eigenvector is known to must not swallow the delta."""
    from discreet.accounting import ApproximateDP, NoGuarantee, Unit
    from discreet.certificates import digest_of
    from discreet.core.neighbours import REPLACE_ONE
    from discreet.data import Domain
    from discreet.mechanisms.base import certified
    from discreet.mechanisms.release import BoundedNoise
    from discreet.noise import SystemNoise
    from discreet.queries import Rows

    query, value = Rows(domain=Domain(features=1, entry_bound=0.2, target_bound=1.0)), np.zeros((3, 2))
    for level in (1e12, 1e14, 1.6668272018432616e16, 1e24, 1e30):
        made = BoundedNoise(half_width=1.0, level=level, epsilon=1.0)
        told = made.guarantee(query)
        true = 1.0 if isinstance(told, NoGuarantee) else told.delta_at_epsilon
        for delta in (1e-9, 1e-6, 0.5 * true):
            theorem = "noise of bounded support, its own law's curve (fisher_noise.md)"
            stated = ApproximateDP(epsilon=1.0, delta_at_epsilon=delta, neighbours=REPLACE_ONE, unit=Unit.ENTRY, theorem=theorem)
            forged = certified(made.name, made.parameters(), query.to_dict(), stated, digest_of(value), SystemNoise().description, noise_private=True)
            assert not forged.verify(value).ok, (level, delta)


def test_what_takes_a_part_of_a_claim_back_is_no_lie_and_what_adds_to_it_is(forgeries):
    X = np.random.default_rng(0).uniform(-0.5, 0.5, (12, 3))
    model = LogisticRegression(epsilon=1.0, delta=1e-6, data_norm=1.0, classes=[0, 1], mechanism="objective")
    several = json.loads(model.fit_many(X, np.arange(12) % 2, count=4).certificate.to_json())
    one = json.loads(model.fit(X, np.arange(12) % 2).certificate_.to_json())

    def less(document, path, factor):
        value = document[path[0]] if len(path) == 1 else document[path[0]][path[1]]
        return forgeries.claims_less(path, document, forgeries._with(document, path, type(value)(factor * value)))

    for path in (("parameters", "epsilon"), ("parameters", "grid_epsilon")):
        assert less(several, path, 2)
        assert not less(several, path, 0.5)
        assert not less(one, path, 2)
    assert less(several, ("releases",), 0.5)
    assert not less(several, ("releases",), 2)
    assert not less(several, ("guarantee", "delta"), 2)
