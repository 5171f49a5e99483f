"""The built package holds every file that it needs, in a wheel and in a source archive that builds the same wheel."""

import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytest.importorskip("hatchling", reason="builds the package; installed with the dev extra")
pytestmark = pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="the package is tested without its sources")


def built(source: Path, out: Path, *kinds: str) -> dict[str, Path]:
    """Build `source` into `out`; the archives by kind."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(out), *(part for kind in kinds for part in ("-t", kind))]
    outcome = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True, check=False, timeout=600)
    assert outcome.returncode == 0, outcome.stderr
    return {"wheel" if path.suffix == ".whl" else "sdist": path for path in out.iterdir()}


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    return built(ROOT, tmp_path_factory.mktemp("dist"), "wheel", "sdist")


def needed() -> set[str]:
    """Every file of the package but what Python and others leave behind."""
    files = (path.relative_to(ROOT / "src") for path in (ROOT / "src").rglob("*") if path.is_file())
    return {path.as_posix() for path in files if not any(part.startswith(".") or part == "__pycache__" for part in path.parts)}


def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(archives):
    with zipfile.ZipFile(archives["wheel"]) as wheel:
        inside = set(wheel.namelist())
    package = {name for name in inside if ".dist-info/" not in name}
    assert package == needed()
    assert {"discreet/py.typed", "discreet/data/adult/adult.parquet", "discreet/mechanisms/release/rows.md"} <= package
    assert {name.rpartition("/")[2] for name in inside - package} == {"METADATA", "WHEEL", "RECORD", "LICENSE", "entry_points.txt"}


def test_the_wheel_says_what_it_needs_and_how_it_is_started(archives):
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    with zipfile.ZipFile(archives["wheel"]) as wheel:
        metadata = next(wheel.read(name).decode() for name in wheel.namelist() if name.endswith("/METADATA"))
        starts = next(wheel.read(name).decode() for name in wheel.namelist() if name.endswith("/entry_points.txt"))
    assert f"Version: {stated['version']}\n" in metadata
    assert f"Requires-Python: {stated['requires-python']}\n" in metadata
    assert metadata.count("\nRequires-Dist: ") >= len(stated["dependencies"])
    assert "discreet = discreet.cli:main" in starts


@pytest.mark.more
def test_the_source_archive_holds_what_a_reader_needs_and_builds_the_same_wheel(archives, tmp_path):
    with tarfile.open(archives["sdist"]) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # the first Pythons of 3.11 have none
        archive.extractall(tmp_path)  # noqa: S202 - made above
    source = next(tmp_path.iterdir())
    for name in (
        "README.md",
        "LICENSE",
        "SECURITY.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "docs/promise.md",
        "tests/test_package.py",
        "tools/test.py",
    ):
        assert (source / name).exists(), name
    again = built(source, tmp_path / "dist", "wheel")
    with zipfile.ZipFile(archives["wheel"]) as first, zipfile.ZipFile(again["wheel"]) as second:
        assert sorted((one.filename, one.CRC) for one in first.infolist()) == sorted((one.filename, one.CRC) for one in second.infolist())
