"""Figures 1 to 3 with the published calibration and with sound ones, and what the published one tells about single entries."""

from collections.abc import Iterator, Sequence

from studies.base import Cell, Record, seed_of
from studies.page import Page
from studies.results import Results
from studies.showkatbakhsh.digits import digit_records
from studies.showkatbakhsh.leak import TABLES, leak_records
from studies.showkatbakhsh.page import page_of
from studies.showkatbakhsh.regression import relative_errors, uniform_rows
from studies.tables import Tables

FEATURES = (800, 50)
"""The paper's, and narrow tables."""


class _Showkatbakhsh:
    name = "showkatbakhsh"
    title = "Noisy rows and secret sketches for least squares, under bits about an entry"
    paper = "Showkatbakhsh, Karakus, Diggavi (2018), Privacy-utility trade-off of linear regression under random projections and additive noise"

    def cells(self, *, quick: bool) -> Sequence[Cell]:
        """Relative errors against n and against bits, digits, leaks."""
        cells = [
            Cell(part="leak", settings={"table": table, "rows": rows, "bits": bits}, needs=("breast-cancer",) if table == "breast cancer" else ())
            for table in TABLES
            for rows, bits in ((20, 0.1), (50, 0.5))
        ]
        for features in FEATURES:
            wide = features == FEATURES[0]
            repeats = (2 if wide else 5) if quick else (5 if wide else 20)
            thousands = ((1, 2, 5, 10) if wide else (1, 5, 20)) if quick else tuple(range(1, 21))
            levels = ((0.1, 0.5, 2.0) if wide else (0.1, 0.25, 0.5, 1.0, 2.0)) if quick else (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)
            for repeat in range(repeats):
                cells += [self._cell("figure-1", features, 1000 * k, 0.5, repeat) for k in thousands]
                cells += [self._cell("figure-2", features, 10_000, bits, repeat) for bits in levels]
        for records in (1000, 4000, 9000) if quick else (500, *range(1000, 9001, 1000)):
            for repeat in range(3 if quick else 10):
                cells.append(Cell(part="figure-3", settings={"records": records, "bits": 0.2, "repeat": repeat}, needs=("mnist-4-9",)))
        return cells

    def compute(self, cell: Cell, tables: Tables) -> Iterator[Record]:
        """One point of the grid."""
        given = cell.settings
        if cell.part == "leak":
            yield from leak_records(tables, table=str(given["table"]), rows=int(given["rows"] or 0), bits=float(given["bits"] or 0))
            return
        records, bits, repeat = int(given["records"] or 0), float(given["bits"] or 0), int(given["repeat"] or 0)
        if cell.part == "figure-3":
            yield from digit_records(tables, records=records, bits=bits, repeat=repeat)
            return
        features = int(given["features"] or 0)
        x, y = uniform_rows(records=records, features=features, repeat=repeat)
        yield from relative_errors(x, y, bits=bits, unit=1000, seed=seed_of("showkatbakhsh", features, records, bits, repeat))

    def page(self, results: Results) -> Page:
        """See module `page`."""
        return page_of(results)

    @staticmethod
    def _cell(part: str, features: int, records: int, bits: float, repeat: int) -> Cell:
        return Cell(part=part, settings={"features": features, "records": records, "bits": bits, "repeat": repeat})


STUDY = _Showkatbakhsh()
