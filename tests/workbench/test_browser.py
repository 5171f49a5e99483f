"""From a CSV file to a verified model in a real browser, as somebody does it who has never seen the page."""

import json
import os
import time
from pathlib import Path

import pytest

from discreet.estimators import Model
from discreet.ledger import Ledger
from discreet.workbench import Workbench
from discreet.workbench.command_jobs import CommandJobs
from tests.canary import CANARY, assert_silent
from tests.chromium import Browser, installed

pytestmark = pytest.mark.skipif(installed() is None, reason="no Chromium is installed")

TAB, ENTER = {"key": "Tab", "code": 9}, {"key": "Enter", "text": "\r", "code": 13}


@pytest.fixture
def page(tmp_path):
    with Workbench(CommandJobs(), folder=tmp_path / "results") as made:
        yield made


@pytest.fixture
def browser(tmp_path):
    with Browser(tmp_path) as found:
        found.look(width=1200, dark=False)
        yield found


def entered(browser, page):
    browser.go(page.link)
    browser.until("!document.querySelector('#step-table').hidden")


def described(browser):
    browser.until("!document.querySelector('#step-describe').hidden")
    browser.click("#persons-one")
    browser.choose("#target-column", "answer")
    browser.fill("#target-classes", "no\nyes")
    browser.click("#column-0-number")
    browser.fill("#column-0-lower", "0")
    browser.fill("#column-0-upper", "100")
    browser.click("#column-1-number")
    browser.fill("#column-1-lower", "0")
    browser.fill("#column-1-upper", "80")
    browser.click("#column-1-clip")
    browser.click("#column-3-category")
    browser.fill("#column-3-categories", "north\nsouth\nother")
    browser.fill("#column-3-other", "other")
    browser.until("document.querySelector('#describe-state').textContent.startsWith('Complete: 5 features')")


