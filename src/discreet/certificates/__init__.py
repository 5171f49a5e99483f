"""Releases and their certificates."""

from discreet.certificates.certificate import FORMAT, Certificate, Release, Verification
from discreet.core.arrays import digest_of, digest_of_blocks
from discreet.statements import Hypothesis
from discreet.statements.base import Check, register_recheck

__all__ = ["FORMAT", "Certificate", "Check", "Hypothesis", "Release", "Verification", "digest_of", "digest_of_blocks", "register_recheck"]
