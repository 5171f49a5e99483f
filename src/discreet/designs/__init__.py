"""Tables of rows x_1, ..., x_n in R^d, behind one protocol: dense, sparse, tabular (numbers and categories), and scaled with a constant column."""

from discreet.designs.augmented import AugmentedDesign
from discreet.designs.base import BLOCK_ROWS, Design
from discreet.designs.clipped import ClippedDesign, clip_entries
from discreet.designs.columns import Column, columns_of
from discreet.designs.convert import as_design
from discreet.designs.dense import DenseDesign
from discreet.designs.device import DeviceDesign
from discreet.designs.entries import entries_of
from discreet.designs.ordered import ordered_matvec, ordered_row_norms
from discreet.designs.per_record import answers_as_its, answers_per_record, is_per_record, marked_per_record
from discreet.designs.plain import plain_rows
from discreet.designs.shortening import safe_shortening, shortening
from discreet.designs.sparse import SparseDesign
from discreet.designs.tabular import TabularDesign

__all__ = [
    "BLOCK_ROWS",
    "AugmentedDesign",
    "ClippedDesign",
    "Column",
    "DenseDesign",
    "Design",
    "DeviceDesign",
    "SparseDesign",
    "TabularDesign",
    "answers_as_its",
    "answers_per_record",
    "as_design",
    "clip_entries",
    "columns_of",
    "entries_of",
    "is_per_record",
    "marked_per_record",
    "ordered_matvec",
    "ordered_row_norms",
    "plain_rows",
    "safe_shortening",
    "shortening",
]
