"""Fresh SQLite databases from chosen rows of another one, copied by SQLite itself so that every value is exact."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote as url_quote

from warehouse.ids import quote
from warehouse.sqlite_file import harden
from warehouse.sqlite_schema import Schema, Table, rowid_source

PAGE_SIZE = 4096


class NotBuilt(Exception):
    """A database that could not be built: one sentence naming the object."""


def build_database(
    target: Path,
    source: Path,
    schema: Schema,
    tables: Sequence[Table],
    rows: Mapping[str, Sequence[int]] | None = None,
    *,
    definitions: bool = True,
) -> dict[str, int]:
    """Make `target` with the given tables of `source` and their rows, and return the rows in each.

    `rows` gives the row ids to copy by table name (absent tables stay empty); None copies all. Tables come with their
    declared types, keys and CHECKs; with `definitions` also indexes, views and triggers, made after the rows are in, so
    that no trigger fires. No clock and no path enters the file: same input, same bytes. Raises NotBuilt.
    """
    target.unlink(missing_ok=True)
    connection = sqlite3.connect(f"file:{url_quote(str(target.absolute()))}", uri=True, isolation_level=None)
    try:
        harden(connection)
        connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        for pragma in ("journal_mode = OFF", "synchronous = OFF", "foreign_keys = OFF", "ignore_check_constraints = ON"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute(f"PRAGMA encoding = {quote(schema.encoding)}")
        connection.execute("ATTACH ? AS source", [f"file:{url_quote(str(source.absolute()))}?mode=ro&immutable=1"])
        connection.execute("BEGIN")
        connection.set_authorizer(_authorize)
        for table in tables:
            _run(connection, f"table {table.name}", table.sql)
        counts = {table.name: _copy(connection, table, None if rows is None else rows.get(table.name, ())) for table in tables}
        if definitions:
            names = {table.name for table in tables}
            for kind in ("index", "view", "trigger"):
                for item in schema.definitions:
                    if item.kind == kind and (kind == "view" or item.table in names):
                        _run(connection, f"{kind} {item.name}", item.sql)
        connection.set_authorizer(None)
        connection.execute(f"PRAGMA user_version = {schema.user_version}")
        connection.execute("COMMIT")
        connection.execute("DETACH source")
    finally:
        connection.close()
    return counts


def _copy(connection: sqlite3.Connection, table: Table, rows: Sequence[int] | None) -> int:
    if rows is not None and not rows:
        return 0
    columns = ", ".join(quote(column.name) for column in table.stored_columns)
    relation, rowid = rowid_source(table, "source")
    chosen = "" if rows is None else f"WHERE {rowid} IN (SELECT value FROM json_each(?))"
    parameters = [] if rows is None else [json.dumps(list(rows))]
    sql = f"INSERT INTO main.{quote(table.name)} ({columns}) SELECT {columns} FROM {relation} {chosen} ORDER BY {rowid}"  # noqa: S608
    return _run(connection, f"rows of {table.name}", sql, parameters).rowcount


def _run(connection: sqlite3.Connection, what: str, sql: str, parameters: Sequence[str] = ()) -> sqlite3.Cursor:
    try:
        return connection.execute(sql, parameters)
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise NotBuilt(f"{what}: {error}") from error


def _authorize(action: int, first: str | None, second: str | None, database: str | None, inner: str | None) -> int:
    """Statements stored in a database from outside may make what they name, and reach nothing else."""
    refused = (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH, sqlite3.SQLITE_PRAGMA, sqlite3.SQLITE_CREATE_VTABLE)
    return sqlite3.SQLITE_DENY if action in refused else sqlite3.SQLITE_OK
