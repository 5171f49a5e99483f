"""Files that were written before: read whole, or refused in one sentence that names them."""

import pytest

from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.files import reading
from discreet.core.files.reading import exists, is_file, is_folder, read_parsed, read_text
from discreet.core.files.strict_json import agree

SAID = {"what": "thing", "remedy": "Make one."}


def test_a_text_is_read_with_or_without_a_byte_order_mark(tmp_path):
    for name, content in (("plain", "\u00e9".encode()), ("marked", "\u00e9".encode("utf-8-sig"))):
        (tmp_path / name).write_bytes(content)
        assert read_text(tmp_path / name, **SAID) == "\u00e9"


def test_what_cannot_be_read_is_named(tmp_path, monkeypatch):
    (tmp_path / "latin").write_bytes(b"\xff")
    (tmp_path / "long").write_bytes(b"12345")
    monkeypatch.setattr(reading, "LARGEST", 4)
    cases = {
        "absent": "there is no thing .*absent.* Make one",
        ".": "cannot be read",
        "\0": "cannot be read",
        "latin": "not UTF-8",
        "long": "too large",
    }
    for name, words in cases.items():
        with pytest.raises(InvalidInput, match=words):
            read_text(tmp_path / name if name != "\0" else name, **SAID)


def test_a_refusal_of_the_content_names_the_path(tmp_path):
    def refuse(_text):
        raise FileFormatError("it is odd.")

    (tmp_path / "odd").write_text("odd")
    with pytest.raises(FileFormatError, match=r"odd' is not a usable thing: it is odd\."):
        read_parsed(tmp_path / "odd", refuse, **SAID)


def test_numbers_agree_up_to_rounding_and_nothing_else_does():
    assert agree({"a": [1.0, None, "x", True]}, {"a": [1.0 + 1e-9, None, "x", True]})
    for first, second in ((1.0, 1.0001), (True, 1), (False, 0), (None, 0), ("1", 1), ([1], [1, 1]), ({"a": 1}, {"b": 1}), ([], {}), (0, "")):
        assert not agree(first, second)
        assert not agree(second, first)


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
