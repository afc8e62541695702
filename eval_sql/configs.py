"""Evaluation configurations of the lake: shown, and edited by a person."""

import json
from pathlib import Path
from typing import Any

import duckdb

from eval_sql.config import canonical_config, parse_config
from eval_sql.store import config_rows
from eval_sql.suite import task_result
from warehouse.errors import BenchlakeError
from warehouse.lake import Lake
from warehouse.small_files import read_small

MAX_CONFIG_BYTES = 1 << 20


def show_config(lake: Lake, task: str) -> dict[str, Any]:
    """The configuration in force of a task, given by id or name. Raises BenchlakeError for an unknown task."""
    rows = lake.rows(
        "SELECT c.body FROM evaluation.task t "
        "JOIN evaluation.config c ON c.task = t.task AND c.version = t.config_version "
        "WHERE t.task = $1 OR t.task_name = $1",
        [task],
    )
    if not rows:
        raise BenchlakeError(f"the lake has no task {task!r}; the view evaluation.task lists those it has")
    if len(rows) > 1:
        raise BenchlakeError(f"{len(rows)} tasks are called {task!r}; give the id, which the view evaluation.task has")
    body: dict[str, Any] = json.loads(rows[0][0])
    return body


def edit_config(lake: Lake, task: str, file: Path) -> bool:
    """Put a task's configuration from a JSON file in force as a new version; False when it is in force already.

    The task's gold must be readable under it and equal to itself. Raises BenchlakeError otherwise; nothing is changed.
    """
    data = read_small(file, MAX_CONFIG_BYTES)
    current = show_config(lake, task)
    try:
        config = parse_config(data, current["task_id"])
    except BenchlakeError as error:
        # The reader names the file that a release would hold; here the user gave another one.
        raise BenchlakeError(f"{file}: {str(error).removeprefix(current['task_id'] + '.json: ')}") from error
    if any(not _is_text(rule.gold_name) for rule in config.columns):
        raise BenchlakeError(f"{file}: a gold_name holds half of a character (a lone surrogate)")
    body = canonical_config(config)
    if body == canonical_config(parse_config(json.dumps(current).encode(), current["task_id"])):
        return False
    key, gold = lake.rows("SELECT task, gold_file FROM evaluation.task WHERE task = $1 OR task_name = $1", [task])[0]
    csv = lake.artifacts.path(gold).read_bytes()
    if not task_result(config, csv, csv).passed:
        raise BenchlakeError(f"{file}: the gold of {current['task_id']} does not fit this configuration")

    def work(cursor: duckdb.DuckDBPyConnection) -> tuple[bool, dict[str, Any] | None]:
        row = cursor.execute("SELECT max(version) FROM evaluation.config WHERE task = ?", [key]).fetchone()
        version = int(row[0]) + 1 if row else 1
        config_rows(cursor, [(key, version, "edited", body)])
        return True, {"task": key, "version": version}

    return lake.commit("config", work)


def _is_text(name: str) -> bool:
    return not any("\ud800" <= c <= "\udfff" for c in name)
