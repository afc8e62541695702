"""The rendering stage: workspaces, frozen gold and a draft evaluation configuration for each accepted instance."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import duckdb

from builder.render.certificate import why_not_rebuilt
from builder.render.workspace import NotRendered, Workspace, make_workspace
from eval_sql.draft import draft_config, gold_csv
from eval_sql.store import config_rows, table_rows
from warehouse.ids import derive_seed
from warehouse.lake import Lake, append
from warehouse.queries import query
from warehouse.sqlite_file import open_immutable
from warehouse.sqlite_run import QueryFailed, run_query
from warehouse.sqlite_schema import inspect
from warehouse.status import require_corpus

BATCH = 48

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class RenderReport:
    """What a call did: tasks rendered, rejected (by code), and how many had been done before."""

    accepted: int
    rejected: int
    codes: dict[str, int]
    done_before: int


@dataclass(frozen=True)
class _Item:
    """One rendered task, or the reason why it is none."""

    task: str
    name: str
    corpus: str
    attempt: int
    seed: int
    gold: str
    workspace: Workspace | None = None
    config: dict[str, Any] | None = None
    code: str | None = None
    message: str | None = None


def render(
    lake: Lake, *, corpus: str | None = None, limit: int | None = None, progress: Progress | None = None
) -> RenderReport:
    """Render the accepted instances of a corpus (or of the lake) that have no workspace yet, at most `limit`.

    The gold is frozen as sampled, after the gold SQL has given it again, on the instance and on what the files alone
    give; its configuration is drafted from its values.
    Raises BenchlakeError when the corpus does not exist.
    """
    require_corpus(lake, corpus)
    pending = lake.rows(query("render/pending"), [corpus])
    total = lake.rows(
        "SELECT count(*) FROM sampling.instance WHERE status = 'accepted' AND ($1 IS NULL OR corpus = $1)", [corpus]
    )[0][0]
    done_before = total - len(pending)
    if limit is not None:
        pending = pending[:limit]
    accepted = done = 0
    codes: dict[str, int] = {}
    with lake.at_work():
        for start in range(0, len(pending), BATCH):
            rows = pending[start : start + BATCH]
            items = [_render_one(lake, row) for row in rows]
            for item in lake.commit("render", partial(_commit, lake, batch=items)):
                accepted += item.code is None
                if item.code is not None:
                    codes[item.code] = codes.get(item.code, 0) + 1
            done += len(rows)
            if progress:
                progress(done, len(pending))
    return RenderReport(accepted, sum(codes.values()), dict(sorted(codes.items())), done_before)


def _render_one(lake: Lake, row: Sequence[Any]) -> _Item:
    task, attempt, number, corpus, db_id, sql, artifact, gold, ordered, base_seed = row
    name = f"task_{number}"
    seed = derive_seed(base_seed, "render", task, attempt)
    instance = lake.artifacts.path(artifact)
    try:
        workspace = make_workspace(lake, instance, seed, db_id)
    except NotRendered as error:
        return _Item(task, name, corpus, attempt, seed, gold, code="no_representation", message=str(error))
    connection = open_immutable(instance)
    try:
        answer = run_query(connection, sql)
        schema = inspect(connection)
    except QueryFailed as error:
        return _Item(task, name, corpus, attempt, seed, gold, code="gold_not_repeatable", message=str(error))
    finally:
        connection.close()
    frozen = lake.artifacts.path(gold).read_bytes()
    if gold_csv(answer.names, answer.rows) != frozen:
        message = "the gold SQL gives another answer when it runs again: it depends on more than the data"
        return _Item(task, name, corpus, attempt, seed, gold, code="gold_not_repeatable", message=message)
    config = draft_config(name, answer.names, answer.rows, ordered)
    problem = why_not_rebuilt(lake, workspace, schema, sql, config, frozen)
    if problem is not None:
        return _Item(task, name, corpus, attempt, seed, gold, code="gold_not_rebuilt", message=problem)
    return _Item(task, name, corpus, attempt, seed, gold, workspace, config)


def _commit(
    lake: Lake, cursor: duckdb.DuckDBPyConnection, batch: list[_Item]
) -> tuple[list[_Item], dict[str, Any] | None]:
    pending = {row[0] for row in cursor.execute(query("render/pending"), [None]).fetchall()}
    items = [item for item in batch if item.task in pending]
    if not items:
        return [], None
    made = [
        (item, item.workspace, item.config) for item in items if item.workspace is not None and item.config is not None
    ]
    append(cursor, "workspace.task_version", [
        {
            "task": item.task, "version": 1, "task_name": item.name, "attempt": item.attempt, "seed": item.seed,
            "artifact_count": len(space.artifacts), "bytes": sum(file.bytes for file in space.artifacts),
        }
        for item, space, _ in made
    ])  # fmt: skip
    append(cursor, "workspace.artifact", [
        {
            "task": item.task, "version": 1, "path": file.path, "format": file.format, "artifact": file.digest,
            "bytes": file.bytes, "row_count": file.rows,
        }
        for item, space, _ in made
        for file in space.artifacts
    ])  # fmt: skip
    append(cursor, "workspace.representation", [
        {
            "task": item.task, "version": 1, "table_name": rep.table, "path": rep.path, "format": rep.format,
            "row_count": rep.rows, "relation_hash": rep.relation_hash,
            "column_types": json.dumps(rep.column_types, ensure_ascii=False),
            "tried": json.dumps(rep.tried, ensure_ascii=False, sort_keys=True),
        }
        for item, space, _ in made
        for rep in space.representations
    ])  # fmt: skip
    append(
        cursor,
        "evaluation.gold",
        [{"task": item.task, "task_name": item.name, "file": item.gold} for item, _, _ in made],
    )
    table_rows(cursor, {item.gold: lake.artifacts.path(item.gold).read_bytes() for item, _, _ in made})
    config_rows(cursor, [(item.task, 1, "draft", config) for item, _, config in made])
    append(cursor, "ledger.outcome", [
        {
            "stage": "render", "item": item.task, "corpus": item.corpus,
            "status": "accepted" if item.code is None else "rejected", "code": item.code, "message": item.message,
        }
        for item in items
    ])  # fmt: skip
    return items, {"accepted": len(made), "rejected": len(items) - len(made)}
