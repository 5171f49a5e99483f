"""Options and settings shared by all tests.

`--slow` also runs the tests marked slow, and lets hypothesis look for new examples instead of replaying the same ones.
"""

import os

from hypothesis import settings

settings.register_profile("quick", deadline=None, derandomize=True, max_examples=100, database=None)
settings.register_profile("slow", deadline=None, max_examples=1000, print_blob=True)


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="also run the tests marked slow")


def pytest_configure(config):
    settings.load_profile("slow" if config.getoption("--slow") else "quick")
    # Workers that tests start must not wait for each other's threads on a small machine.
    os.environ.setdefault("OMP_NUM_THREADS", "2")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--slow"):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if not item.get_closest_marker("slow")]
