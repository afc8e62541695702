"""One failed task side by side: verdict, symptoms, matched columns, and the rows that differ."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from eval_sql.columns import integers, lent, table
from eval_sql.config import Config, parse_config
from eval_sql.diagnosis import Symptom, find_symptoms, load
from eval_sql.evaluate import Case
from eval_sql.result import Unusable
from warehouse import terminal
from warehouse.errors import BenchlakeError
from warehouse.lake import Lake
from warehouse.queries import query
from warehouse.shown import plural, shown

MAX_ROWS = 100
_MAX_CELL = 40


@dataclass(frozen=True, slots=True)
class ColumnPair:
    """A gold column and the prediction column it is compared with; either may be None for want of a partner."""

    gold_column: int | None
    gold_name: str | None
    type: str | None
    prediction_column: int | None
    prediction_name: str | None


@dataclass(frozen=True, slots=True)
class CellPair:
    """A cell of gold and the prediction's; state: equal, changed, unreadable, missing (no row there) or extra."""

    gold_column: int
    gold: str | None
    prediction: str | None
    state: str


@dataclass(frozen=True, slots=True)
class RowPair:
    """Rows from 0; None for a row that gold or the prediction lacks."""

    gold_row: int | None
    prediction_row: int | None
    cells: list[CellPair]


@dataclass(frozen=True, slots=True)
class Explanation:
    """All there is to say of a run's task. passed is None while it is not scored; sizes are (rows, columns)."""

    run: str
    task: str
    task_name: str
    passed: bool | None
    error_code: str | None
    message: str | None
    gold_size: tuple[int, int]
    prediction_size: tuple[int, int]
    columns: list[ColumnPair]
    symptoms: list[Symptom]
    gold_rows_differing: int
    prediction_rows_differing: int
    rows: list[RowPair]


def explain(lake: Lake, run: str, task: str, rows: int = 10) -> Explanation:
    """Compare the prediction of a run for a task, by id or name, with gold, and show up to `rows` rows of each.

    Reads the lake and works in memory: nothing is kept. Raises BenchlakeError for a run or a task that is not there.
    """
    found = lake.rows(query("diagnose/verdict"), [run, task])
    if not found:
        _refuse(lake, run, task)
    if len(found) > 1:
        raise BenchlakeError(f"{len(found)} tasks are called {task!r}; give the id, which the view evaluation.task has")
    (
        task_id, name, gold_file, prediction_file, problem, body, passed, error_code, message, undecided, mapping,
        gold_rows, prediction_rows, gold_width, prediction_width, gold_header, prediction_header,
    ) = found[0]  # fmt: skip
    config = parse_config(body.encode(), json.loads(body)["task_id"])
    columns: list[ColumnPair] = []
    symptoms: list[Symptom] = []
    differing, pairs = (0, 0), list[RowPair]()
    if passed:
        columns = _columns(config, gold_header, prediction_header, dict(enumerate(mapping)))
    elif passed is not None:
        prediction: bytes | Unusable | None
        if prediction_file in ("missing", "unusable"):
            prediction = None if prediction_file == "missing" else Unusable(problem)
        else:
            prediction = lake.artifacts.path(prediction_file).read_bytes()
        case = Case(config, lake.artifacts.path(gold_file).read_bytes(), prediction)
        with duckdb.connect() as connection:
            load(connection, [case], undecided=bool(undecided))
            find_symptoms(connection)
            symptoms = [Symptom(*row[1:]) for row in connection.execute(query("diagnose/found")).fetchall()]
            matched = dict(connection.execute("SELECT gold_index, prediction_index FROM matched").fetchall())
            if isinstance(prediction, bytes):
                columns = _columns(config, gold_header, prediction_header, matched)
            if matched:
                differing, pairs = _rows(connection, max(1, min(rows, MAX_ROWS)))
    return Explanation(
        run, task_id, name, passed, error_code, message, (gold_rows or 0, gold_width or 0),
        (prediction_rows or 0, prediction_width or 0), columns, symptoms, *differing, pairs,
    )  # fmt: skip


def _refuse(lake: Lake, run: str, task: str) -> None:
    if not lake.rows("SELECT 1 FROM run.experiment WHERE run = ?", [run]):
        raise BenchlakeError(f"the lake has no run {run!r}: benchlake ingest predictions DIR --run NAME makes one")
    if not lake.rows("SELECT 1 FROM evaluation.task WHERE task = $1 OR task_name = $1", [task]):
        raise BenchlakeError(f"the lake has no task {task!r}: the view evaluation.task lists them")
    raise BenchlakeError(f"the task {task!r} is not one that the run {run!r} must answer: it is of another corpus")


def _columns(
    config: Config, gold_header: Sequence[str], prediction_header: Sequence[str], matched: dict[int, int]
) -> list[ColumnPair]:
    """Gold's columns in order with their partners, then the prediction's that have none."""
    pairs = []
    for rule in config.columns:
        place = matched.get(rule.gold_index)
        name = gold_header[rule.gold_index] if rule.gold_index < len(gold_header) else rule.gold_name
        partner = None if place is None else prediction_header[place]
        pairs.append(ColumnPair(rule.gold_index, name, rule.type, place, partner))
    taken = set(matched.values())
    return pairs + [
        ColumnPair(None, None, None, place, name) for place, name in enumerate(prediction_header) if place not in taken
    ]


