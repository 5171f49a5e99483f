"""Everything that can be found out about a release by a stranger who has the folder and nothing else.

files        each has the size and SHA-256 of the manifest, none is missing and none was added
manifest     its digest; its query, target, columns and rows are those of its certificate; its words are those of this version, if it is of it
projection   P is the matrix of the public seed, or that of the certificate
certificate  the guarantee again, by other lines; the noise source
value        the digest of the released numbers, P included where it was drawn with them
"""

import math
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from discreet.certificates import Check, digest_of_blocks
from discreet.core.arrays import Floats
from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.fields import positive
from discreet.data import Schema
from discreet.queries import Projection, SecondMoments, Target
from discreet.releases.manifest import DIGEST, NAME, Contents, digest_of_manifest
from discreet.releases.methods.base import Query
from discreet.releases.methods.columns import Kind, released_columns, released_schema, schema_domain, weight_beside
from discreet.releases.parts import PartReader


def all_checks(folder: Path, contents: Contents, document: Mapping[str, Any], query: Query) -> tuple[Check, ...]:
    """Every check with its verdict; what cannot be read is a failed one."""
    reader = PartReader(folder)
    value = [*_value(reader, contents, query)]  # first: what is read for it is what the checksums are of
    checks = [*_files(folder, contents, reader), *_manifest(contents, document), *_agreement(contents, query)]
    return (*checks, *contents.certificate.verify().checks, *value)


def _value(reader: PartReader, contents: Contents, query: Query) -> Iterator[Check]:
    try:
        if contents.projection_part is not None and isinstance(query, Projection):
            given = reader.whole(contents.projection_part, _projected_names(contents))
            yield Check("projection", np.array_equal(given, query.matrix), "the matrix in its file is that of the certificate")
        digest, on_grid = _numbers(reader, contents, query)
        yield Check("grid of the numbers", on_grid, "every number with noise is a multiple of the recorded step")
        same = digest == contents.certificate.digest
        yield Check("released value", same, "digest matches" if same else "the numbers are not those that the certificate was issued for")
    except InvalidInput as error:
        yield Check("released value", False, str(error))


def _files(folder: Path, contents: Contents, reader: PartReader) -> Iterator[Check]:
    parts = [*contents.parts, *([] if contents.projection_part is None else [contents.projection_part])]
    changed = [part.path for part in parts if not reader.as_listed(part)]
    detail = f"size and SHA-256 of {len(parts)} files" if not changed else f"missing or changed: {', '.join(changed[:5])}"
    yield Check("files", not changed, detail)
    added = foreign_files(folder, contents)
    yield Check("no other files", not added, "nothing was added" if not added else f"{len(added)} files or folders do not belong to the release")


def foreign_files(folder: Path, contents: Contents) -> list[str]:
    """What lies in the folder and is not listed by the manifest; links too."""
    parts = contents.parts if contents.projection_part is None else (*contents.parts, contents.projection_part)
    known = {NAME, *(part.path for part in parts)}
    folders = {parent.as_posix() for path in known for parent in PurePosixPath(path).parents} - {"."}
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    return [name for name, path in found.items() if path.is_symlink() or name not in (folders if path.is_dir() else known)]


def _manifest(contents: Contents, document: Mapping[str, Any]) -> Iterator[Check]:
    try:
        same = document.get(DIGEST) == digest_of_manifest(dict(document))
    except (TypeError, ValueError):
        same = False
    yield Check("manifest", same, "its digest matches" if same else "it was changed after it was written")
    expected = contents.manifest()
    other = sorted(key for key in {*expected, *document} - {DIGEST} if expected.get(key) != document.get(key))
    detail = "every word follows from the certificate" if not other else f"not what this version writes: {', '.join(other)[:100]}"
    yield Check("manifest's words", not other, detail)