def sound(browser, step):
    """Every control has a name, nothing sticks out of a small screen, the heading has the focus, in light and dark."""
    assert browser.run("document.activeElement.id") == f"title-{step}"
    assert browser.run("document.querySelectorAll('[aria-current]').length") == 1
    unnamed = [
        node
        for node in browser.call("Accessibility.getFullAXTree")["nodes"]
        if not node.get("ignored")
        and node.get("role", {}).get("value") in ("button", "textbox", "radio", "checkbox", "combobox", "spinbutton", "link", "image")
        and not node.get("name", {}).get("value")
    ]
    assert not unnamed, unnamed
    lawful(browser)
    identities = browser.run("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(identities) == len(set(identities))
    for dark in (False, True):
        browser.look(width=380, dark=dark)
        assert browser.run("document.documentElement.scrollWidth") <= 380
        ink, paper = (browser.run(f"getComputedStyle(document.body).{name}") for name in ("color", "backgroundColor"))
        assert (brightness(ink) > brightness(paper)) is dark
    browser.look(width=1200, dark=False)


def lawful(browser):
    """No violation that axe-core finds, where DISCREET_AXE names its file."""
    if path := os.environ.get("DISCREET_AXE"):
        browser.run(Path(path).read_text(encoding="utf-8") + ";0")
        said = "axe.run(document, {resultTypes: ['violations']}).then((all) => all.violations"
        found = f"{said}.map((one) => [one.id, one.nodes.map((node) => node.html)]))"
        assert browser.run(found) == []


def brightness(colour):
    return sum(int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(",")[:3])


@pytest.mark.more  # as test_desk.py does, and by hand
def test_from_csv_to_verified_model(page, browser, people, tmp_path):
    records = people.read_text(encoding="utf-8")
    people.write_text(records + f"30,{CANARY},x,{CANARY},no\n", encoding="utf-8")
    entered(browser, page)
    assert browser.run("location.hash") == ""
    # the table, by its path
    browser.fill("#table-path", str(tmp_path / "absent.csv"))
    browser.click("#form-table .main")
    browser.until("document.querySelector('#alert').textContent.includes('no file')")
    browser.fill("#table-path", str(people))
    browser.click("#form-table .main")
    browser.until("document.activeElement.textContent === 'Describe them'")
    browser.click("#table-found button")
    sound(browser, "describe")
    # a mistake is said beside its field, and the next step stays shut
    browser.click("#column-0-number")
    browser.fill("#column-0-upper", "abc")
    browser.until("document.querySelector('#column-0-problem').textContent.includes('is not filled in yet')")
    assert browser.run("document.querySelector('#column-0-lower').getAttribute('aria-invalid')") == "true"
    assert browser.run("document.querySelector('#steps [data-step=run]').disabled")
    described(browser)
    browser.click("#step-describe [data-next]")
    browser.until("!document.querySelector('#step-choose').hidden")
    sound(browser, "choose")
    # a ledger, made here
    browser.click("#steps [data-step=ledger]")
    browser.until("!document.querySelector('#step-ledger').hidden")
    sound(browser, "ledger")
    browser.click("#new-ledger summary")
    browser.fill("#new-path", str(tmp_path / "team.ledger"))
    browser.fill("#new-set", "people")
    browser.click("#form-declare button")
    browser.until("document.querySelector('#ledger-shown h2').textContent === 'people'")
    # the trade-off, on invented rows
    browser.click("#steps [data-step=explore]")
    browser.until("!document.querySelector('#step-explore').hidden")
    sound(browser, "explore")
    browser.fill("#records", "1000")
    browser.click("#explore-go")
    browser.until("document.querySelector('#explore-state').textContent.startsWith('Done')")
    assert browser.run("document.querySelectorAll('#chart-epsilon circle').length") == 10
    assert browser.run("document.querySelectorAll('#chart-records circle').length") >= 4
    assert "records are enough" in browser.text("#plan-answer")
    assert browser.run("document.querySelector('#chart-epsilon svg').getAttribute('aria-label')").startswith(
        "Share of errors, against epsilon. private: "
    )
    # the run
    browser.click("#step-explore > .next [data-next=run]")
    browser.until("!document.querySelector('#step-run').hidden")
    sound(browser, "run")
    browser.click("#run-go")
    browser.until("!document.querySelector('#run-stop').hidden")
    browser.until("document.querySelector('#run-result h2')")
    assert browser.text("#run-result h2") == "Done"
    assert browser.run("document.activeElement.textContent") == "Done"
    assert browser.text("#run-result .good").startswith("Verified: ")
    # its files, as the browser saves them
    downloads = tmp_path / "downloads"
    browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads))
    browser.click("#run-result a[download='model.json']")
    for _ in range(200):
        if (downloads / "model.json").exists():
            break
        time.sleep(0.05)
    model = Model.load(downloads / "model.json")
    model.verify().require()
    assert json.loads((tmp_path / "results/run-1/certificate.json").read_text()) == model.certificate.to_dict()
    assert Ledger(tmp_path / "team.ledger").left("people").epsilon == pytest.approx(2.0)
    browser.click("#steps [data-step=ledger]")
    browser.until("document.querySelector('#ledger-shown td') && document.querySelector('#ledger-shown').textContent.includes('settled')")
    refused = [entry for entry in browser.complaints() if "status of 422" not in str(entry)]  # the path that was not there
    assert not refused, refused
    assert all(url.startswith(page.address) for url in browser.requested()), browser.requested()
    assert_silent(browser.run("document.documentElement.outerHTML"))


@pytest.mark.more
def test_the_first_steps_by_keyboard_alone(page, browser, people):
    entered(browser, page)
    assert browser.run("document.activeElement.id") == "table-path"
    browser.call("Input.insertText", text=str(people))
    browser.press(**ENTER)
    browser.until("document.activeElement.textContent === 'Describe them'")
    browser.press(**ENTER)
    browser.until("document.activeElement.id === 'title-describe'")
    browser.press(**TAB)
    assert browser.run("document.activeElement.tagName") == "SUMMARY"
    assert browser.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    seen = set()
    for _ in range(60):
        browser.press(**TAB)
        seen.add(browser.run("document.activeElement.id || document.activeElement.textContent"))
    assert {"schema-name", "target-column", "target-classes", "column-0-ignore", "column-3-ignore", "Continue"} <= seen