def _rows(connection: duckdb.DuckDBPyConnection, limit: int) -> tuple[tuple[int, int], list[RowPair]]:
    """How many rows of gold and of the prediction differ, and the first of them side by side."""
    connection.execute(query("diagnose/row_pairs"), {"rows": limit})
    gold = _places(connection, 1, limit)
    counts = dict(connection.execute("SELECT sign, count(*) FROM differing_row GROUP BY sign").fetchall())
    partners: dict[int, int] = {}
    near = "SELECT gold_row, prediction_row FROM row_pair ORDER BY score DESC, gold_row, prediction_row"
    for gold_row, prediction_row in connection.execute(near).fetchall():
        if gold_row not in partners and prediction_row not in partners.values():
            partners[gold_row] = prediction_row
    chosen = [(row, partners.get(row, -1)) for row in gold]
    if counts.get(1, 0) <= limit:
        # Otherwise a row may be extra, or the partner of one of gold's that is not shown.
        taken = set(partners.values())
        others = _places(connection, -1, limit + len(taken))
        chosen += [(-1, row) for row in others if row not in taken][:limit]
    rows = table(
        place=integers(range(len(chosen))),
        gold_row=integers([row for row, _ in chosen]),
        prediction_row=integers([row for _, row in chosen]),
    )
    with lent(connection, "chosen", rows):
        cells = connection.execute(query("diagnose/row_cells")).fetchall()
    pairs = [RowPair(None if g < 0 else g, None if p < 0 else p, []) for g, p in chosen]
    for place, column, wanted, given, equal, readable in cells:
        pair = pairs[place]
        if pair.gold_row is None:
            state = "extra"
        elif pair.prediction_row is None:
            state = "missing"
        else:
            state = "equal" if equal else "changed" if readable else "unreadable"
        pair.cells.append(CellPair(column, wanted, given, state))
    return (counts.get(1, 0), counts.get(-1, 0)), pairs


def _places(connection: duckdb.DuckDBPyConnection, sign: int, limit: int) -> list[int]:
    sql = "SELECT row FROM differing_row WHERE sign = ? ORDER BY row LIMIT ?"
    return [row[0] for row in connection.execute(sql, [sign, limit]).fetchall()]


def print_explanation(found: Explanation) -> None:
    """The explanation as tables on stdout; nothing in names or cells acts on the terminal."""
    verdict = "passed" if found.passed else "not scored yet" if found.passed is None else f"failed, {found.error_code}"
    _line(f"{found.task_name} of run {found.run}: {verdict}")
    if found.passed is None:
        _line("run benchlake score first")
        return
    if found.message:
        _line(found.message)
    _line(f"gold: {_size(found.gold_size)}; prediction: {_size(found.prediction_size)}")
    if found.symptoms:
        _title("Symptoms")
        terminal.print_table(
            ("code", "gold column", "prediction column", "rows", "what"),
            [(s.code, s.gold_column, s.prediction_column, s.row_count, _with_examples(s)) for s in found.symptoms],
        )
    if found.columns:
        _title("Columns")
        terminal.print_table(
            ("", "gold", "type", "", "prediction"),
            [
                (c.gold_column, _short(c.gold_name), c.type, c.prediction_column, _short(c.prediction_name))
                for c in found.columns
            ],
        )
    if found.rows:
        _title(
            f"Rows that differ: {found.gold_rows_differing} of gold, {found.prediction_rows_differing} of the "
            "prediction (gold → prediction where a cell differs; - missing, + extra)"
        )
        names = {c.gold_column: c.gold_name for c in found.columns}
        shown_columns = [cell.gold_column for cell in found.rows[0].cells]
        terminal.print_table(
            ("", "gold row", "prediction row", *(_short(names.get(place)) for place in shown_columns)),
            [_row(pair) for pair in found.rows],
        )


def _size(size: tuple[int, int]) -> str:
    return f"{plural(size[0], 'row')} of {plural(size[1], 'column')}"


def _row(pair: RowPair) -> tuple[Any, ...]:
    mark = "-" if pair.prediction_row is None else "+" if pair.gold_row is None else ""
    places = (None if row is None else row + 1 for row in (pair.gold_row, pair.prediction_row))
    return (mark, *places, *map(_cell, pair.cells))


def _cell(cell: CellPair) -> str:
    if cell.state in ("missing", "equal"):
        return _short(cell.gold)
    if cell.state == "extra":
        return _short(cell.prediction)
    note = " (unreadable)" if cell.state == "unreadable" else ""
    return f"{_short(cell.gold)} → {_short(cell.prediction)}{note}"


def _short(text: str | None) -> str:
    """A name or cell on one line; an empty one is told from an absent one."""
    if text is None:
        return ""
    return shown(text if len(text) <= _MAX_CELL else f"{text[:_MAX_CELL]}…") or '""'


def _with_examples(symptom: Symptom) -> str:
    return "\n".join([symptom.sentence, *(f"  {shown(example)}" for example in symptom.examples)])


def _title(text: str) -> None:
    sys.stdout.write(f"\n{text}\n\n")


def _line(text: str) -> None:
    sys.stdout.write(f"{shown(text)}\n")
