"""Honest certificates over the whole range of parameters, which must verify; and forged ones, which must not.

    python benchmarks/forgeries.py [--honest 20000] [--forged 6000] [--seed 1] [--markdown FILE]

Honest: fits, models in files, regressions, learning over sets, releases, searches, counts, categories, summaries, curvatures and chosen bounds on a
few invented records each, with budgets, bounds, sizes, relations and mechanisms drawn at random. Each certificate goes through its JSON form, and is
verified with its value.

Forged: one field of such a document changed, another kind of change each time: a number, a word (changed, emptied or swapped for another one), a
flag, an entry dropped, doubled or added, a key removed or added. Digests over a document are recomputed, as a forger would. What no stranger can know
is not among the fields (`UNKNOWABLE`), and what claims less than is true is no lie (`claims_less`).
"""

import argparse
import copy
import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from discreet.accounting import NoGuarantee
from discreet.certificates import Certificate
from discreet.core.errors import DiscreetError, InfeasibleTarget
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Domain, NumericColumn, Records, Schema, Target
from discreet.estimators import (
    ConstrainedERM,
    KernelClassifier,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    Model,
    PrivateSearchCV,
    fit_with_cuts,
    release_uncertainty,
)
from discreet.matrices import as_matrix
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.bounds_choice import choose_norm
from discreet.mechanisms.counting import BoundedSum, Cells, GaussianCounting, Histogram, LaplaceCounting, Queries, Summary
from discreet.mechanisms.release import Categories, RandomisedCategories
from discreet.noise import SystemNoise
from discreet.releases import METHODS, Request
from discreet.sets import Box, GroupL2Ball, L1Ball, L2Ball, Simplex
from discreet.statements.base import COMPOSED

UNKNOWABLE = {
    "ledger_entry": "which entry of whose ledger: known to its owner",
    "digest": "checked against the value; any other is refused there",
    "share": "of rows that are shuffled: a free number of the proof, whose delta is computed and compared whatever it is",
    "setting": "arguments of a setting that is searched over; the numbers that follow from them are checked",
    "score": "a noisy count",
    "counted": "a noisy count; the unit of targets that follows from it is checked",
    "chosen": "which setting had it",
    "fit_epsilon": "what the search asked of its fits; their own guarantees are checked",
    "fit_delta": "as above",
    "frequencies": "follow from the seed, the kernel and the number of inputs, which is not recorded",
    "weights": "of a curvature: a digest of another release",
    "schema": "of a model: what its columns mean; the number of features, the bound of rows and the classes are compared",
    "declared": "what the caller said besides; what a mechanism takes for granted is compared",
}


class Honest(NamedTuple):
    """One document and how to verify what a document of its kind says; raises or answers False for one that does not hold."""

    kind: str
    document: dict[str, Any]
    holds: Callable[[dict[str, Any]], bool]


