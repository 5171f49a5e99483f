"""Releasing a table into a folder: what is asked, checked, spent, drawn, written and read back, in this order.

Whatever can fail without a record fails before anything is spent: the method and its numbers, the calibration, the folder (tried). From the first
drawn number on the budget counts as spent, and a failure, a full disk say, leaves no folder.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import REPLACE_ONE, Neighbours
from discreet.data import BlockTable, Cluster, RealDataset, RealDomain, Schema
from discreet.data.frames import Frame
from discreet.ledger import Account
from discreet.matrices import Design
from discreet.noise import Noise
from discreet.queries import Target
from discreet.releases.columns import released_schema, schema_domain
from discreet.releases.publication import About, Publication
from discreet.releases.records import Files, private_records
from discreet.releases.release import PublishedRelease
from discreet.releases.request import Calibration, Request

if TYPE_CHECKING:
    from distributed import Client


def publish(  # noqa: PLR0913 - one argument a public number
    table: RealDataset | BlockTable | Frame | Floats | Design | Files,
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
    n_jobs: int | None = None,
    client: "Client | Cluster | None" = None,
    overwrite: bool = False,
    name: str | None = None,
    description: str | None = None,
    license: str | None = None,  # noqa: A002 - Croissant's word
) -> PublishedRelease:
    """Release `table` into `folder`, whole or not at all, and spend on `account` or the ledger in use.

    `table` is a RealDataset; with `schema` any table that it encodes, or the paths of files that are read in blocks, by the workers of the Dask
    cluster of `client` where it is given; with `domain` an array (n, d) and `y` (n,), or a table in blocks. Which numbers a method takes is in
    `METHODS` and in docs/release.md. `calibration="published"` takes the papers' formulas, for comparison. `n_jobs` threads, as in scikit-learn.

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
    data = private_records(table, request.domain, request.target, schema=used, y=y, n_jobs=n_jobs, client=client)
    return publication.write(data, folder, noise, account=account, overwrite=overwrite)


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


def _domain_of(table: object, schema: Schema | None, domain: RealDomain | None) -> RealDomain:
    if isinstance(table, RealDataset):
        if schema is not None or domain is not None:
            raise InvalidInput("a RealDataset has its own domain: leave schema and domain out.")
        return table.domain
    if schema is not None and domain is None:
        return schema_domain(schema)
    if schema is None and domain is not None:
        return domain
    raise InvalidInput("what is public about the table is needed: schema (for a table with columns) or domain (for an array), one of the two.")
