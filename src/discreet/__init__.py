"""Discreet: private convex learning and private data release, with guarantees that are proved, checked by machine and written down.

from discreet import LogisticRegression
model = LogisticRegression(epsilon=1.0, data_norm=1.0, classes=["no", "yes"]).fit(X, y)
print(model.certificate_)
"""

from discreet.certificates import Certificate, Release, Verification
from discreet.data import Dataset, Domain, EncodedTable, Schema
from discreet.errors import DiscreetError
from discreet.estimators import LinearSVC, LogisticRegression
from discreet.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours
from discreet.noise import SeededNoise, SystemNoise
from discreet.version import VERSION as __version__

__all__ = [
    "ADD_REMOVE",
    "REPLACE_ONE",
    "Certificate",
    "Dataset",
    "DiscreetError",
    "Domain",
    "EncodedTable",
    "LinearSVC",
    "LogisticRegression",
    "Neighbours",
    "Release",
    "Schema",
    "SeededNoise",
    "SystemNoise",
    "Verification",
    "__version__",
]
