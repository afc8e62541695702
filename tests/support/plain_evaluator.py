"""An evaluator written row by row from the specification: the oracle of property tests, the peer in benchmarks.

It shares no code with the product and uses the standard library only. Where the reference would die on a cell,
that cell is unreadable for that rule; its decimal contexts are the reference's own. Columns are aligned by trying
the mappings that the columns' own values leave open, so that adversarial tables end in TooManyMappings.
The configuration is taken to be valid.
"""

from __future__ import annotations

import csv
import io
import json
import re
import stat
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from datetime import UTC, date, datetime, time
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal, DivisionByZero, InvalidOperation, Overflow
from functools import cache
from itertools import count, islice
from pathlib import Path
from typing import Any, NamedTuple

MAX_BYTES = 20 * 1024 * 1024
MAX_ROWS = 100_000
MAX_COLUMNS = 64
MAX_CELL = 2 * 1024 * 1024
MAX_STEPS = 50_000

Config = dict[str, Any]
Value = str | Decimal | date | bool | None
Column = list[Value]


class Verdict(NamedTuple):
    """The outcome of one task; the mapping gives the prediction's column for each gold column."""

    passed: bool
    error_code: str | None
    column_mapping: tuple[int, ...] | None
    gold_rows: int
    prediction_rows: int
    gold_columns: int
    prediction_columns: int


class BadTable(ValueError):
    """A CSV file that breaks a rule or a limit."""


class BadGold(ValueError):
    """A gold table that cannot be read, or not under its configuration: it ends the run."""


class TooManyMappings(RuntimeError):
    """The table is too ambiguous for this evaluator."""


# ------------------------------------------------------------------------------------------------- cells

NULLS = frozenset({"", "null", "none", "nan", "nat", "<na>"})
BOOLEANS = dict.fromkeys(("1", "true", "yes", "y", "是"), True) | dict.fromkeys(("0", "false", "no", "n", "否"), False)
NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
TRAPS = [InvalidOperation, DivisionByZero, Overflow]
DIVISION = Context(prec=28, rounding=ROUND_HALF_EVEN, Emin=-999_999, Emax=999_999, traps=TRAPS)
ROUNDING = Context(prec=100, rounding=ROUND_HALF_UP, Emin=-999_999, Emax=999_999, traps=TRAPS)


class Rule(NamedTuple):
    """How the cells of one gold column are read."""

    type: str
    mode: str = ""
    digits: int = 0
    unit: str = "plain"
    percent: bool = False

    @classmethod
    def of(cls, column: Config) -> Rule:
        """The rule of one entry of a configuration's `columns`."""
        if column["type"] != "number":
            return cls(column["type"])
        comparison = column["comparison"]
        digits = int(comparison.get("digits", 0))
        unit, percent = column.get("unit", "plain"), bool(column.get("allow_percent_sign", False))
        return cls("number", comparison["mode"], digits, unit, percent)


def read_text(text: str) -> str | None:
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n").strip()) or None


def read_number(rule: Rule, text: str) -> Decimal:
    """The number after its unit and its rounding. Decimals stay in the form digits and exponent, whatever their size."""
    percent = rule.percent and text.endswith("%")
    if percent:
        text = text[:-1].strip()
    if not NUMBER.fullmatch(text):
        raise ValueError("not a number")
    try:
        value = Decimal(text.replace(",", ""))
        if percent and rule.unit == "fraction":
            value = DIVISION.divide(value, Decimal(100))
        return rounded(rule, value)
    except (InvalidOperation, Overflow) as error:
        raise ValueError("a number beyond the range of decimals") from error


def rounded(rule: Rule, value: Decimal) -> Decimal:
    if rule.mode == "integer":
        if value != value.to_integral_value():
            raise ValueError("not an integer")
        return value
    if not value:
        return Decimal(0)
    last_place = -rule.digits if rule.mode == "decimal_places" else value.adjusted() - rule.digits + 1
    return value.quantize(Decimal(1).scaleb(last_place, ROUNDING), context=ROUNDING)


