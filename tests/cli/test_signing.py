"""`discreet keygen`, `discreet sign` and `discreet verify --key`: every kind is signed by a file beside it, and nothing else passes."""

import json
import shutil
import sys

import pytest

from discreet.cli.artefacts import KINDS
from tests.cli.conftest import FIT, discreet
from tests.cli.test_artefacts import made  # noqa: F401 - a fixture

KEY = ("--key", "custodian.public.pem")
SIGN = ("--key", "custodian.private.pem")


@pytest.fixture
def custodian(folder):
    """The folder with two key pairs in it."""
    for name in ("custodian", "other"):
        assert discreet("keygen", name).code == 0
    return folder


def copied(path, folder):
    """A file or a folder, in another folder."""
    target = folder / path.name
    return shutil.copytree(path, target) if path.is_dir() else shutil.copy(path, target)


@pytest.mark.more
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_signed_and_verified_with_the_key(made, custodian, kind):  # noqa: F811
    path = copied(made[kind], custodian)
    assert "Nothing is signed: " in discreet("verify", path).out
    signed = discreet("sign", path, *SIGN)
    assert (signed.code, signed.err) == (0, ""), signed
    key = discreet("keygen", "third", "--json").json["key"]
    assert key not in signed.out
    assert f"Written to   {path}.sig\n" in signed.out
    unchecked = discreet("verify", path)
    assert unchecked.code == 0
    assert "verification shows that the file is consistent, not" in unchecked.out
    verified = discreet("verify", path, *KEY)
    assert verified.code == 0
    assert "Signed with the key " in verified.out
    assert "rests on their word" in verified.out
    document = discreet("verify", path, *KEY, "--json").json
    assert (document["ok"], document["signed"]) == (True, True)
    assert document["checks"][-1]["name"] == "signature"
    assert not discreet("verify", path, "--json").json["signed"]
    wrong = discreet("verify", path, "--key", "other.public.pem")
    assert wrong.code == 6
    assert "FAIL  signature" in wrong.out
    assert "Signed with" not in wrong.out


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"release"}))
def test_a_file_that_says_anything_else_does_not_pass_and_one_with_other_blanks_does(made, custodian, kind):  # noqa: F811
    path = copied(made[kind], custodian)
    assert discreet("sign", path, *SIGN).code == 0
    document = json.loads(path.read_text())
    certificate = document if kind == "certificate" else document["certificate"]
    path.write_text(json.dumps(dict(reversed(list(document.items())))))
    assert discreet("verify", path, *KEY).code == 0
    certificate["declared"] = [*certificate["declared"], "the moon"]
    path.write_text(json.dumps(document))
    outcome = discreet("verify", path, *KEY)
    assert outcome.code == 6
    assert "FAIL  signature" in outcome.out
    assert "changed after signing" in outcome.out


def test_a_release_is_signed_with_its_files(made, custodian):  # noqa: F811
    path = copied(made["release"], custodian)
    assert discreet("sign", f"{path}/", *SIGN).code == 0
    assert (custodian / "release.sig").exists()
    assert discreet("verify", f"{path}/", *KEY).code == 0
    part = next((path / "data").iterdir())
    content = bytearray(part.read_bytes())
    content[len(content) // 2] ^= 1
    part.write_bytes(content)
    changed = discreet("verify", path, *KEY)
    assert changed.code == 6
    assert "vouches for" not in changed.out
    assert "The signature covers the manifest of the release alone, and what is here is not what that says" in changed.out
    document = discreet("verify", path, *KEY, "--json").json
    assert not document["signed"]
    assert document["checks"][-1]["ok"]
    assert document["checks"][-1]["detail"].endswith(", for the manifest of the release")
    assert any("does not vouch for this content" in one for one in document["limits"])


def test_what_does_not_hold_is_not_signed(custodian):
    assert discreet(*FIT, "--seed", "1").code == 0
    outcome = discreet("sign", "model.json", *SIGN)
    assert outcome.code == 6
    assert not (custodian / "model.json.sig").exists()


def test_a_signature_elsewhere_and_one_that_is_there_already(made, custodian):  # noqa: F811
    path = copied(made["model"], custodian)
    before = path.read_bytes()
    assert discreet("sign", path, *SIGN, "--out", "mine.sig").code == 0
    assert discreet("sign", path, *SIGN, "--out", "mine.sig").code == 3
    assert discreet("sign", path, *SIGN, "--out", "mine.sig", "--overwrite").code == 0
    for out in (path, "custodian.private.pem"):
        assert discreet("sign", path, *SIGN, "--out", out, "--overwrite").code == 3
    assert path.read_bytes() == before
    assert discreet("verify", path, *KEY, "--signature", "mine.sig").code == 0
    assert "there is no signature" in discreet("verify", path, *KEY).error
    assert discreet("verify", path, "--signature", "mine.sig").code == 2


def test_keys_are_named_and_never_written_over(custodian):
    before = {path.name: path.read_bytes() for path in custodian.glob("*.pem")}
    outcome = discreet("keygen", "custodian")
    assert outcome.code == 3
    assert "never overwritten" in outcome.error
    (custodian / "custodian.private.pem").rename(custodian / "moved.pem")
    assert discreet("keygen", "custodian").code == 3
    assert not (custodian / "custodian.private.pem").exists()
    assert (custodian / "moved.pem").read_bytes() == before["custodian.private.pem"]
    assert discreet("keygen", "no/such/folder/key").code == 3


@pytest.mark.skipif(sys.platform == "win32", reason="modes are those of POSIX")
def test_a_private_key_that_others_can_read_is_warned_of(made, custodian):  # noqa: F811
    path = copied(made["model"], custodian)
    (custodian / "custodian.private.pem").chmod(0o644)
    outcome = discreet("sign", path, *SIGN)
    assert outcome.code == 0
    assert outcome.err == "Warning: other users of this machine can read the private key 'custodian.private.pem'. Run chmod 600 on it.\n"


def test_a_missing_key_is_one_sentence(made, custodian):  # noqa: F811
    path = copied(made["model"], custodian)
    assert discreet("sign", path, *SIGN).code == 0
    assert "there is no public key 'absent.pem'" in discreet("verify", path, "--key", "absent.pem").error
    assert "there is no private key 'absent.pem'" in discreet("sign", path, "--key", "absent.pem", "--overwrite").error
    assert "it is a signature" in discreet("verify", f"{path}.sig").error
