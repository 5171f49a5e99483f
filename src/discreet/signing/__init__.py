"""Whose word a file or folder with a certificate is: keys, signatures beside what they are of, and their check."""

from discreet.signing.signature import Signature, Verdict, check, key_id, new_key, sign

__all__ = ["Signature", "Verdict", "check", "key_id", "new_key", "sign"]
