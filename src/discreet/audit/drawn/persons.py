"""Whose rows are whose in what is drawn: an invented table of persons with the weight that each of its rows must have, and who is kept.

ids        one row each; two different rows, where two are kept; and twice as many equal rows as are kept
a_i        1 / m or 1 / M, written down here anew: of equal rows it makes no difference which are kept, so that all together have one weight
kept       which row of a person with one too many is left out: each equally likely
key        bytes under which ids travel from blocks: uniform, of every run anew
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.audit.parts import Part, chosen
from discreet.core.arrays import Floats
from discreet.core.neighbours import Persons
from discreet.data import Block, Domain, FunctionTable, Records
from discreet.data.persons import Draw
from discreet.data.reader import streamed_records
from discreet.matrices import DenseMatrix
from discreet.mechanisms.persons import drawn_beside, owners_of
from discreet.noise import SystemNoise

ALONE: Floats = np.array([[0.3, -0.2], [-0.1, 0.4], [0.2, 0.2], [-0.3, -0.3]])
"""Rows of persons with one each."""
_SIGNS = np.array([1.0, -1.0, 1.0, -1.0])
_BLOCKS, _TRIES, _MOST = 3, 300, 5
_COPIES = 50
"""Of six persons: so many that a weight that is off by a share moves sums by more than the noise hides from some hundred runs."""


class Owned(NamedTuple):
    """An invented table."""

    rows: Floats
    """(n, 2)."""
    signs: Floats
    """(n,), +1 and -1."""
    ids: npt.NDArray[np.int64]
    """(n,)."""
    shares: Floats
    """(n,): what rows weigh, or what equal ones weigh on average."""

    @property
    def persons(self) -> int:
        """How many persons own rows."""
        return len(np.unique(self.ids))

    def records(self, domain: Domain) -> Records:
        """Of this domain, kept and weighed anew by its rule; targets are the signs."""
        owners = owners_of(None if domain.persons is None else self.ids, rule=domain.persons, rows=len(self.ids), noise=SystemNoise())
        return Records(rows=DenseMatrix(self.rows), targets=self.signs, domain=domain, weights=owners.shared(None))

    def block(self, number: int, weights: Floats | None = None, labels: Floats | None = None) -> Block:
        """One of `_BLOCKS`, each with rows of every person who has so many."""
        some = slice(number, None, _BLOCKS)
        targets = self.signs if labels is None else labels
        return Block(DenseMatrix(self.rows[some]), targets[some], None if weights is None else weights[some], self.ids[some])

    def table(self, weights: Floats | None = None) -> FunctionTable:
        """The whole table in blocks."""
        return FunctionTable(lambda number: self.block(number, weights), blocks=_BLOCKS, features=2)


def owned_rows(rule: Persons | None) -> Owned:
    """The table for this rule; without one, persons of one row, who weigh 1."""
    if rule is None or not rule.told_apart:
        return Owned(rows=ALONE, signs=_SIGNS, ids=np.arange(len(ALONE)), shares=np.ones(len(ALONE)))
    most, pair = rule.rows, np.array([[0.2, -0.4], [-0.4, -0.1]])[: min(rule.rows, 2)]
    crowd = np.tile([[0.5, 0.1]], (most, 1))
    rows = np.vstack((crowd, ALONE, crowd, pair))
    signs = np.concatenate((np.ones(most), _SIGNS, np.ones(most), [1.0, -1.0][: len(pair)]))
    owners = np.concatenate((np.full(most, 4), np.arange(4), np.full(most, 4), np.full(len(pair), 5)))
    each, of_pair = (1.0 / most, 1.0 / most) if rule.weight == "row" else (1.0, 1.0 / len(pair))
    shares = np.array([each, each, each, each, 0.5 / most, of_pair])[owners]
    ids = owners + 6 * np.arange(_COPIES)[:, np.newaxis]
    return Owned(rows=np.tile(rows, (_COPIES, 1)), signs=np.tile(signs, _COPIES), ids=ids.ravel(), shares=np.tile(shares, _COPIES))


def kept_parts(rule: Persons) -> tuple[Part, ...]:
    """Which row of a person with one too many is left out, in memory and in blocks, and the key of a run; of at most `_MOST` rows that are kept."""
    rule = Persons(rows=min(rule.rows, _MOST), weight=rule.weight if rule.told_apart else "person")
    ids = np.concatenate(([7], np.full(rule.rows + 1, 20), [8]))
    outcomes = np.ones(rule.rows + 1)
    left = [[_left_out(_kept_of_array(ids, rule), ids)] for _ in range(_TRIES)]
    lost = [[_left_out(_kept_of_blocks(ids, rule), ids)] for _ in range(_TRIES)]
    keys = np.array([np.frombuffer(Draw(drawn_beside(SystemNoise())).key, dtype=np.uint8) for _ in range(_TRIES)])
    law = "each row equally likely"
    return (
        chosen("row that is left out, in memory", law, left, outcomes),
        chosen("row that is left out, in blocks", law, lost, outcomes),
        chosen("key of ids", "each byte equally likely", keys, np.ones(256)),
    )


def _kept_of_array(ids: npt.NDArray[np.int64], rule: Persons) -> npt.NDArray[np.integer]:
    """Numbers of the rows that are kept, rising."""
    weights = owners_of(ids, rule=rule, rows=len(ids), noise=SystemNoise()).shared(None)
    return np.arange(len(ids)) if weights is None else np.flatnonzero(weights)


def _kept_of_blocks(ids: npt.NDArray[np.int64], rule: Persons) -> npt.NDArray[np.int64]:
    """The rows that are kept of a table in blocks."""
    numbers = np.arange(len(ids))
    table = FunctionTable(
        lambda block: Block(DenseMatrix(numbers[block::2, np.newaxis] / len(ids)), np.ones(len(numbers[block::2])), None, ids[block::2]),
        blocks=2,
        features=1,
    )
    domain = Domain(features=1, norm_bound=1.0, classes=2, records=3, persons=rule)
    data = streamed_records(table, domain=domain, classes=np.array([-1.0, 1.0]), noise=drawn_beside(SystemNoise()))
    found = np.concatenate(list(data.map(lambda _, block: block.matrix.matvec(np.ones(1)))))
    return np.sort(np.rint(found * len(ids)).astype(np.int64))


def _left_out(kept: npt.NDArray[np.integer], ids: npt.NDArray[np.int64]) -> int:
    """Which of the crowded person's rows is not there; 0 where none is, or several."""
    gone = np.setdiff1d(np.arange(len(ids)), kept)
    return int(gone[0]) - 1 if len(gone) == 1 else 0
