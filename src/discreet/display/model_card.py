"""Model cards in the form of Mitchell et al. (2019, "Model Cards for Model Reporting"): nine sections, from public facts only.

What a model file cannot know (who made it, what for, for whom it is not meant) is marked as to be filled in by whoever publishes the model.
"""

from collections.abc import Sequence

from discreet.certificates import Verification
from discreet.core.neighbours import ADD_REMOVE
from discreet.data.columns import DateColumn, NumericColumn
from discreet.data.labels import canonical
from discreet.data.row_lengths import length_words
from discreet.data.targets import counted_or_not
from discreet.display.certificates import chosen_bounds, software
from discreet.display.estimators import target_words
from discreet.display.evaluation import measures
from discreet.display.pages import FOOT, Block, Bullets, Facts, Page, Section, Table, Text, Tone
from discreet.display.promise import limits, odds_table, promise, stated
from discreet.estimators import Model
from discreet.evaluation import PrivateEvaluation

_TO_FILL = "To be filled in by the publisher of the model:"
_MOST = 40
"""Columns that are listed."""


def card_page(model: Model, verification: Verification, *, evaluation: PrivateEvaluation | None = None) -> Page:
    """The card as a page of its own, with the nine sections in the order of the paper."""
    sections: dict[str, Sequence[Block]] = {
        "Model details": [_details(model)],
        "Intended use": _asked("primary intended uses", "primary intended users", "uses that are out of scope"),
        "Factors": _factors(model),
        "Metrics": [_metrics(model)],
        "Evaluation data": _evaluated(evaluation),
        "Training data": _trained(model),
        "Quantitative analyses": measures(evaluation) if evaluation is not None else [Text("None were given.")],
        "Ethical considerations": _ethics(model, verification),
        "Caveats and recommendations": [*limits(model.certificate).blocks, *_caveats(model)],
    }
    return Page(f"Model card: {model.schema.name}", [], [Section(title, blocks) for title, blocks in sections.items()], FOOT)


def _details(model: Model) -> Facts:
    certificate = model.certificate
    one = "a time" if model.made else counted_or_not(model.schema.target)
    answers = f"one of the classes {', '.join(map(canonical, model.classes))}" if model.classes else one
    kind = {"linear-svc": "linear support vector classifier"}.get(model.kind, model.kind.replace("-", " "))
    loss = certificate.problem.get("loss")
    rows = [
        ("Kind", f"{kind}, {len(model.weights):,} weights"),
        ("Answers", f"{answers}; {'probabilities too' if model.has_probabilities else 'no probabilities'}"),
        ("Loss", loss if isinstance(loss, str) else "not stated"),
        ("Training algorithm", f"{certificate.mechanism} ({certificate.guarantee.theorem})"),
        ("Privacy", _privacy(model)),
        ("Software", software(certificate.version)),
        ("Digest of the weights (SHA-256)", certificate.digest),
    ]
    return Facts("The model", [*rows, ("Date, owner, licence, contact", "to be filled in")])


def _privacy(model: Model) -> str:
    certificate = model.certificate
    named = stated(certificate.guarantee)
    if named is None:
        return "none"
    said = f"epsilon {named[0]:.6g}, delta {named[1]:.3g}, {certificate.guarantee.neighbours}, one {certificate.guarantee.unit}"
    return said if certificate.noise_private else f"none, since the noise was seeded ({said} without the seed)"


def _asked(*questions: str) -> list[Block]:
    return [Text(_TO_FILL), Bullets([f"{question}: ..." for question in questions])]


def _factors(model: Model) -> list[Block]:
    schema = model.schema
    listed = [(one.name, "number", f"{one.lower:g} to {one.upper:g}{_encoded(one)}") for one in schema.numeric]
    listed += [(one.name, "date", f"{one.lower} to {one.upper}{_encoded(one)}") for one in schema.date]
    listed += [(one.name, "category", ", ".join(canonical(value) for value in one.categories[:12])) for one in schema.categorical]
    listed += [(one.name, "cross", " and ".join(one.columns)) for one in schema.cross]
    more = f", of which {_MOST} are listed" if len(listed) > _MOST else ""
    table = Table(f"The {len(listed)} columns that the model reads{more}", ("Column", "Kind", "Public range or values"), listed[:_MOST])
    return [table, *_asked("groups of people for whom the model may work less well", "how that was examined")]


def _encoded(column: NumericColumn | DateColumn) -> str:
    """By what curve, bins and the like, where it is not as it is."""
    return "" if column.plain else f", as {' and '.join(one.name for one in column.encoding)}"


_COST = "Each measurement of it on private records is another release, with its own budget."


def _metrics(model: Model) -> Text:
    if model.made is not None:
        answer = "the median class" if model.classes else "the mean time up to the last end, and with the chances to reach every end"
        return Text(f"The model answers with {answer}. {_COST}")
    answers = {0: "the number itself", 2: "the second class where the decision is positive"}
    answer = answers.get(len(model.classes), "the class with the larger decision value")
    return Text(f"The model answers with {answer}. {_COST}")


def _evaluated(evaluation: PrivateEvaluation | None) -> list[Block]:
    if evaluation is None:
        return [Text("No evaluation was given. `discreet evaluate` measures the model, exactly on public records or privately on others.")]
    count = f"{evaluation.records:,.0f}" + ("" if evaluation.records_error == 0 else f" (with noise, within {evaluation.records_error:,.0f})")
    said = f"{count} private {evaluation.counted.lower()} of the same kind, measured under differential privacy."
    words = f"{said} These numbers cannot show whether the model was fitted on the same records."
    return [Text(words), *_asked("where these records come from, and why they were chosen")]


def _trained(model: Model) -> list[Block]:
    certificate = model.certificate
    records = certificate.problem.get("records")
    secret = certificate.guarantee.neighbours is ADD_REMOVE
    count = f"{records:,}" if isinstance(records, int) else "not published" if secret else "not stated"
    rows = [
        (certificate.guarantee.unit.counted.capitalize(), count),
        ("Target", target_words(model.schema.target)),
        ("Features after encoding", f"{model.schema.features:,}"),
        ("Row norm, at most", f"{model.data_norm:g}; rows are {length_words(model.schema)}, and longer ones shortened to it"),
        ("Ranges and categories", _origin(model)),
    ]
    return [
        Facts("What is public about the records", rows),
        *_asked("who is in the table, how and when it was collected, with which consent"),
    ]


def _origin(model: Model) -> str:
    owner = "written down by the data's owner, not learnt from the records"
    chosen = chosen_bounds(model.schema, what="this model")
    return owner if chosen is None else f"{owner}, but for some bounds. {chosen}"


def _ethics(model: Model, verification: Verification) -> list[Block]:
    certificate = model.certificate
    private = [block for block in promise(certificate, what="this model") if isinstance(block, Text)]
    checked = Text("The certificate was checked when this card was written.", Tone.GOOD)
    verdict = checked if verification.ok else Text("The certificate does not hold.", Tone.BAD)
    table = [] if stated(certificate.guarantee) is None else [odds_table(certificate.guarantee)]
    return [*private, *table, verdict, *_asked("what harm a wrong answer does, and to whom")]


def _caveats(model: Model) -> list[Block]:
    words = (
        "Noise affects small groups most: a private model that is accurate on average may be poor for people of whom there are few. "
        "Measure it for them; each measurement has its own budget."
    )
    return [Text(words)] if model.certificate.guarantee.delta(0.0) < 1 else []
