"""Figures 1 to 7: promises printed and exact, machines and regressions trained on noisy tables, and noise in a null space."""

from collections.abc import Iterator, Sequence

from studies.base import Cell, Record, Value
from studies.farokhi.example import attack_records, breast_cancer_records, figure_3_records, figure_4_records
from studies.farokhi.noisy import machine_records, regression_records
from studies.farokhi.page import page_of
from studies.farokhi.promises import breast_cancer_records as breast_cancer_promises
from studies.farokhi.promises import error_records, region_records
from studies.page import Page
from studies.results import Results
from studies.tables import Tables

LEVELS = tuple(10.0**power for power in range(-6, 3))
_BREAST_CANCER = ("breast-cancer",)


class _Farokhi:
    name = "farokhi"
    title = "Noise shaped by Fisher information: promises, machines and regressions"
    paper = "Farokhi (2020), Privacy-preserving public release of datasets for support vector machine classification"

    def cells(self, *, quick: bool) -> Sequence[Cell]:
        """One part a figure."""
        cells = [Cell(part="figure-1", settings={"size": size}) for size in (0.1, 1.0, 3.0)]
        cells += [Cell(part="figure-2", settings={"delta": delta}) for delta in (1e-1, 1e-3, 1e-5)]
        cells += [Cell(part="promises", settings={"level": level, "delta": 1e-5}, needs=_BREAST_CANCER) for level in LEVELS]
        cells += [Cell(part="figure-3", settings={"level": level, "repeats": 20 if quick else 100}) for level in (None, 1e-4, 1e-2, 1.0)]
        cells += [Cell(part="figure-4", settings={"seed": seed}) for seed in range(8 if quick else 60)]
        cells += [Cell(part="null-space", settings={"scaling": scaling}, needs=_BREAST_CANCER) for scaling in ("raw", "z")]
        cells += [Cell(part="attack", settings={"level": level, "repeats": 5 if quick else 20}, needs=_BREAST_CANCER) for level in LEVELS]
        cells += _over_levels("figure-5", ("raw", "z"), 10 if quick else 100, "breast-cancer", LEVELS)
        cells += _over_levels("figure-6", ("z", "raw"), 3 if quick else 20, "adult", (*LEVELS, 1e3, 1e4)[:: 2 if quick else 1])
        cells += _over_levels("figure-7", ("maximum", "raw"), 2 if quick else 20, "lending-club", LEVELS[::2] if quick else LEVELS)
        return cells

    def compute(self, cell: Cell, tables: Tables) -> Iterator[Record]:
        """One point of the grid."""
        given = cell.settings
        if cell.part == "figure-1":
            yield from region_records(size=_number(given["size"]))
        elif cell.part == "figure-2":
            yield from error_records(delta=_number(given["delta"]))
        elif cell.part == "promises":
            yield from breast_cancer_promises(tables, level=_number(given["level"]), delta=_number(given["delta"]))
        elif cell.part == "figure-4":
            yield from figure_4_records(seed=int(_number(given["seed"])))
        elif cell.part == "null-space":
            yield from breast_cancer_records(tables, scaling=str(given["scaling"]))
        else:
            yield from _trained(cell, tables)

    def page(self, results: Results) -> Page:
        """See module `page`."""
        return page_of(results)


STUDY = _Farokhi()


def _trained(cell: Cell, tables: Tables) -> Iterator[Record]:
    given = cell.settings
    repeats, level = int(_number(given["repeats"])), None if given["level"] is None else _number(given["level"])
    if cell.part == "figure-3":
        yield from figure_3_records(level=level, repeats=repeats)
    elif cell.part == "attack":
        yield from attack_records(tables, level=level or 0.0, repeats=repeats)
    elif cell.part == "figure-7":
        yield from regression_records(tables, scaling=str(given["scaling"]), level=level, repeats=repeats)
    else:
        yield from machine_records(tables, table=cell.needs[0], scaling=str(given["scaling"]), level=level, repeats=repeats)


def _over_levels(part: str, scalings: Sequence[str], repeats: int, table: str, levels: Sequence[float]) -> list[Cell]:
    return [
        Cell(part=part, settings={"scaling": scaling, "level": level, "repeats": repeats}, needs=(table,))
        for scaling in scalings
        for level in (None, *levels)
    ]


def _number(value: Value) -> float:
    return float(value or 0.0)
