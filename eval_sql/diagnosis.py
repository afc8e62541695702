"""Why failed tasks failed: symptoms found by queries, for all failed pairs of a batch at once (evaluator.md).

The queries are in `sql/diagnose`. They work where those of `eval_sql.pairs` do, on the tables of the schema
`evaluation` and on the temp tables `pair` and `config_rule`, in a lake or in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import duckdb
import pyarrow as pa

from eval_sql import pairs
from eval_sql.columns import batches, integers, lent
from eval_sql.evaluate import Case, make_pairs, named
from eval_sql.tables import store_tables
from warehouse.lake import Lake
from warehouse.queries import query, scalar

# Cells that one batch reads, counted as in sql/diagnose/due.sql: their codes are in memory at once.
_BATCH_COST = 8_000_000

# Once the columns are matched and read, in this order: the later ones use what the earlier ones leave in temp tables.
_SYMPTOMS = (
    "columns", "index_column", "unreadable", "level_symptoms", "changed_rows", "changed", "rows", "wrong_order",
    "header_as_row", "other",
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
        for batch in batches(due, due.column("cost").to_pylist(), _BATCH_COST):
            lake.commit("diagnose", partial(_diagnose_batch, batch=batch))
            done += len(batch)
            if progress:
                progress(done, len(due))
    return len(due)


def symptoms(cases: Sequence[Case]) -> list[list[Symptom]]:
    """The symptoms of each of these cases, all of which have failed, without a lake."""
    with duckdb.connect() as connection:
        load(connection, cases)
        find_symptoms(connection)
        rows = connection.execute(query("diagnose/found")).fetchall()
    found: list[list[Symptom]] = [[] for _ in cases]
    for pair_id, *fields in rows:
        found[pair_id].append(Symptom(*fields))
    return found


def load(connection: duckdb.DuckDBPyConnection, cases: Sequence[Case], *, undecided: bool = False) -> None:
    """Put failed cases into a DuckDB without tables, as `find_symptoms` wants them."""
    connection.execute(query("score/memory"))
    pairs.prepare(connection)
    files: dict[str, bytes] = {}
    golds = [named(files, case.gold) for case in cases]
    predictions = [named(files, case.prediction) for case in cases]
    store_tables(connection, list(files.items()))
    make_pairs(connection, cases, golds, predictions)
    connection.execute("CREATE TEMP TABLE failed AS SELECT pair_id, $1 AS undecided FROM pair", [undecided])


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
    while scalar(cursor, "SELECT count(*) FROM edge"):
        cursor.execute(query("diagnose/match_columns"))


def _read_matched(cursor: duckdb.DuckDBPyConnection) -> None:
    """Read the matched columns whole, and those that differ at every level at which they may be equal."""
    cursor.execute(query("diagnose/matched_columns"))
    pairs.read_codes(cursor)
    # Kept under a name of its own: further columns are read below.
    cursor.execute("DROP TABLE IF EXISTS matched_code")
    cursor.execute("ALTER TABLE column_code RENAME TO matched_code")
    cursor.execute(query("diagnose/changes"))
    cursor.execute(query("diagnose/date_columns"))
    pairs.read_codes(cursor)
    cursor.execute(query("diagnose/level_candidates"))
    _find_levels(cursor)
    if scalar(cursor, "SELECT count(*) FROM level WHERE share > 1"):
        cursor.execute(query("diagnose/levels_left"))
        _find_levels(cursor)
        cursor.execute("INSERT INTO level SELECT * FROM level_settled")
    cursor.execute(query("diagnose/repaired"))
    cursor.execute(query("diagnose/lines"))


def _find_levels(cursor: duckdb.DuckDBPyConnection) -> None:
    cursor.execute(query("diagnose/level_values"))
    cursor.execute(query("diagnose/levels"))


def _diagnose_batch(cursor: duckdb.DuckDBPyConnection, batch: pa.Table) -> tuple[int, dict[str, Any] | None]:
    with lent(cursor, "incoming", batch.append_column("pair_id", integers(range(len(batch))))):
        cursor.execute("CREATE OR REPLACE TEMP TABLE batch AS SELECT * FROM incoming")
    cursor.execute("CREATE OR REPLACE TEMP TABLE failed AS SELECT pair_id, undecided FROM batch")
    pairs.prepare(cursor)
    cursor.execute(query("score/lake_pairs"))
    cursor.execute(query("score/pairs"))
    find_symptoms(cursor)
    cursor.execute(query("diagnose/keep"))
    return len(batch), {"diagnosed": len(batch), "symptoms": scalar(cursor, "SELECT count(*) FROM symptom")}
