"""A synthetic table from the records to the folder and back: what it holds, what it spends, what verifies and what does not."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from discreet.core.errors import DiscreetError, FileFormatError, InvalidInput, SolverFailure
from discreet.core.files import whole_folder
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import PersonColumn, schema_files
from discreet.data.encodings import Bins
from discreet.ledger import Account, BudgetExceeded, Ledger
from discreet.noise import SeededNoise, SystemNoise
from discreet.releases import combined, publish_synthetic, read_release, read_synthetic, resume_synthetic
from discreet.releases.synthetic import drawing, fit, publish
from discreet.words.counting import WHOLE
from tests.canary import CANARY, assert_silent
from tests.chance import fewest
from tests.parts import cluster_here
from tests.releases.synthetic.cases import COUNT, NUMBER, by_hub, schema, table

ASKED = {"epsilon": 2.0, "delta": 1e-6}


@pytest.fixture
def quick(monkeypatch):
    """No package, and no process."""
    monkeypatch.setattr(drawing, "fitted", by_hub)
    monkeypatch.setattr(publish, "require_mbi", lambda: None)
    monkeypatch.setattr(drawing, "require_mbi", lambda: None)


def made(folder, *, noise=None, frame=None, **other):
    return publish_synthetic(table() if frame is None else frame, folder, noise or SystemNoise(), **{"schema": schema(), **ASKED} | other)


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
@pytest.mark.parametrize("target", [True, False])
@pytest.mark.parametrize("of", ["classes", "number"])
def test_a_table_is_written_read_back_verified_and_described(neighbours, target, of, quick, tmp_path):
    stated, frame = schema(), table()
    if of == "number":
        stated, frame = schema(target=NUMBER), {**frame, "answer": np.linspace(0, 10, COUNT)}
    release = made(tmp_path / "out", schema=stated, frame=frame, neighbours=neighbours, target=target, whole=("age",), workload=[("age", "ward")])
    release.verify().require()
    rows = release.frame()
    assert release.guarantee.neighbours is neighbours
    assert rows.columns == ["age", "cost", "day", "ward", "smoker", *(["answer"] if target else [])]
    assert rows.schema["age"] == pl.Int64
    assert rows.schema["day"] == pl.Date
    assert rows.schema["smoker"] == pl.Boolean
    assert abs(len(rows) - COUNT) < (1 if neighbours is REPLACE_ONE else 100)  # eleven deviations
    assert ("age", "ward") in [one.columns for one in release.fidelity]
    said = "\n".join(line for _, lines in release.inspection() for line in lines)
    assert "Single rows mean nothing" in said
    assert json.dumps(release.inspection_record())
    assert read_synthetic(tmp_path / "out").document == release.document
    stated.encode(rows if target else {**rows.to_dict(as_series=False), "answer": frame["answer"][: len(rows)]}, target=False)


def test_rows_resemble_the_records_and_a_public_seed_repeats_their_drawing(quick, tmp_path):
    releases = [made(tmp_path / str(number), noise=SeededNoise(5), epsilon=50.0, rows=3000, row_seed=seed) for number, seed in enumerate((1, 1, 2))]
    first, same, other = (release.frame() for release in releases)
    assert first.equals(same)
    assert not first.equals(other)
    given = table()
    assert abs(first["age"].mean() - given["age"].mean()) < 2.0
    older = first.filter(pl.col("answer") == "yes")["age"].mean() - first.filter(pl.col("answer") == "no")["age"].mean()
    assert older > 15
    assert abs(first["cost"].null_count() / 3000 - 0.1) < 0.05
    assert not releases[0].verify().ok  # seeded noise


@pytest.mark.parametrize(("asked", "drawn"), [({}, True), ({"target": False}, False), ({"tables": 2}, False)], ids=str)
def test_links_that_noise_explains_are_out_of_what_is_fitted_to_one_table_with_a_target(asked, drawn, quick, tmp_path, monkeypatch):
    """Counts without a target have none, and intervals of several tables are about counts as measured. What is published is as measured always."""
    given = []

    def kept(sizes, tables, counts, deviations, *, total):
        given.append(counts)
        return by_hub(sizes, tables, counts, deviations, total=total)

    def twice(measured, columns, hub):
        return [one._replace(counts=2.0 * one.counts) for one in measured]

    monkeypatch.setattr(drawing, "fitted", kept)
    monkeypatch.setattr(drawing, "likely", twice)
    release = made(tmp_path / "out", epsilon=50.0, **asked)
    (first, *_) = (float(counts[0].sum()) for counts in given)
    assert abs(first - (2.0 if drawn else 1.0) * COUNT) < 60
    released = pl.read_parquet(tmp_path / "out" / "margins.parquet")["value"].to_numpy() / WHOLE
    assert abs(released[: len(given[0][0])].sum() - COUNT) < 60
    release.verify().require()


def test_what_is_changed_afterwards_does_not_verify(quick, tmp_path):
    made(tmp_path / "out")

    def failed(change):
        shutil.rmtree(tmp_path / "copy", ignore_errors=True)
        shutil.copytree(tmp_path / "out", tmp_path / "copy")
        change(tmp_path / "copy")
        return {check.name for check in read_synthetic(tmp_path / "copy").verify().checks if not check.ok}

    def edited(**words):
        def change(folder):
            document = json.loads((folder / "manifest.json").read_text())
            (folder / "manifest.json").write_text(json.dumps(document | words))

        return change

    def rows(folder):
        path = folder / "data" / "part-00000.parquet"
        pl.read_parquet(path).with_columns(ward=pl.lit("d")).write_parquet(path)

    def counts(folder):
        pl.read_parquet(folder / "margins.parquet").with_columns(pl.col("value") + 1).write_parquet(folder / "margins.parquet")

    assert failed(lambda _: None) == set()
    assert failed(rows) == {"files", "rows"}
    assert {"files", "released value"} <= failed(counts)
    assert failed(lambda folder: (folder / "more.txt").write_text("")) == {"no other files"}
    assert failed(edited(**{"discreet:doesNotProtect": []})) == {"manifest"}
    assert "manifest" in failed(edited(**{"discreet:fidelity": []}))
    assert "columns" in failed(edited(**{"discreet:target": False}))
    with pytest.raises(FileFormatError):
        failed(edited(**{"discreet:format": "discreet-synthetic/2"}))
    with pytest.raises(InvalidInput, match="read_synthetic"):
        read_release(tmp_path / "out")


def test_it_is_paid_for_once_and_nothing_is_drawn_without_budget(quick, tmp_path):
    ledger = Ledger.create(tmp_path / "ledger")
    ledger.declare("visits", epsilon=3.0, delta=1e-5, neighbours=REPLACE_ONE, unit="person")
    account = Account(str(tmp_path / "ledger"), "visits")
    release = made(tmp_path / "out", account=account)
    (entry,) = ledger.history("visits")
    assert entry.id == release.certificate.ledger_entry
    with pytest.raises(BudgetExceeded):
        made(tmp_path / "more", account=account)
    assert not (tmp_path / "more").exists()


def failing(error):
    def fails(*_, **__):
        raise error

    return fails


FAILURES = {
    "a solver": ("fitted", SolverFailure("the distribution could not be fitted.")),
    "an interrupt": ("drawn_codes", KeyboardInterrupt()),
    "memory": ("spread", MemoryError()),
    "a full disk": ("_written", OSError(28, "No space left on device")),
}


@pytest.mark.parametrize(("where", "error"), FAILURES.values(), ids=FAILURES)
@pytest.mark.parametrize("asked", [{"row_seed": 3}, {"tables": 2, "neighbours": ADD_REMOVE}, {"rows": 50, "cuts": "private"}], ids=str)
def test_whatever_fails_after_the_counts_they_are_there_and_rows_are_drawn_from_them_later(asked, where, error, quick, tmp_path, monkeypatch):
    with monkeypatch.context() as broken:
        broken.setattr(drawing, where, failing(error))
        with pytest.raises(type(error) if not isinstance(error, OSError) else InvalidInput) as caught:
            made(tmp_path / "out", noise=SystemNoise(), **asked)
    if isinstance(caught.value, DiscreetError):
        assert "counts as spent, and the noisy counts that it paid for are in" in str(caught.value)
        assert "resume_synthetic" in str(caught.value)
    counts = read_synthetic(tmp_path / "out")
    counts.verify().require()
    assert counts.shape[0] == 0
    assert "no rows were drawn yet" in str(counts.inspection())
    with pytest.raises(InvalidInput, match="no rows were drawn yet"):
        counts.frame()
    shutil.copytree(tmp_path / "out", tmp_path / "copy")
    first, second = (resume_synthetic(tmp_path / name) for name in ("out", "copy"))
    first.verify().require()
    assert first.certificate == counts.certificate
    assert np.array_equal(first.value(), counts.value())
    assert len(first.parts) == asked.get("tables", 1)
    assert first.frame().equals(second.frame()) is ("row_seed" in asked)
    with pytest.raises(InvalidInput, match="nothing to resume"):
        resume_synthetic(tmp_path / "out")


def test_counts_that_their_folder_does_not_take_are_kept_elsewhere_and_an_interrupt_waits_for_them(quick, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    whole, calls = publish.whole_folder, []

    def once(error):
        @contextmanager
        def folder(*given, **named):
            calls.append(given)
            with whole(*given, **named) as temporary:
                yield temporary
                if len(calls) == 1:
                    raise error

        calls.clear()
        monkeypatch.setattr(publish, "whole_folder", folder)

    once(OSError(28, "No space left on device"))
    with pytest.raises(InvalidInput, match=r"No space left.*are in '.*discreet-") as caught:
        made(tmp_path / "out", noise=SystemNoise())
    elsewhere = Path(re.search("'([^']*discreet-[^']*)'", str(caught.value)).group(1))
    assert not (tmp_path / "out").exists()
    resume_synthetic(elsewhere).verify().require()
    once(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        made(tmp_path / "out", noise=SystemNoise())
    resume_synthetic(tmp_path / "out").verify().require()


def test_room_is_looked_for_before_anything_is_spent(quick, tmp_path, monkeypatch):
    ledger = Ledger.create(tmp_path / "ledger")
    ledger.declare("visits", epsilon=3.0, delta=1e-5, neighbours=REPLACE_ONE, unit="person")
    account = Account(str(tmp_path / "ledger"), "visits")
    free = lambda size: SimpleNamespace(free=size)  # noqa: E731
    monkeypatch.setattr(whole_folder.shutil, "disk_usage", lambda _: free(1 << 20))
    with pytest.raises(InvalidInput, match=r"too full: up to \d+ MiB are needed. Nothing was spent"):
        made(tmp_path / "out", account=account)
    monkeypatch.setattr(whole_folder.shutil, "disk_usage", lambda _: free(1 << 40))
    monkeypatch.setattr(whole_folder, "try_bytes", failing(OSError(122, "Disk quota exceeded")))
    with pytest.raises(InvalidInput, match="Nothing was spent"):
        made(tmp_path / "out", account=account)
    assert ledger.history("visits") == ()
    assert not (tmp_path / "out").exists()


PARENT = """
import sys
from discreet.releases.synthetic import fit
fit._answered_by([sys.executable, "-c", sys.argv[1], sys.argv[2]], b"")
"""
CHILD = """
import os, pathlib, sys, time
from discreet.releases.synthetic import fit
fit.np.load = lambda *_, **__: (pathlib.Path(sys.argv[1]).write_text(str(os.getpid())), time.sleep(600))
fit.main()
"""


ANSWERING = """
from discreet.releases.synthetic import fit
fit._answered = lambda asked: {"same": asked["given"]}
fit.main()
"""


def test_the_process_that_fits_answers_and_ends_well_while_its_input_stays_open():
    asked = io.BytesIO()
    np.savez(asked, given=np.arange(100_000))
    code, said, errors = fit._answered_by([sys.executable, "-c", ANSWERING], asked.getvalue())
    assert (code, errors) == (0, b"")
    assert np.array_equal(np.load(io.BytesIO(said))["same"], np.arange(100_000))


@pytest.mark.skipif(sys.platform == "win32", reason="asks for a process by its number")
def test_the_process_that_fits_ends_with_the_one_that_asked_even_if_that_is_killed(tmp_path):
    told = tmp_path / "number"
    parent = subprocess.Popen([sys.executable, "-c", PARENT, CHILD, str(told)])
    while not (told.exists() and told.read_text()):
        assert parent.poll() is None
        time.sleep(0.05)
    child = int(told.read_text())
    os.kill(child, 0)
    parent.kill()
    parent.wait()
    for _ in range(1200):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            break
        if Path(f"/proc/{child}/stat").exists() and Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            break  # ended, and nobody has asked how
        time.sleep(0.05)
    else:
        os.kill(child, 9)
        pytest.fail("the process that fits is still there")


@pytest.mark.parametrize("weight", ["person", "row"])
@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_persons_with_several_rows_share_a_records_weight(weight, neighbours, quick, tmp_path):
    stated = schema(rows_per_person=None, person=PersonColumn(column="id", rows=3, weight=weight))
    frame = {**table(), "id": np.arange(COUNT) // 4}
    release = made(tmp_path / "out", schema=stated, frame=frame, neighbours=neighbours, noise=SystemNoise(), epsilon=20.0)
    release.verify().require()
    assert release.guarantee.unit.value == "person"
    assert abs(len(release.frame()) - COUNT / 4) < 20


def test_blocks_of_files_are_counted_as_the_whole_table(quick, tmp_path):
    frame = pl.DataFrame({name: pl.Series(name, np.asarray(column) if name != "cost" else column) for name, column in table().items()})
    for number, part in enumerate((frame[:250], frame[250:])):
        part.write_parquet(tmp_path / f"{number}.parquet")
    paths = [tmp_path / "0.parquet", tmp_path / "1.parquet"]
    asked = {"cuts": "private", "epsilon": 20.0}
    blocks = made(tmp_path / "blocks", frame=lambda one: schema_files(paths, one, target=True, persons=True), noise=SeededNoise(1), **asked)
    whole = made(tmp_path / "whole", frame=frame, noise=SeededNoise(1), **asked)
    assert whole.cuts != tuple(one.starts for one in whole.problem.cut)
    assert np.array_equal(blocks.value(), whole.value())
    client = cluster_here().Here()
    spread = lambda one: schema_files(paths, one, target=True, persons=True).on(client, remember=False)  # noqa: E731
    cluster = made(tmp_path / "cluster", frame=spread, noise=SeededNoise(1), **asked)
    assert client.sent
    assert np.array_equal(cluster.value(), whole.value())


@pytest.mark.parametrize("given", ["asked", "schema"])
def test_bins_are_chosen_privately_within_the_one_certificate(given, quick, tmp_path):
    """Costs of a few thousand in bounds of a hundred thousand: public bins of equal steps hold them in one, chosen ones tell them apart."""
    stated, frame = schema(), table(4000)
    low, high = np.random.default_rng(1).uniform(2000, 3000, 4000), np.random.default_rng(2).uniform(4000, 5000, 4000)
    frame["cost"] = [None if gone is None else float(value) for gone, value in zip(frame["cost"], np.where(frame["smoker"], high, low), strict=True)]
    asked = {"cuts": "private"}
    if given == "schema":
        cost = replace(stated.numeric[1], encoding=(Bins(cuts="private"),))
        stated, asked = replace(stated, numeric=(stated.numeric[0], cost)), {}
    release = made(tmp_path / "out", schema=stated, frame=frame, epsilon=4.0, **asked)
    release.verify().require()
    cut = [release.column_names[one.column] for one in release.problem.cut]
    assert cut == (["cost"] if given == "schema" else ["age", "cost", "day"])
    cost = release.columns[1]
    edges = np.asarray(cost.edges)[list(cost.starts)]
    assert sum((edges > 1900) & (edges < 5100)) >= 3
    assert "Bins of" in str(release.inspection())
    middles = [each.sort("answer")["cost"].to_list() for each in (_middles(release.frame()), _middles(pl.DataFrame(frame)))]
    assert np.allclose(*middles, atol=900)
    document = json.loads((tmp_path / "out" / "manifest.json").read_text())
    for changed, failed in ((["discreet:cuts", -1, 1], "cuts"), (["discreet:certificate", "problem", "cut", -1, "starts", 1], "columns")):
        forged = json.loads(json.dumps(document))
        place = forged
        for key in changed[:-1]:
            place = place[key]
        place[changed[-1]] += 1
        shutil.copytree(tmp_path / "out", tmp_path / failed)
        (tmp_path / failed / "manifest.json").write_text(json.dumps(forged))
        assert failed in {check.name for check in read_synthetic(tmp_path / failed).verify().checks if not check.ok}


def _middles(frame):
    return frame.group_by("answer").agg(pl.col("cost").median())


def test_several_tables_have_noise_of_their_own(quick, tmp_path):
    release = made(tmp_path / "out", tables=3)
    release.verify().require()
    frames = release.frames()
    assert len(frames) == 3
    assert not frames[0].equals(frames[1])
    assert "combined" in str(release.inspection())


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"rows": 0}, "rows"),
        ({"tables": 0}, "tables"),
        ({"rows": 1.5}, "rows"),
        ({"workload": [("age", "weight")]}, "weight"),
        ({"workload": [("age",)]}, "two or more"),
        ({"epsilon": 0.0}, "epsilon"),
        ({"delta": 0.0}, "delta"),
        ({"persons": [1, 2]}, "person"),
        ({"name": "a\x00b"}, "control"),
        ({"neighbours": "both"}, "neighbours"),
        ({"cuts": "public"}, "cuts"),
    ],
)
def test_what_cannot_be_made_is_refused_before_anything_is_read(wrong, word, quick, tmp_path):
    def never(_):
        raise AssertionError

    with pytest.raises(InvalidInput, match=word):
        made(tmp_path / "out", frame=never, **wrong)


def test_it_is_said_where_the_package_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(fit, "find_spec", lambda _: None)
    with pytest.raises(InvalidInput, match=r"pip install 'discreet\[synthetic\]'"):
        made(tmp_path / "out")


def test_no_record_is_in_what_is_written_or_said(quick, tmp_path):
    frame = table()
    frame["cost"][7] = CANARY / 100
    release = made(tmp_path / "out", frame=frame)
    assert_silent((tmp_path / "out" / "manifest.json").read_text().replace(release.certificate.digest, ""))
    assert_silent(f"{release!r} {release.verify()}")
    with pytest.raises(DiscreetError) as caught:
        made(tmp_path / "more", frame={**frame, "ward": np.array([str(CANARY)] * COUNT)})
    assert_silent(str(caught.value))


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1.0, 20.0])
def test_intervals_of_several_tables_cover_what_the_population_has(epsilon, quick, tmp_path):
    """The mean age of the population that records are drawn from: where the noise is most of the error, and where the sampling is."""
    covered, runs = 0, 300
    for number in range(runs):
        release = made(tmp_path / str(number), frame=table(seed=100 + number), epsilon=epsilon, tables=5, whole=("age",))
        found = combined([frame["age"].mean() for frame in release.frames()], level=0.9)
        covered += found.low <= 54.0 <= found.high
    assert covered >= fewest(runs, 0.88), "two points below what is said"


@pytest.mark.more
def test_the_fit_of_private_pgm_keeps_what_was_measured(tmp_path):
    """The package itself, in its own process: pairs that depend on each other do so in the rows."""
    pytest.importorskip("mbi")
    release = made(tmp_path / "out", frame=table(5000), epsilon=20.0, neighbours="add-remove", whole=("age",))
    release.verify().require()
    rows = release.frame()
    assert np.mean([one.distance - one.noise for one in release.fidelity]) < 0.01
    smokers = rows.group_by("smoker").agg(pl.col("age").mean()).sort("smoker")["age"].to_list()
    assert smokers[1] - smokers[0] > 25  # a pair that the target implies in part alone


@pytest.mark.parametrize("epsilon", [1, np.float64(1.0), np.int64(1)])
def test_any_number_is_an_epsilon(epsilon, quick, tmp_path):
    made(tmp_path / "out", epsilon=epsilon).verify().require()
    with pytest.raises(InvalidInput, match="epsilon must be a number"):
        made(tmp_path / "other", epsilon=True)


def test_several_tables_have_as_many_rows_as_there_are_records(quick, tmp_path):
    with pytest.raises(InvalidInput, match="leave rows out"):
        made(tmp_path / "out", tables=2, rows=1000)
