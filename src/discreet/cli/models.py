"""`discreet models`: models by their names; for other commands the estimator that is meant, what it will promise, and its fit.

Beside them the model file that `discreet fit` and `discreet tune` write: its options, and what is said once it is written. After the fit the budget
is spent, so the model is not lost whatever happens: where it cannot be saved, its JSON goes to standard output.
"""

from collections.abc import Sequence
from dataclasses import dataclass, make_dataclass, replace
from functools import cache
from typing import Annotated, Any, TypeAlias

import discreet
from discreet.cli.inputs import guarantee_of, receipt
from discreet.cli.options import Argument, File, Option, Report, Seed, command, flag, usage_error
from discreet.cli.output import Outcome, Released, check_output, check_report, keep, labelled, step, styled, written_report
from discreet.core.errors import InvalidInput, quietly, quoted

Settings: TypeAlias = dict[str, Any]
"""Arguments of an estimator, without its data_norm."""


@command("List the kinds of models and their options.", "discreet models", "discreet models lasso", "discreet models --json")
def models(*, kind: Annotated[str | None, Argument(metavar="[KIND]")] = None) -> Outcome:
    """List the kinds of models, what each learns, and which is the default; for one KIND, its options of `discreet fit`.

    No file is read, and nothing is spent.
    """
    from discreet.estimators.door.private_estimator import PrivateModel
    from discreet.estimators.model_kinds import kind_named, learnt_words, settings_of, summary_of

    shown = dict(sorted(PrivateModel.models.items())) if kind is None else {kind: kind_named(kind)}
    document: dict[str, object] = {}
    lines: list[str] = []
    for name, made in shown.items():
        settings = settings_of(made).values()
        document[name] = {
            "summary": summary_of(made),
            "learns": list(made.targets),
            "standard_for": list(made.standard_for),
            "settings": [{"name": one.name, "takes": one.takes, "default": one.default, "help": one.words} for one in settings],
        }
        chosen = f"; the default for {' and '.join(made.standard_for)}" if made.standard_for else ""
        lines += [styled(name), f"  {summary_of(made)}.", f"  Learns {learnt_words(made.targets)}{chosen}."]
        lines += [] if kind is None else [f"  {option_of(one.name):<18} {one.words}" for one in settings]
    following = "Next: discreet models KIND lists the options of one." if kind is None else f"Next: discreet fit --model {kind} --help"
    return Outcome(document={"models": document}, lines=[*lines, "", following])


def estimator_named(kind: str, schema: "discreet.Schema", settings: Settings, *, declared: bool = False) -> Any:  # an estimator with its own plan
    """An estimator for rows of this schema, its classes `declared` where there are any.

    Raises InvalidInput where it does not learn what the schema's target is.
    """
    from discreet.estimators.model_kinds import check_learns, encoded_estimator

    made = encoded_estimator(kind, schema, settings)
    check_learns(made, schema)
    if declared and isinstance(schema.target, discreet.data.Target):
        made.set_params(classes=discreet.data.labels.label_array(schema.target.classes).tolist())
    return made


def standard_kind(schema: "discreet.Schema") -> str:
    """The kind that is fitted where nobody chooses."""
    from discreet.estimators.model_kinds import learnt_from, standard_kind

    return standard_kind(learnt_from(schema))


def option_of(name: str) -> str:
    """How a setting of a model is called on the command line; what is on or off has two names."""
    return flag(name.removeprefix("fit_"))


