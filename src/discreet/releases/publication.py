"""A planned release of a table: everything public is settled, and no record has been read.

planned     method, request and calibration make query and mechanism; columns and words follow
check       the folder can be written (tried)
write       spend, draw, write, read back, in this order; a failure on the way leaves no folder
"""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np

from discreet.accounting import Guarantee
from discreet.certificates import Certificate
from discreet.core.errors import InvalidInput
from discreet.core.files.strict_json import printable
from discreet.core.files.whole_folder import check_folder, check_room, whole_folder
from discreet.data import RealDataset, Schema
from discreet.ledger import Account
from discreet.noise import Noise
from discreet.queries import Projection
from discreet.releases.columns import PublishedColumn, released_columns, require_target
from discreet.releases.manifest import NAME, Contents, manifest_text
from discreet.releases.methods import Kind, Method, calibration_named, method_named
from discreet.releases.parts import PROJECTION, Part, PartWriter, write_part
from discreet.releases.release import PublishedRelease, is_release, read_release
from discreet.releases.request import Calibration, Plan, Request


class About(NamedTuple):
    """What the custodian says about the release, in words of their own; published as it is."""

    name: str | None = None
    """The schema's if left out."""
    description: str | None = None
    license: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """Build it with `planned`."""

    method: Method
    calibration: Calibration
    request: Request
    plan: Plan
    schema: Schema | None
    """By which the table is encoded (`released_schema`); None for arrays."""
    about: About

    @classmethod
    def planned(cls, method: str, request: Request, *, calibration: str, schema: Schema | None, about: About) -> Self:
        """Raises InvalidInput for what cannot be released, InfeasibleTarget where no noise is enough."""
        chosen = method_named(method)
        if schema is not None:
            require_target(schema, request.target)
        used = calibration_named(calibration)
        made = cls(method=chosen, calibration=used, request=request, plan=chosen.plan(request, used), schema=schema, about=about)
        if not printable([*(column.name for column in made.columns), *(word for word in about if word is not None)]):
            raise InvalidInput("names of columns, and the name, description and license of a release, must be free of control characters.")
        return made

    @property
    def guarantee(self) -> Guarantee:
        """What it will promise, before any record is read."""
        return self.plan.mechanism.guarantee(self.plan.query)

    @property
    def columns(self) -> tuple[PublishedColumn, ...]:
        """Those of the release."""
        width = self.plan.query.columns if isinstance(self.plan.query, Projection) else self.request.width or 0
        return released_columns(self.method.kind, self.request.domain, self.request.target, self.schema, width=width)

    def check(self, folder: str | Path, *, overwrite: bool) -> None:
        """Raise InvalidInput unless the folder could be written now. An existing one is replaced only if it holds a release."""
        check_folder(folder, overwrite=overwrite, replaceable=is_release)

    def write(
        self, data: RealDataset, folder: str | Path, noise: Noise, *, account: Account | None = None, overwrite: bool = False
    ) -> PublishedRelease:
        """Release the records. Raises as `ReleaseMechanism.write` does, and InvalidInput where the folder cannot be written."""
        query, mechanism = self.plan
        fresh = self.method.name == "fresh-projection"
        names = [column.name for column in self.columns]
        check_room(folder, self._most_bytes(data))
        writer = PartWriter(names, leading=query.read.columns if fresh else 0)
        try:
            with whole_folder(folder, overwrite=overwrite, replaceable=is_release) as temporary:
                writer.into(temporary)
                certificate = mechanism.write(query, data, noise, writer.keep, account=account)
                parts = writer.finish()
                matrix = writer.leading if fresh else query.map.matrix if isinstance(query, Projection) else None
                projection = None
                if matrix is not None:
                    features = [column.name for column in self.columns if column.role == "feature"]
                    projection = write_part(temporary, PROJECTION, features, np.ascontiguousarray(matrix[:, : len(features)]))
                contents = self._contents(certificate, parts, projection)
                (temporary / NAME).write_text(manifest_text(contents.manifest()), encoding="utf-8")
        except InvalidInput as error:
            if not writer.begun:
                raise
            refusal = InvalidInput(f"{error} Nothing was released, and the budget of this release counts as spent.")
        else:
            return read_release(folder)
        raise refusal

    def _most_bytes(self, data: RealDataset) -> int:
        """On disk, from numbers that are public in every case: rows of a sketch, slots, or records under replace-one."""
        rows = self.request.rows if self.method.kind is Kind.SKETCH else self.request.slots
        return 9 * len(self.columns) * (data.records if rows is None else rows) + (1 << 20)

    def _contents(self, certificate: Certificate, parts: tuple[Part, ...], projection: Part | None) -> Contents:
        standard = "release" if self.schema is None else self.schema.name
        return Contents(
            method=self.method.name,
            calibration=self.calibration,
            kind=self.method.kind,
            target=self.request.target,
            columns=self.columns,
            rows=sum(part.rows for part in parts),
            parts=parts,
            projection=projection,
            schema=self.schema,
            certificate=certificate,
            name=standard if self.about.name is None else self.about.name,
            description=f"A private release: {self.method.says}." if self.about.description is None else self.about.description,
            license=self.about.license,
        )
