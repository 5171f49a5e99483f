"""What a report can be on, and the page of each."""

from typing import Protocol, TypeAlias, runtime_checkable

from discreet.audit import AuditReport, DrawnReport
from discreet.certificates import Certificate, Verification
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, InvalidType
from discreet.display.reports.audit_report import audit_page
from discreet.display.reports.ledger_report import ledger_page
from discreet.display.reports.publication_report import contents_section, noise_section
from discreet.display.reports.release_report import certified_page
from discreet.display.reports.signal import signal_of_estimator, signal_of_model
from discreet.display.reports.words import described, setting_words, shell
from discreet.estimators import (
    ConstrainedERM,
    GroupLasso,
    IntervalFile,
    KernelClassifier,
    Lasso,
    LassoClassifier,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    MatrixRegression,
    Model,
    PrivateSearchCV,
    SimplexRegression,
)
from discreet.evaluation import PrivateEvaluation
from discreet.evaluation.view import measures
from discreet.ledger import Ledger
from discreet.pages import Block, Facts, Page, Section, Table, Text, Tone
from discreet.releases import PublishedRelease


@runtime_checkable
class Certified(Protocol):
    """Anything that was released with a certificate and can be checked against it: a Release, a published folder."""

    @property
    def certificate(self) -> Certificate:
        """What it promises."""

    def verify(self) -> Verification:
        """Every check with its verdict."""


Estimator: TypeAlias = (
    LogisticRegression
    | LinearSVC
    | KernelClassifier
    | LinearRegression
    | Lasso
    | LassoClassifier
    | ConstrainedERM
    | GroupLasso
    | SimplexRegression
    | MatrixRegression
)
Audit: TypeAlias = AuditReport | DrawnReport
Subject: TypeAlias = (
    Model | Estimator | PrivateSearchCV | PrivateEvaluation | IntervalFile | Ledger | Audit | Certificate | PublishedRelease | Certified
)
"""What a report can be about."""

_IN_PYTHON = "certificate.verify(value).ok"


def page_of(subject: Subject, *, ledger: Ledger | None = None, name: str | None = None) -> Page:  # noqa: C901, PLR0911 - one case a subject
    """The report on something, as a page.

    `ledger` is the one that the release was paid from: with it the page shows the budget before and after. `name` is that of the file, for the
    command that checks it. Raises InvalidInput for an estimator that is not fitted, or a ledger that does not hold the release; InvalidType for what
    has no report.
    """
    match subject:
        case Model():
            return _model(subject, ledger, name)
        case PrivateSearchCV():
            return _search(subject, ledger, name)
        case PrivateEvaluation():
            return _evaluation(subject, ledger, name)
        case IntervalFile():
            return _intervals(subject, ledger, name)
        case Ledger():
            return ledger_page(subject)
        case PublishedRelease():
            return _publication(subject, ledger, name)
        case AuditReport() | DrawnReport():
            return audit_page(subject)
        case Certificate():
            commands = ["from discreet import Certificate", _IN_PYTHON] if name is None else [f"discreet verify {shell(name)}"]
            note = [Text(words="Only the certificate was given: whether a value is the one that it was issued for was not checked.", tone=Tone.NOTE)]
            return certified_page(
                subject, subject.verify(), title=f"Certificate: {subject.mechanism}", what="this release", commands=commands, ledger=ledger, lead=note
            )
        case LogisticRegression() | LinearSVC() | KernelClassifier() | Lasso() | LassoClassifier():
            return _estimator(subject, ledger)
        case LinearRegression() | ConstrainedERM() | GroupLasso() | SimplexRegression() | MatrixRegression():
            return _estimator(subject, ledger)
        case Certified():
            return certified_page(
                subject.certificate,
                subject.verify(),
                title=f"Release: {name or subject.certificate.mechanism}",
                what="this release",
                commands=["release.verify().require()" if name is None else f"discreet verify {shell(name)}"],
                ledger=ledger,
            )
    raise InvalidType(
        "a report is on a Model, a fitted estimator or search, a PrivateEvaluation, a Ledger, an AuditReport, a Certificate, or a release with one; "
        f"an object of type {type(subject).__name__} was given."
    )


