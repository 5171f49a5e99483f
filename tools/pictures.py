"""Draws the pictures of docs/gallery.md and of the concepts: `python tools/pictures.py`, into docs/pictures.

Each function below draws the picture of the same name. Tables are invented and noise is seeded, so that a picture does not change from run to
run: the models in it are for looking at, and protect nobody.
"""

import argparse
import math
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script too

from discreet import (
    ADD_REMOVE,
    REPLACE_ONE,
    KernelClassifier,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    Model,
    PoissonRegression,
    QuantileRegression,
    Schema,
    describe,
    evaluate_privately,
    release_uncertainty,
)
from discreet.accounting import ApproximateDP, GaussianDP, PureDP, epsilon_for, gaussian_delta, gaussian_scale, to_persons
from discreet.audit import Claim, audit
from discreet.data.adult import adult_schema, load_adult
from discreet.ledger import Ledger, using
from discreet.losses import HuberHinge, Logistic, SmoothedHinge, SoftplusHinge
from discreet.noise import SeededNoise
from studies.figures import Line, Panel, figure

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"


def chart(title: str, across: str, up: str, *lines: Line, log_x: bool = False, log_y: bool = False) -> str:
    """One pair of axes."""
    return figure([Panel(title=title, across=across, up=up, lines=lines, log_x=log_x, log_y=log_y)], title=title)


def smooth(name: str, x: np.ndarray, y: np.ndarray, *, dashed: bool = False) -> Line:
    """A curve without marks."""
    return Line(name=name, x=x.tolist(), y=y.tolist(), marked=False, dashed=dashed)


# What the numbers mean


def epsilon_as_odds() -> str:
    """How often the best attacker is right who must choose between two versions of one record, against epsilon."""
    x = np.linspace(0.0, 6.0, 121)
    right = 100.0 / (1.0 + np.exp(-x))
    return chart(
        "What epsilon allows",
        "epsilon",
        "% of guesses right, at most",
        smooth("best attacker", x, right),
        smooth("coin", x, 0.0 * x + 50.0, dashed=True),
    )


def two_promises() -> str:
    """True against false alarms of the best test: a pure guarantee and a Gaussian one."""
    x = np.linspace(0.0, 1.0, 201)
    pure = np.minimum(np.minimum(math.e * x, 1.0 - (1.0 - x) / math.e), 1.0)
    from scipy.special import ndtr, ndtri  # noqa: PLC0415 - of this picture alone

    gaussian = ndtr(ndtri(np.clip(x, 1e-12, 1.0 - 1e-12)) + 1.0)
    lines = smooth("epsilon = 1", x, pure), smooth("mu = 1", x, gaussian), smooth("no information", x, x, dashed=True)
    return chart("The best test that anyone can build", "false alarms", "true alarms, at most", *lines)


def delta_curve() -> str:
    """Delta against epsilon for Gaussian noise of three sizes."""
    x = np.linspace(0.0, 8.0, 81)
    curves = {mu: np.array([gaussian_delta(epsilon, mu) for epsilon in x]) for mu in (0.5, 1.0, 1.5)}
    lines = [smooth(f"mu = {mu:g}", x[deltas >= 1e-13], deltas[deltas >= 1e-13]) for mu, deltas in curves.items()]
    return chart("One release, many pairs (epsilon, delta)", "epsilon", "delta", *lines, log_y=True)


def composition() -> str:
    """Epsilon of k Gaussian releases at delta 1e-6: by adding up, and exactly."""
    counts = [1, 2, 5, 10, 20, 50, 100]
    one = epsilon_for(GaussianDP(neighbours=REPLACE_ONE, theorem="Gaussian noise", mu=0.2), 1e-6)
    exact = [epsilon_for(GaussianDP(neighbours=REPLACE_ONE, theorem="Gaussian noise", mu=0.2 * math.sqrt(k)), 1e-6) for k in counts]
    lines = Line(name="sum of epsilons", x=counts, y=[one * k for k in counts]), Line(name="composed exactly", x=counts, y=exact)
    return chart("What many releases cost together", "number of releases", "epsilon at delta 1e-6", *lines, log_x=True, log_y=True)


