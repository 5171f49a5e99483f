"""A messy table, through the workbench, to a verified and reported model: nothing is cleaned by hand, and nothing is refused."""

import pytest

from discreet.estimators import Model
from discreet.workbench import Workbench
from discreet.workbench.command_jobs import CommandJobs
from tests.chromium import Browser, installed
from tests.workbench.messy import Journey, messy_visits

pytestmark = pytest.mark.skipif(installed() is None, reason="no Chromium is installed")


@pytest.mark.more
def test_a_messy_table_becomes_a_verified_and_reported_model(tmp_path):
    table = tmp_path / "visits.csv"
    messy_visits(table)
    with Workbench(CommandJobs(), folder=tmp_path / "results") as page, Browser(tmp_path) as browser:
        browser.look(width=1200, dark=False)
        journey = Journey(browser)
        journey.enter(page.link)
        journey.table(table)
        assert journey.describe() == [";", "cp1252", ","]
        journey.choose()
        assert "one person, all rows together" in browser.text("#run-summary")
        done, verified = journey.run()
        assert (done, verified.partition(":")[0], journey.refusals) == ("Done", "Verified", 0)
    model = Model.load(tmp_path / "results/run-1/model.json")
    model.verify().require()
    assert model.certificate.guarantee.unit == "person"
    report = (tmp_path / "results/run-1/report.html").read_text(encoding="utf-8")
    assert "all of their rows" in report or "all rows of one person" in report