def main() -> None:
    """See module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--honest", type=int, default=20_000)
    parser.add_argument("--forged", type=int, default=6_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--markdown", type=Path)
    given = parser.parse_args()
    honest, forged = survey(given.honest, given.forged, given.seed, progress=True)
    text = page(honest, forged)
    print(text)
    if given.markdown is not None:
        given.markdown.write_text(text + "\n", encoding="utf-8")
    sys.exit(any(wrong for _, wrong in [*honest.values(), *forged.values()]))


Tally = dict[str, tuple[int, list[str]]]
"""For each kind how many, and what was wrong with those that came out wrong."""


def survey(honest: int, forged: int, seed: int, *, progress: bool = False) -> tuple[Tally, Tally]:
    """Of honest documents, those that were refused are wrong; of forged ones, those that were accepted."""
    draw = np.random.default_rng(seed)
    kinds = list(KINDS)
    weights = np.array([KINDS[kind][1] for kind in kinds])
    made: Tally = {}
    lies: Tally = {}
    each = forged / honest
    owed, done = 0.0, 0
    turns: Counter[str] = Counter()
    while done < honest:
        kind = kinds[int(draw.choice(len(kinds), p=weights / weights.sum()))]
        try:
            one = KINDS[kind][0](draw)
        except DiscreetError:
            continue  # no noise is enough for what was drawn, or such a thing is refused
        done += 1
        _count(made, one.kind, "" if _holds(one, one.document) else json.dumps(one.document)[:4000])
        owed += each
        while owed >= 1.0:
            owed -= 1.0
            changed = forgery(one.document, draw, turns)
            if changed is not None:
                what, document = changed
                _count(lies, one.kind, f"{what}" if _holds(one, document) else "")
        if progress and done % 500 == 0:
            print(f"{done} of {honest}", file=sys.stderr, flush=True)
    return made, lies


def _count(table: Tally, kind: str, wrong: str) -> None:
    count, found = table.get(kind, (0, []))
    table[kind] = (count + 1, [*found, *([wrong] if wrong else [])])


def _holds(one: Honest, document: dict[str, Any]) -> bool:
    try:
        return one.holds(document)
    except DiscreetError:
        return False


def page(honest: Tally, forged: Tally) -> str:
    """A table in Markdown."""
    lines = ["| kind | honest | refused among them | forged | accepted among them |", "|---|---|---|---|---|"]
    for kind in sorted(honest):
        count, wrong = honest[kind]
        lies, accepted = forged.get(kind, (0, []))
        lines.append(f"| {kind} | {count:,} | {len(wrong)} | {lies:,} | {len(accepted)} |")
    totals = [sum(count for count, _ in table.values()) for table in (honest, forged)]
    bad = [sum(len(wrong) for _, wrong in table.values()) for table in (honest, forged)]
    lines.append(f"| together | {totals[0]:,} | {bad[0]} | {totals[1]:,} | {bad[1]} |")
    for name, table in (("refused", honest), ("accepted", forged)):
        lines += [f"{name}, {kind}: {one}" for kind, (_, wrong) in table.items() for one in wrong[:20]]
    return "\n".join(lines)


# Forging.


def fields(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:  # noqa: ANN401 - any JSON, any array
    """Paths of everything in a document that a stranger can check."""
    if path and (path[-1] in UNKNOWABLE):
        return
    if path:
        yield path
    if isinstance(document, dict):
        for key, value in document.items():
            yield from fields(value, (*path, key))
    elif isinstance(document, list):
        for place, value in enumerate(document[:6]):
            yield from fields(value, (*path, place))


def forgery(document: dict[str, Any], draw: np.random.Generator, turns: Counter[str]) -> tuple[str, dict[str, Any]] | None:
    """One field changed; fields that were changed least so far come first. What was done, and the document."""
    paths = list(fields(document))
    order = draw.permutation(len(paths))
    place = min(order, key=lambda at: turns[_name(paths[at])])
    path = paths[place]
    turns[_name(path)] += 1
    value = _holder(document, path)[path[-1]]
    ways = list(_changes(path, value, draw, others=_texts(document)))
    what, new = ways[int(draw.integers(len(ways)))]
    changed = _with(document, path, new, remove=what == "removed")
    if changed == document or claims_less(path, document, changed):
        return None
    return f"{'.'.join(map(str, path))}: {json.dumps(value)[:60]} {what} {json.dumps(new)[:60]}", changed


def claims_less(path: tuple[Any, ...], document: dict[str, Any], changed: dict[str, Any]) -> bool:
    """Whether a change takes back a part of what is claimed: fewer of several fits whose curves are composed, or more epsilon for each of them."""
    certificate = document.get("certificate", document)
    of_each = path[-1] in ("epsilon", "grid_epsilon") and path[-2:-1] == ("parameters",)
    if COMPOSED not in str(certificate["guarantee"].get("theorem")).split("; ") or not (of_each or path == ("releases",)):
        return False
    old, new = (_holder(one, path).get(path[-1]) for one in (document, changed))
    return type(old) is type(new) and bool(new > old if of_each else 1 < new < old)


def _name(path: tuple[Any, ...]) -> str:
    return ".".join("0" if isinstance(part, int) else str(part) for part in path)


def text_forgeries(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every text of a document changed, emptied, swapped for another text of the same document, and left out: what was done, and the document."""
    others = _texts(document)
    for path in fields(document):
        holder = _holder(document, path)
        if isinstance(text := holder[path[-1]], str):
            for new in (*_other_texts(text), _swapped(text, others)):
                yield f"{_name(path)}: {text[:60]!r} became {new[:60]!r}", _with(document, path, new)
            yield f"{_name(path)} was left out", _with(document, path, None, remove=True)


