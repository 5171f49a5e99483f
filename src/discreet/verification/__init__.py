"""What a stranger computes from a certificate: for each mechanism a second way to what its recorded parameters guarantee.

It shares no code with the mechanisms, and imports none of them (a contract says so). Both use the theorems of the proof notes, the lemma of
`discreet.accounting.gaussian`, and the derivatives of losses, which the property tests compare with finite differences.
"""

from discreet.verification.base import Check, Stated, rebuilt_checks, recheck, register_recheck

__all__ = ["Check", "Stated", "rebuilt_checks", "recheck", "register_recheck"]
