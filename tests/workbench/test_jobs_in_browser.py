"""Every kind of result, made in a real browser from a table that is described once: chosen on a phone, in the dark too, run to its end, verified."""

import importlib.util
import json

import pytest

from discreet.descriptions import read_description
from discreet.estimators import Model
from discreet.ledger import Ledger
from discreet.releases import read_release
from discreet.releases.synthetic import read_synthetic
from discreet.workbench import Workbench
from discreet.workbench.command_jobs import CommandJobs
from tests.chromium import Browser, installed
from tests.workbench.test_browser import ENTER, chosen, entered, lawful, sound

pytestmark = [pytest.mark.skipif(installed() is None, reason="no Chromium is installed"), pytest.mark.more]

RUN = "results/run-1"
READ = {
    "describe": lambda folder: read_description(folder / RUN / "description.json").verify(),
    "release": lambda folder: read_release(folder / RUN / "release").verify(),
    "synthetic": lambda folder: read_synthetic(folder / RUN / "release").verify(),
    "tune": lambda folder: Model.load(folder / RUN / "model.json").verify(),
}
TYPED = {"tune": {"#option-grid": "alpha=0.01,0.1"}, "synthetic": {"#option-rows": "60"}}


@pytest.fixture
def desk(tmp_path, people):
    """A browser at the step Choose, with everything described."""
    with Workbench(CommandJobs(), folder=tmp_path / "results") as page, Browser(tmp_path) as browser:
        browser.look(width=1200, dark=False)
        entered(browser, page)
        chosen(browser, people)
        yield browser


def pressed(browser, selector):
    """As somebody does it without a mouse: the element has the focus, and Enter is pressed."""
    browser.until(f"document.querySelector({json.dumps(selector)}).offsetParent && !document.querySelector({json.dumps(selector)}).disabled")
    browser.run(f"document.querySelector({json.dumps(selector)}).focus()")
    browser.press(**ENTER)


def fits_a_phone(browser):
    for dark in (True, False):
        browser.look(width=390, dark=dark)
        assert browser.run("document.documentElement.scrollWidth") <= 390
        lawful(browser)
    browser.look(width=1200, dark=False)


@pytest.mark.parametrize("job", sorted(READ))
def test_each_kind_of_result_is_made_and_verified(job, desk, tmp_path):
    if job == "synthetic" and importlib.util.find_spec("mbi") is None:
        pytest.skip("mbi is not installed")
    browser = desk
    browser.click(f"#job-{job}")
    browser.until("!document.querySelector('#budget-box').hidden")
    for field, text in TYPED.get(job, {}).items():
        browser.run("document.querySelectorAll('#options-box details').forEach((one) => { one.open = true; })")
        browser.fill(field, text)
    fits_a_phone(browser)
    pressed(browser, "#step-choose [data-next=run]")
    browser.until("!document.querySelector('#step-run').hidden && !document.querySelector('#run-go').disabled")
    sound(browser, "run")
    pressed(browser, "#run-go")
    browser.until("document.querySelector('#run-result h2')", patience=300)
    assert browser.text("#run-result h2") == "Done", browser.text("#run-result")
    assert browser.text("#run-result .good").startswith("Verified: ")
    fits_a_phone(browser)
    READ[job](tmp_path).require()
    assert not browser.complaints()


def test_a_search_is_explored_as_a_search(desk):
    """Its curve is that of the models that searches release, and says how many settings share the budget."""
    browser = desk
    browser.click("#job-tune")
    browser.until("document.querySelector('#option-grid')")
    browser.fill("#option-grid", "alpha=0.1,1")
    browser.click("#to-explore")
    browser.until("!document.querySelector('#step-explore').hidden")
    browser.fill("#records", "300")
    browser.click("#explore-go")
    browser.until("document.querySelector('#explore-state').textContent.startsWith('Done')", patience=300)
    assert browser.run("document.querySelectorAll('#chart-epsilon circle').length") >= 4  # where the search is not refused
    assert "searches" in browser.text("#caption-epsilon")
    assert browser.run("document.querySelector('#planner').hidden")  # a bound of one fit says nothing of a search
    fits_a_phone(browser)
    assert not [entry for entry in browser.complaints() if "status of 422" not in str(entry)]  # where a setting needs a larger epsilon


def test_a_total_is_changed_with_its_reason(desk, tmp_path):
    browser = desk
    browser.click("#steps [data-step=ledger]")
    browser.click("#new-ledger summary")
    browser.fill("#new-path", str(tmp_path / "team.ledger"))
    browser.fill("#new-set", "people")
    pressed(browser, "#form-declare button")
    browser.until("document.querySelector('#ledger-shown h2').textContent === 'people'")
    browser.click("#amend-ledger summary")
    browser.fill("#amend-epsilon", "5")
    browser.fill("#amend-reason", "agreed for next year")
    fits_a_phone(browser)
    pressed(browser, "#form-amend button")
    browser.until("document.querySelector('#ledger-shown').textContent.includes('epsilon 5')")
    ledger = Ledger(tmp_path / "team.ledger")
    assert ledger.data_set("people").total.epsilon == 5.0
    assert [one.reason for one in ledger.amendments("people")] == ["agreed for next year"]
    assert not browser.complaints()