def _other_texts(text: str) -> list[str]:
    return list(dict.fromkeys(other for other in ("", f"{text} ", text[1:], f"no {text}") if other != text))


def _texts(document: dict[str, Any]) -> list[str]:
    """All texts that a stranger can check, each once."""
    found = (_holder(document, path)[path[-1]] for path in fields(document))
    return list(dict.fromkeys(text for text in found if isinstance(text, str)))


def _swapped(text: str, others: list[str]) -> str:
    """The next text of the document; the same for the only one, with a mark."""
    return others[(others.index(text) + 1) % len(others)] if len(others) > 1 else f"{text}'"


def _holder(document: Any, path: tuple[Any, ...]) -> Any:  # noqa: ANN401 - any JSON
    for key in path[:-1]:
        document = document[key]
    return document


def _with(document: dict[str, Any], path: tuple[Any, ...], new: Any, *, remove: bool = False) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    """A copy with another value at a path, or without it."""
    changed = copy.deepcopy(document)
    holder = _holder(changed, path)
    if remove:
        holder.pop(path[-1])
    else:
        holder[path[-1]] = new
    return changed


def _changes(path: tuple[Any, ...], value: Any, draw: np.random.Generator, others: list[str]) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - any JSON
    yield "removed", None
    match value:
        case bool():
            yield "to", not value
            yield "to", int(value)
        case int():
            yield from (("to", value + 1), ("to", value - 1), ("to", -value - 1), ("to", 2 * value + 3), ("to", value + 0.5), ("to", str(value)))
        case float() if path[-1] == "delta" and "guarantee" in path:
            # A larger one claims less. Calibrations state up to three times what a recheck finds (several fits, a replaced record).
            yield "to", value * 10.0 ** draw.uniform(-3.0, -0.6)
        case float():
            factor = float(1.0 + draw.choice([-1.0, 1.0]) * 10.0 ** draw.uniform(-2.0, -0.4))
            yield from (("to", value * factor if value else 0.1), ("to", -value - 1.0), ("to", value * 2.0 + 0.1), ("to", value / 2.0 - 0.1))
        case str():
            yield from (("to", other) for other in (*_other_texts(value), _swapped(value, others)))
        case None:
            yield from (("to", 1), ("to", 0.5), ("to", "none"))
        case list():
            yield from (("to", [*value, *value[-1:]] if value else ["something"]), ("to", value[:-1] if value else [1]), ("to", {}))
        case dict():
            yield from (("to", {**value, "more": 1}), ("to", []))


# Honest documents.


def _of_certificate(kind: str, certificate: Certificate, value: Any = None) -> Honest:  # noqa: ANN401 - any JSON, any array
    def holds(document: dict[str, Any]) -> bool:
        return Certificate.from_dict(document).verify(value).ok

    return Honest(f"{kind}, {certificate.mechanism}", json.loads(certificate.to_json()), holds)


def _budget(draw: np.random.Generator) -> dict[str, float]:
    return {"epsilon": float(10.0 ** draw.uniform(-1.5, 1.7)), "delta": float(10.0 ** draw.uniform(-12, -3))}


def _relation(draw: np.random.Generator) -> str:
    return str(draw.choice([str(REPLACE_ONE), str(ADD_REMOVE)]))


def _records(draw: np.random.Generator, features: int) -> tuple[Any, int]:
    count = int(draw.integers(6, 16))
    return draw.uniform(-1.0, 1.0, (count, features)), count


def _classifier(draw: np.random.Generator, classes: int) -> Any:  # noqa: ANN401 - an estimator
    arguments: dict[str, Any] = {
        **_budget(draw),
        "neighbours": _relation(draw),
        "classes": list(range(classes)),
        "alpha": None if draw.random() < 0.5 else float(10.0 ** draw.uniform(-3, 1)),
        "data_norm": float(10.0 ** draw.uniform(-1.5, 1.5)),
        "fit_intercept": bool(draw.random() < 0.5),
    }
    if draw.random() < 0.3:
        arguments["delta"] = 0.0
    if arguments["neighbours"] == str(ADD_REMOVE) and draw.random() < 0.5:
        arguments["public_records"] = int(draw.integers(10, 100_000))
    if classes == 2:
        arguments["mechanism"] = str(draw.choice(["auto", "objective", "output"]))
    return (LogisticRegression if draw.random() < 0.5 else LinearSVC)(**arguments)


