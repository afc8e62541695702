"""The verdict on one task: the checks in the reference's order (evaluator.md, Order of checks, and error codes)."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import replace

from eval_sql.config import ColumnRule, Config
from eval_sql.plain.align import Columns, align
from eval_sql.plain.canon import canonicaliser
from eval_sql.plain.matching import has_matching
from eval_sql.result import TaskResult, Unusable
from eval_sql.table_csv import Column, Ids, NotATable, Table, read_table
from warehouse.errors import BenchlakeError


def evaluate(config: Config, gold: bytes, prediction: bytes | Unusable | None) -> TaskResult:
    """Compare a prediction CSV (None: there is none) with the gold CSV under the task's configuration.

    Raises BenchlakeError when the gold bytes cannot be read; a prediction that cannot is a failed task.
    """
    readings = _Readings(config)
    gold_rows = readings.take_gold(gold)
    width = len(config.columns)
    base = TaskResult(config.task_id, False, None, None, gold_rows, 0, width, 0, False, "")
    if prediction is None:
        return replace(base, error_code="missing_prediction", message="there is no prediction file")
    if isinstance(prediction, Unusable):
        return replace(base, error_code="invalid_prediction_csv", message=prediction.reason)
    try:
        table = read_table(prediction)
    except NotATable as error:
        return replace(base, error_code="invalid_prediction_csv", message=str(error))
    columns, rows = len(table.columns), table.row_count
    base = replace(base, prediction_row_count=rows, prediction_column_count=columns)
    if columns != width:
        message = f"the prediction has {columns} columns, gold has {width}"
        return replace(base, error_code="column_count_mismatch", message=message)
    if rows != gold_rows:
        message = f"the prediction has {rows} rows, gold has {gold_rows}"
        return replace(base, error_code="row_count_mismatch", message=message)
    readings.prediction = table
    return _aligned(base, config, readings)


class _Readings:
    """Columns read under rules: each distinct text is read once for each rule, and only when it is asked for.

    Equal values of one rule have equal numbers, in gold and prediction alike.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self.rules = [_same_reading(rule) for rule in config.columns]
        self.values: dict[ColumnRule, Ids[str | None]] = {rule: Ids() for rule in self.rules}
        self.gold: list[array[int]] = []
        self.prediction = Table([], [], 0)
        self._cache: dict[tuple[ColumnRule, int], array[int] | None] = {}

    def take_gold(self, data: bytes) -> int:
        """Read the gold columns, each under its own rule; the number of rows. Raises BenchlakeError."""
        task, width = self.config.task_id, len(self.rules)
        try:
            table = read_table(data)
        except NotATable as error:
            raise BenchlakeError(f"gold of {task}: {error}; mend the gold file") from None
        if len(table.columns) != width:
            found = f"{len(table.columns)} columns, the configuration has {width}"
            raise BenchlakeError(f"gold of {task}: {found}; mend one of the two")
        for rule, column in zip(self.config.columns, table.columns, strict=True):
            try:
                self.gold.append(self._read(_same_reading(rule), column))
            except _UnreadableText as error:
                where = f"column {rule.gold_index}, data row {column.index.index(error.number) + 1}"
                kind = f"{rule.type} ({rule.mode})" if rule.mode else rule.type
                raise BenchlakeError(f"gold of {task}: {where} is not a {kind}: {error}; mend it") from None
        return table.row_count

    def under(self, j: int, k: int) -> array[int] | None:
        """Prediction column k as values under the rule of gold column j; None when a cell cannot be read."""
        key = (self.rules[j], k)
        if key not in self._cache:
            try:
                self._cache[key] = self._read(self.rules[j], self.prediction.columns[k])
            except _UnreadableText:
                self._cache[key] = None
        return self._cache[key]

    def by_rule(self) -> list[Columns]:
        """All gold columns and all readable prediction columns, grouped by rule."""
        groups: list[Columns] = []
        for rule, values in self.values.items():
            gold = {j: self.gold[j] for j, other in enumerate(self.rules) if other == rule}
            first = min(gold)
            readings = {k: self.under(first, k) for k in range(len(self.rules))}
            groups.append(Columns(gold, {k: r for k, r in readings.items() if r is not None}, len(values)))
        return groups

    def _read(self, rule: ColumnRule, column: Column) -> array[int]:
        value_of, numbers = canonicaliser(rule), self.values[rule]
        known: list[int] = []
        for text in column.texts:
            try:
                known.append(numbers[value_of(text)])
            except ValueError as error:
                raise _UnreadableText(len(known), f"{text[:40]!r}: {error}") from None
        return array("i", map(known.__getitem__, column.index))


class _UnreadableText(Exception):
    """A column's distinct text `number` cannot be read under a rule."""

    def __init__(self, number: int, message: str) -> None:
        super().__init__(message)
        self.number = number


def _same_reading(rule: ColumnRule) -> ColumnRule:
    """The rule without what does not touch reading, so that alike columns share their values."""
    return replace(rule, gold_index=0, gold_name="")


def _aligned(base: TaskResult, config: Config, readings: _Readings) -> TaskResult:
    width = len(config.columns)
    # The identity is the first of all mappings and the usual one, and needs few readings.
    identity = tuple(range(width))
    if _rows_equal(readings, identity, ordered=config.order_sensitive):
        return _passed(base, identity)
    readable = [sum(1 << k for k in range(width) if readings.under(j, k) is not None) for j in range(width)]
    if not has_matching(readable):
        unread = [f"no prediction column can be read as gold column {j}" for j in range(width) if not readable[j]]
        message = unread[0] if unread else "no one-to-one mapping of columns can be read under the configured types"
        return replace(base, error_code="type_normalization_failed", message=message)
    found = align(readings.by_rule(), base.gold_row_count, ordered=config.order_sensitive)
    # Digests chose the mapping; only equal values make it a pass.
    if found.mapping is not None and _rows_equal(readings, found.mapping, ordered=config.order_sensitive):
        return replace(_passed(base, found.mapping), undecided=found.undecided)
    rows = "sequence" if config.order_sensitive else "multiset"
    message = f"no mapping of columns makes the {rows} of rows equal"
    if found.undecided:
        message = "the search for a column mapping stopped at its bound; the task counts as wrong"
    return replace(base, error_code="relation_mismatch", undecided=found.undecided, message=message)


def _passed(base: TaskResult, mapping: tuple[int, ...]) -> TaskResult:
    return replace(base, passed=True, column_mapping=tuple(enumerate(mapping)))


def _rows_equal(readings: _Readings, mapping: tuple[int, ...], *, ordered: bool) -> bool:
    columns: list[array[int]] = []
    for j, k in enumerate(mapping):
        column = readings.under(j, k)
        if column is None:
            return False
        columns.append(column)
    if columns == readings.gold:
        return True
    return not ordered and Counter(zip(*columns, strict=True)) == Counter(zip(*readings.gold, strict=True))
