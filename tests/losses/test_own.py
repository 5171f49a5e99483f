"""Losses and sets of a user's own: registered with their constants, or refused before anything is spent; faults in what they state are found."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from discreet import ArrayModel, ConstrainedERM, LinearSVC, Model, Schema
from discreet.core import fields
from discreet.core.errors import InvalidInput
from discreet.ledger import Account, Ledger
from discreet.losses import Logistic, MarginLoss, loss_named
from discreet.losses import register as register_margin
from discreet.losses.predictions import HuberLoss, PredictionLoss, prediction_loss_named
from discreet.losses.predictions import register as register_prediction
from discreet.sets import Constraint, L2Ball
from discreet.sets import register as register_set


@dataclass(frozen=True, slots=True, kw_only=True)
class Steep(MarginLoss):
    """The logistic loss of `times` the margin."""

    name = "steep-logistic"
    times: float = 2.0

    lipschitz = property(lambda self: self.times)
    smoothness = property(lambda self: 0.25 * self.times**2)
    slope_curvature_ratio = property(lambda self: self.times)

    def value(self, margins):
        return Logistic().value(self.times * margins)

    def slope(self, margins):
        return self.times * Logistic().slope(self.times * margins)

    def curvature(self, margins):
        return self.times**2 * Logistic().curvature(self.times * margins)

    def curvature_on_slopes(self, low, high):
        return self.times**2 * Logistic().curvature_on_slopes(low / self.times, high / self.times)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flat(Steep):
    """A link that there is not."""

    name = "flat"

    def proper_log_odds(self, decision):
        return np.zeros_like(decision)


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftAbsolute(PredictionLoss):
    """sqrt(width^2 + r^2) - width of a residual r."""

    name = "soft-absolute"
    width: float = 0.2

    def lipschitz(self, reach, target_bound):
        far = (reach + target_bound) / self.width
        return 1.0 if far == np.inf else far / np.hypot(1.0, far) * (1 + 1e-12)

    def smoothness(self, target_bound):
        return 1.0 / self.width

    def value(self, predictions, targets):
        ahead = predictions - targets
        return np.square(ahead) / (np.hypot(self.width, ahead) + self.width)

    def slope(self, predictions, targets):
        ahead = predictions - targets
        return ahead / np.hypot(self.width, ahead)


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfBall(Constraint):
    """Points of the l2 ball whose first coordinate is not negative."""

    name = "half-ball"
    dimension: int = 3
    radius: float = 1.0
    symmetric = False
    width_is_exact = False

    def _radii(self):
        return self.radius, self.radius * self.dimension**0.5

    def _width(self):
        return self.radius * self.dimension**0.5

    def _project(self, point):
        inside = np.append(max(point[0], 0.0), point[1:])
        return L2Ball(dimension=self.dimension, radius=self.radius).project(inside) * (1 - 1e-15)

    def _minimiser(self, direction):
        lower = np.append(min(direction[0], 0.0), direction[1:])
        if not lower.any():
            return np.zeros(self.dimension)
        return L2Ball(dimension=self.dimension, radius=self.radius).linear_minimiser(lower)

    def _holds(self, point, tolerance):
        return point[0] >= -tolerance and np.linalg.norm(point) <= self.radius * (1 + tolerance)


@pytest.fixture(autouse=True)
def nothing_registered(monkeypatch):
    monkeypatch.setattr(fields, "_OWN", {})
    monkeypatch.setattr(fields, "_CHECKED", set())


DRAW = np.random.default_rng(0)
X = DRAW.uniform(-0.5, 0.5, (800, 3))
NUMBERS = X @ [0.9, -0.5, 0.2] + 0.05 * DRAW.normal(size=800)
CLASSES = (NUMBERS > 0).astype(int)


def test_a_loss_of_ones_own_that_decreases_strictly_has_probabilities(tmp_path):
    register_margin(Steep())
    fitted = LinearSVC(loss=Steep(), classes=[0, 1], epsilon=np.inf, alpha=0.01, data_norm=1.0).fit(X, CLASSES)
    plain = LinearSVC(loss="logistic", classes=[0, 1], epsilon=np.inf, alpha=0.0025, data_norm=1.0).fit(X, CLASSES)
    np.testing.assert_allclose(fitted.predict_proba(X), plain.predict_proba(X), atol=1e-6)  # the logistic loss of twice the margin
    fitted.save(tmp_path / "model.json")
    np.testing.assert_array_equal(ArrayModel.load(tmp_path / "model.json").probabilities(X), fitted.predict_proba(X))
    with pytest.raises(InvalidInput, match="must be odd and rise"):
        register_margin(Flat())


def cases():
    return [
        (LinearSVC(loss=Steep(), classes=[0, 1]), CLASSES, register_margin, Steep()),
        (ConstrainedERM(loss=SoftAbsolute(), n_iter=5, target_bound=1.0), NUMBERS, register_prediction, SoftAbsolute()),
        (ConstrainedERM(constraint=HalfBall(), mechanism="mirror-descent", n_iter=5, target_bound=1.0), NUMBERS, register_set, HalfBall()),
    ]


@pytest.mark.parametrize("case", range(3))
def test_what_nobody_registered_is_refused_before_anything_is_spent_and_what_is_registered_verifies(case, tmp_path):
    model, targets, register, example = cases()[case]
    Ledger.create(tmp_path / "ledger").declare("people", epsilon=1.5, delta=1e-5)
    model = model.set_params(ledger=Account(str(tmp_path / "ledger"), "people"))
    with pytest.raises(InvalidInput, match="is not registered"):
        model.fit(X, targets)
    assert not Ledger(tmp_path / "ledger").history("people")
    register(example)
    fitted = model.fit(X, targets)
    assert fitted.certificate_.verify(fitted.weights_).ok, fitted.certificate_.verify(fitted.weights_)
    assert example.name in json.dumps(fitted.certificate_.to_dict()["problem"])
    assert "no proof" in json.dumps(fitted.certificate_.to_dict()["hypotheses"])
    fields._OWN.clear()
    assert not fitted.certificate_.verify(fitted.weights_).ok


def test_a_model_file_is_read_where_the_loss_is_registered_and_says_so_elsewhere(tmp_path):
    schema = Schema.from_toml(
        'format = "discreet-schema/1"\nname = "t"\nrows = "bound"\ntarget = { column = "y", lower = 0, upper = 10 }\n'
        "[numeric.x]\nlower = 0\nupper = 1\n"
    )
    frame = {"x": DRAW.uniform(0, 1, 500), "y": DRAW.uniform(0, 10, 500)}
    register_prediction(SoftAbsolute())
    fitted = ConstrainedERM(loss=SoftAbsolute(width=0.5), n_iter=5).fit(schema.encode(frame, target=True))
    Model.from_estimator(fitted, schema).save(tmp_path / "m.json")
    assert Model.load(tmp_path / "m.json").predict(frame).shape == (500,)
    fields._OWN.clear()
    read = Model.load(tmp_path / "m.json")
    assert not read.verify().ok
    with pytest.raises(InvalidInput, match=r"Register it first|Register your own"):
        read.predict(frame)


def test_names_that_are_taken_and_things_of_another_kind_are_refused():
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Huber(SoftAbsolute):
        name = "huber"

    with pytest.raises(InvalidInput, match="'huber' is taken"):
        register_prediction(Huber())
    with pytest.raises(InvalidInput, match="of your own"):
        register_prediction(HuberLoss())
    for register, other in ((register_margin, SoftAbsolute()), (register_prediction, Steep()), (register_set, Steep())):
        with pytest.raises(InvalidInput, match="register needs an instance of a class derived"):
            register(other)
    register_margin(Steep())
    register_margin(Steep())
    assert loss_named("steep-logistic", {"times": 3.0}) == Steep(times=3.0)
    register_prediction(SoftAbsolute())
    assert prediction_loss_named("soft-absolute") == SoftAbsolute()


FAULTS = [
    (Steep, register_margin, "lipschitz", property(lambda self: 0.99 * self.times)),
    (Steep, register_margin, "smoothness", property(lambda self: 0.24 * self.times**2)),
    (Steep, register_margin, "slope_curvature_ratio", property(lambda self: 0.9 * self.times)),
    (Steep, register_margin, "curvature_on_slopes", lambda self, low, high: 0.9 * Steep.curvature_on_slopes(self, low, high)),
    (Steep, register_margin, "slope", lambda self, margins: 1.01 * Steep.slope(self, margins)),
    (Steep, register_margin, "slope", lambda self, margins: np.abs(Steep.slope(self, margins))),
    (Steep, register_margin, "value", lambda self, margins: np.nan * margins),
    (Steep, register_margin, "slope", lambda self, margins: Steep.slope(self, margins) - (margins < -500.0)),
    (SoftAbsolute, register_prediction, "lipschitz", lambda self, reach, target_bound: 0.99 * SoftAbsolute.lipschitz(self, reach, target_bound)),
    (SoftAbsolute, register_prediction, "smoothness", lambda self, target_bound: 0.98 / self.width),
    (SoftAbsolute, register_prediction, "value", lambda self, predictions, targets: SoftAbsolute.value(self, predictions, targets) - 0.1),
    (SoftAbsolute, register_prediction, "slope", lambda self, predictions, targets: 0.99 * SoftAbsolute.slope(self, predictions, targets)),
    (HalfBall, register_set, "_radii", lambda self: (0.9 * self.radius, self.radius * self.dimension**0.5)),
    (HalfBall, register_set, "_radii", lambda self: (self.radius, self.radius)),
    (HalfBall, register_set, "_project", lambda self, point: 0.5 * HalfBall._project(self, point)),
    (HalfBall, register_set, "_minimiser", lambda self, direction: np.append(0.0, HalfBall._minimiser(self, direction)[1:])),
    (HalfBall, register_set, "_holds", lambda self, point, tolerance: point[0] > 0.1),
]


@pytest.mark.parametrize(("kind", "register", "attribute", "fault"), FAULTS, ids=[f"{kind.__name__}-{name}" for kind, _, name, _ in FAULTS])
def test_a_planted_fault_is_found_when_it_is_registered(kind, register, attribute, fault):
    faulty = dataclass(frozen=True, kw_only=True)(type("Faulty", (kind,), {attribute: fault, "name": "faulty", "__module__": __name__}))
    with pytest.raises(InvalidInput, match="cannot be registered"):
        register(faulty())


def test_other_parameters_are_checked_when_they_are_first_used():
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Right(SoftAbsolute):
        name = "right-at-one-width"

        def smoothness(self, target_bound):
            return 5.0

    register_prediction(Right(width=0.2))
    with pytest.raises(InvalidInput, match="faster than the smoothness"):
        ConstrainedERM(loss=Right(width=0.1), n_iter=5, target_bound=1.0).fit(X, NUMBERS)
