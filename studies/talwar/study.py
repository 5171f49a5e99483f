"""The paper has no experiments. Here: risk against n, d and epsilon per set, published against tight noise, and the lower-bound instance."""

from collections.abc import Iterator, Sequence

from studies.base import Cell, Record
from studies.page import Page
from studies.results import Results
from studies.tables import Tables
from studies.talwar.lasso import lasso_records, lower_bound_records, noise_records
from studies.talwar.page import page_of
from studies.talwar.sets import set_records, sets_of

BALLS = ("l2 ball", "l1 ball")


class _Talwar:
    name = "talwar"
    title = "Learning over a set: what its width buys, published and tight"
    paper = "Talwar, Thakurta, Zhang (2014), Private empirical risk minimization beyond the worst case: the effect of the constraint set geometry"

    def cells(self, *, quick: bool) -> Sequence[Cell]:
        """One cell a set and setting; a run of the LASSO; an instance."""
        seeds = 1 if quick else 5
        cells = [
            Cell(part="sets", settings={"set": name, "features": d, "records": records, "epsilon": epsilon, "seeds": seeds})
            for d in ((16,) if quick else (16, 64))
            for name in sets_of(d)
            for records, epsilon in ((2000, 1.0), (8000, 0.5), (8000, 1.0), (8000, 4.0))
        ]
        cells += [
            Cell(part="dimension", settings={"set": name, "features": d, "records": 4000, "epsilon": 1.0, "seeds": seeds})
            for name in BALLS
            for d in ((4, 16, 64, 256) if quick else (4, 16, 64, 256, 1024))
        ]
        repeats, epsilons = (2, (0.5, 1.0, 4.0)) if quick else (10, (0.25, 0.5, 1.0, 2.0, 4.0, 8.0))
        for repeat in range(repeats):
            cells += [
                Cell(part="lasso", settings={"records": 20_000, "features": 1000, "epsilon": epsilon, "repeat": repeat}) for epsilon in epsilons
            ]
            cells += [
                Cell(part="lasso-size", settings={"records": n, "features": 200, "epsilon": 1.0, "repeat": repeat})
                for n in ((2000, 8000, 32_000) if quick else (2000, 4000, 8000, 16_000, 32_000, 64_000))
            ]
            cells += [
                Cell(
                    part="lower-bound",
                    settings={"users": users, "columns": 2 * users**2, "tardos": users**2 // 4, "epsilon": epsilon, "repeat": repeat},
                )
                for users in ((16, 32) if quick else (8, 16, 32, 45))
                for epsilon in (None, 0.1, 1.0, 10.0, 100.0, 1000.0)
            ]
        cells += [
            Cell(part="noise", settings={"records": 20_000, "epsilon": epsilon, "steps": steps})
            for epsilon in (0.1, 1.0, 4.0)
            for steps in (10, 30, 100, 300, 1000)
        ]
        return cells

    def compute(self, cell: Cell, tables: Tables) -> Iterator[Record]:  # noqa: ARG002 - invented data only
        """One point of the grid."""
        given = cell.settings
        numbers = {name: float(value) for name, value in given.items() if isinstance(value, int | float)}
        whole = {name: int(value) for name, value in numbers.items() if name != "epsilon"}
        if cell.part in {"sets", "dimension"}:
            yield from set_records(
                name=str(given["set"]), features=whole["features"], records=whole["records"], epsilon=numbers["epsilon"], seeds=whole["seeds"]
            )
        elif cell.part == "noise":
            yield from noise_records(records=whole["records"], epsilon=numbers["epsilon"], steps=whole["steps"])
        elif cell.part == "lower-bound":
            yield from lower_bound_records(
                users=whole["users"], columns=whole["columns"], tardos=whole["tardos"], epsilon=numbers.get("epsilon"), repeat=whole["repeat"]
            )
        else:
            yield from lasso_records(records=whole["records"], features=whole["features"], epsilon=numbers["epsilon"], repeat=whole["repeat"])

    def page(self, results: Results) -> Page:
        """See module `page`."""
        return page_of(results)


STUDY = _Talwar()
