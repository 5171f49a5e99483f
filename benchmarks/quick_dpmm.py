"""dpmm 0.1.9 beside SciPy 1.17: AIM's identities get the dtype that they lack, and estimates take a third of the time.

The sums, products and logarithms of an estimate are the same, and so are its numbers but for their rounding; what changes is how small arrays are
summed, spread and multiplied, which takes most of the time of a synthetic table.
"""

from functools import partial
from typing import Any

import numpy as np
from dpmm.models import aim
from dpmm.models.base import matrix
from dpmm.models.base.mbi import clique_vector, factor, inference
from scipy import sparse

Factor: Any = factor.Factor
Inference: Any = inference.FactoredInference
Vector: Any = clique_vector.CliqueVector
_expand, _transpose, _setup = Factor.expand, Factor.transpose, Inference._setup  # noqa: SLF001 - theirs


class _Diagonal:
    """A diagonal matrix that is only ever multiplied by a vector."""

    def __init__(self, values: Any) -> None:  # noqa: ANN401 - an array
        self.values = values
        self.T = self

    def __matmul__(self, vector: Any) -> Any:  # noqa: ANN401 - an array
        return self.values * vector


def _logsumexp(values: Any, axis: Any = None) -> Any:  # noqa: ANN401 - a number or an array
    top = np.max(values, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    return np.squeeze(top, axis=axis) + np.log(np.sum(np.exp(values - top), axis=axis))


def _expanded(self: Any, domain: Any) -> Any:  # noqa: ANN401 - theirs
    own = self.domain
    if own.attrs == domain.attrs:
        return self
    if tuple(name for name in domain.attrs if name in own.config) != own.attrs:
        return _expand(self, domain)
    shape = [own.config.get(name, 1) for name in domain.attrs]
    return Factor(domain, np.broadcast_to(self.values.reshape(shape), domain.shape))


def _transposed(self: Any, names: Any) -> Any:  # noqa: ANN401 - theirs
    return self if tuple(names) == self.domain.attrs else _transpose(self, names)


def _grouped(self: Any, measurements: Any, total: Any) -> None:  # noqa: ANN401 - theirs
    _setup(self, measurements, total)
    for clique, found in self.groups.items():
        quick = [_Diagonal(first.diagonal()) if sparse.issparse(first) and first.format == "dia" else first for first, *_ in found]
        self.groups[clique] = [(first, *rest) for first, (_, *rest) in zip(quick, found, strict=True)]


def _times(self: Any, number: Any) -> Any:  # noqa: ANN401 - theirs
    return Vector({clique: Factor(mine.domain, number * mine.values) for clique, mine in self.items()})


def _minus(self: Any, other: Any) -> Any:  # noqa: ANN401 - theirs, of the same cliques
    return Vector({clique: Factor(mine.domain, mine.values - other[clique].values) for clique, mine in self.items()})


def _dot(self: Any, other: Any) -> Any:  # noqa: ANN401 - theirs, of the same cliques
    return sum(np.vdot(mine.values, other[clique].values) for clique, mine in self.items())


aim.Identity = partial(matrix.Identity, dtype=np.dtype(np.float64))
factor.logsumexp, Factor.expand, Factor.transpose, Inference._setup = _logsumexp, _expanded, _transposed, _grouped  # noqa: SLF001 - theirs
Vector.__rmul__, Vector.__sub__, Vector.dot = _times, _minus, _dot
