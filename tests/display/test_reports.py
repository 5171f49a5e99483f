"""Reports: one sound page on each subject, with the right numbers and nothing private."""

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from discreet import (
    ConstrainedERM,
    KernelClassifier,
    Lasso,
    LassoClassifier,
    LinearSVC,
    LogisticRegression,
    PrivateSearchCV,
    Release,
    Schema,
    SimplexRegression,
    SystemNoise,
)
from discreet.accounting import ApproximateDP, ConcentratedDP, CramerRaoBound, GaussianDP, MutualInformation, NoGuarantee, PureDP, RenyiDP, Unit
from discreet.audit import AuditReport, Claim
from discreet.core.advice import weaknesses
from discreet.core.errors import InvalidInput, InvalidType
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Domain, Records
from discreet.display.pages import page_html, page_markdown
from discreet.display.reports import About, card_of, page_of, write_card, write_report
from discreet.estimators import LinearRegression
from discreet.estimators.intervals.released_noise import noise_share
from discreet.ledger import Account, Ledger
from discreet.matrices import as_matrix
from discreet.mechanisms.release import GaussianRelease
from discreet.queries import Rows
from discreet.releases import publish
from discreet.sets import L2Ball
from tests.canary import assert_silent
from tests.display.conftest import table
from tests.display.reading import read_page, said
from tests.schemas import schema_text

SURVEY = schema_text("survey", {"column": "<b>hours", "lower": 0, "upper": 80}, {"age": {"lower": 0, "upper": 100, "outside": "clip"}}, rows="bound")
SCOPE = {"neighbours": REPLACE_ONE, "theorem": "a theorem"}


def shown(subject, **more):
    """The words of the report, after looking at the page."""
    page = page_of(subject, **more)
    text = page_html(page)
    read_page(text)
    for written in (text, page_markdown(page)):
        assert_silent(written)
        assert "canary" not in written
    return said(text)


def certificate_with(released, guarantee, **more):
    return replace(released.model.certificate, guarantee=guarantee, **more)


def test_a_model_is_reported_in_plain_words_first(released):
    words = shown(released.model, ledger=released.ledger, name="model.json")
    assert (
        words.index("is right at most") < words.index("How good is it?") < words.index("Appendix for experts") < words.index("What it does not say")
    )
    # delta(0) of (1, 1e-6) is 0.46212; a guess is right in 73.106 % at most, and that is rounded up.
    assert (
        "Someone who knows every other record and uses this model to choose between two equally likely versions of one record is right at most "
        "73.2 % of the time. Tossing a coin is right 50 % of the time."
    ) in words
    assert "is at most 73.2 % sure of it afterwards, up to a chance of 1 in 1,000,000 that this fails" in words
    assert "Someone who is 1 % sure of something is at most 2.7 % sure" in words
    assert "With a chance of up to 1 in 1,000,000 (delta), it may fail" in words
    assert "discreet verify model.json" in words
    assert "Passed. All" in words
    for part in released.model.certificate.hypotheses:
        assert " ".join(part.required.split()) in words
        assert " ".join(part.enforced.split()) in words
    assert released.model.certificate.digest in words


def test_names_that_try_to_be_markup_are_shown_as_they_are(released):
    assert "<script>alert(1)</script>, yes & no" in shown(released.model)
    text = page_html(card_of(released.model, evaluation=released.evaluation))
    assert read_page(text).count("script") == 0
    assert "<img src=x onerror=alert(1)>" in said(text)
    assert "patients <i>" in shown(released.ledger)


def test_the_budget_before_and_after_is_the_ledgers(released):
    words = shown(released.evaluation, ledger=released.ledger)
    for part in (
        "Total agreed on epsilon 3, delta 1e-05",
        "Spent before this release epsilon 1, delta 1e-06",
        "Spent after it epsilon 1.5, delta 1e-06",
        "Left after it epsilon 1.5, delta 9e-06",
        released.evaluation.certificate.ledger_entry,
    ):
        assert part in words
    assert "The keeper of the ledger can say how much is left" in shown(released.evaluation)
    assert "so nothing adds this release to others" in shown(replace(released.model.certificate, ledger_entry=None))


def test_a_ledger_of_another_release_is_refused(released, tmp_path):
    other = Ledger.create(tmp_path / "other.ledger")
    with pytest.raises(InvalidInput):
        page_of(released.model, ledger=other)
    mixed = replace(released.model.certificate, ledger_entry=released.evaluation.certificate.ledger_entry)
    with pytest.raises(InvalidInput, match="state different guarantees"):
        page_of(mixed, ledger=released.ledger)


