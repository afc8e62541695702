"""Schemas and views of the lake, applied from `sql/` in order and recorded in the lake."""

import hashlib
from importlib.resources import files
from importlib.resources.abc import Traversable

import duckdb

from warehouse.errors import BenchlakeError

VIEW_FOLDERS = ("views", "metrics")


def schema_files() -> list[Traversable]:
    """`sql/schema/NNN_name.sql` in order; the number is the schema version that the file brings."""
    return sorted(
        (f for f in files("sql").joinpath("schema").iterdir() if f.name.endswith(".sql")), key=lambda f: f.name
    )


def view_files() -> list[Traversable]:
    """The files of views and macros, in order of folder and name."""
    return [
        f
        for folder in VIEW_FOLDERS
        for f in sorted(files("sql").joinpath(folder).iterdir(), key=lambda f: f.name)
        if f.name.endswith(".sql")
    ]


def latest_version() -> int:
    """The schema version this benchlake works with."""
    return len(schema_files())


def views_digest() -> str:
    """SHA-256 over the view files: tells a lake whose views are of another benchlake."""
    digest = hashlib.sha256()
    for file in view_files():
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def stored_version(cursor: duckdb.DuckDBPyConnection) -> int:
    """The lake's schema version; 0 for a catalog without benchlake's tables."""
    try:
        row = cursor.execute("SELECT coalesce(max(version), 0) FROM ledger.schema_version").fetchone()
    except duckdb.CatalogException:
        return 0
    return int(row[0]) if row else 0


def is_current(cursor: duckdb.DuckDBPyConnection) -> bool:
    """Whether schema and views are this benchlake's. Raises BenchlakeError for a lake made by a newer one."""
    version = stored_version(cursor)
    if version > latest_version():
        raise BenchlakeError(
            f"the lake has schema version {version}, this benchlake knows {latest_version()}: upgrade benchlake"
        )
    if version < latest_version():
        return False
    row = cursor.execute("SELECT value FROM ledger.setting WHERE name = 'views_digest'").fetchone()
    return row is not None and row[0] == views_digest()


def apply(cursor: duckdb.DuckDBPyConnection, target: int | None = None) -> None:
    """Bring the lake to this benchlake's schema and views, or to an older schema version, which has no views.

    Runs inside the caller's transaction.
    """
    version = stored_version(cursor)
    for number, file in enumerate(schema_files()[:target], start=1):
        if number > version:
            text = file.read_text(encoding="utf-8")
            cursor.execute(text)
            cursor.execute(
                "INSERT INTO ledger.schema_version VALUES (?, ?, ?)",
                [number, file.name, hashlib.sha256(text.encode()).hexdigest()],
            )
    if target is not None and target < latest_version():
        return
    for file in view_files():
        cursor.execute(file.read_text(encoding="utf-8"))
    cursor.execute("DELETE FROM ledger.setting WHERE name = 'views_digest'")
    cursor.execute("INSERT INTO ledger.setting VALUES ('views_digest', ?)", [views_digest()])
