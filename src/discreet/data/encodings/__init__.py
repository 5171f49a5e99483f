"""How numbers become features. Adding an encoding is one file here and one line below; schemas and property tests find it by its name."""

from discreet.data.encodings.base import Bounds, Encoding, Linear, encoding_named, encodings_of, spelled
from discreet.data.encodings.bins import Bins
from discreet.data.encodings.calendar import Hour, Month, Weekday
from discreet.data.encodings.curve import Curve
from discreet.data.encodings.cyclic import Cyclic
from discreet.data.encodings.log import Log

__all__ = [
    "Bins",
    "Bounds",
    "Curve",
    "Cyclic",
    "Encoding",
    "Hour",
    "Linear",
    "Log",
    "Month",
    "Weekday",
    "encoding_named",
    "encodings_of",
    "spelled",
]