def read_datetime(text: str) -> datetime:
    """A moment; an aware one in UTC. Datetimes with and without a zone never compare equal in Python either."""
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    try:
        return moment if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("a moment outside the years 1 to 9999") from error


def read_date(text: str) -> date:
    moment = read_datetime(text)
    if moment.time() != time():
        raise ValueError("not at midnight")
    return moment.date()


def read_cell(rule: Rule, text: str) -> Value:
    if rule.type == "text":
        return read_text(text)
    text = text.strip()
    folded = text.casefold()
    if folded in NULLS:
        return None
    if rule.type == "number":
        return read_number(rule, text)
    if rule.type == "date":
        return read_date(text)
    if rule.type == "datetime":
        return read_datetime(text)
    if folded not in BOOLEANS:
        raise ValueError("not a boolean")
    return BOOLEANS[folded]


def canonical(rule: Config, text: str) -> Value:
    """The value of a cell under a configuration's column; None is NULL. Raises ValueError when it is unreadable."""
    return read_cell(Rule.of(rule), text)


# ------------------------------------------------------------------------------------------------- files


class Table(NamedTuple):
    """The cells of a CSV file by column, header left out."""

    row_count: int
    columns: list[tuple[str, ...]]


def read_csv(data: bytes) -> Table:
    """Raises BadTable when the bytes break a rule or a limit."""
    if len(data) > MAX_BYTES:
        raise BadTable("too large")
    before = csv.field_size_limit(MAX_CELL)
    try:
        text = data.decode("utf-8-sig")
        if "\0" in text:
            raise BadTable("holds NUL")
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        header = next(reader, [])
        rows = list(islice(reader, MAX_ROWS + 1))
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadTable(str(error)) from error
    finally:
        csv.field_size_limit(before)
    width = len(header)
    if not 0 < width <= MAX_COLUMNS:
        raise BadTable("no columns, or too many")
    if len(rows) > MAX_ROWS:
        raise BadTable("too many rows")
    if any(len(row) != width for row in rows):
        raise BadTable("a row of another width than the header")
    return Table(len(rows), list(zip(*rows, strict=True)) if rows else [()] * width)


def read_file(path: Path) -> bytes | None:
    """The bytes of a regular file, or None when there is none. Raises BadTable for what must not be read."""
    if not path.exists():
        return None
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise BadTable("a link, or not a regular file")
    if status.st_size > MAX_BYTES:
        raise BadTable("too large")
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadTable(str(error)) from error


# --------------------------------------------------------------------------------------------- alignment


class Reader:
    """Reads columns; every distinct cell is read once for a rule."""

    def __init__(self) -> None:
        self.cell = cache(read_cell)

    def column(self, rule: Rule, texts: Sequence[str]) -> Column:
        cell = self.cell
        return [cell(rule, text) for text in texts]

    def columns(self, rule: Rule, table: Table) -> list[Column | None]:
        """All columns of a table under one rule; None for the unreadable."""
        found: list[Column | None] = []
        for texts in table.columns:
            try:
                found.append(self.column(rule, texts))
            except ValueError:
                found.append(None)
        return found


def has_matching(choices: Sequence[Sequence[int]]) -> bool:
    """Whether each gold column can have a prediction column of its own (augmenting paths)."""
    owner: dict[int, int] = {}

    def place(gold: int, seen: set[int]) -> bool:
        for prediction in choices[gold]:
            if prediction not in seen:
                seen.add(prediction)
                if prediction not in owner or place(owner[prediction], seen):
                    owner[prediction] = gold
                    return True
        return False

    return all(place(gold, set()) for gold in range(len(choices)))


