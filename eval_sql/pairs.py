"""Pairs of a gold and a prediction table to verdicts, in a handful of queries over all pairs at once.

The queries are in `sql/score`; they work on the tables of the schema `evaluation`, in a lake or in memory, and on the
temp tables `pair` and `config_rule` that the caller fills. Python decides only on the distinct column graphs, which
are few, and searches where columns are ambiguous, which is rare.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass

import duckdb
import numpy as np
import pyarrow as pa

from eval_sql.align import Columns, align
from eval_sql.columns import integers, lent, lists, longs, strings, table
from eval_sql.config import ColumnRule
from eval_sql.exact.codes import INTERNED, coder
from eval_sql.matching import first_matching, has_matching, is_only_matching
from warehouse.queries import query, scalar

# Columns that one comparison takes; wider tables go in blocks.
_BLOCK = 8

_CANON = ("cell", "text", "number", "moment", "boolean")


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Where a gold table cannot be read: the first such cell of a pair's gold."""

    pair_id: int
    column_index: int
    row: int
    text: str


def prepare(cursor: duckdb.DuckDBPyConnection) -> None:
    """Make the macros of `sql/canon`, once a connection."""
    for name in _CANON:
        cursor.execute(query(f"canon/{name}"))


def read_columns(cursor: duckdb.DuckDBPyConnection) -> None:
    """Read every column that the pairs need under every rule they need, unless it is known.

    Adds to evaluation.text, text_reading, exact_value and column_reading.
    """
    cursor.execute(query("score/text_readings"))
    cursor.execute(query("score/due_readings"))
    read_codes(cursor)
    cursor.execute(query("score/drop_unreadable"))
    read_codes(cursor)
    cursor.execute(query("score/readings"))


def unreadable_gold(cursor: duckdb.DuckDBPyConnection) -> Unreadable | None:
    """The first gold cell that its own rule cannot read, or None. The columns must have been read."""
    cursor.execute(query("score/unreadable_gold"))
    read_codes(cursor)
    found = cursor.execute(query("score/unreadable_cell")).fetchone()
    return None if found is None else Unreadable(*found)


def compare(cursor: duckdb.DuckDBPyConnection) -> None:
    """Decide the comparable pairs; the columns must have been read.

    Makes temp `outcome`, grain (pair_id): readable, equal, mapping (prediction column of each gold column, when
    equal), undecided.
    """
    cursor.execute(query("score/graphs"))
    _match(cursor)
    cursor.execute(query("score/paired"))
    _compare_rows(cursor)
    cursor.execute(query("score/outcomes"))
    _search(cursor)


def read_codes(cursor: duckdb.DuckDBPyConnection) -> None:
    """The codes of the wanted columns' cells, the slow ones included."""
    if not scalar(cursor, "SELECT count(*) FROM wanted_column"):
        cursor.execute(
            "CREATE OR REPLACE TEMP TABLE column_code (column_no INTEGER, row INTEGER, text_id INTEGER, code BIGINT)"
        )
        return
    cursor.execute(query("score/codes"))
    if scalar(cursor, "SELECT count(*) FROM column_code WHERE code = canon_slow()"):
        _read_exactly(cursor)
        cursor.execute(query("score/settle_slow"))


def _read_exactly(cursor: duckdb.DuckDBPyConnection) -> None:
    """The one slow path: all values that the macros leave open and that are not known yet."""
    rule_ids: list[int] = []
    text_ids: list[int] = []
    codes: list[int | None] = []
    canonical: list[str] = []
    coders: dict[int, tuple[Callable[[str], int | str | None], int]] = {}
    for rule_id, text_id, text, *fields in cursor.execute(query("score/slow_values")).fetchall():
        if rule_id not in coders:
            # A number without a short code is INTERNED plus the id of its canonical text; a text is the id alone.
            coders[rule_id] = coder(ColumnRule(0, "", *fields)), 0 if fields[0] == "text" else INTERNED
        read, base = coders[rule_id]
        code = read(text)
        rule_ids.append(rule_id)
        text_ids.append(text_id)
        codes.append(base if isinstance(code, str) else code)
        canonical.append(code if isinstance(code, str) else "")
    if not rule_ids:
        return
    exact = table(
        rule_id=integers(rule_ids), text_id=integers(text_ids), code=longs(codes), canonical=strings(canonical)
    )
    with lent(cursor, "incoming", exact):
        cursor.execute("CREATE OR REPLACE TEMP TABLE new_exact AS SELECT * FROM incoming")
    cursor.execute(query("score/exact_values"))


