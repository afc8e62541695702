"""Ingest of a suite made elsewhere: gold tables and configurations, to score runs against."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from eval_sql.config import Config, canonical_config
from eval_sql.evaluate import Case, evaluate
from eval_sql.store import config_rows, table_rows
from eval_sql.suite import read_suite
from warehouse.errors import BenchlakeError
from warehouse.ids import content_id
from warehouse.lake import Lake, append

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class SuiteReport:
    """Tasks of the suite, and how many of them are new in the lake."""

    tasks: int
    new: int


def ingest_suite(lake: Lake, gold: Path, configs: Path, corpus: str, progress: Progress | None = None) -> SuiteReport:
    """Take gold/task_N/gold.csv for every configs/task_N.json as the tasks of a corpus, in one commit.

    Doing it again changes nothing. Raises BenchlakeError for what `score_folders` refuses, for a gold that its
    configuration cannot read, and for a task that the corpus has with another gold; nothing is kept then. Another
    configuration of a known task comes in force as a new version.
    """
    if lake.rows("SELECT 1 FROM source.db WHERE corpus = ? LIMIT 1", [corpus]):
        raise BenchlakeError(f"the corpus {corpus!r} has databases of its own: name the suite otherwise")
    _, suite = read_suite(gold, configs, progress)
    evaluate([Case(config, data, None) for config, data in suite])
    with lake.at_work():
        files = lake.artifacts.put_all([data for _, data in suite])
        tasks = [(content_id("suite_task", corpus=corpus, task=config.task_id), config) for config, _ in suite]
        contents = dict(zip(files, (data for _, data in suite), strict=True))
        return lake.commit("suite", lambda cursor: _commit(cursor, corpus, tasks, files, contents))


def _commit(
    cursor: duckdb.DuckDBPyConnection,
    corpus: str,
    tasks: list[tuple[str, Config]],
    files: list[str],
    contents: dict[str, bytes],
) -> tuple[SuiteReport, dict[str, Any] | None]:
    known = dict(cursor.execute("SELECT task, file FROM evaluation.gold").fetchall())
    bodies = {
        task: (version, json.loads(body))
        for task, version, body in cursor.execute(
            "SELECT task, max(version), max_by(body, version) FROM evaluation.config GROUP BY task"
        ).fetchall()
    }
    new: list[dict[str, object]] = []
    configs: list[tuple[str, int, str, dict[str, Any]]] = []
    for (task, config), file in zip(tasks, files, strict=True):
        if known.get(task, file) != file:
            raise BenchlakeError(f"the corpus {corpus!r} has {config.task_id} with another gold: name another corpus")
        if task not in known:
            new.append({"task": task, "task_name": config.task_id, "corpus": corpus, "file": file})
        version, body = bodies.get(task, (0, None))
        if body != canonical_config(config):
            configs.append((task, version + 1, "supplied", canonical_config(config)))
    append(cursor, "evaluation.suite_task", [{k: row[k] for k in ("task", "task_name", "corpus")} for row in new])
    append(cursor, "evaluation.gold", [{k: row[k] for k in ("task", "task_name", "file")} for row in new])
    config_rows(cursor, configs)
    table_rows(cursor, {file: contents[file] for file in (str(row["file"]) for row in new)})
    report = SuiteReport(len(tasks), len(new))
    return report, {"corpus": corpus, "tasks": report.new, "configs": len(configs)} if new or configs else None
