"""DuckDB extensions from the installed packages: signed, pinned, never downloaded."""

import importlib.metadata
from importlib.util import find_spec
from pathlib import Path

import duckdb

from warehouse.errors import BenchlakeError

DUCKDB_VERSION = "1.5.5"
EXTENSIONS = ("sqlite_scanner", "ducklake")


def check_engine() -> None:
    """Refuse a DuckDB other than the pinned one, naming the fix.

    The extension binaries load into exactly the DuckDB they were built for (stack_facts.md, section 2).
    """
    if duckdb.__version__ != DUCKDB_VERSION:
        raise BenchlakeError(
            f"duckdb {duckdb.__version__} is installed, but the lake's extensions are built for {DUCKDB_VERSION}: "
            f"run pip install 'duckdb=={DUCKDB_VERSION}'"
        )


def extension_path(name: str) -> Path:
    """Path of an extension binary inside its installed package `duckdb-extension-NAME`."""
    package = f"duckdb_extension_{name}"
    spec = find_spec(package)
    distribution = package.replace("_", "-")
    if spec is None or not spec.submodule_search_locations:
        raise BenchlakeError(
            f"the DuckDB extension {name} is not installed: run pip install '{distribution}=={DUCKDB_VERSION}'"
        )
    root = Path(next(iter(spec.submodule_search_locations)))
    path = root / "extensions" / f"v{DUCKDB_VERSION}" / f"{name}.duckdb_extension"
    if not path.is_file():
        found = importlib.metadata.version(distribution)
        raise BenchlakeError(
            f"{distribution} {found} does not fit duckdb {DUCKDB_VERSION}: "
            f"run pip install '{distribution}=={DUCKDB_VERSION}'"
        )
    return path


def connect() -> duckdb.DuckDBPyConnection:
    """An in-memory DuckDB with the lake's extensions, signatures checked and the network not used.

    Raises BenchlakeError when versions do not fit each other.
    """
    check_engine()
    connection = duckdb.connect(
        config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"},
    )
    for name in EXTENSIONS:
        path = str(extension_path(name)).replace("'", "''")
        try:
            connection.execute(f"LOAD '{path}'")
        except duckdb.Error as error:
            connection.close()
            raise BenchlakeError(f"the DuckDB extension {name} does not load: {error}") from error
    return connection
