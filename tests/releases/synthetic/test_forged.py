"""A folder that somebody changed and made every digest of anew: what it says of rows, counts and labels is found again, or nobody can know it."""

import json

import numpy as np
import polars as pl
import pytest

from discreet.core.errors import DiscreetError
from discreet.noise import SystemNoise
from discreet.releases import publish_synthetic, read_synthetic
from discreet.releases.manifest import DIGEST, croissant_file, digest_of_manifest
from discreet.releases.parts import described, part_path
from tests.fuzz.mutations import places
from tests.releases.synthetic.cases import schema, table
from tests.releases.synthetic.test_publish import quick as quick  # noqa: PLC0414 - a fixture

FREE = [("name",), ("description",), ("license",)]
"""Words of the author's own; nothing follows from them."""
UNKNOWABLE = [("discreet:certificate", "ledger_entry")]
TIED = [("discreet:certificate", "guarantee", "delta")]
"""A larger one claims less."""


@pytest.fixture
def folder(quick, tmp_path):
    """Two tables of few columns, one of them with bins that were chosen."""
    small = schema(numeric=schema().numeric[:1], date=())
    made = publish_synthetic(
        table(), tmp_path / "out", SystemNoise(), schema=small, epsilon=2.0, delta=1e-6, cuts="private", tables=2, whole=("age",), license="CC0-1.0"
    )
    made.verify().require()
    return tmp_path / "out"


def failed(folder, change):
    """The names of the checks that fail once the document is changed and its digest made anew, or the refusal to read it."""
    path = folder / "manifest.json"
    before = path.read_text()
    document = json.loads(before)
    change(document)
    if DIGEST in document:
        document[DIGEST] = digest_of_manifest(document)
    path.write_text(json.dumps(document))
    try:
        return {check.name: check.detail for check in read_synthetic(folder).verify().checks if not check.ok}
    except DiscreetError as error:
        return {"read": str(error)}
    finally:
        path.write_text(before)


def records(folder, number):
    """Replace the rows of a table by as many true records, and say so in the manifest."""
    drawn = pl.read_parquet(folder / part_path(number))
    given = {name: np.asarray(values) for name, values in table().items() if name in drawn.columns}
    pl.DataFrame(given).select(pl.col(name).cast(kind) for name, kind in drawn.schema.items())[: len(drawn)].write_parquet(folder / part_path(number))

    def said(document):
        document["distribution"][number] = croissant_file(described(folder, part_path(number), len(drawn)))

    return said


@pytest.mark.parametrize("number", [0, 1])
def test_true_records_in_place_of_rows_are_not_as_far_from_the_counts_as_is_said(number, folder):
    said = records(folder, number)
    assert failed(folder, said).keys() == {"fidelity"}

    def at_no_distance(document):
        said(document)
        for one in document["discreet:fidelity"]:
            one["distance"] = 0.0

    found = failed(folder, at_no_distance)
    assert found == {"fidelity": "the rows are not as far from the released counts as the manifest says"}


def test_noise_below_nothing_is_refused(folder):
    for name in ("noise", "distance"):
        assert failed(folder, lambda document, name=name: document["discreet:fidelity"][0].update({name: -1.0})).keys() == {"read"}


def test_the_order_of_labels_is_that_which_was_counted(folder):
    def labels(document):
        yield document["discreet:schema"]["target"]["classes"]
        yield from (column["categories"] for column in document["discreet:schema"]["categorical"])

    for number in range(3):
        assert "columns" in failed(folder, lambda document, number=number: list(labels(document))[number].reverse())


@pytest.mark.parametrize("every", [31, pytest.param(1, marks=pytest.mark.more)])
def test_every_field_of_the_manifest_is_found_again(every, folder):
    """Each place of the document in turn: changed, emptied, swapped for the next of its kind, and left out."""
    document = json.loads((folder / "manifest.json").read_text())
    del document[DIGEST]
    seen = 0
    for path in places(document)[1:]:
        if path in FREE or path[:2] in UNKNOWABLE or path in TIED:
            continue
        holder = document
        for key in path[:-1]:
            holder = holder[key]
        for new in other_values(holder[path[-1]], list(holder.values()) if isinstance(holder, dict) else holder):

            def change(changed, path=path, new=new):
                for key in path[:-1]:
                    changed = changed[key]
                if new is LEFT_OUT:
                    del changed[path[-1]]
                else:
                    changed[path[-1]] = new

            seen += 1
            if seen % every == 0:
                assert failed(folder, change), (path, new)
    assert seen > 500


LEFT_OUT = object()


def other_values(value, beside):
    """Other values for a place; one of each kind."""
    yield LEFT_OUT
    match value:
        case bool():
            yield not value
        case str():
            yield from (text for text in ("", f"{value} ", f"no {value}") if text != value)
            yield from [other for other in beside if isinstance(other, str) and other != value][:1]
        case int():
            yield value + 1
        case float():
            yield value * 1.01 if value else 0.1
            yield -value - 1.0
        case list() | dict():
            yield type(value)() if value else [1]
