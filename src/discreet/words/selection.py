"""The words of private searches and choices."""

from collections.abc import Iterable

from discreet.accounting import Json, Unit
from discreet.core.fields import count, finite, flag, positive, text, whole
from discreet.core.neighbours import ADD_REMOVE
from discreet.statements.base import (
    SCORES_WITH_FIT,
    Fields,
    Hypothesis,
    Record,
    Words,
    among,
    condition,
    filled,
    mapping,
    noise_hypothesis,
    persons_of,
    read_fields,
    register_words,
    relation,
    relation_of,
    scored_persons,
)
from discreet.words import certified_words
from discreet.words.counting import WHOLE
from discreet.words.learning import target_units

EXPONENTIAL = "the exponential mechanism"
_CHOICE: Fields = {"rate": positive, "sensitivity": whole, "monotone": flag, "neighbours": relation}
_PART: Fields = {"mechanism": text, "parameters": mapping, "problem": mapping, "guarantee": mapping}
_SETTING: Fields = {"setting": mapping, **_PART}
RIGHT, ABSOLUTE, SQUARED, LOG_LOSS = "right-answers", "absolute-error", "squared-error", "log-loss"
"""What a score counts: records whose class is predicted, how near predicted numbers are, or how probable what is known of a time was."""
_NUMBERS: Fields = {"scored": among(ABSOLUTE, SQUARED), "error_bound": positive, "target_lower": finite, "target_upper": finite}
_TIMES: Fields = {"scored": among(LOG_LOSS), "error_bound": positive}
"""Of a search over regressions."""
_SEVERAL: Fields = {"score_units": lambda stated: target_units({"target_units": stated})}
"""Of several targets."""
_FITS = (
    "objective-perturbation-",
    "output-perturbation-",
    "multinomial-perturbation-",
    "one-vs-rest-",
    "least-squares-",
    "frank-wolfe-",
    "mirror-descent",
    "prediction-",
    "targets-",
    SCORES_WITH_FIT,
)
"""How the names of mechanisms that fit linear models begin."""


def _settings(value: Json) -> list[dict[str, Json]]:
    settings = [mapping(each) for each in filled(value)]
    for each in settings:
        read_fields("candidates", each, _SETTING)
    return settings


def _words_of_part(part: Record) -> Words:
    """Those of one of several releases under one guarantee, which is of records, or of persons, and of the holder of the table.

    Raises ValueError where its own guarantee states anything but them, or where it is of another unit, or local.
    """
    name = text(part["mechanism"])
    words = certified_words(name, mapping(part["parameters"]), mapping(part["problem"]))
    stated = mapping(part["guarantee"])
    if stated["theorem"] != words.theorem:
        raise ValueError(f"the theorem of {name} should be {words.theorem!r}")
    if stated["unit"] != str(words.unit) or stated.get("local", False) is not words.local or stated.get("secret", []) != list(words.secret):
        raise ValueError(f"the guarantee of {name} states another unit, another holder or other secrets than its mechanism")
    if words.unit not in (Unit.RECORD, Unit.PERSON) or words.local:
        raise ValueError(f"{name} is no part of a guarantee of whole records by the holder of the table")
    return words


def _unit_of(parts: Iterable[Record], problem: Record) -> Unit:
    """Of a guarantee with these parts, of which each says the same of persons. Raises ValueError where one says another thing."""
    whose = problem.get("persons")
    # A record that a fit makes several rows of is one row of whatever else it is asked for.
    same = (whose, scored_persons(problem).to_dict()) if "made_rows" in problem else (whose,)
    if any(mapping(part["problem"]).get("persons") not in same for part in parts):
        raise ValueError("problem: the parts of one guarantee are about the same persons, or all of them about records")
    return Unit.RECORD if whose is None else Unit.PERSON


def _words_of_fit(part: Record) -> Words:
    """The same, of a fit of a linear model. Raises ValueError for any other mechanism."""
    if not text(part["mechanism"]).startswith(_FITS):
        raise ValueError(f"{text(part['mechanism'])[:40]!r} fits no linear model")
    return _words_of_part(part)