def _model(model: Model, ledger: Ledger | None, name: str | None) -> Page:
    signal = signal_of_model(model)
    what = Facts(caption="What was released", rows=[("Model", described(model)), ("Table", f"schema {model.schema.name}")])
    return certified_page(
        model.certificate,
        model.verify(),
        title=f"Privacy report: {model.schema.name}",
        what="this model",
        commands=[f"discreet verify {shell(name or 'model.json')}"],
        ledger=ledger,
        first=[Section(title="What was released", blocks=[what, Text(words=_NOT_MORE, tone=Tone.NOTE)])],
        later=[] if signal is None else [signal],
    )


_NOT_MORE = (
    "The model file holds its weights, the schema and the certificate. It has never held a record, and predictions made with it cost no more "
    "privacy than the model itself."
)


def _publication(release: PublishedRelease, ledger: Ledger | None, name: str | None) -> Page:
    noise = noise_section(release)
    return certified_page(
        release.certificate,
        release.verify(),
        title=f"Privacy report: {release.name}",
        what="this release",
        commands=[f"discreet verify {shell(name or str(release.folder.name))}"],
        ledger=ledger,
        first=[contents_section(release)],
        later=[] if noise is None else [noise],
    )


def _estimator(estimator: Estimator, ledger: Ledger | None) -> Page:
    certificate, weights = _fitted(estimator)
    signal = None if isinstance(estimator, Lasso | LassoClassifier | LinearRegression) else signal_of_estimator(estimator, certificate, weights)
    return certified_page(
        certificate,
        certificate.verify(weights),
        title=f"Privacy report: {type(estimator).__name__}",
        what="this model",
        commands=["model.certificate_.verify(model.weights_).require()"],
        ledger=ledger,
        later=[] if signal is None else [signal],
    )


def _search(search: PrivateSearchCV, ledger: Ledger | None, name: str | None) -> Page:
    if "best_estimator_" not in vars(search):
        raise InvalidInput("the search is not fitted yet, so there is nothing to report on. Call fit first.")
    in_python = "search.certificate_.verify(search.best_estimator_.weights_).require()"
    certificate, weights = search.certificate_, search.best_estimator_.weights_
    rows = [
        ("Settings that were searched over", f"{len(search.candidates_)}, all public"),
        ("Kept", setting_words(search.best_params_)),
        ("Its private score", "none was released" if search.best_score_ != search.best_score_ else f"{search.best_score_:.4g}, with noise"),
        ("Fits, and the scores of the others", "secret: how many fits were made is not kept"),
    ]
    return certified_page(
        certificate,
        certificate.verify(weights),
        title=f"Privacy report: search over {type(search.best_estimator_).__name__}",
        what="this search and the model that it kept",
        commands=[in_python if name is None else f"discreet verify {shell(name)}"],
        ledger=ledger,
        first=[Section(title="The search", blocks=[Facts(caption="What was released", rows=rows)])],
    )


def _evaluation(report: PrivateEvaluation, ledger: Ledger | None, name: str | None) -> Page:
    count = f"{report.records:,.0f}" + (", which is public" if report.records_error == 0 else f", with noise, within {report.records_error:,.0f}")
    found: list[Block] = [Facts(caption="What was measured on", rows=[("Records", count)]), *measures(report)]
    return certified_page(
        report.certificate,
        report.verify(),
        title="Privacy report: measurement of a model",
        what="these measurements",
        commands=["evaluation.verify().require()" if name is None else f"discreet verify {shell(name)}"],
        ledger=ledger,
        first=[Section(title="What was found", blocks=found)],
    )


def _intervals(held: IntervalFile, ledger: Ledger | None, name: str | None) -> Page:
    level = f"{100 * held.level:g} %"
    rows = [(coefficient, f"{middle:.4g}", f"{low:.4g}", f"{high:.4g}") for coefficient, low, middle, high in held.rows()]
    caption = f"Each interval covers the {held.target} weight of the population with probability {level}; it counts noise and sampling error"
    header = ("Coefficient", "Estimate", "Low", "High")
    return certified_page(
        held.certificate,
        held.verify(),
        title="Privacy report: intervals for a model's coefficients",
        what="these intervals",
        commands=["intervals.verify().require()" if name is None else f"discreet verify {shell(name)}"],
        ledger=ledger,
        first=[Section(title="What was found", blocks=[Table(caption=caption, header=header, rows=rows, numbers=frozenset({1, 2, 3}))])],
    )


def _fitted(estimator: Estimator) -> tuple[Certificate, Floats]:
    found = vars(estimator)
    if "certificate_" not in found or "weights_" not in found:
        raise InvalidInput(f"the {type(estimator).__name__} is not fitted yet, so there is nothing to report on. Call fit first.")
    return found["certificate_"], found["weights_"]
