"""Rows moved to a device: the same numbers there, and one sentence where that cannot be."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from discreet import LinearSVC, LogisticRegression
from discreet.core.errors import InvalidInput
from discreet.device import DeviceMatrix, move
from discreet.device.move import check_device, on_device
from discreet.matrices import AugmentedMatrix, DenseMatrix, SparseMatrix

pytest.importorskip("array_api_compat")
RNG = np.random.default_rng(0)
ROWS = np.where(RNG.random((2500, 5)) < 0.4, 0.0, RNG.standard_normal((2500, 5)))
ROWS.flags.writeable = False
MATRICES = {
    "dense": DenseMatrix(ROWS),
    "single": DenseMatrix(ROWS.astype(np.float32)),
    "columns": DenseMatrix(np.asfortranarray(ROWS)),
    "sparse": SparseMatrix(sparse.csr_array(ROWS)),
    "augmented": AugmentedMatrix(DenseMatrix(ROWS), scale=RNG.random(2500), constant=0.5),
}


@pytest.mark.parametrize("kind", MATRICES)
def test_moved_rows_are_the_entries_in_float64(kind):
    torch = pytest.importorskip("torch")
    moved = on_device(MATRICES[kind], "cpu")
    assert isinstance(moved, DeviceMatrix)
    assert moved.table.dtype == torch.float64
    np.testing.assert_array_equal(moved.entries(slice(0, 2500)), MATRICES[kind].entries(slice(0, 2500)))
    assert on_device(moved, "cpu") is moved


@pytest.mark.parametrize("device", ["mps", "mps:0", "gpu", "cuda:", "cuda:-1", "cuda:x", "cpu:1", "", 3, b"cuda", ["cuda"]])
def test_what_is_no_device_with_float64_is_refused(device):
    words = "no float64" if isinstance(device, str) and device.startswith("mps") else "device must be"
    with pytest.raises(InvalidInput, match=words):
        check_device(device)
    with pytest.raises(InvalidInput, match=words):
        LogisticRegression(device=device, classes=[0, 1]).fit(ROWS, RNG.integers(0, 2, 2500))


def test_a_gpu_that_is_not_there_is_an_error_before_anything_is_moved(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    with pytest.raises(InvalidInput, match=r"torch finds 1 GPU\(s\) here"):
        on_device(MATRICES["dense"], "cuda:1")


def test_too_little_memory_is_one_sentence_without_a_number(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _: (3 * ROWS.nbytes, 10**12))
    with pytest.raises(InvalidInput, match="too little free memory") as caught:
        LinearSVC(device="cuda", classes=[0, 1]).fit(ROWS, RNG.integers(0, 2, 2500))
    assert not any(character.isdigit() for character in str(caught.value))

    def no_room(*_, **__):
        raise RuntimeError("out of memory: tried to allocate 2500 rows")

    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _: (10**12, 10**12))
    monkeypatch.setattr(torch, "empty", no_room)
    with pytest.raises(InvalidInput, match="too little free memory") as caught:
        on_device(MATRICES["dense"], "cuda")
    assert caught.value.__context__ is None


@pytest.mark.parametrize("absent", [("torch", "cupy"), ("array_api_compat",)])
def test_without_a_library_the_message_says_what_to_install(monkeypatch, absent):
    for name in absent:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InvalidInput, match="pip install torch 'discreet"):
        on_device(MATRICES["dense"], "cuda")


class _Device:
    """Stands for a context of CuPy's; remembers which GPU."""

    entered: list[int] = []  # noqa: RUF012 - one list for the test

    def __init__(self, number):
        self.number = number

    def __enter__(self):
        self.entered.append(self.number)

    def __exit__(self, *_):
        return False


def test_cupy_is_asked_where_torch_is_not_installed(monkeypatch):
    """With a stand-in for CuPy that makes NumPy's arrays: which GPU, what is checked, and every row."""
    free = [10**12]
    runtime = SimpleNamespace(getDeviceCount=lambda: 2, memGetInfo=lambda: (free[0], 10**12))
    cupy = SimpleNamespace(cuda=SimpleNamespace(runtime=runtime, Device=_Device), empty=np.empty, float64=np.float64, asarray=np.asarray)

    def found(name):
        if name == "torch":
            raise ImportError(name)
        return cupy

    monkeypatch.setattr(move, "import_module", found)
    moved = on_device(MATRICES["sparse"], "cuda:1")
    np.testing.assert_array_equal(moved.table, ROWS)
    assert _Device.entered == [1]
    with pytest.raises(InvalidInput, match=r"CuPy finds 2 GPU\(s\) here"):
        on_device(MATRICES["dense"], "cuda:2")
    with pytest.raises(InvalidInput, match="pip install torch"):
        on_device(MATRICES["dense"], "cpu")
    free[0] = 10
    with pytest.raises(InvalidInput, match="too little free memory"):
        on_device(MATRICES["dense"], "cuda")
    free[0] = 10**12
    monkeypatch.setattr(cupy, "empty", lambda *_, **__: (_ for _ in ()).throw(MemoryError("2500")))
    with pytest.raises(InvalidInput, match="too little free memory"):
        on_device(MATRICES["dense"], "cuda")
