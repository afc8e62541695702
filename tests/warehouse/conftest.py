"""Lakes for the tests of this room: copied from one, which is faster than making each."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from warehouse import Lake


@pytest.fixture(scope="session")
def empty_lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an empty lake; copy it."""
    folder = tmp_path_factory.mktemp("empty") / "lake"
    Lake.create(folder).close()
    return folder


@pytest.fixture
def lake_folder(empty_lake: Path, tmp_path: Path) -> Path:
    """The folder of an empty lake of one's own."""
    return Path(shutil.copytree(empty_lake, tmp_path / "lake"))


@pytest.fixture
def lake(lake_folder: Path) -> Iterator[Lake]:
    """An empty lake of one's own."""
    with Lake.open(lake_folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def module_lake(empty_lake: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    """A lake that the tests of a module share; each writes under a corpus of its own."""
    with Lake.open(shutil.copytree(empty_lake, tmp_path_factory.mktemp("module") / "lake")) as opened:
        yield opened


@pytest.fixture
def corpus(request: pytest.FixtureRequest) -> str:
    """A corpus name of the test's own."""
    return str(request.node.name)[:180]
