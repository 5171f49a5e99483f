"""A published release as it is read back: the numbers, streamed from their files, and everything public that a consumer needs.

Reading holds one file of numbers at a time, unless `values` or `frame` is asked for all of them. Nothing here is private.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from discreet.accounting import Guarantee, Json
from discreet.certificates import Certificate, Verification
from discreet.core.arrays import Floats
from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.neighbours import REPLACE_ONE
from discreet.data import RealDomain, Schema
from discreet.queries import Projection, Target
from discreet.queries.record import query_from_record
from discreet.releases.checks import all_checks
from discreet.releases.columns import PublishedColumn
from discreet.releases.manifest import NAME, Contents
from discreet.releases.manifest_reader import read_manifest
from discreet.releases.methods import Kind
from discreet.releases.noise import noise_covariance
from discreet.releases.parts import read_part, read_parts
from discreet.releases.request import Calibration, Query


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PublishedRelease:
    """A release in a folder. Build it with `read_release`."""

    folder: Path
    contents: Contents
    """What the manifest says, as values."""
    document: Mapping[str, Any] = field(repr=False)
    """The manifest as it stands."""
    query: Query
    """The public query that it answers."""
    _covariance: Floats | None = field(repr=False)

    def __eq__(self, other: object) -> bool:
        """Equal manifests, which hold the checksums of the numbers."""
        return self.document == other.document if isinstance(other, PublishedRelease) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    @property
    def method(self) -> str:
        """One of `METHODS`, or "local"."""
        return self.contents.method

    @property
    def calibration(self) -> Calibration:
        """Ours ("tight"), or as in a paper ("published")."""
        return self.contents.calibration

    @property
    def kind(self) -> Kind:
        """What the numbers are."""
        return self.contents.kind

    @property
    def target(self) -> Target:
        """What became of the target."""
        return self.contents.target

    @property
    def columns(self) -> tuple[PublishedColumn, ...]:
        """The columns of `values`, in order; a target is the last."""
        return self.contents.columns

    @property
    def schema(self) -> Schema | None:
        """By which the table was encoded, and by which others may be; None for a release of arrays."""
        return self.contents.schema

    @property
    def certificate(self) -> Certificate:
        """What the release promises and why."""
        return self.contents.certificate

    @property
    def guarantee(self) -> Guarantee:
        """The certificate's."""
        return self.certificate.guarantee

    @property
    def mechanism(self) -> str:
        """Name of the mechanism, such as "release-gaussian-rows"."""
        return self.certificate.mechanism

    @property
    def parameters(self) -> Mapping[str, Json]:
        """The mechanism's public numbers."""
        return self.certificate.parameters

    @property
    def domain(self) -> RealDomain:
        """Bounds of the encoded records."""
        return self.query.read.domain

    @property
    def shape(self) -> tuple[int, int]:
        """Of `values`."""
        return self.contents.rows, len(self.columns)

    @property
    def feature_columns(self) -> tuple[int, ...]:
        """Positions of the features in `values`."""
        return tuple(place for place, column in enumerate(self.columns) if column.role == "feature")

    @property
    def target_column(self) -> int | None:
        """Position of the target in `values`; None where there is none (omitted, or mixed into projected columns)."""
        return next((place for place, column in enumerate(self.columns) if column.role == "target"), None)

    @property
    def slots(self) -> int | None:
        """Rows that were released under add-remove, those of noise alone included."""
        slots = self.parameters.get("slots")
        return slots if isinstance(slots, int) else None

    @property
    def sketch_rows(self) -> int | None:
        """k of a sketch, else None."""
        return self.contents.rows if self.kind is Kind.SKETCH else None

    @property
    def records(self) -> int | None:
        """The number of records where it is public, else None."""
        return self.contents.rows if self.kind is not Kind.SKETCH and self.guarantee.neighbours is REPLACE_ONE else None

    @property
    def noise_covariance(self) -> Floats:
        """(columns, columns): of the noise on a row; for a sketch S of k rows, what E[S' S] / k has more than Z'Z. Zero for a target in clear.

        Raises InvalidInput for noise that was computed from the records.
        """
        if self._covariance is None:
            raise InvalidInput(f"the noise of method {self.method!r} ({self.calibration}) depends on the records: it has no public covariance.")
        return self._covariance

    @property
    def noise_variance(self) -> float | None:
        """The same as one number, where it is one for all noisy columns; else None."""
        if self._covariance is None:
            return None
        noisy = [place for place, column in enumerate(self.columns) if column.noisy]
        inner = self._covariance[np.ix_(noisy, noisy)]
        variance = float(inner[0, 0])
        return variance if np.array_equal(inner, variance * np.eye(len(noisy))) else None

    @property
    def projection(self) -> Floats | None:
        """P, (numbers of a record, columns of the answer), where there is one."""
        part = self.contents.projection
        if part is None:
            return None
        width = len(self.feature_columns)
        return read_part(self.folder, part, [f"p{number}" for number in range(width)])

    def blocks(self) -> Iterator[Floats]:
        """The rows of `values`, in order, some at a time."""
        return read_parts(self.folder, self.contents.parts, [column.name for column in self.columns])

    def values(self) -> Floats:
        """All released numbers, `shape`, in encoded units: features, then the target where there is one."""
        return np.concatenate(list(self.blocks()))

    def features(self) -> Floats:
        """`values` without the target's column."""
        return self.values()[:, list(self.feature_columns)]

    def targets(self) -> Floats | None:
        """The target's column of `values`, (rows,), or None."""
        place = self.target_column
        return None if place is None else np.concatenate([block[:, place] for block in self.blocks()])

    def frame(self) -> pl.DataFrame:
        """The released numbers with the columns' names, in the columns' own units where they have some."""
        values = self.values()
        return pl.DataFrame({column.name: column.own_units(values[:, place]) for place, column in enumerate(self.columns)})

    def verify(self) -> Verification:
        """Check files, manifest and certificate against each other, and recompute the guarantee."""
        return Verification(checks=all_checks(self.folder, self.contents, self.document, self.query))


