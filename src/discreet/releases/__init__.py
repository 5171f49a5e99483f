"""Releases of data as folders: Parquet files with a manifest that says how they were made, what they protect, and what they do not."""

from discreet.releases.columns import PublishedColumn
from discreet.releases.local import LocalSurvey, RandomisedRecord, collect
from discreet.releases.methods import METHODS, Kind, Method
from discreet.releases.publication import About, Publication
from discreet.releases.publish import publish
from discreet.releases.release import PublishedRelease, read_release
from discreet.releases.request import Request

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
