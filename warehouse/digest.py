"""One hash over all that a lake holds: equal for two lakes in which the same work was done."""

import hashlib

from warehouse.ids import canonical_json, quote
from warehouse.inventory import Table, one_snapshot, tables
from warehouse.lake import Lake

# When, by whom and with which benchlake things were done: never the same twice.
LEFT_OUT = frozenset({("ledger", "event"), ("ledger", "setting"), ("ledger", "schema_version")})


def content_digest(lake: Lake) -> str:
    """SHA-256, 64 hex digits, over the tables of a lake as of one moment (house.md, rule 1).

    A table counts as its name, its columns with their types, and the multiset of its rows: the order of rows, of
    commits and of files changes nothing. A row is its JSON, which tells NULL, texts, lists and structs apart and keeps
    doubles exactly; tables of the ledger that say when and by whom something was done are left out. Memory is bounded:
    DuckDB sorts the hashes of the rows, on disk where they are many.
    """
    digest = hashlib.sha256()
    with one_snapshot(lake) as cursor:
        for table in tables(cursor):
            if (table.schema, table.name) in LEFT_OUT:
                continue
            digest.update(canonical_json([table.schema, table.name, table.columns]).encode())
            for batch in cursor.execute(_row_hashes(table)).to_arrow_reader():
                digest.update("\n".join(["", *batch.column(0).to_pylist()]).encode())
    return digest.hexdigest()


def _row_hashes(table: Table) -> str:
    """SQL for one hash a row, in order. The alias that stands for the whole row must not be the name of a column."""
    names = {name.casefold() for name, _ in table.columns}
    row = quote(next(name for name in (f"row{i}" for i in range(len(names) + 1)) if name not in names))
    return f"SELECT sha256(to_json({row})) AS hash FROM {table.sql} AS {row} ORDER BY hash"
