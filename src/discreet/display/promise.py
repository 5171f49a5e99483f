"""What was protected, against whom and how well, in plain words, with what the guarantee does not say; and chances that a reader can weigh.

Let P and P' be the laws of what was released under two neighbours, and delta(e) the curve of the guarantee.

    best guess     which of the two it was, at even odds: right with probability at most (1 + delta(0)) / 2, whatever is computed from the release,
                   since delta(0) bounds the total variation distance, and no test does better
    detection      a test that gives false alarms with probability a detects with probability at most
                   min over e >= 0 of min(1, e^e a + delta(e), 1 - e^-e (1 - a - delta(e)))
                   (P(S) <= e^e P'(S) + delta(e) for the event and, with the roles of P and P' exchanged, for its complement)
    conviction     from probability p before to at most e^e p / (1 - p + e^e p) after, for (e, 0); for (e, delta) up to a probability delta that it
                   fails: the release can be computed from one that reveals all with probability delta, and else is (e, 0)
                   (Kairouz, Oh, Viswanath 2015, theorem 3.1 with section 3)

All numbers are upper bounds and are rounded up.
"""

import math
from collections.abc import Iterator, Sequence

from discreet.accounting import ApproximateDP, CramerRaoBound, Guarantee, MutualInformation, NoGuarantee, PureDP, Unit
from discreet.accounting.base import Statement
from discreet.certificates import Certificate
from discreet.core.neighbours import ADD_REMOVE
from discreet.display.pages import Block, Bullets, Facts, Section, Text, Tone

_GRID = 160
_WEAK, _EMPTY = 3.0, 8.0
"""From here on an epsilon deserves a warning."""
_LARGE_DELTA = 1e-4
_FARTHEST = 12.0


def stated(guarantee: Guarantee) -> tuple[float, float] | None:
    """The point (epsilon, delta) that the guarantee names, if it names one."""
    match guarantee:
        case PureDP(epsilon=epsilon):
            return epsilon, 0.0
        case ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta):
            return epsilon, delta
        case _:
            return None


def best_guess(guarantee: Guarantee) -> float:
    """Largest probability to guess right which of two neighbours it was, each being as likely as the other."""
    return 0.5 * (1.0 + min(1.0, guarantee.delta(0.0)))


def curve(guarantee: Guarantee, farthest: float) -> tuple[tuple[float, float], ...]:
    """Points (epsilon, delta) of the curve from 0 to `farthest`."""
    epsilons = [farthest * place / (_GRID - 1) for place in range(_GRID)]
    return tuple((epsilon, min(1.0, guarantee.delta(epsilon))) for epsilon in epsilons)


def detection(points: Sequence[tuple[float, float]], alarms: float) -> float:
    """Largest probability of detection of a test with this probability of false alarms, from points (epsilon, delta) that all hold."""
    most = 1.0
    for epsilon, delta in points:
        growth = math.exp(min(epsilon, 700.0))
        most = min(most, growth * alarms + delta, 1.0 - (1.0 - alarms - delta) / growth)
    return max(most, alarms)


def conviction(epsilon: float, before: float) -> float:
    """The probability after, from that before."""
    return 1.0 / (1.0 + (1.0 - before) / before * math.exp(-epsilon))


def percent(share: float) -> str:
    """A probability rounded up to a tenth of a per cent; "100 %" where nothing is excluded in any useful sense."""
    tenths = math.ceil(1000.0 * share - 1e-9)
    return f"{tenths / 10:g} %" if tenths < 1000 else "100 %"


def one_in(probability: float) -> str:
    """A small probability as "1 in 1,000,000", with at most three digits, rounded up."""
    if probability <= 0:
        return "0"
    inverse = 1.0 / probability
    if inverse < 10.0:
        return percent(probability)
    step = 10.0 ** max(0, math.floor(math.log10(inverse)) - 2)
    return f"1 in {math.floor(inverse / step * (1.0 + 1e-9)) * step:,.0f}" if inverse < 1e15 else f"less than 1 in {1e15:,.0f}"


