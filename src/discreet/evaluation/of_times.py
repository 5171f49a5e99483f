"""From the released integers to the measures of a model of times: post-processing."""

import numpy as np

from discreet.certificates import Release
from discreet.evaluation.concordance import concordance
from discreet.evaluation.means import Total, mean_of
from discreet.evaluation.prepared import Prepared
from discreet.evaluation.report import PrivateEvaluation
from discreet.evaluation.times import TimeSurvey
from discreet.evaluation.useless import Baseline


def read_times(prepared: Prepared[TimeSurvey], release: Release, records: int | None) -> PrivateEvaluation:
    """The released integers, and the number of records where it is public (else None), to measures."""
    survey, level = prepared.survey, prepared.level
    value = np.asarray(release.value)
    cells = survey.known * survey.bins if "concordance" in survey.metrics else 0
    size, lost, ordered, baseline = None if records is None else Total(float(records), None), None, None, None
    if cells:
        counts = value[:cells].reshape(survey.known, survey.bins)
        ordered = concordance(counts, prepared.law(0), level=level)
        baseline = Baseline(answer=None, share=None, gain=ordered.moved(-0.5), chance=True)
        size = Total(float(counts.sum()), prepared.law(0, cells)) if size is None else size
    if "log_loss" in survey.metrics:
        terms = dict(zip(survey.moments.terms, value[cells:].tolist(), strict=True))
        place = len(prepared.mechanism.scales) - 1
        sums = {
            term: Total(float(found) / survey.moments.unit(term), prepared.law_of_parts(survey.moments.unit(term), query=place))
            for term, found in terms.items()
        }
        size = sums.get("records", size)
        assert size is not None  # noqa: S101 - sums count the records where nobody knows their number
        lost = mean_of(sums["absolute"], sums["square"], size, level=level).scaled(survey.log_loss_bound)
    assert size is not None  # noqa: S101 - a survey asks for one of both
    return PrivateEvaluation(
        classes=(),
        survey=survey,
        level=level,
        records=size.value,
        records_error=size.quantile(1.0 - level),
        log_loss=lost,
        concordance=ordered,
        baseline=baseline,
        certificate=release.certificate,
        value=release.value,
    )
