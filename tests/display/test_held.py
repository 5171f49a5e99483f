"""What a person holds in a session: a short line, a table where it is one, and in a notebook sound HTML that tells public numbers only."""

import dataclasses
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import discreet
from discreet import ArrayModel, LogisticRegression, Schema, SchemaDraft, SystemNoise, choose_bounds, describe
from discreet.audit import Claim, exact_audit
from discreet.audit.densities import shifted_gaussian
from discreet.consumers import ReleasedMoments
from discreet.core.errors import InvalidInput, InvalidType
from discreet.core.intervals import Intervals
from discreet.core.short import MOST, short_repr
from discreet.core.told import MOST_ROWS, Tabled, Told
from discreet.display import CalibrationDisplay, CoefficientsDisplay, ConfusionMatrixDisplay, PartialDependenceDisplay, RocCurveDisplay
from discreet.estimators import fit_with_intervals
from discreet.ledger import Account, BudgetExceeded, Ledger
from discreet.releases import publish
from tests.canary import assert_silent
from tests.display.reading import read, said
from tests.schemas import OPEN, schema_text

PACKAGES = [importlib.import_module(f"discreet.{one.name}") for one in pkgutil.iter_modules(discreet.__path__) if one.ispkg]
LONG = re.compile("Floats|NDArray|tuple|Mapping|Sequence|list|dict")


def exported():
    """Every dataclass that a package of the library gives out, with a repr that the decorator made."""
    for package in (discreet, *PACKAGES):
        for name in getattr(package, "__all__", ()):
            one = getattr(package, name)
            if inspect.isclass(one) and dataclasses.is_dataclass(one) and hasattr(one.__repr__, "__wrapped__"):
                yield one


def test_no_exported_class_prints_arrays_or_lists_in_full():
    """A repr that the decorator made is for single numbers and words; `__repr__ = short_repr` is for the others."""
    short = {"secret", "encoding", "columns"}  # of guarantees and of columns: two or three words
    found = list(exported())
    assert len(found) > 60
    for one in found:
        assert not [part.name for part in dataclasses.fields(one) if part.repr and LONG.search(str(part.type)) and part.name not in short], one


@dataclasses.dataclass
class Held:
    numbers: object
    words: object = "x" * 1000

    __repr__ = short_repr


@pytest.mark.parametrize(
    "one",
    [np.zeros((40, 3)), np.array(1.0), list(range(1000)), {"a\nb": [1.0] * 9}, ("x" * 900,) * 900, Held([Held(1)]), Path("a" * 400), "line\nline"],
    ids=lambda one: type(one).__name__,
)
def test_a_short_repr_is_one_line_whatever_it_is_about(one):
    text = repr(Held(one))
    assert "\n" not in text
    assert len(text) <= MOST


def test_a_short_repr_says_what_is_there():
    assert repr(Held(np.zeros((2, 3)), (1, 2.5, "a", None, 4))) == "Held(numbers=<array of 2 x 3>, words=(1, 2.5, 'a', None, ... 5 in all))"


@pytest.fixture(scope="module")
def held(released, schema, tmp_path_factory):
    """One of everything, by name; the tables behind them hold a canary."""
    folder = tmp_path_factory.mktemp("held")
    rng = np.random.default_rng(1)
    rows = rng.uniform(-0.5, 0.5, (400, 3))
    rows[0] = 918273.645
    names = np.where(rows[:, 1] > 0, "yes", "<i>")
    fit = fit_with_intervals(LogisticRegression(epsilon=2.0, delta=1e-6, data_norm=1.0, classes=["<i>", "yes"]), rows, names)
    fit.model.save(folder / "array.json")
    frame = pl.DataFrame({"age": rng.uniform(0, 99, 600), "n <b>": rng.uniform(0, 1, 600), "ill": rng.choice(["no", "yes"], 600)})
    frame[0, "age"] = 918273.645
    wide = {"lower": 0, "upper": 120, "outside": "clip"}
    other = schema_text("o <b>", "ill", {"age": wide, "n <b>": {"lower": 0, "upper": 1}})
    draft = SchemaDraft.from_toml(schema_text("o", "ill", {"age": OPEN | {"outside": "clip"}, "n <b>": {"lower": 0, "upper": 1}}))
    public = Schema.from_toml(other)
    moments = publish(frame, folder / "moments", SystemNoise(), method="moments", schema=public, epsilon=1.0, delta=1e-6)
    law = shifted_gaussian(0.5)
    return {
        "model": released.model,
        "certificate": released.model.certificate,
        "evaluation": released.evaluation,
        "roc": released.evaluation.roc,
        "calibration": released.evaluation.calibration,
        "verification": released.model.verify(),
        "ledger": released.ledger,
        "explanation": released.estimator.explain(records=600),
        "schema": schema,
        "summary": released.model.summary(),
        "curves": released.model.curves(),
        "fit": fit,
        "uncertainty": fit.uncertainty,
        "intervals": fit.uncertainty.coef_interval(),
        "array model": ArrayModel.load(folder / "array.json"),
        "summary with intervals": fit.model.summary(uncertainty=fit.uncertainty),
        "bounds": choose_bounds(frame, draft, epsilon=4.0),
        "description": describe(frame, public, epsilon=4.0),
        "release": moments,
        "moments": ReleasedMoments.of_release(moments),
        "audit": exact_audit(law, law, Claim(epsilon=1.0, delta=1e-3), subject="<Gaussian>", described="0 or 1"),
        "roc display": RocCurveDisplay(evaluation=released.evaluation),
        "calibration display": CalibrationDisplay(evaluation=released.evaluation),
        "confusion display": ConfusionMatrixDisplay(evaluation=released.evaluation),
        "dependence": PartialDependenceDisplay.from_estimator(released.model),
        "coefficients": CoefficientsDisplay.from_estimator(fit.model, uncertainty=fit.uncertainty),
    }


