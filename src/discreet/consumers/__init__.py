"""Consumers: what somebody trains on published data who knows how they were made.

Everything here is post-processing: it reads released numbers and public facts about their noise, never a record, so it costs no privacy.
"""

from discreet.consumers.corrected import reconstructed_rows
from discreet.consumers.noisy_classifiers import NoisyLinearSVC, NoisyLogisticRegression
from discreet.consumers.projected import ProjectedRidge, ProjectedRows
from discreet.consumers.ridge import NoisyRidge, SketchRidge

__all__ = ["NoisyLinearSVC", "NoisyLogisticRegression", "NoisyRidge", "ProjectedRidge", "ProjectedRows", "SketchRidge", "reconstructed_rows"]
