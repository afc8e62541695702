"""Tables cell by cell, as SQLite has them and as the lake has them."""

import sqlite3
import struct
from contextlib import closing
from pathlib import Path
from typing import Any

from warehouse import Lake
from warehouse.ids import qualified, quote
from warehouse.ingest_db import IngestedDb, SuppliedKey, ingest_database

Cells = list[list[tuple[str, object]]]


def take(lake: Lake, corpus: str, path: Path, *supplied: SuppliedKey) -> IngestedDb:
    """Ingest a database."""
    return ingest_database(lake, path, corpus, supplied)


def snapshots(lake: Lake) -> tuple[int, int]:
    """Number of the last snapshot, and events: what an ingest that changes nothing leaves alone."""
    query = "SELECT (SELECT max(snapshot_id) FROM ducklake_snapshots('lake')), (SELECT count(*) FROM ledger.event)"
    return lake.rows(query)[0]


def schema_of(lake: Lake, done: IngestedDb) -> str:
    """The lake schema that holds a database's tables."""
    return str(lake.rows("SELECT schema_name FROM source.db WHERE db = ?", [done.db])[0][0])


def by_sqlite(path: Path, table: str) -> Cells:
    """The table's cells in row order as (storage class, value), text as bytes."""
    with closing(sqlite3.connect(path)) as connection:
        connection.text_factory = bytes
        names = [row[1].decode() for row in connection.execute(f"PRAGMA table_xinfo({quote(table)})")]
        # Two statements: a result has up to 2,000 columns.
        scan = f"FROM {quote(table)} NOT INDEXED"
        kinds = connection.execute(f"SELECT {', '.join(f'typeof({quote(name)})' for name in names)} {scan}").fetchall()
        rows = connection.execute(f"SELECT {', '.join(map(quote, names))} {scan}").fetchall()
    return [
        [(kind.decode(), token(value)) for kind, value in zip(*pair, strict=True)]
        for pair in zip(kinds, rows, strict=True)
    ]


def same(lake: Lake, done: IngestedDb, path: Path) -> None:
    """Assert that every kept table is in the lake as it is in SQLite, and that its description fits."""
    schema = schema_of(lake, done)
    columns: dict[str, list[tuple[Any, ...]]] = {}
    for table, *column in lake.rows(
        "SELECT table_name, lake_column, storage, null_count, integer_count, real_count, text_count, blob_count "
        "FROM source.db_column WHERE db = ? ORDER BY position",
        [done.db],
    ):
        columns.setdefault(table, []).append(tuple(column))
    kept = lake.rows(
        "SELECT table_name, lake_table, row_count FROM source.db_table WHERE db = ? AND refused IS NULL", [done.db]
    )
    for table, lake_table, count in kept:
        names = ", ".join(quote(column[0]) for column in columns[table])
        rows = lake.rows(f"SELECT {names} FROM {qualified(schema, lake_table)} ORDER BY _rowid")
        here = [[cell(v, column[1]) for v, column in zip(row, columns[table], strict=True)] for row in rows]
        there = by_sqlite(path, table)
        assert here == there, table
        assert count == len(there)
        for place, described in enumerate(columns[table]):
            kinds = [row[place][0] for row in there]
            assert described[2:] == tuple(kinds.count(name) for name in ("null", "integer", "real", "text", "blob"))


def cell(value: Any, storage: str) -> tuple[str, object]:
    """A cell of the lake as (storage class, value), text as bytes."""
    if value is None:
        return "null", None
    if storage != "tagged":
        return storage, value.encode() if storage == "text" else token(value)
    tag = value["tag"]
    assert sum(value[name] is not None for name in ("integer", "real", "text", "blob")) == 1
    if tag == "text":
        return "text", value["blob"] if value["text"] is None else value["text"].encode()
    if tag == "real" and value["real"] is None:
        return "real", token(struct.unpack(">d", value["blob"])[0])
    return tag, token(value[tag])


def token(value: Any) -> object:
    """A value told apart from every other: a float by its bits."""
    return struct.pack("<d", value) if isinstance(value, float) else value
