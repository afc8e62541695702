"""Fixtures for all rooms."""

import os
from pathlib import Path

import pytest

from builder.demo.run import run_demo
from warehouse import Lake
from warehouse.locks import exclusive

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and conformance cases beside the repository; absent elsewhere than in development."""
    folder = Path(os.environ.get("BENCHLAKE_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"no shared data at {folder}: CI must have it")
        pytest.skip("needs the shared data beside the repository (../shared), which is not here")
    return folder


@pytest.fixture
def lake(tmp_path: Path):
    """An empty lake."""
    with Lake.create(tmp_path / "lake") as made:
        yield made


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo, made once for all workers of a run; tests read it and must not change it."""
    shared_by_workers = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared_by_workers = shared_by_workers.parent
    folder = shared_by_workers / "demo"
    with exclusive(shared_by_workers / "demo.lock"):
        if not folder.exists():
            run_demo(folder)
    return folder