def numbers_shown(value: float) -> str:
    """Four digits, or a dash for what there is not."""
    return f"{value:.4g}" if math.isfinite(value) else "-"


def count_shown(number: int | None) -> str:
    """All digits, or a dash for what there is not."""
    return "-" if number is None else f"{number:,}"


def promise(certificate: Certificate, *, what: str) -> list[Block]:
    """The first words of a report on `what` ("this model")."""
    guarantee = certificate.guarantee
    if isinstance(guarantee, NoGuarantee):
        words = f"Nobody is protected: {what} carries no guarantee of privacy. Treat it like the records themselves."
        return [Text(words, Tone.BAD), Text(f"Why: {guarantee.theorem}.")]
    seeded = (
        "The noise came from a seed, and whoever knows the seed can subtract it: nobody is protected. What follows is what a release without "
        f"a seed would promise. Noise: {certificate.noise}."
    )
    blocks: list[Block] = [] if certificate.noise_private else [Text(seeded, Tone.BAD)]
    if isinstance(guarantee, CramerRaoBound):
        words = f"For {what} a bound on the error of estimators is stated. That is no guarantee of privacy: it excludes no attack."
        return [*blocks, Text(words, Tone.BAD)]
    lead = Text(_lead(guarantee, what, certificate.releases), Tone.LEAD)
    return [*blocks, lead, *_warnings(certificate), odds_table(guarantee)]


def odds_table(guarantee: Guarantee) -> Facts:
    """What an attacker can reach at most, beside what needs no release at all."""
    named = stated(guarantee)
    points = (*curve(guarantee, _FARTHEST), *([] if named is None else [named]))
    rows = [
        ("Who guesses between two possibilities", f"is right in at most {percent(best_guess(guarantee))} of cases (a coin: 50 %)"),
        ("Who accepts 5 % false alarms", f"detects a person in at most {percent(detection(points, 0.05))} of cases (without looking: 5 %)"),
    ]
    if named is not None:
        epsilon, delta = named
        unless = f", up to a chance of {one_in(delta)} that this fails" if delta > 0 else ""
        for before in (0.5, 0.01):
            after = percent(conviction(epsilon, before))
            rows.append((f"Who is {percent(before)} sure of something", f"is at most {after} sure of it afterwards{unless}"))
    return Facts("What can be found out about one person, at most, whatever else is known and however it is computed", rows)


def limits(certificate: Certificate) -> Section:
    """What the guarantee does not say."""
    guarantee = certificate.guarantee
    alone = "Somebody with several records, or a family of four in one table, is protected that much less: epsilon grows with their number."
    items = [
        f"It is about one {_one(guarantee.unit)}. {alone}",
        "It does not hide what is true of everybody: if smoking causes cancer, that may be learnt, about people who are not in the table as well.",
        "It covers this release alone. Whatever else is released about the same people adds up; a ledger keeps the sum.",
        "It says nothing about what is published beside it: bounds and categories, exact numbers computed on the records, file names, times.",
        "It says nothing about the machine on which the records lie, or about who may read them there.",
        "It says nothing about how good the release is, or whether what it is used for is right.",
    ]
    if guarantee.neighbours is not ADD_REMOVE:
        items.insert(1, "The number of records is taken as known, and so is who takes part. What is hidden is what their records say.")
    if guarantee.unit is Unit.FEATURES:
        items.insert(0, "Labels (targets) are not protected: only the features of a record are.")
    if guarantee.unit is Unit.ENTRY:
        items.insert(0, "It protects single numbers, not whole records: a record of d numbers is protected up to d times less.")
    if isinstance(guarantee, MutualInformation):
        items.insert(0, "Bits are an average over outcomes: a rare outcome may reveal the number. They must never be read as a small delta.")
    if isinstance(guarantee, ApproximateDP):
        items.insert(0, f"With a chance of up to {one_in(guarantee.delta_at_epsilon)} (delta) it may fail altogether for some person.")
    if isinstance(guarantee, Statement) and guarantee.secret:
        items.insert(0, f"It holds only as long as this stays secret: {', '.join(guarantee.secret)}.")
    return Section("What it does not say", [Bullets(items)])


