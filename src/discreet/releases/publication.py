"""Releasing a table into a folder: what is asked, checked, spent, drawn, written and read back, in this order.

    Publication    everything public is settled, and no record has been read: method, request and calibration make query and mechanism
    check          the folder can be written (tried)
    write          spend, draw, write, read back

Whatever can fail without a record fails before anything is spent. From the first drawn number on the budget counts as spent, and a failure, a full
disk say, leaves no folder.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np

from discreet.accounting import Guarantee
from discreet.certificates import Certificate
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.files.strict_json import printable
from discreet.core.files.whole_folder import check_folder, check_room, whole_folder
from discreet.core.frameless import frameless
from discreet.core.neighbours import REPLACE_ONE, Neighbours, Persons, Weight
from discreet.core.short import short_repr
from discreet.core.validate import whole
from discreet.data import BlockTable, Domain, Records, Schema
from discreet.data.frames import Frame
from discreet.ledger import Account
from discreet.matrices import Matrix
from discreet.mechanisms.persons import brought_by, refuse_told_apart, schema_rule, table_rule
from discreet.noise import Noise
from discreet.queries import Projection, Target
from discreet.releases.manifest import NAME, Contents, manifest_text
from discreet.releases.methods import Method, Plan, Request, calibration_named, method_named
from discreet.releases.methods.base import ROWS, SLOTS, WIDTH, Calibration
from discreet.releases.methods.columns import Kind, PublishedColumn, released_columns, released_schema, require_target, schema_domain, weight_beside
from discreet.releases.outlook import Outlook, outlook_of
from discreet.releases.parts import PROJECTION, Part, PartWriter, write_part
from discreet.releases.records import Files, private_records
from discreet.releases.release import PublishedRelease, is_release, read_release

Word = TypeVar("Word", bound=StrEnum)


class About(NamedTuple):
    """The custodian's own description of the release; published as it is."""

    name: str | None = None
    """The schema's if left out."""
    description: str | None = None
    license: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """A planned release. Build it with `planned`."""

    method: Method
    calibration: Calibration
    request: Request
    plan: Plan
    schema: Schema | None
    """By which the table is encoded (`released_schema`); None for arrays."""
    about: About

    __repr__ = short_repr

    @classmethod
    def planned(cls, method: str, request: Request, *, calibration: str, schema: Schema | None, about: About) -> Self:
        """Raises InvalidInput for a release that is not possible, InfeasibleTarget if no amount of noise is enough."""
        chosen = method_named(method)
        if schema is not None:
            if request.domain.persons is None:
                refuse_told_apart(schema.persons, "a release of the schema's columns alone")
            require_target(schema, request.target)
        used = calibration_named(calibration)
        made = cls(method=chosen, calibration=used, request=request, plan=chosen.plan(request, used), schema=schema, about=about)
        if not printable([*(column.name for column in made.columns), *(word for word in about if word is not None)]):
            raise InvalidInput("names of columns, and the name, description and license of a release, must be free of control characters.")
        return made

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee, before any record is read."""
        return self.plan.mechanism.guarantee(self.plan.query)

    @property
    def columns(self) -> tuple[PublishedColumn, ...]:
        """The names of the released columns."""
        width = self.plan.query.columns if not self.method.draws_projection else self.request[WIDTH]
        weight = weight_beside(self.plan.query)
        return released_columns(self.method.kind, self.request.domain, self.request.target, self.schema, width=width, weight=weight)

    def outlook(self, records: int | None = None) -> Outlook:
        """How useful the release will be, from public numbers alone: nothing is read, drawn or spent.

        `records` is their number, if it is public. Raises InvalidInput for an invalid number of records.
        """
        known = None if records is None else whole(records, "records")
        return outlook_of(self.method, self.plan, self.request, self.schema, records=known)

    def check(self, folder: str | Path, *, overwrite: bool) -> None:
        """Raise InvalidInput unless the folder could be written now. An existing one is replaced only if it holds a release."""
        check_folder(folder, overwrite=overwrite, replaceable=is_release)

    @frameless
    def write(self, data: Records, folder: str | Path, noise: Noise, *, account: Account | None = None, overwrite: bool = False) -> PublishedRelease:
        """Release the records. Raises as `Mechanism.write` does, and InvalidInput where the folder cannot be written."""
        query, mechanism = self.plan
        drawn = self.method.draws_projection
        check_room(folder, self._most_bytes(data))
        writer = PartWriter([column.name for column in self.columns], leading=query.read.columns if drawn else 0)
        try:
            with whole_folder(folder, overwrite=overwrite, replaceable=is_release) as temporary:
                writer.into(temporary)
                certificate = mechanism.write(query, data, noise, writer.keep, account=account)
                parts = writer.finish()
                matrix = writer.leading if drawn else query.matrix if isinstance(query, Projection) else None
                projection = None
                if matrix is not None:
                    features = [column.name for column in self.columns if column.role == "feature"]
                    projection = write_part(temporary, PROJECTION, features, np.ascontiguousarray(matrix[:, : len(features)]))
                (temporary / NAME).write_text(manifest_text(self._contents(certificate, parts, projection).manifest()), encoding="utf-8")
        except InvalidInput as error:
            if not writer.begun:
                raise
            refusal = InvalidInput(f"{error} Nothing was released, and the budget of this release counts as spent.")
        else:
            return read_release(folder)
        raise refusal

    def _most_bytes(self, data: Records) -> int:
        """On disk, from numbers that are public in every case: rows of a sketch, slots, or records under replace-one."""
        sized = {Kind.SKETCH: self.request.get(ROWS), Kind.MOMENTS: len(self.columns)}
        rows = sized.get(self.method.kind, self.request.get(SLOTS))
        return 9 * len(self.columns) * (data.records if rows is None else rows) + (1 << 20)

    def _contents(self, certificate: Certificate, parts: tuple[Part, ...], projection: Part | None) -> Contents:
        standard = "release" if self.schema is None else self.schema.name
        return Contents(
            method=self.method.name,
            calibration=self.calibration,
            target=self.request.target,
            columns=self.columns,
            parts=parts,
            projection_part=projection,
            schema=self.schema,
            certificate=certificate,
            name=standard if self.about.name is None else self.about.name,
            description=f"A private release: {self.method.says}." if self.about.description is None else self.about.description,
            license=self.about.license,
        )


@frameless
def publish(  # noqa: PLR0913 - what is public about a table, and what becomes of it
    table: Records | BlockTable | Frame | Floats | Matrix | Files,
    folder: str | Path,
    noise: Noise,
    *,
    method: str,
    schema: Schema | None = None,
    domain: Domain | None = None,
    y: Floats | None = None,
    persons: Any = None,  # noqa: ANN401 - a column of any library
    rows_per_person: int | None = None,
    person_weight: Weight = "person",
    target: Target | str = Target.NOISY,
    neighbours: Neighbours | str = REPLACE_ONE,
    calibration: Calibration = "tight",
    account: Account | None = None,
    n_jobs: int | None = None,
    client: Any = None,  # noqa: ANN401 - Dask publishes no types
    overwrite: bool = False,
    name: str | None = None,
    description: str | None = None,
    license: str | None = None,  # noqa: A002 - Croissant's word
    **numbers: Any,  # noqa: ANN401 - see `SETTINGS`: a method refuses what it does not take
) -> PublishedRelease:
    """Release `table` into `folder`, completely or not at all, and charge `account` or the ledger in use.

    `table` is Records; with `schema`, any table that it encodes, or the paths of files that are read in blocks, by the workers of the Dask cluster
    of `client` if given; with `domain`, an array (n, d) and `y` (n,), or a table in blocks.

    `persons` (n,) are the person ids of the rows; a table in blocks carries its own ids, and a schema with [person] names their column. At most
    `rows_per_person` rows per person are kept; in sums, such as a sketch, they share one record's weight according to `person_weight`.
    rows_per_person=1 without ids declares that nobody has a second row.

    `numbers` set the privacy (epsilon=1.0, delta=1e-6, ...); the `SETTINGS` of each method are in `METHODS` and in docs/release.md.
    `calibration="published"` uses the papers' formulas, for comparison. `n_jobs` is the number of threads, as in scikit-learn.

    Raises InvalidInput for a release that is not possible and for a folder that cannot be written, InfeasibleTarget if no amount of noise is enough,
    and BudgetExceeded before noise is drawn.
    """
    used = None if schema is None else released_schema(schema)
    if used is None and isinstance(table, BlockTable):
        rule = table_rule(table, persons, rows_per_person, person_weight)
    else:
        rule = schema_rule(brought_by(table) if used is None else used.persons, persons, rows_per_person, person_weight)
    request = Request(
        domain=_domain_of(table, used, domain, rule),
        target=_named(Target, target, "the target is 'omitted', 'noisy' or 'clear'"),
        neighbours=_named(Neighbours, neighbours, "neighbours are 'replace-one' or 'add-remove'"),
        schema=used,
        **numbers,
    )
    about = About(name=name, description=description, license=license)
    publication = Publication.planned(method, request, calibration=calibration, schema=used, about=about)
    publication.check(folder, overwrite=overwrite)
    data = private_records(table, request.domain, request.target, schema=used, y=y, n_jobs=n_jobs, client=client, persons=persons, noise=noise)
    return publication.write(data, folder, noise, account=account, overwrite=overwrite)


def _named(words: type[Word], given: Word | str, what: str) -> Word:
    if str(given) not in {str(word) for word in words}:
        raise InvalidInput(f"{what}; {given!r} was given.")
    return words(given)


def _domain_of(table: object, schema: Schema | None, domain: Domain | None, persons: Persons | None) -> Domain:
    if isinstance(table, Records):
        if schema is not None or domain is not None or persons is not None:
            raise InvalidInput("Records have their own domain and persons: leave schema, domain and rows_per_person out.")
        return table.domain
    if schema is not None and domain is None:
        return replace(schema_domain(schema), persons=persons)
    if schema is None and domain is not None:
        if domain.persons not in (None, persons):
            raise InvalidInput("the domain and rows_per_person, person_weight disagree about persons. State it in one place only.")
        return replace(domain, persons=persons)
    raise InvalidInput("pass either schema (for a table with columns) or domain (for an array).")
