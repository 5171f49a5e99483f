# %% [markdown]
# # Choosing parameters privately
#
# A search over settings fits and scores a model for each setting that it tries. All of these look at the records, so all of them have to be paid
# for. Here one budget covers the search and the model.

# %%
import numpy as np

from discreet import LogisticRegression, PrivateSearchCV

rng = np.random.default_rng(5)
X = rng.uniform(-0.5, 0.5, (4000, 4))
y = np.where(X @ [3.0, -2.0, 0.0, 0.0] + rng.normal(0, 0.4, 4000) > 0, "yes", "no")

# %% [markdown]
# Settings that follow from public numbers are free, and the defaults are such: try them first.

# %%
default = LogisticRegression(epsilon=1.0, delta=1e-6, data_norm=1.0, classes=["no", "yes"]).fit(X[:2000], y[:2000])
default.explain(records=2000)

# %%
search = PrivateSearchCV(
    LogisticRegression(data_norm=1.0, classes=["no", "yes"]), {"alpha": [1e-3, 3e-3, 1e-2]}, epsilon=1.0, delta=1e-6, method="random-stopping"
)
search.fit(X[:2000], y[:2000])
print(search.best_params_)
search.certificate_

# %% [markdown]
# What it was worth, on invented rows that nobody has to protect.

# %%
for name, model in (("default", default), ("search", search)):
    print(name, round(float(np.mean(model.predict(X[2000:]) == y[2000:])), 3))
