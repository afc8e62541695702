"""Fixtures for all rooms."""

import os
from pathlib import Path

import pytest

from warehouse import Lake

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
