"""A Dask cluster of this machine, of workers with one thread each, that does as little work of its own as it can be told to do.

What Dask does all the time, samples of its stacks and clocks that tick every few milliseconds, takes a tenth of a processor from those who compute;
it is told to do it rarely. And it has workers give freed memory back to the system at once, so that every product of a block asks for its pages anew,
which takes half as long as the product; here they keep up to 64 MiB for the next one.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from discreet.errors import InvalidInput

if TYPE_CHECKING:
    from distributed import Client

_SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.profile.interval": "10s",
    "distributed.worker.profile.cycle": "100s",
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.worker.memory.monitor-interval": "500ms",
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 2**26,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 2**25,
}


@contextmanager
def local_cluster(workers: int) -> Iterator["Client"]:
    """A client of a new cluster of `workers` processes, which ends with the block. Raises InvalidInput where Dask is not installed."""
    try:
        import dask  # noqa: PLC0415 - an optional dependency
        from distributed import Client, LocalCluster  # noqa: PLC0415
    except ImportError:
        raise InvalidInput("a cluster needs Dask: pip install discreet[dask].") from None
    with (
        dask.config.set(_SETTINGS),
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL) as cluster,
        Client(cluster) as client,
    ):
        yield client
