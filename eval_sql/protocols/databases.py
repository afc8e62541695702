"""The SQLite databases that predicted SQL runs on: copies of files at rest, opened so that nothing can be written."""

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from warehouse.errors import BenchlakeError
from warehouse.shown import shown
from warehouse.sqlite_file import copy_checked, open_immutable

ENDINGS = (".sqlite", ".sqlite3", ".db")


@contextmanager
def opened(database: Path) -> Iterator[sqlite3.Connection]:
    """A read-only connection to a copy of a SQLite file. Raises BenchlakeError when it is none, or not at rest."""
    with tempfile.TemporaryDirectory(prefix="benchlake-") as folder:
        copy = Path(folder) / "database.sqlite"
        copy_checked(database, copy)
        connection = open_immutable(copy)
        try:
            yield connection
        finally:
            connection.close()


def find_database(databases: Path, db_id: str) -> Path:
    """The file of a database: `databases` itself when that is a file, else DIR/ID/ID.sqlite or DIR/ID.sqlite.

    Raises BenchlakeError when there is none.
    """
    if databases.is_file():
        return databases
    if Path(db_id).name != db_id:
        raise BenchlakeError(f"{shown(db_id)!r} cannot be the name of a database file")
    for folder in (databases / db_id, databases):
        for ending in ENDINGS:
            file = folder / f"{db_id}{ending}"
            if file.is_file():
                return file
    raise BenchlakeError(
        f"{shown(databases)}: holds no {shown(db_id)}/{shown(db_id)}.sqlite; name the folder of the databases"
    )
