"""Blocks go between workers by Dask's own road."""

import numpy as np
import pytest

from tests.core.test_private import block


def test_every_worker_is_told_the_road(monkeypatch):
    distributed = pytest.importorskip("distributed")
    from discreet.cluster import travel

    told = []

    class Client:
        def register_plugin(self, plugin, name):
            assert isinstance(plugin, distributed.WorkerPlugin)
            plugin.setup(worker=None)
            told.append(name)

    heard = []
    monkeypatch.setattr(travel, "let_blocks_travel", lambda: heard.append(1))
    travel.tell_workers(Client())
    assert (len(told), len(heard)) == (1, 1)


def test_dask_moves_blocks_by_its_own_road():
    pytest.importorskip("distributed")
    from distributed.protocol import deserialize, serialize

    from discreet.cluster.travel import let_blocks_travel

    let_blocks_travel()
    header, frames = serialize(block(1))
    there = deserialize(header, frames)
    np.testing.assert_array_equal(there.rows.matvec(np.ones(3)), block(1).rows.matvec(np.ones(3)))
