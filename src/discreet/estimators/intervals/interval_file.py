"""The file of a model's intervals.

An interval file is JSON: {"format", "level", "target", "covers", "coefficients", "references", "coding", "weights", "value",
"guarantee_with_the_model", "model_certificate", "certificate"}, "labels" of more than two classes or of several targets,
and "prior" of a fit with one. `value` are the released integers, `weights`
the model's, `coding` which features the schema made of one column. Reading one computes the intervals again, and refuses one that says others.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.accounting import Json
from discreet.certificates import Certificate, Check, Verification
from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.fields import names, text
from discreet.core.files.reading import read_parsed
from discreet.core.files.strict_json import read_back
from discreet.core.files.whole_file import write_whole
from discreet.core.short import short_repr
from discreet.data.coding import Coding
from discreet.estimators.intervals.released_noise import fit_within
from discreet.estimators.intervals.uncertainty import PENALISED, UNPENALISED, Uncertainty, problem_of
from discreet.mechanisms.curvature import CurvatureQuery
from discreet.problems import MadeRisk
from discreet.problems.prior import Prior

FORMAT = "discreet-intervals/1"
"""The format of an interval file; another version is refused."""
INTERCEPT = "(intercept)"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IntervalFile:
    """Intervals at one level for one target; public. Raises InvalidInput unless there is one name per feature."""

    uncertainty: Uncertainty
    names: tuple[str, ...]
    """Of the features."""
    level: float = 0.95
    target: str = PENALISED
    """"penalised" or "unpenalised", as for `Uncertainty.coefficients`."""
    labels: tuple[str, ...] = ()
    """Of more than two classes, or of several targets, whose coefficients come one after the other; none otherwise."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """See class docstring."""
        features, functions = self.uncertainty.problem.domain.features, self.uncertainty.functions
        if len(self.names) != features:
            raise InvalidInput(f"the model has {features} features; {len(self.names)} names were given.")
        if len(self.labels) != (functions if functions > 1 else 0):
            raise InvalidInput(f"the model has {functions} functions; {len(self.labels)} labels were given.")

    @property
    def certificate(self) -> Certificate:
        """The certificate of the release from which the intervals were computed; the model has its own."""
        return self.uncertainty.certificate

    @property
    def beside(self) -> dict[str, Any]:
        """What `summary` and `curves` of the model take, so that they count the sample too: the uncertainty, and the level."""
        return {"uncertainty": self.uncertainty, "level": self.level}

    @property
    def references(self) -> tuple[str, ...]:
        """Names of the reference categories of their columns, with target "unpenalised"; their own coefficients are 0."""
        return tuple(self.names[place] for place in self.uncertainty.references) if self.target == UNPENALISED else ()

    def rows(self) -> list[tuple[str, float, float, float]]:
        """Name, lower end, estimate and upper end of every coefficient, the intercept's last; an end may be infinite.

        Of several functions the name is that of the class, or of the target, and of the feature.
        """
        found, problem = [self.uncertainty.coef_interval(self.level, target=self.target)], self.uncertainty.problem
        names = list(self.names)
        if problem.domain.intercept_scale > 0:
            found.append(self.uncertainty.intercept(self.level, target=self.target))
            rows = problem.made.rows if isinstance(problem, MadeRisk) else 1
            names += [INTERCEPT] if rows == 1 else [f"{INTERCEPT} {number}" for number in range(1, rows + 1)]
        if self.labels:
            names = [f"{label}: {name}" for label in self.labels for name in names]
        low, middle, high = (np.concatenate([getattr(part, end) for part in found], axis=-1).ravel().tolist() for end in ("low", "estimate", "high"))
        return list(zip(names, low, middle, high, strict=True))

    def verify(self) -> Verification:
        """Check both certificates against weights and integers, and that the second is about the first one's weights."""
        held = self.uncertainty
        asked = CurvatureQuery(problem=held.problem, weights=held.weights).to_dict() == dict(held.certificate.problem)
        found = "the intervals were released at the weights of this model" if asked else "the certificate is for another model or problem"
        model = [Check(f"model: {check.name}", check.ok, check.detail) for check in held.model_certificate.verify(held.weights).checks]
        return Verification(checks=(*held.verify().checks, *model, Check("question", asked, found)))

    def to_dict(self) -> dict[str, Json]:
        """A plain table for JSON; null for an infinite end."""
        held, domain = self.uncertainty, self.uncertainty.problem.domain
        coding = held.coding if self.target == UNPENALISED else Coding()
        stated = held.to_dict(self.level, target=self.target)
        return {
            "format": FORMAT,
            "level": self.level,
            "target": self.target,
            "covers": stated["target"],
            "coefficients": [{"name": name, "low": _end(low), "estimate": middle, "high": _end(high)} for name, low, middle, high in self.rows()],
            "references": list(self.references),
            **({"labels": list(self.labels)} if self.labels else {}),
            **({} if held.prior is None else {"prior": held.prior.tolist()}),
            "coding": coding.to_dict(intercept_scale=domain.intercept_scale, norm_bound=domain.norm_bound),
            "weights": held.weights.tolist(),
            "value": [int(number) for number in held.value.tolist()],
            "guarantee_with_the_model": stated["guarantee_with_the_model"],
            "model_certificate": held.model_certificate.to_dict(),
            "certificate": held.certificate.to_dict(),
        }

    def to_json(self) -> str:
        """`to_dict` as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the file completely or not at all. Raises InvalidInput if it exists (unless `overwrite`) or cannot be written."""
        write_whole(path, self.to_json(), overwrite=overwrite)

    @classmethod
    def load(cls, path: str | Path) -> "IntervalFile":
        """The intervals in a file.

        Raises InvalidInput if the file does not exist, and FileFormatError, with the path, if its content is not valid.
        """
        return read_parsed(path, cls.from_json, what="interval file", remedy="Check the path, or write one with `discreet intervals --out`.")

    @classmethod
    def from_json(cls, text: str) -> "IntervalFile":
        """What `to_json` wrote. Raises FileFormatError for any other text."""
        return read_back(text, _read, what="an interval file", format_=FORMAT, basis="the released integers")


