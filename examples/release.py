# %% [markdown]
# # Publishing data, and learning from it
#
# Second moments of a table, released once: from then on anybody may fit regressions on any of its columns, at no further cost.

# %%
import numpy as np
import polars as pl

from discreet import Schema, SystemNoise
from discreet.consumers import MomentsRidge, ReleasedMoments
from discreet.releases import publish, read_release

rng = np.random.default_rng(11)
n = 20000
size, year = rng.uniform(20, 200, n), rng.uniform(1900, 2020, n)
flats = pl.DataFrame({"size": size, "year": year, "rent": np.clip(9 * size + 3 * (year - 1960) + rng.normal(0, 150, n), 0, 3000)})
schema = Schema.from_toml(
    """
format = "discreet-schema/1"
name = "flats"
rows = "bound"
[target]
column = "rent"
lower = 0
upper = 3000
[numeric.size]
lower = 0
upper = 250
scale = "symmetric"
[numeric.year]
lower = 1850
upper = 2030
scale = "symmetric"
"""
)

# %%
publish(flats, "flats-moments", SystemNoise(), method="moments", schema=schema, epsilon=0.5, delta=1e-8)
release = read_release("flats-moments")
release.verify().require()
release

# %%
moments = ReleasedMoments.of_release(release)
moments

# %% [markdown]
# A regression of the rent, with intervals that count the noise and the sample; and a correlation.

# %%
line = MomentsRidge(target="rent").fit_release(release)
line.coef_interval()

# %%
low, high = moments.correlation_interval("size", "rent")
print(f"correlation of size and rent: {low:.3f} to {high:.3f}")
