# %% [markdown]
# # A statistician: from a messy file to a model that is reported
#
# The file is as hospitals send them: semicolons, Latin letters of Windows (cp1252), decimal commas, days written day first, mixed capitals,
# and several visits of one patient. Six commands lead to a verified model and a page for the board; nothing is cleaned by hand.

# %%
import random
import shlex
import subprocess
import sys
import time
from datetime import date, timedelta
from pathlib import Path

random.seed(1)
SEXES, ANSWERS = ["weiblich", "Weiblich", "MÄNNLICH", "männlich"], [["ja", "JA", "Ja"], ["nein", "Nein"]]
lines = ["Patient;Größe;Gewicht;Aufnahme;Geschlecht;Rückkehr"]
for patient in range(900):
    tall, weight = random.gauss(170, 9), random.gauss(78, 15)
    for _ in range(random.choice([1, 1, 2, 3])):
        day = date(2018, 1, 1) + timedelta(days=random.randrange(2000))
        back = random.random() < 1 / (1 + 2.718 ** -((weight - 78) / 8))
        cells = f"{tall:.1f};{weight:.1f}".replace(".", ",")
        lines.append(f"P{patient};{cells};{day:%d.%m.%Y};{random.choice(SEXES)};{random.choice(ANSWERS[0] if back else ANSWERS[1])}")
Path("visits.csv").write_bytes(("\r\n".join(lines) + "\r\n").encode("cp1252"))
print(*lines[:3], f"... {len(lines) - 1} rows", sep="\n")

# %% [markdown]
# A function runs a command as at a prompt, times it, and counts those that are refused.

# %%
seconds: list[float] = []
refusals = 0


def discreet(words: str, answers: tuple[str, ...] = ()) -> None:
    """Run a command as at a prompt, and show what it prints."""
    global refusals
    began = time.monotonic()
    command = [sys.executable, "-m", "discreet", *shlex.split(words)]
    done = subprocess.run(command, input="\n".join((*answers, "")), capture_output=True, text=True, encoding="utf-8", check=False)
    seconds.append(time.monotonic() - began)
    refusals += done.returncode != 0
    print(done.stdout if done.returncode == 0 else done.stderr)


# %% [markdown]
# **1.** The interview asks about each column in plain words, with proposals from the names alone; an empty answer takes what stands in brackets. It
# reads no record: bounds and labels are what is publicly known.

# %%
discreet(
    "schema new visits.csv --interview --out visits.toml",
    (
        *("", "", "nein, ja", ""),  # the last column is predicted; its classes; visits without an answer would be refused
        *("", "3"),  # Patient: a person, of whom three rows are kept at most
        *("number", "120", "220"),  # a height in cm
        *("number", "30", "200"),  # a weight in kg
        *("", "2018-01-01", "2023-12-31"),
        *("", "weiblich, männlich"),
        *("", ""),  # no marks of thousands; days are written 31.12.2023
    ),
)

# %% [markdown]
# **2.** How much may be learnt from this table in all, about one patient?

# %%
discreet("budget new visits.ledger --data-set visits --epsilon 2 --delta 2e-6 --unit person")

# %% [markdown]
# **3.** The model.

# %%
discreet("fit visits.csv --schema visits.toml --epsilon 1 --delta 1e-6 --ledger visits.ledger --out model.json --purpose 'Who returns?'")

# %% [markdown]
# **4.** How good is it? That costs budget too. Here it is measured on the visits that it was fitted to, which flatters a model a little; take other
# patients where you have them.

# %%
discreet("evaluate model.json visits.csv --epsilon 0.5 --ledger visits.ledger --out measures.json")

# %% [markdown]
# **5.** Anybody can check the model, from the file alone. **6.** And the page for the board.

# %%
discreet("verify model.json")
discreet("report model.json --out report.html --evaluation measures.json --ledger visits.ledger --purpose 'Who returns?' --owner 'City Hospital'")

# %%
print(f"{len(seconds)} commands, {refusals} refusals, {sum(seconds):.1f} s")
