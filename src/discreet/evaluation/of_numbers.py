"""From the released integers to the measures of a model that predicts numbers: post-processing, in the unit of its targets."""

import numpy as np

from discreet.certificates import Release
from discreet.evaluation.means import Targets, Total, mean_of, r_squared
from discreet.evaluation.numbers import NumberSurvey
from discreet.evaluation.prepared import Prepared
from discreet.evaluation.report import PrivateEvaluation
from discreet.evaluation.useless import Baseline


def read_numbers(prepared: Prepared[NumberSurvey], release: Release, records: int | None) -> PrivateEvaluation:
    """The released integers, and the number of records where it is public (else None), to measures."""
    survey, level = prepared.survey, prepared.level
    sums = {
        term: Total(float(value) / (prepared.parts * survey.moments.unit(term)), prepared.law_of_parts(survey.moments.unit(term)))
        for term, value in zip(survey.moments.terms, np.asarray(release.value).tolist(), strict=True)
    }
    size = sums["records"] if records is None else Total(float(records), None)
    each = survey.persons.rows if survey.by_rows and survey.persons is not None else 1
    bound, found = survey.bound, None
    scatter = None
    if "r2" in survey.metrics:
        targets = Targets(sums["target"], sums["target-square"], sums["target-cube"], sums["target-fourth"], size)
        found = r_squared(sums["square"], sums["fourth"], targets, unit=bound / survey.half, level=level)
        scatter = survey.half**2 * max(targets.scatter, 0.0) / max(size.value, 1.0)
    return PrivateEvaluation(
        classes=(),
        survey=survey,
        level=level,
        records=each * size.value,
        records_error=each * size.quantile(1.0 - level),
        mean_square=mean_of(sums["square"], sums["fourth"], size, level=level).scaled(bound**2) if "mse" in survey.metrics else None,
        mean_absolute=mean_of(sums["absolute"], sums["square"], size, level=level).scaled(bound) if "mae" in survey.metrics else None,
        r_squared=found,
        target_variance=scatter,
        baseline=None if found is None else Baseline(answer=None, share=None, gain=found, cut=bound, narrow=bound < survey.half),
        certificate=release.certificate,
        value=release.value,
    )
