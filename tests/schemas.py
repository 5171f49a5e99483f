"""The text of a schema file, for tests that need one and look at something else."""

import json

OPEN = {"lower": "FILL IN", "upper": "FILL IN"}
"""A numeric column whose bounds nobody knows."""


def schema_text(name, target, columns, **head):
    """The file: `target` names the column of the classes no and yes, or is a whole section, or a list of several.

    Of `columns`, (lower, upper) are the bounds of a number, a list is of categories, and a dictionary is a whole section.
    """
    target = {"column": target, "classes": ["no", "yes"]} if isinstance(target, str) else target
    targets = [("[target]", one) for one in target] if isinstance(target, list) else [("target", target)]
    sections = [*targets, *(_section(column, said) for column, said in columns.items())]
    lines = _lines({"format": "discreet-schema/1", "name": name, **head})
    return "\n".join([*lines, *(line for title, said in sections for line in (f"[{title}]", *_lines(said)))]) + "\n"


def _section(column, said):
    said = {"categories": said} if isinstance(said, list) else said if isinstance(said, dict) else dict(zip(("lower", "upper"), said, strict=True))
    kind = "categorical" if "categories" in said else "numeric"
    return f"{kind}.{column if column.isidentifier() else json.dumps(column)}", said


def _lines(said):
    return [f"{key} = {json.dumps(value)}" for key, value in said.items()]
