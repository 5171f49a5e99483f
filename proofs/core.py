"""The core of the guarantees, checked by a machine: T1 (add-remove), theorem P (the mixture bound) and the last stage. What is left is in core.md.

    python -m proofs.core                        # everything: some minutes
    python -m proofs.core --quick                # one of each: seconds
    python -m proofs.core model.json             # and the delta that a model or certificate of yours states
    python -m proofs.core --plant noise          # says something false by 1 %: must fail

Run it from the root of the source, with the package and mpmath installed. Three sorts of checks, and no floating-point number decides any of them:

    identities   the algebra of the lemmas, for all values of their letters
    numbers      the delta that the package states, against an enclosure of the theorem's integral for the same public numbers, last stage included
    laws         the exact law of a minimiser with one record (or person) more, against the theorem's claim: never above, and how near it comes
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from discreet.core.neighbours import ADD_REMOVE, Persons
from discreet.data import Domain
from discreet.losses import Logistic
from discreet.mechanisms.learning import GaussianObjectivePerturbation
from discreet.problems import RegularisedRisk
from proofs.identities import identities
from proofs.integrals import WorstLoss, proved_delta
from proofs.intervals import exact, least, most, under
from proofs.laws import Table, divergence


class Setting(NamedTuple):
    """A calibration."""

    epsilon: float
    delta: float
    ridge: float
    """Over that from which the Jacobian term is free."""
    features: int = 1
    rows: int = 1
    """Of a person, at most."""
    counts: bool = False
    """Whether the records are counted with noise, and lambda follows."""

    def stated(self) -> dict[str, Any]:
        """What the package calibrates and states, as in a certificate."""
        persons = Persons(rows=self.rows) if self.rows > 1 else None
        domain = Domain(features=self.features, norm_bound=1.0, classes=2, persons=persons)
        problem = RegularisedRisk(loss=Logistic(), ridge=self.ridge / self.epsilon, domain=domain)
        target: dict[str, Any] = {"epsilon": self.epsilon, "delta": self.delta, "neighbours": ADD_REMOVE}
        kind = GaussianObjectivePerturbation
        made = kind.counting(problem, share=0.05, **target) if self.counts else kind.calibrate(problem, **target)
        guarantee = made.promise(problem).to_dict()
        return {"mechanism": made.name, "releases": 1, "problem": problem.to_dict(), "parameters": made.parameters(), "guarantee": guarantee}


NUMBERS = [
    Setting(1.0, 1e-5, 0.5, 10),
    Setting(1.0, 1e-5, 1.2, 100),
    Setting(0.1, 1e-6, 0.5, 10),
    Setting(0.1, 1e-9, 1.2, 1000),
    Setting(4.0, 1e-6, 0.7, 10),
    Setting(4.0, 1e-6, 1.0, 10),
    Setting(10.0, 1e-8, 0.3, 3),
    Setting(1.0, 1e-5, 0.8, 10, rows=5),
    Setting(0.1, 1e-6, 1.5, 10, rows=20),
    Setting(4.0, 1e-6, 1.05, 10, rows=5),
    Setting(0.1, 1e-6, 1.2, 100, counts=True),
]
LAWS = [
    (Setting(1.0, 1e-5, 1.0), 20, (1,), 0.98),
    (Setting(1.0, 1e-5, 0.5), 3, (1,), 0.0),
    (Setting(0.3, 1e-3, 1.0), 0, (1,), 0.0),
    (Setting(4.0, 1e-6, 1.2), 20, (1,), 0.98),
    (Setting(1.0, 1e-4, 1.02, rows=2), 20, (1, 1), 0.95),
    (Setting(1.0, 1e-4, 1.02, rows=2), 2, (1, -1), 0.0),
]
"""A calibration; how many other records pull the other way; the rows of the one that comes or goes; what share of the claim its law must reach."""
PLANTED = {
    "identity": "a constant of every identity is 1.01 for 1",
    "noise": "1 % less noise than is needed",
    "ridge": "a ridge 1 % smaller, where it is below the slack-free one",
    "last": "a last stage with half of its noise",
    "law": "laws of minimisers with 1 % less noise",
    "claim": "laws are held to 1 % less than what is claimed of them",
}


def certified(name: str, stated: Mapping[str, Any]) -> tuple[str, bool]:
    """What a certificate states of delta, and whether that is proved."""
    found, delta = proved_delta(stated), stated["guarantee"]["delta"]
    return f"{name}: delta {delta:.6e} is stated, {float(found.b):.6e} proved", under(found, exact(delta))


def check(planted: str = "", *, quick: bool = False) -> Iterator[tuple[str, bool]]:
    """(what is claimed, whether it is proved); with something false among it where `planted` says so."""
    yield from identities(Fraction(101, 100) if planted == "identity" else Fraction(1))
    for setting in NUMBERS[: 1 if quick else None]:
        stated = setting.stated()
        numbers, problem = dict(stated["parameters"]), dict(stated["problem"])
        numbers["scale"] *= 0.99 if planted == "noise" else 1.0
        numbers["grid_scale"] *= 0.5 if planted == "last" else 1.0
        problem["ridge"] *= 0.99 if planted == "ridge" and setting.ridge < 1 else 1.0
        yield certified(str(setting), {**stated, "parameters": numbers, "problem": problem})
    for setting, others, rows, share in LAWS[: 1 if quick else None]:
        stated = setting.stated()
        scale, epsilon, ridge = (
            Fraction(stated[part][name]) for part, name in (("parameters", "scale"), ("parameters", "epsilon"), ("problem", "ridge"))
        )
        worst = WorstLoss(1 / exact(scale), 1 / exact(ridge), shared=setting.rows > 1)
        claim = most(worst.delta(exact(epsilon))) * exact(Fraction(99 if planted == "claim" else 100, 100))
        scale *= Fraction(99 if planted == "law" else 100, 100)
        without = Table(((Fraction(-1), Fraction(others)),), ridge)
        record = tuple((Fraction(row), Fraction(1, len(rows))) for row in rows)
        found = [divergence(without, record, scale, epsilon, leaves=leaves) for leaves in (False, True)]
        reached = max(float(one.a) for one in found)
        kept = all(under(one, claim) for one in found)
        far = any(under(exact(share) * claim, least(one)) for one in found)
        yield f"{setting}, {others} others, rows {rows}: the law reaches {reached / float(claim.mid):.4f} of the claim", kept and far


def main(arguments: list[str]) -> int:
    """How many claims are not proved, at most 1."""
    plants = "\n".join(f"  {name:10} {what}" for name, what in PLANTED.items())
    parser = argparse.ArgumentParser(description=__doc__, epilog=f"planted:\n{plants}", formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("certificate", nargs="?", type=Path, help="a model or certificate, of which the delta is proved too")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--plant", choices=PLANTED, default="")
    options = parser.parse_args(arguments)
    claims = [check(options.plant, quick=options.quick)]
    if options.certificate:
        read = json.loads(options.certificate.read_text())
        claims.append(iter([certified(str(options.certificate), read.get("certificate", read))]))
    failed = 0
    for claim, proved in chain(*claims):
        failed += not proved
        print(f"{'proved' if proved else 'NOT PROVED':10} {claim}", flush=True)
    print(f"{failed} not proved")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
