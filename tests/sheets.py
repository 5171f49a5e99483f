"""A spreadsheet of a few cells, written as the format says and by nobody's library."""

import re
import zipfile
from datetime import date, datetime, time, timedelta
from xml.sax.saxutils import escape

PARTS = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
    "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>'
    '<sheet name="first" sheetId="1" r:id="rId1"/><sheet name="second" sheetId="2" r:id="rId3"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/>'
    '<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/>'
    '<Relationship Id="rId3" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet2.xml"/>'
    "</Relationships>",
    "xl/styles.xml": '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs count="4">'
    '<xf numFmtId="0"/><xf numFmtId="22" applyNumberFormat="1"/><xf numFmtId="21" applyNumberFormat="1"/><xf numFmtId="46" applyNumberFormat="1"/>'
    "</cellXfs></styleSheet>",
}
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f]|_(?=x[0-9A-Fa-f]{4}_)")
DAY_0 = datetime.fromisoformat("1899-12-30")


class Xml(str):
    """A cell as it is stored, but for its place."""

    __slots__ = ()


def cell(value):
    """`#N/A` is an error, None an empty cell."""
    if value is None:
        return ""
    if isinstance(value, Xml):
        return value
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f"<c><v>{value!r}</v></c>"
    if isinstance(value, time):
        return f'<c s="2"><v>{timedelta(hours=value.hour, minutes=value.minute, seconds=value.second) / timedelta(days=1)!r}</v></c>'
    if isinstance(value, date):
        moment = value if isinstance(value, datetime) else datetime.combine(value, time())
        return f'<c s="1"><v>{(moment - DAY_0) / timedelta(days=1)!r}</v></c>'
    if value.startswith("#"):
        return f'<c t="e"><v>{value}</v></c>'
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(_CONTROL.sub(_escaped, value))}</t></is></c>'


def _escaped(found):
    """What XML has no place for, or would change."""
    return f"_x{ord(found[0]):04X}_"


def sheet(rows):
    """Its part, each cell with its place."""
    lines = []
    for number, row in enumerate(rows, 1):
        cells = (cell(value).replace("<c", f'<c r="{chr(65 + place)}{number}"', 1) for place, value in enumerate(row))
        lines.append(f'<row r="{number}">{"".join(cells)}</row>')
    return f'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{"".join(lines)}</sheetData></worksheet>'


def write_xlsx(path, rows, second=()):
    """At most 26 columns."""
    with zipfile.ZipFile(path, "w") as file:
        for name, text in {**PARTS, "xl/worksheets/sheet1.xml": sheet(rows), "xl/worksheets/sheet2.xml": sheet(second)}.items():
            file.writestr(name, f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>{text}')
    return path
