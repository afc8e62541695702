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
        pairs.read_columns(connection)
        _check_gold(connection, cases)
        pairs.compare(connection)
        connection.execute(query("score/verdicts"))
        rows = connection.execute("SELECT * FROM new_verdict ORDER BY pair_id").fetchall()
    return [_result(case, *row[1:]) for case, row in zip(cases, rows, strict=True)]


def _fill(connection: duckdb.DuckDBPyConnection, cases: Sequence[Case]) -> None:
    """The tables, rules and pairs of the cases."""
    files: dict[str, bytes] = {}
    gold = [named(files, case.gold) for case in cases]
    predictions = [named(files, case.prediction) for case in cases]
    golds: dict[str, set[str]] = {}
    for wanted, found in zip(gold, predictions, strict=True):
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
    make_pairs(connection, cases, gold, predictions)


def named(files: dict[str, bytes], data: bytes | Unusable | None) -> str:
    """The digest of a table file, which is added to the files under it; or the name of a prediction without one."""
    if not isinstance(data, bytes):
        return "missing" if data is None else "unusable"
    digest = hashlib.sha256(data).hexdigest()
    files.setdefault(digest, data)
    return digest


def make_pairs(
    connection: duckdb.DuckDBPyConnection, cases: Sequence[Case], gold: Sequence[str], predictions: Sequence[str]
) -> None:
    """Make temp `pair` and `config_rule` of the cases, whose files have these names and are stored."""
    rules, config_rules = rule_tables(case.config for case in cases)
    places = integers(range(len(cases)))
    due = table(
        pair_id=places,
        config_id=places,
        ordered=integers([case.config.order_sensitive for case in cases]),
        gold_file=strings(gold),
        prediction_file=strings(predictions),
        problem=strings([case.prediction.reason if isinstance(case.prediction, Unusable) else "" for case in cases]),
    )
    with (
        lent(connection, "new_rule", rules),
        lent(connection, "new_config_rule", config_rules),
        lent(connection, "new_due", due),
    ):
        connection.execute(query("score/memory_pairs"))
    connection.execute(query("score/pairs"))


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
