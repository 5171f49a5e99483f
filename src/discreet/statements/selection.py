"""The words of private searches and choices."""

from discreet.accounting import Json
from discreet.core.fields import count, finite, flag, positive, text, whole
from discreet.core.neighbours import ADD_REMOVE
from discreet.statements.base import (
    Fields,
    Hypothesis,
    Record,
    Words,
    among,
    certified_words,
    noise_hypothesis,
    read_fields,
    register_words,
    relation,
    relation_of,
)
from discreet.statements.constrained import mapping

EXPONENTIAL = "the exponential mechanism"
_CHOICE: Fields = {"rate": positive, "sensitivity": whole, "monotone": flag, "neighbours": relation}
_SETTING: Fields = {"setting": mapping, "mechanism": text, "parameters": mapping, "problem": mapping, "guarantee": mapping}


def _settings(value: Json) -> list[dict[str, Json]]:
    if not isinstance(value, list) or not value:
        raise TypeError
    for each in value:
        read_fields("candidates", mapping(each), _SETTING)
    return [mapping(each) for each in value]


def settings_words(candidates: Json) -> list[Words]:
    """Those of the fits of all settings. Raises ValueError where a setting's guarantee names another theorem."""
    found = []
    for each in _settings(candidates):
        found.append(certified_words(text(each["mechanism"]), mapping(each["parameters"]), mapping(each["problem"])))
        if mapping(each["guarantee"])["theorem"] != found[-1].theorem:
            raise ValueError(f"candidates: the theorem of {text(each['mechanism'])} should be {found[-1].theorem!r}")
    return found


def _of_settings(candidates: Json) -> tuple[Hypothesis, ...]:
    """The hypotheses of all fits, each once."""
    return tuple(dict.fromkeys(line for words in settings_words(candidates) for line in words.hypotheses))


def _exponential(parameters: Record, of_them: str = "") -> tuple[Hypothesis, ...]:
    monotone = flag(parameters["monotone"])
    if monotone and relation_of(parameters) is not ADD_REMOVE:
        raise ValueError("parameters: scores are monotone under add-remove only")
    together = ", all in one direction" if monotone else ""
    return (
        Hypothesis(
            required=f"the list of{of_them} candidates is public", enforced="by the caller: it is an argument, fixed before the records are read"
        ),
        Hypothesis(
            required=f"one record moves every score by at most {whole(parameters['sensitivity'])}{together}",
            enforced="by the caller, who declares the sensitivity; scores are integers, so nothing is rounded",
        ),
        noise_hypothesis(f"P(i) proportional to exp(-{positive(parameters['rate']):.10g} score_i), exactly (selection in integer arithmetic)"),
    )


@register_words("exponential-mechanism", parameters=_CHOICE, problem={"candidates": whole})
def _alone(parameters: Record, problem: Record) -> Words:
    return Words(EXPONENTIAL, _exponential(parameters, f" {whole(problem['candidates'])}"))


_PARTS: Fields = {**_CHOICE, "parts": whole, "in_blocks": flag, "chosen": count, "candidates": _settings}


@register_words("algorithm-4", parameters=_PARTS, problem=None)
def _algorithm_4(parameters: Record, problem: Record) -> Words:  # noqa: ARG001 - that of the chosen setting
    if whole(parameters["parts"]) != len(_settings(parameters["candidates"])) + 1:
        raise ValueError("parameters: a part for every setting and one for the choice are needed")
    order = (
        "uniformly random orders of the row numbers of each block"
        if parameters["in_blocks"] is True
        else "a uniformly random order of the row numbers"
    )
    how = "a fair die of its own for every record" if relation_of(parameters) is ADD_REMOVE else f"{order}, whose number is public"
    cut = Hypothesis(required="which part a record is in depends on no record", enforced=f"decided by {how}")
    theorem = f"{_settings_theorem(parameters)}; {EXPONENTIAL}; parallel composition"
    return Words(theorem, (cut, *_exponential(parameters), *_of_settings(parameters["candidates"])))


def _settings_theorem(parameters: Record) -> str:
    """The theorems of the fits, in their order, each once."""
    return "; ".join(dict.fromkeys(words.theorem for words in settings_words(parameters["candidates"])))


_STOPPING: Fields = {
    "eta": finite,
    "gamma": positive,
    "expected_runs": positive,
    "score_noise": among("discrete-laplace", "discrete-gaussian"),
    "score_scale": positive,
    "neighbours": relation,
}
_SEARCH: Fields = {**_STOPPING, "fit_epsilon": positive, "fit_delta": finite, "chosen": count, "score": finite, "candidates": _settings}


@register_words("random-stopping", parameters=_SEARCH, problem=None)
def _random_stopping(parameters: Record, problem: Record) -> Words:  # noqa: ARG001 - that of the chosen setting
    eta, gamma, runs = finite(parameters["eta"]), positive(parameters["gamma"]), positive(parameters["expected_runs"])
    own = (
        Hypothesis(required="the settings are public", enforced="arguments of the search, fixed before the records are read"),
        Hypothesis(
            required="every run has the guarantee of its setting that is recorded here, and runs are independent",
            enforced="each fit draws noise of its own; its certificate is compared with the one planned, before its score is looked at",
        ),
        Hypothesis(
            required=f"one record moves the number of correct records by at most 1 ({relation_of(parameters)})",
            enforced="a model decides on each record by itself, and the score counts every record once",
        ),
        Hypothesis(
            required=f"the number of runs is secret, and its law is that of eta = {eta:.10g} and gamma = {gamma:.10g}, {runs:.6g} runs expected",
            enforced="drawn exactly, in integer arithmetic, and kept nowhere; the time of a search shows it: do not let strangers measure it",
        ),
        noise_hypothesis(f"{text(parameters['score_noise'])} of scale {positive(parameters['score_scale']):.10g} on every score, exactly"),
    )
    laplace = parameters["score_noise"] == "discrete-laplace"
    score = f"a count with discrete {'Laplace' if laplace else 'Gaussian'} noise; {'basic' if laplace else 'numerical'} composition"
    theorem = f"{_settings_theorem(parameters)}; settings drawn at random; {score}; selection by random stopping"
    return Words(theorem, (*own, *_of_settings(parameters["candidates"])), secret=("the number of runs",))
