"""Tables of the user's that bear the names of our own temporary tables and attached databases: no clash anywhere."""

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from databases import build

from builder.render import render
from builder.render.certificate import answer_from_files, task_records
from builder.sample import Policy, sample
from warehouse import Lake
from warehouse.ingest import ingest_corpus

ROOT = Path(__file__).resolve().parent.parent.parent
# In SQL of ours: CREATE TEMP TABLE x, register("x", …), and names that are fixed by what they are.
MADE = re.compile(r"""CREATE (?:OR REPLACE )?TEMP (?:TABLE|VIEW) (?:IF NOT EXISTS )?(\w+)|register\("(\w+)\"""")
FIXED = (
    "source0",
    "source1",
    "main",
    "temp",
    "lake",
    "kept_1",
    "child",
    "child1",
    "source",
    "sampling",
    "_rowid",
    "ordinal0",
)


def own_names() -> list[str]:
    """Every name that our code gives to a table of its own, found in the code itself."""
    found = set(FIXED)
    for room in ("warehouse", "builder", "eval_sql", "ibis_ops"):
        for file in (ROOT / room).rglob("*.py"):
            found |= {name for pair in MADE.findall(file.read_text(encoding="utf-8")) for name in pair if name}
    return sorted(found)


def test_the_names_are_found() -> None:
    assert {"chosen", "edge", "plan", "batch", "rows_to_append", "source_rows"} <= set(own_names())


@pytest.mark.parametrize("shout", [False, True])
def test_the_main_job_on_tables_of_these_names(tmp_path: Path, shout: bool) -> None:
    names = [name.upper() if shout else name for name in own_names()]
    statements = []
    for number, name in enumerate(names):
        parent = names[number - 1]
        statements += [
            f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, v TEXT COLLATE NOCASE UNIQUE, up INT REFERENCES {parent})",
            f"INSERT INTO {name} VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 1)",
        ]
    for name in names:
        # Unqualified, as in every database: SQLite looks in its temporary database first.
        statements += [
            f"CREATE INDEX by_{name} ON {name} (v, up)",
            f"CREATE VIEW seen_{name} AS SELECT v FROM {name} WHERE id > 1",
            f"CREATE TRIGGER on_{name} AFTER INSERT ON {name} BEGIN DELETE FROM {name}; END",
        ]
    database = build(tmp_path / "x.sqlite", *statements)
    questions = [f"SELECT v FROM {table} ORDER BY v" for name in names for table in (name, f"seen_{name}")]
    lines = [json.dumps({"id": sql, "question": "?", "sql": sql}) for sql in questions]
    (tmp_path / "q.jsonl").write_text("\n".join(lines))
    with Lake.create(tmp_path / "lake") as lake:
        ingest_corpus(lake, "c", [database], tmp_path / "q.jsonl", "jsonl")
        assert lake.rows("SELECT DISTINCT problem, edges FROM source.db_key WHERE kind = 'foreign'") == [(None, 3)]
        lines = lake.rows("SELECT DISTINCT code, message FROM ledger.outcome WHERE status = 'rejected'")
        assert (sample(lake, Policy(), limit=30).rejected, lines) == (0, [])
        assert render(lake).rejected == 0
        for artifact, task in lake.rows("SELECT artifact, task FROM sampling.instance"):
            with (
                closing(sqlite3.connect(lake.artifacts.path(artifact))) as made,
                closing(sqlite3.connect(database)) as given,
            ):
                query = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY 1, 2"
                assert made.execute(query).fetchall() == given.execute(query).fetchall()
                for name in names:
                    assert (
                        made.execute(f"SELECT * FROM main.{name}").fetchall()
                        == given.execute(f"SELECT * FROM main.{name}").fetchall()
                    )
            rows = lake.rows("SELECT count(*) FROM sampling.selected_row WHERE task = ?", [task])
            assert rows == [(3 * len(names),)]
        for _, record in list(task_records(lake))[:1]:
            context = tmp_path / "context"
            context.mkdir()
            for path, artifact in lake.rows(
                "SELECT path, artifact FROM workspace.artifact JOIN workspace.task USING (task) WHERE task_name = ?",
                [record["task_id"]],
            ):
                (context / path).write_bytes(lake.artifacts.path(artifact).read_bytes())
            assert answer_from_files(context, record, tmp_path / "scratch.sqlite").rows == [("a",), ("b",), ("c",)]


@pytest.mark.parametrize("name", ["child", "child0", "CHILD1"])
def test_an_index_of_the_name_of_our_probe(tmp_path: Path, name: str) -> None:
    """Where a collation is in play, SQLite is asked on an empty copy whether a parent key fits."""
    database = build(
        tmp_path / "x.sqlite",
        "CREATE TABLE parent (v TEXT COLLATE NOCASE, w)",
        f"CREATE UNIQUE INDEX {name} ON parent (v)",
        "CREATE TABLE other (up TEXT REFERENCES parent (v))",
        "INSERT INTO parent VALUES ('a', 1)",
        "INSERT INTO other VALUES ('A')",
    )
    with Lake.create(tmp_path / "lake") as lake:
        ingest_corpus(lake, "c", [database])
        assert lake.rows("SELECT problem, edges FROM source.db_key WHERE kind = 'foreign'") == [(None, 1)]
