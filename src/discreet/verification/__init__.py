"""What a stranger computes from a certificate: for each mechanism a second way to what its recorded parameters guarantee.

It shares no code with the mechanisms, and imports none of them (a contract says so). Both use the theorems of the proof notes, the lemma of
`discreet.accounting.gaussian`, and the derivatives of losses, which the property tests compare with finite differences.
"""

from discreet.verification import classes as _classes
from discreet.verification import constrained as _constrained
from discreet.verification import counting as _counting
from discreet.verification import cuts as _cuts
from discreet.verification import learning as _learning
from discreet.verification import margins as _margins
from discreet.verification import regression as _regression
from discreet.verification import rows as _rows
from discreet.verification import selection as _selection
from discreet.verification import sketch as _sketch
from discreet.verification.base import Check, Stated, rebuilt_checks, recheck, register_recheck

del _classes, _constrained, _counting, _cuts, _learning, _margins, _regression, _rows, _selection, _sketch

__all__ = ["Check", "Stated", "rebuilt_checks", "recheck", "register_recheck"]
