"""Laws over the cells that no schema expects."""

import pytest

from tests.odd_cells import ODD_CELLS, odd_pair


@pytest.mark.parametrize("suffix", sorted({odd.suffix for odd in ODD_CELLS}))
def test_every_odd_cell_can_be_written_beside_usual_ones(tmp_path, suffix):
    for odd in ODD_CELLS:
        if odd.suffix == suffix:
            first, second = odd_pair(tmp_path, odd, {"a": [1, 2, 3], "b": ["x", "y", "z"]}, "a")
            assert first.read_bytes() != second.read_bytes()
