"""What a lake holds at one moment: its tables with their columns."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import duckdb

from warehouse.ids import qualified
from warehouse.lake import Lake
from warehouse.queries import query


@dataclass(frozen=True)
class Table:
    """A table of the lake; `columns` are (name, DuckDB type) in order, `comment` as stored."""

    schema: str
    name: str
    comment: str | None
    columns: tuple[tuple[str, str], ...]

    @property
    def sql(self) -> str:
        """Its quoted name."""
        return qualified(self.schema, self.name)


def tables(cursor: duckdb.DuckDBPyConnection) -> list[Table]:
    """Every table of the lake, in order of schema and name."""
    return [
        Table(schema, name, comment, tuple(zip(columns, types, strict=True)))
        for schema, name, comment, columns, types in cursor.execute(query("integrity/tables")).fetchall()
    ]


@contextmanager
def one_snapshot(lake: Lake) -> Iterator[duckdb.DuckDBPyConnection]:
    """A cursor that sees the lake as it is now, whatever others commit meanwhile; times read as UTC."""
    with lake.cursor() as cursor:
        cursor.execute("SET TimeZone = 'UTC'")
        cursor.execute("BEGIN")
        yield cursor
