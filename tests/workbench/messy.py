"""The journey of a custodian with a file as hospitals send them, in a browser: semicolons, Windows letters, decimal commas, days written day first,
mixed capitals, several visits of one patient. A test makes it, and `python tools/screens.py` takes the pictures of the workbench on its way."""

import math
import random
from dataclasses import dataclass
from datetime import date, timedelta

SEXES = ("weiblich", "Weiblich", "MÄNNLICH", "männlich")
ANSWERS = (("ja", "JA", "Ja"), ("nein", "Nein"))


def messy_visits(path, *, patients=900):
    """Write the table; nothing of it is clean but its header."""
    draw = random.Random(1)  # noqa: S311 - an invented table
    lines = ["Patient;Größe;Gewicht;Aufnahme;Geschlecht;Rückkehr"]
    for patient in range(patients):
        tall, weight = draw.gauss(170, 9), min(max(draw.gauss(78, 15), 30), 200)
        for _ in range(draw.choice([1, 1, 2, 3])):
            day = date(2018, 1, 1) + timedelta(days=draw.randrange(2000))
            answers = ANSWERS[draw.random() > 1 / (1 + math.exp(-(weight - 78) / 8))]
            cells = f"{tall:.1f};{weight:.1f}".replace(".", ",")
            lines.append(f"P{patient};{cells};{day:%d.%m.%Y};{draw.choice(SEXES)};{draw.choice(answers)}")
    path.write_bytes(("\r\n".join(lines) + "\r\n").encode("cp1252"))


@dataclass
class Journey:
    """Its steps, and how often the page refused something on the way."""

    browser: object
    look: object = lambda name: None
    refusals: int = 0

    def settled(self, code):
        """Wait; a refusal on the way counts."""
        self.browser.until(code)
        self.refusals += not self.browser.run("document.querySelector('#alert').hidden")

    def enter(self, link):
        self.browser.go(link)
        self.settled("!document.querySelector('#step-table').hidden")

    def table(self, path):
        self.look("table")
        self.browser.fill("#table-path", str(path))
        self.browser.click("#form-table .main")
        self.settled("document.activeElement.textContent === 'Describe them'")
        self.browser.click("#table-found button")
        self.settled("!document.querySelector('#step-describe').hidden")

    def describe(self):
        """What is publicly known; separator, encoding and decimal mark stand there already."""
        browser = self.browser
        said = browser.run("['separator', 'encoding', 'decimal'].map((name) => document.querySelector('#file-' + name).value)")
        browser.run("document.querySelector('#file-box').open = true")
        browser.fill("#file-dates", "day.month.year")
        browser.click("#file-case")
        browser.click("#persons-several")
        browser.choose("#persons-column", "Patient")
        browser.fill("#persons-most", "3")
        browser.choose("#target-column", "Rückkehr")
        browser.fill("#target-classes", "nein\nja")
        for place, kind, lower, upper in ((1, "number", "120", "220"), (2, "number", "30", "200"), (3, "date", "2018-01-01", "2023-12-31")):
            browser.click(f"#column-{place}-{kind}")
            browser.fill(f"#column-{place}-lower", lower)
            browser.fill(f"#column-{place}-upper", upper)
        browser.click("#column-4-category")
        browser.fill("#column-4-categories", "weiblich\nmännlich")
        self.settled("document.querySelector('#describe-state').textContent.startsWith('Complete')")
        self.look("describe")
        browser.click("#step-describe > .next [data-next]")
        self.settled("!document.querySelector('#step-choose').hidden")
        return said

    def choose(self):
        self.look("choose")
        self.browser.click("#step-choose [data-next=run]")
        self.settled("!document.querySelector('#step-run').hidden && !document.querySelector('#run-go').disabled")

    def explore(self, records="1200"):
        """Curves on invented rows, on the way."""
        browser = self.browser
        browser.click("#steps [data-step=explore]")
        browser.fill("#records", records)
        browser.click("#explore-go")
        self.settled("document.querySelector('#explore-state').textContent.startsWith('Done')")
        self.look("explore")
        browser.click("#steps [data-step=run]")
        self.settled("!document.querySelector('#step-run').hidden && !document.querySelector('#run-go').disabled")

    def run(self):
        """To the verified model; what the page says at its end."""
        self.look("run")
        self.browser.click("#run-go")
        self.settled("document.querySelector('#run-result h2')")
        self.look("result")
        return self.browser.text("#run-result h2"), self.browser.text("#run-result .good")
