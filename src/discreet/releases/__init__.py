"""Releases of data as folders: Parquet files with a manifest that says how they were made, what they protect, and what they do not."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.releases.local import LocalSurvey, RandomisedRecord, collect
    from discreet.releases.local_categories import CategorySurvey, ReportedColumn, Reports, read_reports
    from discreet.releases.methods import METHODS, SETTINGS, Method, Request
    from discreet.releases.methods.columns import Kind, PublishedColumn
    from discreet.releases.outlook import Outlook
    from discreet.releases.publication import About, Publication, publish
    from discreet.releases.release import PublishedRelease, read_release
    from discreet.releases.synthetic import SyntheticTable, combined, publish_synthetic, read_synthetic, resume_synthetic
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = [
    "METHODS",
    "SETTINGS",
    "About",
    "CategorySurvey",
    "Kind",
    "LocalSurvey",
    "Method",
    "Outlook",
    "Publication",
    "PublishedColumn",
    "PublishedRelease",
    "RandomisedRecord",
    "ReportedColumn",
    "Reports",
    "Request",
    "SyntheticTable",
    "collect",
    "combined",
    "publish",
    "publish_synthetic",
    "read_release",
    "read_reports",
    "read_synthetic",
    "resume_synthetic",
]
