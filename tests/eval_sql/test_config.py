"""Configurations: what is read, what is refused and in which words."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from eval_sql.config import ColumnRule, Config, canonical_config, config_digest, parse_config, task_order
from warehouse.errors import BenchlakeError

TEXT = {"gold_index": 0, "gold_name": "名", "type": "text"}
NUMBER = {"gold_index": 0, "gold_name": "n", "type": "number", "comparison": {"mode": "decimal_places", "digits": 2}}


def written(**changes: Any) -> bytes:
    config = {"schema_version": "1.0", "task_id": "task_7", "order_sensitive": False, "columns": [TEXT]} | changes
    return json.dumps(config, ensure_ascii=False).encode()


def test_a_full_configuration_is_read() -> None:
    percent = NUMBER | {"gold_index": 1, "unit": "fraction", "allow_percent_sign": True}
    config = parse_config(written(order_sensitive=True, columns=[TEXT, percent]), "task_7")
    rules = (ColumnRule(0, "名", "text"), ColumnRule(1, "n", "number", "decimal_places", 2, "fraction", True))
    assert config == Config("task_7", True, rules)


@pytest.mark.parametrize(
    ("column", "rule"),
    [
        (TEXT | {"gold_index": False, "unit": "furlong", "comparison": 3, "note": []}, ColumnRule(0, "名", "text")),
        (TEXT | {"gold_index": 0.0, "allow_percent_sign": True}, ColumnRule(0, "名", "text")),
        (TEXT | {"gold_name": "", "type": "boolean"}, ColumnRule(0, "", "boolean")),
        (
            NUMBER | {"comparison": {"mode": "significant_digits", "digits": True}},
            ColumnRule(0, "n", "number", "significant_digits", 1),
        ),
        (NUMBER | {"comparison": {"mode": "integer", "digits": "x"}}, ColumnRule(0, "n", "number", "integer")),
        (NUMBER | {"allow_percent_sign": "false"}, ColumnRule(0, "n", "number", "decimal_places", 2, "plain", True)),
        (NUMBER | {"allow_percent_sign": None}, ColumnRule(0, "n", "number", "decimal_places", 2)),
        (
            NUMBER | {"comparison": {"mode": "decimal_places", "digits": 30}},
            ColumnRule(0, "n", "number", "decimal_places", 30),
        ),
    ],
)
def test_what_the_reference_lets_through_is_read(column: dict[str, Any], rule: ColumnRule) -> None:
    assert parse_config(written(columns=[column], colour="red"), "task_7").columns == (rule,)


@pytest.mark.parametrize("task_id", ["task_0", "task_01", "task_٣", "task_999999999999999999999"])
def test_odd_task_ids_are_read(task_id: str) -> None:
    assert parse_config(written(task_id=task_id), task_id).task_id == task_id


@pytest.mark.parametrize(
    ("data", "field"),
    [
        (b"[]", "a JSON list of 0"),
        (b"3", "the configuration is 3"),
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff{}", "not UTF-8 at byte 0"),
        (b"\xef\xbb\xbf" + written(), "not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not JSON"),
        (written(schema_version=1.0), "schema_version"),
        (written(task_id=None), "task_id"),
        (written(task_id=7), "task_id"),
        (written(task_id="task_"), "task_id"),
        (written(task_id="task_7\n"), "task_id"),
        (written(task_id="task_07"), "task_id"),
        (written(task_id="task_" + "9" * 5000), "task_id"),
        (written(order_sensitive=1), "order_sensitive"),
        (written(order_sensitive=None), "order_sensitive"),
        (written(columns=[]), "columns"),
        (written(columns={"0": TEXT}), "columns"),
        (written(columns=[7]), "columns[0]"),
        (written(columns=[TEXT, TEXT]), "columns[1].gold_index"),
        (written(columns=[TEXT | {"gold_index": "0"}]), "columns[0].gold_index"),
        (written(columns=[TEXT | {"gold_name": None}]), "columns[0].gold_name"),
        (written(columns=[TEXT | {"type": "int"}]), "columns[0].type"),
        (written(columns=[TEXT | {"type": ["text"]}]), "columns[0].type"),
        (written(columns=[TEXT | {"type": "number"}]), "columns[0].comparison"),
        (written(columns=[NUMBER | {"comparison": {}}]), "columns[0].comparison.mode"),
        (written(columns=[NUMBER | {"comparison": {"mode": {}}}]), "columns[0].comparison.mode"),
        (written(columns=[NUMBER | {"comparison": {"mode": "decimal_places"}}]), "columns[0].comparison.digits"),
        (written(columns=[NUMBER | {"comparison": {"mode": "decimal_places", "digits": 31}}]), "comparison.digits"),
        (written(columns=[NUMBER | {"comparison": {"mode": "decimal_places", "digits": -1}}]), "comparison.digits"),
        (written(columns=[NUMBER | {"comparison": {"mode": "decimal_places", "digits": 2.0}}]), "comparison.digits"),
        (written(columns=[NUMBER | {"unit": []}]), "columns[0].unit"),
        (written(columns=[NUMBER | {"unit": None}]), "columns[0].unit"),
        (written(columns=[NUMBER | {"unit": "percent" * 10_000}]), "columns[0].unit"),
    ],
)
def test_a_bad_configuration_is_one_clear_line(data: bytes, field: str) -> None:
    with pytest.raises(BenchlakeError) as error:
        parse_config(data, "task_7")
    message = str(error.value)
    assert message.startswith("task_7.json: ") and field in message
    assert "\n" not in message and len(message) < 250


def test_the_canonical_form_reads_back() -> None:
    columns = [TEXT, NUMBER | {"gold_index": 1, "unit": "fraction", "allow_percent_sign": 1}]
    columns.append(NUMBER | {"gold_index": 2, "comparison": {"mode": "integer"}})
    config = parse_config(written(columns=columns), "task_7")
    assert parse_config(json.dumps(canonical_config(config)).encode(), "task_7") == config


def test_the_digest_is_over_names_and_bytes_in_numeric_order() -> None:
    wanted = hashlib.sha256(b"task_2.json\0two\0task_10.json\0ten\0").hexdigest()
    assert config_digest([("task_10", b"ten"), ("task_2", b"two")]) == wanted
    assert config_digest([]) == hashlib.sha256(b"").hexdigest()


def test_tasks_are_ordered_by_number() -> None:
    names = ["task_10", "task_2", "task_٣", "task_02", "task_0"]
    assert sorted(names, key=task_order) == ["task_0", "task_02", "task_2", "task_٣", "task_10"]
