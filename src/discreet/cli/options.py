"""A command from the type of its settings: a parameter of its function is an option or an argument, and is written once.

    epsilon: Annotated[float, "Privacy loss, > 0."]              --epsilon FLOAT   [required]
    delta: Annotated[float, "Its exception."] = 0.0              --delta FLOAT     [default: 0.0]
    loss: Annotated[str | None, "Which one."] = None             --loss TEXT
    grid: Annotated[Literal["fine", "coarse"], "..."] = "fine"   --grid [fine|coarse]
    overwrite: Annotated[bool, "Replace."] = False               --overwrite
    parts: Annotated[tuple[str, ...], "A part."] = ()            --parts TEXT, as often as wanted
    table: Annotated[File, ARGUMENT]                             TABLE
    spending: Spending                                           the fields of a frozen dataclass, each by these rules

What needs more words is an `Option`, what needs none has None. Settings that commands share, or that go on together, are such a dataclass;
a parameter `Annotated[Any, LATER]` is of a type that is found where the command itself is asked for, since what knows it takes its time to import;
it may depend on the words that were typed.
"""

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NewType, TypeAlias, Union, get_args, get_origin

import click
from click.core import ParameterSource

import discreet
from discreet.cli.output import Outcome, present, warn

File = NewType("File", str)
"""A path."""


@dataclass(frozen=True, kw_only=True)
class Option:
    """What is said of an option, where a line of help is not enough."""

    help: str | None = None
    name: str | None = None
    """Where it is not that of the field."""
    metavar: str | None = None
    default: str | None = None
    """In words, where the field's own says nothing."""
    variable: str | None = None
    """Of the environment."""
    type: "click.ParamType[Any] | None" = None
    """Where the field's says too little."""


@dataclass(frozen=True, kw_only=True)
class Argument:
    """That a field is an argument, and how it is called."""

    metavar: str | None = None


class _Number(click.types.FloatParamType):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # as click has it
        """A float; "inf" is one, at which a fit has no privacy, and 1e400 is none."""
        number: float = super().convert(value, param, ctx)
        if math.isinf(number) and isinstance(value, str) and "inf" not in value.lower():
            self.fail("a number is too large: float64 holds up to 1.8e308.", param, ctx)
        return number


ARGUMENT = Argument()
LATER = object()
Later: TypeAlias = "Callable[[Sequence[str]], tuple[type, str]]"
"""From the words behind a command to the type of what is `LATER`, and words before the examples."""
_TYPED = "discreet.typed"
_TYPES: "Mapping[Any, click.ParamType[Any]]" = {float: _Number(), int: click.INT, str: click.STRING, File: click.Path()}
_JSON = click.Option(["--json", "as_json"], is_flag=True, help="Print one JSON document and nothing else.")

Delta: TypeAlias = Annotated[float, "Probability that the loss is exceeded; well below 1 / records."]
Hidden: TypeAlias = Literal["replace-one", "add-remove"]
Neighbours: TypeAlias = Annotated[Hidden, "What is hidden: the content of one record, or also whether it is in the table."]
Kind: TypeAlias = Annotated[
    str | None,
    Option(
        help="Kind of model: `discreet models` lists them.",
        name="--model",
        metavar="KIND",
        default="linear-svc for two classes, logistic-regression for more, linear-regression for a number: the least error",
    ),
]
Target: TypeAlias = Annotated[Literal["noisy", "clear", "omitted"], "The target's column: protected like the others, released as it is, or left out."]
SchemaFile: TypeAlias = Annotated[File, "What is public about the table, in TOML."]
Seed: TypeAlias = Annotated[int | None, "Reproducible noise, for tests only: the certificate is then not valid."]
PublicRecords: TypeAlias = Annotated[
    int | None, Option(name="--public-records", help="The number of records, if it is public: used for what is said before anything is spent.")
]
ForSpreadsheet: TypeAlias = Annotated[
    bool,
    "Put an apostrophe before a text in the CSV file that a spreadsheet would take for a formula: for people who open it, not for programs.",
]
Report: TypeAlias = Annotated[File | None, Option(metavar="PAGE", help="Also write a page that explains the result: HTML, or Markdown (.md).")]


