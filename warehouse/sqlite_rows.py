"""Rows of a SQLite table as typed Arrow batches, exact for SQLite's dynamic typing."""

import math
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from warehouse.ids import quote
from warehouse.sqlite_schema import Column, Schema, Table, rowid_source

BATCH_ROWS = 20_000
BATCH_BYTES = 32 << 20
PROBE_COLUMNS = 200
TAGGED = pa.struct(
    [
        ("tag", pa.string()),
        ("integer", pa.int64()),
        ("real", pa.float64()),
        ("text", pa.string()),
        ("blob", pa.binary()),
    ]
)
ARROW_TYPES = {
    "integer": pa.int64(), "real": pa.float64(), "text": pa.string(), "blob": pa.binary(), "empty": pa.string(),
    "tagged": TAGGED,
}  # fmt: skip
# What SQLite's own limit on columns leaves when the row id is read along.
MAX_COLUMNS = 1999
# SQLite's own limit of a value, bytes.
LARGEST = 1_000_000_000
CLASSES = ("null", "integer", "real", "text", "blob")
MEASURES = len(CLASSES) + 1


class Text(bytes):
    """Bytes of a TEXT cell, told apart from those of a BLOB."""


@dataclass(frozen=True)
class Profile:
    """What the cells of one column hold: counts by storage class, and the storage that keeps them exactly.

    `longest` is the size of the longest text or BLOB, in bytes.
    """

    column: Column
    counts: dict[str, int]
    invalid_text: int
    both_zeros: bool
    longest: int

    @property
    def storage(self) -> str:
        """integer, real, text, blob, empty (only NULL) or tagged.

        Tagged: several classes, text that is not UTF-8, or both 0.0 and -0.0, which DuckDB writes as one value.
        """
        present = [name for name in CLASSES[1:] if self.counts[name]]
        if not present:
            return "empty"
        return present[0] if len(present) == 1 and not self.invalid_text and not self.both_zeros else "tagged"


def profile(connection: sqlite3.Connection, table: Table) -> tuple[int, list[Profile]]:
    """Row count and a profile of each column of a table. Raises sqlite3.Error when a row cannot be read."""
    count = int(connection.execute(f"SELECT count(*) FROM {quote(table.name)}").fetchone()[0])
    profiles = []
    for start in range(0, len(table.columns), PROBE_COLUMNS):
        chunk = table.columns[start : start + PROBE_COLUMNS]
        wanted = ", ".join(_measures(quote(column.name)) for column in chunk)
        row = connection.execute(f"SELECT {wanted} FROM {quote(table.name)} NOT INDEXED").fetchone()
        for number, column in enumerate(chunk):
            *classes, longest = row[number * MEASURES : number * MEASURES + MEASURES]
            counts = dict(zip(CLASSES, classes, strict=True))
            invalid = _invalid_text(connection, table, column, longest) if counts["text"] else 0
            both_zeros = bool(counts["real"]) and _both_zeros(connection, table, column)
            profiles.append(Profile(column, counts, invalid, both_zeros, longest))
    return count, profiles


def larger_than_limit(connection: sqlite3.Connection, schema: Schema) -> str | None:
    """Which table and column has a value larger than the connection's limit of length; None when none is found.

    Stored values are looked for first: the expressions of a schema compute no more than the limit lets them.
    """
    limit = connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST)
    columns = [(table, column) for table in schema.tables for column in table.columns]
    try:
        for stored in (True, False):
            if not stored:
                connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limit)
            for table, column in columns:
                if (column.generated != "virtual") == stored and _is_larger(connection, table, column, limit):
                    return f"table {table.name}, column {column.name}"
    finally:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limit)
    return None


def _is_larger(connection: sqlite3.Connection, table: Table, column: Column, limit: int) -> bool:
    name = quote(column.name)
    query = f"SELECT 1 FROM {quote(table.name)} NOT INDEXED WHERE length(CAST({name} AS BLOB)) > {limit} LIMIT 1"
    try:
        return connection.execute(query).fetchone() is not None
    except (sqlite3.Error, MemoryError) as error:
        return "too big" in str(error)


def _measures(name: str) -> str:
    """SQL for a column's cells of each class, and the bytes of its longest text or BLOB."""
    counts = ", ".join(f"coalesce(sum(typeof({name}) = '{kind}'), 0)" for kind in CLASSES)
    length = f"CASE WHEN typeof({name}) IN ('text', 'blob') THEN length(CAST({name} AS BLOB)) END"
    return f"{counts}, coalesce(max({length}), 0)"


