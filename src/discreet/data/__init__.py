"""What is public about a table, and the records themselves."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of
from discreet.core.parts import also_of

if TYPE_CHECKING:
    from discreet.data.blocks import (
        Block,
        BlockTable,
        FileTable,
        FunctionTable,
        NpyTable,
        TransformedTable,
        numeric_files,
        schema_files,
    )
    from discreet.data.cells import number_rows
    from discreet.data.columns import CategoricalColumn, Cross, DateColumn, NumberTarget, NumericColumn, Target
    from discreet.data.dialect import Dialect
    from discreet.data.domain import Domain
    from discreet.data.draft import SchemaDraft, schema_stub
    from discreet.data.layout import EncodedTable
    from discreet.data.person_column import PersonColumn
    from discreet.data.reader import Reader, streamed_records
    from discreet.data.records import Records, bounded_rows, class_codes
    from discreet.data.schema import Schema
    from discreet.data.table_file import dialect_of, read_header, read_table
    from discreet.data.targets import NumberTargets, TimeTarget
else:
    _own_name, __dir__ = names_of(__name__)
    __getattr__ = also_of(_own_name, dict.fromkeys(("Cluster", "DaskTable", "local_cluster"), "cluster"))

__all__ = [
    "Block",
    "BlockTable",
    "CategoricalColumn",
    "Cross",
    "DateColumn",
    "Dialect",
    "Domain",
    "EncodedTable",
    "FileTable",
    "FunctionTable",
    "NpyTable",
    "NumberTarget",
    "NumberTargets",
    "NumericColumn",
    "PersonColumn",
    "Reader",
    "Records",
    "Schema",
    "SchemaDraft",
    "Target",
    "TimeTarget",
    "TransformedTable",
    "bounded_rows",
    "class_codes",
    "dialect_of",
    "number_rows",
    "numeric_files",
    "read_header",
    "read_table",
    "schema_files",
    "schema_stub",
    "streamed_records",
]
