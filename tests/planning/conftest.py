"""An empty folder for the commands."""

from tests.cli.conftest import folder  # noqa: F401 - a fixture
