"""Signatures: whose word a model, a release, an evaluation, intervals or a certificate is.

    signature = Ed25519(private key, line + canonical JSON of the document),    line = discreet-signature/1 and a line feed
    key id    = SHA-256 of the 32 bytes of the public key

(RFC 8032; the canonical spelling is that of `discreet.core.files.strict_json`.) What is signed stays as it is: the signature is a file beside it,
a JSON object with format, algorithm, key id and signature. A release is signed by its manifest, which holds the digests of its files. A verifier
needs the public key from a place that the signer is known to write to; the key id is for comparing, and proves nothing by itself.

A public key A of low order, 8 A = 0, is refused: under the neutral element R = A and S = 0 sign every document, and under the others one in eight of
them at least. On the curve -x^2 + y^2 = 1 + d x^2 y^2 the points whose order divides 8 are those with x = 0 (y^2 = 1: orders 1 and 2), those with
y = 0 (order 4: their double has y = -1), and those whose double has y = 0, which is x^2 = -y^2, so that d y^4 + 2 y^2 = 1 (order 8). They are the
points whose y is a root of y (y^2 - 1) (d y^4 + 2 y^2 - 1), taken modulo p whatever its spelling: no list of encodings that could miss one.

Keys are PEM files: PKCS #8 without a password for the private one, readable by its owner only, SubjectPublicKeyInfo for the public one. All
arithmetic is that of the package `cryptography`.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.files.reading import exists, read_parsed, read_text
from discreet.core.files.strict_json import canonical_bytes, read_object
from discreet.core.files.whole_file import check_writable, write_whole
from discreet.core.lazily import lazily

if TYPE_CHECKING:
    from cryptography import exceptions
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ed25519
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
else:
    exceptions = lazily("cryptography.exceptions")
    serialization = lazily("cryptography.hazmat.primitives.serialization")
    ed25519 = lazily("cryptography.hazmat.primitives.asymmetric.ed25519")

FORMAT = "discreet-signature/1"
"""The format of a signature file; another version is refused. It is also the first line of what is signed: no other signature passes for one."""
ALGORITHM = "Ed25519"
_PRIME = 2**255 - 19
_D = -121665 * pow(121666, -1, _PRIME) % _PRIME
"""The curve of Ed25519 (RFC 8032, section 5.1)."""
_KEYS = {"format", "algorithm", "key", "signature"}


class Verdict(NamedTuple):
    """Whether a signature is that of the document with the key, in words."""

    ok: bool
    detail: str

    def __bool__(self) -> bool:
        """`ok`: a signature that does not hold must not be taken for one because there is a verdict."""
        return self.ok


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """A signature with the id of the key that made it."""

    key: str
    """64 hexadecimal digits."""
    signature: bytes
    """64 bytes."""

    def to_dict(self) -> dict[str, str]:
        """The document of its file."""
        return {"format": FORMAT, "algorithm": ALGORITHM, "key": self.key, "signature": self.signature.hex()}

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the file completely or not at all. Raises InvalidInput if it exists (unless `overwrite`) or cannot be written."""
        write_whole(path, json.dumps(self.to_dict(), indent=2) + "\n", overwrite=overwrite)

    @classmethod
    def load(cls, path: str | Path) -> "Signature":
        """The signature in a file.

        Raises InvalidInput if the file does not exist, and FileFormatError, with the path, if its content is not valid.
        """
        return read_parsed(path, cls._read, what="signature", remedy="Check the path, or write one with `discreet sign`.")

    @classmethod
    def _read(cls, text: str) -> "Signature":
        record = read_object(text, what="a signature")
        if record.get("format") != FORMAT or record.get("algorithm") != ALGORITHM:
            raise FileFormatError(f"this version reads signatures of the format {FORMAT!r} by {ALGORITHM}; another or none is stated.")
        key, signature = record.get("key"), record.get("signature")
        if set(record) != _KEYS or not (_is_hex(key, 32) and _is_hex(signature, 64)):
            raise FileFormatError("its key id or its signature is missing or damaged.")
        return cls(key=str(key), signature=bytes.fromhex(str(signature)))


