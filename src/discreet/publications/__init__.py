"""Releases of data as folders: Parquet files with a manifest that says how they were made, what they protect, and what they do not."""

from discreet.publications.columns import PublishedColumn
from discreet.publications.local import LocalSurvey, RandomisedRecord, collect
from discreet.publications.methods import METHODS, Kind, Method
from discreet.publications.publication import About, Publication
from discreet.publications.publish import publish
from discreet.publications.release import PublishedRelease, read_release
from discreet.publications.request import Request

__all__ = [
    "METHODS",
    "About",
    "Kind",
    "LocalSurvey",
    "Method",
    "Publication",
    "PublishedColumn",
    "PublishedRelease",
    "RandomisedRecord",
    "Request",
    "collect",
    "publish",
    "read_release",
]
