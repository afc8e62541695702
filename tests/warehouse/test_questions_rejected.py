"""Records that cannot be used: each is one coded row, none is lost and none stops the rest."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warehouse.questions import record
from warehouse.questions.model import Json
from warehouse.questions.read import read_questions
from warehouse.questions.record import Shape, collect, numbered

MEBIBYTE = 1024 * 1024
GOOD: dict[str, Json] = {"id": "good", "db_id": "d", "question": "q", "sql": "select 1"}


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (None, "question_malformed"),
        (7, "question_malformed"),
        ([GOOD], "question_malformed"),
        ("select 1", "question_malformed"),
        ({**GOOD, "question": None}, "question_malformed"),
        ({**GOOD, "question": " \n"}, "question_malformed"),
        ({**GOOD, "question": 7}, "question_malformed"),
        ({**GOOD, "question": ["q"]}, "question_malformed"),
        ({**GOOD, "sql": 7}, "question_malformed"),
        ({**GOOD, "sql": {"select": 1}}, "question_malformed"),
        ({**GOOD, "sql": float("nan")}, "question_malformed"),
        ({**GOOD, "id": True}, "question_malformed"),
        ({**GOOD, "id": 1.5}, "question_malformed"),
        ({**GOOD, "id": ""}, "question_malformed"),
        ({**GOOD, "db_id": 4}, "question_malformed"),
        ({**GOOD, "evidence": 4}, "question_malformed"),
        ({**GOOD, "difficulty": 4}, "question_malformed"),
        ({**GOOD, "split": False}, "question_malformed"),
        ({**GOOD, "db_id": None}, "question_without_db"),
        ({**GOOD, "db_id": ""}, "question_without_db"),
        ({"id": "x", "db_id": "d", "question": "q"}, "question_without_sql"),
        ({**GOOD, "sql": "  "}, "question_without_sql"),
        ({**GOOD, "question": "q" * (MEBIBYTE + 1)}, "question_too_long"),
        ({**GOOD, "question": "\u4e2d" * (MEBIBYTE // 3 + 1)}, "question_too_long"),
        ({**GOOD, "sql": "s" * (MEBIBYTE + 1)}, "question_too_long"),
        ({**GOOD, "id": "i" * 1025}, "question_too_long"),
        ({**GOOD, "db_id": "i" * 1025}, "question_too_long"),
        ({**GOOD, "question": "a\0b"}, "question_unstorable_text"),
        ({**GOOD, "question": "\ud800"}, "question_unstorable_text"),
        ({**GOOD, "sql": "select '\udc00'"}, "question_unstorable_text"),
        ({**GOOD, "id": "\ud800"}, "question_unstorable_text"),
        ({**GOOD, "db_id": "d\0"}, "question_unstorable_text"),
        ({**GOOD, "note": "\ud800"}, "question_unstorable_text"),
        ({**GOOD, "no\0te": 1}, "question_unstorable_text"),
    ],
)
def test_a_record_that_cannot_be_used_is_one_coded_row(tmp_path: Path, bad: Json, code: str) -> None:
    path = tmp_path / "set.jsonl"
    lines = [{**GOOD, "id": "first"}, bad, GOOD]
    path.write_text("\n\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    read = read_questions(path, "jsonl")
    assert [question.qid for question in read.questions] == ["first", "good"]
    assert [(rejected.position, rejected.code) for rejected in read.rejected] == [(3, code)]
    message = read.rejected[0].message
    assert message and len(message) < 1000 and message.isascii() and "\n" not in message
    assert "\0" not in (read.rejected[0].qid or "").encode("utf-8").decode()


@pytest.mark.parametrize("line", ["{", "[" * 100_000, '{"id": 1' + "0" * 5000 + "}", "\ufeff{}", "nul"])
def test_a_line_that_is_no_json_is_one_coded_row(tmp_path: Path, line: str) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(f"{json.dumps(GOOD)}\n{line}\n", encoding="utf-8")
    read = read_questions(path, "jsonl")
    assert len(read.questions) == 1
    assert [(rejected.position, rejected.code) for rejected in read.rejected] == [(2, "question_malformed")]


@pytest.mark.parametrize("form", ["spider", "bird", "bull"])
@pytest.mark.parametrize("sql", [None, ""])
def test_no_sql_is_unanswerable_only_where_the_shape_says_so(tmp_path: Path, form: str, sql: Json) -> None:
    path = tmp_path / "dev.json"
    path.write_text(json.dumps([{"db_id": "d", "question": "q", "query": sql}]), encoding="utf-8")
    read = read_questions(path, form)
    assert [rejected.code for rejected in read.rejected] == ["question_without_sql"]


def test_sizes_at_the_limit_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps({**GOOD, "question": "q" * MEBIBYTE, "sql": "s" * MEBIBYTE}), encoding="utf-8")
    read = read_questions(path, "jsonl")
    assert (len(read.questions), len(read.rejected)) == (1, 0)


def test_extra_keeps_small_scalars_only(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    many: dict[str, Json] = {f"k{number}": number for number in range(100)}
    facts: dict[str, Json] = {"t": True, "f": 1.5, "inf": float("inf"), "l": [1], "o": {}, "n": None, "s": "x"}
    path.write_text("\n".join(json.dumps({**extra, **GOOD, "id": 1 + len(extra)}) for extra in (facts, many)))
    first, second = read_questions(path, "jsonl").questions
    assert first.extra == {"t": True, "f": 1.5, "s": "x"}
    assert len(second.extra) == record.EXTRA_KEYS


_TEXTS = st.text(st.characters(codec=None), max_size=5)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=5,
)
_KEYS = st.sampled_from(["id", "db_id", "question", "sql", "evidence", "split", "other"]) | _TEXTS


@given(st.lists(_VALUES | st.dictionaries(_KEYS, _VALUES, max_size=8), max_size=6))
def test_every_record_has_exactly_one_outcome(records: list[Json]) -> None:
    shape = Shape(qid=("id",), db_id=("db_id",), sql=("sql",), null_sql=True)
    read = collect(numbered(records), shape, db_id="given")
    assert len(read.questions) + len(read.rejected) == len(records)
    assert len({question.qid for question in read.questions}) == len(read.questions)
    for question in read.questions:
        json.dumps(question.extra, allow_nan=False)
        for text in (question.qid, question.db_id, question.question, question.sql or "", question.evidence):
            assert "\0" not in text.encode("utf-8").decode()
    for rejected in read.rejected:
        assert rejected.message.isascii()
