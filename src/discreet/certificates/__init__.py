"""Releases and their certificates."""

from discreet.certificates.certificate import FORMAT, Certificate, Verification, digest_of
from discreet.certificates.release import Release
from discreet.statements import Hypothesis, Words, register_words
from discreet.verification import Check, register_recheck

__all__ = ["FORMAT", "Certificate", "Check", "Hypothesis", "Release", "Verification", "Words", "digest_of", "register_recheck", "register_words"]