@cache
def setting_options(kind: str | None) -> tuple[type, str]:
    """The settings of this kind of model as options, or of all kinds; each a text or, of what is on or off, a flag. And words on them."""
    from discreet.estimators.door.private_estimator import PrivateModel
    from discreet.estimators.model_kinds import kind_named, settings_of, summary_of

    found: dict[str, Any] = {}
    for made in PrivateModel.models.values() if kind is None else (kind_named(kind),):
        for name, one in settings_of(made).items():
            option = option_of(name)
            if one.spelling == "FLAG":
                switched = Option(name=f"{option}/--no-{option[2:]}", help=one.words, default="on" if one.default else "off")
                found.setdefault(name, Annotated[bool | None, switched])
            else:
                default = None if one.default is None else str(one.default)
                found.setdefault(name, Annotated[str | None, Option(name=option, help=one.words, metavar=one.spelling, default=default)])
    words = "" if kind is None else f"{kind}: {summary_of(kind_named(kind))}."
    heading = {} if kind is None else {"heading": f"Options of a {kind}"}
    return make_dataclass("Settings", [(name, said, None) for name, said in found.items()], kw_only=True, namespace=heading), words


def settings_given(kind: str, given: object, schema: "discreet.Schema") -> Settings:
    """Those among `setting_options` that were typed, as values.

    Raises a usage error for one that this kind does not have, or that is no such value.
    """
    from discreet.estimators.door.private_estimator import PrivateModel
    from discreet.estimators.model_kinds import kind_named, settings_of

    known = settings_of(kind_named(kind))
    found: Settings = {}
    for name, text in vars(given).items():
        if text is None:
            continue
        if name not in known:
            having = [other for other, made in PrivateModel.models.items() if name in settings_of(made)]
            verb = "has" if len(having) == 1 else "have"
            raise usage_error(
                f"a {kind} has no {option_of(name)}; {', '.join(having)} {verb} it. `discreet fit --model {kind} --help` lists what a {kind} has"
            )
        found[name] = text if isinstance(text, bool) else _read(known[name], text)
    if "class_weight" in found and isinstance(schema.target, discreet.data.Target):
        _, classes = discreet.data.labels.of_one_type(schema.target.classes)
        labels = {discreet.data.labels.canonical(label): label for label in classes}
        found["class_weight"] = {labels.get(label, label): weight for label, weight in found["class_weight"].items()}
    return found


def _read(setting: "discreet.estimators.model_kinds.Setting", text: str) -> Any:
    """The value that a text means. Raises a usage error for one that means none."""
    return quietly(lambda: setting.read(text), usage_error(f"{option_of(setting.name)} takes {setting.takes}; {text!r} was given"), InvalidInput)


def planned(kind: str, schema: "discreet.Schema", settings: Settings) -> "discreet.Certificate":
    """What a fit with these settings will promise and spend; raises whatever it would raise on any table. No real record has been read yet.

    What depends on the number of records is left to the fit itself, which also raises it before anything is spent.
    """
    from discreet.estimators.model_kinds import kind_named

    public, alpha = dict(settings), settings.get("alpha")
    if public["neighbours"] == "replace-one" and alpha is not None:
        if not (isinstance(alpha, float) and 0 < alpha < float("inf")):
            raise InvalidInput(f"alpha must be a positive finite number; {alpha!r} was given.")
        public["alpha"] = None
    if public["neighbours"] == "replace-one" and public.get("calibration") == "published" and kind_named(kind).set_name is not None:
        public["calibration"] = "tight"  # the noise that is printed grows with the number of records
    made = estimator_named(kind, schema, public, declared=True)
    several = {"targets": len(schema.answers)} if len(schema.answers) > 1 else {}
    certificate: discreet.Certificate = made.plan(features=schema.features, told_apart=schema.person is not None, **several)
    return certificate


def outlook_of(kind: str, schema: "discreet.Schema", settings: Settings) -> "discreet.mechanisms.learning.Outlook | None":
    """What to expect of a linear classifier beside one answer for everybody, from public numbers; None of other models, and without privacy."""
    found: discreet.mechanisms.learning.Outlook | None = estimator_named(kind, schema, settings, declared=True).outlook(features=schema.features)
    return found


