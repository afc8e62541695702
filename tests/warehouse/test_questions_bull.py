"""BULL in its published layout, written here in small."""

import json
from pathlib import Path

import pytest

from warehouse.errors import BenchlakeError
from warehouse.questions.model import ColumnLabel, Json, Question, SuppliedRelation
from warehouse.questions.read import read_questions


def record(q_id: int, question: str, sql: str, db: str = "ccks_fund") -> Json:
    parse: dict[str, Json] = {"from": {"table_units": ["mf_netvalue"]}, "select": [False], "limit": 1}
    return {"q_id": q_id, "question": question, "db_name": db, "sql_query": sql, **parse}


def tables(natural: str, shift: int) -> Json:
    """Two tables with `id` first; column indexes too high by `shift`, as FinSQL's converter writes them."""
    return [
        {
            "db_id": "ccks_fund",
            "table_names_original": ["mf_fundarchives", "mf_netvalue"],
            "table_names": [natural, natural],
            "column_names_original": [[-1, "*"], [0, "id"], [0, "InnerCode"], [0, "Abbr"], [1, "id"], [1, "InnerCode"]],
            "column_names": [[-1, "*"], [0, natural]],
            "primary_keys": [1 + shift, 4 + shift],
            "foreign_keys": [[5 + shift, 2 + shift]],
        }
    ]


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    root = tmp_path / "dataset"
    contents: dict[str, Json] = {
        "BULL-cn/train.json": [record(0, "基金有多少只", "select count(*) from mf_fundarchives;")],
        "BULL-cn/dev.json": [
            record(0, "列出基金", "select Abbr from mf_fundarchives"),
            record(1, "", "select 1"),
            record(2, "今年GDP", "select 1", "ccks_macro"),
        ],
        "BULL-cn/dev_cn.json": [{"q_id": 0, "question": "列出基金", "db_name": "ccks_fund"}],
        "BULL-cn/tables.json": tables("基金", 1),
        "BULL-en/train.json": [record(0, "How many funds?", "select count(*) from mf_fundarchives;")],
        "BULL-en/dev.json": [record(0, "List the funds", "select Abbr from mf_fundarchives")],
        "BULL-en/tables.json": tables("fund", 1),
        "database_cn/ccks_fund/notes.json": [],
    }
    for name, value in contents.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return root


def test_a_file_takes_language_and_split_from_its_place(dataset: Path) -> None:
    read = read_questions(dataset / "BULL-cn" / "dev.json", "bull")
    first, last = read.questions
    sql = "select Abbr from mf_fundarchives"
    assert first == Question("cn-dev-0", "ccks_fund", "列出基金", sql, language="zh", split="dev")
    assert (last.qid, last.db_id) == ("cn-dev-2", "ccks_macro")
    assert [(r.position, r.qid, r.code) for r in read.rejected] == [(2, "cn-dev-1", "question_malformed")]
    assert read.rejected[0].message.startswith("BULL-cn/dev.json: ")


def test_a_folder_gives_every_split_and_a_dataset_both_languages(dataset: Path) -> None:
    read = read_questions(dataset / "BULL-cn", "bull")
    assert [question.qid for question in read.questions] == ["cn-train-0", "cn-dev-0", "cn-dev-2"]
    read = read_questions(dataset, "bull")
    assert [(question.qid, question.language) for question in read.questions] == [
        ("cn-train-0", "zh"),
        ("cn-dev-0", "zh"),
        ("cn-dev-2", "zh"),
        ("en-train-0", "en"),
        ("en-dev-0", "en"),
    ]
    assert {question.db_id for question in read.questions} == {"ccks_fund", "ccks_macro"}
    labels = {(label.label, label.language) for label in read.column_labels if label.column is None}
    assert labels == {("基金", "zh"), ("fund", "en")}
    assert ColumnLabel("ccks_fund", "mf_fundarchives", "id", "基金", "zh") in read.column_labels


@pytest.mark.parametrize("shift", [0, 1])
def test_column_indexes_one_too_high_are_put_right(dataset: Path, shift: int) -> None:
    folder = dataset / "BULL-en"
    (folder / "tables.json").write_text(json.dumps(tables("fund", shift)), encoding="utf-8")
    expected = SuppliedRelation("ccks_fund", "mf_netvalue", ("InnerCode",), "mf_fundarchives", ("InnerCode",))
    assert read_questions(folder, "bull").relations == (expected,)


def test_a_file_without_sql_is_rejected_record_by_record(dataset: Path) -> None:
    read = read_questions(dataset / "BULL-cn" / "dev_cn.json", "bull")
    assert [(r.qid, r.code) for r in read.rejected] == [("cn-dev-0", "question_without_sql")]


def test_other_field_names_and_a_file_outside_the_layout(tmp_path: Path) -> None:
    path = tmp_path / "dev_en.json"
    path.write_text(json.dumps([{"question": "q", "db_id": "ccks_stock", "query": "select 1"}]), encoding="utf-8")
    question = read_questions(path, "bull").questions[0]
    assert (question.qid, question.language, question.split) == ("en-dev-ccks_stock-0", "en", "dev")


def test_a_folder_without_the_layout_is_named(tmp_path: Path) -> None:
    with pytest.raises(BenchlakeError, match=r"no train\.json, dev\.json or test\.json here"):
        read_questions(tmp_path, "bull")
