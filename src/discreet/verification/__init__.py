"""What a stranger computes from a certificate: for each mechanism a second way to what its recorded parameters guarantee.

It calls nothing of the mechanisms, and imports none of them (a contract says so). Both roads use the theorems of the proof notes, and of the package
what docs/certificates.md lists, which is all that is imported here: the lemma of `discreet.accounting.gaussian`, slopes and curvatures of losses,
radii of sets, the normal distribution function, and readers of records. Each of these has a test that takes another way.
"""

from discreet.verification.base import Check, Stated, rebuilt_checks, recheck, register_recheck

__all__ = ["Check", "Stated", "rebuilt_checks", "recheck", "register_recheck"]