def fit(draw: np.random.Generator) -> Honest:
    """A linear model of two or more classes."""
    features, classes = int(draw.integers(1, 9)), int(draw.choice([2] * 12 + [3, 4]))
    X, count = _records(draw, features)
    model = _classifier(draw, classes).fit(X, draw.permutation(np.arange(count) % classes))
    return _of_certificate("fit", model.certificate_, model.weights_)


def of_persons(draw: np.random.Generator) -> Honest:
    """A linear model of two classes, of persons with several rows each, of one that is kept, or of one as declared."""
    X, count = _records(draw, int(draw.integers(1, 6)))
    rows, declared = int(draw.choice([1, 2, 3, 50])), bool(draw.random() < 0.2)
    model = _classifier(draw, 2).set_params(rows_per_person=1 if declared else rows, person_weight=str(draw.choice(["person", "row"])))
    model.fit(X, draw.permutation(np.arange(count) % 2), persons=None if declared else draw.integers(0, 5, count))
    return _of_certificate("fit of persons", model.certificate_, model.weights_)


def many(draw: np.random.Generator) -> Honest:
    """Several fits under one certificate."""
    X, count = _records(draw, 3)
    model = LogisticRegression(**_budget(draw), classes=[0, 1], mechanism="objective", neighbours=_relation(draw))
    made = model.fit_many(X, np.arange(count) % 2, count=int(draw.integers(2, 9)))
    return _of_certificate("many fits", made.certificate)


def kernel(draw: np.random.Generator) -> Honest:
    """A kernel machine."""
    X, count = _records(draw, 2)
    named = str(draw.choice(["gaussian", "laplacian", "cauchy"]))
    model = KernelClassifier(**_budget(draw), kernel=named, gamma=float(10.0 ** draw.uniform(-1, 1)), n_features=20, classes=[0, 1])
    return _of_certificate("kernel fit", model.fit(X, np.arange(count) % 2).certificate_)


def model_file(draw: np.random.Generator) -> Honest:
    """A model with its schema."""
    features, classes = int(draw.integers(1, 5)), int(draw.choice([2] * 12 + [3]))
    X, count = _records(draw, features)
    names = [f"x{number}" for number in range(features)]
    schema = Schema(
        name="table",
        target=Target(column="y", classes=tuple(f"c{number}" for number in range(classes))),
        numeric=tuple(NumericColumn(name=name, lower=-1.0, upper=float(draw.integers(1, 9)), outside="clip") for name in names),
    )
    table = schema.encode({**dict(zip(names, X.T.tolist(), strict=True)), "y": [f"c{number % classes}" for number in range(count)]}, target=True)
    estimator = _classifier(draw, classes).set_params(classes=None, data_norm=schema.norm_bound)
    document = json.loads(Model.from_estimator(estimator.fit(table), schema).to_json())
    return Honest("model file", document, lambda given: Model.from_json(json.dumps(given)).verify().ok)


def cut_model(draw: np.random.Generator) -> Honest:
    """A model on columns that were cut privately, with its schema."""
    features, classes, count = int(draw.integers(1, 4)), int(draw.choice([2] * 6 + [3])), int(draw.choice([20, 20_000]))
    names = [f"x{number}" for number in range(features)]
    schema = Schema(
        name="table",
        target=Target(column="y", classes=tuple(f"c{number}" for number in range(classes))),
        numeric=tuple(NumericColumn(name=name, lower=0.0, upper=float(draw.integers(1, 1000)), outside="clip") for name in names),
    )
    table = {name: draw.exponential(float(draw.uniform(0.01, 100.0)), count) for name in names} | {"y": [f"c{row % classes}" for row in range(count)]}
    estimator = _classifier(draw, classes).set_params(classes=None, data_norm=1.0, mechanism="auto")
    made = fit_with_cuts(estimator, table, schema, share=float(draw.uniform(0.02, 0.5)))
    document = json.loads(Model.from_estimator(made.model, made.schema).to_json())
    return Honest("model file, cuts chosen" if made.cuts else "model file", document, lambda given: Model.from_json(json.dumps(given)).verify().ok)


