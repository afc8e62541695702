"""The wheel holds the rooms with their SQL and demo files, the command, and nothing else."""

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from email.parser import HeaderParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("builder", "eval_sql", "ibis_ops", "sql", "warehouse")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    folder = tmp_path_factory.mktemp("wheel")
    # The build backend called directly: nothing is downloaded.
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = folder.iterdir()
    with zipfile.ZipFile(path) as opened:
        yield opened


def info(wheel: zipfile.ZipFile, file: str) -> str:
    return wheel.read(next(name for name in wheel.namelist() if name.endswith(f".dist-info/{file}"))).decode()


def test_the_top_level_is_the_rooms_and_the_command(wheel: zipfile.ZipFile) -> None:
    top = {name.partition("/")[0] for name in wheel.namelist()}
    assert {name for name in top if not name.endswith(".dist-info")} == {*ROOMS, "cli.py"}


def test_every_file_of_the_rooms_is_inside(wheel: zipfile.ZipFile) -> None:
    wanted = {
        str(file.relative_to(ROOT))
        for room in ROOMS
        for file in (ROOT / room).rglob("*")
        if file.suffix in (".py", ".sql", ".jsonl")
    }
    assert {Path(name).suffix for name in wanted} == {".py", ".sql", ".jsonl"}
    assert wanted <= set(wheel.namelist())


def test_it_brings_the_command_and_the_licence(wheel: zipfile.ZipFile) -> None:
    assert "benchlake = cli:main" in info(wheel, "entry_points.txt")
    assert HeaderParser().parsestr(info(wheel, "METADATA"))["License-Expression"] == "Apache-2.0"
    assert info(wheel, "licenses/LICENSE") == (ROOT / "LICENSE").read_text(encoding="utf-8")


def test_it_works_from_the_wheel_alone(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    """Unpacked elsewhere, the rooms find their SQL: nothing leans on the repository."""
    wheel.extractall(tmp_path)
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n" + (
        "import warehouse, warehouse.lake\n"
        f"assert warehouse.__file__.startswith({str(tmp_path)!r})\n"
        "with warehouse.Lake.create(sys.argv[1]) as lake: print(lake.rows('SELECT count(*) FROM source.db'))"
    )
    command = [sys.executable, "-P", "-c", code, str(tmp_path / "lake")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "[(0,)]\n"), done.stderr
