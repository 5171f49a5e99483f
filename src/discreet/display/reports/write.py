"""Reports as files: HTML, or Markdown where the name ends in .md."""

from pathlib import Path

from discreet.core.files.whole_file import write_whole
from discreet.display.reports.model_card import card_page
from discreet.display.reports.subjects import Subject, page_of
from discreet.estimators import Model
from discreet.evaluation import PrivateEvaluation
from discreet.ledger import Ledger
from discreet.pages import Page, page_html, page_markdown


def write_report(subject: Subject, path: str | Path, *, ledger: Ledger | None = None, name: str | None = None, overwrite: bool = False) -> None:
    """Write the report on a model, an estimator, a search, a measurement, a release, a certificate or a ledger: one self-contained page.

    HTML, or Markdown (without pictures) where the name ends in .md. `ledger` is the one that the release was paid from, to show the budget before and
    after; `name` is that of the file that was released, for the command that checks it. Raises as `page_of`, and InvalidInput where the file exists
    (unless `overwrite`) or cannot be written.
    """
    write_page(page_of(subject, ledger=ledger, name=name), path, overwrite=overwrite)


def write_card(model: Model, path: str | Path, *, evaluation: PrivateEvaluation | None = None, overwrite: bool = False) -> None:
    """Write the card of a model (Mitchell et al. 2019), Markdown where the name ends in .md, else HTML. Raises as `write_report`."""
    write_page(card_of(model, evaluation=evaluation), path, overwrite=overwrite)


def card_of(model: Model, *, evaluation: PrivateEvaluation | None = None) -> Page:
    """The card of a model as a page; with `evaluation`, its private measurements."""
    return card_page(model, model.verify(), evaluation=evaluation)


def write_page(page: Page, path: str | Path, *, overwrite: bool) -> None:
    """Write it, whole or not at all."""
    text = page_markdown(page) if str(path).lower().endswith(".md") else page_html(page)
    write_whole(path, text, overwrite=overwrite)