def gaussian_noise() -> str:
    """Standard deviation of Gaussian noise against epsilon: the least that is private, and the textbook's."""
    x = np.geomspace(0.1, 1.0, 30)
    ours = np.array([gaussian_scale(epsilon, 1e-6, sensitivity=1.0) for epsilon in x])
    textbook = np.sqrt(2.0 * math.log(1.25e6)) / x
    lines = smooth("calibrated exactly", x, ours), smooth("textbook formula", x, textbook, dashed=True)
    return chart("Gaussian noise of a count, delta 1e-6", "epsilon", "standard deviation", *lines, log_x=True, log_y=True)


def noise_draws() -> str:
    """20,000 draws of the discrete Gaussian, and its distribution."""
    drawn = SeededNoise(1).discrete_gaussian(scale=4.0, dimension=1, draws=20_000)
    values = np.arange(-15, 16)
    law = np.exp(-(values**2) / 32.0)
    lines = (
        Line(name="draws", x=values.tolist(), y=[float(np.mean(drawn == value)) for value in values], joined=False),
        smooth("distribution", values, law / law.sum()),
    )
    return chart("Whole-number noise, standard deviation 4", "noise", "share of draws", *lines)


def one_person_many_rows() -> str:
    """What a promise about one row says about a person with several, against a promise about persons."""
    rows = [1, 2, 3, 5, 7, 10]
    of_rows = [to_persons(PureDP(neighbours=ADD_REMOVE, theorem="a fit on rows", epsilon=0.5), most).epsilon for most in rows]
    lines = Line(name="promise about rows", x=rows, y=of_rows), Line(name="promise about persons", x=rows, y=[0.5] * len(rows))
    return chart("Epsilon per person, of a fit at epsilon 0.5", "rows of the person", "epsilon per person", *lines)


def losses() -> str:
    """The losses of classifiers: smooth, with slopes of at most 1."""
    x = np.linspace(-1.5, 2.5, 161)
    kinds = {"logistic": Logistic(), "softplus hinge": SoftplusHinge(), "Huber hinge": HuberHinge(), "smoothed hinge": SmoothedHinge()}
    return chart("Losses", "margin", "loss", *(smooth(name, x, loss.value(x)) for name, loss in kinds.items()))


# Models


