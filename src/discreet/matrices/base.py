"""The matrix protocol: all that the library ever asks of the rows x_1, ..., x_n in R^d.

    matvec(w)   = (<x_i, w>)_i          rmatvec(s) = sum_i s_i x_i
    gram(h)     = sum_i h_i x_i x_i^T   row_norms  = (|x_i|_2)_i         blocks = the same rows, a few at a time

and gram_diagonal(h), the diagonal of gram(h), for tables too wide for a (d, d) matrix. Every algorithm is a sum over row blocks, so a streamed,
distributed or GPU table is one more class with these methods.

Accuracy that certificates rely on (u = 2^-53): matvec and rmatvec compute in float64, whatever the storage, as sums of products in any order
without cancellation tricks, so that |fl(<x, w>) - <x, w>| <= gamma_(width+3) |x| |w| and |fl(X^T s) - X^T s| <= gamma_(n+3) sum_i |s_i| |x_i|,
gamma_k = k u / (1 - k u).
"""

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from discreet.core.arrays import AnyFloats, Floats

BLOCK_ROWS = 1024
"""Most rows in one of the blocks of a Matrix: the rounding error of a block's sum grows with it."""


@runtime_checkable
class Matrix(Protocol):
    """n rows in R^d. Implementations never copy or change the caller's data."""

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d)."""

    @property
    def width(self) -> int:
        """Most entries of one row that may be non-zero, at most d: the terms of an inner product, which its rounding error grows with."""

    def matvec(self, weights: Floats) -> Floats:
        """Inner products of every row with `weights` (d,) or, one column a model, (d, k): shape (n,) or (n, k)."""

    def rmatvec(self, coefficients: Floats) -> Floats:
        """sum_i coefficients_i x_i for `coefficients` (n,) or (n, k): shape (d,) or (d, k)."""

    def gram(self, weights: Floats, *, single_precision: bool = False) -> AnyFloats:
        """sum_i weights_i x_i x_i^T, shape (d, d), for non-negative `weights` (n,).

        `single_precision` allows (does not force) float32 arithmetic: enough for a Newton matrix, never for a gradient.
        """

    def gram_diagonal(self, weights: Floats) -> Floats:
        """sum_i weights_i x_ij^2 for every column j, shape (d,), for non-negative `weights` (n,)."""

    def row_norms(self) -> Floats:
        """Euclidean norms of the rows, (n,)."""

    def blocks(self) -> Iterator[tuple[slice, "Matrix"]]:
        """The rows in order as (slice of row numbers, matrix of these rows), at most BLOCK_ROWS rows a block."""

    def content(self) -> Iterator[bytes]:
        """The entries as bytes, a few rows at a time, for the keyed digest by which a ledger knows a table again; scaling and constants left out."""
