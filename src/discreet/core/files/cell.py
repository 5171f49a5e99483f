"""A text as a cell of a CSV file that people may open in a spreadsheet."""


def as_cell(text: str) -> str:
    """The text as spreadsheets read it as a text: one that would be a formula to them begins with an apostrophe, unless it is a number."""
    if not text.startswith(("=", "+", "-", "@")):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text
