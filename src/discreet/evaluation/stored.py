"""An evaluation as a file, read back: it holds the integers, the plan of the queries and the certificate (`PrivateEvaluation.to_dict`).

Everything else in it is post-processing of these, and one that says anything else is refused. Files of the format before this one say less: what they
say is checked in the same way.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from discreet.certificates import Certificate, Release
from discreet.core.errors import FileFormatError
from discreet.core.files.reading import read_parsed
from discreet.core.files.strict_json import read_back, read_object
from discreet.core.neighbours import Neighbours, Persons
from discreet.data.labels import canonical
from discreet.data.targets import ends_of
from discreet.evaluation.asked import Asked
from discreet.evaluation.numbers import NumberSurvey
from discreet.evaluation.prepared import Prepared
from discreet.evaluation.private import read_report
from discreet.evaluation.report import FORMAT, FORMATS, PrivateEvaluation
from discreet.evaluation.survey import Survey
from discreet.evaluation.times import TimeSurvey
from discreet.mechanisms.counting import CountingMechanism, GaussianCounting, LaplaceCounting


def read_evaluation(path: str | Path) -> PrivateEvaluation:
    """The evaluation in a file. Raises InvalidInput if the file does not exist, and FileFormatError, with the path, if its content is not valid."""
    remedy = "Check the path, or write one with `discreet evaluate --epsilon --out`."
    return read_parsed(path, evaluation_from, what="evaluation file", remedy=remedy)


def evaluation_from(text: str) -> PrivateEvaluation:
    """The evaluation that `to_json` wrote. Raises FileFormatError for any other text."""
    what = "a private evaluation"
    stated = read_object(text, what=what).get("format")
    return read_back(text, _read, what=what, format_=stated if stated in FORMATS else FORMAT, basis="the released integers")


def _read(record: Mapping[str, Any]) -> PrivateEvaluation:
    certificate = Certificate.from_dict(record["certificate"])
    mechanism = mechanism_of(certificate)
    classes, stated = tuple(record["classes"]), record["survey"]
    if not all(isinstance(label, str | int | float) and label != "" for label in classes):
        raise TypeError
    for each_once in (classes, stated["metrics"]):
        if len(set(map(canonical, each_once))) < len(each_once):  # 1 and true are two labels, and one number
            raise FileFormatError("one of its classes or metrics stands there twice.")
    persons = Persons.from_dict(certificate.problem["persons"]) if "persons" in certificate.problem else None
    survey: Asked
    if classes:
        survey = Survey(
            metrics=tuple(stated["metrics"]),
            classes=len(classes),
            neighbours=mechanism.neighbours,
            probabilities=stated["score"] != "decision value",
            edges=tuple(stated["edges"] or ()),
            log_loss_bound=5.0 if stated["log_loss_bound"] is None else stated["log_loss_bound"],
            persons=persons,
        )
    elif "ends" in stated:
        metrics, ends = tuple(stated["metrics"]), ends_of(stated["ends"])
        bins, lost = stated["bins"], stated["log_loss_bound"]
        survey = TimeSurvey(metrics=metrics, neighbours=mechanism.neighbours, ends=ends, bins=bins, log_loss_bound=lost, persons=persons)
    else:
        lower, upper, bound = (float(number) for number in (stated["target"]["lower"], stated["target"]["upper"], stated["error_bound"]))
        if not lower < upper:
            raise FileFormatError("its bounds of targets are not valid numbers.")
        metrics = tuple(stated["metrics"])
        survey = NumberSurvey(metrics=metrics, neighbours=mechanism.neighbours, lower=lower, upper=upper, error_bound=bound, persons=persons)
    queries = survey.queries()
    if certificate.problem != queries.to_dict():
        raise FileFormatError("its parts do not belong together: its certificate is for other queries.")
    value = np.array(record["value"], dtype=np.float64)
    if value.shape != (sum(query.size for query in queries.each),) or not np.array_equal(value, np.rint(value)):
        raise FileFormatError("its parts do not belong together: the queries need another number of answers, or answers that are integers.")
    records = None if survey.secret else record["records"]["value"]
    require_records(certificate, records)
    prepared = Prepared(survey=survey, mechanism=mechanism, classes=classes, level=record["level"])
    found = read_report(prepared, Release(value=value, certificate=certificate), None if records is None else int(records))
    return replace(found, format=record["format"])


def require_records(certificate: Certificate, records: object) -> None:
    """Raise FileFormatError for a number of records that is none, or another than the certificate's: those made before it stood there are taken."""
    if records is None:
        return
    if not (isinstance(records, float | int) and not isinstance(records, bool) and records >= 1 and records == math.floor(records)):
        raise FileFormatError("its number of records is not a valid number.")
    if certificate.parameters.get("records", records) != records:
        raise FileFormatError("its parts do not belong together: its certificate is for another number of records.")


def mechanism_of(certificate: Certificate) -> CountingMechanism:
    """With the law of the noise that the certificate states. Raises FileFormatError for a certificate of anything else."""
    parameters: Mapping[str, Any] = certificate.parameters
    scales, neighbours = tuple(float(scale) for scale in parameters["scales"]), Neighbours(parameters["neighbours"])
    match certificate.mechanism:
        case "counting-gaussian":
            return GaussianCounting(scales=scales, neighbours=neighbours, epsilon=float(parameters["epsilon"]))
        case "counting-laplace":
            return LaplaceCounting(scales=scales, neighbours=neighbours)
    raise FileFormatError("its parts do not belong together: its certificate is not for an evaluation.")
