"""Releases of data as folders: Parquet files with a manifest that says how they were made, what they protect, and what they do not."""

from discreet.releases.columns import Kind, PublishedColumn
from discreet.releases.local import LocalSurvey, RandomisedRecord, collect
from discreet.releases.local_categories import CategorySurvey, ReportedColumn, Reports, read_reports
from discreet.releases.methods import METHODS, SETTINGS, Method, Request
from discreet.releases.outlook import Outlook
from discreet.releases.publish import About, Publication, publish
from discreet.releases.release import PublishedRelease, read_release
from discreet.releases.synthetic import SyntheticTable, combined, publish_synthetic, read_synthetic

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
]
