"""What the page sends, read strictly: one JSON object whose fields have the expected types, and none that nobody asked for."""

from dataclasses import dataclass
from typing import Any

from discreet.core.errors import FileFormatError, kind, quoted
from discreet.core.files.strict_json import read_object

LONGEST_TEXT = 4096


class Refused(Exception):
    """A request that is not served: an HTTP status, one sentence for the person at the page, and the field that it is about, if it is one."""

    def __init__(self, status: int, message: str, field: str = "") -> None:
        """All of it is public."""
        super().__init__(message)
        self.status = status
        self.message = message
        self.field = field


@dataclass(frozen=True, slots=True)
class Fields:
    """A JSON object of a request. Every getter raises Refused(400) for a field that is absent or of another type."""

    values: dict[str, Any]

    def only(self, *known: str) -> "Fields":
        """Itself, unless it holds another field."""
        if unknown := set(self.values) - set(known):
            raise Refused(400, f"The request has the unknown field {quoted(sorted(unknown), most=3)}.")
        return self

    def text(self, name: str, *, longest: int = LONGEST_TEXT) -> str:
        """A text that can be printed and encoded, without the blanks around it; may be empty."""
        value = self.values.get(name, "")
        if not isinstance(value, str):
            raise Refused(400, f"{name} must be a text; {kind(value)} was given.")
        if len(value) > longest:
            raise Refused(400, f"{name} is longer than {longest:,} characters.")
        if not value.replace("\n", " ").replace("\t", " ").isprintable():
            raise Refused(400, f"{name} holds characters that cannot be printed.")
        return value.strip()

    def needed(self, name: str, what: str) -> str:
        """A text that is not empty; `what` is asked for otherwise."""
        if value := self.text(name):
            return value
        raise Refused(422, f"{what} is needed.", name)

    def number(self, name: str, what: str, *, least: float, most: float, inclusive: bool = True) -> float:
        """A finite number between public limits; `inclusive` says whether the lower one belongs to them."""
        value = self.values.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Refused(422, f"{what} must be a number.", name)
        if not (least <= value <= most) or (value == least and not inclusive):
            limits = f"{'at least' if inclusive else 'more than'} {least:g} and at most {most:g}"
            raise Refused(422, f"{what} must be {limits}; {value:.10g} was given.", name)
        return float(value)

    def whole(self, name: str, what: str, *, least: int, most: int) -> int:
        """A whole number between public limits."""
        value = self.number(name, what, least=least, most=most)
        if not value.is_integer():
            raise Refused(422, f"{what} must be a whole number.", name)
        return int(value)

    def flag(self, name: str) -> bool:
        """True or false; false where it is absent."""
        value = self.values.get(name, False)
        if not isinstance(value, bool):
            raise Refused(400, f"{name} must be true or false; {kind(value)} was given.")
        return value

    def choice(self, name: str, what: str, allowed: tuple[str, ...]) -> str:
        """One of the allowed words."""
        value = self.values.get(name)
        if not isinstance(value, str) or value not in allowed:
            raise Refused(422, f"{what} must be one of {quoted(allowed, most=12)}.", name)
        return value

    def inner(self, name: str) -> "Fields":
        """An object inside."""
        value = self.values.get(name)
        if not isinstance(value, dict):
            raise Refused(400, f"{name} must be an object.")
        return Fields(value)

    def items(self, name: str, *, most: int) -> list["Fields"]:
        """A list of objects inside."""
        value = self.values.get(name, [])
        if not isinstance(value, list) or len(value) > most or not all(isinstance(one, dict) for one in value):
            raise Refused(400, f"{name} must be a list of at most {most:,} objects.")
        return [Fields(one) for one in value]

    def texts(self, name: str, *, most: int) -> list[str]:
        """A list of texts inside, empty ones left out."""
        value = self.values.get(name, [])
        if not isinstance(value, list) or len(value) > most:
            raise Refused(400, f"{name} must be a list of at most {most:,} texts.")
        return [text for one in value if (text := Fields({name: one}).text(name))]


def read_fields(body: bytes) -> Fields:
    """The object that the body of a request spells. Raises Refused for anything else."""
    try:
        return Fields(read_object(body.decode("utf-8"), what="a request"))
    except UnicodeDecodeError:
        refusal = Refused(400, "The request is not UTF-8 text.")
    except FileFormatError as error:
        refusal = Refused(400, f"The request cannot be read: {error}")
    raise refusal
