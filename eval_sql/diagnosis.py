"""Why failed tasks failed: symptoms found in the data by queries, for all failed pairs of a batch at once (evaluator.md).

The queries are in `sql/diagnose`. They work where those of `eval_sql.pairs` do, on the tables of the schema
`evaluation` and on the temp tables `pair` and `config_rule`, in a lake or in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa

from eval_sql import pairs
from eval_sql.columns import integers, lent
from warehouse.lake import Lake
from warehouse.queries import query

# Cells that one batch reads, counted as in sql/diagnose/due.sql: their codes are in memory at once.
_BATCH_COST = 20_000_000

# Once the columns are matched and read, in this order: the later ones use what the earlier ones leave in temp tables.
_SYMPTOMS = (
    "columns", "index_column", "unreadable", "level_symptoms", "changed", "rows", "wrong_order", "header_as_row",
    "other",
)  # fmt: skip

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Symptom:
    """One thing that differs; columns count from 0 and are None where it is about none, as is row_count."""

    code: str
    gold_column: int | None
    prediction_column: int | None
    row_count: int | None
    examples: list[str]
    sentence: str


def diagnose(
    lake: Lake,
    runs: Sequence[str] | None = None,
    tasks: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> int:
    """Give every failed verdict in force its symptoms in score.symptom, unless it has them; says how many were due.

    `runs` and `tasks` (ids or names) narrow it; None means all. Predictions of the same bytes for the same task share
    their symptoms. Each batch is one commit.
    """
    chosen = None if runs is None else list(runs)
    named = None if tasks is None else list(tasks)
    with lake.at_work():
        with lake.cursor() as cursor:
            due = cursor.execute(query("diagnose/due"), [chosen, named]).to_arrow_table()
        done = 0
        for batch in _batches(due):
            lake.commit("diagnose", lambda cursor, batch=batch: _diagnose_batch(cursor, batch))
            done += len(batch)
            if progress:
                progress(done, len(due))
    return len(due)


def find_symptoms(cursor: duckdb.DuckDBPyConnection) -> None:
    """Find the symptoms of failed pairs: each gets at least one.

    Inputs: temp `pair` and `config_rule`, as `eval_sql.pairs` has them, and temp `failed`, grain (pair_id): undecided.
    Makes temp `symptom`. Every text of the tables gets its reading in evaluation.text_reading.
    """
    cursor.execute(query("diagnose/macros"))
    cursor.execute(query("score/text_readings"))
    cursor.execute(query("diagnose/shapes"))
    cursor.execute(query("diagnose/plain"))
    match_columns(cursor)
    _read_matched(cursor)
    for name in _SYMPTOMS:
        cursor.execute(query(f"diagnose/{name}"))


def match_columns(cursor: duckdb.DuckDBPyConnection) -> None:
    """Find which columns belong together, best first, and the transposed tables on the way. Makes temp `matched`."""
    cursor.execute(query("diagnose/probe"))
    cursor.execute(query("score/codes"))
    cursor.execute(query("score/settle_slow"))
    cursor.execute(query("diagnose/transposed"))
    cursor.execute(query("diagnose/probe_values"))
    cursor.execute(query("diagnose/edges"))
    while _count(cursor, "SELECT count(*) FROM edge"):
        cursor.execute(query("diagnose/match_columns"))


def _read_matched(cursor: duckdb.DuckDBPyConnection) -> None:
    """Read the matched columns whole, and those that differ at every level at which they may be equal."""
    cursor.execute(query("diagnose/matched_columns"))
    cursor.execute(query("score/wanted_cells"))
    pairs._read_codes(cursor)
    cursor.execute(query("diagnose/changes"))
    cursor.execute(query("diagnose/number_levels"))
    cursor.execute(query("diagnose/text_levels"))
    # The codes of the matched columns are needed again below.
    cursor.execute("ALTER TABLE column_code RENAME TO matched_code")
    cursor.execute(query("diagnose/date_columns"))
    pairs._read_codes(cursor)
    cursor.execute(query("diagnose/date_levels"))
    cursor.execute(query("diagnose/levels"))
    cursor.execute(query("diagnose/lines"))


def _batches(due: pa.Table) -> Iterator[pa.Table]:
    """The due verdicts cut where their cells fill a batch."""
    costs = due.column("cost").to_pylist()
    start, cells = 0, 0
    for place, cost in enumerate(costs):
        if start < place and cells + cost > _BATCH_COST:
            yield due.slice(start, place - start)
            start, cells = place, 0
        cells += cost
    if costs:
        yield due.slice(start)


def _diagnose_batch(cursor: duckdb.DuckDBPyConnection, batch: pa.Table) -> tuple[int, dict[str, Any] | None]:
    with lent(cursor, "incoming", batch.append_column("pair_id", integers(range(len(batch))))):
        cursor.execute("CREATE OR REPLACE TEMP TABLE batch AS SELECT * FROM incoming")
    cursor.execute("CREATE OR REPLACE TEMP TABLE failed AS SELECT pair_id, undecided FROM batch")
    pairs.prepare(cursor)
    cursor.execute(query("score/lake_pairs"))
    cursor.execute(query("score/pairs"))
    find_symptoms(cursor)
    cursor.execute(query("diagnose/keep"))
    return len(batch), {"diagnosed": len(batch), "symptoms": _count(cursor, "SELECT count(*) FROM symptom")}


def _count(cursor: duckdb.DuckDBPyConnection, sql: str) -> int:
    row = cursor.execute(sql).fetchone()
    assert row is not None
    return int(row[0])
