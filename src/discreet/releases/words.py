"""What a release protects and what it does not, and how to use it, in plain words: functions of its certificate and of how it was made."""

import math
from collections.abc import Mapping

from discreet.accounting import ApproximateDP, CramerRaoBound, Guarantee, Json, MutualInformation, NoGuarantee, PureDP, Unit
from discreet.accounting.base import Statement
from discreet.certificates import Certificate
from discreet.core.neighbours import ADD_REMOVE
from discreet.queries import Target
from discreet.releases.methods import Method
from discreet.releases.methods.columns import Kind
from discreet.statements.base import persons_of

SEEDED = (
    "Nothing: the noise came from a seed, so whoever knows or guesses the seed subtracts it. Treat the release like the records themselves, "
    "and release again without a seed."
)


def protects(certificate: Certificate) -> list[str]:
    """Who is protected from whom, and how well."""
    guarantee = certificate.guarantee
    if isinstance(guarantee, NoGuarantee):
        return [f"Nothing: {guarantee.theorem}."]
    if not certificate.noise_private:
        return [SEEDED]
    lines = [f"{_UNITS[guarantee.unit]}, from everyone who sees the release, even from one who knows all other records."]
    match guarantee:
        case PureDP(epsilon=epsilon):
            lines.append(_likelier(guarantee, epsilon, 0.0))
        case ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta):
            lines.append(_likelier(guarantee, epsilon, delta))
        case MutualInformation(bits=bits):
            lines.append(
                f"On average over outcomes the release tells at most {bits:.6g} bits about it, whatever was known before. "
                f"A coin could be guessed right with a probability of up to {_guess(bits):.3g} instead of 0.5."
            )
        case CramerRaoBound():
            lines.append(f"Unbiased estimates of it have a mean squared error of at least {guarantee.unbiased_mse:.6g}.")
        case _:
            lines.append(f"At epsilon = 1 its delta is {guarantee.delta(1.0):.3g}.")
    if guarantee.neighbours is ADD_REMOVE:
        lines.append(f"The number of {guarantee.unit.counted}: it is protected too (add-remove).")
    if isinstance(guarantee, Statement) and guarantee.local:
        lines.append("Every owner randomised their own record: nobody else ever held it.")
    if isinstance(guarantee, Statement) and guarantee.secret:
        lines.append(f"This holds while these stay secret: {', '.join(guarantee.secret)}. They were drawn inside the run and kept nowhere.")
    return lines


def exposes(certificate: Certificate, method: Method, target: Target) -> list[str]:
    """What is not protected."""
    guarantee, sketched, slots = certificate.guarantee, method.kind in (Kind.SKETCH, Kind.MOMENTS), certificate.parameters.get("slots")
    lines = [method.shows_all] if method.shows_all else []
    if target is Target.CLEAR:
        lines.append("Targets: they are sketched without noise." if sketched else "Targets: they are released as they are.")
    if guarantee.neighbours is not ADD_REMOVE:
        many = guarantee.unit.counted if guarantee.unit is Unit.PERSON else "records"
        hidden = "the sketch does not" if sketched else "released rows do not"
        known = f"it is taken as known (replace-one), though {hidden} show it" if sketched or slots else "one row is released for each"
        known = "it is taken as known (replace-one)" if method.kind is Kind.MOMENTS else known
        lines.append(f"The number of {many}: {known}.")
    if slots:
        rows = "rows of persons that were kept" if guarantee.unit is Unit.PERSON else "records"
        lines.append(f"That there are at most {slots} {rows}: so many rows are released, some of them noise alone.")
    if guarantee.unit is Unit.ENTRY and not isinstance(guarantee, NoGuarantee):
        lines.append("Whole records: what is promised is for single numbers, and those of one record add up.")
    if guarantee.unit is not Unit.PERSON and not isinstance(guarantee, NoGuarantee):
        lines.append("Persons with several records: what is promised is for one record, and what those of one person are promised adds up.")
    if isinstance(guarantee, MutualInformation):
        lines.append("Single outcomes: bits are an average, and one release may tell more. They are not a small delta.")
    if method.exposes:
        lines.append(method.exposes)
    lines.append("What the records have in common: averages and relations between columns may be learned. That is what a release is for.")
    lines.append("Other releases about the same people: what is promised of each adds up. Keep a ledger.")
    return lines


def short(guarantee: Guarantee) -> str:
    """The guarantee in a few signs."""
    match guarantee:
        case NoGuarantee():
            return "none: nothing is promised"
        case ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta):
            numbers = f"epsilon {epsilon:.6g}, delta {delta:.3g}"
        case MutualInformation(bits=bits):
            numbers = f"{bits:.6g} bits"
        case _:
            numbers = ", ".join(f"{key} {value}" for key, value in guarantee.to_dict().items() if isinstance(value, float))
    local = ", local" if isinstance(guarantee, Statement) and guarantee.local else ""
    return f"{numbers}, {guarantee.neighbours}, one {guarantee.unit}{local}"


