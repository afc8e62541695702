"""Golds that hang on more than the files of their workspace are no golds; certificates of hostile records are one line."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from databases import build

from builder.render import render
from builder.render.certificate import answer_from_files, task_records
from builder.sample import Policy, sample
from warehouse import BenchlakeError, Lake
from warehouse.ingest import ingest_corpus

# Code of rendering by gold SQL: t has its rows in the order of `a`, and the index gives them in that of `b`.
QUESTIONS = {
    "SELECT a FROM t INDEXED BY by_b WHERE b > 0": "gold_not_rebuilt",
    "SELECT a FROM t WHERE b >= 0 LIMIT 3": "gold_not_rebuilt",
    "SELECT sum(a) FROM (SELECT a FROM t WHERE b > 0 LIMIT 4)": "gold_not_rebuilt",
    "SELECT (SELECT a FROM t WHERE b > 0 LIMIT 1) AS one": "gold_not_rebuilt",
    "SELECT group_concat(a) FROM t WHERE b > 0": "gold_not_rebuilt",
    "SELECT name FROM sqlite_schema ORDER BY name": "gold_not_rebuilt",
    "SELECT count(*) FROM sqlite_master WHERE type = 'index'": "gold_not_rebuilt",
    "SELECT rootpage FROM sqlite_master ORDER BY 1": "gold_not_rebuilt",
    "SELECT a FROM t ORDER BY a LIMIT 3": None,
    "SELECT a FROM t WHERE b >= 0": None,
    "SELECT a FROM t ORDER BY b DESC": None,
    "SELECT count(*), sum(a), max(b) FROM seen": None,
    "SELECT one.a FROM t AS one JOIN t AS two ON one.a = two.b": None,
    "SELECT y FROM g WHERE x > 1": None,
}


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    """A lake with the questions sampled and rendered."""
    tmp_path = tmp_path_factory.mktemp("certificate")
    database = build(
        tmp_path / "x.sqlite",
        "CREATE TABLE t (a INT, b INT)",
        "CREATE INDEX by_b ON t (b)",
        "CREATE VIEW seen AS SELECT a, b FROM t WHERE a % 2",
        "CREATE TABLE g (x INT, y AS (x * 2))",
        "INSERT INTO g (x) VALUES (1), (2), (3)",
        rows={"INSERT INTO t VALUES (?, ?)": [(n, 40 - n) for n in range(40)]},
    )
    lines = [json.dumps({"id": sql, "question": "?", "sql": sql}) for sql in QUESTIONS]
    (tmp_path / "q.jsonl").write_text("\n".join(lines))
    with Lake.create(tmp_path / "lake") as lake:
        ingest_corpus(lake, "c", [database], tmp_path / "q.jsonl", "jsonl")
        assert sample(lake, Policy()).accepted == len(QUESTIONS)
        render(lake)
        yield lake


def test_a_gold_that_the_files_do_not_give_back_is_rejected(rendered: Lake) -> None:
    found = rendered.rows(
        "SELECT question.qid, outcome.code, outcome.message FROM ledger.outcome JOIN sampling.instance ON task = item "
        "JOIN source.question USING (question) WHERE stage = 'render'"
    )
    assert {qid: code for qid, code, _ in found} == QUESTIONS
    for _, code, message in found:
        assert (message is None) == (code is None)
        # The same message each time: no scratch folder in it.
        assert message is None or str(rendered.path) not in message
    assert not rendered.artifacts.leftovers()


def test_files_and_records_that_do_not_fit_are_one_line(rendered: Lake, tmp_path: Path) -> None:
    name, record = next(pair for pair in task_records(rendered))
    context, scratch = tmp_path / "context", tmp_path / "scratch.sqlite"
    context.mkdir()
    for path, artifact in rendered.rows(
        "SELECT path, artifact FROM workspace.artifact JOIN workspace.task USING (task) WHERE task_name = ?", [name]
    ):
        (context / path).write_bytes(rendered.artifacts.path(artifact).read_bytes())
    assert answer_from_files(context, record, scratch).rows
    for change in (
        {"views": ["CREATE VIEW seen AS SELEC 1"]},
        {"views": record["views"] * 2},
        {"views": ["DROP TABLE t"]},
        {"tables": [{**table, "definition": "CREATE TABLE other (a)"} for table in record["tables"]]},
        {"tables": record["tables"] * 2},
        {"tables": [{**table, "path": "absent"} for table in record["tables"]]},
    ):
        with pytest.raises(BenchlakeError) as caught:
            answer_from_files(context, {**record, **change}, scratch)
        assert len(str(caught.value).splitlines()) == 1
        assert not scratch.exists()


def test_a_rebuilt_database_computes_within_bounds(rendered: Lake, tmp_path: Path) -> None:
    """A definition from outside computes when rows are written; its time and size are bounded as they are in ingest."""
    record = dict(next(iter(task_records(rendered)))[1])
    assert record["computes"]
    (tmp_path / "g.csv").write_text('"x","y"\n2000000,0\n')
    table = {"name": "g", "definition": "CREATE TABLE g (x INT, y AS (zeroblob(x)) STORED)", "path": "g.csv",
             "format": "csv", "columns": [["x", "integer"], ["y", "integer"]]}  # fmt: skip
    record |= {"tables": [table], "views": [], "sql": "SELECT x FROM g"}
    with pytest.raises(BenchlakeError, match="too big"):
        answer_from_files(tmp_path, record, tmp_path / "scratch.sqlite")
    with closing(sqlite3.connect(":memory:")) as plain:
        plain.execute(table["definition"])
        plain.execute("INSERT INTO g (x) VALUES (2000000)")
