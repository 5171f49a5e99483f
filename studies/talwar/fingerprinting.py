"""LASSO problems that no private algorithm solves well: the lower bound of Talwar, Thakurta and Zhang (2014, theorem 5.8), as an instance.

Each problem has p features in {-1, 1} and asks for weights in the unit l1 ball. Of w + 1 people, one is left out; the others' rows x_j form a padded
Tardos code and have the target 1. K common rows h_k, a Hadamard matrix's, have the target 0. Its columns are orthogonal, so

    sum of squared errors   F(theta) = sum_{j != i} (1 - <x_j, theta>)^2 + sum_k <h_k, theta>^2 = sum_{j != i} (1 - <x_j, theta>)^2 + K |theta|_2^2

Consensus columns S are those where the w rows agree; s_c is their common sign. The code is made of Tardos columns (P(x = 1) = sin^2 r, r uniform on
[t, pi/2 - t], sin^2 t = 1 / (300 (w + 1)); Tardos 2008) and of columns where everybody agrees, half of each sign, in random order: from the outside
nothing tells them apart.

Claim 1.  theta* = s / |S| on S has |theta*|_1 = 1 and F(theta*) = K / |S|: each <x_j, theta*> is 1.
Claim 2.  If |theta|_1 <= 1, the signs of theta agree with s on at least  K / F(theta) - K / w - (p - |S|)  columns of S (lemma 5.10, with constants).
    Proof. Let A be those columns, a = |A| + p - |S| and u = |theta|_2. Then <x_j, theta> <= sum over A and outside S of |theta_c| <= sqrt(a) u
    for each j, so F(theta) >= w (1 - sqrt(a) u)_+^2 + K u^2 >= w K / (K + w a): solve for a.

So a small F means knowing most consensus signs, among them those of Tardos columns, which name somebody whose row was used; then the row can be
changed and the name stays, which differential privacy forbids (theorem 5.9: Dwork, Talwar, Thakurta and Zhang 2014, corollary 16, from Bun, Ullman
and Vadhan 2014). That theorem needs w of the order m / log m, p = 1000 m^2 and m^2 Tardos columns. The parameters here are free: claims 1 and 2 hold
for all of them, the conclusion is a statement about large w. The normalised risk at stake, F / n with n = w + K records, is 1 / |S|, of the order
n^{-2/3} there.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from scipy.linalg import hadamard

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput

_MOST_ROWS = 2**15
"""A Hadamard matrix of this order takes a gigabyte."""


class Uniforms(Protocol):
    """Where public randomness comes from, such as a NumPy Generator."""

    def random(self, size: int) -> Floats:
        """`size` independent numbers, uniform on [0, 1)."""


class Records(NamedTuple):
    """One LASSO problem."""

    features: npt.NDArray[np.int8]
    """-1 or 1, shape (n, p); the w rows of people come first."""
    targets: Floats
    """1 for people, 0 for common rows, shape (n,)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FingerprintingLasso:
    """w + 1 neighbouring LASSO problems, by who is left out. Make one with `fingerprinting_lasso`."""

    code: npt.NDArray[np.int8]
    """-1 or 1, shape (w + 1, p)."""

    @property
    def users(self) -> int:
        """w, the people in each problem."""
        return int(self.code.shape[0]) - 1

    @property
    def columns(self) -> int:
        """p."""
        return int(self.code.shape[1])

    @property
    def common_rows(self) -> int:
        """K, the smallest power of two that is at least p."""
        return 1 << (self.columns - 1).bit_length()

    def records(self, left_out: int) -> Records:
        """The problem without person `left_out`, from 0 to w."""
        rows = np.delete(self.code, self._index(left_out), axis=0)
        common = hadamard(self.common_rows, dtype=np.int8)[:, : self.columns]
        return Records(np.concatenate([rows, common]), np.concatenate([np.ones(self.users), np.zeros(self.common_rows)]))

    def consensus(self, left_out: int) -> npt.NDArray[np.int8]:
        """s: the common sign of each column among the people of that problem, 0 where they disagree; shape (p,)."""
        rows = np.delete(self.code, self._index(left_out), axis=0)
        return np.where((rows == rows[0]).all(axis=0), rows[0], np.int8(0))

    def reference(self, left_out: int) -> Floats:
        """theta* of claim 1."""
        signs = self.consensus(left_out).astype(np.float64)
        return signs / np.count_nonzero(signs)

    def reference_squares(self, left_out: int) -> float:
        """F(theta*) = K / |S|."""
        return self.common_rows / int(np.count_nonzero(self.consensus(left_out)))

    def squares(self, weights: Floats, left_out: int) -> float:
        """F(weights), without the common rows' features."""
        rows = np.delete(self.code, self._index(left_out), axis=0)
        return float(np.sum(np.square(1.0 - rows @ weights)) + self.common_rows * np.sum(np.square(weights)))

    def agreement(self, weights: Floats, left_out: int) -> int:
        """On how many consensus columns the weights have the common sign."""
        return int(np.count_nonzero(self.consensus(left_out) * weights > 0.0))

    def least_agreement(self, squares: float, left_out: int) -> float:
        """Claim 2: what `agreement` is at least, for weights in the unit l1 ball with F = `squares` > 0; of no use where negative."""
        disputed = self.columns - int(np.count_nonzero(self.consensus(left_out)))
        return float(self.common_rows / squares - self.common_rows / self.users - disputed)

    def _index(self, left_out: int) -> int:
        if not 0 <= left_out <= self.users:
            raise InvalidInput(f"who is left out must be from 0 to {self.users}; {left_out!r} was given.")
        return left_out


def fingerprinting_lasso(*, users: int, columns: int, tardos_columns: int, generator: Uniforms) -> FingerprintingLasso:
    """Problems with `users` = w >= 2 people each, p = `columns` features, of which `tardos_columns` <= p are Tardos columns and the others padding.

    The same generator state gives the same problems. Raises InvalidInput for sizes that do not fit, and beyond 2^15 columns.
    """
    if users < 2 or not 0 <= tardos_columns < columns or not 2 <= columns <= _MOST_ROWS:
        raise InvalidInput(
            "a fingerprinting instance needs users >= 2, 2 <= columns <= 32768 and 0 <= tardos_columns < columns; "
            f"users={users!r}, columns={columns!r}, tardos_columns={tardos_columns!r} were given."
        )
    people = users + 1
    least = np.arcsin(np.sqrt(1.0 / (300.0 * people)))
    angles = least + (np.pi / 2.0 - 2.0 * least) * generator.random(tardos_columns)
    draws = generator.random(people * tardos_columns).reshape(people, tardos_columns)
    tardos = np.where(draws < np.square(np.sin(angles)), 1, -1).astype(np.int8)
    padding = np.ones((people, columns - tardos_columns), dtype=np.int8)
    padding[:, padding.shape[1] // 2 :] = -1
    order = np.argsort(generator.random(columns), kind="stable")
    code = np.concatenate([tardos, padding], axis=1)[:, order]
    code.flags.writeable = False
    return FingerprintingLasso(code=code)
