"""Question sets as published: counts on real data, ids, and the shape of what comes out."""

import json
from pathlib import Path

import pytest

from warehouse.errors import BenchlakeError
from warehouse.questions import files
from warehouse.questions.model import Json, Question
from warehouse.questions.read import FORMS, read_questions


def write(path: Path, value: Json) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("file", "form", "count"),
    [
        ("spider_dev/questions.json", "spider", 1034),
        ("spider_dev/spider_realistic.json", "spider", 508),
        ("spider_train_pick/questions.json", "spider", 536),
        ("chinook/questions.json", "spider", 84),
        ("bird_superhero/questions.json", "bird", 129),
        ("bird_superhero/questions_minidev.json", "bird", 52),
    ],
)
def test_every_record_of_the_published_sets_is_a_question(shared: Path, file: str, form: str, count: int) -> None:
    path = shared / "data" / file
    records = json.loads(path.read_text(encoding="utf-8"))
    read = read_questions(path, form)
    assert (len(read.questions), read.rejected) == (count, ())
    assert len({question.qid for question in read.questions}) == count
    for record, question in zip(records, read.questions, strict=True):
        assert (question.question, question.sql, question.db_id) == (
            record["question"],
            record["query"],
            record["db_id"],
        )
        assert question.qid == str(record.get("id", question.qid))
        assert question.evidence == record.get("evidence", "")


def test_spider_tables_give_the_relations_and_labels_of_the_databases_asked_about(shared: Path) -> None:
    read = read_questions(shared / "data" / "spider_dev" / "questions.json", "spider")
    assert len(read.relations) == 63
    assert {relation.db_id for relation in read.relations} <= {question.db_id for question in read.questions}
    singers = [relation for relation in read.relations if relation.db_id == "concert_singer"]
    assert [(r.child_table, r.child_columns, r.parent_table, r.parent_columns) for r in singers] == [
        ("concert", ("Stadium_ID",), "stadium", ("Stadium_ID",)),
        ("singer_in_concert", ("Singer_ID",), "singer", ("Singer_ID",)),
        ("singer_in_concert", ("concert_ID",), "concert", ("concert_ID",)),
    ]
    labels = {(label.table, label.column): label.label for label in read.column_labels if label.db_id == "car_1"}
    assert labels[("car_makers", None)] == "car makers"
    assert labels[("car_makers", "FullName")] == "full name"


def test_ids_are_made_from_the_place_within_the_database(shared: Path) -> None:
    read = read_questions(shared / "data" / "spider_dev" / "spider_realistic.json", "spider")
    for db_id in {question.db_id for question in read.questions}:
        ids = [question.qid for question in read.questions if question.db_id == db_id]
        assert ids == [f"{db_id}-{place}" for place in range(len(ids))]


def test_a_place_is_kept_by_a_record_that_is_rejected(tmp_path: Path) -> None:
    records: Json = [
        {"db_id": "a", "question": "one", "query": "select 1"},
        {"db_id": "b", "question": "two", "query": "select 2"},
        {"db_id": "a", "question": 3, "query": "select 3"},
        {"db_id": "a", "question": "four", "query": "select 4"},
    ]
    read = read_questions(write(tmp_path / "dev.json", records), "spider")
    assert [question.qid for question in read.questions] == ["a-0", "b-0", "a-2"]
    assert [(r.position, r.qid, r.code) for r in read.rejected] == [(3, "a-1", "question_malformed")]


def test_a_second_record_with_an_id_is_rejected_and_the_first_stays(tmp_path: Path) -> None:
    records: Json = [
        {"id": "x", "db_id": "a", "question": "one", "query": "select 1"},
        {"id": "x", "db_id": "a", "question": "two", "query": "select 2"},
        {"id": "a-3", "db_id": "a", "question": "three", "query": "select 3"},
        {"db_id": "a", "question": "four", "query": "select 4"},
    ]
    read = read_questions(write(tmp_path / "dev.json", records), "spider")
    assert [question.question for question in read.questions] == ["one", "three"]
    assert [(r.position, r.qid, r.code) for r in read.rejected] == [
        (2, "x", "question_duplicate_id"),
        (4, "a-3", "question_duplicate_id"),
    ]


def test_spider_keeps_text_as_given_and_no_parse(tmp_path: Path) -> None:
    record: Json = {
        "db_id": "d",
        "question": " cafe\u0301 \u2028? ",
        "query": "SELECT  1 ;",
        "query_toks": ["SELECT", "1"],
        "question_toks": ["cafe"],
        "sql": {"select": [False, []]},
        "hardness": 2,
        "note": "n" * 9000,
    }
    read = read_questions(write(tmp_path / "train_spider.json", [record]), "spider")
    assert read.questions == (
        Question("d-0", "d", " cafe\u0301 \u2028? ", "SELECT  1 ;", split="train", extra={"hardness": 2}),
    )