def usage(certificate: Certificate, method: Method, target: Target) -> list[str]:
    """A snippet for the user of the release."""
    lines = ["from discreet.releases import read_release", 'release = read_release("FOLDER")  # this folder']
    if not method.has_public_noise(certificate.mechanism):
        return [*lines, "values = release.values()  # for comparison only: no estimator can correct for noise of unknown size"]
    weighted = ", those of one person weighted to add up to one" if persons_of(certificate.problem).several else ""
    lines += ["release.verify().require()", *(line.format(weighted=weighted) for line in _READING[method.kind])]
    mixed = method.kind is Kind.PROJECTED_ROWS and target is Target.NOISY and "beside" not in certificate.problem
    if names := None if mixed else _CONSUMERS.get((method.kind, target)):
        lines += [] if method.kind is Kind.MOMENTS else ["y = release.targets()"]
        lines.append(f"from discreet.consumers import {', '.join(names)}  # they know the noise and correct for it")
        # With the number of rows secret, rows of noise alone among them say nothing about a mean.
        hidden = method.kind in (Kind.ROWS, Kind.PROJECTED_ROWS) and certificate.parameters.get("slots") is not None
        lines.append(f"model = {names[0]}({'fit_intercept=False' if hidden else ''}).fit_release(release)")
    return lines


def in_words(certificate: Certificate, method: Method, target: Target) -> dict[str, list[Json]]:
    """What is said of every release, in its manifest and wherever people read about it."""
    return {
        "protects": [*protects(certificate)],
        "does_not_protect": [*exposes(certificate, method, target)],
        "how_to_use": [*usage(certificate, method, target)],
    }


def _likelier(guarantee: Guarantee, epsilon: float, delta: float) -> str:
    factor = f"{math.exp(epsilon):.3g}" if epsilon < 300 else "10^130"
    change = "is added or removed" if guarantee.neighbours is ADD_REMOVE else "is replaced by any other"
    it = "a person" if guarantee.unit is Unit.PERSON else "it"
    exception = f"but for a probability of {delta:.3g}" if delta else "without exception"
    return f"Whatever anyone may conclude gets at most {factor} times (e^{epsilon:.4g}) likelier when {it} {change}, {exception}."


def _guess(bits: float) -> float:
    """How often a coin with these bits about it may be guessed right: 1 - h2(p) = bits."""
    low, high = 0.5, 1.0
    if bits >= 1:
        return 1.0
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        known = 1.0 + middle * math.log2(middle) + (1.0 - middle) * math.log2(1.0 - middle)
        low, high = (middle, high) if known < bits else (low, middle)
    return high


_UNITS = {
    Unit.RECORD: "Each whole record",
    Unit.FEATURES: "The features of each record (not its target)",
    Unit.ENTRY: "Each single number of a record",
    Unit.PERSON: "Each person, with all of their rows",
}
_READING = {
    Kind.SKETCH: (
        "S, k = release.values(), release.sketch_rows",
        "second_moments = S.T @ S / k - release.noise_covariance  # unbiased for the sum of z z' over records z{weighted}",
    ),
    Kind.MOMENTS: (
        "M = release.values()  # sums of products of two columns, of which the first is 1; M[0, 0] is the number of records{weighted}",
        "N = release.noise_covariance  # the noise on M[i, j] has the variance N[i, i] N[j, j], twice that where i is j",
    ),
    Kind.PROJECTED_ROWS: ("projected = release.features()  # records times release.projection, plus noise of release.noise_covariance",),
    Kind.ROWS: ("X = release.features()  # encoded records plus noise of release.noise_covariance; release.frame() is in the columns' own units",),
}
_CONSUMERS = {
    (Kind.MOMENTS, Target.NOISY): ["MomentsRidge"],
    (Kind.ROWS, Target.NOISY): ["NoisyRidge"],
    (Kind.ROWS, Target.CLEAR): ["NoisyRidge", "NoisyLogisticRegression", "NoisyLinearSVC"],
    (Kind.PROJECTED_ROWS, Target.NOISY): ["ProjectedRidge", "ProjectedNearestMeans"],
    (Kind.PROJECTED_ROWS, Target.CLEAR): ["ProjectedRidge", "ProjectedLogisticRegression", "ProjectedLinearSVC", "ProjectedNearestMeans"],
    (Kind.SKETCH, Target.NOISY): ["SketchRidge"],
    (Kind.SKETCH, Target.CLEAR): ["SketchRidge"],
}
"""What trains on a release that has its targets."""


_SHOWN = 8


def some(names: list[str]) -> str:
    """The first names of columns."""
    return ", ".join(names[:_SHOWN]) + ("" if len(names) <= _SHOWN else f" and {len(names) - _SHOWN} more")


def inspected(certificate: Certificate, what: list[str], words: Mapping[str, list[Json]]) -> list[tuple[str, list[str]]]:
    """What a release is, then `words`, for people: (heading, lines) in the order in which they matter."""
    promise = f"Guarantee: {short(certificate.guarantee)}{'' if certificate.noise_private else ' (NOT VALID: seeded noise)'}"
    titles = ("It protects", "It does not protect", "How to use it")
    said = [[str(line) for line in lines] for lines in words.values()]
    return [("What it is", [*what, promise]), *zip(titles, said, strict=True)]