def _match(cursor: duckdb.DuckDBPyConnection) -> None:
    """Decide every distinct graph: many pairs share one."""
    cursor.execute(query("score/graph_kinds"))
    ids: list[int] = []
    fits: list[int] = []
    more: list[int] = []
    sizes: list[int] = []
    mappings: list[int] = []
    for kind_id, readable, candidates in cursor.execute("SELECT * FROM graph_kind").fetchall():
        mapping = first_matching(candidates) or ()
        ids.append(kind_id)
        fits.append(int(bool(mapping) or has_matching(readable)))
        more.append(int(bool(mapping) and not is_only_matching(candidates, mapping)))
        sizes.append(len(mapping))
        mappings += mapping
    verdicts = table(
        kind_id=integers(ids), fits=integers(fits), more=integers(more), mapping=lists(integers(mappings), sizes)
    )
    with lent(cursor, "incoming", verdicts):
        cursor.execute("CREATE OR REPLACE TEMP TABLE graph_verdict AS SELECT * FROM incoming")


def _compare_rows(cursor: duckdb.DuckDBPyConnection) -> None:
    cursor.execute(query("score/paired_columns"))
    read_codes(cursor)
    cursor.execute(query("score/column_lists"))
    cursor.execute(query("score/compare"))
    widest = scalar(cursor, "SELECT coalesce(max(len(rules)), 0) FROM comparison")
    if widest > _BLOCK:
        cursor.execute(
            "CREATE OR REPLACE TEMP TABLE row_number (comparison_no INTEGER, sign INTEGER, numbers VARCHAR[])"
        )
        for number in range(-(-widest // _BLOCK)):
            cursor.execute(f"CREATE OR REPLACE TEMP TABLE block AS SELECT {number:d} AS number")
            cursor.execute(query("score/compare_wide"))
        cursor.execute(query("score/differing_wide"))
    cursor.execute(query("score/unequal"))


def _search(cursor: duckdb.DuckDBPyConnection) -> None:
    """Pairs whose first mapping fails although their columns have others: searched one by one, within a bound."""
    found = cursor.execute(query("score/to_search")).fetchall()
    for pair_id, row_count, ordered in found:
        cursor.execute(query("score/search_columns"), {"pair_id": pair_id})
        read_codes(cursor)
        columns = cursor.execute(query("score/search_lists")).to_arrow_table()
        alignment = align(_by_rule(columns), row_count, ordered=ordered)
        cursor.execute(
            "UPDATE outcome SET equal = $equal, mapping = $mapping, undecided = $undecided WHERE pair_id = $pair_id",
            {
                "equal": alignment.mapping is not None, "mapping": alignment.mapping,
                "undecided": alignment.undecided, "pair_id": pair_id,
            },
        )  # fmt: skip


def _by_rule(columns: pa.Table) -> list[Columns]:
    """Codes as small numbers, equal for equal codes of a rule."""
    rules: list[Columns] = []
    sides, places, rule_ids = (columns.column(i).to_pylist() for i in range(3))
    codes = columns.column("codes").combine_chunks()
    row_count = len(codes.values) // len(codes)
    by_column = codes.values.to_numpy()[: row_count * len(codes)].reshape(len(codes), row_count)
    for rule_id in sorted(set(rule_ids)):
        mine = [i for i, other in enumerate(rule_ids) if other == rule_id]
        distinct, numbers = np.unique(by_column[mine], return_inverse=True)
        split: dict[str, dict[int, array[int]]] = {"gold": {}, "prediction": {}}
        for i, column in zip(mine, numbers.reshape(len(mine), row_count), strict=True):
            split[sides[i]][places[i]] = array("i", column.astype(np.intc).tobytes())
        rules.append(Columns(split["gold"], split["prediction"], len(distinct)))
    return rules
