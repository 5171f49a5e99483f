"""Clusters of real processes: who may speak to one, and what becomes of a fit whose workers are killed, stopped or slowed."""

import asyncio
import gc
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from http.client import HTTPConnection
from pathlib import Path

import numpy as np
import pytest

from discreet import LogisticRegression
from discreet.cluster import Cluster, local_cluster
from discreet.core.errors import InvalidInput
from discreet.ledger import Account, Ledger
from tests.cluster.test_troubled_clusters import BLOCKS, ROWS, make
from tests.cluster.troubling import Troubling

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # of Dask, at the end of its processes


@pytest.fixture(autouse=True)
def nothing_left():
    """What Dask leaves open is closed while its warnings are ignored, and not in the middle of a test of something else."""
    yield
    gc.collect()


def listening(process):
    """Addresses on which a process and those that it started wait for connections."""
    for one in (process, *process.children(recursive=True)):
        for connection in getattr(one, "net_connections", None or one.connections)(kind="tcp"):
            if connection.status == "LISTEN":
                yield connection.laddr


def test_nobody_without_the_certificate_speaks_to_a_local_cluster():
    psutil = pytest.importorskip("psutil")
    before = set(listening(psutil.Process()))
    with local_cluster(1) as client:
        address = client.scheduler.address
        assert address.startswith("tls://127.0.0.1:")
        assert list(client.run(os.getpid).values()) != [os.getpid()]  # those who may, can
        worker = next(iter(client.nthreads()))
        strangers = [None, distributed.Security(), distributed.Security.temporary()]
        for security in strangers:
            for to in (address, worker, address.replace("tls", "tcp")):
                with pytest.raises((OSError, TypeError, ValueError, RuntimeError)):
                    spoken_to(to, security)
        for to in (address, worker):
            spoken_to(to, client.security)  # those who may, can: the door is there
        open_ports = set(listening(psutil.Process())) - before
        assert len(open_ports) >= 3  # scheduler, nanny and worker: the search finds what is there
        assert {one.ip for one in open_ports} == {"127.0.0.1"}
        for one in open_ports:
            for page in ("/", "/status", "/metrics", "/json/identity.json", "/info/main/workers.html", "/sysmon"):
                assert not shown(one.port, page)
        folder = Path(client.cluster.workers[0].local_directory)
        private = [above for above in (folder, *folder.parents) if above.parent == Path("/tmp") or above.name.startswith("discreet-")]  # noqa: S108
        assert private
        assert all(stat.S_IMODE(above.stat().st_mode) == 0o700 for above in private)
    assert not folder.exists()


def spoken_to(address, security):
    """Open a connection as every client does first, and close it again."""

    async def speak():
        arguments = {} if security is None else security.get_connection_args("client")
        comm = await distributed.comm.connect(address, timeout=2.0, **arguments)
        await comm.close()

    asyncio.run(speak())


def shown(port, page):
    """Whether something but an error is shown to who asks for a page."""
    connection = HTTPConnection("127.0.0.1", port, timeout=2.0)
    try:
        connection.request("GET", page)
        return connection.getresponse().status < 400
    except (OSError, ValueError, Exception):  # noqa: BLE001 - a door that speaks TLS closes
        return False
    finally:
        connection.close()


def kill(pid):
    os.kill(pid, signal.SIGKILL)


def stop(pid):
    os.kill(pid, signal.SIGSTOP)


def slow(pid):
    """Two seconds in which it works for a tenth of the time."""

    def turns():
        for _ in range(20):
            os.kill(pid, signal.SIGSTOP)
            time.sleep(0.09)
            os.kill(pid, signal.SIGCONT)
            time.sleep(0.01)

    threading.Thread(target=turns).start()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes are stopped by a signal")
