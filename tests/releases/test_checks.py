"""Tampering with anything in a folder is found: numbers, files, words, parameters, the certificate."""

import json
import shutil

import numpy as np
import polars as pl
import pytest

from discreet import SystemNoise
from discreet.core.errors import FileFormatError, InvalidInput
from discreet.releases import publish, read_release
from discreet.releases.manifest import DIGEST, digest_of_manifest
from discreet.releases.parts import described
from tests.releases.cases import BOX, PEOPLE, PRIVATE, SCHEMA, X, Y


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    folder = tmp_path_factory.mktemp("originals")
    publish(PEOPLE, folder / "rows", SystemNoise(), schema=SCHEMA, method="additive", **PRIVATE)
    publish(X, folder / "projected", SystemNoise(), domain=BOX, y=Y, method="projection", width=2, **PRIVATE)
    publish(X, folder / "fresh", SystemNoise(), domain=BOX, y=Y, method="fresh-projection", width=2, target="clear", **PRIVATE)
    publish(X, folder / "sketch", SystemNoise(), domain=BOX, y=Y, method="sketch", rows=20, most_records=1000, **PRIVATE)
    return folder


@pytest.fixture
def copy(originals, tmp_path):
    def made(name):
        shutil.copytree(originals / name, tmp_path / name)
        return tmp_path / name

    return made


def failed(folder):
    """Names of failed checks, or the word of a refusal to read."""
    try:
        return {check.name for check in read_release(folder).verify().checks if not check.ok}
    except FileFormatError:
        return {"refused"}


def rewritten(folder, change, *, digest=False):
    """The manifest after `change`; with `digest`, by somebody who knows how it is made."""
    path = folder / "manifest.json"
    document = json.loads(path.read_text())
    change(document)
    if digest:
        document[DIGEST] = digest_of_manifest(document)
    path.write_text(json.dumps(document))


@pytest.mark.parametrize("name", ["rows", "projected", "fresh", "sketch"])
def test_an_unchanged_copy_verifies(copy, name):
    assert failed(copy(name)) == set()


@pytest.mark.parametrize("name", ["rows", "projected", "fresh", "sketch"])
def test_one_changed_number_is_found_even_with_new_checksums(copy, name):
    folder = copy(name)
    path = folder / "data" / "part-00000.parquet"
    values = pl.read_parquet(path)
    first = values.columns[0]
    changed = values.with_columns(pl.when(pl.int_range(pl.len()) == 3).then(pl.col(first) + 0.5).otherwise(pl.col(first)).alias(first))
    changed.write_parquet(path)
    assert failed(folder) == {"files", "released value"}
    part = described(folder, "data/part-00000.parquet", len(values))

    def cover(document):
        document["distribution"][0] |= {"sha256": part.sha256, "contentSize": f"{part.size} B"}

    rewritten(folder, cover, digest=True)
    assert failed(folder) == {"released value"}


@pytest.mark.parametrize("name", ["projected", "fresh"])
def test_another_projection_is_found_even_with_new_checksums(copy, name):
    folder = copy(name)
    pl.DataFrame({"p0": np.ones(len(pl.read_parquet(folder / "projection.parquet"))), "p1": 2.0}).write_parquet(folder / "projection.parquet")
    part = described(folder, "projection.parquet", 4)
    rewritten(folder, lambda document: document["distribution"][1].update(sha256=part.sha256, contentSize=f"{part.size} B"), digest=True)
    assert failed(folder) == ({"projection"} if name == "projected" else {"released value"})


def test_files_that_are_missing_or_added_are_found(copy):
    folder = copy("rows")
    (folder / "data" / "part-00001.parquet").write_bytes((folder / "data" / "part-00000.parquet").read_bytes())
    assert failed(folder) == {"no other files"}
    (folder / "data" / "part-00001.parquet").unlink()
    (folder / "data" / "part-00000.parquet").unlink()
    assert failed(folder) == {"files", "released value"}