def train(kind: str, schema: "discreet.Schema", settings: Settings, table: "discreet.EncodedTable | discreet.data.BlockTable") -> "discreet.Model":
    """Fit, and keep what may be published. `table` was encoded by `schema`, or its blocks are."""
    blocks = isinstance(table, discreet.data.BlockTable)
    with step("Fitting"):
        estimator = estimator_named(kind, schema, settings, declared=blocks).fit(table)
    if blocks:
        estimator.certificate_ = declared_by_schema(estimator.certificate_)
    return discreet.Model.from_estimator(estimator, schema)


def declared_by_schema(certificate: "discreet.Certificate") -> "discreet.Certificate":
    """The schema declares the classes of a table in blocks, as it does of one in memory."""
    from discreet.statements.base import by_schema

    return replace(certificate, declared=by_schema(certificate.declared))


@dataclass(frozen=True, kw_only=True)
class ModelFile:
    """The file of a model, and the page about it."""

    seed: Seed = None
    out: Annotated[File, "The model file to write."]
    report: Report = None
    overwrite: Annotated[bool, "Overwrite the model file if it exists."] = False

    def check(self, *sources: str | None) -> None:
        """Raise InvalidInput unless they could be written now; neither is read or the other one."""
        check_output(self.out, *sources, overwrite=self.overwrite)
        check_report(self.report, *sources, self.out, overwrite=self.overwrite)

    def outcome(
        self,
        model: "discreet.Model",
        subject: "discreet.display.reports.Subject",
        account: "discreet.ledger.Account | None",
        stated: dict[str, object],
        found: list[str],
        *,
        beside: "Sequence[tuple[Released, str, str]]" = (),
    ) -> Outcome:
        """Save the model and what was bought `beside` it (see `keep`), and say what was spent on it, what for, and what is left.

        The page is on `subject`, and `found` are further lines.
        """
        keep(model, "model", self.out, overwrite=self.overwrite, beside=beside)
        page = written_report(subject, self.report, account, name=self.out, overwrite=self.overwrite)
        with step("Checking the certificate"):
            verification = model.verify()
        document, paid, checked = receipt(model.certificate, verification, account)
        from discreet.estimators.intervals.released_noise import noise_share

        share = noise_share(model.certificate, model.weights)
        noisy = None if share is None else share.words
        guarantee = guarantee_of(model.certificate)
        spent = {"epsilon": guarantee["epsilon"], "delta": guarantee["delta"]}
        return Outcome(
            document={
                "model": self.out,
                "kind": model.kind,
                **stated,
                **document,
                "spent": spent,
                "mostly_noise": noisy is not None,
                "report": page.path,
            },
            lines=[
                *labelled(("Model", described(model))),
                *found,
                *paid,
                *labelled(("Careful", noisy), ("Written to", self.out), ("Report", page.path)),
            ],
            checked=checked,
            lost=[page.lost],
        )


def described(model: "discreet.Model") -> str:
    """A model in one line."""
    target, names = model.schema.target, [discreet.data.labels.canonical(label) for label in model.classes]
    if isinstance(target, discreet.data.NumberTargets):
        which = " and ".join(f"{part.column} from {part.lower:.10g} to {part.upper:.10g}" for part in target.parts)
    elif isinstance(target, discreet.data.NumberTarget):
        which = f"{discreet.data.targets.counted_or_not(target)} from {target.lower:.10g} to {target.upper:.10g}"
    elif model.made is not None:
        ends = ", ".join(f"{end:g}" for end in model.made.ends)
        which = f"{len(names)} classes in order: {quoted(names)}" if names else f"a time, whose periods end at {ends}"
    elif len(names) > 2:
        which = f"{len(names)} classes ({model.certificate.problem.get('scheme', 'softmax')}): {quoted(names)}"
    else:
        which = f"classes {quoted(names[:1])} (negative) and {quoted(names[1:])} (positive)"
    intercept = " and an intercept" if model.intercept_scale > 0 else ""
    return f"{model.kind.replace('-', ' ')}, {model.schema.features} features{intercept}, {which}"