def _of_settings(candidates: Json) -> tuple[str, tuple[Hypothesis, ...], tuple[str, ...]]:
    """The theorems of the fits in their order, their hypotheses and their secrets, each once."""
    words = [_words_of_fit(each) for each in _settings(candidates)]
    lines = dict.fromkeys(line for each in words for line in each.hypotheses)
    secrets = dict.fromkeys(secret for each in words for secret in each.secret)
    return _joined(*(each.theorem for each in words)), tuple(lines), tuple(secrets)


def _joined(*theorems: str) -> str:
    """As guarantees join them: each name once."""
    return "; ".join(dict.fromkeys(name for each in theorems for name in each.split("; ")))


def _scores_numbers(parameters: Record, fields: Fields) -> str:
    """How a record counts where numbers, or times, are predicted; "" for classes. Raises ValueError as `read_fields` does."""
    kind = parameters.get("scored")
    several = _SEVERAL if "score_units" in parameters else {}
    more = _TIMES if kind == LOG_LOSS else {} if "scored" not in parameters else {**_NUMBERS, **several}
    read_fields("parameters", parameters, {**fields, **more})
    if "scored" not in parameters:
        return ""
    if kind == LOG_LOSS:
        said = f"minus the logarithm of how probable what is known of its time was, over {finite(parameters['error_bound']):.10g}, cut at 1"
        return f"; a record counts 1 less {said}, in whole parts of 1 / {WHOLE}"
    error = "its error" if parameters["scored"] == ABSOLUTE else "the square of its error"
    bound, lower, upper = (finite(parameters[name]) for name in ("error_bound", "target_lower", "target_upper"))
    bounds = f"over {bound:.10g}, cut at 1, for targets brought between {lower:.10g} and {upper:.10g}"
    units = target_units({"target_units": parameters.get("score_units", [])})
    mean = f", the mean over targets in units of {', '.join(f'{unit:.10g}' for unit in units)}, rounded down" if units else ""
    return f"; a record counts 1 less {error} {bounds}, in whole parts of 1 / {WHOLE}{mean}"


_SHARED_SCORES = (
    f"; rows of persons count in parts of 1 / {WHOLE}, as many as their weight allows, rounded down; which rows count is drawn once, for all scores, "
    "and anew in every fit"
)


def _exponential(parameters: Record, of_them: str = "", more: str = "") -> tuple[Hypothesis, ...]:
    monotone = flag(parameters["monotone"])
    if monotone and relation_of(parameters) is not ADD_REMOVE:
        raise ValueError("parameters: scores are monotone under add-remove only")
    return (
        condition(f"the list of{of_them} candidates is public", "by the caller: it is an argument, fixed before the records are read"),
        condition(
            "one record moves every score by at most {sensitivity}" + (", all in one direction" if monotone else ""),
            "by the caller, who declares the sensitivity; scores are integers, so nothing is rounded" + more,
            parameters,
        ),
        noise_hypothesis("P(i) proportional to exp(-{rate:.10g} score_i), exactly (selection in integer arithmetic)", parameters),
    )


@register_words("exponential-mechanism", parameters=_CHOICE, problem={"candidates": whole})
def _alone(parameters: Record, problem: Record) -> Words:
    return Words(EXPONENTIAL, _exponential(parameters, f" {whole(problem['candidates'])}"))


_PARTS: Fields = {**_CHOICE, "parts": whole, "in_blocks": flag, "chosen": count, "candidates": _settings}


