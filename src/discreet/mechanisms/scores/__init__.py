"""What a released model's scores are worth, by private counts of classes, with its proof note beside it (scores.md)."""

from discreet.mechanisms.scores.many import places_of_told, shrunk_classes
from discreet.mechanisms.scores.plan import ScoresPlan, standard_share
from discreet.mechanisms.scores.shrink import EDGES, Fitted, Shrinkage, places_of, shrunk

__all__ = ["EDGES", "Fitted", "ScoresPlan", "Shrinkage", "places_of", "places_of_told", "shrunk", "shrunk_classes", "standard_share"]