def test_noise_and_signal_are_public_numbers(released):
    words = shown(released.model)
    length = float(np.linalg.norm(released.model.weights))
    assert f"Length of the released weights {length:.3g}" in words
    found = noise_share(released.model.certificate, released.model.weights)
    assert found.least == found.most, "noise on the weights"
    moved = f"How far noise alone moves them {found.most:.3g}"
    assert moved in words
    assert moved in shown(released.estimator)


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_the_noise_of_a_model_file_is_that_of_the_fit(schema, neighbours):
    from discreet import Model

    encoded = table(schema, 200)
    for made in (
        LogisticRegression(epsilon=1.23456789, delta=1.23456e-7, mechanism="output", neighbours=neighbours, data_norm=schema.norm_bound),
        LogisticRegression(epsilon=2.0, neighbours=neighbours, data_norm=schema.norm_bound, fit_intercept=False),
        LinearSVC(epsilon=0.5, delta=1e-6, neighbours=neighbours, data_norm=schema.norm_bound, loss="huber-hinge"),
    ):
        fitted = made.fit(encoded)
        chosen = fitted.explain(records=200 if neighbours == "replace-one" else None).to_dict()["mechanism"]["text"]
        assert chosen.partition(" (")[0].partition(". ")[0] in shown(Model.from_estimator(fitted, schema))


def test_no_choice_is_stated_that_was_not_found_again(released):
    """Another scale than the tight calibration's, as of a published one, or a weighted fit."""
    parameters = dict(released.model.certificate.parameters) | {"scale": 0.5}
    for part in ({"parameters": parameters}, {"problem": dict(released.model.certificate.problem) | {"max_weight": 2.0}}, {"releases": 2}):
        changed = replace(released.model.certificate, **part)
        assert "times this noise" not in shown(replace(released.model, certificate=changed))


def test_every_estimator_has_a_report():
    random = np.random.default_rng(0)
    X = random.uniform(-0.5, 0.5, (150, 2))
    y, labels = X[:, 0], np.where(X[:, 0] > 0, "b", "a")
    square = {"epsilon": 1.0, "delta": 1e-6, "data_bound": 1.0}
    classes = {"epsilon": 1.0, "delta": 1e-6, "classes": ["a", "b"]}
    for made, targets in (
        (KernelClassifier(**classes), labels),
        (LassoClassifier(data_bound=1.0, **classes), labels),
        (Lasso(**square, target_bound=1.0), y),
        (SimplexRegression(**square, target_bound=1.0), y),
        (LinearRegression(epsilon=1.0, delta=1e-6, target_bound=1.0), y),
        (LogisticRegression(epsilon=1.0, classes=["a", "b", "c"]), random.choice(["a", "b", "c"], 150)),
    ):
        words = shown(made.fit(X, targets))
        assert "FAILED" not in words
        assert type(made).__name__ in words


def test_a_seeded_fit_protects_nobody(schema):
    fitted = LogisticRegression(epsilon=1.0, data_norm=schema.norm_bound, random_state=0).fit(table(schema, 100))
    words = shown(fitted)
    assert words.index("anyone who knows the seed can subtract it: nobody is protected") < words.index("Someone who knows")
    assert "Nothing is protected." in words
    assert "The certificate does not hold" in words


def test_no_privacy_is_no_promise(schema):
    words = shown(LogisticRegression(epsilon=float("inf"), data_norm=schema.norm_bound).fit(table(schema, 100)))
    assert "Nobody is protected" in words
    assert "50 %" not in words


@pytest.mark.parametrize(
    ("guarantee", "parts"),
    [
        (
            PureDP(epsilon=1.0, **SCOPE),
            ["mu (Gaussian DP) 1.233", "rho (zero-concentrated DP) 0.4622", "bits about one record 0.6667", "order 2 0.7354"],
        ),
        (ApproximateDP(epsilon=1.0, delta_at_epsilon=1e-6, **SCOPE), ["mu, rho, Renyi divergences, bits - nothing more follows"]),
        (GaussianDP(mu=0.5, **SCOPE), ["mu (Gaussian DP) 0.5", "rho (zero-concentrated DP) 0.125", "right at most 59.9 %"]),
        (ConcentratedDP(rho=0.1, **SCOPE), ["rho (zero-concentrated DP) 0.1", "bits about one record 0.1443", "epsilon at delta 1e-06"]),
        (RenyiDP(orders=(2.0, 10.0), divergences=(0.2, 1.0), **SCOPE), ["Renyi divergence of order 10 1"]),
        (
            MutualInformation(bits=0.5, **SCOPE),
            ["this release tells at most 0.5 bits about it.", "Never read them as a small delta", "89"],
        ),
        (CramerRaoBound(information=((4.0, 0.0), (0.0, 1.0)), **SCOPE), ["That is not a privacy guarantee", "at least 1.25"]),
        (NoGuarantee(**SCOPE), ["Nobody is protected", "There is none, in any measure."]),
    ],
    ids=lambda one: type(one).__name__ if not isinstance(one, list) else "",
)
def test_each_kind_of_guarantee_in_its_currencies(released, guarantee, parts):
    words = shown(certificate_with(released, guarantee))
    for part in parts:
        assert part in words, part


