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

    several rows   of one person, where the guarantee is about a record: the best guess about a group of records (accounting.groups)

All numbers are upper bounds and are rounded up. Where nobody said whose records are whose, the words are about a record and say what follows for
somebody with several; where it was said, they are about a person.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

from discreet.accounting import ApproximateDP, CramerRaoBound, Guarantee, Json, MutualInformation, NoGuarantee, PureDP, Unit, group
from discreet.accounting.base import Statement
from discreet.certificates import Certificate
from discreet.core.advice import weaknesses
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Persons
from discreet.display.pages import Block, Bullets, Facts, Section, Text, Tone

_GRID = 160
_FARTHEST = 12.0
_SEVERAL = (2, 7)
"""Rows of one person that reports give the odds for."""


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
    """The first words of a report on `what` ("this model"): the promise in one sentence, and warnings."""
    guarantee = certificate.guarantee
    if isinstance(guarantee, NoGuarantee):
        words = f"Nobody is protected: {what} has no privacy guarantee. Protect it as you protect the records."
        return [Text(words, Tone.BAD), Text(f"Why: {guarantee.theorem}.")]
    seeded = (
        "The noise came from a seed, and anyone who knows the seed can subtract it: nobody is protected. The text below states what a release "
        f"without a seed would guarantee. Noise: {certificate.noise}."
    )
    blocks: list[Block] = [] if certificate.noise_private else [Text(seeded, Tone.BAD)]
    if isinstance(guarantee, CramerRaoBound):
        words = f"For {what}, only a bound on the error of estimators is stated. That is not a privacy guarantee: it excludes no attack."
        return [*blocks, Text(words, Tone.BAD)]
    lead = Text(_lead(certificate, what), Tone.LEAD)
    return [*blocks, lead, *_several_rows(certificate), *_warnings(certificate)]


def odds(certificate: Certificate) -> list[Section]:
    """What an attacker can reach, where anything is excluded."""
    if isinstance(certificate.guarantee, NoGuarantee | CramerRaoBound):
        return []
    return [Section("What an attacker can find out", [odds_table(certificate.guarantee)])]


def odds_table(guarantee: Guarantee) -> Facts:
    """What an attacker can reach at most, beside what needs no release at all."""
    named, one = stated(guarantee), "person" if guarantee.unit is Unit.PERSON else "record"
    points = (*curve(guarantee, _FARTHEST), *([] if named is None else [named]))
    rows = [
        ("Someone who guesses between two possibilities", f"is right in at most {percent(best_guess(guarantee))} of cases (tossing a coin: 50 %)"),
        ("Someone who accepts 5 % false alarms", f"detects a {one} in at most {percent(detection(points, 0.05))} of cases (without looking: 5 %)"),
    ]
    if named is not None:
        epsilon, delta = named
        unless = f", up to a chance of {one_in(delta)} that this fails" if delta > 0 else ""
        for before in (0.5, 0.01):
            after = percent(conviction(epsilon, before))
            rows.append((f"Someone who is {percent(before)} sure of something", f"is at most {after} sure of it afterwards{unless}"))
    return Facts(f"The most that anyone can find out about one {one}, whatever else they know and however they compute it", rows)


def limits(certificate: Certificate) -> Section:
    """What the guarantee does not say."""
    guarantee = certificate.guarantee
    who = "A family of four in one table" if guarantee.unit is Unit.PERSON else "A person with several records, or a family of four in one table,"
    items = [
        f"It is about {_one(certificate).rstrip(',')}. {who} is protected less: epsilon grows with their number.",
        "It does not hide what is true of everyone: if smoking causes cancer, anyone may learn that, also about people who are not in the table.",
        "It covers this release alone. Other releases about the same people add up; a ledger keeps the sum.",
        "It says nothing about anything else that is published: bounds and categories, exact numbers computed on the records, file names, times.",
        "It says nothing about the computer that holds the records, or about who can read them there.",
        "It says nothing about how accurate the release is, or whether its use is right.",
    ]
    if guarantee.neighbours is not ADD_REMOVE:
        known = f"The number of {guarantee.unit.counted} is taken as known, and so is who takes part."
        items.insert(1, f"{known} The content of their records is hidden.")
    if guarantee.unit is Unit.FEATURES:
        items.insert(0, "Labels (targets) are not protected: only the features of a record are.")
    if guarantee.unit is Unit.ENTRY:
        items.insert(0, "It protects single numbers, not whole records: a record of d numbers has up to d times less protection.")
    if isinstance(guarantee, MutualInformation):
        items.insert(0, "Bits are an average over outcomes: a rare outcome may reveal the number. Never read them as a small delta.")
    if isinstance(guarantee, ApproximateDP):
        items.insert(0, f"With a chance of up to {one_in(guarantee.delta_at_epsilon)} (delta), it may fail completely for someone.")
    if isinstance(guarantee, Statement) and guarantee.secret:
        items.insert(0, f"It holds only as long as this stays secret: {', '.join(guarantee.secret)}.")
    return Section("What it does not say", [Bullets(items)])


def protection(certificate: Certificate) -> Section:
    """Who is protected, from whom, for how long."""
    guarantee = certificate.guarantee
    if isinstance(guarantee, NoGuarantee | CramerRaoBound) or not certificate.noise_private:
        return Section("What is protected", [Text("Nothing is protected.", Tone.BAD)])
    says, is_there = ("they say", "they are there") if guarantee.unit is Unit.PERSON else ("it says", "it is there")
    hidden = f"what {says}, and whether {is_there} at all" if guarantee.neighbours is ADD_REMOVE else f"what {says}; not whether {is_there}"
    rows = [
        ("What", f"any {_one(certificate).rstrip(',')}: {hidden}"),
        ("Rows per person", _whose(certificate)),
        ("From whom", "everyone who sees the release, with any computer, even someone who knows all other records"),
        ("For how long", "for ever: nothing learnt or computed later can undo it"),
        ("By what", f"random noise from a published distribution; the draws are not kept (mechanism {certificate.mechanism})"),
    ]
    return Section("What is protected, and from whom", [Facts("The promise", rows)])


