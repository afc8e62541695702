"""One hash over all that a lake holds: equal for two lakes in which the same work was done."""

import hashlib

import duckdb

from warehouse.ids import canonical_json, quote
from warehouse.inventory import Table, one_snapshot, tables
from warehouse.lake import Lake

# When, by whom and with which benchlake things were done: never the same twice.
LEFT_OUT = frozenset({("ledger", "event"), ("ledger", "setting"), ("ledger", "schema_version")})


def content_digest(lake: Lake) -> str:
    """SHA-256, 64 hex digits, over the tables of a lake as of one moment (house.md, rule 1).

    Tables of the ledger that say when and by whom something was done are left out. So the digest is the same for two
    lakes in which the same work was done, and after vacuum, export and import.
    """
    with one_snapshot(lake) as cursor:
        found = [table for table in tables(cursor) if (table.schema, table.name) not in LEFT_OUT]
        digests = [[table.schema, table.name, table_digest(cursor, table)] for table in found]
    return hashlib.sha256(canonical_json(digests).encode()).hexdigest()


def table_digest(cursor: duckdb.DuckDBPyConnection, table: Table) -> str:
    """SHA-256, 64 hex digits, over the columns of a table with their types, and the multiset of its rows.

    The order of rows, of commits and of files changes nothing. A row is its JSON, which tells NULL, texts, lists and
    structs apart and keeps doubles exactly. Memory is bounded: DuckDB sorts the hashes of the rows, on disk where they
    are many. Times read as the cursor's time zone has them.
    """
    # The alias that stands for the whole row must not be the name of a column.
    names = {name.casefold() for name, _ in table.columns}
    row = quote(next(name for name in (f"row{i}" for i in range(len(names) + 1)) if name not in names))
    digest = hashlib.sha256(canonical_json(table.columns).encode())
    hashes = cursor.execute(f"SELECT sha256(to_json({row})) AS hash FROM {table.sql} AS {row} ORDER BY hash")
    for batch in hashes.to_arrow_reader():
        digest.update("\n".join(["", *batch.column(0).to_pylist()]).encode())
    return digest.hexdigest()
