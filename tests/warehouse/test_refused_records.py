"""Refused records of a question set: they are named, and a mended set takes their refusal back."""

import json
import sqlite3

from warehouse.ingest import ingest_corpus


def give(lake, tmp_path, records):
    db = tmp_path / "d.sqlite"
    if not db.exists():
        with sqlite3.connect(db) as con:
            con.execute("CREATE TABLE t (a)")
        con.close()
    path = tmp_path / "q.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in records))
    return ingest_corpus(lake, "c", [db], path, "jsonl").questions


def test_a_refused_record_is_named_and_can_be_mended(lake, tmp_path):
    good = {"id": "a", "question": "How many?", "sql": "SELECT count(*) FROM t"}
    bad = {"id": "b", "question": "Which?"}
    twice = {**good, "question": "Again?"}
    first = give(lake, tmp_path, [good, bad, twice])
    assert (first.new, first.accepted, first.rejected) == (3, 1, 2)
    assert first.codes == {"question_duplicate_id": 1, "question_without_sql": 1}
    messages = lake.rows("SELECT message FROM ledger.outcome WHERE status = 'rejected' ORDER BY item")
    assert [text[0].split(":")[0] for text in messages] == ["record 3 (id a)", "record 2 (id b)"]
    assert give(lake, tmp_path, [good, bad, twice]).new == 0
    mended = give(lake, tmp_path, [good, {**bad, "sql": "SELECT a FROM t"}])
    assert (mended.accepted, mended.codes) == (2, {"question_duplicate_id": 1})
    assert lake.rows("SELECT number, qid FROM source.question ORDER BY number") == [(1, "a"), (2, "b")]
