"""Scoring on the lake: verdicts for every run and task that lacks one, never overwritten."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import duckdb

from eval_sql.config import parse_config
from eval_sql.suite import EVALUATOR_VERSION, TaskResult, Unusable, task_result
from warehouse.errors import BenchlakeError
from warehouse.lake import Lake, append
from warehouse.queries import query

BATCH = 200

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class ScoreReport:
    """Verdicts given now, and the accuracy table of all runs in scope: (run, tasks, passed, accuracy)."""

    scored: int
    runs: list[tuple[str, int, int, float]]


def score(lake: Lake, run: str | None = None, progress: Progress | None = None) -> ScoreReport:
    """Score what has no verdict under the gold, configuration and prediction in force (evaluator.md).

    Raises BenchlakeError when the run does not exist.
    """
    if run is not None and not lake.rows("SELECT 1 FROM run.experiment WHERE run = ?", [run]):
        raise BenchlakeError(f"the lake has no run {run!r}: benchlake ingest predictions DIR --run NAME makes one")
    due = lake.rows(query("score/due"), [EVALUATOR_VERSION, run])
    with lake.at_work():
        for start in range(0, len(due), BATCH):
            batch = due[start : start + BATCH]
            results = [_verdict(lake, row) for row in batch]
            lake.commit("score", partial(_commit, batch=batch, results=results))
            if progress:
                progress(start + len(batch), len(due))
    runs = lake.rows(
        "SELECT run, tasks, passed, accuracy FROM metrics.task_accuracy "
        "WHERE $1 IS NULL OR run = $1 ORDER BY accuracy DESC, run",
        [run],
    )
    return ScoreReport(len(due), runs)


def _verdict(lake: Lake, row: Sequence[Any]) -> TaskResult:
    _, _, name, gold_file, _, prediction_file, problem, body = row
    config = parse_config(body.encode(), name)
    prediction: bytes | Unusable | None
    if prediction_file == "missing":
        prediction = None
    elif prediction_file == "unusable":
        prediction = Unusable(problem)
    else:
        prediction = lake.artifacts.path(prediction_file).read_bytes()
    return task_result(config, lake.artifacts.path(gold_file).read_bytes(), prediction)


def _commit(
    cursor: duckdb.DuckDBPyConnection, batch: list[tuple[Any, ...]], results: list[TaskResult]
) -> tuple[int, dict[str, Any] | None]:
    still = {
        (row[0], row[1], row[4], row[5])
        for row in cursor.execute(query("score/due"), [EVALUATOR_VERSION, None]).fetchall()
    }
    rows = [
        {
            "run": run, "task": task, "task_name": name, "evaluator_version": EVALUATOR_VERSION,
            "config_digest": digest,
            "gold_file": gold, "prediction_file": prediction, "passed": result.passed, "error_code": result.error_code,
            "message": result.message or None,
            "column_mapping": [place for _, place in result.column_mapping] if result.column_mapping else None,
            "gold_row_count": result.gold_row_count, "prediction_row_count": result.prediction_row_count,
            "gold_column_count": result.gold_column_count, "prediction_column_count": result.prediction_column_count,
            "undecided": result.undecided,
        }
        for (run, task, name, gold, digest, prediction, _, _), result in zip(batch, results, strict=True)
        if (run, task, digest, prediction) in still
    ]  # fmt: skip
    if not rows:
        return 0, None
    append(cursor, "score.task_result", rows)
    return len(rows), {"scored": len(rows), "passed": sum(bool(row["passed"]) for row in rows)}
