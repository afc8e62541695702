"""The sampling stage: pending questions in batches, K attempts each, one commit a batch (DataSpace Algorithm 4)."""

import hashlib
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import duckdb
import pyarrow as pa

from builder.sample.gold import Refused, SourceAnswer, read_gold_sql, source_answer
from builder.sample.instance import Attempt, Source, make_instance
from builder.sample.policy import Policy
from builder.sample.select import Selector
from ibis_ops.query.outline import Outline
from warehouse.ids import content_id, derive_seed
from warehouse.lake import Lake, append
from warehouse.queries import query
from warehouse.sqlite_file import open_immutable
from warehouse.sqlite_schema import inspect
from warehouse.status import require_corpus

BATCH = 48

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class SampleReport:
    """What a call did: questions sampled, rejected (by code), and how many had been decided before."""

    accepted: int
    rejected: int
    codes: dict[str, int]
    decided_before: int


@dataclass
class _Item:
    """A question on its way through the attempts."""

    question: str
    task: str
    corpus: str
    db: str
    sql: str
    before: int
    found: Outline | None = None
    whole: SourceAnswer | None = None
    code: str | None = None
    message: str | None = None
    final: bool = False
    instances: list[dict[str, object]] = field(default_factory=list)
    checks: list[dict[str, object]] = field(default_factory=list)
    rows: pa.Table | None = None

    def refuse(self, error: Refused) -> None:
        self.code, self.message, self.final = error.code, str(error), error.final

    @property
    def accepted(self) -> bool:
        return self.rows is not None


def sample(
    lake: Lake, policy: Policy, *, corpus: str | None = None, limit: int | None = None, progress: Progress | None = None
) -> SampleReport:
    """Sample an instance for every pending question of a corpus (or of the lake), at most `limit` of them.

    Every question ends accepted or rejected with a code. A question accepted before is left alone; one rejected under
    another policy is tried again. Seeds depend on the policy, the question and the attempt alone, so batches, order and
    interruptions change nothing. Raises BenchlakeError when the corpus does not exist.
    """
    require_corpus(lake, corpus)
    pending = lake.rows(query("sample/pending"), [policy.id, corpus])
    total = lake.rows(
        "SELECT count(*) FROM ledger.outcome "
        "WHERE stage = 'ingest' AND status = 'accepted' AND ($1 IS NULL OR corpus = $1)",
        [corpus],
    )[0][0]
    decided_before = total - len(pending)
    if limit is not None:
        pending = pending[:limit]
    done = accepted = 0
    codes: dict[str, int] = {}
    with lake.at_work():
        for _, rows in groupby(pending, key=lambda row: row[4]):
            for batch in _database_batches(lake, policy, list(rows)):
                for item in lake.commit("sample", _Commit(lake, policy, batch)):
                    accepted += item.accepted
                    if not item.accepted:
                        codes[str(item.code)] = codes.get(str(item.code), 0) + 1
                done += len(batch)
                if progress:
                    progress(done, len(pending))
    return SampleReport(accepted, sum(codes.values()), dict(sorted(codes.items())), decided_before)


def _database_batches(lake: Lake, policy: Policy, rows: list[tuple[Any, ...]]) -> Iterator[list[_Item]]:
    """Work through the pending questions of one database."""
    db = str(rows[0][4])
    artifact = lake.rows("SELECT artifact FROM source.db WHERE db = ?", [db])[0][0]
    kept = {
        row[0] for row in lake.rows("SELECT table_name FROM source.db_table WHERE db = ? AND refused IS NULL", [db])
    }
    path = lake.artifacts.path(artifact)
    connection = open_immutable(path)
    selector = Selector(lake, db)
    try:
        schema = inspect(connection)
        source = Source(path, schema, tuple(table for table in schema.tables if table.name in kept))
        answers: dict[str, SourceAnswer | Refused] = {}
        for start in range(0, len(rows), BATCH):
            batch = [
                _Item(question, content_id("task", question=question), in_corpus, db, sql, before)
                for question, _, in_corpus, _, _, _, sql, before in rows[start : start + BATCH]
            ]
            for item in batch:
                _read(item, connection, answers)
            for attempt in range(1, policy.attempts + 1):
                trying = [item for item in batch if not item.accepted and not item.final]
                if trying:
                    _try(lake, policy, source, selector, trying, attempt)
            yield batch
    finally:
        selector.close()
        connection.close()


