"""What lies in a lake's folder and belongs to nothing: for doctor to tell of and vacuum to remove."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from warehouse.lake import Lake
from warehouse.queries import query


@dataclass(frozen=True)
class Waste:
    """Files or folders that can go, in order, and the bytes in them."""

    paths: tuple[Path, ...]
    bytes: int


def orphan_artifacts(lake: Lake) -> Waste:
    """Artifacts that no row of the present snapshot refers to."""
    # First what is there, then what is referred to: an artifact kept and referred to in between is no orphan.
    present = [digest for digest in lake.artifacts.digests() if re.fullmatch("[0-9a-f]{64}", digest)]
    wanted = {row[0] for row in lake.rows(query("integrity/artifact_reference"))}
    return _waste([lake.artifacts.path(digest) for digest in present if digest not in wanted])


def orphan_files(lake: Lake) -> Waste:
    """Parquet files under data/ that no snapshot knows: left by a process that died in its commit.

    DuckLake has a call for this; it takes the folder's path for a pattern, and would look into other lakes where the
    path has a `*` in it. A file of a commit in progress looks the same: only a sole writer may remove them.
    """
    there = _parquet_files(lake.path / "data")
    known = {row[0] for row in lake.rows(query("integrity/data_files"))}
    return _waste([path for path in there if path.name not in known])


def scratch_leftovers(lake: Lake) -> Waste:
    """Scratch folders of artifacts; those of a stage at work look the same."""
    return _waste(lake.artifacts.leftovers())


def _parquet_files(root: Path) -> list[Path]:
    found = [Path(folder) / name for folder, _, names in os.walk(root) for name in names if name.endswith(".parquet")]
    return sorted(path for path in found if path.is_file() and not path.is_symlink())


def _waste(paths: list[Path]) -> Waste:
    return Waste(tuple(paths), sum(map(size, paths)))


def size(path: Path) -> int:
    """Bytes in a file, or in the files of a folder; links count nothing and are not followed."""
    walked = path.is_dir() and not path.is_symlink()
    files = [Path(folder) / name for folder, _, names in os.walk(path) for name in names] if walked else [path]
    return sum(file.lstat().st_size for file in files if file.is_file() and not file.is_symlink())
