"""The version of the installed package."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("discreet")
except PackageNotFoundError:
    VERSION = "unknown"

KNOWN_VERSIONS = frozenset({VERSION})
"""Versions whose certificates of the present format say what this version says; a version that changes its words begins a new format."""
