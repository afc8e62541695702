"""Table files and configurations as lake rows."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import duckdb
import pyarrow as pa

from eval_sql.config import parse_config
from eval_sql.table_csv import NotATable, read_table
from warehouse.ids import canonical_json
from warehouse.lake import Lake, append

ROW_SCHEMA = pa.schema([("file", pa.string()), ("row", pa.int64()), ("cells", pa.list_(pa.string()))])


def table_rows(lake: Lake, cursor: duckdb.DuckDBPyConnection, digests: Sequence[str]) -> None:
    """Store the files with these digests as rows, once each, inside the caller's transaction.

    A file that is no readable table gets a row in evaluation.table_file that says why, and no rows.
    """
    known = {
        row[0]
        for row in cursor.execute(
            "SELECT file FROM evaluation.table_file WHERE list_contains(?, file)", [list(digests)]
        ).fetchall()
    }
    files: list[dict[str, object]] = []
    for digest in dict.fromkeys(digests):
        if digest in known:
            continue
        try:
            table = read_table(lake.artifacts.path(digest).read_bytes())
        except NotATable as error:
            files.append({"file": digest, "problem": f"{error.code}: {error}"})
            continue
        columns = [[column.texts[place] for place in column.index] for column in table.columns]
        files.append({
            "file": digest, "header": table.header, "row_count": table.row_count, "column_count": len(columns),
        })  # fmt: skip
        rows = pa.table(
            [[digest] * table.row_count, range(table.row_count), list(zip(*columns, strict=True))], schema=ROW_SCHEMA
        )
        cursor.register("rows_of_file", rows)
        cursor.execute("INSERT INTO evaluation.table_row SELECT * FROM rows_of_file ORDER BY row")
        cursor.unregister("rows_of_file")
    append(cursor, "evaluation.table_file", files)


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
