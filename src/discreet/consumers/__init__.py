"""Consumers: what somebody trains on released data who knows how they were made.

Everything here is post-processing: it reads released numbers and public facts about their noise, never a record, so it costs no privacy.
"""

from discreet.consumers.corrected import reconstructed_rows
from discreet.consumers.frequencies import Frequencies, frequencies
from discreet.consumers.moments import ReleasedMoments
from discreet.consumers.moments_axes import MomentsPCA
from discreet.consumers.moments_classes import MomentsDiscriminant, MomentsNaiveBayes
from discreet.consumers.moments_ridge import MomentsRidge
from discreet.consumers.noisy_classifiers import NoisyLinearSVC, NoisyLogisticRegression
from discreet.consumers.noisy_labels import NoisyLabelRegression
from discreet.consumers.projected import ProjectedRidge, ProjectedRows
from discreet.consumers.projected_classifiers import ProjectedLinearSVC, ProjectedLogisticRegression
from discreet.consumers.projected_means import ProjectedKMeans, ProjectedNearestMeans
from discreet.consumers.randomised_bayes import RandomisedNaiveBayes
from discreet.consumers.ridge import NoisyRidge, SketchRidge

__all__ = [
    "Frequencies",
    "MomentsDiscriminant",
    "MomentsNaiveBayes",
    "MomentsPCA",
    "MomentsRidge",
    "NoisyLabelRegression",
    "NoisyLinearSVC",
    "NoisyLogisticRegression",
    "NoisyRidge",
    "ProjectedKMeans",
    "ProjectedLinearSVC",
    "ProjectedLogisticRegression",
    "ProjectedNearestMeans",
    "ProjectedRidge",
    "ProjectedRows",
    "RandomisedNaiveBayes",
    "ReleasedMoments",
    "SketchRidge",
    "frequencies",
    "reconstructed_rows",
]
