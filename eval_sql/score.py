"""Scoring on the lake: verdicts for all predictions that lack one, in batches of set-based queries (evaluator.md)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import duckdb
import pyarrow as pa

from eval_sql import pairs
from eval_sql.columns import batches, integers, lent
from eval_sql.result import EVALUATOR_VERSION
from warehouse.errors import BenchlakeError
from warehouse.lake import Lake
from warehouse.queries import query

# Rows of gold and predictions that one batch compares: the codes of their cells are in memory at once.
_BATCH_ROWS = 4_000_000
# A pair costs about as much as this many rows beyond its own.
_PAIR_ROWS = 20

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class ScoreReport:
    """Verdicts given now, and the accuracy table of all runs in scope: (run, tasks, passed, accuracy)."""

    scored: int
    runs: list[tuple[str, int, int, float]]


def score(
    lake: Lake,
    runs: Sequence[str] | None = None,
    tasks: Sequence[str] | None = None,
    progress: Progress | None = None,
    *,
    evaluator_version: str = EVALUATOR_VERSION,
) -> ScoreReport:
    """Score what has no verdict of this evaluator under the gold, configuration and prediction in force.

    `runs` and `tasks` (ids or names) narrow it; None means all. Predictions of the same bytes for the same task share
    a verdict. Each batch is one commit. Raises BenchlakeError for a run or a task that the lake does not have.
    """
    how = "benchlake ingest predictions DIR --run NAME makes one"
    _require(lake, "SELECT run FROM run.experiment", runs, "run", how)
    where = "the view evaluation.task lists them"
    _require(lake, "SELECT unnest([task, task_name]) FROM evaluation.task", tasks, "task", where)
    chosen = None if runs is None else list(runs)
    named = None if tasks is None else list(tasks)
    with lake.at_work():
        with lake.cursor() as cursor:
            due = cursor.execute(query("score/due"), [evaluator_version, chosen, named]).to_arrow_table()
        done = 0
        costs = [count + _PAIR_ROWS for count in due.column("row_count").to_pylist()]
        for batch in batches(due, costs, _BATCH_ROWS):
            lake.commit("score", partial(_score_batch, batch=batch, evaluator_version=evaluator_version))
            done += len(batch)
            if progress:
                progress(done, len(due))
    accuracy = lake.rows(
        "SELECT run, tasks, passed, accuracy FROM metrics.task_accuracy "
        "WHERE $1 IS NULL OR list_contains($1, run) ORDER BY accuracy DESC, run",
        [chosen],
    )
    return ScoreReport(len(due), accuracy)


def _require(lake: Lake, known: str, wanted: Sequence[str] | None, what: str, hint: str) -> None:
    if wanted is not None:
        there = {row[0] for row in lake.rows(known)}
        for name in wanted:
            if name not in there:
                raise BenchlakeError(f"the lake has no {what} {name!r}: {hint}")


def _score_batch(
    cursor: duckdb.DuckDBPyConnection, batch: pa.Table, evaluator_version: str
) -> tuple[int, dict[str, Any] | None]:
    with lent(cursor, "incoming", batch.append_column("pair_id", integers(range(len(batch))))):
        cursor.execute("CREATE OR REPLACE TEMP TABLE batch AS SELECT * FROM incoming")
    pairs.prepare(cursor)
    cursor.execute(query("score/lake_pairs"))
    cursor.execute(query("score/pairs"))
    pairs.read_columns(cursor)
    found = pairs.unreadable_gold(cursor)
    if found is not None:
        name = _task_of(cursor, found.pair_id)
        where = f"column {found.column_index}, data row {found.row + 1}"
        raise BenchlakeError(f"the gold of {name} does not fit its configuration: {where} reads {found.text[:40]!r}")
    pairs.compare(cursor)
    cursor.execute(query("score/verdicts"))
    cursor.execute(query("score/keep_verdicts"), [evaluator_version])
    row = cursor.execute("SELECT count(*), count(*) FILTER (passed) FROM new_verdict").fetchone()
    assert row is not None
    return row[0], {"scored": row[0], "passed": row[1]}


def _task_of(cursor: duckdb.DuckDBPyConnection, pair_id: int) -> str:
    row = cursor.execute(
        "SELECT config.task_name FROM batch JOIN evaluation.config AS config ON config.digest = batch.config_digest "
        "WHERE batch.pair_id = ?",
        [pair_id],
    ).fetchone()
    assert row is not None
    return str(row[0])
