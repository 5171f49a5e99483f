# %% [markdown]
# # A data scientist: from a data frame to a private model
#
# Invented patients, a schema of what is public, a fit, and what it is worth. Every number below was released for the budget that is stated; nothing
# else is learnt from the records.

# %%
import numpy as np
import polars as pl

from discreet import LogisticRegression, Schema, evaluate_privately
from discreet.display import ConfusionMatrixDisplay, PartialDependenceDisplay
from discreet.estimators import fit_with_intervals
from discreet.ledger import Account, Ledger
from discreet.planning import Plan

rng = np.random.default_rng(7)
n = 20000
age, stay, ward = rng.uniform(18, 95, n), rng.gamma(2.0, 4.0, n), rng.choice(["north", "south"], n)
chance = 1 / (1 + np.exp(-(0.06 * (age - 60) + 0.08 * (stay - 8) + 0.8 * (ward == "north"))))
patients = pl.DataFrame({"age": age, "stay": stay, "ward": ward, "back": np.where(rng.uniform(size=n) < chance, "yes", "no")})

# %% [markdown]
# The schema holds what is known without the records: bounds, categories, classes. Each patient has one row.

# %%
schema = Schema.from_toml(
    """
format = "discreet-schema/1"
name = "patients"
rows_per_person = 1
[target]
column = "back"
classes = ["no", "yes"]
[numeric.age]
lower = 0
upper = 110
outside = "clip"
[numeric.stay]
lower = 0
upper = 60
outside = "clip"
[categorical.ward]
categories = ["north", "south"]
"""
)
schema

# %% [markdown]
# How much error is to be expected at epsilon 1, before anything is spent? The bound holds for every table; yours is likely to do better.

# %%
Plan(epsilon=1.0, delta=1e-6, features=schema.features, data_norm=schema.norm_bound, norm=2.0)

# %% [markdown]
# A ledger keeps the sum of what is spent. Half of the rows train, half measure: two tables of different people.

# %%
ledger = Ledger.create("patients.ledger")
ledger.declare("patients", epsilon=2.0, delta=2e-6, unit="person")
account = Account("patients.ledger", "patients")
train, test = (schema.encode(part, target=True) for part in (patients[: n // 2], patients[n // 2 :]))

# %%
estimator = LogisticRegression(epsilon=1.0, delta=1e-6, data_norm=schema.norm_bound, ledger=account)
fit = fit_with_intervals(estimator, train)
fit.model

# %% [markdown]
# The coefficients with intervals that count noise and sampling, paid for by the same budget.

# %%
print(fit.model.summary(uncertainty=fit.uncertainty, schema=schema))

# %%
fit.uncertainty

# %%
PartialDependenceDisplay.from_estimator(fit.model, schema, uncertainty=fit.uncertainty)

# %% [markdown]
# How good is it on others? That is a release too.

# %%
evaluation = evaluate_privately(fit.model, test, epsilon=0.5, metrics=["accuracy", "confusion", "roc", "calibration"], account=account)
evaluation

# %%
ConfusionMatrixDisplay(evaluation=evaluation)

# %% [markdown]
# What is left, and whether the certificates hold.

# %%
ledger

# %%
fit.model.certificate_.verify(fit.model.weights_).require()
evaluation.verify().require()
print(ledger)
