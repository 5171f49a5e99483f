"""Folders are whole or absent, whatever happens on the way; nothing that is not ours is deleted."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from discreet.core.errors import InvalidInput
from discreet.core.files import whole_folder as module
from discreet.core.files.whole_folder import check_folder, whole_folder
from tests.interrupts import interruptible


def ours(folder):
    return (folder / "ours").exists()


def write(path, text="new", *, overwrite=False):
    with whole_folder(path, overwrite=overwrite, replaceable=ours) as folder:
        (folder / "ours").write_text(text)
        (folder / "inner").mkdir()
        (folder / "inner" / "file").write_text(text)


def contents(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_a_folder_appears_whole(tmp_path):
    write(tmp_path / "out")
    assert contents(tmp_path) == ["out", "out/inner", "out/inner/file", "out/ours"]


def test_an_empty_folder_is_filled(tmp_path):
    (tmp_path / "out").mkdir()
    write(tmp_path / "out")
    assert (tmp_path / "out" / "ours").read_text() == "new"


def test_one_of_ours_is_replaced_when_asked_and_only_then(tmp_path):
    write(tmp_path / "out", "old")
    with pytest.raises(InvalidInput, match="not empty"):
        write(tmp_path / "out")
    assert (tmp_path / "out" / "ours").read_text() == "old"
    write(tmp_path / "out", overwrite=True)
    assert (tmp_path / "out" / "ours").read_text() == "new"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_whatever_is_raised_inside_leaves_nothing(tmp_path, error):
    def fail_inside():
        with whole_folder(tmp_path / "out", overwrite=False, replaceable=ours) as folder:
            (folder / "half").write_text("half")
            raise error

    with pytest.raises(error):
        fail_inside()
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_refused_in_words_and_leaves_nothing(tmp_path):
    with pytest.raises(InvalidInput, match="No space left"), whole_folder(tmp_path / "out", overwrite=False, replaceable=ours):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_where_the_new_one_cannot_take_its_place_the_old_one_comes_back(tmp_path, monkeypatch):
    write(tmp_path / "out", "old")
    rename = Path.rename

    def failing(self, target):
        if self.name.endswith(".part"):
            raise OSError(5, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(module.Path, "rename", failing)
    with pytest.raises(InvalidInput, match="Input/output"):
        write(tmp_path / "out", overwrite=True)
    assert (tmp_path / "out" / "ours").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: path.write_text("a file"), "is a file"),
        (lambda path: (path.mkdir(), (path / "other").write_text("")), "not empty"),
    ],
)
def test_what_is_something_else_is_not_touched(tmp_path, make, words):
    make(tmp_path / "out")
    with pytest.raises(InvalidInput, match=words):
        check_folder(tmp_path / "out", overwrite=False, replaceable=ours)
    with pytest.raises(InvalidInput, match=r"is a file|something else"):
        write(tmp_path / "out", overwrite=True)
    assert (tmp_path / "out").exists()


def test_a_path_that_cannot_be_written_is_refused_before(tmp_path):
    for path, words in ((tmp_path / "absent" / "out", "there is no folder"), ("-", "standard output"), (tmp_path / ("x" * 300), "cannot be written")):
        with pytest.raises(InvalidInput, match=words):
            check_folder(path, overwrite=False, replaceable=ours)


PROGRAM = """
import sys, time
from discreet.core.files.whole_folder import whole_folder
with whole_folder(sys.argv[1], overwrite=False, replaceable=lambda folder: False) as folder:
    (folder / "half").write_text("half")
    print("begun", flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_process_that_is_stopped_leaves_no_target(tmp_path, how):
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "out")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=interruptible,  # noqa: PLW1509 - the child starts no thread before it
    )
    assert process.stdout.readline() == b"begun\n"
    process.send_signal(how)
    assert process.wait(timeout=600) != 0
    process.stdout.close()
    left = list(tmp_path.iterdir())
    if how == signal.SIGINT:
        assert left == []
    assert not (tmp_path / "out").exists()
    assert all(path.name.startswith(".discreet-") for path in left)
    write(tmp_path / "out")
    assert ours(tmp_path / "out")
