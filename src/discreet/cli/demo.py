"""`discreet demo`: the main job on the table that comes with the package, from records to a verified model, with what it cost in accuracy.

UCI Adult is public, which is why its error rates may be shown: the split is the repository's own (32,561 people to train on, 16,281 to test on).
"""

import math
import time
from typing import Annotated

import discreet
from discreet.cli.exact import Measures, measured_classes
from discreet.cli.inputs import NO_PRIVACY, guarantee_of, short, verdict
from discreet.cli.models import Settings, planned, train
from discreet.cli.options import File, Neighbours, Seed, command, warn_of_seed
from discreet.cli.output import Outcome, check_output, labelled, step, styled
from discreet.core.neighbours import ADD_REMOVE, DELTA

_KIND = "linear-svc"
_DATA = {
    "name": "UCI Adult",
    "source": "Becker and Kohavi (1996), UCI Machine Learning Repository, doi 10.24432/C5XW20",
    "licence": "CC BY 4.0",
    "public": True,
}


@command("Train on UCI Adult, which comes with discreet.", "discreet demo", "discreet demo --epsilon 0.1 --neighbours add-remove --out adult.json")
def demo(
    *,
    epsilon: Annotated[float, "Privacy loss of the model, > 0; inf fits without privacy."] = 1.0,
    delta: Annotated[float, "Probability that the loss is exceeded; 0 for none."] = DELTA,
    neighbours: Neighbours = "replace-one",
    seed: Seed = None,
    out: Annotated[File | None, "Also write the model file."] = None,
    overwrite: Annotated[bool, "Overwrite the model file if it exists."] = False,
) -> Outcome:
    """Train a private classifier on UCI Adult, the census table that comes with discreet, and show what that protects and costs."""
    begin = time.perf_counter()
    settings: Settings = {"epsilon": epsilon, "delta": delta, "neighbours": neighbours, "random_state": seed}
    with step("Loading"):
        from discreet.data.adult import adult_schema, load_adult

        schema = adult_schema()
        check_output(out, overwrite=overwrite)
        planned(_KIND, schema, settings)
    warn_of_seed(seed)
    with step("Reading and encoding the table"):
        table = load_adult()
        tested = table.get_column("test")
        training, test = (schema.encode(table.filter(rows), target=True) for rows in (~tested, tested))
    model = train(_KIND, schema, settings, training)
    if out is not None:
        model.save(out, overwrite=overwrite)
    ordinary = train(_KIND, schema, settings | {"epsilon": float("inf")}, training)
    private, without = (measured_classes(one, test) for one in (model, ordinary))
    return _shown(model, private, without, trained_on=training.rows.shape[0], begin=begin, out=out)


def _shown(model: "discreet.Model", private: Measures, without: Measures, *, trained_on: int, begin: float, out: str | None) -> Outcome:
    """What was protected, what it cost, and how to do the same with another table."""
    with step("Checking the certificate"):
        verification = model.verify()
    seconds = time.perf_counter() - begin
    certificate, commoner = model.certificate, int(private.confusion[1][0] + private.confusion[1][1] > private.records / 2)
    stated, common_class = guarantee_of(certificate), discreet.data.labels.canonical(model.schema.one_target.classes[commoner])
    document = {
        "data": {**_DATA, "trained_on": trained_on, "tested_on": private.records},
        "guarantee": stated,
        "noise": certificate.noise,
        "error": {"private": private.error, "without_privacy": without.error, "always_commoner_class": private.always_commoner},
        "commoner_class": common_class,
        "verification": verification.to_dict(),
        "seconds": round(seconds, 2),
        "written": out,
    }
    lines = [
        styled("Who earns more than 50,000 dollars a year? A private answer from UCI Adult (census survey of 1994, CC BY 4.0)"),
        "",
        f"Trained on the {trained_on:,} people of the training set, tested on the {private.records:,} of the test set. The table is a public",
        "data set, so its error rates may be shown here; those of your own table would need protection too.",
        "",
        styled("What is protected"),
        *(f"  {line}" for line in _promise(certificate)),
        "",
        styled("What it costs: error on the test set"),
        *(
            f"  {name:<60}{100 * error:5.1f} %"
            for name, error in (
                (f"private ({short(certificate)})", private.error),
                ("the same fit without privacy", without.error),
                (f"always predicting {common_class}", private.always_commoner),
            )
        ),
        "",
        *labelled(
            ("Noise", certificate.noise),
            ("Certificate", verdict(verification)),
            ("Model", f"written to {out}" if out else "not written (--out FILE writes it)"),
            ("Time", f"{seconds:.1f} s"),
        ),
        "",
        styled("Now with your own table"),
        "  discreet schema new people.csv --target COLUMN --out people.toml     write down what is public about it, in",
        "                                                                       people.toml, from the header alone",
        "  discreet schema check people.toml people.csv                         is it complete?",
        "  discreet fit people.csv --schema people.toml --epsilon 1 --delta 1e-6 --out model.json",
        "  discreet verify model.json",
    ]
    return Outcome(document=document, lines=lines)


def _promise(certificate: "discreet.Certificate") -> list[str]:
    """Who is protected from whom, and how well."""
    stated = guarantee_of(certificate)
    epsilon, delta = stated["epsilon"], stated["delta"]
    if not isinstance(epsilon, float) or not isinstance(delta, float):
        return [f"Nothing: {NO_PRIVACY}"]
    secret_count = certificate.guarantee.neighbours is ADD_REMOVE
    factor = f"{math.exp(epsilon):.3g}" if epsilon < 300 else "10^130"
    change, unit = "added or removed" if secret_count else "replaced by any other", certificate.guarantee.unit
    exception = f"except with a probability of {delta:.3g}" if delta else "without exception"
    return [
        f"Each {unit}, from everyone who sees the model, even someone who knows all other records.",
        f"Any conclusion from the model becomes at most {factor} times (e^epsilon) as likely when one {unit}",
        f"is {change}, {exception}.",
        f"The number of {unit.counted} is {'protected too (add-remove).' if secret_count else 'taken as known (replace-one).'}",
    ]