@pytest.mark.more
def test_an_upload_and_a_run_that_is_stopped(page, browser, people, tmp_path):
    header, _, body = people.read_text(encoding="utf-8").partition("\n")
    people.write_text(header + "\n" + body * 12_000, encoding="utf-8")
    entered(browser, page)
    browser.attach("#table-file", people)
    browser.until("document.activeElement.textContent === 'Describe them'")
    browser.click("#table-found button")
    described(browser)
    browser.click("#steps [data-step=run]")
    browser.click("#run-go")
    browser.click("#run-stop")
    browser.until("document.querySelector('#run-result h2')")
    assert browser.text("#run-result h2") == "Stopped"
    assert browser.text("#run-result .problem") == "The run was stopped. No noise was drawn: nothing is spent."
    assert not list((tmp_path / "results").iterdir())


@pytest.mark.more
def test_names_of_columns_are_text_whatever_they_hold(page, browser, tmp_path):
    names = ["<img src=x onerror=alert(1)>", '"></select><script>alert(2)</script>', "{{7*7}}", "a\u200bb", "javascript:alert(3)", "ordinary"]
    table = tmp_path / "odd.csv"
    table.write_text(",".join('"' + name.replace('"', '""') + '"' for name in names) + "\n", encoding="utf-8")
    entered(browser, page)
    browser.fill("#table-path", str(table))
    browser.click("#form-table .main")
    browser.until("document.activeElement.textContent === 'Describe them'")
    assert browser.run("[...document.querySelectorAll('ul.names li')].map((e) => e.textContent)") == names
    browser.click("#table-found button")
    browser.click("#persons-one")
    browser.choose("#target-column", "ordinary")
    browser.fill("#target-classes", "<b>no</b>\nyes")
    browser.click("#column-0-number")
    browser.fill("#column-0-lower", "0")
    browser.fill("#column-0-upper", "1")
    browser.until("document.querySelector('#describe-state').textContent.startsWith('Complete')")
    assert browser.run("document.querySelectorAll('main img, iframe, main b, script:not([src])').length") == 0
    assert not browser.complaints()
    # a reload of the page keeps what was typed
    reloaded(browser)
    browser.until("document.querySelector('#describe-state').textContent.startsWith('Complete')")
    assert browser.run("document.querySelector('#target-classes').value") == "<b>no</b>\nyes"
    assert browser.run("document.querySelector('#column-0-upper').value") == "1"


def reloaded(browser):
    browser.run("window.before = true")
    browser.call("Page.reload")
    browser.until("window.before === undefined && document.readyState === 'complete'")


def chosen(browser, people):
    """At the step Choose, with everything described."""
    browser.fill("#table-path", str(people))
    browser.click("#form-table .main")
    browser.until("document.activeElement.textContent === 'Describe them'")
    browser.click("#table-found button")
    described(browser)
    browser.click("#step-describe [data-next]")
    browser.until("document.querySelector('#option-alpha')")


@pytest.mark.more
def test_a_reload_keeps_everything_and_an_error_leads_to_its_field(page, browser, people):
    entered(browser, page)
    chosen(browser, people)
    browser.click("#options-own summary")
    browser.fill("#option-alpha", "minus one")
    browser.fill("#epsilon", "0.5")
    browser.click("#add-remove")
    reloaded(browser)
    browser.until("!document.querySelector('#step-choose').hidden && document.querySelector('#option-alpha')?.value === 'minus one'")
    assert browser.run("[document.querySelector('#epsilon').value, document.querySelector('#add-remove').checked]") == ["0.5", True]
    browser.click("#steps [data-step=explore]")
    browser.fill("#records", "300")
    browser.click("#explore-go")
    browser.until("!document.querySelector('#alert').hidden")
    assert browser.text("#alert span").lower().count("alpha takes a finite number") == 1
    browser.click("#alert button")
    browser.until("document.activeElement.id === 'option-alpha'")
    assert browser.run("document.querySelector('#alert').hidden")  # a step that is left takes its refusals with it
    browser.fill("#option-alpha", "0.1")
    browser.fill("#epsilon", "-1")
    browser.click("#steps [data-step=run]")
    browser.until("document.querySelector('#alert').textContent.startsWith('Epsilon must be more than 0')")
    browser.click("#alert button")
    browser.until("document.activeElement.id === 'epsilon'")
    browser.fill("#epsilon", "9")
    browser.click("#steps [data-step=run]")
    browser.until("document.querySelector('#run-weighed').textContent.includes('guarantees almost nothing')")
    assert "Options" in browser.text("#run-summary")
    assert "Alpha: 0.1" in browser.text("#run-summary")
    assert not [entry for entry in browser.complaints() if "status of 422" not in str(entry)]


