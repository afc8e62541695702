"""Task configurations: parsed, checked, written back and digested (evaluator.md, Inputs)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeGuard

from warehouse.errors import BenchlakeError

SCHEMA_VERSION = "1.0"
TYPES = ("text", "number", "date", "datetime", "boolean")
MODES = ("integer", "decimal_places", "significant_digits")
UNITS = ("plain", "percentage_points", "fraction")
MAX_DIGITS = 30

# What a table file may hold (evaluator.md, Reading CSV).
MAX_FILE_BYTES = 20 * 1024 * 1024
MAX_ROWS = 100_000
MAX_COLUMNS = 64
MAX_CELL_CHARACTERS = 2 * 1024 * 1024

_TASK_ID = re.compile(r"task_[0-9]+")

# The fields of each object of config.schema.json; a column that is no number has the first three.
_FIELDS = ("schema_version", "task_id", "order_sensitive", "columns")
_COLUMN_FIELDS = ("gold_index", "gold_name", "type")
_NUMBER_FIELDS = (*_COLUMN_FIELDS, "comparison", "unit", "allow_percent_sign")
_COMPARISON_FIELDS = ("mode", "digits")


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """How one gold column is read and compared.

    `mode` and `digits` are set for number columns only; `digits` is None in integer mode.
    `gold_name` is for people and is never compared.
    """

    gold_index: int
    gold_name: str
    type: str
    mode: str | None = None
    digits: int | None = None
    unit: str = "plain"
    allow_percent_sign: bool = False


@dataclass(frozen=True, slots=True)
class Config:
    """One task: its id, whether row order counts, and one rule for each gold column."""

    task_id: str
    order_sensitive: bool
    columns: tuple[ColumnRule, ...]


def is_task_id(text: str) -> bool:
    """Whether the text is `task_` and digits."""
    return _TASK_ID.fullmatch(text) is not None


def task_order(task_id: str) -> tuple[int, str]:
    """Sort key of a task id: by number, then by name (task_1 and task_01 are two tasks)."""
    return int(task_id.removeprefix("task_")), task_id


def parse_config(data: bytes, stem: str) -> Config:
    """The configuration in the bytes of the file `<stem>.json`.

    As strict as config.schema.json, and besides: task_id equals the stem, each gold_index the column's place, and
    integers have no point. The reference lets more through (conformance/README.md, item 41).
    Raises BenchlakeError, naming the file and the field, for everything else.
    """
    name = f"{stem}.json"
    raw = _load(data, name)
    if not isinstance(raw, dict):
        raise BenchlakeError(f"{name}: the configuration is {_shown(raw)}; write one JSON object")
    _check_fields(name, "", raw, _FIELDS, "a configuration")
    if raw.get("schema_version") != SCHEMA_VERSION:
        raise _bad(name, "schema_version", raw.get("schema_version"), f'must be "{SCHEMA_VERSION}"')
    task_id = raw.get("task_id")
    if not isinstance(task_id, str) or not is_task_id(task_id):
        raise _bad(name, "task_id", task_id, "must be task_ and digits")
    if task_id != stem:
        raise _bad(name, "task_id", task_id, f'must equal the file name without .json, "{stem}"')
    if not isinstance(raw.get("order_sensitive"), bool):
        raise _bad(name, "order_sensitive", raw.get("order_sensitive"), "must be true or false")
    columns = raw.get("columns")
    if not isinstance(columns, list) or not columns:
        raise _bad(name, "columns", columns, "must be a list of at least one column")
    rules = tuple(_column(name, index, column) for index, column in enumerate(columns))
    return Config(task_id=task_id, order_sensitive=raw["order_sensitive"], columns=rules)


def canonical_config(config: Config) -> dict[str, Any]:
    """The configuration as plain JSON values; `parse_config` reads it back to an equal `Config`."""
    columns: list[dict[str, Any]] = []
    for rule in config.columns:
        column: dict[str, Any] = {"gold_index": rule.gold_index, "gold_name": rule.gold_name, "type": rule.type}
        if rule.type == "number":
            column["comparison"] = {"mode": rule.mode}
            if rule.digits is not None:
                column["comparison"]["digits"] = rule.digits
            column["unit"] = rule.unit
            column["allow_percent_sign"] = rule.allow_percent_sign
        columns.append(column)
    return {
        "schema_version": SCHEMA_VERSION,
        "task_id": config.task_id,
        "order_sensitive": config.order_sensitive,
        "columns": columns,
    }


def config_digest(files: Iterable[tuple[str, bytes]]) -> str:
    """SHA-256 (hex) of a configuration set, given as (stem, bytes) in any order.

    Over the files in numeric order: file name, NUL, bytes, NUL (evaluator.md, Inputs).
    """
    digest = hashlib.sha256()
    for stem, data in sorted(files, key=lambda item: task_order(item[0])):
        digest.update(f"{stem}.json".encode() + b"\0" + data + b"\0")
    return digest.hexdigest()


def _load(data: bytes, name: str) -> Any:
    try:
        return json.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise BenchlakeError(f"{name}: not UTF-8 at byte {error.start}; save the file as UTF-8") from None
    except RecursionError:
        raise BenchlakeError(f"{name}: the JSON is nested too deeply; write one flat object") from None
    except ValueError as error:  # JSONDecodeError, and an integer too long for Python to convert
        raise BenchlakeError(f"{name}: not JSON ({error}); write one JSON object") from None


def _column(name: str, index: int, raw: Any) -> ColumnRule:
    where = f"columns[{index}]"
    if not isinstance(raw, dict):
        raise _bad(name, where, raw, "must be an object")
    if not _is_integer(raw.get("gold_index")) or raw["gold_index"] != index:
        raise _bad(name, f"{where}.gold_index", raw.get("gold_index"), f"must be {index}, its place in the list")
    gold_name = raw.get("gold_name")
    if not isinstance(gold_name, str):
        raise _bad(name, f"{where}.gold_name", gold_name, "must be a string")
    kind = _one_of(name, f"{where}.type", raw.get("type"), TYPES)
    if kind != "number":
        _check_fields(name, f"{where}.", raw, _COLUMN_FIELDS, f"a {kind} column")
        return ColumnRule(index, gold_name, kind)
    _check_fields(name, f"{where}.", raw, _NUMBER_FIELDS, "a number column")
    mode, digits = _comparison(name, f"{where}.comparison", raw.get("comparison"))
    unit = _one_of(name, f"{where}.unit", raw.get("unit", "plain"), UNITS)
    percent = raw.get("allow_percent_sign", False)
    if not isinstance(percent, bool):
        raise _bad(name, f"{where}.allow_percent_sign", percent, "must be true or false")
    return ColumnRule(index, gold_name, kind, mode, digits, unit, percent)


def _comparison(name: str, where: str, raw: Any) -> tuple[str, int | None]:
    if not isinstance(raw, dict):
        raise _bad(name, where, raw, "must be an object with a mode")
    mode = _one_of(name, f"{where}.mode", raw.get("mode"), MODES)
    if mode == "integer":
        _check_fields(name, f"{where}.", raw, _COMPARISON_FIELDS[:1], "a comparison of integers")
        return mode, None
    _check_fields(name, f"{where}.", raw, _COMPARISON_FIELDS, "a comparison")
    digits = raw.get("digits")
    if not _is_integer(digits) or not 0 <= digits <= MAX_DIGITS:
        raise _bad(name, f"{where}.digits", digits, f"must be an integer from 0 to {MAX_DIGITS}")
    return mode, digits


def _is_integer(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_fields(name: str, prefix: str, raw: dict[str, Any], allowed: tuple[str, ...], what: str) -> None:
    for field in raw:
        if field not in allowed:
            shown = f"{prefix}{field}" if field.isidentifier() and len(field) < 60 else f"{prefix}{_shown(field)}"
            raise BenchlakeError(f"{name}: {shown} is no field of {what}, which has {', '.join(allowed)}; remove it")


def _one_of(name: str, field: str, value: Any, allowed: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise _bad(name, field, value, f"must be one of {', '.join(allowed)}")
    return value


def _bad(name: str, field: str, value: Any, rule: str) -> BenchlakeError:
    found = "it is missing or null" if value is None else f"found {_shown(value)}"
    return BenchlakeError(f"{name}: {field} {rule}; {found}")


def _shown(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return f"a JSON {'object' if isinstance(value, dict) else 'list'} of {len(value)}"
    text = value if isinstance(value, str) else repr(value)
    text = json.dumps(text[:60]) if isinstance(value, str) else text[:60]
    return text