def _read(item: _Item, connection: sqlite3.Connection, answers: dict[str, SourceAnswer | Refused]) -> None:
    """Outline the gold SQL and run it on the source; equal SQL runs once."""
    try:
        item.found = read_gold_sql(item.sql)
        if item.sql not in answers:
            try:
                answers[item.sql] = source_answer(connection, item.sql)
            except Refused as error:
                answers[item.sql] = error
        answer = answers[item.sql]
        if isinstance(answer, Refused):
            raise answer
        item.whole = answer
    except Refused as error:
        item.refuse(error)


def _try(lake: Lake, policy: Policy, source: Source, selector: Selector, items: list[_Item], attempt: int) -> None:
    seeds = {item.task: derive_seed(policy.seed, "sample", item.question, attempt) for item in items}
    selection = selector.select(list(seeds.items()), policy)
    for item in items:
        made = Attempt()
        rows = selection.of(item.task)
        assert item.found is not None and item.whole is not None
        try:
            make_instance(
                lake, source, rows, selection.violations.get(item.task, {}), item.sql, item.found, item.whole, made
            )
            item.code = item.message = None
            item.rows = pa.concat_tables(rows.values()) if rows else selection.rows.slice(0, 0)
        except Refused as error:
            item.refuse(error)
        number = item.before + attempt
        item.instances.append({
            "task": item.task, "attempt": number, "question": item.question, "db": item.db, "corpus": item.corpus,
            "policy": policy.id, "seed": seeds[item.task], "status": "accepted" if item.accepted else "failed",
            "code": item.code, "message": item.message, "artifact": made.artifact, "row_count": made.row_count,
            "gold_artifact": made.gold_artifact, "gold_rows": made.gold_rows,
            "gold_columns": made.gold_columns, "source_rows": item.whole.rows, "order_sensitive": item.found.ordered,
            "sql_hash": hashlib.sha256(item.sql.encode()).hexdigest(),
        })  # fmt: skip
        item.checks += [
            {"task": item.task, "attempt": number, "name": name, "held": held, "detail": detail}
            for name, held, detail in made.checks
        ]


class _Commit:
    """One batch's transaction: what another process has decided meanwhile is left as it is."""

    def __init__(self, lake: Lake, policy: Policy, batch: list[_Item]) -> None:
        self.lake = lake
        self.policy = policy
        self.batch = batch

    def __call__(self, cursor: duckdb.DuckDBPyConnection) -> tuple[list[_Item], dict[str, Any] | None]:
        pending = {row[0] for row in cursor.execute(query("sample/pending"), [self.policy.id, None]).fetchall()}
        items = [item for item in self.batch if item.question in pending]
        if not items:
            return [], None
        if not cursor.execute("SELECT 1 FROM sampling.policy WHERE policy = ?", [self.policy.id]).fetchone():
            append(cursor, "sampling.policy", [{"policy": self.policy.id, "body": self.policy.body}])
        cursor.execute(
            "DELETE FROM ledger.outcome WHERE stage = 'sample' AND list_contains(?, item)",
            [[i.question for i in items]],
        )
        append(cursor, "sampling.instance", [row for item in items for row in item.instances])
        append(cursor, "sampling.check_result", [row for item in items for row in item.checks])
        self._add_rows(cursor, items)
        append(cursor, "ledger.outcome", [
            {
                "stage": "sample", "item": item.question, "corpus": item.corpus, "policy": self.policy.id,
                "status": "accepted" if item.accepted else "rejected", "code": item.code, "message": item.message,
            }
            for item in items
        ])  # fmt: skip
        accepted = sum(item.accepted for item in items)
        return items, {"accepted": accepted, "rejected": len(items) - accepted, "policy": self.policy.id}

    def _add_rows(self, cursor: duckdb.DuckDBPyConnection, items: list[_Item]) -> None:
        chosen = [
            item.rows.append_column(
                "attempt", pa.array([item.instances[-1]["attempt"]] * item.rows.num_rows, pa.int32())
            )
            for item in items
            if item.rows is not None
        ]
        if chosen:
            cursor.register("chosen", pa.concat_tables(chosen))
            cursor.execute(
                "INSERT INTO sampling.selected_row BY NAME SELECT * FROM chosen ORDER BY task, table_name, _rowid"
            )
            cursor.unregister("chosen")
