"""Releases and their certificates."""

from discreet.certificates.certificate import FORMAT, Certificate, Hypothesis, Verification, digest_of
from discreet.certificates.rechecks import Check, register_recheck
from discreet.certificates.release import Release

__all__ = ["FORMAT", "Certificate", "Check", "Hypothesis", "Release", "Verification", "digest_of", "register_recheck"]
