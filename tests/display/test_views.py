"""Views in notebooks: small sound tables of public values."""

import numpy as np
import pytest

from discreet import LinearRegression, LinearSVC, LogisticRegression, PrivateSearchCV, Release
from tests.canary import assert_silent
from tests.display.reading import read, said


def look(text):
    read(text)
    assert_silent(text)
    assert "canary" not in text
    return said(text)


def test_values_have_views(released):
    certificate = released.model.certificate
    release = Release(value=released.model.weights, certificate=certificate)
    for one, part in (
        (certificate, "no outcome becomes more than e^1 times as likely"),
        (release, "an array of 6"),
        (released.model, "patients <b>2026</b>"),
        (released.model.verify(), "checks passed"),
        (released.evaluation, f"Accuracy {released.evaluation.accuracy.value:.4f}"),
        (released.evaluation, "Actual / predicted <script>alert(1)</script>"),
        (released.ledger, f"patients <i> replace-one, one record epsilon 3, delta 1e-05 {released.ledger.spent('patients <i>')}"),
        (released.estimator.explain(records=600), "output-perturbation-gaussian"),
    ):
        assert part in look(one._repr_html_())


def test_a_seeded_certificate_says_so(schema):
    from tests.display.conftest import table

    fitted = LinearSVC(data_norm=schema.norm_bound, random_state=1).fit(table(schema, 60))
    assert "Not valid: the noise was seeded" in look(fitted.certificate_._repr_html_())


def test_a_ledger_that_is_gone_says_so(tmp_path):
    from discreet.ledger import Ledger

    ledger = Ledger.create(tmp_path / "gone.ledger")
    assert "No data set is declared" in look(ledger._repr_html_())
    (tmp_path / "gone.ledger").unlink()
    assert "Careful." in look(ledger._repr_html_())


@pytest.mark.parametrize(
    "made", [LinearSVC(), LinearRegression(), LogisticRegression(), PrivateSearchCV(LogisticRegression())], ids=lambda one: type(one).__name__
)
def test_an_estimator_keeps_the_diagram_of_scikit_learn(made):
    html = made._repr_mimebundle_()["text/html"]
    assert type(made).__name__ in html
    assert "Digest" not in html


def test_below_the_diagram_of_a_fitted_estimator_is_its_certificate(released):
    html = released.estimator._repr_mimebundle_()["text/html"]
    assert html.endswith(released.model.certificate._repr_html_())
    assert_silent(html)


def test_a_fitted_regression_shows_its_certificate_too():
    rng = np.random.default_rng(0)
    rows = rng.uniform(-0.5, 0.5, (500, 2))
    model = LinearRegression(epsilon=1.0, target_bound=1.0).fit(rows, rows[:, 0])
    assert model._repr_mimebundle_()["text/html"].endswith(model.certificate_._repr_html_())
