"""From a CSV file to a verified model in a real browser, as somebody does it who has never seen the page."""

import json
import time

import pytest

from discreet.display.workbench import Workbench
from discreet.estimators import Model
from discreet.ledger import Ledger
from tests.canary import CANARY, assert_silent
from tests.display.workbench.chromium import Browser, installed

pytestmark = pytest.mark.skipif(installed() is None, reason="no Chromium is installed")

TAB, ENTER = {"key": "Tab", "code": 9}, {"key": "Enter", "text": "\r", "code": 13}


@pytest.fixture
def page(tmp_path):
    with Workbench(folder=tmp_path / "results") as made:
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
    identities = browser.run("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(identities) == len(set(identities))
    for dark in (False, True):
        browser.look(width=380, dark=dark)
        assert browser.run("document.documentElement.scrollWidth") <= 380
        ink, paper = (browser.run(f"getComputedStyle(document.body).{name}") for name in ("color", "backgroundColor"))
        assert (brightness(ink) > brightness(paper)) is dark
    browser.look(width=1200, dark=False)


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
    browser.click("#form-table button")
    browser.until("document.querySelector('#alert').textContent.includes('no file')")
    browser.fill("#table-path", str(people))
    browser.click("#form-table button")
    browser.until("document.activeElement.textContent === 'Describe them'")
    browser.click("#table-found button")
    sound(browser, "describe")
    # a mistake is said beside its field, and the next step stays shut
    browser.click("#column-0-number")
    browser.fill("#column-0-upper", "abc")
    browser.until("document.querySelector('#column-0-problem').textContent.includes('still to be filled in')")
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


def test_names_of_columns_are_text_whatever_they_hold(page, browser, tmp_path):
    names = ["<img src=x onerror=alert(1)>", '"></select><script>alert(2)</script>', "{{7*7}}", "a\u200bb", "javascript:alert(3)", "ordinary"]
    table = tmp_path / "odd.csv"
    table.write_text(",".join('"' + name.replace('"', '""') + '"' for name in names) + "\n", encoding="utf-8")
    entered(browser, page)
    browser.fill("#table-path", str(table))
    browser.click("#form-table button")
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
    assert browser.run("document.querySelectorAll('img, iframe, b, script:not([src])').length") == 0
    assert not browser.complaints()
    # a reload of the page keeps what was typed
    browser.call("Page.reload")
    browser.until("document.querySelector('#describe-state').textContent.startsWith('Complete')")
    assert browser.run("document.querySelector('#target-classes').value") == "<b>no</b>\nyes"
    assert browser.run("document.querySelector('#column-0-upper').value") == "1"


def test_a_second_browser_with_the_same_link_is_refused(page, browser):
    page.gate.enter(page.gate.token)
    browser.go(page.link)
    browser.until("document.querySelector('#alert').textContent.includes('used already')")
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