def test_links_and_added_folders_are_found(copy, tmp_path):
    folder = copy("rows")
    (folder / "extra").mkdir()
    assert failed(folder) == {"no other files"}
    (folder / "extra").rmdir()
    assert failed(folder) == set()
    (tmp_path / "elsewhere").mkdir()
    (folder / "extra").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert failed(folder) == {"no other files"}
    (folder / "extra").unlink()
    (folder / "data").rename(tmp_path / "moved")
    (folder / "data").symlink_to(tmp_path / "moved", target_is_directory=True)
    assert "no other files" in failed(folder)


def test_rows_off_the_grid_are_found_even_by_who_computes_every_digest_again(copy):
    folder = copy("rows")
    path = folder / "data" / "part-00000.parquet"
    values = pl.read_parquet(path)
    first = values.columns[0]
    values.with_columns(pl.col(first) + 2.0**-40).write_parquet(path)
    part = described(folder, "data/part-00000.parquet", len(values))
    rewritten(folder, lambda document: document["distribution"][0].update(sha256=part.sha256, contentSize=f"{part.size} B"), digest=True)
    assert "grid of the numbers" in failed(folder)


def test_more_rows_that_hide_each_other_than_were_released_are_found(tmp_path):
    publish(X, tmp_path / "shuffled", SystemNoise(), domain=BOX, y=Y, method="laplace", shuffle=len(X), **PRIVATE)
    assert failed(tmp_path / "shuffled") == set()

    def more(document):
        certificate = document["discreet:certificate"]
        certificate["parameters"]["shuffled"] += 1
        for one in certificate["hypotheses"]:
            one["required"] = one["required"].replace(f"at least {len(X)} ", f"at least {len(X) + 1} ")

    rewritten(tmp_path / "shuffled", more, digest=True)
    assert "rows" in failed(tmp_path / "shuffled")


LIES = {
    "less noise": lambda document: document["discreet:certificate"]["parameters"].update(
        scale=document["discreet:certificate"]["parameters"]["scale"] / 2
    ),
    "a smaller epsilon": lambda document: document["discreet:certificate"]["guarantee"].update(epsilon=0.5),
    "a smaller delta": lambda document: document["discreet:certificate"]["guarantee"].update(delta=1e-9),
    "wider bounds": lambda document: document["discreet:certificate"]["problem"].update(entry_bound=3.0),
    "another relation": lambda document: document["discreet:certificate"]["guarantee"].update(neighbours="add-remove"),
    "another unit": lambda document: document["discreet:certificate"]["guarantee"].update(unit="entry"),
    "private noise": lambda document: document["discreet:certificate"]["noise"].update(private=False),
    "another digest": lambda document: document["discreet:certificate"].update(digest="0" * 64),
    "another mechanism": lambda document: document["discreet:certificate"].update(mechanism="release-bounded-noise"),
    "another method": lambda document: document.update({"discreet:method": "sketch"}),
    "another kind": lambda document: document.update({"discreet:kind": "sketch"}),
    "another target": lambda document: document.update({"discreet:target": "clear"}),
    "a target without noise": lambda document: document["recordSet"][0]["field"][2]["discreet:column"].update(noisy=False),
    "a feature that is a target": lambda document: document["recordSet"][0]["field"][0]["discreet:column"].update(role="target"),
    "other bounds of a column": lambda document: document["discreet:schema"].update(rows="normalise"),
    "a schema of fewer columns": lambda document: document["discreet:schema"]["numeric"].pop(),
    "another number of rows": lambda document: document.update({"discreet:rows": 3}),
    "wider bounds of a released column": lambda document: document["recordSet"][0]["field"][0]["discreet:column"].update(upper=200.0),
    "wider bounds once encoded": lambda document: document["recordSet"][0]["field"][0]["discreet:column"].update(encodedUpper=2.0),
    "a schema with wider bounds": lambda document: document["discreet:schema"]["numeric"][0].update(upper=200.0),
    "a schema with a wider target": lambda document: document["discreet:schema"]["target"].update(upper=200.0),
    "owners who randomised": lambda document: document["discreet:certificate"]["parameters"].update(local=True),
    "owners in the guarantee": lambda document: document["discreet:certificate"]["guarantee"].update(local=True),
    "another version's certificate": lambda document: document["discreet:certificate"].update(version="9.9"),
    "a theorem in Lean": lambda document: document["discreet:certificate"]["guarantee"].update(theorem="proved in Lean"),
    "no hypotheses": lambda document: document["discreet:certificate"].update(hypotheses=[]),
    "no releases": lambda document: document["discreet:certificate"].update(releases=0),
    "words that promise more": lambda document: document["discreet:protects"].append("Everybody, for ever."),
    "silence about what is exposed": lambda document: document.update({"discreet:doesNotProtect": []}),
}


