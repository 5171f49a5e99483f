"""A table on a real Dask cluster, to which something happens in the middle of a pass."""

import os

from discreet.cluster import DaskTable


class Troubling(DaskTable):
    """Counts its `passes`, and does `trouble` after the first block of pass `at`."""

    __slots__ = ("at", "passes", "trouble")

    def map(self, work, jobs):
        yield from self._troubled(super().map(work, jobs))

    def map_rows(self, work, jobs):
        yield from self._troubled(super().map_rows(work, jobs))

    def _troubled(self, results):
        self.passes += 1
        mine = self.passes
        for place, one in enumerate(results):
            if mine == self.at and place == 0:
                self.trouble()
            yield one


def killing(client, make, *, at, **given):
    """A table of the blocks that `make` makes, of which pass `at` kills a worker of the client's own cluster."""
    table = Troubling.from_function(client, make, **given)
    table.passes, table.at = 0, at
    table.trouble = lambda: os.kill(next(iter(client.cluster.workers.values())).pid, 9)
    return table
