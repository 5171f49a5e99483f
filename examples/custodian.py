# %% [markdown]
# # A custodian: one budget, several teams, and a page for the board
#
# Who answers for a table decides once how much may be learnt from it in all. The ledger adds up, and refuses what would exceed it before any noise is
# drawn.

# %%
from pathlib import Path

import numpy as np
import polars as pl

from discreet import LogisticRegression, Model, Schema, describe
from discreet.display.reports import About, write_report
from discreet.ledger import Account, BudgetExceeded, Ledger

ledger = Ledger.create("hospital.ledger")
ledger.declare("stays", epsilon=2.0, delta=3e-6)
ledger

# %% [markdown]
# The table and its schema, written from what is publicly known.

# %%
rng = np.random.default_rng(3)
n = 3000
age = rng.integers(18, 96, n)
stays = pl.DataFrame({"age": age, "ward": rng.choice(["a", "b", "c"], n), "long": np.where(age + rng.normal(0, 15, n) > 65, "yes", "no")})
schema = Schema.from_toml(
    """
format = "discreet-schema/1"
name = "stays"
[target]
column = "long"
classes = ["no", "yes"]
[numeric.age]
lower = 0
upper = 120
[categorical.ward]
categories = ["a", "b", "c"]
"""
)

# %% [markdown]
# The first team asks for a description, the second for a model. Each spends from the same total.

# %%
description = describe(stays, schema, epsilon=0.8, delta=1e-6, account=Account("hospital.ledger", "stays", why="table 1"))
print(description)

# %%
account = Account("hospital.ledger", "stays", why="who stays long?")
fitted = LogisticRegression(epsilon=1.0, delta=1e-6, data_norm=schema.norm_bound, ledger=account).fit(schema.encode(stays, target=True))
model = Model.from_estimator(fitted, schema)
model

# %% [markdown]
# A third request does not fit any more. The refusal says what is left, and nothing was drawn.

# %%
try:
    describe(stays, schema, epsilon=0.8, delta=1e-6, account=Account("hospital.ledger", "stays"))
except BudgetExceeded as refusal:
    print(refusal)

# %% [markdown]
# The page for the board, and the check that a stranger makes from the model file alone.

# %%
write_report(model, "report.html", ledger=ledger, about=About(purpose="Which patients stay long?", owner="City Hospital"))
model.save("model.json")
Model.load("model.json").verify()

# %%
for entry in ledger.history("stays"):
    print(entry)
print(ledger)
assert Path("report.html").exists()