@pytest.mark.at_most(15)
@pytest.mark.parametrize("lie", LIES)
def test_every_lie_in_a_manifest_is_found_even_with_a_new_digest(copy, lie):
    folder = copy("rows")
    rewritten(folder, LIES[lie])
    assert failed(folder)
    rewritten(folder, lambda document: None, digest=True)
    assert failed(folder), "the digest alone must not be what finds it"


def test_any_word_that_is_changed_is_found(copy):
    folder = copy("rows")
    rewritten(folder, lambda document: document.update(description="A public table."))
    assert failed(folder) == {"manifest"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda document: document.update({"discreet:format": "discreet-release/2"}), "'discreet-release/2' was given"),
        (lambda document: document.pop("discreet:format"), "none is stated"),
        (lambda document: document.update({"discreet:method": "magic"}), "does not know"),
        (lambda document: document["distribution"][0].update(contentUrl="../../secret.parquet"), "other files"),
        (lambda document: document["distribution"][0].update(contentUrl="/etc/passwd"), "other files"),
        (lambda document: document["distribution"][0].update(sha256="no"), "incomplete"),
        (lambda document: document.pop("recordSet"), "incomplete"),
        (lambda document: document["recordSet"][0]["field"].pop(), "do not belong together"),
        (lambda document: document["discreet:certificate"]["problem"].update(features=[1]), "wrong type"),
        (lambda document: document["discreet:certificate"]["parameters"].pop("scale"), "incomplete"),
        (lambda document: document.update(name="a\x1b[31mb"), "control characters"),
        (lambda document: document["discreet:certificate"]["problem"].update(query="rows-of-another-kind"), "does not know"),
    ],
)
def test_what_this_version_would_not_have_written_is_refused(copy, change, words):
    folder = copy("rows")
    rewritten(folder, change)
    with pytest.raises(FileFormatError, match=words):
        read_release(folder)


@pytest.mark.parametrize("text", ["", "{}", "[]", "{" * 10000, '{"a": NaN}', '{"a": 1, "a": 2}'])
def test_a_manifest_that_is_no_strict_json_is_refused(tmp_path, text):
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(FileFormatError):
        read_release(tmp_path)


def test_a_folder_without_a_manifest_is_no_release(tmp_path):
    for path in (tmp_path, tmp_path / "absent"):
        with pytest.raises(InvalidInput, match="there is no release"):
            read_release(path)


@pytest.mark.parametrize("column", [pl.lit("1.0"), pl.lit(None, dtype=pl.Float64), pl.lit(float("nan")), pl.lit(1, dtype=pl.Int64)])
def test_files_of_other_numbers_are_refused(copy, column):
    folder = copy("sketch")
    path = folder / "data" / "part-00000.parquet"
    pl.read_parquet(path).with_columns(column.alias("x0")).write_parquet(path)
    with pytest.raises(FileFormatError):
        read_release(folder).values()
    assert failed(folder) == {"files", "released value"}


def test_a_damaged_file_is_refused(copy):
    folder = copy("rows")
    path = folder / "data" / "part-00000.parquet"
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(FileFormatError):
        read_release(folder).values()
    assert failed(folder) == {"files", "released value"}