def test_bird_in_both_variants(tmp_path: Path) -> None:
    dev: Json = [{"question_id": 7, "db_id": "d", "question": "q", "evidence": "e", "SQL": "s", "difficulty": "simple"}]
    mini: Json = [{"question_id": "7", "db_id": "d", "question": "q", "evidence": None, "query": "s", "index": 3}]
    tables: dict[str, Json] = {"table_names_original": ["t"], "column_names_original": [[0, "c"]]}
    write(tmp_path / "dev_tables.json", [{"db_id": "d", "table_names": ["tea"], **tables}])
    read = read_questions(write(tmp_path / "dev.json", dev), "bird")
    assert read.questions == (Question("7", "d", "q", "s", evidence="e", split="dev", difficulty="simple"),)
    assert [label.label for label in read.column_labels] == ["tea"]
    read = read_questions(write(tmp_path / "mini_dev_sqlite.json", mini), "bird")
    assert read.questions == (Question("7", "d", "q", "s", split="dev", extra={"index": 3}),)


def test_jsonl_reads_aliases_blank_lines_and_unanswerable_questions(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    lines = [
        '{"id": "a", "db_id": "d", "question": "q1", "sql": "select 1", "evidence": "e", "language": "zh"}',
        "",
        '{"question": "q2", "query": "select 2", "split": "dev", "difficulty": "hard", "topic": "x"}\r',
        '{"id": 3, "db_id": "d", "question": "q3", "SQL": "select 3"}',
        "  \t",
        '{"id": "n", "db_id": "d", "question": "q\\u2028", "sql": null}',
        "{not json}",
        '{"id": "t", "db_id": "d", "question": "q\u2028", "sql": "select 4"}',
    ]
    path.write_bytes(b"\xef\xbb\xbf" + "\n".join(lines).encode())
    read = read_questions(path, "jsonl", "given")
    assert read.questions == (
        Question("a", "d", "q1", "select 1", evidence="e", language="zh"),
        Question("given-0", "given", "q2", "select 2", split="dev", difficulty="hard", extra={"topic": "x"}),
        Question("3", "d", "q3", "select 3"),
        Question("n", "d", "q\u2028", None),
        Question("t", "d", "q\u2028", "select 4"),
    )
    assert [(r.position, r.qid, r.code) for r in read.rejected] == [(7, None, "question_malformed")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe[]", "not UTF-8 at byte 0"),
        (b'[{"question": ', "not JSON at line 1, column 15"),
        (b'{"a": 1}', "holds an object"),
        (b"[" * 100_000, "nested too deep"),
        (b"[1" + b"0" * 5000 + b"]", "number that is too long"),
        (b"", "not JSON at line 1, column 1"),
        (b"[" + b" " * 1000 + b"]", "larger than 1,000 bytes"),
    ],
)
@pytest.mark.parametrize("form", ["spider", "bird", "bull", "ehrsql"])
def test_a_file_that_is_not_the_form_at_all_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, content: bytes, message: str
) -> None:
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 1000 if content.endswith(b" ]") else 200_000)
    path = tmp_path / "dev.json"
    path.write_bytes(content)
    with pytest.raises(BenchlakeError) as caught:
        read_questions(path, form)
    text = str(caught.value)
    assert message in text and str(path) in text and "\n" not in text


@pytest.mark.parametrize("form", FORMS)
def test_a_missing_path_and_a_wrong_argument_are_named(tmp_path: Path, form: str) -> None:
    with pytest.raises(BenchlakeError, match=r"none\.json: no such file"):
        read_questions(tmp_path / "none.json", form)
    for db_id in ("", "a\0b", "\ud800"):
        with pytest.raises(BenchlakeError, match="the database id given"):
            read_questions(tmp_path / "none.json", form, db_id)


def test_other_wrong_files_and_forms(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_bytes(b"\n [\n{}]")
    with pytest.raises(BenchlakeError, match="holds a list; expected JSON Lines"):
        read_questions(path, "jsonl")
    path.write_bytes(b'{"id": "\xc3\x28"}')
    with pytest.raises(BenchlakeError, match="not UTF-8 at byte 8"):
        read_questions(path, "jsonl")
    with pytest.raises(BenchlakeError, match="is a folder"):
        read_questions(tmp_path, "jsonl")
    with pytest.raises(BenchlakeError, match="expected one of spider, bird, ehrsql, bull, jsonl"):
        read_questions(path, "wikisql")