def _lead(certificate: Certificate, what: str) -> str:
    guarantee, releases = certificate.guarantee, certificate.releases
    others, one, versions = _CHOICE[guarantee.unit]
    if guarantee.neighbours is ADD_REMOVE:
        was = "were" if guarantee.unit is Unit.PERSON and not _is_declared(certificate) else "was"
        there = "the rows of one person were" if was == "were" else f"{one} was"
        task = f"to decide whether {there} in the table at all, both being equally likely,"
    else:
        task = f"to choose between two equally likely {versions}"
    told = f" On average {what} tells at most {guarantee.bits:.3g} bits about it." if isinstance(guarantee, MutualInformation) else ""
    several = f" This covers all {releases} releases together." if releases > 1 else ""
    right = f"is right at most {percent(best_guess(guarantee))} of the time. Tossing a coin is right 50 % of the time."
    return f"Someone who knows {others} and uses {what} {task} {right}{told}{several}"


_CHOICE = {
    Unit.RECORD: ("every other record", "one record", "versions of one record"),
    Unit.PERSON: ("everyone else's data", "one person", "versions of one person's data"),
    Unit.FEATURES: ("every other record and this record's label", "the features of one record", "versions of one record's features"),
    Unit.ENTRY: ("every other number in the table", "one number of a record", "values of one number of a record"),
}
"""What an attacker knows, what is protected, and between what they must choose, by what is protected."""


def _warnings(certificate: Certificate) -> Iterator[Block]:
    guarantee, records = certificate.guarantee, certificate.problem.get("records")
    known = records if isinstance(records, int) and not isinstance(records, bool) else None
    for words in cautions(guarantee, known):
        yield Text(words, Tone.BAD)
    if isinstance(guarantee, Statement) and guarantee.local:
        yield Text("Every owner randomised their own record: nobody else, not even the collector, has ever held it.", Tone.GOOD)


def cautions(guarantee: Guarantee, records: int | None) -> Iterator[str]:
    """What is to be weighed of a promise; `records` are those or the persons that it is about, where their number is public."""
    if isinstance(guarantee, MutualInformation):
        yield "This is an average over possible releases: a rare one may reveal the number. It is weaker than differential privacy."
    named = stated(guarantee)
    if named is not None:
        yield from weaknesses(*named, records, one=guarantee.unit.one, many=guarantee.unit.counted)


def _one(certificate: Certificate) -> str:
    """What is protected, after "any"."""
    return {
        Unit.RECORD: "one record",
        Unit.ENTRY: "one number of a record",
        Unit.FEATURES: "one record's features (all of it but its label)",
        Unit.PERSON: "one person" if _is_declared(certificate) else "one person, whatever the number of their rows,",
    }[certificate.guarantee.unit]


def _is_declared(certificate: Certificate) -> bool:
    return certificate.guarantee.unit is Unit.PERSON and rule_of(certificate.problem) == Persons(weight="declared")


def rule_of(record: Mapping[str, Json]) -> Persons | None:
    """Whose rows are whose, as a public problem or one of its parts says; None where none does."""
    if "persons" in record:
        return Persons.from_dict(record["persons"])
    below = [one for value in record.values() for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict)]
    return next((found for one in below if (found := rule_of(one)) is not None), None)


def _whose(certificate: Certificate) -> str:
    """How it is known, and what a row counts."""
    if certificate.guarantee.unit is not Unit.PERSON:
        return "not stated: every row is protected separately"
    match rule_of(certificate.problem):
        case None:
            return "as the parts of this release say"
        case Persons(weight="declared"):
            return "declared: each person has one row; nobody checked this"
        case Persons(rows=1):
            return "one row of each person was kept, drawn at random"
        case Persons(rows=most, weight=weight):
            each = f"each counts 1 / {most}" if weight == "row" else "together they count as one record"
            return f"at most {most} rows of each person were kept, drawn at random; {each}"


def _several_rows(certificate: Certificate) -> Iterator[Block]:
    """What follows for somebody with several rows where the guarantee is about one, and nobody keeps them together."""
    guarantee, declared = certificate.guarantee, _is_declared(certificate)
    if guarantee.unit is not Unit.RECORD and not declared:
        return
    said = "Nobody checked the declaration that each person has one row. " if declared else "This protects single records, not persons. "
    odds = [f"{_near_one(_guess_of_all(guarantee, rows))} of the time for {rows} records" for rows in _SEVERAL]
    yield Text(
        f"{said}A person with several records is protected less: such a guess about all of their records is right at most {' and '.join(odds)}."
    )


def _guess_of_all(guarantee: Guarantee, rows: int) -> float:
    """`best_guess` about so many records together; 1 where nothing follows for groups."""
    try:
        return best_guess(group(guarantee, rows))
    except InvalidInput:
        return 1.0


def _near_one(share: float) -> str:
    """`percent`, with another digit from 99 % on."""
    hundredths = math.ceil(10_000.0 * share - 1e-9)
    return percent(share) if share < 0.99 else f"{min(hundredths, 10_000) / 100:g} %"
