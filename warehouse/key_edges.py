"""Foreign keys as pairs of row ids, found by SQLite itself so that its comparison rules hold."""

import sqlite3
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from warehouse.ids import quote
from warehouse.sqlite_schema import ForeignKey, Schema, rowid_source

# A key to a column that is not unique pairs every child with every equal parent: the square of the table.
MAX_AMBIGUOUS_PAIRS = 5_000_000


class TooManyPairs(Exception):
    """A key to a column that is not unique would make more than MAX_AMBIGUOUS_PAIRS pairs of rows."""


@dataclass(frozen=True)
class Edges:
    """`pairs` (child_rowid, parent_rowid) and `violations` (child_rowid), both int64 Arrow tables."""

    pairs: pa.Table
    violations: pa.Table


def key_query(schema: Schema, key: ForeignKey) -> str | None:
    """SQL for the (child row id, parent row id or NULL) pairs of a foreign key; None when it cannot be followed.

    Comparison follows SQLite's foreign key rule: the parent column's affinity and collation apply to the child's value
    (the unary plus takes the child column's own affinity away). A NULL in any key column means no reference. Where the
    parent table does not exist, no full key has a parent, as for SQLite.
    """
    child, parent = schema.table(key.table), schema.table(key.ref_table)
    absent = key.problem == "no_such_table" and parent is None and not schema.has_view(key.ref_table)
    if child is None or not (absent or key.problem in (None, "parent_not_unique")):
        return None
    child_source, child_id = rowid_source(child)
    full = " AND ".join(f"c.{quote(name)} IS NOT NULL" for name in key.columns)
    if parent is None:
        return f"SELECT c.{child_id}, NULL FROM {child_source} c WHERE {full}"
    parent_source, parent_id = rowid_source(parent)
    match = " AND ".join(
        f"p.{quote(there)} = +c.{quote(here)}" for here, there in zip(key.columns, key.ref_columns, strict=True)
    )
    return (
        f"SELECT c.{child_id}, p.{parent_id} FROM {child_source} c LEFT JOIN {parent_source} p ON {match} WHERE {full}"
    )


def key_edges(connection: sqlite3.Connection, schema: Schema, key: ForeignKey) -> Edges:
    """All (child, parent) pairs of a foreign key, and the child rows with a full key but no parent.

    Raises TooManyPairs.
    """
    query = key_query(schema, key)
    if query is None:
        return NO_EDGES
    rows = connection.execute(query)
    chunks: list[tuple[pa.Array, pa.Array]] = []
    count = 0
    while batch := rows.fetchmany(50_000):
        left, right = zip(*batch, strict=True)
        chunks.append((pa.array(left, pa.int64()), pa.array(right, pa.int64())))
        count += len(batch)
        if key.problem == "parent_not_unique" and count > MAX_AMBIGUOUS_PAIRS:
            raise TooManyPairs
    return _edges(chunks)


def _edges(chunks: list[tuple[pa.Array, pa.Array]]) -> Edges:
    found = pa.table({
        "child_rowid": pa.chunked_array([chunk[0] for chunk in chunks], pa.int64()),
        "parent_rowid": pa.chunked_array([chunk[1] for chunk in chunks], pa.int64()),
    })  # fmt: skip
    matched = found["parent_rowid"].is_valid()
    return Edges(found.filter(matched), found.filter(pc.invert(matched)).select(["child_rowid"]))


NO_EDGES = _edges([])