@register_words("algorithm-4", parameters=None, problem=None)
def _algorithm_4(parameters: Record, problem: Record) -> Words:
    numbers = _scores_numbers(parameters, _PARTS)
    if whole(parameters["parts"]) != len(_settings(parameters["candidates"])) + 1:
        raise ValueError("parameters: a part for every setting and one for the choice are needed")
    of_blocks = parameters["in_blocks"] is True
    unit, rule = _unit_of(_settings(parameters["candidates"]), problem), scored_persons(problem)
    told = unit is Unit.PERSON and rule.told_apart
    order = "uniformly random orders of the row numbers of each block" if of_blocks else "a uniformly random order of the row numbers"
    die = relation_of(parameters) is ADD_REMOVE
    how = (
        "a fair die of its own for every record" if die else f"{'a uniformly random order of the persons' if told else order}, whose number is public"
    )
    whole_persons = "; all rows of a person are in one part" if told else ""
    cut = condition("which part a record is in depends on no record", f"decided by {how}{whole_persons}")
    theorems, hypotheses, secrets = _of_settings(parameters["candidates"])
    choice = _exponential(parameters, more=numbers + (_SHARED_SCORES if rule.several else ""))
    return Words(_joined(theorems, EXPONENTIAL, "parallel composition"), (cut, *choice, *hypotheses), unit=unit, secret=secrets)


_SEARCH: Fields = {
    "eta": finite,
    "gamma": positive,
    "expected_runs": positive,
    "score_noise": among("discrete-laplace", "discrete-gaussian"),
    "score_scale": positive,
    "neighbours": relation,
    "fit_epsilon": positive,
    "fit_delta": finite,
    "chosen": count,
    "score": finite,
    "candidates": _settings,
}
_STOPPING = (
    ("the settings are public", "arguments of the search, fixed before the records are read"),
    (
        "every run has the guarantee of its setting that is recorded here, and runs are independent",
        "each fit draws noise of its own; its certificate is compared with the one planned, before its score is looked at",
    ),
    (
        "one record moves the number of correct records by at most 1 ({neighbours})",
        "a model decides on each record by itself, and the score counts every record once",
    ),
    (
        "the number of runs is secret, and its law is that of eta = {eta:.10g} and gamma = {gamma:.10g}, {expected_runs:.6g} runs expected",
        "drawn exactly, in integer arithmetic, and kept nowhere; the time of a search shows it: do not let strangers measure it",
    ),
)

_COUNTED = 2
"""The place of what a score counts."""


@register_words("random-stopping", parameters=None, problem=None)
def _random_stopping(parameters: Record, problem: Record) -> Words:
    more = _scores_numbers(parameters, _SEARCH)
    more += _SHARED_SCORES if scored_persons(problem).several else ""
    own = [condition(required, enforced + (more if place == _COUNTED else ""), parameters) for place, (required, enforced) in enumerate(_STOPPING)]
    noise = noise_hypothesis("{score_noise} of scale {score_scale:.10g} on every score, exactly", parameters)
    laplace = parameters["score_noise"] == "discrete-laplace"
    score = f"a count with discrete {'Laplace' if laplace else 'Gaussian'} noise; {'basic' if laplace else 'numerical'} composition"
    theorems, hypotheses, secrets = _of_settings(parameters["candidates"])
    theorem = _joined(theorems, "settings drawn at random", score, "selection by random stopping")
    unit = _unit_of(_settings(parameters["candidates"]), problem)
    return Words(theorem, (*own, noise, *hypotheses), unit=unit, secret=(*secrets, "the number of runs"))


def _part(value: Json) -> dict[str, Json]:
    part = mapping(value)
    read_fields("part", part, _PART)
    return part


def _norm(value: Json) -> float | None:
    return None if value is None else positive(value)


_TOTAL: Fields = {"neighbours": relation, "epsilon": positive, "delta": finite, "fit": _part}
_DRAWN_TWICE = condition(
    "which rows of a person the fit keeps depends on no draw that was made for the cuts",
    "rows of persons are drawn twice, independently: for the cuts, and anew for the fit (cuts.md, theorem 2)",
)


@register_words("cuts-then-fit", parameters={**_TOTAL, "cuts": _part}, problem=None)
def _cuts_then_fit(parameters: Record, problem: Record) -> Words:
    same = condition(
        "the guarantee of the fit is the same whatever the cuts are",
        "cuts are chosen from the noisy counts alone, as many for any counts; the certificate of the fit is compared with the one planned",
    )
    return _then_fit("cuts", (same, *_of_persons(_DRAWN_TWICE, problem)), parameters, problem)