def new_key(private: str | Path, public: str | Path) -> str:
    """Make a key pair from the operating system's randomness, write both files, and return the key id.

    The private file can be read by its owner only (mode 600). Raises InvalidInput where a file exists, which is never written over, or cannot be
    written.
    """
    for path in (private, public):
        if exists(path):
            raise InvalidInput(f"{str(path)!r} exists already, and keys are never overwritten. Choose another name.")
        check_writable(path, overwrite=False)
    if Path(private).absolute() == Path(public).absolute():
        raise InvalidInput("the private and the public key need different files; the same was given for both.")
    key = ed25519.Ed25519PrivateKey.generate()
    encoding = serialization.Encoding.PEM
    secret = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    shown = key.public_key().public_bytes(encoding, serialization.PublicFormat.SubjectPublicKeyInfo)
    write_whole(private, secret.decode(), overwrite=False, mode=0o600)
    try:
        write_whole(public, shown.decode(), overwrite=False)
    except BaseException:
        Path(private).unlink(missing_ok=True)  # it has signed nothing, and half a pair would be in the way of the next attempt
        raise
    return key_id(key.public_key())


def sign(document: Mapping[str, Any], private: str | Path) -> Signature:
    """Sign a JSON document with the private key in a file. Raises InvalidInput for a file that holds none that can be used here."""
    key = _private_key(private)
    return Signature(key=key_id(key.public_key()), signature=key.sign(_signed(document)))


def check(document: Mapping[str, Any], signature: Signature, public: str | Path) -> Verdict:
    """Whether the signature is that of the document with the public key in a file. Raises InvalidInput for a file that holds no such key."""
    key = _public_key(public)
    given = key_id(key)
    if signature.key != given:
        return Verdict(False, f"the file was signed with the key {signature.key}; the key that was given is {given}")
    try:
        key.verify(signature.signature, _signed(document))
    except exceptions.InvalidSignature:
        return Verdict(False, "the signature is not that of this content: one of the two was changed after signing")
    return Verdict(True, f"made with the key {given}")


def key_id(key: "Ed25519PublicKey") -> str:
    """64 hexadecimal digits: SHA-256 of the 32 bytes of the key."""
    return hashlib.sha256(_raw(key)).hexdigest()


def _raw(key: "Ed25519PublicKey") -> bytes:
    """The 32 bytes of the key: y, and the sign of x in the last bit."""
    return key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def _is_low_order(raw: bytes) -> bool:
    """Whether the point is one of the eight whose order divides 8, in any spelling; see the module docstring."""
    y = (int.from_bytes(raw, "little") & (1 << 255) - 1) % _PRIME
    return y * (y * y - 1) * (_D * y**4 + 2 * y * y - 1) % _PRIME == 0


def _signed(document: Mapping[str, Any]) -> bytes:
    return FORMAT.encode() + b"\n" + canonical_bytes(document)


def _private_key(path: str | Path) -> "Ed25519PrivateKey":
    text, key = _key(path, "private key", "Check the path, or make a key with `discreet keygen`.")
    if isinstance(key, ed25519.Ed25519PrivateKey):
        return key
    locked = "It has a password, but only keys without one can be used."
    hint = locked if "ENCRYPTED PRIVATE KEY" in text else "Give the one that `discreet keygen` wrote."
    raise FileFormatError(f"{str(path)!r} holds no private key for {ALGORITHM} that can be used. {hint}")


def _public_key(path: str | Path) -> "Ed25519PublicKey":
    text, key = _key(path, "public key", "Give the file that the signer publishes.")
    if isinstance(key, ed25519.Ed25519PublicKey):
        if _is_low_order(_raw(key)):
            raise FileFormatError(
                f"{str(path)!r} holds a public key of low order, under which anybody can sign anything. Give the file that the signer publishes."
            )
        return key
    hint = " It holds a private key, which only its owner should have. Give the public one." if "PRIVATE KEY" in text else ""
    raise FileFormatError(f"{str(path)!r} holds no public key for {ALGORITHM}.{hint}")


def _key(path: str | Path, what: str, remedy: str) -> tuple[str, object]:
    """The text of a file, and the key that it spells, None where it spells none."""
    text = read_text(path, what=what, remedy=remedy)
    try:
        if what == "public key":
            return text, serialization.load_pem_public_key(text.encode())
        return text, serialization.load_pem_private_key(text.encode(), password=None)
    except Exception:  # noqa: BLE001 - whatever the parser has to say (that there is a password, for one), it may quote a secret
        return text, None


def _is_hex(value: object, size: int) -> bool:
    return isinstance(value, str) and len(value) == 2 * size and all(sign in "0123456789abcdef" for sign in value)