def _agreement(contents: Contents, query: Query) -> Iterator[Check]:
    """Whether what the manifest says about the numbers is what the certificate says."""
    certificate, method = contents.certificate, contents.made_by
    parameters, rows = certificate.parameters, contents.shape[0]
    known = method.spec_of(certificate.mechanism) is not None and type(query) is method.query
    yield Check("kind", known, f"{method.kind} by {certificate.mechanism}")
    target = method.target_of(query)
    yield Check("target", target is contents.target, f"stated {str(contents.target)!r}; the certificate's is {str(target)!r}")
    yield Check("columns", _columns_fit(contents, query), "names, bounds and noise are those of the certificate's bounds and of the schema")
    local = parameters.get("local", False)
    yield Check("method", local is (not method.ways), "the owners of the records" if local is True else "the holder of the table")
    if contents.schema is not None:
        yield Check(
            "schema", _schema_fits(contents.schema, query, local=local is True), "its bounds and number of features are those of the certificate"
        )
    size = query.columns if method.kind is Kind.MOMENTS else parameters.get("rows" if method.kind is Kind.SKETCH else "slots")
    hidden = parameters.get("shuffled", 0)
    same = (size is None or size == rows) and isinstance(hidden, int) and hidden <= rows
    yield Check("rows", same, f"{rows} rows" if same else "another number of rows than the certificate says")


def _columns_fit(contents: Contents, query: Query) -> bool:
    width = contents.made_by.width(query, contents.certificate.parameters)
    if not isinstance(width, int):
        return False
    try:
        return contents.columns == released_columns(
            contents.kind, query.read.domain, contents.target, contents.schema, width=width, weight=weight_beside(query)
        )
    except InvalidInput:
        return False


def _schema_fits(schema: Schema, query: Query, *, local: bool) -> bool:
    if schema.date or any(column.indicated for column in schema.numeric):
        return False
    domain, read = schema_domain(schema), query.read.domain
    same = (domain.features, domain.entry_bound, domain.norm_bound) == (read.features, read.entry_bound, read.norm_bound)
    same &= schema.persons is None or schema.persons == read.persons or local
    with_target = query.read.target is not Target.OMITTED
    return same and (not with_target or domain.target_bound == read.target_bound) and released_schema(schema) == schema


def _numbers(reader: PartReader, contents: Contents, query: Query) -> tuple[str, bool]:
    """The digest of the value as the mechanism released it, P first where it was drawn with the rows; and whether numbers are on the grid."""
    names, first = contents.column_names, []
    if contents.made_by.draws_projection:
        if contents.projection_part is None:
            raise FileFormatError("the release lacks its projection.")
        matrix = reader.whole(contents.projection_part, _projected_names(contents))
        first = [np.column_stack((matrix, np.zeros(len(matrix)))) if contents.target is Target.CLEAR else matrix]
    kept = [number for number, column in enumerate(contents.columns) if column.noisy]
    noisy = kept if len(kept) < len(contents.columns) else slice(None)
    step, on_grid = _step(contents, query), [True]

    def rows() -> Iterator[Floats]:
        for block in chain.from_iterable(reader.blocks(part, names) for part in contents.parts):
            on_grid[0] = on_grid[0] and (step is None or _whole(block[:, noisy] / step))
            yield block

    count = contents.shape[0] + sum(len(matrix) for matrix in first)
    return digest_of_blocks((count, len(names)), chain(first, rows())), on_grid[0]


def _whole(steps: Floats) -> bool:
    return bool(np.all(np.rint(steps) == steps))


def _step(contents: Contents, query: Query) -> float | Floats | None:
    """The grid of the released numbers, a power of two, or one of each; None for rows that were brought back from a weighting, and without a grid."""
    step, steps = (contents.certificate.parameters.get(name) for name in ("step", "steps"))
    if isinstance(steps, list):
        each = np.array([positive(one) for one in steps])
        return each if np.all(np.frexp(each)[0] == 0.5) and len(each) == query.columns else None
    if not isinstance(step, float) or step <= 0 or math.frexp(step)[0] != 0.5 or not contents.made_by.on_grid:
        return None
    return step * query.unit if isinstance(query, SecondMoments) else step


def _projected_names(contents: Contents) -> list[str]:
    return [f"p{number}" for number in range(sum(column.role == "feature" for column in contents.columns))]