def _read(record: Mapping[str, Any]) -> IntervalFile:
    model, certificate = Certificate.from_dict(record["model_certificate"]), Certificate.from_dict(record["certificate"])
    problem = problem_of(model)
    weights, value = np.array(record["weights"], dtype=np.float64), np.array(record["value"], dtype=np.float64)
    query = CurvatureQuery(problem=problem, weights=weights)
    if value.shape != (query.size,) or not np.array_equal(value, np.rint(value)):
        raise FileFormatError(f"this model needs {query.size} released integers; the file has another number.")
    scale = certificate.parameters["scale"]
    if isinstance(scale, bool) or not isinstance(scale, int | float) or not (math.isfinite(scale) and scale > 0):
        raise TypeError
    prior = None if "prior" not in record else Prior.at(np.array(record["prior"], dtype=np.float64))
    if (None if prior is None else prior.to_dict()) != fit_within(model)[2].get("prior"):
        raise FileFormatError("the certificate of its model names another prior, or none.")
    labels = names(record.get("labels", []))
    rows = [text(row["name"]) for row in record["coefficients"]]
    features = names(row.removeprefix(f"{labels[0]}: ") if labels else row for row in rows[: problem.domain.features])
    return IntervalFile(
        uncertainty=Uncertainty(
            problem=problem,
            weights=weights,
            matrices=query.read(value, scale),
            model_certificate=model,
            certificate=certificate,
            value=value,
            coding=Coding.from_dict(record["coding"], features=problem.domain.features, norm_bound=problem.domain.norm_bound),
            prior=None if prior is None else prior.point,
        ),
        names=features,
        level=record["level"],
        target=record["target"],
        labels=labels,
    )


def _end(value: float) -> float | None:
    """JSON has no infinity."""
    return value if math.isfinite(value) else None
