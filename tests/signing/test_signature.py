"""Signatures: the right key and the signed content pass, every other key, every changed number, word and byte does not; keys stay secret."""

import json
import stat
import sys

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from hypothesis import given
from hypothesis import strategies as st

from discreet.core.errors import DiscreetError, InvalidInput
from discreet.core.files.strict_json import canonical_bytes
from discreet.signing import Signature, check, new_key, sign, signature

DOCUMENT = {"b": [1, 2.5, "\u00e9\U0001f600"], "a": {"inner": None, "": True}, "1e2": 100.0}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    base = tmp_path_factory.mktemp("keys")
    for name in ("one", "two"):
        new_key(base / f"{name}.private.pem", base / f"{name}.public.pem")
    return base


def test_the_signed_document_passes_with_its_key_and_with_no_other(keys):
    signature = sign(DOCUMENT, keys / "one.private.pem")
    assert check(DOCUMENT, signature, keys / "one.public.pem").ok
    other = check(DOCUMENT, signature, keys / "two.public.pem")
    assert not other.ok
    assert signature.key in other.detail
    renamed = Signature(key=sign(DOCUMENT, keys / "two.private.pem").key, signature=signature.signature)
    assert not check(DOCUMENT, renamed, keys / "two.public.pem").ok, "the key id proves nothing by itself"


@pytest.mark.parametrize(
    "changed",
    [{**DOCUMENT, "b": [1, 2.5000000000000004, "\u00e9\U0001f600"]}, {**DOCUMENT, "b": [1.0, 2.5, "\u00e9\U0001f600"]}, {**DOCUMENT, "c": 0},
     {**DOCUMENT, "b": [2.5, 1, "\u00e9\U0001f600"]}, {**DOCUMENT, "a": {"inner": None, "": 1}}, {}],
)  # fmt: skip
def test_a_document_that_says_anything_else_does_not_pass(keys, changed):
    verdict = check(changed, sign(DOCUMENT, keys / "one.private.pem"), keys / "one.public.pem")
    assert not verdict.ok
    assert "changed after signing" in verdict.detail


def test_every_bit_of_a_signature_counts(keys):
    signature = sign(DOCUMENT, keys / "one.private.pem")
    for place in range(512):
        flipped = bytearray(signature.signature)
        flipped[place // 8] ^= 1 << place % 8
        assert not check(DOCUMENT, Signature(key=signature.key, signature=bytes(flipped)), keys / "one.public.pem").ok


@given(JSON, st.randoms(use_true_random=False))
def test_the_canonical_spelling_depends_on_what_is_said_alone(value, random):
    """Other blanks, another order of keys: the same bytes, which say the same."""

    def shuffled(inner):
        if isinstance(inner, dict):
            names = list(inner)
            random.shuffle(names)
            return {name: shuffled(inner[name]) for name in names}
        return [shuffled(one) for one in inner] if isinstance(inner, list) else inner

    document = {"value": value}
    once = canonical_bytes(document)
    assert canonical_bytes(json.loads(json.dumps(shuffled(document), indent=3))) == once
    assert json.loads(once) == document
    assert canonical_bytes(json.loads(once)) == once


def test_the_canonical_spelling_sorts_as_rfc_8785_does():
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]  # its own example, section 3.2.3
    found = list(json.loads(canonical_bytes(dict.fromkeys(keys, 0))))
    assert found == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]


def test_what_is_signed_can_be_checked_without_this_library(keys):
    signature = sign(DOCUMENT, keys / "one.private.pem")
    public = serialization.load_pem_public_key((keys / "one.public.pem").read_bytes())
    assert isinstance(public, Ed25519PublicKey)
    text = '{"1e2":100.0,"a":{"":true,"inner":null},"b":[1,2.5,"\u00e9\U0001f600"]}'
    public.verify(signature.signature, b"discreet-signature/1\n" + text.encode())


@pytest.mark.skipif(sys.platform == "win32", reason="modes are those of POSIX")
def test_a_private_key_is_its_owners_alone_and_is_never_written_over(tmp_path):
    private, public = tmp_path / "private.pem", tmp_path / "public.pem"
    new_key(private, public)
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    before = private.read_bytes(), public.read_bytes()
    for names in ((private, tmp_path / "b"), (tmp_path / "a", public), (tmp_path / "c", tmp_path / "c"), (tmp_path / "no" / "d", tmp_path / "e")):
        with pytest.raises(InvalidInput):
            new_key(*names)
    assert (private.read_bytes(), public.read_bytes()) == before
    assert {path.name for path in tmp_path.iterdir()} == {"private.pem", "public.pem"}


