"""Random sources and the laws they draw. Noise is drawn here and nowhere else, always from an explicit source."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.noise.discrete import drawable, least_drawable
    from discreet.noise.source import Noise, SeededNoise, SystemNoise, apart
    from discreet.noise.stated import SEEDED_SOURCE, SYSTEM_SOURCE, gaussian_error, spherical_error
    from discreet.noise.words import Integers
else:
    __getattr__, __dir__ = names_of(__name__)

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
