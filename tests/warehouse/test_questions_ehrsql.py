"""EHRSQL: both editions, and gold SQL as the official evaluation runs it."""

import json
import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warehouse.errors import BenchlakeError
from warehouse.questions.ehrsql import NOW_FIRST_EDITION, post_process
from warehouse.questions.model import Json, QuestionSet
from warehouse.questions.read import read_questions

SPLITS = {"train": (5124, 450), "valid": (1163, 232), "test": (1167, 233)}


@cache
def published(folder: Path) -> dict[str, QuestionSet]:
    return {split: read_questions(folder / split, "ehrsql") for split in SPLITS}


@pytest.fixture
def folder(shared: Path) -> Path:
    return shared / "data" / "ehrsql_mimic_iv_demo"


def test_counts_and_database_of_the_published_splits(folder: Path) -> None:
    for split, (questions, unanswerable) in SPLITS.items():
        read = published(folder)[split]
        assert (len(read.questions), read.rejected) == (questions, ())
        assert sum(question.sql is None for question in read.questions) == unanswerable
        assert {(question.db_id, question.split) for question in read.questions} == {("mimic_iv", split)}
        assert len(read.relations) == 25
    assert sum(unanswerable for _, unanswerable in SPLITS.values()) == 915
    polymorphic = [r.parent_table for r in published(folder)["test"].relations if r.child_columns == ("event_id",)]
    assert polymorphic == ["diagnoses_icd", "procedures_icd", "labevents", "prescriptions"]


def test_processed_gold_runs_and_gives_the_published_answers(folder: Path) -> None:
    answerable = [q for read in published(folder).values() for q in read.questions if q.sql is not None]
    assert len(answerable) == 6539
    # A fixed sample: every 22nd question, and all that use a normal range.
    sample = [q for place, q in enumerate(answerable) if place % 22 == 0 or "_lower" in (q.source_sql or "")]
    assert len(sample) >= 300
    database = folder / "mimic_iv.sqlite"
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
        for question in sample:
            rows = connection.execute(question.sql or "").fetchall()
            shown = [[str(round(c, 3) if isinstance(c, float) else c) for c in row] for row in rows]
            assert str(sorted(shown)[:100]) == question.extra["answer"], question.qid


def test_source_sql_is_kept_only_where_a_rule_changed_it(folder: Path) -> None:
    for question in published(folder)["valid"].questions:
        changed = question.source_sql is not None
        assert changed == (question.source_sql not in (None, question.sql))
        assert changed == ("current_time" in (question.source_sql or "") or "_lower" in (question.source_sql or ""))


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select datetime(current_time,'-1 year')", "select datetime('2100-12-31 23:59:00','-1 year')"),
        ("select CURRENT_TIME", "select '2100-12-31 23:59:00'"),
        ("select t.current_time, current_time.x", "select t.current_time, current_time.x"),
        ("select 'current_time', \"current_time\"", "select 'current_time', \"current_time\""),
        ("select 'it''s current_time' , current_time", "select 'it''s current_time' , '2100-12-31 23:59:00'"),
        ("select current_timestamp, my_current_time", "select current_timestamp, my_current_time"),
        ("v between sao2_lower and sao2_upper", "v between 95.0 and 100.0"),
        ("v between temperature_lower and temperature_upper", "v between 35.5 and 38.1"),
        ("v between heart_rate_lower and heart_rate_upper", "v between 60.0 and 100.0"),
        ("v between respiration_lower and respiration_upper", "v between 12.0 and 18.0"),
        ("v between systolic_bp_lower and systolic_bp_upper", "v between 90.0 and 120.0"),
        ("v between diastolic_bp_lower and diastolic_bp_upper", "v between 60.0 and 90.0"),
        ("v between mean_bp_lower and mean_bp_upper", "v between 60.0 and 110.0"),
        ("v between glucose_lower and 'sao2_upper'", "v between glucose_lower and 'sao2_upper'"),
        ("a > = 1 and b <  = 2 and c !\n= 3", "a >= 1 and b <= 2 and c != 3"),
        ("a = '> =' and b > '= ' -- < =\n and [! =] < 1", "a = '> =' and b > '= ' -- < =\n and [! =] < 1"),
        ("a /* > = current_time */ > = 1", "a /* > = current_time */ >= 1"),
        ("strftime('%y-%m', x) , STRFTIME ( '%j' , x)", "strftime('%Y-%m', x) , STRFTIME ( '%J' , x)"),
        ("x like '%y%' and f('%y') and strftime(x, '%y')", "x like '%y%' and f('%y') and strftime(x, '%y')"),
        ("select 'unclosed current_time > = ", "select 'unclosed current_time > = "),
        ("select 1 as café_current_time", "select 1 as café_current_time"),
        ("", ""),
    ],
)
def test_post_processing_pairs(sql: str, expected: str) -> None:
    assert post_process(sql) == expected


