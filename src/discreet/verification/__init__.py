"""What a stranger computes from a certificate: for each mechanism a second way to what its recorded parameters guarantee.

It shares no code with the mechanisms, and imports none of them (a contract says so). Both use the theorems of the proof notes, the lemma of
`discreet.accounting.discrete_gaussian`, and the derivatives of losses, which the law tests compare with finite differences.
"""

from discreet.verification import bounds_choice as _bounds_choice
from discreet.verification import classes as _classes
from discreet.verification import constrained as _constrained
from discreet.verification import counting as _counting
from discreet.verification import curvature as _curvature
from discreet.verification import learning as _learning
from discreet.verification import mirror_sampled as _mirror_sampled
from discreet.verification import objective_set as _objective_set
from discreet.verification import regression as _regression
from discreet.verification import regression_objective as _regression_objective
from discreet.verification import regression_sketch as _regression_sketch
from discreet.verification import rows as _rows
from discreet.verification import selection as _selection
from discreet.verification import sketch as _sketch
from discreet.verification.rebuild import Stated, rebuilt_checks
from discreet.verification.registry import Check, recheck, register_recheck

del _bounds_choice, _classes, _constrained, _counting, _curvature, _learning, _mirror_sampled, _objective_set, _regression, _regression_objective
del _regression_sketch, _rows, _selection, _sketch

__all__ = ["Check", "Stated", "rebuilt_checks", "recheck", "register_recheck"]
