"""Random sources. Noise is drawn here and nowhere else, always from an explicit source."""

from discreet.noise.source import Noise, SeededNoise, SystemNoise

__all__ = ["Noise", "SeededNoise", "SystemNoise"]
