"""Reports for people who are not cryptographers: one self-contained page on a model, a release, a measurement, a ledger or a plan; model cards.

Here is what a report can be on, and the page of each; pages as files: HTML, or Markdown where the name ends in .md.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import Any, TypeAlias

from discreet.audit import AuditReport, DrawnReport
from discreet.certificates import Certificate, Release
from discreet.core.errors import DiscreetError, InvalidInput, InvalidType
from discreet.core.files.whole_file import write_whole
from discreet.data.labels import canonical
from discreet.descriptions import Description
from discreet.display import audit, curves, descriptions, evaluation, releases, summaries
from discreet.display import ledger as ledgers
from discreet.display.certificates import About, Alone, Certified, Report, certified_page, chosen_bounds
from discreet.display.estimators import signal_of_estimator, signal_of_model, target_words
from discreet.display.model_card import card_page
from discreet.display.pages import Block, Bullets, Code, Facts, Page, Picture, Section, Table, Text, Tone, page_html, page_markdown
from discreet.display.printing import is_pdf, printed
from discreet.display.promise import numbers_shown
from discreet.estimators import ArrayModel, IntervalFile, Model, PrivateSearchCV
from discreet.estimators.door.private_estimator import PrivateModel
from discreet.estimators.intervals.released_noise import noise_share
from discreet.evaluation import PrivateEvaluation
from discreet.ledger import Ledger
from discreet.releases import PublishedRelease, SyntheticTable

__all__ = ["About", "Certified", "Subject", "card_of", "page_of", "write_card", "write_page", "write_report"]

_MOST_COLUMNS = 60
"""That are listed."""
_MOST_MEASURES, _MOST_CURVES, _MOST_COEFFICIENTS = 6, 3, 6
"""On the first page."""


Audit: TypeAlias = AuditReport | DrawnReport
Published: TypeAlias = PublishedRelease | SyntheticTable
Subject: TypeAlias = (
    Model | PrivateModel | PrivateSearchCV | PrivateEvaluation | Description | IntervalFile | Ledger | Audit | Certificate | Published | Certified
)
"""What a report can be about."""


def page_of(subject: Subject, *, ledger: Ledger | None = None, name: str | None = None, about: About | None = None) -> Page:
    """The report on something, as a page.

    `ledger` is the one that the release was paid from: with it the page shows the budget before and after. `name` is that of the file, for the
    command that checks it; `about` is what you say of purpose and owner, and private measurements and intervals of a model. Raises InvalidInput for
    an estimator that is not fitted, a ledger that does not hold the release, or measurements or intervals of another model; InvalidType for what has
    no report.
    """
    match subject:
        case Ledger():
            return ledgers.page(subject)
        case AuditReport() | DrawnReport():
            return audit.page(subject)
        case SyntheticTable():
            return certified_page(releases.report(subject), ledger=ledger, name=name, about=about)
        case _:
            return certified_page(_report(subject, name, about or About()), ledger=ledger, name=name, about=about)


def card_of(model: Model, *, evaluation: PrivateEvaluation | None = None) -> Page:
    """The card of a model as a page; with `evaluation`, its private measurements."""
    return card_page(model, model.verify(), evaluation=evaluation)


def write_report(
    subject: Subject,
    path: str | Path,
    *,
    ledger: Ledger | None = None,
    name: str | None = None,
    about: About | None = None,
    overwrite: bool = False,
) -> None:
    """Write the report on a model, an estimator, a search, a measurement, a release, a certificate or a ledger: one self-contained page.

    HTML, or Markdown (without pictures) where the name ends in .md. `ledger` is the one that the release was paid from, to show the budget before and
    after; `name` is that of the file that was released, for the command that checks it; `about` says purpose and owner, and how good a model is.
    Raises as `page_of`, and InvalidInput where the file exists
    (unless `overwrite`) or cannot be written.
    """
    write_page(page_of(subject, ledger=ledger, name=name, about=about), path, overwrite=overwrite)


def write_card(model: Model, path: str | Path, *, evaluation: PrivateEvaluation | None = None, overwrite: bool = False) -> None:
    """Write the card of a model (Mitchell et al. 2019), Markdown where the name ends in .md, else HTML. Raises as `write_report`."""
    write_page(card_of(model, evaluation=evaluation), path, overwrite=overwrite)


def write_page(page: Page, path: str | Path, *, overwrite: bool) -> None:
    """Write it, whole or not at all: HTML, Markdown where the path ends in .md, PDF in .pdf. Raises InvalidInput where no browser prints that."""
    if is_pdf(path):
        write_whole(path, printed(page_html(page)), overwrite=overwrite)
        return
    text = page_markdown(page) if str(path).lower().endswith(".md") else page_html(page)
    write_whole(path, text, overwrite=overwrite)


def _report(subject: object, name: str | None, about: About) -> Report:  # noqa: C901, PLR0911 - one return a subject
    match subject:
        case Model():
            return _model(subject, about)
        case ArrayModel():
            return Report(
                title=f"Privacy report: {subject.kind} of arrays",
                what="this model",
                subject=subject,
                check="discreet verify model.json",
                lead=[Text(f"A {subject.kind.replace('-', ' ')} on {subject.features:,} features, whose meaning is not in the file.", Tone.NOTE)],
            )
        case PrivateSearchCV():
            return _search(subject)
        case PrivateEvaluation():
            return _evaluation(subject)
        case Description():
            return _description(subject)
        case IntervalFile():
            return _intervals(subject)
        case PublishedRelease():
            return _publication(subject)
        case Certificate():
            only = "Only the certificate was given, so nobody checked which value it was issued for."
            return Report(
                title=f"Certificate: {subject.mechanism}",
                what="this release",
                subject=Alone(subject),
                check="from discreet import Certificate\ncertificate.verify(value).ok",
                lead=[Text(only, Tone.NOTE)],
            )
        case PrivateModel():
            return _estimator(subject)
        case Certified():
            title = f"Release: {name or subject.certificate.mechanism}"
            return Report(title=title, what="this release", subject=subject, check="release.verify().require()")
    raise InvalidType(
        "a report needs a Model, a fitted estimator or search, a PrivateEvaluation, a Description, a Ledger, an AuditReport, a Certificate, or a "
        f"release with one; an object of type {type(subject).__name__} was given."
    )


def _model(model: Model, about: About) -> Report:
    schema, bought = model.schema, {} if about.intervals is None else about.intervals.beside
    if bought:
        model.summary(**bought)  # refuses those of another model
    intercept = " and an intercept" if model.intercept_scale > 0 else ""
    described = f"{model.kind.replace('-', ' ')} on {schema.features:,} features{intercept}, which predicts {target_words(model.schema.target)}"
    never = (
        "The model file holds its weights, the schema and the certificate. It contains no record, and predictions made with it cost no "
        "more privacy than the model itself."
    )
    return Report(
        title=f"Privacy report: {schema.name}",
        what="this model",
        subject=model,
        check="discreet verify model.json",
        facts=[("Model", described)],
        first=[_quality(model, about.evaluation), *_says(model, bought)],
        later=[
            *summaries.section(model, **bought),
            *curves.section(model, **bought),
            *signal_of_model(model),
            Section("What the file holds", [Text(never)]),
        ],
        chosen=chosen_bounds(schema, what="this model"),
    )


def _quality(model: Model, measured: PrivateEvaluation | None) -> Section:
    """How good the model is, where somebody paid for that, and whether it is mostly noise.

    Raises InvalidInput for measurements of another kind of model.
    """
    title = "How good is it?"
    share = noise_share(model.certificate, model.weights)
    noisy = [Text(words, Tone.BAD)] if share is not None and (words := share.words) else []
    if measured is None:
        words = (
            "This page has no measurement of the model. `discreet evaluate` measures it privately, with a separate budget; add its file "
            "with `--evaluation`."
        )
        return Section(title, [*noisy, Text(words)])
    if list(map(canonical, measured.classes)) != list(map(canonical, model.classes)):
        raise InvalidInput("the evaluation is of a model with different classes. Give the evaluation of this model.")
    stated = measured.certificate.guarantee.to_dict()
    cost = f"epsilon {stated.get('epsilon', 0.0):.4g}, delta {stated.get('delta', 0.0):.3g}"
    found = [(label, *map(evaluation.figure, (one.value, one.low, one.high))) for _, label, one in measured.measures]
    rows = [(label, value, f"{low} to {high}") for label, value, low, high in found]
    known = "a public number" if measured.records_error == 0.0 else f"give or take {measured.records_error:,.0f}"
    counted = f"{measured.records:,.0f} {measured.counted.lower()} ({known})"
    said = (
        f"Measured privately on {counted}, for {cost}. The file of measurements does not name the model; the author of this page vouches "
        "that they belong together."
    )
    table = Table("Private measurements", ("Measure", "Found", f"{100 * measured.level:g} % interval"), rows[:_MOST_MEASURES])
    return Section(title, [*noisy, Text(said, Tone.NOTE), table, *([] if measured.baseline is None else [Text(f"{measured.baseline.words}.")])])


def _says(model: Model, bought: Mapping[str, Any]) -> list[Section]:
    """The most important curves, or coefficients where everything is linear; the others are in the appendix."""
    title = "What does it say?"
    linear = all(column.plain for column in (*model.schema.numeric, *model.schema.date)) and not model.schema.cross
    if model.form.additive and len(model.classes) <= 2 and len(model.schema.answers) == 1 and not linear:
        found = model.curves(**bought)
        if not found.contributions:
            return []
        caption = f"What the most important columns add to the prediction; upwards is towards {found.towards}. {curves.band_words(found)}"
        return [Section(title, [Picture(curves.drawing(found, _MOST_CURVES), caption)])]
    try:
        summary = model.summary(**bought)
    except DiscreetError:
        return []
    if not summary.parts:  # of a kernel, whose directions mean nothing to readers
        return []
    part = summary.parts[0]
    rows = sorted(summary.rows(part), key=lambda row: -abs(float(row[1] or 0.0)))[:_MOST_COEFFICIENTS]
    caption = f"The largest coefficients{f', towards {part.towards}' if part.towards else ''}; the appendix lists the others"
    header = ("Coefficient of", *(name.capitalize() for name in summary.header))
    return [Section(title, [Table(caption, header, rows, set(range(1, len(header)))), Text(summary.intervals, Tone.NOTE)])]


def _publication(release: PublishedRelease) -> Report:
    return Report(
        title=f"Privacy report: {release.name}",
        what="this release",
        subject=release,
        check=f"discreet verify {quote(str(release.folder.name))}",
        first=[_contents(release)],
        later=_noise(release),
        chosen=None if release.schema is None else chosen_bounds(release.schema, what="this release"),
    )


def _estimator(estimator: PrivateModel) -> Report:
    found = vars(estimator)
    if "certificate_" not in found or "weights_" not in found:
        raise InvalidInput(f"the {type(estimator).__name__} is not fitted yet. Call fit before asking for a report.")
    released = Release(value=found["weights_"], certificate=found["certificate_"])
    return Report(
        title=f"Privacy report: {type(estimator).__name__}",
        what="this model",
        subject=released,
        check="model.certificate_.verify(model.weights_).require()",
        later=signal_of_estimator(estimator, released.certificate, released.value),
    )


def _search(search: PrivateSearchCV) -> Report:
    if "best_estimator_" not in vars(search):
        raise InvalidInput("the search is not fitted yet. Call fit before asking for a report.")
    known, scored = search.certificate_.parameters, ""
    if "scored" in known:
        bounds = f", where targets lie from {known['target_lower']:.6g} to {known['target_upper']:.6g}" if "target_lower" in known else " nats"
        scored = f"; of the {str(known['scored']).replace('-', ' ')}, cut at {known['error_bound']:.6g}{bounds}"
    rows = [
        ("Settings that were searched over", f"{len(search.candidates_)}, all public"),
        ("Kept", _setting(search.best_params_)),
        ("Its private score", "none was released" if search.best_score_ != search.best_score_ else f"{search.best_score_:.4g}, with noise{scored}"),
        ("Fits, and the scores of the others", "secret: the number of fits is not recorded"),
    ]
    return Report(
        title=f"Privacy report: search over {type(search.best_estimator_).__name__}",
        what="this search and the model that it kept",
        subject=Release(value=search.best_estimator_.weights_, certificate=search.certificate_),
        check="search.certificate_.verify(search.best_estimator_.weights_).require()",
        first=[Section("The search", [Facts("What was released", rows)])],
    )


def _setting(setting: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value:.6g}" if isinstance(value, float) else f"{name} {value}" for name, value in setting.items()) or "nothing"


def _evaluation(report: PrivateEvaluation) -> Report:
    measured_on = Facts("What was measured on", [(report.counted, evaluation.records(report, ", with noise, within "))])
    return Report(
        title="Privacy report: measurement of a model",
        what="these measurements",
        subject=report,
        check="evaluation.verify().require()",
        first=[Section("What was found", [measured_on, *evaluation.measures(report)])],
    )


def _description(found: Description) -> Report:
    blocks = [descriptions.facts(found), *descriptions.found(found), descriptions.section_text(found)]
    return Report(
        title=f"Privacy report: description of {found.asked.schema.name}",
        what="this description",
        subject=found,
        check="description.verify().require()",
        first=[Section("What was found", blocks)],
        chosen=chosen_bounds(found.asked.schema, what="this description"),
    )


def _intervals(held: IntervalFile) -> Report:
    level = f"{100 * held.level:g} %"
    rows = [(coefficient, f"{middle:.4g}", f"{low:.4g}", f"{high:.4g}") for coefficient, low, middle, high in held.rows()]
    caption = f"Each interval covers the {held.target} weight of the population with probability {level}; it counts noise and sampling error"
    return Report(
        title="Privacy report: intervals for a model's coefficients",
        what="these intervals",
        subject=held,
        check="intervals.verify().require()",
        first=[Section("What was found", [Table(caption, ("Coefficient", "Estimate", "Low", "High"), rows, {1, 2, 3})])],
    )


def _contents(release: PublishedRelease) -> Section:
    """What was published."""
    rows, columns = release.shape
    facts = [
        ("Name", release.name),
        ("Description", release.description),
        ("Licence", release.license or "none is stated"),
        ("What", f"{rows:,} rows of {columns:,} columns ({release.kind}), by the method {release.method}"),
        ("Records behind it", f"{release.records:,}" if release.records is not None else "not published"),
    ]
    said = release.inspection()
    blocks: list[Block] = [
        Facts("What was released", facts),
        Text("What this kind of release reveals, and does not protect:"),
        Bullets(said[2][1]),
        Text("How to use it:"),
        Code(said[3][1]),
    ]
    return Section("What was released", blocks)


def _noise(release: PublishedRelease) -> list[Section]:
    """The noise on each column beside the range of its numbers; nothing where the noise is not public."""
    try:
        covariance = release.noise_covariance
    except DiscreetError:
        return []
    rows, summed = [], release.kind == "moments"
    for place, column in enumerate(release.columns[:_MOST_COLUMNS]):
        size = max(0.0, float(covariance[place, place]))
        deviation = math.sqrt(2.0) * size if summed else math.sqrt(size)
        deviation = 0.0 if summed and place == 0 and release.count_is_exact else deviation
        low, high = column.encoded_lower, column.encoded_upper
        width = math.nan if low is None or high is None else high - low
        ratio = f"{deviation / width:.3g}" if width > 0 else "-"
        rows.append((column.name, column.role, numbers_shown(deviation), numbers_shown(width), ratio))
    more = f" The first {_MOST_COLUMNS} of {len(release.columns):,} columns." if len(release.columns) > _MOST_COLUMNS else ""
    caption = f"Standard deviation of the noise, in encoded units, beside the width of the range of the numbers.{more}"
    words = (
        "Where the noise is wider than the range, single rows say next to nothing; averages over many rows are informative, because "
        "noise averages out."
    )
    if summed:
        caption = f"Standard deviation of the noise on each column's sum of squares, in encoded units; of 1, on the number of records.{more}"
        words = (
            "Sums grow with the number of records, and their noise does not. On a sum of products of two columns it is smaller by a "
            "factor of sqrt(2)."
        )
    table = Table(caption, ("Column", "Role", "Noise", "Range", "Noise over range"), rows, {2, 3, 4})
    return [Section("The noise against the signal", [table, Text(words)])]
