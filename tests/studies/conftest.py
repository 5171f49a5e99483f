"""Tiny grids of the studies, and where the real tables are."""

import math
import os
from pathlib import Path

import pytest

from studies import Results, Tables
from studies.base import checked
from studies.results import tidy
from tests.parts import LACKING

collect_ignore_glob = ["test_*.py"] if "papers" in LACKING else []
"""The studies are of the papers."""
SHARED = Path(__file__).parents[3] / "shared" / "data"


def real_tables():
    """The folder in DISCREET_DATA or beside the checkout, if there is one."""
    folder = os.environ.get("DISCREET_DATA") or (SHARED if SHARED.is_dir() else None)
    return Tables(folder) if folder else Tables()


def needs(*names):
    """Skip unless these tables are there."""
    missing = real_tables().missing(names)
    return pytest.mark.skipif(bool(missing), reason=f"the tables {', '.join(missing)} are missing; DISCREET_DATA names their folder")


def quick_results(study, cells, tables=None):
    """What the cells of a study give, without files."""
    tables = Tables() if tables is None else tables
    return Results(frame=tidy(checked(record, cell) for cell in cells for record in study.compute(cell, tables)), quick=True, missing={})


def near(found, pinned, spread, repeats, of):
    """Whether the mean of `repeats` values is within six standard errors of a mean of `of` values that was pinned; `spread` is of one value.

    Two means of independent values with this spread differ by more with a probability below 1e-8; seeds are fixed, so a test that passed goes on
    passing until the code gives other numbers.
    """
    return abs(found - pinned) <= 6.0 * spread * math.sqrt(1.0 / repeats + 1.0 / of)
