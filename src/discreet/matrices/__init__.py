"""Tables of rows x_1, ..., x_n in R^d, behind one protocol: dense, sparse, tabular (numbers and categories), and scaled with a constant column."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of
from discreet.core.parts import also_of

if TYPE_CHECKING:
    from discreet.matrices.base import BLOCK_ROWS, Column, Matrix
    from discreet.matrices.bounded import AugmentedMatrix, ClippedMatrix, clip_entries, safe_shortening, shortening
    from discreet.matrices.convert import as_matrix
    from discreet.matrices.dense import DenseMatrix
    from discreet.matrices.mapped import MappedMatrix
    from discreet.matrices.per_record import answers_as_its, answers_per_record, is_per_record, marked_per_record
    from discreet.matrices.sparse import SparseMatrix
    from discreet.matrices.tabular import TabularMatrix
else:
    _own_name, __dir__ = names_of(__name__)
    __getattr__ = also_of(_own_name, {"DeviceMatrix": "device"})

__all__ = [
    "BLOCK_ROWS",
    "AugmentedMatrix",
    "ClippedMatrix",
    "Column",
    "DenseMatrix",
    "MappedMatrix",
    "Matrix",
    "SparseMatrix",
    "TabularMatrix",
    "answers_as_its",
    "answers_per_record",
    "as_matrix",
    "clip_entries",
    "is_per_record",
    "marked_per_record",
    "safe_shortening",
    "shortening",
]
