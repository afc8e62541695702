"""Configurations: what is read, what is refused and in which words."""

from __future__ import annotations

import gzip
import hashlib
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

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
        (TEXT | {"gold_name": "", "type": "boolean"}, ColumnRule(0, "", "boolean")),
        (NUMBER | {"comparison": {"mode": "integer"}}, ColumnRule(0, "n", "number", "integer")),
        (NUMBER | {"allow_percent_sign": False}, ColumnRule(0, "n", "number", "decimal_places", 2)),
        (
            NUMBER | {"comparison": {"mode": "decimal_places", "digits": 30}},
            ColumnRule(0, "n", "number", "decimal_places", 30),
        ),
    ],
)
def test_a_column_is_read(column: dict[str, Any], rule: ColumnRule) -> None:
    assert parse_config(written(columns=[column]), "task_7").columns == (rule,)


@pytest.mark.parametrize("task_id", ["task_0", "task_01", "task_999999999999999999999"])
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
        (written(task_id="task_٣"), "task_id"),
        (written(colour="red"), "colour is no field of a configuration"),
        (written(**{"a\nb" * 100: 1}), "is no field"),
        (written(columns=[TEXT | {"unit": "plain"}]), "columns[0].unit is no field of a text column"),
        (written(columns=[TEXT | {"comparison": {"mode": "integer"}}]), "columns[0].comparison is no field"),
        (written(columns=[TEXT | {"allow_percent_sign": True}]), "columns[0].allow_percent_sign is no field"),
        (written(columns=[NUMBER | {"note": []}]), "columns[0].note is no field of a number column"),
        (written(columns=[TEXT | {"gold_index": False}]), "columns[0].gold_index"),
        (written(columns=[TEXT | {"gold_index": 0.0}]), "columns[0].gold_index"),
        (written(columns=[NUMBER | {"allow_percent_sign": "false"}]), "columns[0].allow_percent_sign"),
        (written(columns=[NUMBER | {"allow_percent_sign": None}]), "columns[0].allow_percent_sign"),
        (written(columns=[NUMBER | {"comparison": {"mode": "integer", "digits": 0}}]), "comparison.digits is no field"),
        (written(columns=[NUMBER | {"comparison": {"mode": "decimal_places", "digits": True}}]), "comparison.digits"),
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
    columns = [TEXT, NUMBER | {"gold_index": 1, "unit": "fraction", "allow_percent_sign": True}]
    columns.append(NUMBER | {"gold_index": 2, "comparison": {"mode": "integer"}})
    config = parse_config(written(columns=columns), "task_7")
    assert parse_config(json.dumps(canonical_config(config)).encode(), "task_7") == config


def test_the_digest_is_over_names_and_bytes_in_numeric_order() -> None:
    wanted = hashlib.sha256(b"task_2.json\0two\0task_10.json\0ten\0").hexdigest()
    assert config_digest([("task_10", b"ten"), ("task_2", b"two")]) == wanted
    assert config_digest([]) == hashlib.sha256(b"").hexdigest()


def test_tasks_are_ordered_by_number() -> None:
    names = ["task_10", "task_2", "task_3", "task_02", "task_0"]
    assert sorted(names, key=task_order) == ["task_0", "task_02", "task_2", "task_3", "task_10"]


@pytest.fixture(scope="module")
def schema() -> Draft202012Validator:
    body = json.loads((files("eval_sql") / "config.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(body)
    return Draft202012Validator(body)


def is_read(config: Any) -> bool:
    """Whether the reader takes it from a file of its own name."""
    task_id = config.get("task_id") if isinstance(config, dict) else None
    try:
        parse_config(json.dumps(config).encode(), task_id if isinstance(task_id, str) else "task_7")
    except BenchlakeError:
        return False
    return True


# Whole numbers with a point are integers to JSON Schema, and left out here.
junk = st.sampled_from(
    [
        None,
        True,
        False,
        0,
        1,
        31,
        -1,
        2.5,
        "",
        "plain",
        "integer",
        "text",
        "1.0",
        "0",
        [],
        {},
        ["text"],
        {"mode": "integer"},
    ]
)
modes = st.sampled_from(["integer", "decimal_places", "significant_digits"])
comparisons = st.one_of(
    st.just({"mode": "integer"}),
    st.fixed_dictionaries({"mode": modes, "digits": st.integers(0, 30)}),
    st.fixed_dictionaries({"mode": modes}, optional={"digits": st.integers(-2, 33) | junk, "places": junk}),
)
columns = st.one_of(
    st.fixed_dictionaries(
        {"gold_name": st.text(max_size=3), "type": st.sampled_from(["text", "date", "datetime", "boolean"])}
    ),
    st.fixed_dictionaries(
        {"gold_name": st.text(max_size=3), "type": st.just("number"), "comparison": comparisons},
        optional={
            "unit": st.sampled_from(["plain", "percentage_points", "fraction", "percent"]),
            "allow_percent_sign": st.booleans(),
        },
    ),
)


@st.composite
def configs(draw: st.DrawFn) -> Any:
    """A configuration, often sound, with up to two fields removed, replaced or added anywhere."""
    found = draw(st.lists(columns, min_size=1, max_size=3))
    config: Any = json.loads(written(columns=[{"gold_index": at} | column for at, column in enumerate(found)]))
    config["task_id"] = draw(
        st.sampled_from(["task_7", "task_7", "task_0", "task_", "task_7\n", "task_٣", "Task_1", "xtask_1", "task_1x"])
    )
    for _ in range(draw(st.integers(0, 2))):
        place = draw(
            st.sampled_from([config, *(column for column in config.get("columns") or [] if isinstance(column, dict))])
        )
        if "comparison" in place and isinstance(place["comparison"], dict) and draw(st.booleans()):
            place = place["comparison"]
        field = draw(st.sampled_from([*place, "unit", "digits", "comparison", "note"]))
        if draw(st.booleans()):
            place.pop(field, None)
        elif field != "columns" and field != "gold_index":
            place[field] = draw(junk)
        elif field == "columns":
            config["columns"] = draw(st.sampled_from([None, [], {}, "text", [7], [None]]))
            break
        else:
            place[field] = draw(st.sampled_from([None, False, "0", [], -1, 0.5]))
    return config


@settings(deadline=None, max_examples=800)
@given(configs())
def test_the_schema_and_the_reader_agree(schema: Draft202012Validator, config: Any) -> None:
    assert is_read(config) == schema.is_valid(config)


@given(junk)
def test_only_an_object_is_a_configuration(schema: Draft202012Validator, value: Any) -> None:
    assert not is_read(value) and not schema.is_valid(value)


def test_every_public_configuration_satisfies_both(shared: Path, schema: Draft202012Validator) -> None:
    with gzip.open(shared / "conformance" / "cases.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            config = json.loads(line)["config"]
            assert is_read(config) and schema.is_valid(config), config
            canonical = canonical_config(parse_config(json.dumps(config).encode(), config["task_id"]))
            assert schema.is_valid(canonical), canonical
