"""A Dask cluster of this machine, of workers with one thread each, that does as little work of its own as it can be told to do.

Every user of a machine reaches its ports. So the cluster listens on the loopback alone, there is no dashboard, and who speaks to it needs a
certificate that is made for it, is in the memory of its processes only, and ends with it. Rows that do not fit into memory go to a folder that only
the owner may enter.

What Dask does all the time, samples of its stacks and clocks that tick every few milliseconds, takes a tenth of a processor from those who compute;
it is told to do it rarely. And it has workers give freed memory back to the system at once, so that every product of a block asks for its pages anew,
which takes half as long as the product; here they keep up to 64 MiB for the next one. A worker that has not been heard of for a minute is replaced.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from discreet.cluster.terms import quiet
from discreet.core.errors import InvalidInput

if TYPE_CHECKING:
    from distributed import Client

_SETTINGS = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.scheduler.worker-ttl": "60s",
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
    """A client of a new cluster of `workers` processes, which ends with the block.

    Raises InvalidInput if Dask is not installed. Nobody else can connect to it: it listens on 127.0.0.1 with TLS, and the key of its certificate
    (RSA, 2048 bits) is never written to a file of the user's.
    """
    try:
        import dask  # noqa: PLC0415 - an optional dependency
        from distributed import Client, LocalCluster, Nanny, Security  # noqa: PLC0415

        security = Security.temporary()
    except ImportError:
        raise InvalidInput("a cluster needs Dask: pip install 'discreet[dask]'.") from None

    class Within(Nanny):  # type: ignore[misc]
        """Of a worker whose pages, of which there are none, are on the loopback too: older releases of Dask listen everywhere."""

        def __init__(self, *given: object, **named: object) -> None:
            super().__init__(*given, **(named | {"dashboard_address": "127.0.0.1:0"}))

    with (
        quiet(),
        dask.config.set(_SETTINGS),
        TemporaryDirectory(prefix="discreet-", ignore_cleanup_errors=True) as folder,
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            worker_class=Within,
            host="127.0.0.1",
            protocol="tls://",
            security=security,
            scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
            local_directory=folder,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client
