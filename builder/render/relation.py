"""A relation in SQLite's own typed cells, its canonical form and its hash (DataSpace Eq. 16)."""

import hashlib
import json
import math
import sqlite3
from dataclasses import dataclass

from warehouse.ids import quote
from warehouse.sqlite_run import Cell
from warehouse.sqlite_schema import Table

# Cell types of the schema side record: what a parser must know to rebuild a column exactly.
INTEGER, REAL, NUMBER, TEXT, BLOB, MIXED, EMPTY = "integer", "real", "number", "text", "blob", "mixed", "empty"


@dataclass(frozen=True)
class Relation:
    """Rows of one table: `columns` are names, `rows` tuples of NULL, int, float, str or bytes in column order.

    Text that is not UTF-8 is held with surrogateescape. Generated columns are part of it.
    """

    name: str
    columns: tuple[str, ...]
    rows: list[tuple[Cell, ...]]

    def column_types(self) -> tuple[str, ...]:
        """The cell type of each column: one of the seven names above."""
        return tuple(_type_of({type(row[place]) for row in self.rows}) for place in range(len(self.columns)))

    def digest(self) -> str:
        """SHA-256 of the canonical relation: column names, then the multiset of typed rows, whatever their order."""
        rows = sorted(json.dumps([_token(cell) for cell in row], ensure_ascii=True) for row in self.rows)
        head = json.dumps(list(self.columns), ensure_ascii=True)
        return hashlib.sha256("\n".join([head, *rows]).encode()).hexdigest()


def read_relation(connection: sqlite3.Connection, table: Table) -> Relation:
    """All rows of a table, in row order."""
    columns = tuple(column.name for column in table.columns)
    names = ", ".join(quote(name) for name in columns)
    order = f"ORDER BY {table.rowid_alias}" if table.rowid_alias else ""
    rows = connection.execute(f"SELECT {names} FROM {quote(table.name)} {order}").fetchall()
    return Relation(table.name, columns, rows)


def is_utf8(text: str) -> bool:
    """Whether a text cell is really UTF-8 (no surrogate stands for a stray byte)."""
    return not any("\ud800" <= c <= "\udfff" for c in text) if not text.isascii() else True


def _type_of(types: set[type]) -> str:
    types.discard(type(None))
    if not types:
        return EMPTY
    if types == {int, float}:
        return NUMBER
    if len(types) > 1:
        return MIXED
    return {int: INTEGER, float: REAL, str: TEXT, bytes: BLOB}[types.pop()]


def _token(cell: Cell) -> str | None:
    """An injective text for a typed cell; the sign of zero counts, as SQLite stores it."""
    if cell is None:
        return None
    if isinstance(cell, int):
        return f"i{cell}"
    if isinstance(cell, float):
        return f"r{cell.hex() if math.isfinite(cell) else cell}"
    return f"t{cell}" if isinstance(cell, str) else f"b{cell.hex()}"