def test_everything_held_is_short_as_text_and_sound_in_a_notebook(held):
    check_held(held)


def check_held(held):
    for name, one in held.items():
        line, html = repr(one), one._repr_html_()
        assert "\n" not in line, name
        assert len(line) <= MOST, (name, line)
        read(html.replace('xmlns="http://www.w3.org/2000/svg"', ""))
        assert "http" not in html.replace("http://www.w3.org/2000/svg", ""), name
        for text in (line, html, str(one)):
            assert_silent(text)
        assert not {"<i>", "<b>", "<script>"} & {html[at : html.index(">", at) + 1] for at in range(len(html)) if html[at] == "<"}, name


def test_what_prints_as_a_table_prints_what_a_notebook_shows(held):
    tables = {name: one for name, one in held.items() if isinstance(one, Tabled)}
    assert len(tables) >= 4
    for one in tables.values():
        words, told = said(one._repr_html_()), one.told()
        assert told.rows
        for row in told.rows:
            assert all(cell in words and cell in str(one) for cell in map(str.strip, row))


@pytest.mark.parametrize("name", ["evaluation", "uncertainty", "fit", "summary with intervals", "ledger", "description", "curves", "audit"])
def test_what_has_a_picture_shows_it_in_a_notebook(held, name):
    assert read(held[name]._repr_html_()).count("svg") >= 1


@pytest.mark.parametrize(
    "name", ["evaluation", "roc", "uncertainty", "curves", "description", "audit", "roc display", "confusion display", "coefficients"]
)
def test_a_plot_shows_itself_and_is_a_string_and_a_file(held, name, tmp_path):
    made = held[name].plot()
    assert made._repr_svg_() == made == f"{made}"
    assert len(repr(made)) < 100
    made.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text().startswith("<svg")
    with pytest.raises(InvalidInput, match="exists"):
        made.save(tmp_path / "a.svg")


def test_a_display_from_an_estimator_is_paid_for(released, schema, tmp_path):
    from tests.display.conftest import table

    ledger = Ledger.create(tmp_path / "a.ledger")
    ledger.declare("a", epsilon=1.0)
    shown = RocCurveDisplay.from_estimator(released.model, table(schema), epsilon=0.6, account=Account(tmp_path / "a.ledger", "a"))
    assert ledger.spent("a").epsilon == pytest.approx(0.6)
    assert shown.evaluation.verify().ok
    with pytest.raises(BudgetExceeded):
        ConfusionMatrixDisplay.from_estimator(released.model, table(schema), epsilon=0.6, account=Account(tmp_path / "a.ledger", "a"))


def test_displays_refuse_what_they_cannot_show(released):
    only = dataclasses.replace(released.evaluation, roc=None)
    with pytest.raises(InvalidInput, match="did not measure roc"):
        RocCurveDisplay(evaluation=only)
    with pytest.raises(InvalidInput, match="Pass schema="):
        PartialDependenceDisplay.from_estimator(released.estimator)
    with pytest.raises(InvalidType, match="CoefficientsDisplay needs"):
        CoefficientsDisplay.from_estimator(3)


def test_intervals_are_an_array_too_and_endless_ones_are_left_out():
    one = Intervals(low=np.array([-np.inf, 1.0]), estimate=np.zeros(2), high=np.array([np.inf, 2.0]), level=0.9)
    assert np.asarray(one).tolist() == [[-np.inf, np.inf], [1.0, 2.0]]
    assert "1 intervals" in said(one._repr_html_())
    none = Intervals(low=np.array([-np.inf]), estimate=np.zeros(1), high=np.array([np.inf]), level=0.9)
    assert read(none._repr_html_()).count("svg") == 0


def test_a_long_table_is_cut_and_says_so():
    long = Told(title="t", header=("a",), rows=[("x",)] * (MOST_ROWS + 5))
    assert str(long).endswith("And 5 more.")