def people(records: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Invented rows of three numbers, and a class that the first two decide, with errors."""
    rng = np.random.default_rng(seed)
    rows = rng.uniform(-0.5, 0.5, (records, 3))
    return rows, np.where(rows[:, 0] - 0.6 * rows[:, 1] + 0.1 * rng.normal(size=records) > 0, "yes", "no")


def error_against_epsilon() -> str:
    """Test error of a private classifier against epsilon, for three numbers of records."""
    test, truth = people(4000, 1)
    epsilons = (0.1, 0.3, 1.0, 3.0, 10.0)
    lines = []
    for records in (300, 1000, 10_000):
        errors = []
        for epsilon in epsilons:
            fits = (LinearSVC(epsilon=epsilon, classes=["no", "yes"], random_state=seed) for seed in range(5))
            errors.append(float(np.mean([np.mean(fit.fit(*people(records, 0)).predict(test) != truth) for fit in fits])))
        lines.append(Line(name=f"{records:,} records", x=epsilons, y=errors))
    return chart("More privacy, more error; more records, less", "epsilon", "test error", *lines, log_x=True)


def coefficients() -> str:
    """Coefficients of a private linear regression with 95 % intervals, against epsilon."""
    rng = np.random.default_rng(2)
    rows = rng.uniform(-0.5, 0.5, (5000, 3))
    targets = np.clip(rows @ [0.8, -0.4, 0.1] + 0.1 * rng.normal(size=5000), -1.0, 1.0)
    epsilons = (0.5, 1.0, 2.0, 4.0, 8.0)
    found = []
    for epsilon in epsilons:
        fit = LinearRegression(epsilon=epsilon, mechanism="refined", random_state=3, target_bound=1.0).fit(rows, targets)
        found.append((fit.coef_, np.sqrt(np.diag(fit.covariance_))[:3]))
    lines = [
        Line(name=f"column {one + 1}", x=epsilons, y=[coef[one] for coef, _ in found], error=[1.96 * deviation[one] for _, deviation in found])
        for one in range(3)
    ]
    return chart("Coefficients and 95 % intervals (true: 0.8, -0.4, 0.1)", "epsilon", "coefficient", *lines, log_x=True)


def quantiles() -> str:
    """Private quantile regressions of a spread that grows."""
    rng = np.random.default_rng(4)
    x = rng.uniform(0.0, 1.0, 4000)
    y = np.clip(0.2 + 0.3 * x + (0.05 + 0.3 * x) * rng.normal(size=4000), -1.0, 1.0)
    ends = np.array([[0.0], [1.0]])
    lines = [Line(name="records (300 of 4,000)", x=x[:300].tolist(), y=y[:300].tolist(), joined=False, colour="#b8c4cf")]
    for share in (0.1, 0.5, 0.9):
        fit = QuantileRegression(quantile=share, epsilon=2.0, random_state=5, target_bound=1.0).fit(x[:, None], y)
        lines.append(smooth(f"quantile {share:g}", ends[:, 0], fit.predict(ends)))
    return chart("Quantiles at epsilon 2, invented data", "x", "y", *lines)


def counts() -> str:
    """A private Poisson regression."""
    rng = np.random.default_rng(6)
    x = rng.uniform(0.0, 1.0, 4000)
    y = np.minimum(rng.poisson(np.exp(2.0 * x - 0.5)), 20)
    grid = np.linspace(0.0, 1.0, 41)
    lines = [smooth("true mean", grid, np.exp(2.0 * grid - 0.5), dashed=True)]
    for epsilon in (0.5, 4.0):
        fit = PoissonRegression(epsilon=epsilon, target_bound=20.0, random_state=7).fit(x[:, None], y)
        lines.append(smooth(f"epsilon {epsilon:g}", grid, fit.predict(grid[:, None])))
    return chart("Counts by a private Poisson regression", "x", "expected count", *lines)


def curved_boundary() -> str:
    """Two moons, and where a private kernel machine says "inner"."""
    rng = np.random.default_rng(8)
    angle, inner = rng.uniform(0.0, math.pi, 6000), rng.random(6000) < 0.5
    shape = np.stack((np.where(inner, 1.0 - np.cos(angle), np.cos(angle)), np.where(inner, 0.5 - np.sin(angle), np.sin(angle))), axis=1)
    rows = shape / 2.0 + 0.05 * rng.normal(size=shape.shape)
    fit = KernelClassifier(epsilon=2.0, gamma=4.0, classes=["inner", "outer"], random_state=9).fit(rows, np.where(inner, "inner", "outer"))
    grid = np.stack(np.meshgrid(np.linspace(-0.7, 1.2, 45), np.linspace(-0.5, 0.7, 30)), axis=-1).reshape(-1, 2)
    said = grid[fit.predict(grid) == "inner"]
    lines = (
        Line(name='predicted "inner", epsilon 2', x=said[:, 0].tolist(), y=said[:, 1].tolist(), joined=False, colour="#c9dcea"),
        Line(name="inner", x=rows[inner][:150, 0].tolist(), y=rows[inner][:150, 1].tolist(), joined=False, colour="#2f6690"),
        Line(name="outer", x=rows[~inner][:150, 0].tolist(), y=rows[~inner][:150, 1].tolist(), joined=False, colour="#c8553d"),
    )
    return chart("A curved boundary, learned privately", "first column", "second column", *lines)


STAYS = """
format = "discreet-schema/1"
name = "stays"
rows_per_person = 1
[target]
column = "readmitted"
classes = ["no", "yes"]
[numeric.age]
lower = 0
upper = 100
outside = "clip"
encoding = "curve"
[categorical.ward]
categories = ["surgery", "heart", "other"]
other = "other"
"""


def stays(records: int, seed: int) -> pl.DataFrame:
    """Invented stays in a hospital; who is young or old, or on the heart ward, comes back."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 100, records)
    ward = rng.choice(["surgery", "heart", "other"], records)
    back = np.abs(age - 45) / 25.0 - 1.2 + 0.8 * (ward == "heart") + rng.logistic(size=records) * 0.5 > 0
    return pl.DataFrame({"age": age, "ward": ward, "readmitted": np.where(back, "yes", "no")})


def stays_model() -> tuple[Model, Schema]:
    """An additive model of the stays at epsilon 2."""
    schema = Schema.from_toml(STAYS)
    fit = LogisticRegression(epsilon=2.0, delta=1e-6, data_norm=schema.norm_bound, random_state=10)
    return Model.from_estimator(fit.fit(schema.encode(stays(20_000, 0), target=True)), schema), schema


def model_curves() -> str:
    """What each column adds to the model of the stays."""
    return stays_model()[0].curves().plot()


def adult_model() -> str:
    """What the three most important columns add to a model of Adult at epsilon 1."""
    curved = re.sub(r"^\[numeric\..*\]$", r'\g<0>\nencoding = "curve"', adult_schema().to_toml(), flags=re.MULTILINE)
    schema, table = Schema.from_toml(curved), load_adult()
    training = schema.encode(table.filter(~table.get_column("test")), target=True)
    fit = LinearSVC(epsilon=1.0, delta=1e-9, neighbours="add-remove", data_norm=schema.norm_bound, random_state=13).fit(training)
    return Model.from_estimator(fit, schema).curves().plot(most=3)


def model_quality() -> str:
    """ROC and calibration of the model, measured privately on other stays."""
    model, _ = stays_model()
    return evaluate_privately(model, stays(10_000, 1), epsilon=2.0, delta=1e-6, metrics=["roc", "calibration"], random_state=11).plot()


def description() -> str:
    """Counts, means and quantiles of the stays, with intervals."""
    schema = Schema.from_toml(STAYS)
    return describe(stays(10_000, 0), schema, epsilon=1.0, delta=1e-6, whole=["age"], random_state=12).plot()


def budget() -> str:
    """The history of a ledger."""
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger.create(Path(folder) / "hospital.ledger")
        ledger.declare("stays", epsilon=3.0, delta=1e-5, neighbours="replace-one")
        for epsilon in (0.5, 0.3, 1.0, 0.2):
            with using(ledger, "stays"):
                LogisticRegression(epsilon=epsilon, classes=["no", "yes"]).fit(*people(500, 0))
        return ledger.plot("stays")


def attack() -> str:
    """An audit: what 2,000 attacks on a noisy count find, beside what is claimed."""
    claim = Claim.of(ApproximateDP(neighbours=REPLACE_ONE, theorem="Laplace noise", epsilon=1.0, delta_at_epsilon=0.0))

    def count(table: int, runs: int) -> np.ndarray:
        return table + np.random.default_rng(table).laplace(size=(runs, 1))

    return audit(count, (100, 101), claim, runs=2000, batch=True, subject="a noisy count", described="100 or 101 records").plot()


def uncertainty() -> str:
    """Intervals of a private model's coefficients, for three numbers of records."""
    lines = []
    for place, records in enumerate((2000, 8000, 32_000)):
        rows, labels = people(records, 3)
        fit = LogisticRegression(epsilon=1.0, classes=["no", "yes"], random_state=13).fit(rows, labels)
        found = release_uncertainty(fit, rows, labels, epsilon=1.0, delta=1e-6, random_state=14).coef_interval()
        where = [1.0 + 0.15 * place, 2.0 + 0.15 * place, 3.0 + 0.15 * place]
        half = [float(high - low) / 2.0 for low, high in zip(found.low[:3], found.high[:3], strict=True)]
        middle = [float(high + low) / 2.0 for low, high in zip(found.low[:3], found.high[:3], strict=True)]
        lines.append(Line(name=f"{records:,} records", x=where, y=middle, error=half, joined=False))
    return chart("95 % intervals that count the noise, epsilon 1", "column", "coefficient", *lines)


PICTURES: tuple[Callable[[], str], ...] = (
    epsilon_as_odds, two_promises, delta_curve, composition, gaussian_noise, noise_draws, one_person_many_rows, losses, error_against_epsilon,
    coefficients, quantiles, counts, curved_boundary, model_curves, adult_model, model_quality, description, budget, attack, uncertainty,
)  # fmt: skip


def file_of(picture: Callable[[], str]) -> str:
    """The name of its file."""
    return f"{picture.__name__.replace('_', '-')}.svg"


def main(arguments: list[str] | None = None) -> None:
    """Draw all, or those named."""
    parser = argparse.ArgumentParser(description="Draw the pictures of the documentation.")
    parser.add_argument("names", nargs="*", help="which (default: all)")
    parser.add_argument("--out", type=Path, default=FOLDER, metavar="DIR", help="where to (default: docs/pictures)")
    options = parser.parse_args(arguments)
    for picture in PICTURES:
        if not options.names or picture.__name__ in options.names:
            (options.out / file_of(picture)).write_text(picture() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
