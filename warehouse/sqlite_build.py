"""Fresh SQLite databases from chosen rows of another one, copied by SQLite itself so that every value is exact."""

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path

from warehouse.ids import quote
from warehouse.sqlite_file import bound_computed, harden, sqlite_uri
from warehouse.sqlite_schema import Schema, Table, rowid_source

PAGE_SIZE = 4096
# What a CREATE statement does: it makes, it computes where an index has expressions, and it writes SQLite's own tables.
_MAKING = frozenset({
    sqlite3.SQLITE_CREATE_TABLE, sqlite3.SQLITE_CREATE_INDEX, sqlite3.SQLITE_CREATE_VIEW, sqlite3.SQLITE_CREATE_TRIGGER,
    sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_SELECT, sqlite3.SQLITE_REINDEX,
})  # fmt: skip
_WRITING = frozenset({sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE})


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
    that no trigger fires. No clock and no path enters the file: same input, same bytes. Raises NotBuilt, also where a
    value would not stay what it is: columns give values their affinity, and a file made in odd ways holds others.
    """
    connection = open_target(target, schema.encoding, [source])
    counts = {}
    try:
        if schema.computes:
            bound_computed(connection)
        for table in tables:
            run_definition(connection, f"table {table.name}", table.sql)
        for table in tables:
            counts[table.name] = copy_table(
                connection, "source0", table, None if rows is None else rows.get(table.name, ())
            )
        # SQLite takes an unqualified name of an index or a trigger for the temporary table's, were it there still.
        connection.execute("DROP TABLE IF EXISTS temp.chosen")
        if definitions:
            names = {table.name for table in tables} | {item.name for item in schema.definitions if item.kind == "view"}
            for kind in ("index", "view", "trigger"):
                for item in schema.definitions:
                    if item.kind == kind and (kind == "view" or item.table in names):
                        run_definition(connection, f"{kind} {item.name}", item.sql)
        connection.execute(f"PRAGMA user_version = {schema.user_version}")
        connection.execute("COMMIT")
    finally:
        connection.close()
    return counts


def open_target(target: Path, encoding: str, sources: Sequence[Path]) -> sqlite3.Connection:
    """Open a new database file in a transaction, with nothing checked that the source did not check itself.

    The sources are attached, read-only, as source0, source1, …
    """
    target.unlink(missing_ok=True)
    connection = sqlite3.connect(sqlite_uri(target), uri=True, isolation_level=None)
    harden(connection)
    pragmas = (
        f"page_size = {PAGE_SIZE}", f"encoding = {quote(encoding)}", "journal_mode = OFF", "synchronous = OFF",
        "foreign_keys = OFF", "ignore_check_constraints = ON",
    )  # fmt: skip
    for pragma in pragmas:
        connection.execute(f"PRAGMA {pragma}")
    for number, source in enumerate(sources):
        connection.execute(f"ATTACH ? AS source{number}", [f"{sqlite_uri(source)}?mode=ro&immutable=1"])
    connection.execute("BEGIN")
    return connection


def run_definition(connection: sqlite3.Connection, what: str, sql: str) -> None:
    """Run one CREATE statement stored in a database from outside; it may make what it names and reach nothing else."""
    connection.set_authorizer(_authorize)
    try:
        connection.execute(sql)
    except (sqlite3.Error, sqlite3.Warning, MemoryError, UnicodeError) as error:
        raise NotBuilt(f"{what}: {error}") from error
    finally:
        connection.set_authorizer(None)


def copy_table(connection: sqlite3.Connection, database: str, table: Table, rows: Sequence[int] | None = None) -> int:
    """Copy rows of a table from an attached database, all or those with the given row ids; returns how many.

    The table must exist already, and be empty. Raises NotBuilt.
    """
    if rows is not None and not rows:
        return 0
    columns = ", ".join(quote(column.name) for column in table.stored_columns)
    relation, rowid = rowid_source(table, database)
    chosen = "" if rows is None else f"WHERE {rowid} IN (SELECT id FROM temp.chosen)"
    try:
        if rows is not None:
            # Not json_each: a table of that name would stand in its place.
            connection.execute("CREATE TEMP TABLE IF NOT EXISTS chosen (id INTEGER PRIMARY KEY)")
            connection.execute("DELETE FROM temp.chosen")
            connection.executemany("INSERT INTO temp.chosen VALUES (?)", ((row,) for row in rows))
        given = f"SELECT {columns} FROM {relation} {chosen} ORDER BY {rowid}"
        copied = connection.execute(f"INSERT INTO main.{quote(table.name)} ({columns}) {given}").rowcount
        if rows is not None:
            _compare(connection, table, given)
        return copied
    except (sqlite3.Error, sqlite3.Warning, MemoryError, ValueError) as error:
        raise NotBuilt(f"rows of {table.name}: {error}") from error


def _compare(connection: sqlite3.Connection, table: Table, given: str) -> None:
    """Compare the rows of a copied table with those of the query they came from, type by type."""
    columns = ", ".join(quote(column.name) for column in table.stored_columns)
    relation, rowid = rowid_source(table)
    decode, connection.text_factory = connection.text_factory, bytes
    try:
        there = connection.execute(f"SELECT {columns} FROM {relation} ORDER BY {rowid}")
        # Strict: a conflict clause may have passed over a row.
        for source, copy in zip(connection.execute(given), there, strict=True):
            # Affinity changes the class of a value, never its bytes within one.
            if source != copy or list(map(type, source)) != list(map(type, copy)):
                raise NotBuilt(f"rows of {table.name}: a value is not of the type that its column gives to values")
    finally:
        connection.text_factory = decode


def _authorize(action: int, first: str | None, second: str | None, database: str | None, inner: str | None) -> int:
    allowed = action in _MAKING or (action in _WRITING and (first or "").startswith("sqlite_"))
    return sqlite3.SQLITE_OK if allowed and database in (None, "main") else sqlite3.SQLITE_DENY
