"""Foreign keys as pairs of row ids, found by SQLite itself so that its comparison rules hold."""

import sqlite3
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from warehouse.ids import quote
from warehouse.sqlite_schema import ForeignKey, Schema, rowid_source


@dataclass(frozen=True)
class Edges:
    """`pairs` (child_rowid, parent_rowid) and `violations` (child_rowid), both int64 Arrow tables."""

    pairs: pa.Table
    violations: pa.Table


def key_edges(connection: sqlite3.Connection, schema: Schema, key: ForeignKey) -> Edges:
    """All (child, parent) pairs of a foreign key, and the child rows with a full key but no parent.

    Comparison follows SQLite's foreign key rule: the parent column's affinity and collation apply to the child's value
    (the unary plus takes the child column's own affinity away). A NULL in any key column means no reference.
    """
    child, parent = schema.table(key.table), schema.table(key.ref_table)
    pairs = pa.table({"child_rowid": pa.array([], pa.int64()), "parent_rowid": pa.array([], pa.int64())})
    violations = pairs.select(["child_rowid"])
    if child is None or parent is None or key.problem not in (None, "parent_not_unique"):
        return Edges(pairs, violations)
    child_source, child_id = rowid_source(child)
    parent_source, parent_id = rowid_source(parent)
    match = " AND ".join(
        f"p.{quote(there)} = +c.{quote(here)}" for here, there in zip(key.columns, key.ref_columns, strict=True)
    )
    full = " AND ".join(f"c.{quote(name)} IS NOT NULL" for name in key.columns)
    rows = connection.execute(
        f"SELECT c.{child_id}, p.{parent_id} FROM {child_source} c LEFT JOIN {parent_source} p ON {match} WHERE {full}"
    )
    children, parents = pa.array([], pa.int64()), pa.array([], pa.int64())
    chunks = [(children, parents)]
    while batch := rows.fetchmany(50_000):
        left, right = zip(*batch, strict=True)
        chunks.append((pa.array(left, pa.int64()), pa.array(right, pa.int64())))
    found = pa.table({
        "child_rowid": pa.chunked_array([chunk[0] for chunk in chunks]),
        "parent_rowid": pa.chunked_array([chunk[1] for chunk in chunks]),
    })  # fmt: skip
    matched = found["parent_rowid"].is_valid()
    return Edges(found.filter(matched), found.filter(pc.invert(matched)).select(["child_rowid"]))
