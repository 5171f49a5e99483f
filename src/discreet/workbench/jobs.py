"""What the page can have done: commands of the program, and their options as fields of a form.

    Job       a command with what it needs and what it leaves in its folder
    Option    a field: its words, its default and what it takes are those of `discreet COMMAND --help`
    Sheet     the fields of a job once its kind of model, or its method, is chosen

Nothing here lists an option. Whoever starts the workbench hands over `Jobs`, which reads the commands (`command_jobs`); the workbench shows the
fields, and hands what was typed to the same command, which judges it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol, TypeAlias

from discreet.workbench.wire import Fields, Refused

Takes: TypeAlias = Literal["text", "number", "choice", "tick", "switch", "many", "file", "result"]
"""What a field is: a line, a number, one of a few words, on or not, on or off or as usual, several lines, a path, a tick for one more file."""
MOST_VALUES = 200


class Option(NamedTuple):
    """One field."""

    flag: str
    """As on the command line, such as "--alpha"."""
    words: str
    takes: Takes
    standard: str
    """What holds where the field is left empty, in words; may be empty."""
    choices: tuple[str, ...] = ()
    needed: bool = False
    own: bool = False
    """Of this kind of model or method alone."""
    off: str = ""
    """The flag that switches off what `flag` switches on."""
    file: str = ""
    """Of a result: the name of the file."""


class Sheet(NamedTuple):
    """The fields of a job."""

    budget: tuple[str, ...]
    """Those of "epsilon", "delta" and "neighbours" that it takes."""
    options: tuple[Option, ...]


class Choice(NamedTuple):
    """A kind of model, or a method of release."""

    name: str
    title: str
    says: str
    learns: tuple[str, ...] = ()
    """Targets that it is for; empty for any."""
    standard_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A command."""

    name: str
    title: str
    says: str
    """What it does, in a sentence."""
    group: str
    """The heading that it stands under."""
    command: str
    chosen_by: str = ""
    """The option that names a kind or a method, such as "--model"; empty where there is none."""
    fixed: str = ""
    """What is named there where nobody chooses."""
    choices: tuple[Choice, ...] = ()
    needs_schema: bool = True
    needs_model: bool = False
    draft: bool = False
    """Whether the schema may, and must, have open bounds."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Options that name a file to write, and the names of these files in the folder of a run; the first is the result."""
    private: bool = False
    """Whether the result is about single persons, so that the page never shows or serves it."""

    @property
    def result(self) -> str:
        """The name of the file or folder that the job is for."""
        return next(iter(self.files.values()))

    @property
    def spends(self) -> bool:
        """Whether a budget is paid."""
        return not self.private

    def record(self) -> dict[str, object]:
        """For the page."""
        return {
            "name": self.name,
            "title": self.title,
            "says": self.says,
            "group": self.group,
            "choices": [one._asdict() for one in self.choices],
            "needs_schema": self.needs_schema,
            "needs_model": self.needs_model,
            "draft": self.draft,
            "spends": self.spends,
        }


class Jobs(Protocol):
    """The commands of the program, as whoever starts the workbench reads them."""

    def all(self) -> Sequence[Job]:
        """In the order in which they are shown."""

    def sheet(self, job: Job, chosen: str) -> Sheet:
        """The fields of a job with this kind or method; of one with neither, `chosen` is empty."""


def job_named(jobs: Jobs, name: str) -> Job:
    """Raises Refused for another name."""
    found = {one.name: one for one in jobs.all()}.get(name)
    if found is None:
        raise Refused(422, "Choose what to do.", "job")
    return found


def words_of(sheet: Sheet, given: Fields) -> list[str]:
    """What was typed as words of a command. A value stands behind = so that none can be read as an option. Raises Refused for an unknown field."""
    known = {one.flag: one for one in sheet.options}
    given.only(*known)
    words: list[str] = []
    for flag, one in known.items():
        match one.takes:
            case "many":
                words += [f"{flag}={text}" for text in given.texts(flag, most=MOST_VALUES)]
            case "tick":
                words += [flag] if given.flag(flag) else []
            case "result":
                pass
            case "switch":
                chosen = given.text(flag)
                if chosen not in ("", "on", "off"):
                    raise Refused(422, f"{flag} must be on or off.", flag)
                words += [{"": "", "on": flag, "off": one.off}[chosen]] if chosen else []
            case _:
                text = given.text(flag)
                if one.needed and not text:
                    raise Refused(422, f"{flag[2:].replace('-', ' ').capitalize()} is needed.", flag)
                words += [f"{flag}={text}"] if text else []
        if one.needed and one.takes == "many" and not given.texts(flag, most=MOST_VALUES):
            raise Refused(422, f"{flag[2:].replace('-', ' ').capitalize()} is needed.", flag)
    return words


def results_of(sheet: Sheet, given: Fields) -> dict[str, str]:
    """The further files that were ticked, by their options."""
    return {one.flag: one.file for one in sheet.options if one.takes == "result" and given.flag(one.flag)}