WIDE = [f"question {number}" for number in range(299)]


@pytest.mark.more
def test_a_count_is_offered_models_of_counts_and_of_numbers(page, browser, people):
    entered(browser, page)
    browser.fill("#table-path", str(people))
    browser.click("#form-table .main")
    browser.until("document.activeElement.textContent === 'Describe them'")
    browser.click("#table-found button")
    described(browser)
    browser.choose("#target-column", "city")
    browser.click("#target-kind-number")
    browser.fill("#target-lower", "0")
    browser.fill("#target-upper", "9")
    browser.click("#target-counts")
    browser.click("#step-describe [data-next]")
    browser.until("document.querySelector('#chosen')?.value === 'poisson-regression'")
    assert browser.run("[...document.querySelector('#chosen').options].some((one) => one.value === 'linear-regression')")


@pytest.mark.more
def test_three_hundred_columns_are_found_and_set_together(page, browser, tmp_path):
    table = tmp_path / "wide.csv"
    table.write_text(",".join([*WIDE, "answer"]) + "\n", encoding="utf-8")
    entered(browser, page)
    browser.fill("#table-path", str(table))
    browser.click("#form-table .main")
    browser.until("document.activeElement.textContent === 'Describe them'")
    browser.click("#table-found button")
    browser.click("#persons-one")
    browser.choose("#target-column", "answer")
    browser.fill("#target-classes", "no\nyes")
    browser.until("document.querySelector('#columns-shown').textContent === '299 columns'")
    assert browser.run("document.querySelectorAll('#columns fieldset.card').length") == 0  # folded up
    browser.fill("#columns-search", "question 29")
    browser.until("document.querySelectorAll('#columns fieldset.card').length === 10")
    browser.choose("#columns-set", "number")
    browser.fill("#columns-search", "question 290")
    browser.until("document.querySelectorAll('#columns fieldset.card').length === 1")
    browser.fill("#column-290-lower", "0")
    browser.fill("#column-290-upper", "5")
    browser.fill("#columns-search", "")
    browser.until("document.querySelector('#columns-shown').textContent === '299 columns'")
    assert browser.run("[...document.querySelectorAll('#columns summary')].map((e) => e.textContent)")[:1] == ["Numbers (10)"]
    browser.choose("#columns-filter", "todo")
    browser.until("document.querySelectorAll('#columns fieldset.card').length === 9")
    lawful(browser)


@pytest.mark.more
def test_a_file_is_chosen_by_keyboard(page, browser, people):
    """From the folder of the workbench to the one of the table, and back to the field."""
    entered(browser, page)
    browser.fill("#table-path", str(people.parent))
    browser.press(**TAB)
    assert browser.run("document.activeElement.dataset.browse") == "table"
    browser.press(**ENTER)
    browser.until("document.querySelector('#chooser').open && document.activeElement.textContent === 'the folder above'")
    lawful(browser)
    names = browser.run("[...document.querySelectorAll('#chooser-names .file')].map((e) => e.textContent)")
    assert names == ["people.csv"]
    for _ in range(20):
        browser.press(**TAB)
        if browser.run("document.activeElement.textContent") == "people.csv":
            break
    browser.press(**ENTER)
    browser.until("!document.querySelector('#chooser').open && document.activeElement.id === 'table-path'")
    assert browser.run("document.querySelector('#table-path').value") == str(people)


