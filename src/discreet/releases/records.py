"""The records of a release, brought within its domain: of a table in memory, of files that are read in blocks, or of blocks anywhere.

A table in blocks is read once before anything is spent, so that what is wrong with a record is found by then; a ledger that is in use reads it twice
more, to know it again; and once (under add-remove once for every half GiB of released rows) while rows go out.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import job_count
from discreet.data import BlockTable, Domain, Reader, Records, Schema, schema_files
from discreet.data import Target as ClassTarget
from discreet.data.frames import Frame
from discreet.data.labels import label_array
from discreet.matrices import Matrix, as_matrix
from discreet.mechanisms.persons import drawn_beside, owners_of
from discreet.noise import Noise
from discreet.queries import Target
from discreet.releases.methods.columns import encoded_table, require_target

Files: TypeAlias = str | Path | Sequence[str | Path]
"""A Parquet or Arrow file, a folder of Parquet files, or several files."""


def file_records(
    paths: Files,
    schema: Schema,
    domain: Domain,
    target: Target,
    *,
    n_jobs: int | None = None,
    client: Any = None,  # noqa: ANN401 - Dask publishes no types
    noise: Noise | None = None,
) -> Records:
    """The records of files, encoded by `schema` block by block, by `n_jobs` threads, or by the workers of `client`, who find them at the same paths.

    Workers keep nothing between the passes, which are few, so that a table larger than the cluster's memory is released too. `schema` is one of
    `released_schema`, and `domain` its `released_domain`; `noise` as in `block_records`. Raises as `schema_files` does, and InvalidInput for a
    target of more than two classes.
    """
    require_target(schema, target)
    table = schema_files(paths, schema, target=target is not Target.OMITTED, persons=True)
    classes = label_array(schema.target.classes) if isinstance(schema.target, ClassTarget) and target is not Target.OMITTED else None
    where = table if client is None else table.on(client, remember=False)
    return block_records(where, domain, target, classes=classes, n_jobs=n_jobs, noise=noise)


def block_records(
    table: BlockTable,
    domain: Domain,
    target: Target,
    *,
    classes: npt.NDArray[Any] | None = None,
    n_jobs: int | None = None,
    noise: Noise | None = None,
) -> Records:
    """The records of a table in blocks; with two `classes` (2,), targets are -1 and +1. `noise` where the domain tells persons apart.

    Raises InvalidInput for what does not fit the domain.
    """
    omitted = target is Target.OMITTED
    read = Reader(domain=domain, classes=classes, needed="give them, or release without (target='omitted').", omitted=omitted)
    return read.read(table, job_count(n_jobs), noise=None if noise is None else drawn_beside(noise))[1](domain)


def held_records(
    table: Frame | Floats | Matrix,
    domain: Domain,
    target: Target,
    *,
    schema: Schema | None,
    y: Floats | None,
    n_jobs: int | None = None,
    persons: Any = None,  # noqa: ANN401 - a column of any library
    noise: Noise,
) -> Records:
    """The records of a table in memory: a frame that `schema` encodes, or an array (n, d) with its targets `y` (n,).

    `persons` (n,) says whose row each is, where the domain tells persons apart; `noise` then draws which are kept.
    """
    jobs = job_count(n_jobs)
    if schema is not None:
        if y is not None:
            raise InvalidInput(_NO_Y)
        encoded, targets = encoded_table(schema, table, target, persons=True)
        rows, persons = encoded.rows, persons if encoded.persons is None else encoded.persons
    else:
        if y is None and target is not Target.OMITTED:
            raise InvalidInput("with an array, pass its targets y, or target='omitted'.")
        rows = as_matrix(table)
        targets = np.zeros(rows.shape[0]) if y is None else np.asarray(y, dtype=np.float64)
    weights = owners_of(persons, rule=domain.persons, rows=rows.shape[0], noise=noise).weights
    return Records(rows=rows, targets=targets, domain=domain, weights=weights, jobs=jobs)


def private_records(  # noqa: PLR0913 - what `publish` was given
    table: Records | BlockTable | Frame | Floats | Matrix | Files,
    domain: Domain,
    target: Target,
    *,
    schema: Schema | None,
    y: Floats | None,
    n_jobs: int | None,
    client: Any,  # noqa: ANN401 - Dask publishes no types
    persons: Any,  # noqa: ANN401 - a column of any library
    noise: Noise,
) -> Records:
    """Whatever `publish` was given. Raises InvalidInput for arguments that do not go together."""
    files = _files(table)
    if persons is not None and (files is not None or isinstance(table, Records | BlockTable)):
        raise InvalidInput("persons is for a frame or an array: a table in blocks brings its own ids, and Records have drawn their rows.")
    if client is not None and files is None:
        raise InvalidInput("client is for files, which its workers read; blocks on a cluster are a DaskTable.")
    if y is not None and (files is not None or isinstance(table, Records | BlockTable)):
        raise InvalidInput(_NO_Y)
    if files is not None:
        if schema is None:
            raise InvalidInput("files need a schema; with a domain, give numeric_files(paths, features=..., target=...), whose columns are numbers.")
        return file_records(files, schema, domain, target, n_jobs=n_jobs, client=client, noise=noise)
    if isinstance(table, BlockTable):
        if schema is not None:
            raise InvalidInput("a table in blocks is already encoded: pass its domain, or the paths of its files with the schema.")
        return block_records(table, domain, target, n_jobs=n_jobs, noise=noise)
    if isinstance(table, Records):
        if n_jobs is not None:
            raise InvalidInput("Records have their own number of threads (jobs): leave n_jobs out.")
        return table
    return held_records(table, domain, target, schema=schema, y=y, n_jobs=n_jobs, persons=persons, noise=noise)


_NO_Y = "y is for arrays: Records and a table in blocks have their targets, and a schema names the target's column."


def _files(table: object) -> list[str | Path] | None:
    """The paths, where the table is given as paths."""
    given = [table] if isinstance(table, str | Path) else list(table) if isinstance(table, list | tuple) else []
    paths = [one for one in given if isinstance(one, str | Path)]
    return paths if paths and len(paths) == len(given) else None
