"""Releasing a table into a folder: what is asked, checked, spent, drawn, written and read back, in this order.

Whatever can fail without a record fails before anything is spent: the method and its numbers, the calibration, the folder (tried). From the first
drawn number on the budget counts as spent, and a failure, a full disk say, leaves no folder.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from discreet.arrays import Floats
from discreet.data import RealDataset, RealDomain, Schema
from discreet.data.frames import Frame
from discreet.designs import Design, as_design
from discreet.errors import InvalidInput
from discreet.ledger import Account
from discreet.neighbours import REPLACE_ONE, Neighbours
from discreet.noise import Noise
from discreet.publications.columns import encoded_records, released_schema, schema_domain
from discreet.publications.publication import About, Publication
from discreet.publications.release import PublishedRelease
from discreet.publications.request import Calibration, Request
from discreet.queries import Target


def publish(  # noqa: PLR0913 - one argument a public number
    table: RealDataset | Frame | Floats | Design,
    folder: str | Path,
    noise: Noise,
    *,
    method: str,
    schema: Schema | None = None,
    domain: RealDomain | None = None,
    y: Floats | None = None,
    target: Target | str = Target.NOISY,
    neighbours: Neighbours | str = REPLACE_ONE,
    epsilon: float | None = None,
    delta: float | None = None,
    bits: float | None = None,
    rows: int | None = None,
    width: int | None = None,
    projection_seed: int | None = None,
    slots: int | None = None,
    most_records: int | None = None,
    weights: Sequence[float] | None = None,
    half_width: float | None = None,
    level: float | None = None,
    variance: float | None = None,
    calibration: Calibration = "tight",
    account: Account | None = None,
    overwrite: bool = False,
    name: str | None = None,
    description: str | None = None,
    license: str | None = None,  # noqa: A002 - Croissant's word
) -> PublishedRelease:
    """Release `table` into `folder`, whole or not at all, and spend on `account` or the ledger in use.

    `table` is a RealDataset; with `schema` any table that it encodes; with `domain` an array (n, d) and `y` (n,). Which numbers a method takes
    is in `METHODS` and in docs/release.md. `calibration="published"` takes the papers' formulas, for comparison.

    Raises InvalidInput for what cannot be released and for a folder that cannot be written, InfeasibleTarget where no noise is enough,
    BudgetExceeded before anything is drawn.
    """
    request = Request(
        domain=_domain_of(table, schema, domain),
        target=target_named(target),
        neighbours=relation_named(neighbours),
        epsilon=epsilon,
        delta=delta,
        bits=bits,
        rows=rows,
        width=width,
        projection_seed=projection_seed,
        slots=slots,
        most_records=most_records,
        weights=weights,
        half_width=half_width,
        level=level,
        variance=variance,
    )
    used = None if schema is None else released_schema(schema)
    about = About(name=name, description=description, license=license)
    publication = Publication.planned(method, request, calibration=calibration, schema=used, about=about)
    publication.check(folder, overwrite=overwrite)
    return publication.write(_records(table, used, request, y), folder, noise, account=account, overwrite=overwrite)


def target_named(target: Target | str) -> Target:
    """Raises InvalidInput for a word that says nothing about a target."""
    if str(target) not in set(Target):
        raise InvalidInput(f"the target is 'omitted', 'noisy' or 'clear'; {target!r} was given.")
    return Target(target)


def relation_named(neighbours: Neighbours | str) -> Neighbours:
    """Raises InvalidInput for a word that is no relation."""
    if str(neighbours) not in set(Neighbours):
        raise InvalidInput(f"neighbours are 'replace-one' or 'add-remove'; {neighbours!r} was given.")
    return Neighbours(neighbours)


def _domain_of(table: RealDataset | Frame | Floats | Design, schema: Schema | None, domain: RealDomain | None) -> RealDomain:
    if isinstance(table, RealDataset):
        if schema is not None or domain is not None:
            raise InvalidInput("a RealDataset has its own domain: leave schema and domain out.")
        return table.domain
    if schema is not None and domain is None:
        return schema_domain(schema)
    if schema is None and domain is not None:
        return domain
    raise InvalidInput("what is public about the table is needed: schema (for a table with columns) or domain (for an array), one of the two.")


def _records(table: RealDataset | Frame | Floats | Design, schema: Schema | None, request: Request, y: Floats | None) -> RealDataset:
    """The private records, brought within the domain."""
    if isinstance(table, RealDataset) or schema is not None:
        if y is not None:
            raise InvalidInput("y is for arrays: a RealDataset has its targets, and a schema names the target's column.")
        return table if isinstance(table, RealDataset) else encoded_records(schema, table, request.target)  # type: ignore[arg-type] # not None here
    if y is None and request.target is not Target.OMITTED:
        raise InvalidInput("an array comes with its targets y, or with target='omitted'.")
    rows = as_design(table)
    return RealDataset(rows=rows, targets=np.zeros(rows.shape[0]) if y is None else np.asarray(y, dtype=np.float64), domain=request.domain)