@pytest.mark.slow
def test_a_model_is_measured_and_used_and_bounds_are_chosen(page, browser, people, tmp_path):
    """What somebody does after the first model; predictions are about people, and stay off the page."""
    entered(browser, page)
    chosen(browser, people)
    browser.click("#step-choose [data-next=run]")
    run_to_its_end(browser, 1)
    for number, (name, ready) in enumerate([("evaluate", "#option-metrics"), ("intervals", "#option-level"), ("predict", "#option-threshold")], 2):
        browser.click("#steps [data-step=choose]")
        browser.click(f"#job-{name}")
        browser.until(f"document.querySelector('{ready}')")
        if name == "evaluate":
            browser.click("#models-made button")
        browser.until("document.querySelector('#model-path').value.endsWith('model.json')")
        browser.click("#step-choose [data-next=run]")
        run_to_its_end(browser, number)
        lawful(browser)
        if name == "evaluate":
            assert "Right answers" in browser.text("#run-result")
        if name == "intervals":
            assert "intervals for" in browser.text("#run-result caption")
    made = tmp_path / "results/run-4/predictions.csv"
    assert made.stat().st_mode & 0o077 == 0
    assert "predictions.csv" not in browser.run("[...document.querySelectorAll('#run-result a')].map((e) => e.href).join()")
    reloaded(browser)
    browser.until("document.querySelector('#run-result h2')?.textContent === 'Done'")
    assert browser.run("document.querySelectorAll('#run-earlier button').length") == 3
    # bounds that nobody knows, and on with them
    browser.click("#steps [data-step=describe]")
    browser.click("#column-0-open")
    browser.until("document.querySelector('#describe-state').textContent.startsWith('Complete except for the bounds of age')")
    browser.click("#step-describe > .next [data-next]")
    browser.until("document.querySelector('#job-bounds').checked")
    browser.click("#step-choose [data-next=run]")
    run_to_its_end(browser, 5)
    browser.click("#run-result .next button")
    browser.until("document.querySelector('#column-0-upper')?.value === '100'")
    browser.until("document.querySelector('#describe-state').textContent.startsWith('Complete: 5 features')")
    assert not [entry for entry in browser.complaints() if "status of 422" not in str(entry)]


def run_to_its_end(browser, number):
    browser.until("!document.querySelector('#step-run').hidden && !document.querySelector('#run-go').disabled")
    browser.click("#run-go")
    browser.until(f"document.querySelector('#run-result .note')?.textContent.startsWith('Run {number}:')")
    assert browser.text("#run-result h2") == "Done", browser.text("#run-result")


@pytest.mark.more
def test_a_second_browser_with_the_same_link_is_refused(page, browser):
    page.gate.enter(page.gate.token)
    browser.go(page.link)
    browser.until("document.querySelector('#alert').textContent.includes('already used')")
    assert browser.run("document.querySelectorAll('#steps button:not(:disabled)').length") == 0


def test_a_page_of_another_origin_can_neither_ask_nor_frame_it(page, browser, tmp_path):
    """A file is such a page; so is every site."""
    entered(browser, page)
    evil = tmp_path / "evil.html"
    evil.write_text(
        f"""<!doctype html><iframe id=f src="{page.address}"></iframe><script>
        window.outcome = fetch("{page.address}api/state", {{method: "POST", body: "{{}}", credentials: "include", mode: "no-cors"}})
          .then((answer) => answer.type + answer.status, (error) => "refused");
        window.readable = fetch("{page.address}").then(() => "read", () => "refused");
        </script>"""
    )
    browser.go(evil.as_uri())
    browser.until("document.readyState === 'complete' && window.readable")
    assert browser.run("window.readable") == "refused"
    assert browser.run("window.outcome") in ("opaque0", "refused")
    assert browser.run("(() => { try { return document.getElementById('f').contentDocument?.body.textContent ?? '' } catch { return '' } })()") == ""
