"""Reports for people who are not cryptographers: one self-contained page on a model, a release, a measurement, a ledger or a plan; model cards."""

from discreet.display.planning import plan_page, set_plan_page
from discreet.display.reports.subjects import Certified, Subject, card_of, page_of, write_card, write_page, write_report

__all__ = ["Certified", "Subject", "card_of", "page_of", "plan_page", "set_plan_page", "write_card", "write_page", "write_report"]
