"""The three sizes of the test run, and settings shared by all tests.

A plain run is quick: of a test with several lists of parameters it takes each value of each list once, and not each with each, unless the test is
marked `each_with_each`; it takes no more of them than a mark `at_most` says; it leaves out what is marked `more` or `slow`; and hypothesis tries
few examples, the same ones each time. `--all` leaves out only what is marked `slow`. `--slow` leaves out nothing, and hypothesis looks for new
examples. Where tests are named with their parameters, or are those that failed last, the run takes what is named, but for those marks. At the end,
one line says how many of the tests that were to run were skipped, and why.
"""

import faulthandler
import gc
import os
import time
from collections import Counter, defaultdict

import pytest
from hypothesis import settings

from discreet.core.remembered import forget
from tests.parts import skipped_where_a_part_is_lacking
from tools.slow import FIRST, UNTIL

ELSE, LEAST = "all else", 100
BUDGET = {"mechanisms": 95, "estimators": 115, "properties": 70, "cli": 50, "audit": 55, "display": 15, "workbench": 25, "evaluation": 25}
BUDGET |= {"releases": 20, ELSE: 90}
"""Seconds of the processor that the tests of a folder may take in a quick run, so that a newcomer's takes minutes: what is above is said at its end,
where the run is not one of a few tests. Whoever adds a dear test looks for one to make cheaper."""
USED = pytest.StashKey()
ENDLESS = 900
"""Seconds after which a test that is not slow is taken for one that never ends: its worker ends, and the run names the test and goes on."""

settings.register_profile("quick", deadline=None, derandomize=True, max_examples=25, database=None)
settings.register_profile("all", deadline=None, derandomize=True, max_examples=100, database=None)
settings.register_profile("slow", deadline=None, max_examples=1000, print_blob=True)


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="every combination of parameters, and the tests marked more")
    parser.addoption("--slow", action="store_true", help="as --all, and the tests marked slow")


def size(config):
    """Of the run: quick, all or slow."""
    return "slow" if config.getoption("--slow") else "all" if config.getoption("--all") else "quick"


def pytest_configure(config):
    settings.load_profile(size(config))
    # Workers, and those that tests start, must not wait for each other's threads on a small machine. They inherit what is set here before they start.
    os.environ.setdefault("OMP_NUM_THREADS", "1" if config.getoption("numprocesses", None) else "2")
    gc.disable()  # what is collected stays: looking through it again and again was a quarter of the time


def pytest_collection_finish(session):
    session.config.stash[USED] = used()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    if item.get_closest_marker("slow") is None and hasattr(item.config, "workerinput"):
        faulthandler.dump_traceback_later(ENDLESS, exit=True)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """In a copy of the package without one of its parts, what meets the sentence that says so is not tested."""
    with skipped_where_a_part_is_lacking():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    if time.time() > float(os.environ.get(UNTIL, "inf")):
        pytest.skip("no time is left in this turn")
    with skipped_where_a_part_is_lacking():
        return (yield)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """After `-k` and `-m` have chosen."""
    left_out = {"slow": set(), "all": {"slow"}, "quick": {"slow", "more"}}[size(config)]
    kept = [item for item in items if not left_out & {mark.name for mark in item.iter_markers()}]
    named_alone = any("[" in name for name in config.args) or config.getoption("lf", False)
    if size(config) == "quick" and not named_alone:
        runs = defaultdict(list)
        for item in kept:
            runs[item.nodeid.partition("[")[0]].append(item)
        kept = [item for same in runs.values() for item in at_most(each_value_once(same))]
    chosen = set(kept)
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = [item for item in items if item in chosen]
    first = int(os.environ.get(FIRST, "0")) % max(1, len(items))
    items[:] = items[first:] + items[:first]


def each_value_once(items):
    """Of the runs of one test, in their order: some that show each value of each of its lists of parameters, each about as often; found greedily."""
    if len(items) == 1 or items[0].get_closest_marker("each_with_each"):
        return items
    shown, often, chosen = {item: values(item) for item in items}, Counter(), set()
    missing = set().union(*shown.values())
    if len(missing) == sum(map(len, shown.values())):  # no value comes twice
        return items
    while missing:
        best = max(items, key=lambda item: (len(shown[item] & missing), -sum(often[value] for value in shown[item])))
        chosen.add(best)
        often.update(shown[best])
        missing -= shown[best]
    return [item for item in items if item in chosen]


def at_most(items):
    """Of these runs of one test as many as its mark says, evenly over the list."""
    mark = items[0].get_closest_marker("at_most")
    count = mark.args[0] if mark else len(items)
    return items[:: -(-len(items) // count)]


def values(item):
    """What the run takes from each list of parameters; a list may name several parameters."""
    lists = [[name.strip() for name in named(mark.args[0])] for mark in item.iter_markers("parametrize")]
    taken = item.callspec.params
    alone = [[name] for name in taken.keys() - {name for names in lists for name in names}]
    return {tuple((name, id(taken[name])) for name in names) for names in [*lists, *alone]}


@pytest.fixture
def quick(request):
    """Whether it is a quick run."""
    return size(request.config) == "quick"


@pytest.fixture
def monkeypatch(monkeypatch):
    """What a test replaces is computed with the replacement, and nothing of it is there afterwards."""
    replaced = []

    def forgetting(replace):
        def replacing(*given, **named):
            forget()
            replaced.append(replace)
            return replace(*given, **named)

        return replacing

    for name in ("setattr", "delattr", "setitem", "delitem", "context"):
        setattr(monkeypatch, name, forgetting(getattr(monkeypatch, name)))
    yield monkeypatch
    if replaced:
        monkeypatch.undo()
        forget()


def named(names):
    """The names of a list of parameters, which is a text or a sequence of texts."""
    return names.split(",") if isinstance(names, str) else names


def used():
    """Seconds of the processor that this process and those that it has waited for have taken."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Of every test, with the report of its end: what was used since the end of the test before it, or since the collection."""
    report = yield
    if call.when == "teardown":
        before, item.config.stash[USED] = item.config.stash[USED], used()
        report.processor = item.config.stash[USED] - before
    return report


def pytest_terminal_summary(terminalreporter):
    taken = Counter()
    for report in (report for reports in terminalreporter.stats.values() for report in reports if hasattr(report, "processor")):
        folder = report.nodeid.split("/")[1]
        taken[folder if folder in BUDGET else ELSE] += report.processor
    if sum(taken.values()) > LEAST and size(terminalreporter.config) == "quick":
        said = ", ".join(f"{folder} {seconds:.0f} of {BUDGET[folder]}" for folder, seconds in taken.most_common())
        terminalreporter.write_line(f"seconds of the processor, of what a quick run should take: {said}")
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in terminalreporter.stats.get("skipped", []))
    if reasons:
        terminalreporter.write_line("skipped: " + "; ".join(f"{count} ({reason})" for reason, count in reasons.items()))