@pytest.mark.parametrize("trouble", [kill, stop, slow])
@pytest.mark.parametrize(("workers", "victims"), [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3)])
def test_workers_in_trouble_in_any_pass_change_neither_the_model_nor_the_ledger(tmp_path, monkeypatch, workers, victims, trouble):
    """Dask misses a worker after a minute; one that is stopped here, after the few seconds that it can be told.

    Not the others: on a busy machine an honest worker may be silent for so long.
    """

    def fitted(name, at):
        if at and trouble is stop:
            monkeypatch.setitem(local_cluster.__wrapped__.__globals__["_SETTINGS"], "distributed.scheduler.worker-ttl", "20s")
        Ledger.create(tmp_path / name).declare("people", epsilon=2.0, delta=1e-5)
        account = Account(str(tmp_path / name), "people")
        with local_cluster(workers) as client:  # a new one each time: whether Dask brings a lost worker back is its own affair
            table = Troubling.from_function(client, make, blocks=BLOCKS, features=ROWS.shape[1])
            table.passes, table.at = 0, at
            table.trouble = lambda: [trouble(worker.pid) for worker in list(client.cluster.workers.values())[:victims]]
            try:
                weights = LogisticRegression(classes=[0, 1], random_state=1, ledger=account).fit(table).weights_
            except InvalidInput as error:  # where Dask misses a worker that is stopped more often than it tries a block
                if trouble is not stop or "a block was lost" not in str(error):
                    raise
                weights = None
        spent = account.ledger.spent("people").epsilon  # a table that is lost in its first pass, before noise is asked for, has cost nothing
        assert spent == pytest.approx(1.0) or (weights is None and spent == 0)
        return weights, table.passes

    expected, passes = fitted("whole", 0)
    for at in (1, 2, passes // 2, passes):
        found, _ = fitted(f"trouble {at}", at)
        if found is not None:
            np.testing.assert_array_equal(found, expected)


@pytest.mark.slow
@pytest.mark.parametrize("signalled", ["SIGKILL", "SIGSTOP"])
def test_a_scheduler_that_dies_or_hangs_ends_the_fit_in_one_sentence(tmp_path, signalled, capfd):
    """Of processes of their own, started by Dask's commands with certificates from files."""
    security, files = on_disk(tmp_path)
    place = ["--tls-ca-file", files["ca"], "--tls-cert", files["cert"], "--tls-key", files["key"], "--scheduler-file", str(tmp_path / "at.json")]
    scheduler = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_scheduler", "--protocol", "tls", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", *place],
        stderr=subprocess.DEVNULL,
    )
    worker = subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "1", *place], stderr=subprocess.DEVNULL)
    try:
        with distributed.Client(scheduler_file=str(tmp_path / "at.json"), security=security, timeout=600) as client:
            table = Troubling.from_function(Cluster(client=client, deadline=10.0), make, blocks=BLOCKS, features=ROWS.shape[1], remember=False)
            table.passes, table.at = 0, 2
            table.trouble = lambda: os.kill(scheduler.pid, getattr(signal, signalled))
            capfd.readouterr()
            with pytest.raises(InvalidInput, match=r"the scheduler of the Dask cluster has stopped or does|has finished nothing for 10 seconds"):
                LogisticRegression(classes=[0, 1], random_state=1).fit(table)
            assert capfd.readouterr() == ("", "")
    finally:
        for one in (scheduler, worker):
            one.kill()
            one.wait()


def on_disk(folder):
    """Certificates of a cluster, in files as its owner would have them."""
    made = distributed.Security.temporary()
    texts = {"ca": made.tls_ca_file, "cert": made.tls_client_cert, "key": made.tls_client_key}
    files = {name: str(folder / f"{name}.pem") for name in texts}
    for name, text in texts.items():
        Path(files[name]).write_text(text, encoding="ascii")
    mine = {"tls_ca_file": files["ca"], "tls_client_cert": files["cert"], "tls_client_key": files["key"]}
    theirs = {f"tls_{role}_{part}": files[part] for role in ("scheduler", "worker") for part in ("cert", "key")}
    return distributed.Security(require_encryption=True, **mine, **theirs), files


MOVING = """
import numpy as np
from discreet.cluster import DaskTable, local_cluster
from discreet.data import Block
from discreet.matrices import DenseMatrix

def make(number):
    return Block(DenseMatrix(np.full((10, 3), float(number))), np.zeros(10))

if __name__ == "__main__":
    from distributed import wait
    with local_cluster(2) as client:
        client.wait_for_workers(2)
        table = DaskTable.from_function(client, make, blocks=4, features=3)
        wait(table._blocks)
        away = {block.key: [worker for worker in client.nthreads() if worker not in client.who_has([block])[block.key]] for block in table._blocks}
        moved = [client.submit(lambda block: float(block.rows.matvec(np.ones(3)).sum()), block, workers=away[block.key]) for block in table._blocks]
        print(client.gather(moved))
"""


@pytest.mark.slow
def test_blocks_move_between_workers_whose_script_imports_the_package_before_dask(tmp_path):
    script = tmp_path / "moving.py"
    script.write_text(MOVING)
    found = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300, check=False)
    assert found.stdout.strip() == "[0.0, 30.0, 60.0, 90.0]"