def read_release(folder: str | Path) -> PublishedRelease:
    """The release in a folder; its numbers are read when they are asked for.

    Raises InvalidInput where there is none, FileFormatError, with the path, for a manifest that this version would not have written.
    """
    path = Path(folder)
    try:
        text = (path / NAME).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        refusal: InvalidInput = FileFormatError(f"{str(folder)!r} is no release: its {NAME} is not UTF-8 text.")
    except (FileNotFoundError, NotADirectoryError):
        refusal = InvalidInput(f"there is no release {str(folder)!r}: a folder with a {NAME} is needed. Check the path.")
    except (OSError, ValueError) as error:
        refusal = InvalidInput(f"release {str(folder)!r} cannot be read ({type(error).__name__}). A readable folder is needed.")
    else:
        try:
            return release_from(path, text)
        except FileFormatError as error:
            refusal = FileFormatError(f"{str(folder)!r} is no usable release: {error}")
    raise refusal


def release_from(folder: Path, text: str) -> PublishedRelease:
    """The release that a manifest describes. Raises FileFormatError where its parts do not belong together."""
    contents, document = read_manifest(text)
    certificate = contents.certificate
    query = query_from_record(certificate.problem)
    expected = _columns_of(contents, query)
    if len(contents.columns) != expected:
        raise FileFormatError(f"it contradicts itself: its query has {expected} columns, and {len(contents.columns)} are listed.")
    if (contents.projection is not None) is not (isinstance(query, Projection) or certificate.mechanism == "release-fresh-projection"):
        raise FileFormatError("it contradicts itself: a projected release comes with its projection, and others with none.")
    covariance = noise_covariance(certificate.mechanism, certificate.parameters, query, columns=expected)
    return PublishedRelease(folder=folder, contents=contents, document=document, query=query, _covariance=covariance)


def is_release(folder: Path) -> bool:
    """Whether the folder holds a release, and so may be replaced by another."""
    try:
        read_manifest((folder / NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError, InvalidInput):
        return False
    return True


def _columns_of(contents: Contents, query: Query) -> int:
    if contents.certificate.mechanism == "release-fresh-projection":
        width = contents.certificate.parameters.get("width")
        if not isinstance(width, int):
            raise FileFormatError("the certificate states no width.")
        return width + (query.read.target is Target.CLEAR)
    if contents.kind is Kind.SKETCH:
        return query.columns
    return query.columns + (query.read.target is Target.CLEAR)
