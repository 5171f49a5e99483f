"""Tables whose blocks are on the workers of a Dask cluster: `pip install 'discreet[dask]'`."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.cluster.dask_table import DaskTable
    from discreet.cluster.own_cluster import local_cluster
    from discreet.cluster.terms import DEADLINE, Cluster, check_address, quiet
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = ["DEADLINE", "Cluster", "DaskTable", "check_address", "local_cluster", "quiet"]
