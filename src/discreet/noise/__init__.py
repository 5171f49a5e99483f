"""Random sources and the laws they draw. Noise is drawn here and nowhere else, always from an explicit source."""

from discreet.noise.discrete import drawable, least_drawable
from discreet.noise.source import SEEDED_SOURCE, SYSTEM_SOURCE, Noise, SeededNoise, SystemNoise, apart, gaussian_error, spherical_error
from discreet.noise.words import Integers

__all__ = [
    "SEEDED_SOURCE",
    "SYSTEM_SOURCE",
    "Integers",
    "Noise",
    "SeededNoise",
    "SystemNoise",
    "apart",
    "drawable",
    "gaussian_error",
    "least_drawable",
    "spherical_error",
]
