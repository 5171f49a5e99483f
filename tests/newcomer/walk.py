"""Uses what the files beside it add, each the way its kind is used; run in a process of its own, with the package that they were copied into."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import discreet
from discreet import ConstrainedERM, Domain, LinearSVC, Records, SystemNoise, estimators
from discreet.certificates import Certificate
from discreet.cli.program import program
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE
from discreet.data.blocks import Block, ListTable
from discreet.matrices import DenseMatrix
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.counting import AlikeCounting, BoundedSum, Histogram, Queries
from discreet.releases import publish, read_release
from discreet.sets import constraint_named
from discreet.sets.mirror_maps import map_names

warnings.simplefilter("ignore", discreet.PrivacyWarning)  # of bounds that are left as they are
folder = Path(sys.argv[1])
draw = np.random.default_rng(3)
X = draw.uniform(-0.5, 0.5, size=(2000, 3))
classes, numbers = (X[:, 0] > 0).astype(int), X @ [0.5, 0.2, 0.0]
BUDGET = {"epsilon": 1.0, "delta": 1e-6}


def run(*words):
    try:
        program.main([*words])
    except SystemExit as ended:
        return ended.code
    return 0


def sound(certificate, value):
    assert certificate.verify(value).ok
    again = Certificate.from_json(certificate.to_json())
    assert again.verify(value).ok
    return again.problem


# A loss of the margin, in a fit and in a model file; and blocks of another kind.
fitted = LinearSVC(loss="gentle", classes=[0, 1], data_norm=1.0, **BUDGET).fit(X, classes)
assert sound(fitted.certificate_, fitted.weights_)["loss"] == "gentle"
table = ListTable([Block(DenseMatrix(X[:1500]), classes[:1500]), Block(DenseMatrix(X[1500:]), classes[1500:])])
assert LinearSVC(loss="gentle", classes=[0, 1], **BUDGET).fit(table).score(X, classes) > 0.8

# A loss of numbers, a set, and a map of mirror descent over it.
assert {*map_names(constraint_named("positive-ball", {"dimension": 3}))} == {"euclidean", "from-the-tip"}
ball = constraint_named("positive-ball", {"dimension": 3, "radius": 1.0})
descent = ConstrainedERM(
    loss="pseudo-huber", constraint=ball, mechanism="mirror-descent", mirror_map="from-the-tip", n_iter=20, **BUDGET, target_bound=1.0
)
problem = sound(descent.fit(X, numbers).certificate_, descent.weights_)
assert (problem["loss"], problem["constraint"]) == ("pseudo-huber", "positive-ball")
assert (descent.coef_ >= 0).all()

# An estimator, saved and read again.
model = estimators.PositiveRegression(**BUDGET, target_bound=1.0).fit(X, numbers)
model.save(folder / "model.json")
assert (estimators.ArrayModel.load(folder / "model.json").predict(X) == model.predict(X)).all()
assert run(*["verify", str(folder / "model.json")]) == 0

# A mechanism: its certificate is issued in its words, and recomputed.
queries = Queries([Histogram(cells=3), BoundedSum(largest=4)])
alike = AlikeCounting.calibrated(queries, epsilon=1.0, neighbours=ADD_REMOVE)
exact = (np.array([5, 3, 2]), np.array([11]))
counted = alike.run(queries, Numbers(exact, None), SystemNoise())
assert len(set(alike.scales)) == 1
sound(counted.certificate, counted.value)

# A method of release; it has no target, which is said before anything is spent.
domain = Domain(features=3, norm_bound=1.0, target_bound=1.0, records=2000)
records = Records(rows=DenseMatrix(X), targets=numbers, domain=domain)
with pytest.raises(InvalidInput, match="say target='omitted'"):
    publish(records, folder / "release", SystemNoise(), method="features-sketch", rows=8, **BUDGET)
publish(records, folder / "release", SystemNoise(), method="features-sketch", target="omitted", rows=8, **BUDGET)
released = read_release(folder / "release")
assert released.verify().ok
assert released.values().shape == (8, 3)

# A command.
(folder / "people.csv").write_text("age,sex\n")
assert run(*["header", str(folder / "people.csv")]) == 0
sys.stdout.write("done\n")