def mappings(choices: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    """The one-to-one mappings in lexicographic order. Raises TooManyMappings after MAX_STEPS steps."""
    steps = count(1)

    def extend(prefix: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if next(steps) > MAX_STEPS:
            raise TooManyMappings(f"undecided after {MAX_STEPS} steps")
        if len(prefix) == len(choices):
            yield prefix
            return
        for prediction in choices[len(prefix)]:
            if prediction not in prefix:
                yield from extend((*prefix, prediction))

    return extend(())


def relation(rows: Iterator[Hashable], ordered: bool) -> list[Hashable] | Counter[Hashable]:
    return list(rows) if ordered else Counter(rows)


def align(rules: list[Rule], ordered: bool, gold: list[Column], prediction: Table) -> tuple[int, ...] | str:
    """The first mapping under which the tables are equal, or the code of the error. The shapes agree."""
    reader = Reader()
    readings = {rule: reader.columns(rule, prediction) for rule in set(rules)}
    readable = [[k for k, column in enumerate(readings[rule]) if column is not None] for rule in rules]
    if not has_matching(readable):
        return "type_normalization_failed"
    contents = {
        rule: [None if column is None else relation(iter(column), ordered) for column in columns]
        for rule, columns in readings.items()
    }
    choices = []
    for rule, column, open_to in zip(rules, gold, readable, strict=True):
        wanted = relation(iter(column), ordered)
        choices.append([k for k in open_to if contents[rule][k] == wanted])
    if not has_matching(choices):
        return "relation_mismatch"
    wanted = relation(zip(*gold, strict=True), ordered)
    for mapping in mappings(choices):
        chosen = [readings[rule][k] or [] for rule, k in zip(rules, mapping, strict=True)]
        if relation(zip(*chosen, strict=True), ordered) == wanted:
            return mapping
    return "relation_mismatch"


# --------------------------------------------------------------------------------------------- evaluation


def read_gold(rules: list[Rule], data: bytes) -> list[Column]:
    reader = Reader()
    try:
        table = read_csv(data)
        return [reader.column(rule, texts) for rule, texts in zip(rules, table.columns, strict=True)]
    except ValueError as error:
        raise BadGold(f"gold: {error}") from error


def evaluate(config: Config, gold: bytes, prediction: bytes | None) -> Verdict:
    """The verdict on a prediction's bytes, None for a missing file. Raises BadGold and TooManyMappings."""
    rules = [Rule.of(column) for column in config["columns"]]
    wanted = read_gold(rules, gold)
    width, height = len(wanted), len(wanted[0])
    if prediction is None:
        return Verdict(False, "missing_prediction", None, height, 0, width, 0)
    try:
        table = read_csv(prediction)
    except BadTable:
        return Verdict(False, "invalid_prediction_csv", None, height, 0, width, 0)
    outcome: tuple[int, ...] | str
    if len(table.columns) != width:
        outcome = "column_count_mismatch"
    elif table.row_count != height:
        outcome = "row_count_mismatch"
    else:
        outcome = align(rules, bool(config["order_sensitive"]), wanted, table)
    passed = not isinstance(outcome, str)
    code, mapping = (outcome, None) if isinstance(outcome, str) else (None, outcome)
    return Verdict(passed, code, mapping, height, table.row_count, width, len(table.columns))


def evaluate_tree(predictions: Path, gold: Path, configs: Path) -> dict[str, Verdict]:
    """The verdicts of all configured tasks by id, in numeric order. Raises BadGold and TooManyMappings."""
    found: dict[str, Verdict] = {}
    for path in sorted(configs.glob("task_*.json"), key=lambda path: int(path.stem.removeprefix("task_"))):
        task = path.stem
        config = json.loads(path.read_bytes())
        try:
            answer = read_file(gold / task / "gold.csv")
        except BadTable as error:
            raise BadGold(f"{task}: {error}") from error
        if answer is None:
            raise BadGold(f"{task}: there is no gold table")
        try:
            prediction = read_file(predictions / task / "prediction.csv")
        except BadTable:
            prediction = b""  # as invalid as the file: no header
        found[task] = evaluate(config, answer, prediction)
    return found