def regression(draw: np.random.Generator) -> Honest:
    """A linear regression."""
    features = int(draw.integers(1, 6))
    X, count = _records(draw, features)
    model = LinearRegression(
        **_budget(draw),
        neighbours=_relation(draw),
        mechanism=str(draw.choice(["auto", "objective", "refined", "adassp"] * 6 + ["mixing", "hessian-mixing"])),
        data_norm=float(10.0 ** draw.uniform(-1, 1)),
        target_bound=float(10.0 ** draw.uniform(-1, 2)),
        fit_intercept=bool(draw.random() < 0.5),
    ).fit(X, draw.uniform(-1, 1, count))
    return _of_certificate("regression", model.certificate_, model.weights_)


def over_set(draw: np.random.Generator) -> Honest:
    """Learning over a constraint set."""
    features = int(draw.integers(2, 7))
    X, count = _records(draw, features)
    size = float(10.0 ** draw.uniform(-1, 1))
    sets = (
        L1Ball(dimension=features, radius=size),
        L2Ball(dimension=features, radius=size),
        Simplex(dimension=features, radius=size),
        Box(lower=(-size,) * features, upper=(size,) * features),
        GroupL2Ball(sizes=(1, features - 1), radius=size),
    )
    model = ConstrainedERM(
        **_budget(draw),
        loss=str(draw.choice(["squared", "logistic", "absolute"])),
        constraint=sets[int(draw.integers(len(sets)))],
        neighbours=_relation(draw),
        mechanism=str(draw.choice(["auto", "objective-perturbation-set", "mirror-descent", "frank-wolfe-gaussian", "frank-wolfe-polytope"])),
        n_iter=int(draw.integers(2, 12)) if draw.random() < 0.8 else None,
        data_norm=float(10.0 ** draw.uniform(-1, 1)),
        target_bound=1.0,
    )
    targets = np.arange(count) % 2 if model.loss == "logistic" else draw.uniform(-1, 1, count)
    model = model.set_params(
        classes=[0, 1] if model.loss == "logistic" else None, **({"mechanism": "auto", "n_iter": None} if model.n_iter is None else {})
    )
    return _of_certificate("over a set", model.fit(X, targets).certificate_, model.weights_)


def release(draw: np.random.Generator) -> Honest:
    """Every method by which rows, or sketches of them, are released."""
    return _released(draw, str(draw.choice([name for name in METHODS if name not in ("null-space", "moments", "laplace")])))


def moments(draw: np.random.Generator) -> Honest:
    """Second moments."""
    return _released(draw, "moments")


def laplace(draw: np.random.Generator) -> Honest:
    """Rows without a delta."""
    return _released(draw, "laplace")


