"""The report on any certified release: promise, limits, guarantee, budget, assumptions, checks. Reports on models and measurements add to it."""

from collections.abc import Sequence

from discreet.certificates import Certificate, Verification
from discreet.core.version import VERSION
from discreet.display.reports.assurance import assumptions, checking, numbers
from discreet.display.reports.budget import budget_section
from discreet.display.reports.currencies import guarantee_section
from discreet.display.reports.promise import limits, promise, protection
from discreet.ledger import Ledger
from discreet.pages import Block, Page, Section


def certified_page(  # noqa: PLR0913 - the parts in which reports differ
    certificate: Certificate,
    verification: Verification,
    *,
    title: str,
    what: str,
    commands: Sequence[str],
    ledger: Ledger | None = None,
    first: Sequence[Section] = (),
    later: Sequence[Section] = (),
    lead: Sequence[Block] = (),
) -> Page:
    """A page on something that carries `certificate`. `first` comes right after the promise, `later` after the guarantee."""
    return Page(
        title=title,
        lead=[*promise(certificate, what=what), *lead],
        sections=[
            *first,
            protection(certificate),
            limits(certificate),
            guarantee_section(certificate.guarantee),
            *later,
            budget_section(certificate, ledger),
            assumptions(certificate),
            numbers(certificate),
            checking(certificate, verification, commands=commands),
        ],
        foot=foot(),
    )


def foot() -> str:
    """The last line of every page."""
    return f"Written by {_software()}. Every number on this page is public: nothing was computed from the records but what was released."


def public_foot() -> str:
    """The last line of pages for which no record was read."""
    return f"Written by {_software()}, from public numbers alone."


def _software() -> str:
    return "discreet" if VERSION == "unknown" else f"discreet {VERSION}"