class _Late(click.Command):
    """With further options, and words before its examples, that are found where it is asked for itself."""

    later: "Later"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click's; what was typed is kept for `later`."""
        ctx.meta[_TYPED] = tuple(args)
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Those that are known at once, then the others."""
        *own, help_ = super().get_params(ctx)
        return [*own, *_parameters(self.later(_words_of(ctx))[0]), help_]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Those that have a heading of their own come after the others, below it."""
        found = self.later(_words_of(ctx))[0]
        heading = getattr(found, "heading", None)
        apart = {one.name for one in _parameters(found)} if heading else set()
        options = [one for one in self.get_params(ctx) if isinstance(one, click.Option)]
        lines = [(one.name in apart, said) for one in options if (said := one.get_help_record(ctx)) is not None]
        for title, below in (("Options", False), (heading, True)):
            if title and (shown := [line for one, line in lines if one is below]):
                with formatter.section(title):
                    formatter.write_dl(shown)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The words, then the examples."""
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(f"{self.later(_words_of(ctx))[1]}\n\n{self.epilog}")


def _words_of(ctx: click.Context) -> tuple[str, ...]:
    """What was typed behind the command, where it is one that wants to know."""
    return tuple(ctx.meta.get(_TYPED, ()))


def command(
    short_help: str | None,
    *examples: str,
    name: str | None = None,
    later: "Later | None" = None,
    cls: type[click.Command] = click.Command,
) -> Callable[[Callable[..., Outcome | None]], click.Command]:
    """A function as a command: its parameters are the options, its docstring is the help, which ends in `examples`.

    It returns its outcome, or None where it has presented it. `later` finds, from the words that were typed, the type of the parameter that is
    `LATER`, and words for before the examples.
    """

    def made(function: Callable[..., Outcome | None]) -> click.Command:
        def run(**values: object) -> None:
            outcome = _filled(function, values, later)
            if outcome is not None:
                present(outcome)

        built = (cls if later is None else _Late)(
            name or function.__name__,
            params=[*_parameters(function), _JSON],
            callback=run,
            help=function.__doc__,
            short_help=short_help,
            epilog=epilog(*examples),
        )
        if isinstance(built, _Late) and later is not None:
            built.later = later
        return built

    return made


def group(name: str, short_help: str | None, text: str, *commands: click.Command, examples: tuple[str, ...]) -> click.Group:
    """Commands of a command; alone it shows its help."""

    @click.pass_context
    def run(context: click.Context) -> None:
        if context.invoked_subcommand is None:
            click.echo(context.get_help())

    return click.Group(
        name,
        commands={one.name: one for one in commands if one.name},
        callback=run,
        help=text,
        short_help=short_help,
        epilog=epilog(*examples),
        invoke_without_command=True,
        subcommand_metavar="COMMAND [ARGS]...",
    )


def options_of(made: click.Command, *words: str) -> list[click.Option]:
    """The options of a command behind these words."""
    context = click.Context(made, help_option_names=["-h", "--help"])  # as the program's, since a command keeps its help option
    context.meta[_TYPED] = words
    return [one for one in made.get_params(context) if isinstance(one, click.Option)]


def epilog(*examples: str) -> str:
    """The end of a help text; click keeps its line breaks."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in examples)


def flag(name: str) -> str:
    """How a field is called on the command line."""
    return f"--{name.replace('_', '-')}"


def usage_error(message: str) -> click.UsageError:
    """What is wrong with the options of the command that runs."""
    return click.UsageError(message, click.get_current_context())


def typed(name: str) -> bool:
    """Whether the option of this field was given on the command line that runs; a variable of the environment is for all commands."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def check_spreadsheet(option: str, path: str | None, *, asked: bool) -> None:
    """A usage error where --for-spreadsheet is asked for and the CSV file that it is about is not."""
    if asked and path is None:
        raise usage_error(f"--for-spreadsheet is about the file of {option}: add {option} FILE")


def noise_of(seed: int | None) -> "discreet.SystemNoise | discreet.SeededNoise":
    """The source of a release's noise."""
    warn_of_seed(seed)
    return discreet.SystemNoise() if seed is None else discreet.SeededNoise(seed)


def warn_of_seed(seed: int | None) -> None:
    """A seed is for tests and demonstrations."""
    if seed is not None:
        warn("--seed makes the noise reproducible, so it protects nobody and the certificate is not valid. Leave it out to publish.")


def _filled(made: Any, values: Mapping[str, object], later: "Later | None" = None) -> Any:
    """A function called, or a type made, with the values of its options."""
    words = _words_of(click.get_current_context())
    types = {one.name: later(words)[0] if later is not None and _is_late(one) else one.annotation for one in _said(made)}
    return made(**{name: _filled(kind, values, later) if is_dataclass(kind) else values[name] for name, kind in types.items()})


def _said(made: Any) -> Iterable[inspect.Parameter]:
    """Names, types and defaults."""
    return inspect.signature(made).parameters.values()


def _is_late(one: inspect.Parameter) -> bool:
    return LATER in get_args(one.annotation)


def _parameters(made: Any) -> Iterator[click.Parameter]:
    for one in _said(made):
        if is_dataclass(one.annotation):
            yield from _parameters(one.annotation)
        elif not _is_late(one):
            yield _parameter(one.name, one.annotation, one.default)


def _parameter(name: str, annotated: Any, default: Any) -> click.Parameter:
    """The option or the argument of a parameter `Annotated[type, what is said of it]`."""
    kind, said = get_args(annotated)
    if get_origin(kind) in (Union, UnionType):
        (kind,) = (one for one in get_args(kind) if one is not NoneType)
    many = get_origin(kind) is tuple
    kind = get_args(kind)[0] if many else kind
    required = default is inspect.Parameter.empty
    given: dict[str, Any] = {} if required or default in ((), None) or kind is bool else {"default": default}
    kept = click.Choice(get_args(kind)) if get_origin(kind) is Literal else _TYPES.get(kind)
    if isinstance(said, Argument):
        return click.Argument([name], type=kept, required=required, nargs=-1 if many else 1, metavar=said.metavar)
    said = said if isinstance(said, Option) else Option(help=said)
    given |= {"is_flag": True, **({"default": None} if said.name and "/" in said.name else {})} if kind is bool else {"type": said.type or kept}
    return click.Option(
        [said.name or flag(name), name],
        required=required,
        multiple=many,
        show_default=said.default or given.get("default", "") != "",
        help=said.help,
        metavar=said.metavar,
        envvar=said.variable,
        show_envvar=said.variable is not None,
        **given,
    )
