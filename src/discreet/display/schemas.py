"""Schemas in notebooks: a table of columns, with what each may hold."""

from collections.abc import Iterator

from discreet.data import CategoricalColumn, DateColumn, NumericColumn, Schema
from discreet.data.labels import canonical
from discreet.data.places import Column
from discreet.data.row_lengths import length_words
from discreet.display.estimators import target_words
from discreet.display.pages import Facts, Table, view_html

_MOST = 200
_LABELS = 12


def view(schema: Schema) -> str:
    """HTML: the target, the rows, and every column."""
    persons = schema.persons
    rows = [
        ("Target", target_words(schema.target)),
        ("Rows", length_words(schema)),
        ("Features", f"{schema.features:,}"),
        ("Protected", "one record" if persons is None else f"one person with at most {persons.rows} rows"),
    ]
    columns = list(_columns(schema))
    more = f"; the first {_MOST} of {len(columns):,}" if len(columns) > _MOST else ""
    table = Table(f"Columns to learn from{more}", ("Column", "Kind", "Values", "Features"), columns[:_MOST], {3})
    return view_html(f"Schema {schema.name}", Facts("What is public about the table", rows), table)


def _columns(schema: Schema) -> Iterator[tuple[str, str, str, str]]:
    for column, names in zip(schema.layout.every, schema.layout.names(), strict=True):
        kind, values = _said(column)
        yield column.name, kind, values, f"{len(names):,}"


def _said(column: Column) -> tuple[str, str]:
    match column:
        case NumericColumn():
            return "number", f"{column.lower:.6g} to {column.upper:.6g}"
        case DateColumn():
            return "date", f"{column.lower} to {column.upper}"
        case CategoricalColumn():
            labels = [canonical(one) for one in column.categories]
            more = f", ... {len(labels)} in all" if len(labels) > _LABELS else ""
            return "category", ", ".join(labels[:_LABELS]) + more
        case _:
            return "cross", " and ".join(column.columns)