def test_scope_is_said(released):
    entry = shown(certificate_with(released, PureDP(epsilon=1.0, unit=Unit.ENTRY, **SCOPE)))
    assert "between two equally likely values of one number of a record" in entry
    assert "protects single numbers, not whole records" in entry
    assert "Labels (targets) are not protected" in shown(certificate_with(released, PureDP(epsilon=1.0, unit=Unit.FEATURES, **SCOPE)))
    added = shown(certificate_with(released, PureDP(epsilon=1.0, neighbours=ADD_REMOVE, theorem="t")))
    assert "to decide whether one record was in the table at all, both being equally likely, is right" in added
    assert "The number of records is taken as known" not in added
    assert "stays secret: a matrix" in shown(certificate_with(released, PureDP(epsilon=1.0, secret=("a matrix",), **SCOPE)))
    assert "This covers all 7 releases together." in shown(certificate_with(released, PureDP(epsilon=1.0, **SCOPE), releases=7))


def test_a_record_is_not_called_a_person_and_the_odds_for_several_are_said_once(released):
    """1 / (1 + e^-2) = 0.8808 and 1 / (1 + e^-7) = 0.99909, beside 0.7311 for one."""
    words = shown(certificate_with(released, PureDP(epsilon=1.0, **SCOPE)))
    assert "equally likely versions of one record is right" in words
    assert words.count("is right at most 88.1 % of the time for 2 records and 99.91 % of the time for 7 records.") == 1
    assert "not stated: every row is protected separately" in words
    assert "one person" not in words.partition("Appendix")[0]


@pytest.mark.parametrize(
    ("rule", "said", "rows"),
    [
        ({"rows": 7, "weight": "person"}, "the rows of one person were", "at most 7 rows of each person were kept"),
        ({"rows": 7, "weight": "row"}, "the rows of one person were", "each counts 1 / 7"),
        ({"rows": 1, "weight": "person"}, "the rows of one person were", "one row of each person was kept"),
        ({"rows": 1, "weight": "declared"}, "one person was", "declared: each person has one row; nobody checked this"),
    ],
)
@pytest.mark.parametrize("nested", [False, True])
def test_a_promise_to_persons_says_whose_rows_are_whose(released, rule, said, rows, nested):
    guarantee = PureDP(epsilon=1.0, unit=Unit.PERSON, neighbours=ADD_REMOVE, theorem="t")
    problem = {**released.model.certificate.problem, "persons": rule}
    stated = certificate_with(released, guarantee, problem={"parts": [{"problem": problem}]} if nested else problem)
    words = shown(stated)
    assert f"to decide whether {said} in the table at all" in words
    assert rows in words
    assert "every row is protected separately" not in words
    assert ("of the time for 2 records" in words) is (rule["weight"] == "declared")
    assert "one person is added or removed, with all their rows" in str(stated)
    assert "The most that anyone can find out about one person" in words


def test_nothing_is_said_to_be_left_for_several_records_where_nothing_follows(released):
    assert "at most 100 % of the time for 2 records" in shown(certificate_with(released, RenyiDP(orders=(2.0, 2.5), divergences=(0.2, 0.3), **SCOPE)))


def test_a_release_that_was_charged_by_groups_is_found_in_its_ledger(released, tmp_path):
    ledger = Ledger.create(tmp_path / "visits.ledger")
    ledger.declare("visits", epsilon=9.0, delta=1e-2, unit="person")
    guarantee = released.model.certificate.guarantee
    with Account(str(ledger.path), "visits", group_rows=3).spending(guarantee, purpose="") as reservation:
        entry = reservation.id
    words = shown(replace(released.model.certificate, ledger_entry=entry), ledger=ledger)
    assert "Charged as epsilon 3, delta " in words
    assert "all rows of one person, a group of 3 records" in words
    other = replace(released.model.certificate, ledger_entry=entry, guarantee=released.evaluation.certificate.guarantee)
    with pytest.raises(InvalidInput, match="state different guarantees"):
        page_of(other, ledger=ledger)


