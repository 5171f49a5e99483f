"""Tables in row blocks: where the rows are is theirs to know; the rest of the library asks for one block after the other."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.data.block_table import Block, BlockTable
    from discreet.data.blocks.files import FileTable, numeric_files, schema_files
    from discreet.data.blocks.function import FunctionTable
    from discreet.data.blocks.mapped import NpyTable
    from discreet.data.blocks.transformed import TransformedTable
    from discreet.data.shared_table import SharedTable
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = [
    "Block",
    "BlockTable",
    "FileTable",
    "FunctionTable",
    "NpyTable",
    "SharedTable",
    "TransformedTable",
    "numeric_files",
    "schema_files",
]
