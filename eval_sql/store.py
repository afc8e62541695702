"""Table files and configurations as lake rows."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import duckdb

from eval_sql.config import parse_config
from eval_sql.tables import store_tables
from warehouse.ids import canonical_json
from warehouse.lake import append

# Bytes of files stored together; their distinct cells are in memory once.
_BATCH_BYTES = 128 << 20


def table_rows(cursor: duckdb.DuckDBPyConnection, files: Mapping[str, bytes]) -> None:
    """Store files, given by digest, as rows, unless they are there; inside the caller's transaction.

    A file that is no readable table gets a row in evaluation.table_file that says why, and no rows.
    """
    known = {row[0] for row in cursor.execute("SELECT file FROM evaluation.table_file").fetchall()}
    batch: list[tuple[str, bytes]] = []
    size = 0
    for digest, data in files.items():
        if digest in known:
            continue
        batch.append((digest, data))
        size += len(data)
        if size >= _BATCH_BYTES:
            store_tables(cursor, batch)
            batch, size = [], 0
    if batch:
        store_tables(cursor, batch)


def config_rows(cursor: duckdb.DuckDBPyConnection, configs: Sequence[tuple[str, int, str, dict[str, Any]]]) -> None:
    """Store (task, version, origin, configuration) rows, inside the caller's transaction."""
    heads: list[dict[str, object]] = []
    columns: list[dict[str, object]] = []
    for task, version, origin, body in configs:
        text = canonical_json(body)
        config = parse_config(json.dumps(body).encode(), body["task_id"])
        heads.append({
            "task": task, "version": version, "task_name": config.task_id, "order_sensitive": config.order_sensitive,
            "origin": origin, "body": text, "digest": hashlib.sha256(text.encode()).hexdigest(),
        })  # fmt: skip
        columns += [
            {
                "task": task, "version": version, "gold_index": rule.gold_index, "gold_name": rule.gold_name,
                "type": rule.type, "mode": rule.mode, "digits": rule.digits, "unit": rule.unit,
                "allow_percent_sign": rule.allow_percent_sign,
            }
            for rule in config.columns
        ]  # fmt: skip
    append(cursor, "evaluation.config", heads)
    append(cursor, "evaluation.config_column", columns)