def test_weak_promises_are_called_so(released):
    assert "weak guarantee" not in shown(certificate_with(released, PureDP(epsilon=2.9, **SCOPE)))
    assert "weak guarantee: one record can make any conclusion up to 20.1 times as likely" in shown(
        certificate_with(released, PureDP(epsilon=3.0, **SCOPE))
    )
    assert "this guarantees almost nothing" in shown(certificate_with(released, PureDP(epsilon=10.0, **SCOPE)))
    assert "Choose a delta far below 1 / 600" in shown(certificate_with(released, ApproximateDP(epsilon=1.0, delta_at_epsilon=1e-3, **SCOPE)))
    assert "Choose a delta far below" not in shown(certificate_with(released, ApproximateDP(epsilon=1.0, delta_at_epsilon=1e-5, **SCOPE)))


def test_a_measurement_is_reported_with_its_intervals(released):
    words = shown(released.evaluation)
    accuracy = released.evaluation.accuracy
    assert f"Accuracy {accuracy.value:.4f} {accuracy.low:.4f} to {accuracy.high:.4f}" in words
    assert "Actual / predicted <script>alert(1)</script> yes & no" in words


def test_a_ledger_is_reported_with_all_its_entries(released):
    words = shown(released.ledger)
    assert "epsilon 3, delta 1e-05 epsilon 1.5, delta 1e-06 epsilon 1.5, delta 9e-06 2" in words
    for entry in released.ledger.history("patients <i>"):
        assert entry.id in words


def test_an_empty_ledger_says_so(tmp_path):
    assert "No data set is declared in it yet" in shown(Ledger.create(tmp_path / "empty.ledger"))


def test_a_search_keeps_its_secret(schema):
    search = PrivateSearchCV(LogisticRegression(data_norm=schema.norm_bound), {"alpha": [0.01, 0.1]}, epsilon=3.0, delta=1e-6, expected_runs=2)
    with pytest.raises(InvalidInput, match="not fitted"):
        page_of(search)
    words = shown(search.fit(table(schema, 200)))
    assert "2, all public" in words
    assert f"Kept alpha {search.best_params_['alpha']:.6g}" in words


def test_models_over_sets_and_releases_of_rows():
    random = np.random.default_rng(0)
    X, y = random.uniform(-1, 1, (200, 2)), random.uniform(-1, 1, 200)
    fitted = ConstrainedERM(
        constraint=L2Ball(dimension=2, radius=1.0), loss="squared", epsilon=1.0, delta=1e-6, data_bound=1.0, target_bound=1.0
    ).fit(X, y)
    assert "The noise against the signal" in shown(fitted)
    query = Rows(domain=Domain(features=2, entry_bound=1.0, target_bound=1.0), target="noisy")
    data = Records(rows=as_matrix(X), targets=y, domain=query.domain)
    release = GaussianRelease.calibrate(query, epsilon=1.0, delta=1e-6, neighbours=REPLACE_ONE).run(query, data, SystemNoise())
    assert isinstance(release, Release)
    assert "uses this release to choose between" in shown(release)


def test_a_published_folder_is_reported(tmp_path):
    schema = Schema.from_toml(SURVEY)
    frame = pl.DataFrame({"age": [20.0, 30.0, 918273.645], "<b>hours": [1.0, 2.0, 3.0]})
    published = publish(frame, tmp_path / "noisy", SystemNoise(), schema=schema, method="additive", epsilon=1.0, delta=1e-6)
    words = shown(published, name="noisy")
    assert "3 rows of 2 columns (rows), by the method additive" in words
    assert "<b>hours target" in words
    deviation = math.sqrt(published.noise_variance)
    assert f"age feature {deviation:.4g} 2 {deviation / 2:.3g}" in words
    assert "discreet verify noisy" in words
    sums = publish(frame, tmp_path / "sums", SystemNoise(), schema=schema, method="moments", epsilon=1.0, delta=1e-6)
    words, noise = shown(sums, name="sums"), math.sqrt(2.0) * float(sums.noise_covariance[1, 1])
    assert "1 constant 0 - -" in words
    assert f"age feature {noise:.4g} - -" in words
    assert "on each column's sum of squares" in words


