"""A published release as it is read back: the numbers, streamed from their files, and everything public that a consumer needs.

Reading holds one file of numbers at a time, unless `values` or `frame` is asked for all of them. Nothing here is private.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.accounting import Guarantee, Json
from discreet.certificates import Verification
from discreet.core.arrays import Floats
from discreet.core.errors import FileFormatError, InvalidInput, quoted
from discreet.core.files.reading import whole_text
from discreet.core.files.whole_file import reason_of
from discreet.core.lazily import lazily
from discreet.core.neighbours import REPLACE_ONE
from discreet.core.short import short_repr
from discreet.core.showing import html_of
from discreet.data import Domain
from discreet.queries import Projection, Target
from discreet.queries.record import query_from_record
from discreet.releases.checks import all_checks, foreign_files
from discreet.releases.manifest import NAME, Contents, read_manifest
from discreet.releases.methods.base import Query
from discreet.releases.methods.columns import Kind
from discreet.releases.parts import read_part, read_parts
from discreet.releases.words import inspected, some

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazily("polars")

_MOST_PLACES = 15

_TARGETS = {Target.OMITTED: "not released", Target.NOISY: "with noise, like the other columns", Target.CLEAR: "in clear, without protection"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PublishedRelease(Contents):
    """A release in a folder: its manifest, and the location of its numbers. Build it with `read_release`."""

    folder: Path
    document: Mapping[str, Any] = field(repr=False)
    """The manifest as it stands."""
    query: Query
    """The public query that it answers."""
    _covariance: Floats | None = field(repr=False)

    __repr__ = short_repr
    _repr_html_ = html_of("releases.view")

    def __eq__(self, other: object) -> bool:
        """Equal manifests, which hold the checksums of the numbers."""
        return self.document == other.document if isinstance(other, PublishedRelease) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

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
    def domain(self) -> Domain:
        """Bounds of the encoded records."""
        return self.query.read.domain

    @property
    def feature_columns(self) -> tuple[int, ...]:
        """Positions of the features in `values`."""
        return tuple(place for place, column in enumerate(self.columns) if column.role == "feature")

    @property
    def target_column(self) -> int | None:
        """Position of the target in `values`; None if there is none (omitted, or mixed into projected columns)."""
        return next((place for place, column in enumerate(self.columns) if column.role == "target"), None)

    @property
    def slots(self) -> int | None:
        """The number of released rows, including those of noise alone, if the number of records is secret (add-remove, or persons)."""
        slots = self.parameters.get("slots")
        return slots if isinstance(slots, int) else None

    @property
    def sketch_rows(self) -> int | None:
        """k for a sketch, else None."""
        return self.shape[0] if self.kind is Kind.SKETCH else None

    @property
    def records(self) -> int | None:
        """The number of records if it is public, else None."""
        return self.shape[0] if self.kind in (Kind.ROWS, Kind.PROJECTED_ROWS) and self.slots is None else None

    @property
    def noise_covariance(self) -> Floats:
        """(columns, columns): of the noise on a row; for a sketch S of k rows, what E[S' S] / k has more than Z'Z. Zero for a target in clear.

        For moments N, of which the noise E has Cov(E u) = (u'N u) N + N u u'N: a sum of products of two columns i and j has the variance
        N_ii N_jj, a sum of squares 2 N_ii^2.

        Raises InvalidInput for noise that was computed from the records.
        """
        if self._covariance is None:
            raise InvalidInput(f"the noise of method {self.method!r} ({self.calibration}) depends on the records: it has no public covariance.")
        return self._covariance

    @property
    def noise_variance(self) -> float | None:
        """The same as a single number if it is equal for all noisy columns, else None."""
        if self._covariance is None:
            return None
        noisy = [place for place, column in enumerate(self.columns) if column.noisy]
        inner = self._covariance[np.ix_(noisy, noisy)]
        variance = float(inner[0, 0])
        return variance if np.array_equal(inner, variance * np.eye(len(noisy))) else None

    @property
    def projection(self) -> Floats | None:
        """P, (numbers of a record, columns of the answer), where there is one."""
        if self.projection_part is None:
            return None
        return read_part(self.folder, self.projection_part, [f"p{number}" for number in range(len(self.feature_columns))])

    def blocks(self) -> Iterator[Floats]:
        """The rows of `values`, in order, in blocks."""
        return read_parts(self.folder, self.parts, self.column_names)

    def values(self) -> Floats:
        """All released numbers, `shape`, in encoded units: features, then the target, if any."""
        return np.concatenate(list(self.blocks()))

    def features(self) -> Floats:
        """`values` without the target's column."""
        return self.values()[:, list(self.feature_columns)]

    def targets(self) -> Floats | None:
        """The target's column of `values`, (rows,), or None."""
        place = self.target_column
        return None if place is None else np.concatenate([block[:, place] for block in self.blocks()])

    def frame(self, *, within_bounds: bool = False, decimals: Mapping[str, int] | None = None) -> "pl.DataFrame":
        """The released numbers with column names, in the columns' own units if they have any.

        `decimals` rounds columns, by name, to this many decimal places (negative: before the point). `within_bounds` then clips numbers to the
        public bounds of their column, so that no age is negative. Both use only what was released and cost nothing; but means and models of clipped
        rows are biased, so consumers use `values`. Raises InvalidInput for an unknown column, and for decimals other than whole numbers from -15 to
        15.
        """
        rounded = decimals or {}
        if not rounded.keys() <= set(self.column_names):
            raise InvalidInput(f"decimals must name columns of the release, which are {quoted(self.column_names)}; another name was given.")
        if wrong := [
            name for name, places in rounded.items() if isinstance(places, bool) or not isinstance(places, int) or abs(places) > _MOST_PLACES
        ]:
            raise InvalidInput(f"decimals are whole numbers from -{_MOST_PLACES} to {_MOST_PLACES}; those of {quoted(wrong)} are not.")
        values, columns = self.values(), {}
        for place, column in enumerate(self.columns):
            numbers = column.own_units(values[:, place])
            numbers = np.round(numbers, rounded[column.name]) if column.name in rounded else numbers
            columns[column.name] = np.clip(numbers, *column.own_bounds) if within_bounds else numbers
        return pl.DataFrame(columns)

    def verify(self) -> Verification:
        """Check files, manifest and certificate against each other, and recompute the guarantee."""
        return Verification(checks=all_checks(self.folder, self, self.document, self.query))

    def inspection(self) -> list[tuple[str, list[str]]]:
        """What it is, what it protects and what not, and how to use it, for people: (heading, lines), most important first."""
        rows, columns = self.shape
        as_published = ", as published" if self.calibration == "published" else ""
        what = [
            f"{self.name!r}, {self.made_by.says} ({self.method}{as_published})",
            f"{rows} rows of {columns} numbers: {some(self.column_names)}",
            f"Target: {_TARGETS[self.target]}",
            f"Noise: {self._noise()}",
        ]
        return inspected(self.certificate, what, self.in_words)

    def inspection_record(self) -> dict[str, Json]:
        """The same for programs."""
        return {
            "name": self.name,
            "method": self.method,
            "calibration": self.calibration,
            "kind": str(self.kind),
            "target": str(self.target),
            "shape": list(self.shape),
            "columns": [*self.column_names],
            "noise_variance": self.noise_variance,
            "guarantee": self.guarantee.to_dict(),
            "noise_private": self.certificate.noise_private,
            **self.in_words,
        }

    def _noise(self) -> str:
        variance = self.noise_variance
        if self._covariance is None:
            return "computed from the records, so its size is not public"
        if self.kind is Kind.MOMENTS:
            count, square = (math.sqrt(2.0) * self._covariance[place, place] for place in (0, 1))
            return f"standard deviation {square:.6g} on sums of squares, {square / math.sqrt(2.0):.6g} on sums of products{self._counted(count)}"
        if variance is None:
            return "of different sizes for different columns (noise_covariance)"
        if self.kind is Kind.SKETCH:
            return f"{variance:.6g} on the diagonal of the second moments"
        beside = f", beside numbers within +-{self.domain.largest_entry:.6g}" if self.kind is Kind.ROWS else ""
        return f"standard deviation {math.sqrt(variance):.6g} on every number{beside}"

    def _counted(self, deviation: float) -> str:
        return "; the number of records as it is" if self.count_is_exact else f", {deviation:.6g} on the number of records"

    @property
    def count_is_exact(self) -> bool:
        """For moments: whether the number of records, the first number, has no noise because neighbouring tables share it."""
        return self.kind is Kind.MOMENTS and self.guarantee.neighbours is REPLACE_ONE and self.query.read.in_order


def read_release(folder: str | Path) -> PublishedRelease:
    """Open the release in a folder; its numbers are read when needed.

    Raises InvalidInput if there is none, and FileFormatError, with the path, for a manifest that this version would not have written.
    """
    path = Path(folder)
    try:
        text = whole_text(path / NAME)
    except UnicodeDecodeError:
        refusal: InvalidInput = FileFormatError(f"{str(folder)!r} is not a release: its {NAME} is not UTF-8 text.")
    except (FileNotFoundError, NotADirectoryError):
        refusal = InvalidInput(f"there is no release {str(folder)!r}: a folder with a {NAME} is needed. Check the path.")
    except (OSError, ValueError) as error:
        refusal = InvalidInput(f"release {str(folder)!r} cannot be read ({reason_of(error)}). A readable folder is needed.")
    else:
        if '"discreet-synthetic/' in text:
            raise InvalidInput(f"{str(folder)!r} is a synthetic table: read it with read_synthetic.")
        try:
            return release_from(path, text)
        except FileFormatError as error:
            refusal = FileFormatError(f"{str(folder)!r} is not a usable release: {error}")
    raise refusal


def release_from(folder: Path, text: str) -> PublishedRelease:
    """The release that a manifest describes. Raises FileFormatError where its parts do not belong together."""
    contents, document = read_manifest(text)
    certificate, method = contents.certificate, contents.made_by
    query = query_from_record(certificate.problem)
    width = method.width(query, certificate.parameters)
    if not isinstance(width, int):
        raise FileFormatError("the certificate states no width.")
    expected = width + (contents.kind in (Kind.ROWS, Kind.PROJECTED_ROWS) and query.read.target is Target.CLEAR)
    if len(contents.columns) != expected:
        raise FileFormatError(f"its parts do not belong together: its query has {expected} columns, but {len(contents.columns)} are listed.")
    if (contents.projection_part is not None) is not (isinstance(query, Projection) or method.draws_projection):
        raise FileFormatError("its parts do not belong together: a projected release must include its projection, and others none.")
    covariance = method.noise_covariance(certificate.mechanism, certificate.parameters, query, columns=expected)
    stated = {one.name: getattr(contents, one.name) for one in fields(contents)}
    return PublishedRelease(folder=folder, document=document, query=query, _covariance=covariance, **stated)


def is_release(folder: Path) -> bool:
    """Whether the folder holds a release and nothing else, and so may be replaced by another."""
    try:
        contents, _ = read_manifest(whole_text(folder / NAME))
        return not foreign_files(folder, contents)
    except (OSError, ValueError, InvalidInput):
        return False