@register_words("norm-then-fit", parameters={**_TOTAL, "norm": _part, "data_norm": _norm}, problem=None)
def _norm_then_fit(parameters: Record, problem: Record) -> Words:
    norm = _norm(parameters["data_norm"])
    same = condition(
        "the guarantee of the fit is the same whatever norm is chosen" + ("" if norm is None else f", here {norm:.10g}"),
        "rows are divided by that norm, a power of two, and shortened to norm 1; the certificate of the fit is compared with the one planned",
    )
    return _then_fit("norm", (same,), parameters, problem)


_DRAWN_FOR_SCORES = condition(
    "which rows of a person the counts keep depends on no draw that was made for the fit",
    "rows of persons are drawn twice, independently: for the fit, and anew for the counts (scores.md)",
)
_ROWS_READ_TWICE = condition(
    "which rows of a person the curvature keeps depends on no draw that was made for the fit",
    "rows of persons are drawn twice, independently: for the fit, and anew for the curvature (curvature.md, theorem 2)",
)


@register_words("curvature-with-fit", parameters={**_TOTAL, "curvature": _part}, problem=None)
def _curvature_with_fit(parameters: Record, problem: Record) -> Words:
    same = condition(
        "the guarantee of the curvature is the same at whatever weights the fit releases",
        "its noise follows the problem of the fit, which is public; the certificate of the fit is compared with the one planned",
    )
    return _then_fit("curvature", (same, *_of_persons(_ROWS_READ_TWICE, problem)), parameters, problem)


def _shift(value: Json) -> Json:
    """One number, or one for each class."""
    return [finite(one) for one in filled(value)] if isinstance(value, list) else finite(value)


_SHRUNK: Fields = {"slope": finite, "shift": _shift}


@register_words("scores-with-fit", parameters=None, problem=None)
def _scores_with_fit(parameters: Record, problem: Record) -> Words:
    known = any(name in parameters for name in _SHRUNK)
    read_fields("parameters", parameters, {**_TOTAL, "scores": _part, **(_SHRUNK if known else {})})
    same = condition(
        "the guarantee of the counts is the same at whatever weights the fit releases",
        "a record is in one bin, found from it and the released weights alone; the certificate of the fit is compared with the one planned",
    )
    shift = parameters.get("shift")
    more = ", ".join(f"{finite(one):.10g}" for one in (filled(shift) if isinstance(shift, list) else [shift])) if known else ""
    shrunk = f"times {{slope:.10g}}, and {more} more in every decision" if known else "shrunk and moved"
    after = condition(
        f"the value is the released weights {shrunk}",
        "these numbers follow from the noisy counts and the released weights alone (scores.md, theorem)",
        parameters,
    )
    told = "persons" in problem and persons_of(problem).told_apart
    return _then_fit("scores", (same, after, _DRAWN_FOR_SCORES) if told else (same, after), parameters, problem)


def _of_persons(drawn: Hypothesis, problem: Record) -> tuple[Hypothesis, ...]:
    """How rows are drawn, where persons are told apart."""
    return (drawn,) if "persons" in problem and scored_persons(problem).told_apart else ()


def _then_fit(name: str, own: tuple[Hypothesis, ...], parameters: Record, problem: Record) -> Words:
    """Of a choice, the part of this name, and a fit on what was chosen; `own` are the conditions of such a pair."""
    if _part(parameters["fit"])["problem"] != dict(problem):
        raise ValueError("the problem is not that of the fit")
    choice, fit = _words_of_part(_part(parameters[name])), _words_of_fit(_part(parameters["fit"]))
    paid = condition(
        "the total is paid for before anything is drawn: epsilon = {epsilon:.10g}, delta = {delta:.10g}",
        "one reservation of the total around both draws; a fit that fails has been paid for",
        parameters,
    )
    theorem = _joined(choice.theorem, fit.theorem, f"{'basic' if finite(parameters['delta']) == 0 else 'numerical'} composition")
    unit = _unit_of((_part(parameters[name]), _part(parameters["fit"])), problem)
    lines = (*own, paid, *dict.fromkeys((*choice.hypotheses, *fit.hypotheses)))
    return Words(theorem, lines, declared=fit.declared, unit=unit, secret=(*choice.secret, *fit.secret))
