"""The private record of a task, and what it proves: relations rebuilt from the workspace files alone give the gold."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from builder.render.workspace import TEXT_FORMATS, Workspace
from eval_sql.config import parse_config
from eval_sql.draft import gold_csv
from eval_sql.suite import task_result
from warehouse.errors import BenchlakeError
from warehouse.ids import canonical_json, quote
from warehouse.lake import Lake
from warehouse.queries import query
from warehouse.sqlite_build import NotBuilt, copy_table, open_target, run_definition
from warehouse.sqlite_file import bound_computed, open_immutable
from warehouse.sqlite_run import Answer, QueryFailed, run_query
from warehouse.sqlite_schema import Schema, inspect

Record = dict[str, Any]


def task_records(lake: Lake, corpus: str | None = None) -> Iterator[tuple[str, Record]]:
    """(task name, private record) of the rendered tasks of a corpus or of the lake, in order of number.

    The record holds the gold SQL, and for each table its file, format, cell types and definition: what a release keeps
    apart from the workspace.
    """
    tasks = lake.rows(query("render/records"), [corpus])
    places: dict[str, dict[str, tuple[str, str, str]]] = {}
    for task, table, path, form, types in lake.rows(query("render/places"), [corpus]):
        places.setdefault(task, {})[table] = (path, form, types)
    for task, name, sql, artifact in tasks:
        connection = open_immutable(lake.artifacts.path(artifact))
        try:
            schema = inspect(connection)
        finally:
            connection.close()
        files = {table: (path, form, json.loads(types)) for table, (path, form, types) in places[task].items()}
        yield name, _record(name, sql, schema, files)


def _record(name: str, sql: str, schema: Schema, files: Mapping[str, tuple[str, str, Any]]) -> Record:
    """The record of one task; `files` gives (path, format, cell types) by table name."""
    return {
        "task_id": name, "sql": sql, "encoding": schema.encoding, "computes": schema.computes,
        "tables": [
            {
                "name": table.name, "definition": table.sql, "path": files[table.name][0],
                "format": files[table.name][1], "columns": files[table.name][2],
            }
            for table in schema.tables
        ],
        "views": [item.sql for item in schema.definitions if item.kind == "view"],
    }  # fmt: skip


def why_not_rebuilt(
    lake: Lake, workspace: Workspace, schema: Schema, sql: str, config: dict[str, Any], gold: bytes
) -> str | None:
    """Why the files of a new workspace do not give the gold back, in one sentence; None when they do.

    The relations are rebuilt from the files alone, without the indexes and row ids of the instance, and the gold SQL's
    answer on them must pass under the task's configuration. What fails here hangs on more than the data: on LIMIT
    without a full order, on the plan that an index brings, or on SQLite's own tables.
    """
    name = config["task_id"]
    places = {rep.table: (rep.path, rep.format, rep.column_types) for rep in workspace.representations}
    with lake.artifacts.scratch() as folder:
        context = Path(folder) / "context"
        context.mkdir()
        for file in workspace.artifacts:
            (context / file.path).symlink_to(lake.artifacts.path(file.digest).absolute())
        try:
            answer = answer_from_files(context, _record(name, sql, schema, places), Path(folder) / "rebuilt.sqlite")
            given = gold_csv(answer.names, answer.rows)
        except (BenchlakeError, QueryFailed) as error:
            # Where the scratch folder lies is no part of an outcome.
            return f"the gold SQL has no answer on the workspace's files: {error}".replace(str(context), "context")
    if given == gold:
        return None
    verdict = task_result(parse_config(canonical_json(config).encode(), name), gold, given)
    if verdict.passed:
        return None
    return f"on the workspace's files the gold SQL gives another answer ({verdict.error_code})"


def rebuild(context: Path, record: Record, target: Path, formats: frozenset[str] | None = None) -> None:
    """Rebuild a task's database at `target` from the files in `context` and the private record.

    With `formats`, only files of these are read and other tables are left out. Raises BenchlakeError naming the file
    that is missing or does not parse.
    """
    tables = [t for t in record["tables"] if formats is None or t["format"] in formats]
    databases = sorted({table["path"] for table in tables if table["format"] == "sqlite"})
    try:
        connection = open_target(target, record["encoding"], [context / path for path in databases])
    except sqlite3.Error as error:
        raise BenchlakeError(f"{context}: {', '.join(databases)} cannot be opened ({error})") from error
    try:
        if record["computes"]:
            bound_computed(connection)
        for table in tables:
            path = context / table["path"]
            try:
                run_definition(connection, f"table {table['name']}", table["definition"])
                if table["format"] == "sqlite":
                    _copy_from(connection, path, f"source{databases.index(table['path'])}", table["name"])
                else:
                    _insert(connection, path, table)
            except (OSError, ValueError, NotBuilt, sqlite3.Error) as error:
                raise BenchlakeError(f"{path}: does not give table {table['name']} back ({error})") from error
        if formats is None:
            for view in record["views"]:
                try:
                    run_definition(connection, "view", view)
                except NotBuilt as error:
                    raise BenchlakeError(f"{context}: a definition of the record does not run ({error})") from error
        connection.execute("COMMIT")
    finally:
        connection.close()


def answer_from_files(context: Path, record: Record, scratch: Path, formats: frozenset[str] | None = None) -> Answer:
    """Rebuild the relations from the workspace files and run the gold SQL on them.

    `scratch` is a path for the database, which is made anew and removed. Raises BenchlakeError as `rebuild`, and
    QueryFailed.
    """
    try:
        rebuild(context, record, scratch, formats)
        connection = open_immutable(scratch)
        try:
            return run_query(connection, record["sql"])
        finally:
            connection.close()
    finally:
        scratch.unlink(missing_ok=True)


def _copy_from(connection: sqlite3.Connection, path: Path, database: str, name: str) -> None:
    source = open_immutable(path)
    try:
        table = inspect(source).table(name)
    finally:
        source.close()
    if table is None:
        raise ValueError(f"it has no table {name}")
    copy_table(connection, database, table)


def _insert(connection: sqlite3.Connection, path: Path, table: Record) -> None:
    types = tuple(kind for _, kind in table["columns"])
    relation = TEXT_FORMATS[table["format"]].read(path.read_bytes(), table["name"], types)
    generated = {
        row[1] for row in connection.execute(f"PRAGMA main.table_xinfo({quote(table['name'])})") if row[6] in (2, 3)
    }
    stored = [place for place, name in enumerate(relation.columns) if name not in generated]
    columns = ", ".join(quote(relation.columns[place]) for place in stored)
    marks = ", ".join("?" * len(stored))
    connection.executemany(
        f"INSERT INTO main.{quote(table['name'])} ({columns}) VALUES ({marks})",
        ([row[place] for place in stored] for row in relation.rows),
    )