def test_half_a_pair_is_never_left_behind(tmp_path, monkeypatch):
    whole = signature.write_whole

    def full(path, *arguments, **settings):
        if "public" in str(path):
            raise InvalidInput("no space")
        whole(path, *arguments, **settings)

    monkeypatch.setattr(signature, "write_whole", full)
    with pytest.raises(InvalidInput, match="no space"):
        new_key(tmp_path / "private.pem", tmp_path / "public.pem")
    assert not list(tmp_path.iterdir())


def foreign_keys(folder):
    """Files that hold no key that can be used here, each with a secret that no message may hold."""
    pem, secret, public = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.PublicFormat.SubjectPublicKeyInfo
    locked = Ed25519PrivateKey.generate().private_bytes(pem, secret, serialization.BestAvailableEncryption(b"word"))
    other = generate_private_key(65537, 2048)
    files = {
        "locked": locked,
        "rsa": other.private_bytes(pem, secret, serialization.NoEncryption()),
        "rsa.public": other.public_key().public_bytes(pem, public),
        "empty": b"",
        "broken": b"-----BEGIN PRIVATE KEY-----\nSECRETSECRET\n-----END PRIVATE KEY-----\n",
        "latin": b"\xff\xfe",
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return [*files, "absent"]


def test_a_file_that_is_no_key_is_refused_in_one_sentence(keys, tmp_path):
    signature = sign(DOCUMENT, keys / "one.private.pem")
    for name in foreign_keys(tmp_path):
        for ask in (lambda path: sign(DOCUMENT, path), lambda path: check(DOCUMENT, signature, path)):
            with pytest.raises(InvalidInput) as refused:
                ask(tmp_path / name)
            assert "\n" not in str(refused.value)
            assert "SECRET" not in str(refused.value)
            assert refused.value.__context__ is None or "SECRET" not in str(refused.value.__context__)
    with pytest.raises(InvalidInput, match="private key, which only its owner should have"):
        check(DOCUMENT, signature, keys / "one.private.pem")
    with pytest.raises(InvalidInput, match="no private key"):
        sign(DOCUMENT, keys / "one.public.pem")


@pytest.mark.parametrize("broken", ["[]", "{}", "", '{"format": "discreet-signature/1", "algorithm": "Ed25519", "key": "00", "signature": "00"}'])
def test_a_file_that_is_no_signature_is_refused(keys, tmp_path, broken):
    (tmp_path / "thing.sig").write_text(broken)
    with pytest.raises(DiscreetError, match="not a usable signature"):
        Signature.load(tmp_path / "thing.sig")


PRIME, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, PRIME) % PRIME


def added(first, second):
    """The sum of two points of the curve of Ed25519, by its complete law of addition."""
    (x1, y1), (x2, y2) = first, second
    product = D * x1 * x2 * y1 * y2 % PRIME
    x = (x1 * y2 + y1 * x2) * pow(1 + product, -1, PRIME) % PRIME
    return x, (y1 * y2 + x1 * x2) * pow(1 - product, -1, PRIME) % PRIME


def times(count, point):
    total = (0, 1)
    while count:
        if count & 1:
            total = added(total, point)
        point, count = added(point, point), count >> 1
    return total


def point_at(y):
    """The point with this y, if there is one: p = 5 modulo 8."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    x = x if x * x % PRIME == square else x * pow(2, (PRIME - 1) // 4, PRIME) % PRIME
    return (x, y) if x * x % PRIME == square else None


def torsion():
    """All points whose order divides 8: the multiples of one, found as any point times the order of the large subgroup."""
    for y in range(2, 1000):
        point = point_at(y)
        if point is not None and times(4, found := times(ORDER, point)) != (0, 1):
            return [times(count, found) for count in range(8)]
    raise AssertionError


def spellings(point):
    """The 32 bytes of a point, and those that decode to it though no encoder writes them."""
    x, y = point
    for value in (y, y + PRIME):
        for parity in {x & 1, 1} if x == 0 else {x & 1}:
            if value < 1 << 255:
                yield (value | parity << 255).to_bytes(32, "little")


def test_a_key_of_low_order_is_refused_in_every_spelling(tmp_path):
    points = torsion()
    assert len(set(points)) == 8
    raws = {raw for point in points for raw in spellings(point)}
    assert len(raws) >= 12
    forged = Signature(key="0" * 64, signature=(1).to_bytes(32, "little") + bytes(32))
    refused = 0
    for raw in raws:
        try:
            key = Ed25519PublicKey.from_public_bytes(raw)
        except ValueError:
            continue
        shown = key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        (tmp_path / "low.pem").write_bytes(shown)
        with pytest.raises(InvalidInput, match="low order, under which anybody can sign"):
            check(DOCUMENT, forged, tmp_path / "low.pem")
        refused += 1
    assert refused >= 8


def test_keys_that_were_made_are_of_no_low_order():
    for _ in range(200):
        raw = Ed25519PrivateKey.generate().public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        assert not signature._is_low_order(raw)