def test_pages_say_which_bounds_were_chosen_from_the_records(released, tmp_path):
    """Three pages: a model's, its card, a folder's; none says so of bounds that were declared."""
    told = "The bounds of 'age' were chosen privately from the records, in a separate release"

    def chosen(schema):
        return replace(schema, numeric=(replace(schema.numeric[0], released="0" * 64), *schema.numeric[1:]))

    model = replace(released.model, schema=chosen(released.model.schema))
    frame = pl.DataFrame({"age": [20.0, 30.0, 40.0], "<b>hours": [1.0, 2.0, 3.0]})
    given = {"method": "additive", "epsilon": 1.0, "delta": 1e-6}
    schema = Schema.from_toml(SURVEY)
    folders = [publish(frame, tmp_path / name, SystemNoise(), schema=one, **given) for name, one in (("a", schema), ("b", chosen(schema)))]
    for words in (shown(model), said(page_html(card_of(model)))):
        assert f"{told} with its own certificate; its cost adds to that of this model." in words
    assert f"{told} with its own certificate; its cost adds to that of this release." in shown(folders[1])
    assert "not learnt from the records, but for the bounds named below:" in shown(model)
    for words in (shown(released.model), said(page_html(card_of(released.model))), shown(folders[0])):
        assert "chosen privately" not in words
        assert "but for" not in words


def test_an_audit_is_reported():
    settings = {
        "subject": "a <b>mechanism</b>",
        "method": "exact",
        "claim": Claim(epsilon=1.0, delta=0.0),
        "pair": "two tables",
        "events": (),
        "confidence": None,
        "runs": None,
        "advantage": 0.2,
    }
    passed = shown(AuditReport(bound=0.4, violated=False, **settings))
    assert "found nothing against the claim" in passed
    assert "a <b>mechanism</b>" in passed
    assert "The claim is wrong" in shown(AuditReport(bound=math.inf, violated=True, **settings))


def test_what_has_no_report_is_refused():
    with pytest.raises(InvalidType, match="a report needs"):
        page_of(3)
    with pytest.raises(InvalidInput, match="not fitted"):
        page_of(LinearSVC())


def test_cards_have_the_sections_of_the_paper(released, tmp_path):
    page = card_of(released.model, evaluation=released.evaluation)
    assert [section.title for section in page.sections] == [
        "Model details",
        "Intended use",
        "Factors",
        "Metrics",
        "Evaluation data",
        "Training data",
        "Quantitative analyses",
        "Ethical considerations",
        "Caveats and recommendations",
    ]
    write_card(released.model, tmp_path / "card.md", evaluation=released.evaluation)
    write_card(released.model, tmp_path / "card.html")
    text = (tmp_path / "card.md").read_text()
    assert text.startswith("# Model card: patients &lt;b&gt;2026&lt;/b&gt;\n")
    assert f"{released.evaluation.accuracy.value:.4f}" in text
    assert "stay \\| days" in text
    read_page((tmp_path / "card.html").read_text())
    assert_silent(text)


def test_files_are_whole_or_not_there(released, tmp_path):
    write_report(released.model, tmp_path / "page.html", ledger=released.ledger)
    with pytest.raises(InvalidInput):
        write_report(released.model, tmp_path / "page.html")
    write_report(released.model, tmp_path / "page.html", overwrite=True)
    write_report(released.model, tmp_path / "page.MD")
    assert (tmp_path / "page.MD").read_text().startswith("# Privacy report")
    with pytest.raises(InvalidInput):
        write_report(LinearSVC(), tmp_path / "none.html")
    assert not (tmp_path / "none.html").exists()


def test_the_first_page_is_for_a_board_and_experts_read_on(released):
    """Purpose and owner, what the model says and how good it is, the budget and the checks; odds, proofs and numbers are in the appendix."""
    about = About(purpose="Who <b>comes back</b>?", owner="The ward", evaluation=released.evaluation)
    words = shown(released.model, ledger=released.ledger, name="model.json", about=about)
    front, appendix = words.split("Appendix for experts")
    for part in ("Purpose Who <b>comes back</b>?", "Owner The ward", "Date of this page", "Privacy epsilon 1, delta 1e-06, per record"):
        assert part in front
    assert f"Accuracy {released.evaluation.accuracy.value:.4f}" in front
    assert "the author of this page vouches" in front
    assert "What does it say?" in front
    assert "Spent before this release" in front
    assert "Passed. All" in front
    assert "theorem" not in front
    assert "What an attacker can find out" in appendix
    with pytest.raises(InvalidInput, match="different classes"):
        page_of(released.model, about=About(evaluation=replace(released.evaluation, classes=("x", "y"))))


@pytest.mark.parametrize(
    ("epsilon", "delta", "records", "said"),
    [(2.9, 1e-6, 100, 0), (3.0, 1e-6, 100, 1), (3.0, 2e-3, 100, 2), (1.0, 2e-4, None, 1), (1.0, 5e-5, None, 0)],
)
def test_weaknesses_are_said_of_public_numbers(epsilon, delta, records, said):
    assert len(list(weaknesses(epsilon, delta, records, one="record", many="records"))) == said