def shuffled(draw: np.random.Generator) -> Honest:
    """Rows in a secret order, in both laws and relations."""
    hidden, count = draw.random() < 0.5, int(draw.integers(300, 2000))
    counted = count if hidden else int(draw.integers(count // 2, count))
    asked = {"epsilon": float(10.0 ** draw.uniform(-0.5, 1)), "delta": float(10.0 ** draw.uniform(-8, -4)), "shuffle": counted}
    relation = {"neighbours": ADD_REMOVE, "slots": count} if hidden else {}
    domain = Domain(features=int(draw.integers(1, 4)), entry_bound=1.0, target_bound=1.0)
    request = Request(domain=domain, target=str(draw.choice(["noisy", "omitted"])), **asked, **relation)
    plan = METHODS[str(draw.choice(["additive", "laplace"]))].plan(request, "tight")
    X, y = draw.uniform(-1, 1, (count, domain.features)), draw.uniform(-1, 1, count)
    made = plan.mechanism.run(plan.query, Records(rows=as_matrix(X), targets=y, domain=plan.query.read.domain), SystemNoise())
    return _of_certificate("shuffled", made.certificate, made.value)


def columns(draw: np.random.Generator) -> Honest:
    """Bounded noise with ends of its own for every column."""
    names = [*(f"x{number}" for number in range(int(draw.integers(1, 4)))), "y"]
    ends = {name: (-float(low), float(high)) for name, low, high in zip(names, *(10.0 ** draw.uniform(1, 2, (2, len(names)))), strict=True)}
    domain = Domain(features=len(names) - 1, entry_bound=1.0, target_bound=1.0)
    plan = METHODS["bounded"].plan(Request(domain=domain, epsilon=float(draw.uniform(0.5, 4)), noise_ends=ends), "tight")
    rows = draw.uniform(-1, 1, (50, len(names)))
    made = plan.mechanism.run(plan.query, Records(rows=as_matrix(rows[:, :-1]), targets=rows[:, -1], domain=plan.query.read.domain), SystemNoise())
    return _of_certificate("columns", made.certificate, made.value)


def _released(draw: np.random.Generator, name: str) -> Honest:
    method = METHODS[name]
    ways = [way for way in method.ways if way.calibration == "tight" and all(one.name != "noise_ends" for one in way.needs)]
    way = ways[int(draw.integers(len(ways)))]
    features = int(draw.integers(1, 7))
    budget = {
        **_budget(draw),
        "bits": float(10.0 ** draw.uniform(-6, 1)),
        "width": int(draw.integers(1, 6)),
        "rows": int(draw.integers(1, 40)),
        "most_records": int(draw.integers(100, 100_000)),
        "slots": 20,
        "projection_seed": int(draw.integers(0, 1000)),
        "weights": tuple(float(weight) for weight in 10.0 ** draw.uniform(0, draw.uniform(0, 8), features)),
        "level": float(10.0 ** draw.uniform(-8, -2)),
        "half_width": float(10.0 ** draw.uniform(1, 2)),
    }
    needs, takes = ([wanted.name for wanted in settings] for settings in (way.needs, way.takes))
    hidden = "slots" in takes and draw.random() < 0.4
    numbers = {name: budget[name] for name in needs} | {
        name: budget[name] for name in takes if (name == "slots" and hidden) or (name not in ("slots", "delta", "shuffle") and draw.random() < 0.5)
    }
    clear = method.name in ("fisher", "clear-target-sketch") or (
        method.name in ("additive", "laplace", "projection", "fresh-projection") and draw.random() < 0.3
    )
    bounded_rows = draw.random() < 0.3 and "bits" not in numbers and method.name != "bounded"
    domain = Domain(
        features=features,
        entry_bound=float(10.0 ** draw.uniform(-1, 1)),
        norm_bound=float(10.0 ** draw.uniform(-1, 1)) if bounded_rows else math.inf,
        target_bound=float(10.0 ** draw.uniform(-1, 1)),
    )
    target = "clear" if clear and not hidden else str(draw.choice(["noisy", "omitted"]))
    sketched = method.kind in ("sketch", "moments") and draw.random() < 0.4 and "epsilon" in numbers
    plan = method.plan(Request(domain=domain, target=target, neighbours=ADD_REMOVE if hidden or sketched else REPLACE_ONE, **numbers), "tight")
    X, count = _records(draw, features)
    read = plan.query.read.domain
    data = Records(rows=as_matrix(X), targets=draw.uniform(-1, 1, count) * read.target_bound, domain=read)
    made = plan.mechanism.run(plan.query, data, SystemNoise())
    stated = made.certificate.guarantee
    if getattr(stated, "delta_at_epsilon", 1.0) <= sys.float_info.min:
        raise InfeasibleTarget("a delta that is the least number there is cannot be lowered into a lie.")
    if isinstance(stated, NoGuarantee):
        raise InfeasibleTarget("a chosen level of noise that promises nothing at this epsilon, and says so, is no certificate that should verify.")
    return _of_certificate(name if name in ("moments", "laplace") else "release", made.certificate, made.value)


def categories(draw: np.random.Generator) -> Honest:
    """One owner's categories."""
    sizes = draw.integers(2, 60, size=int(draw.integers(1, 5)))
    problem = Categories(columns=tuple((f"c{place}", int(cells)) for place, cells in enumerate(sizes)))
    mechanism = RandomisedCategories.calibrate(problem, epsilon=float(np.exp(draw.uniform(-4, 2))))
    made = mechanism.run(problem, Numbers(draw.integers(0, sizes)), SystemNoise())
    return _of_certificate("categories", made.certificate, made.value)


def counts(draw: np.random.Generator) -> Honest:
    """Counts and sums."""
    neighbours = ADD_REMOVE if draw.random() < 0.5 else REPLACE_ONE
    queries = Queries([Histogram(cells=int(draw.integers(2, 50))), BoundedSum(largest=int(draw.integers(1, 1000)))][: int(draw.integers(1, 3))])
    epsilon, delta = _budget(draw).values()
    if draw.random() < 0.5:
        mechanism: Any = LaplaceCounting.calibrate(queries, epsilon=epsilon, neighbours=neighbours)
    else:
        mechanism = GaussianCounting.calibrate(queries, epsilon=epsilon, delta=delta, neighbours=neighbours)
    made = mechanism.run(queries, queries.answered([draw.integers(0, 2, 5) for _ in queries.each]), SystemNoise())
    return _of_certificate("counts", made.certificate, made.value)


def summaries(draw: np.random.Generator) -> Honest:
    """Tables and sums of all columns, by groups."""
    neighbours = ADD_REMOVE if draw.random() < 0.5 else REPLACE_ONE
    levels = [(2**power, int(draw.integers(1 << 16, 1 << 19))) for power in range(int(draw.integers(1, 4)))]
    query = Summary(
        groups=int(draw.integers(1, 4)),
        tables=(Cells(cells=int(draw.integers(8, 40)), levels=tuple(levels)), Cells(cells=3, levels=((1, 1 << 18),))),
        sums=tuple((int(draw.integers(1 << 16, 1 << 19)), int(draw.integers(1 << 16, 1 << 19))) for _ in range(int(draw.integers(0, 3)))),
        asked="0" * 64,
    )
    queries, (epsilon, delta) = Queries([query]), _budget(draw).values()
    if draw.random() < 0.5:
        mechanism: Any = LaplaceCounting.calibrate(queries, epsilon=epsilon, neighbours=neighbours)
    else:
        mechanism = GaussianCounting.calibrate(queries, epsilon=epsilon, delta=delta, neighbours=neighbours)
    made = mechanism.run(queries, queries.answered([np.zeros((5, query.columns), dtype=np.int64)]), SystemNoise())
    return _of_certificate("summaries", made.certificate, made.value)


def curvature(draw: np.random.Generator) -> Honest:
    """The curvature at released weights."""
    X, count = _records(draw, int(draw.integers(1, 4)))
    y = np.arange(count) % 2
    model = LogisticRegression(epsilon=1.0, delta=0.0, classes=[0, 1], neighbours=_relation(draw)).fit(X, y)
    budget = _budget(draw)
    made = release_uncertainty(model, X, y, **budget)
    return _of_certificate("curvature", made.certificate)


def norms(draw: np.random.Generator) -> Honest:
    """A chosen bound."""
    X, _ = _records(draw, 2)
    budget = _budget(draw)
    made = choose_norm(X, epsilon=budget["epsilon"], delta=budget["delta"] if draw.random() < 0.5 else 0.0, neighbours=_relation(draw))
    return _of_certificate("chosen bounds", made.certificate)


def search(draw: np.random.Generator) -> Honest:
    """A private search."""
    X, count = _records(draw, 2)
    X, y = np.tile(X, (20, 1)), np.tile(np.arange(count) % 2, 20)
    method = str(draw.choice(["random-stopping", "algorithm-4"]))
    one = LogisticRegression(classes=[0, 1], mechanism=str(draw.choice(["auto", "objective", "output"])), neighbours=_relation(draw))
    delta = float(10.0 ** draw.uniform(-8, -4)) if draw.random() < 0.5 else 0.0
    found = PrivateSearchCV(one, {"alpha": [0.05, 0.1]}, epsilon=float(10.0 ** draw.uniform(0, 1)), delta=delta, method=method).fit(X, y)
    return _of_certificate("search", found.certificate_)


KINDS: dict[str, tuple[Callable[[np.random.Generator], Honest], float]] = {
    "fit": (fit, 30),
    "persons": (of_persons, 5),
    "many": (many, 2),
    "kernel": (kernel, 1),
    "model": (model_file, 15),
    "cuts": (cut_model, 1),
    "regression": (regression, 10),
    "set": (over_set, 8),
    "release": (release, 25),
    "moments": (moments, 3),
    "laplace": (laplace, 3),
    "shuffled": (shuffled, 3),
    "columns": (columns, 2),
    "categories": (categories, 2),
    "counts": (counts, 5),
    "summaries": (summaries, 3),
    "curvature": (curvature, 2),
    "norms": (norms, 2),
    "search": (search, 0.5),
}

if __name__ == "__main__":
    main()