@given(st.text(st.sampled_from("'\"`[]-/*<>!= \n.(aé1$%y"), max_size=40))
def test_post_processing_keeps_every_other_character(text: str) -> None:
    processed = post_process(text)
    assert processed.replace(" ", "").replace("\n", "") == text.replace(" ", "").replace("\n", "")
    assert post_process(processed) == processed


def write(folder: Path, **contents: Json) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in contents.items():
        (folder / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    return folder


DATA: Json = {"version": "v_valid", "data": [{"id": "a", "question": "qa"}, {"id": "b", "question": "qb"}]}
TABLES: list[Json] = [
    {"db_id": "m", "table_names_original": ["t"], "column_names_original": [[0, "c"]], "foreign_keys": [[0, 0]]}
]


def test_the_2024_form_joins_labels_and_answers(tmp_path: Path) -> None:
    labels: Json = {"a": "select > = current_time", "b": "null", "c": "select 1"}
    folder = write(tmp_path / "set", data=DATA, label=labels, answer={"a": "[['1']]"}, tables=TABLES)
    for path in (folder, folder / "data.json"):
        read = read_questions(path, "ehrsql")
        first, second = read.questions
        assert (first.qid, first.db_id, first.split, first.extra) == ("a", "m", "valid", {"answer": "[['1']]"})
        assert (first.sql, first.source_sql) == ("select >= '2100-12-31 23:59:00'", "select > = current_time")
        assert (second.sql, second.source_sql, second.extra) == (None, None, {})
        assert [(r.position, r.code) for r in read.rejected] == [(3, "label_without_question")]
    read = read_questions(folder, "ehrsql", "mine")
    assert {question.db_id for question in read.questions} == {"mine"}
    assert [relation.db_id for relation in read.relations] == ["mine"]


def test_a_question_without_label_is_rejected(tmp_path: Path) -> None:
    read = read_questions(write(tmp_path, data=DATA, label={"b": 5}), "ehrsql", "m")
    assert [(r.qid, r.code) for r in read.rejected] == [("a", "question_without_sql"), ("b", "question_malformed")]


def test_what_is_missing_from_the_2024_form_is_named(tmp_path: Path) -> None:
    with pytest.raises(BenchlakeError, match=r"data\.json: no such file"):
        read_questions(tmp_path, "ehrsql")
    write(tmp_path, data=DATA)
    with pytest.raises(BenchlakeError, match="no database is known"):
        read_questions(tmp_path, "ehrsql")
    with pytest.raises(BenchlakeError, match=r"label\.json: no such file"):
        read_questions(tmp_path, "ehrsql", "m")
    (tmp_path / "label.json").write_text('{"a": "select 1", "b": "null", "a": "select 2"}')
    with pytest.raises(BenchlakeError, match=r"label\.json: the name 'a' is given twice"):
        read_questions(tmp_path, "ehrsql", "m")
    write(tmp_path, data={"data": {}})
    with pytest.raises(BenchlakeError, match='an object without a list under "data"'):
        read_questions(tmp_path, "ehrsql", "m")


def test_the_first_edition_is_a_list_with_its_own_clock(tmp_path: Path) -> None:
    records: Json = [
        {"id": "a", "db_id": "eicu", "question": "qa", "query": "select current_time", "is_impossible": False},
        {"id": "b", "db_id": "eicu", "question": "qb", "query": "select 1", "is_impossible": True, "split": "test"},
        {"id": "c", "db_id": "eicu", "question": "qc", "is_impossible": True, "department": "['nursing']"},
        {"id": "d", "db_id": "eicu", "question": "qd", "query": "null", "is_impossible": False},
        {"id": "e", "db_id": "eicu", "question": "qe", "query": "select 1", "is_impossible": "no"},
        {"id": "f", "db_id": "eicu", "question": "qf", "query": "select current_time"},
    ]
    read = read_questions(write(tmp_path, valid=records) / "valid.json", "ehrsql", "unused")
    assert [(q.qid, q.sql, q.split) for q in read.questions] == [
        ("a", f"select '{NOW_FIRST_EDITION}'", "valid"),
        ("b", None, "test"),
        ("c", None, "valid"),
        ("d", None, "valid"),
        ("f", "select '2100-12-31 23:59:00'", "valid"),
    ]
    assert read.questions[2].extra == {"is_impossible": True, "department": "['nursing']"}
    assert [(r.position, r.qid, r.code) for r in read.rejected] == [(5, "e", "question_malformed")]
