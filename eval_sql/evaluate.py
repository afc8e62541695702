"""Verdicts on tables at hand, without a lake: a DuckDB in memory holds what a lake would (evaluator.md)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from eval_sql import pairs
from eval_sql.bulk_csv import Shape
from eval_sql.columns import integers, lent, strings, table
from eval_sql.config import Config
from eval_sql.result import TaskResult, Unusable
from eval_sql.rules import rule_tables
from eval_sql.tables import store_tables
from warehouse.errors import BenchlakeError
from warehouse.queries import query


@dataclass(frozen=True, slots=True)
class Case:
    """One task to be judged: its configuration, the bytes of its gold, and those of the prediction (None: none)."""

    config: Config
    gold: bytes
    prediction: bytes | Unusable | None


def task_result(config: Config, gold: bytes, prediction: bytes | Unusable | None) -> TaskResult:
    """The verdict on one task; `evaluate` judges many in the time of a few."""
    return evaluate([Case(config, gold, prediction)])[0]


def evaluate(cases: Sequence[Case]) -> list[TaskResult]:
    """The verdicts on the cases, in their order.

    Raises BenchlakeError when a gold table cannot be read; a prediction that cannot is a failed task.
    """
    if not cases:
        return []
    with duckdb.connect() as connection:
        connection.execute(query("score/memory"))
        pairs.prepare(connection)
        _fill(connection, cases)
        connection.execute(query("score/pairs"))
        pairs.read_columns(connection)
        _check_gold(connection, cases)
        pairs.compare(connection)
        connection.execute(query("score/verdicts"))
        rows = connection.execute("SELECT * FROM new_verdict ORDER BY pair_id").fetchall()
    return [_result(case, *row[1:]) for case, row in zip(cases, rows, strict=True)]


def _fill(connection: duckdb.DuckDBPyConnection, cases: Sequence[Case]) -> None:
    """The tables, rules and pairs of the cases."""
    gold = [_digest(case.gold) for case in cases]
    predictions = [_digest(case.prediction) if isinstance(case.prediction, bytes) else "" for case in cases]
    files = dict(zip(gold, (case.gold for case in cases), strict=True))
    golds: dict[str, set[str]] = {}
    for case, wanted, found in zip(cases, gold, predictions, strict=True):
        if isinstance(case.prediction, bytes):
            files.setdefault(found, case.prediction)
            golds.setdefault(found, set()).add(wanted)
    order = list(files)
    is_gold = set(gold)
    shapes: dict[str, tuple[int, int]] = {}

    def comparable(place: int, shape: Shape) -> bool:
        digest = order[place]
        if digest in is_gold:
            shapes[digest] = shape.width, shape.row_count
            return True
        return any(shapes.get(other) == (shape.width, shape.row_count) for other in golds[digest])

    stored = dict(zip(order, store_tables(connection, list(files.items()), comparable), strict=True))
    for case, digest in zip(cases, gold, strict=True):
        _check_shape(case.config, stored[digest])
    rules, config_rules = rule_tables(case.config for case in cases)
    due = table(
        pair_id=integers(range(len(cases))),
        config_id=integers(range(len(cases))),
        ordered=integers([case.config.order_sensitive for case in cases]),
        gold_file=strings(gold),
        prediction_file=strings([_source(case, found) for case, found in zip(cases, predictions, strict=True)]),
        problem=strings([case.prediction.reason if isinstance(case.prediction, Unusable) else "" for case in cases]),
    )
    with (
        lent(connection, "new_rule", rules),
        lent(connection, "new_config_rule", config_rules),
        lent(connection, "new_due", due),
    ):
        connection.execute(query("score/memory_pairs"))


def _source(case: Case, digest: str) -> str:
    return "missing" if case.prediction is None else "unusable" if isinstance(case.prediction, Unusable) else digest


def _check_shape(config: Config, shape: Shape) -> None:
    if shape.problem is not None:
        reason = shape.problem.partition(": ")[2]
        raise BenchlakeError(f"gold of {config.task_id}: {reason}; mend the gold file")
    if shape.width != len(config.columns):
        found = f"{shape.width} columns, the configuration has {len(config.columns)}"
        raise BenchlakeError(f"gold of {config.task_id}: {found}; mend one of the two")


def _check_gold(connection: duckdb.DuckDBPyConnection, cases: Sequence[Case]) -> None:
    found = pairs.unreadable_gold(connection)
    if found is not None:
        config = cases[found.pair_id].config
        rule = config.columns[found.column_index]
        kind = f"{rule.type} ({rule.mode})" if rule.mode else rule.type
        where = f"column {found.column_index}, data row {found.row + 1}"
        raise BenchlakeError(f"gold of {config.task_id}: {where} is not a {kind}: {found.text[:40]!r}; mend it")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _result(
    case: Case,
    passed: bool,
    error_code: str | None,
    message: str | None,
    mapping: list[int] | None,
    gold_rows: int,
    prediction_rows: int,
    gold_columns: int,
    prediction_columns: int,
    undecided: bool,
) -> TaskResult:
    return TaskResult(
        case.config.task_id, passed, error_code, None if mapping is None else tuple(enumerate(mapping)), gold_rows,
        prediction_rows, gold_columns, prediction_columns, undecided, message or "",
    )  # fmt: skip
