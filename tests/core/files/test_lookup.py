"""A name that the system refuses names nothing."""

import pytest

from discreet.core.files.lookup import exists, is_file, is_folder


@pytest.mark.parametrize("name", ["", "absent", "a" * 5000, "a\0b", "absent/" * 50])
def test_a_name_of_nothing_is_no_error(name, tmp_path):
    for path in (name, f"{tmp_path}/{name}x"):
        assert not exists(path)
        assert not is_file(path)
        assert not is_folder(path)


def test_what_is_there_is_found(tmp_path):
    (tmp_path / "file").write_text("")
    assert exists(tmp_path)
    assert exists(tmp_path / "file")
    assert is_folder(str(tmp_path))
    assert is_file(str(tmp_path / "file"))
    assert not is_file(tmp_path)
    assert not is_folder(tmp_path / "file")
