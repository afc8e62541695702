"""One attempt at a task's instance: build the database, check it, run the gold."""

import sqlite3
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from builder.sample.gold import Refused, SourceAnswer, gold_on_instance, refuse_hidden_in_gold
from ibis_ops.query.outline import Outline
from warehouse.ids import quote
from warehouse.lake import Lake
from warehouse.shown import plural
from warehouse.sqlite_build import NotBuilt, build_database
from warehouse.sqlite_file import open_immutable
from warehouse.sqlite_schema import Schema, Table


@dataclass
class Attempt:
    """What an attempt made and saw: artifact digests, counts, and (name, held, detail) of each check."""

    artifact: str | None = None
    gold_artifact: str | None = None
    row_count: int = 0
    gold_rows: int | None = None
    gold_columns: int | None = None
    checks: list[tuple[str, bool, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Source:
    """An ingested database at hand: its file, its schema, and the tables that were kept."""

    path: Path
    schema: Schema
    tables: tuple[Table, ...]


def make_instance(
    lake: Lake,
    source: Source,
    rows: dict[str, pa.Table],
    broken: dict[tuple[str, int], int],
    sql: str,
    found: Outline,
    whole: SourceAnswer,
    attempt: Attempt,
) -> None:
    """Build and check one instance, filling `attempt`. Raises Refused with the code of the first check that fails."""
    wanted = {name: table["_rowid"].to_pylist() for name, table in rows.items()}
    with lake.artifacts.scratch() as folder:
        target = Path(folder) / "instance.sqlite"
        try:
            counts = build_database(target, source.path, source.schema, source.tables, wanted)
        except NotBuilt as error:
            attempt.checks.append(("inventory", False, str(error)))
            raise Refused("instance_not_built", str(error), final=False) from error
        connection = open_immutable(target)
        try:
            _check_structure(connection, source, wanted, counts, broken, attempt)
            answer, csv = gold_on_instance(connection, sql, found, whole)
            refuse_hidden_in_gold(target, source.schema, sql)
        except Refused as refused:
            if refused.code.startswith("degenerate"):
                attempt.checks.append(("degenerate", False, str(refused)))
            elif refused.code.startswith("gold"):
                attempt.checks.append(("execution", False, str(refused)))
            raise
        finally:
            connection.close()
        attempt.checks.append(
            ("execution", True, f"{plural(len(answer.rows), 'row')}, {plural(len(answer.names), 'column')}")
        )
        attempt.row_count = sum(counts.values())
        attempt.gold_rows, attempt.gold_columns = len(answer.rows), len(answer.names)
        attempt.artifact = lake.artifacts.put_file(target, move=True)
        attempt.gold_artifact = lake.artifacts.put_bytes(csv)


def _check_structure(
    connection: sqlite3.Connection,
    source: Source,
    wanted: dict[str, list[int]],
    counts: dict[str, int],
    broken: dict[tuple[str, int], int],
    attempt: Attempt,
) -> None:
    there = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    absent = [table.name for table in source.tables if table.name not in there]
    _note(
        attempt, "inventory", not absent, f"missing tables: {absent}" if absent else plural(len(source.tables), "table")
    )
    lost = {name: len(ids) for name, ids in wanted.items() if counts.get(name) != len(ids)}
    _note(
        attempt,
        "row_counts",
        not lost,
        f"rows lost on insertion: {lost}" if lost else plural(sum(counts.values()), "row"),
    )
    found = _violations(connection, source)
    new = {key: count for key, count in found.items() if count != broken.get(key, 0)}
    _note(
        attempt,
        "foreign_keys",
        not new,
        f"violations that the source rows lack: {new}" if new else "none that the source rows lack",
    )


def _note(attempt: Attempt, name: str, held: bool, detail: str) -> None:
    attempt.checks.append((name, held, detail))
    if not held:
        raise Refused(f"check_{name}", detail, final=False)


def _violations(connection: sqlite3.Connection, source: Source) -> dict[tuple[str, int], int]:
    """Rows that break a declared foreign key, by (table, SQLite's number of the key).

    Tables with a key that SQLite cannot enforce are passed over: it refuses to check them at all.
    """
    found: dict[tuple[str, int], int] = {}
    for table in source.tables:
        if not table.foreign_keys or any(key.problem for key in table.foreign_keys):
            continue
        rows = connection.execute(f"PRAGMA foreign_key_check({quote(table.name)})").fetchall()
        for _, _, _, position in rows:
            found[(table.name, position)] = found.get((table.name, position), 0) + 1
    return found
