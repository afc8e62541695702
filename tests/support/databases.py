"""SQLite databases for tests, made by SQL."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path


def build(path: Path, *statements: str, rows: dict[str, Iterable[tuple[object, ...]]] | None = None) -> Path:
    """A database made by the statements; `rows` are then inserted, by SQL `INSERT` statement."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.execute("BEGIN")
        for insert, values in (rows or {}).items():
            connection.executemany(insert, values)
        connection.execute("COMMIT")
    return path


def forge(path: Path, changes: str, *values: object) -> Path:
    """Change `sqlite_master` itself by one statement, as a hostile maker of files can."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(changes, values)
    return path