def protection(certificate: Certificate) -> Section:
    """Who is protected, from whom, for how long."""
    guarantee = certificate.guarantee
    if isinstance(guarantee, NoGuarantee | CramerRaoBound) or not certificate.noise_private:
        return Section("What is protected", [Text("Nothing is protected.", Tone.BAD)])
    hidden = "what it says, and whether it is there at all" if guarantee.neighbours is ADD_REMOVE else "what it says; not whether it is there"
    rows = [
        ("What", f"each {_one(guarantee.unit)}: {hidden}"),
        ("From whom", "everyone who sees the release, with any computer, even one who knows all other records"),
        ("For how long", "for ever: nothing that is learnt or computed later takes it back"),
        ("By what", f"noise of a known law that nobody has seen, of the mechanism {certificate.mechanism}"),
    ]
    return Section("What is protected, and from whom", [Facts("The promise", rows)])


def _lead(guarantee: Guarantee, what: str, releases: int) -> str:
    if guarantee.neighbours is ADD_REMOVE:
        change, two = f"If any one {_one(guarantee.unit)} had not been in the table, or one more had been in it,", "whether it was in the table"
    else:
        change, two = f"If any one {_one(guarantee.unit)} had been entirely different,", "which of two it was"
    if isinstance(guarantee, MutualInformation):
        told = f"{what} would tell at most {guarantee.bits:.3g} bits about it, on average. Somebody"
    else:
        told = f"no one could tell from {what} with more confidence than this: somebody"
    several = f" All {releases} releases together are meant." if releases > 1 else ""
    guess = f"is right in at most {percent(best_guess(guarantee))} of cases. A coin is right in 50 %.{several}"
    return f"{change} {told} who knows everything else and is asked {two} {guess}"


def _warnings(certificate: Certificate) -> Iterator[Block]:
    guarantee, named, records = certificate.guarantee, stated(certificate.guarantee), certificate.problem.get("records")
    if isinstance(guarantee, MutualInformation):
        words = "This is an average over what might have been released: a rare outcome may reveal the number. It is weaker than differential privacy."
        yield Text(words, Tone.BAD)
    if named is None:
        return
    epsilon, delta = named
    if epsilon >= _EMPTY:
        words = f"Epsilon is {epsilon:.3g}: any conclusion may become {_factor(epsilon)} times likelier through one record: next to no promise."
        yield Text(words, Tone.BAD)
    elif epsilon >= _WEAK:
        yield Text(f"Epsilon is {epsilon:.3g}: that is a weak promise. At 1 the factor is 2.7, here it is {_factor(epsilon)}.", Tone.BAD)
    if isinstance(records, int) and not isinstance(records, bool) and records > 0 and delta * records > 0.1:
        words = (
            f"Delta is {delta:.3g} with {records:,} records. A release that picks one record in {1.0 / delta:,.0f} at random and prints it satisfies "
            "that delta. Take delta far below 1 divided by the number of records."
        )
        yield Text(words, Tone.BAD)
    elif not isinstance(records, int) and delta > _LARGE_DELTA:
        words = f"Delta is {delta:.3g}. Unless there are far fewer than {1.0 / delta:,.0f} records, that is too much: take it far below 1 / records."
        yield Text(words, Tone.BAD)
    if isinstance(guarantee, Statement) and guarantee.local:
        yield Text("Every record was randomised by its owner: nobody else, the collector included, has ever held it.", Tone.GOOD)


def _factor(epsilon: float) -> str:
    if epsilon >= 14:
        return "more than a million"
    factor = float(f"{math.exp(epsilon):.3g}")
    return f"{factor:,.0f}" if factor >= 100 else f"{factor:g}"


def _one(unit: Unit) -> str:
    return {
        Unit.RECORD: "person's record",
        Unit.ENTRY: "number of a person's record",
        Unit.FEATURES: "person's features (all of a record but its label)",
    }[unit]
