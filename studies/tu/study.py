"""Noise against d, k and epsilon, published and tight, fresh and fixed; then what the released rows are good for. The paper has no experiments."""

from collections.abc import Iterator, Sequence

from studies.base import Cell, Record
from studies.page import Page
from studies.results import Results
from studies.tables import Tables
from studies.tu.downstream import METHODS, neighbour_records, regression_records
from studies.tu.noise import noise_records
from studies.tu.page import page_of

SHEET = ((100, 10, 0.5, 1e-6), (1000, 50, 0.9, 1e-6), (1000, 200, 0.1, 1e-6), (1000, 200, 0.9, 1e-9), (10_000, 50, 0.5, 1e-6))
"""(d, k, epsilon, delta) at which the factors are known to three digits from independent computations."""


class _Tu:
    name = "tu"
    title = "Projections of the columns: noise as published, and what is needed"
    paper = "Tu (2013), Differentially private random projections"

    def cells(self, *, quick: bool) -> Sequence[Cell]:
        """Noise over a grid; downstream over methods, epsilon and repeats."""
        draws = 2 if quick else 10
        points = dict.fromkeys(SHEET)
        for features in (10, 100, 1000, 10_000):
            for width in (10, 50, 200):
                for epsilon in (0.1, 0.5, 0.9) if quick else (0.05, 0.1, 0.2, 0.5, 0.9, 2.0, 5.0, 10.0):
                    if width <= features:
                        points[features, width, epsilon, 1e-6] = None
        cells = [
            Cell(part="noise", settings={"features": d, "width": k, "epsilon": epsilon, "delta": delta, "repeats": draws})
            for d, k, epsilon, delta in points
        ]
        for epsilon in (1.0, 4.0, 16.0) if quick else (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0):
            for width in (10,) if quick else (10, 30):
                cells += [
                    Cell(part="regression", settings={"records": 50_000 if quick else 200_000, "width": width, "epsilon": epsilon, "repeat": repeat})
                    for repeat in range(3 if quick else 10)
                ]
        for epsilon in (1.0, 4.0, 16.0, 64.0) if quick else (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 99.0):
            for width in (10,) if quick else (10, 30):
                cells += [
                    Cell(part="neighbours", settings={"table": table, "width": width, "epsilon": epsilon, "repeat": repeat}, needs=(table,))
                    for table, repeats in (("digits", 3 if quick else 10), ("mnist-4-9", 1 if quick else 5))
                    for repeat in range(repeats)
                ]
        return cells

    def compute(self, cell: Cell, tables: Tables) -> Iterator[Record]:
        """One point of the grid."""
        given = {name: float(value or 0) for name, value in cell.settings.items() if name != "table"}
        if cell.part == "noise":
            yield from noise_records(
                features=int(given["features"]),
                width=int(given["width"]),
                epsilon=given["epsilon"],
                delta=given["delta"],
                repeats=int(given["repeats"]),
            )
            return
        width, repeat, epsilon = int(given["width"]), int(given["repeat"]), given["epsilon"]
        for method in METHODS:
            if cell.part == "regression":
                yield from regression_records(method=method, records=int(given["records"]), width=width, epsilon=epsilon, repeat=repeat)
            else:
                yield from neighbour_records(tables, name=str(cell.settings["table"]), method=method, width=width, epsilon=epsilon, repeat=repeat)

    def page(self, results: Results) -> Page:
        """See module `page`."""
        return page_of(results)


STUDY = _Tu()
