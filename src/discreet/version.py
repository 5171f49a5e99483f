"""The version of the installed package."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("discreet")
except PackageNotFoundError:
    VERSION = "unknown"
