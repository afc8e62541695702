"""Relations that come from a file: a list of relations, or a Spider `tables.json`."""

import json
from pathlib import Path
from typing import Any

import pytest

from warehouse.errors import BenchlakeError
from warehouse.questions.model import Json, SuppliedRelation
from warehouse.questions.read import read_questions, read_relations

RELATION: dict[str, Any] = {
    "child_table": "a",
    "child_columns": ["x", "y"],
    "parent_table": "b",
    "parent_columns": ["u", "v"],
}
ENTRY: dict[str, Any] = {
    "db_id": "d",
    "table_names_original": ["a", "b"],
    "table_names": ["first", "second"],
    "column_names_original": [[-1, "*"], [0, "x"], [1, "u"]],
    "column_names": [[-1, "*"], [0, "the x"], [1, "the u"]],
    "foreign_keys": [[1, 2]],
}


def write(folder: Path, value: Json, name: str = "relations.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_a_list_of_relations_each_once(tmp_path: Path) -> None:
    path = write(tmp_path, [RELATION, {**RELATION, "db_id": "d"}, RELATION])
    assert read_relations(path) == (
        SuppliedRelation("", "a", ("x", "y"), "b", ("u", "v")),
        SuppliedRelation("d", "a", ("x", "y"), "b", ("u", "v")),
    )
    assert read_relations(write(tmp_path, [])) == ()


def test_the_foreign_keys_of_a_tables_json(tmp_path: Path, shared: Path) -> None:
    assert read_relations(write(tmp_path, [ENTRY])) == (SuppliedRelation("d", "a", ("x",), "b", ("u",)),)
    assert len(read_relations(shared / "data" / "ehrsql_mimic_iv_demo" / "tables.json")) == 25


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "holds an object"),
        ([7], "entry 1: the entry is a number"),
        ([RELATION, {**RELATION, "child_columns": "x"}], 'entry 2: "child_columns" is not a list'),
        ([{**RELATION, "child_columns": []}], '"child_columns" is not a list of column names'),
        ([{**RELATION, "child_columns": ["x"]}], "1 child columns for 2 parent columns"),
        ([{**RELATION, "child_columns": ["x", 2]}], "'child_columns' is a number"),
        ([{**RELATION, "parent_table": ""}], '"parent_table" holds an empty name'),
        ([{**RELATION, "db_id": "a\0"}], "holds a NUL character"),
        ([{"child_table": "a"}], '"child_columns" is not a list'),
        ([{**ENTRY, "foreign_keys": [[1, 9]]}], "foreign key 1 is no pair of columns"),
        ([{**ENTRY, "foreign_keys": [[1, 0]]}], "foreign key 1 is no pair of columns"),
        ([{**ENTRY, "foreign_keys": [[1, 2], [-1, 2]]}], "foreign key 2 is no pair of columns"),
        ([{**ENTRY, "foreign_keys": [[[1], [2]]]}], "foreign key 1 is no pair of columns"),
        ([{**ENTRY, "db_id": None}], "'db_id' is null where text is expected"),
        ([{**ENTRY, "column_names_original": [[5, "x"]]}], "a column is no pair of a table's index and a name"),
    ],
)
def test_an_entry_that_cannot_be_used_is_one_clear_line(tmp_path: Path, value: Any, message: str) -> None:
    path = write(tmp_path, value)
    with pytest.raises(BenchlakeError) as caught:
        read_relations(path)
    text = str(caught.value)
    assert message in text and str(path) in text and "\n" not in text


def test_a_bad_tables_json_beside_a_set_costs_its_entry_and_not_the_questions(tmp_path: Path) -> None:
    questions = write(tmp_path, [{"db_id": "d", "question": "q", "query": "select 1"}], "dev.json")
    bad: Json = [{**ENTRY, "foreign_keys": [[1, 2], [1, 9]]}, "x", {**ENTRY, "table_names": [1, 2]}]
    write(tmp_path, bad, "tables.json")
    read = read_questions(questions, "spider")
    assert (len(read.questions), len(read.relations)) == (1, 1)
    assert {label.label for label in read.column_labels} == {"first", "second", "the x", "the u"}
    assert [(r.position, r.qid, r.code) for r in read.rejected] == [
        (1, None, "tables_malformed"),
        (2, None, "tables_malformed"),
        (3, None, "tables_malformed"),
    ]


def test_a_tables_json_that_is_none_at_all_is_named(tmp_path: Path) -> None:
    questions = write(tmp_path, [], "dev.json")
    write(tmp_path, {"db_id": "d"}, "tables.json")
    with pytest.raises(BenchlakeError, match=r"tables\.json: holds an object; expected a JSON list of databases"):
        read_questions(questions, "spider")


def test_natural_names_of_another_table_are_not_used(tmp_path: Path) -> None:
    questions = write(tmp_path, [{"db_id": "d", "question": "q", "query": "select 1"}], "dev.json")
    write(tmp_path, [{**ENTRY, "column_names": [[-1, "*"], [1, "the u"]]}], "tables.json")
    labels = read_questions(questions, "spider").column_labels
    assert [(label.table, label.column) for label in labels] == [("a", None), ("b", None)]