def _both_zeros(connection: sqlite3.Connection, table: Table, column: Column) -> bool:
    name = quote(column.name)
    zeros = connection.execute(
        f"SELECT {name} FROM {quote(table.name)} NOT INDEXED WHERE typeof({name}) = 'real' AND {name} = 0.0"
    )
    signs = set()
    for (zero,) in zeros:
        signs.add(math.copysign(1, zero))
        if len(signs) == 2:
            return True
    return False


def _invalid_text(connection: sqlite3.Connection, table: Table, column: Column, longest: int) -> int:
    """Text cells of a column that are not UTF-8."""
    with _text_as(connection, bytes):
        name = quote(column.name)
        # Most text is ASCII, which SQLite sees faster than we do. GLOB stops at a NUL, and so does length().
        ascii_only = f"NOT GLOB('*[^' || char(1) || '-' || char(127) || ']*', {name})"
        whole = f"length({name}) = length(CAST({name} AS BLOB))"
        cursor = connection.execute(
            f"SELECT {name} FROM {quote(table.name)} NOT INDEXED "
            f"WHERE typeof({name}) = 'text' AND NOT ({ascii_only} AND {whole})"
        )
        invalid = 0
        for batch in _chunks(cursor, [0], longest):
            cells = pa.array([row[0] for row in batch], pa.binary())
            try:
                pc.cast(cells, pa.string())
            except pa.ArrowInvalid:
                invalid += sum(not _is_utf8(row[0]) for row in batch)
    return invalid


def arrow_schema(profiles: list[Profile], names: list[str]) -> pa.Schema:
    """`_rowid` (int64), then one column per profile under the given lake names, of the type its storage asks for."""
    types = [ARROW_TYPES[item.storage] for item in profiles]
    return pa.schema([("_rowid", pa.int64()), *zip(names, types, strict=True)])


def batches(
    connection: sqlite3.Connection, table: Table, profiles: list[Profile], names: list[str]
) -> pa.RecordBatchReader:
    """Stream a table as Arrow batches of `arrow_schema`, in order of `_rowid`.

    The connection must not be used meanwhile.
    """
    schema = arrow_schema(profiles, names)
    return pa.RecordBatchReader.from_batches(schema, _stream(connection, table, profiles, schema))


def _stream(
    connection: sqlite3.Connection, table: Table, profiles: list[Profile], schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    relation, rowid = rowid_source(table)
    columns = [quote(item.column.name) for item in profiles]
    sized = [place for place, item in enumerate(profiles, start=1) if item.counts["text"] or item.counts["blob"]]
    query = f"SELECT {', '.join([rowid, *columns])} FROM {relation} ORDER BY 1"
    with _text_as(connection, Text):
        for rows in _chunks(connection.execute(query), sized, sum(item.longest for item in profiles)):
            cells = list(zip(*rows, strict=True))
            arrays = [pa.array(cells[0], pa.int64())]
            for number, item in enumerate(profiles, start=1):
                if item.storage == "tagged":
                    arrays.append(pa.array([_tagged(cell) for cell in cells[number]], TAGGED))
                elif item.storage == "text":
                    arrays.append(pc.cast(pa.array(cells[number], pa.binary()), pa.string()))
                else:
                    arrays.append(pa.array(cells[number], ARROW_TYPES[item.storage]))
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _chunks(cursor: sqlite3.Cursor, sized: list[int], longest: int) -> Iterator[list[tuple[Any, ...]]]:
    """The rows in lists that are bounded in rows, and in the bytes of the cells at the places `sized`.

    `longest` bounds the bytes of a row: where rows are short, they need not be measured.
    """
    if longest * BATCH_ROWS <= BATCH_BYTES:
        while rows := cursor.fetchmany(BATCH_ROWS):
            yield rows
        return
    rows, size = [], 0
    for row in cursor:
        rows.append(row)
        for place in sized:
            cell = row[place]
            if isinstance(cell, bytes):
                size += len(cell)
        if len(rows) == BATCH_ROWS or size > BATCH_BYTES:
            yield rows
            rows, size = [], 0
    if rows:
        yield rows


def _tagged(cell: object) -> dict[str, object] | None:
    if cell is None:
        return None
    if isinstance(cell, Text):
        return {"tag": "text", "text": cell.decode()} if _is_utf8(cell) else {"tag": "text", "blob": cell}
    if cell == 0 and isinstance(cell, float) and math.copysign(1, cell) < 0:
        return {"tag": "real", "blob": struct.pack(">d", cell)}
    tag = {int: "integer", float: "real", bytes: "blob"}[type(cell)]
    return {"tag": tag, tag: cell}


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


@contextmanager
def _text_as(connection: sqlite3.Connection, factory: type[bytes]) -> Iterator[None]:
    before = connection.text_factory
    connection.text_factory = factory
    try:
        yield
    finally:
        connection.text_factory = before
