"""`discreet demo`: the main job on the table that comes with the package, from records to a verified model, with what it cost in accuracy.

UCI Adult is public, which is why its error rates may be shown: the split is the repository's own (32,561 people to train on, 16,281 to test on).
"""

import time
from typing import TYPE_CHECKING

import click

from discreet.cli.numbers import NUMBER
from discreet.cli.output import answer, examples, heading, json_option, step
from discreet.cli.training import Settings, rehearse, train, warn_of_seed

if TYPE_CHECKING:
    from discreet.cli.measures import Measures
    from discreet.estimators.model import Model

_KIND = "linear-svc"
_EXAMPLES = examples("discreet demo", "discreet demo --epsilon 0.1 --neighbours add-remove --out adult.json")
_DATA = {
    "name": "UCI Adult",
    "source": "Becker and Kohavi (1996), UCI Machine Learning Repository, doi 10.24432/C5XW20",
    "licence": "CC BY 4.0",
    "public": True,
}


@click.command(short_help="Train on UCI Adult, which comes with discreet.", epilog=_EXAMPLES)
@click.option(
    "--epsilon", type=NUMBER, default=1.0, show_default=True, help="Privacy loss that the model may cost, > 0; inf is a fit without privacy."
)
@click.option("--delta", type=NUMBER, default=1e-6, show_default=True, help="Probability that the loss is exceeded; 0 for none.")
@click.option(
    "--neighbours",
    type=click.Choice(["replace-one", "add-remove"]),
    default="replace-one",
    show_default=True,
    help="What is hidden: the content of one record, or also whether it is there at all.",
)
@click.option("--seed", type=int, help="Reproducible noise, for tests: the certificate is then not valid.")
@click.option("--out", type=click.Path(), help="Also write the model file.")
@click.option("--overwrite", is_flag=True, help="Replace the model file where it exists.")
@json_option
def demo(*, epsilon: float, delta: float, neighbours: str, seed: int | None, out: str | None, overwrite: bool, as_json: bool) -> None:
    """Train a private classifier on UCI Adult, the census table that comes with discreet, and show what that protects and costs."""
    begin = time.perf_counter()
    settings: Settings = {"epsilon": epsilon, "delta": delta, "neighbours": neighbours, "random_state": seed}
    with step("Loading"):
        from discreet.cli.measures import Measures  # noqa: PLC0415 - imports of the library wait until they are needed
        from discreet.core.files.whole_file import check_writable  # noqa: PLC0415
        from discreet.data.adult import adult_schema, load_adult  # noqa: PLC0415

        schema = adult_schema()
        if out is not None:
            check_writable(out, overwrite=overwrite)
        rehearse(_KIND, schema, settings)
    warn_of_seed(seed)
    with step("Reading and encoding the table"):
        table = load_adult()
        tested = table.get_column("test")
        training, test = (schema.encode(table.filter(rows), target=True) for rows in (~tested, tested))
    model = train(_KIND, schema, settings, training)
    if out is not None:
        model.save(out, overwrite=overwrite)
    ordinary = train(_KIND, schema, settings | {"epsilon": float("inf")}, training)
    private, without = (Measures.of(one, test) for one in (model, ordinary))
    _report(model, private, without, trained_on=training.rows.shape[0], begin=begin, out=out, as_json=as_json)


def _report(model: "Model", private: "Measures", without: "Measures", *, trained_on: int, begin: float, out: str | None, as_json: bool) -> None:
    """What was protected, what it cost, and how to do the same with another table."""
    from discreet.cli import words  # noqa: PLC0415
    from discreet.data.labels import canonical  # noqa: PLC0415

    with step("Checking the certificate"):
        verification = model.verify()
    seconds = time.perf_counter() - begin
    certificate, commoner = model.certificate, int(private.confusion[1][0] + private.confusion[1][1] > private.records / 2)
    stated, common_class = words.budget(certificate), canonical(model.schema.target.classes[commoner])
    document = {
        "command": "demo",
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
        heading("Who earns more than 50,000 dollars a year? A private answer from UCI Adult (census survey of 1994, CC BY 4.0)"),
        "",
        f"Trained on the {trained_on:,} people of its training part, tested on the {private.records:,} of its test part. The table is a public",
        "data set, so its error rates may be shown here; those of your own table would have to be protected too.",
        "",
        heading("What is protected"),
        *(f"  {line}" for line in words.promise(certificate)),
        "",
        heading("What it costs: error on the test part"),
        *(
            f"  {name:<52}{100 * error:5.1f} %"
            for name, error in (
                (f"private ({words.short(certificate)})", private.error),
                ("the same fit without privacy", without.error),
                (f"always answering {common_class}", private.always_commoner),
            )
        ),
        "",
        f"Noise        {certificate.noise}",
        f"Certificate  {words.verdict(verification)}",
        f"Model        {f'written to {out}' if out else 'not written (--out FILE writes it)'}",
        f"Time         {seconds:.1f} s",
        "",
        heading("Now with your own table"),
        "  discreet schema new people.csv --target COLUMN --out people.toml     write down what is public about it, here:",
        "                                                                       people.toml, from the header alone",
        "  discreet schema check people.toml people.csv                         is it complete?",
        "  discreet fit people.csv --schema people.toml --epsilon 1 --delta 1e-6 --out model.json",
        "  discreet verify model.json",
    ]
    answer(document, lines, as_json=as_json)
