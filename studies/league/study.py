"""Every mechanism on Adult, KDD Cup 99, MNIST four against nine, breast cancer, w8a and farm ads, from epsilon 0.01 to 10, under both relations."""

import math
from collections.abc import Iterator, Sequence

from studies.base import Cell, Record, Value
from studies.league.methods import METHODS, NARROW, league_records, peer_records, trivial_records
from studies.league.page import PEER, TRIVIAL, page_of
from studies.league.peers import peer
from studies.page import Page
from studies.results import Results
from studies.tables import Tables

TABLES = ("adult-cms", "kdd", "mnist-4-9", "breast-cancer", "w8a", "farm-ads")
_QUICK = ("LinearSVC, default", "LinearSVC, pure", "logistic, objective", "logistic, output", "l1 ball, Frank-Wolfe")
EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)


class _League:
    name = "league"
    title = "All learning mechanisms on six tables"
    paper = "Ours: no paper. Each method as a new user would write it"

    def cells(self, *, quick: bool) -> Sequence[Cell]:
        """One cell a table, method, epsilon, relation and split."""
        epsilons = (0.1, 1.0, 10.0) if quick else EPSILONS
        methods = _QUICK if quick else tuple(METHODS)
        splits, draws = (1, 1) if quick else (5, 5)
        cells = []
        for table in TABLES:
            chosen = [method for method in methods if table != "farm-ads" or method not in NARROW]
            for split in range(splits):
                at: dict[str, Value] = {"table": table, "split": split}
                cells.append(Cell(part="league", settings={"method": TRIVIAL, "epsilon": None, "neighbours": None, "draws": 1, **at}, needs=(table,)))
                for method in chosen:
                    cells.append(
                        Cell(part="league", settings={"method": method, "epsilon": None, "neighbours": None, "draws": 1, **at}, needs=(table,))
                    )
                    cells += [
                        Cell(
                            part="league",
                            settings={"method": method, "epsilon": epsilon, "neighbours": relation, "draws": draws, **at},
                            needs=(table,),
                        )
                        for relation in ("replace-one", "add-remove")
                        for epsilon in epsilons
                    ]
                if peer() is not None and table != "farm-ads":
                    cells += [
                        Cell(
                            part="league",
                            settings={"method": PEER, "epsilon": epsilon, "neighbours": "replace-one", "draws": draws, **at},
                            needs=(table,),
                        )
                        for epsilon in epsilons
                    ]
        return cells

    def compute(self, cell: Cell, tables: Tables) -> Iterator[Record]:
        """One point of the grid."""
        given = cell.settings
        table, method, split, draws = str(given["table"]), str(given["method"]), int(given["split"] or 0), int(given["draws"] or 1)
        epsilon = math.inf if given["epsilon"] is None else float(given["epsilon"])
        other = peer()
        if method == TRIVIAL:
            yield from trivial_records(tables, table=table, split=split)
        elif method == PEER and other is not None:
            yield from peer_records(tables, other, table=table, epsilon=epsilon, split=split, draws=draws)
        else:
            relation = str(given["neighbours"] or "replace-one")
            yield from league_records(tables, table=table, method=method, epsilon=epsilon, neighbours=relation, split=split, draws=draws)

    def page(self, results: Results) -> Page:
        """See module `page`."""
        return page_of(results)


STUDY = _League()
