"""Sampling, rendering and the release tree on small databases: outcomes, certificates, doing it twice."""

import hashlib
import json
import sqlite3
from pathlib import Path

import duckdb
import pytest

from builder.release import materialise
from builder.render import render
from builder.render.certificate import answer_from_files, task_records
from builder.sample import Policy, sample
from eval_sql.draft import gold_csv
from warehouse import BenchlakeError, Lake
from warehouse.ingest import ingest_corpus

SCHEMA = """
CREATE TABLE team (code TEXT PRIMARY KEY, name TEXT NOT NULL, parent TEXT REFERENCES team);
CREATE TABLE "order" (id INTEGER PRIMARY KEY, team TEXT REFERENCES team, amount NUMERIC, note TEXT, "_rowid" INT);
CREATE TABLE pic (id INTEGER PRIMARY KEY, data BLOB);
CREATE TABLE log (a, b);
CREATE TABLE pair (a INT, b INT, v REAL, PRIMARY KEY (a, b)) WITHOUT ROWID;
CREATE VIEW big AS SELECT * FROM "order" WHERE amount > 500;
CREATE TRIGGER audit AFTER INSERT ON "order" BEGIN INSERT INTO log VALUES (new.id, 'fired'); END;
CREATE INDEX by_team ON "order" (team);
"""


def make_db(path: Path, rows: int = 400) -> Path:
    with sqlite3.connect(path) as con:
        con.executescript(SCHEMA)
        con.executemany(
            "INSERT INTO team VALUES (?, ?, ?)",
            [(f"{i:03}", f"Team {i}", f"{i // 2:03}" if i else None) for i in range(40)],
        )
        con.executemany(
            'INSERT INTO "order" VALUES (?, ?, ?, ?, ?)',
            [(i * 3, f"{i % 40:03}", i * 2.5, "a\r\nb" if i % 7 else None, i) for i in range(rows)],
        )
        con.execute("DELETE FROM log")
        con.executemany("INSERT INTO pic VALUES (?, ?)", [(i, bytes([i])) for i in range(5)])
        con.executemany("INSERT INTO pair VALUES (?, ?, ?)", [(i % 7, i, i / 3) for i in range(50)])
    con.close()
    return path


QUESTIONS = {
    "all": "SELECT code, name FROM team ORDER BY code",
    "join": 'SELECT t.name, sum(o.amount) FROM "order" o JOIN team t ON t.code = o.team GROUP BY t.name',
    "view": "SELECT count(*) > 0 FROM big",
    "limit": "SELECT a, b, v FROM pair ORDER BY a, b LIMIT 3",
    "empty": "SELECT name FROM team WHERE code = 'none'",
    "rare": 'SELECT id FROM "order" WHERE id = 1197',
    "blob": "SELECT data FROM pic",
    "clock": "SELECT date('now')",
    "write": "DELETE FROM team",
    "broken": "SELEC 1",
    "missing": "SELECT nope FROM team",
    "chance": "SELECT random()",
    "pragma": "SELECT * FROM pragma_table_info('team')",
    "unanswerable": None,
}


def make_lake(folder: Path, questions: dict[str, str | None] = QUESTIONS) -> Lake:
    folder.mkdir(parents=True, exist_ok=True)
    db = make_db(folder / "shop.sqlite")
    lines = [
        json.dumps({"id": qid, "question": f"What about {qid}?", "sql": sql, "evidence": "e" if qid == "all" else ""})
        for qid, sql in questions.items()
    ]
    (folder / "q.jsonl").write_text("\n".join(lines))
    lake = Lake.create(folder / "lake")
    ingest_corpus(lake, "c", [db], folder / "q.jsonl", "jsonl")
    return lake


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A lake with everything sampled and rendered, and its release."""
    folder = tmp_path_factory.mktemp("stages")
    with make_lake(folder) as lake:
        sample(lake, Policy(budget=20))
        render(lake)
        materialise(lake, folder / "release")
        yield lake, folder


def outcomes(lake, stage):
    return dict(
        lake.rows(
            "SELECT qid, coalesce(o.code, 'ok') FROM source.question q JOIN ledger.outcome o ON o.item = q.question WHERE stage = ?",
            [stage],
        )
    )


def test_every_question_ends_with_a_code(done):
    lake, _ = done
    assert outcomes(lake, "sample") == {
        "all": "ok", "join": "ok", "view": "ok", "limit": "ok", "empty": "ok", "rare": "degenerate_empty",
        "blob": "gold_blob", "clock": "gold_time_dependent", "write": "sql_not_a_query", "broken": "sql_unparsable",
        "missing": "gold_sql_error", "chance": "gold_sql_not_allowed", "pragma": "gold_sql_not_allowed",
        "unanswerable": "unanswerable",
    }  # fmt: skip
    assert lake.rows(
        "SELECT count(*) FROM ledger.outcome WHERE status = 'rejected' AND (code IS NULL OR message IS NULL)"
    ) == [(0,)]


def test_selected_rows_are_closed_and_within_budget(done):
    lake, _ = done
    open_keys = lake.rows(
        "SELECT count(*) FROM sampling.selected_row s JOIN source.db_key k ON k.table_name = s.table_name AND k.kind = 'foreign' "
        "JOIN source.key_edge e ON e.key = k.key AND e.child_rowid = s._rowid ANTI JOIN sampling.selected_row p "
        "ON p.task = s.task AND p.table_name = k.ref_table AND p._rowid = e.parent_rowid"
    )
    assert open_keys == [(0,)]
    assert lake.rows(
        "SELECT max(n) FROM (SELECT count(*) n FROM sampling.selected_row WHERE reason = 'budget' GROUP BY task, table_name)"
    ) == [(20,)]
    assert lake.rows("SELECT count(*) > 0 FROM sampling.selected_row WHERE reason = 'closure'") == [(True,)]


def test_instance_is_the_selected_source_rows(done):
    lake, folder = done
    source = sqlite3.connect(folder / "shop.sqlite")
    for task, artifact in lake.rows("SELECT task, artifact FROM sampling.instance WHERE status = 'accepted'"):
        instance = sqlite3.connect(lake.artifacts.path(artifact))
        ids = [
            row[0]
            for row in lake.rows(
                "SELECT _rowid FROM sampling.selected_row WHERE task = ? AND table_name = 'order' ORDER BY 1", [task]
            )
        ]
        marks = ", ".join("?" * len(ids))
        expected = source.execute(
            f'SELECT *, typeof(amount) FROM "order" WHERE id IN ({marks}) ORDER BY id', ids
        ).fetchall()
        assert instance.execute('SELECT *, typeof(amount) FROM "order" ORDER BY id').fetchall() == expected
        assert instance.execute("PRAGMA foreign_key_check").fetchall() == []
        assert instance.execute("SELECT count(*) FROM log").fetchone() == (0,), "a trigger fired while loading"
        objects = set(instance.execute("SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"))
        assert objects == set(source.execute("SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"))
        instance.close()
    source.close()


def test_instance_rows_macro(done):
    lake, _ = done
    (name, task), *_ = lake.rows("SELECT task_name, task FROM workspace.task ORDER BY 1")
    wanted = lake.rows("SELECT count(*) FROM sampling.selected_row WHERE task = ? AND table_name = 'order'", [task])
    for key in (name, task):
        assert lake.rows(f"SELECT count(*) FROM sampling.instance_rows('{key}', 'src_shop.order')") == wanted
    for relation in ('src_shop."order"', "SRC_SHOP.Order", '"src_shop"."order"'):
        assert lake.rows(f"SELECT count(*) FROM sampling.instance_rows('{name}', '{relation}')") == wanted


@pytest.mark.parametrize(
    ("key", "relation", "message"),
    [
        ("task_999", "src_shop.team", "no sampled task is called task_999"),
        ("task_6", "src_shop.team", "no sampled task is called task_6"),  # rejected
        ("", "src_shop.team", "no sampled task is called"),
        ("task_1", "sampling.selected_row", "has no table sampling.selected_row"),
        ("task_1", "src_shop.nowhere", "nowhere"),
    ],
)
def test_instance_rows_of_what_is_not_there_is_an_error(done, key, relation, message):
    """No rows would read as an empty sample."""
    lake, _ = done
    for what in ("*", "count(*)", "1"):
        with pytest.raises(duckdb.Error, match=message):
            lake.rows(f"SELECT {what} FROM sampling.instance_rows('{key}', '{relation}')")
    # A table of which nothing was drawn is no error.
    assert lake.rows("SELECT count(*) FROM sampling.instance_rows('task_1', 'src_shop.log')") == [(0,)]


def test_views_by_task_name(done):
    """Row for row what the tables hold, with the task's name, database and corpus."""
    lake, _ = done
    for view, table in (
        ("workspace.task_file", "workspace.artifact"),
        ("workspace.task_table", "workspace.representation"),
        ("sampling.task_row", "sampling.selected_row"),
    ):
        shared = "* EXCLUDE (task_name, corpus, db_id)"
        wanted = lake.rows(f"SELECT columns(c -> c NOT IN ('version', 'attempt')) FROM {table} ORDER BY ALL")
        found = lake.rows(f"SELECT {shared} FROM {view} ORDER BY ALL")
        assert found == wanted and found, view
        assert lake.rows(f"SELECT count(*) FROM {view} JOIN workspace.task USING (task, task_name, corpus, db_id)") == [
            (len(found),)
        ]


def test_release_tree(done):
    lake, folder = done
    release = folder / "release"
    names = [row[0] for row in lake.rows("SELECT task_name FROM workspace.task ORDER BY length(task_name), task_name")]
    assert names == ["task_1", "task_2", "task_3", "task_4", "task_5"]
    assert sorted(path.name for path in (release / "input").iterdir()) == sorted(names)
    assert json.loads((release / "input/task_1/task.json").read_text()) == {
        "task_id": "task_1",
        "question": "What about all?",
        "evidence": "e",
    }
    assert "evidence" not in json.loads((release / "input/task_2/task.json").read_text())
    config = json.loads((release / "evaluation/configs/task_1.json").read_text())
    assert (config["schema_version"], config["order_sensitive"], [c["type"] for c in config["columns"]]) == (
        "1.0",
        True,
        ["text", "text"],
    )
    manifest = json.loads((release / "manifest.json").read_text())
    for entry in manifest["files"]:
        data = (release / entry["path"]).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (entry["bytes"], entry["sha256"])
    on_disk = {str(path.relative_to(release)) for path in release.rglob("*") if path.is_file()}
    assert on_disk == {entry["path"] for entry in manifest["files"]} | {"manifest.json"}


def test_the_files_alone_give_the_gold(done, tmp_path):
    lake, folder = done
    for name, record in task_records(lake):
        answer = answer_from_files(folder / "release/input" / name / "context", record, tmp_path / "db.sqlite")
        assert gold_csv(answer.names, answer.rows) == (folder / "release/output" / name / "gold.csv").read_bytes()


def test_a_changed_or_missing_file_is_noticed(done, tmp_path):
    lake, folder = done
    name, record = next(iter(task_records(lake)))
    (tmp_path / "context").mkdir()
    with pytest.raises(BenchlakeError):
        answer_from_files(tmp_path / "context", record, tmp_path / "db.sqlite")
    for path in (folder / "release/input" / name / "context").iterdir():
        (tmp_path / "context" / path.name).write_bytes(b"\x00")
    with pytest.raises(BenchlakeError, match="table"):
        answer_from_files(tmp_path / "context", record, tmp_path / "db.sqlite")


def test_twice_changes_nothing(done):
    lake, folder = done
    before = lake.rows("SELECT max(snapshot_id) FROM ducklake_snapshots('lake')")
    assert sample(lake, Policy(budget=20)).decided_before == len(QUESTIONS)
    assert render(lake).done_before == 5
    assert materialise(lake, folder / "release").written == 0
    assert lake.rows("SELECT max(snapshot_id) FROM ducklake_snapshots('lake')") == before


def test_other_batches_same_content(tmp_path, done, monkeypatch):
    """In any order of work: one question at a time gives the same bytes as all at once."""
    lake, folder = done
    monkeypatch.setattr("builder.sample.stage.BATCH", 3)
    monkeypatch.setattr("builder.render.stage.BATCH", 2)
    with make_lake(tmp_path) as other:
        for _ in range(5):
            sample(other, Policy(budget=20), limit=3)
            render(other, limit=1)
        render(other)
        for table in ("sampling.instance", "sampling.selected_row", "sampling.check_result", "ledger.outcome"):
            assert other.rows(f"FROM {table} ORDER BY ALL") == lake.rows(f"FROM {table} ORDER BY ALL")
        query = "SELECT task, path, artifact FROM workspace.artifact ORDER BY ALL"
        assert other.rows(query) == lake.rows(query)
        materialise(other, tmp_path / "release")
        assert (tmp_path / "release/manifest.json").read_bytes() == (folder / "release/manifest.json").read_bytes()


def test_rejected_questions_are_tried_again_under_another_policy(tmp_path):
    with make_lake(tmp_path, {"rare": QUESTIONS["rare"], "all": QUESTIONS["all"]}) as lake:
        first = sample(lake, Policy(budget=20))
        assert (first.accepted, first.rejected) == (1, 1)
        assert sample(lake, Policy(budget=20)).accepted == 0
        second = sample(lake, Policy(budget=1000))
        assert (second.accepted, second.rejected, second.decided_before) == (1, 0, 1)
        assert outcomes(lake, "sample") == {"rare": "ok", "all": "ok"}
        assert lake.rows(
            "SELECT max(attempt), count(*) FROM sampling.instance WHERE task IN (SELECT task FROM sampling.instance WHERE attempt = 4)"
        ) == [(4, 4)]


def test_release_refuses_what_is_not_its_own(done, tmp_path):
    lake, _ = done
    (tmp_path / "other").mkdir()
    (tmp_path / "other/file").write_text("mine")
    with pytest.raises(BenchlakeError, match="not empty"):
        materialise(lake, tmp_path / "other")
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["file"]
    materialise(lake, tmp_path / "tree")
    changed = tmp_path / "tree/output/task_1/gold.csv"
    changed.write_text("changed\n")
    with pytest.raises(BenchlakeError, match="by hand"):
        materialise(lake, tmp_path / "tree")
    assert changed.read_text() == "changed\n"
    changed.unlink()
    assert materialise(lake, tmp_path / "tree").written == 1


@pytest.mark.parametrize("body", ["", "[]", "{}", '{"files": [{"path": 1, "sha256": 2}]}', '{"files": 3}'])
def test_release_refuses_a_foreign_manifest(done, tmp_path, body):
    lake, _ = done
    (tmp_path / "manifest.json").write_text(body)
    with pytest.raises(BenchlakeError):
        materialise(lake, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]


def test_a_manifest_cannot_delete_outside(done, tmp_path):
    lake, _ = done
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "tree").mkdir()
    digest = hashlib.sha256(b"mine").hexdigest()
    (tmp_path / "tree/manifest.json").write_text(json.dumps({"files": [{"path": "../victim", "sha256": digest}]}))
    with pytest.raises(BenchlakeError):
        materialise(lake, tmp_path / "tree")
    assert victim.read_text() == "mine"


def test_unknown_corpus(done):
    lake, folder = done
    for stage in (
        lambda: sample(lake, Policy(), corpus="x"),
        lambda: render(lake, corpus="x"),
        lambda: materialise(lake, folder / "y", corpus="x"),
    ):
        with pytest.raises(BenchlakeError):
            stage()


@pytest.mark.parametrize("place", ["input", "input/task_1", "output/task_1/gold.csv", "evaluation"])
def test_release_follows_no_link(done, tmp_path, place):
    lake, _ = done
    materialise(lake, tmp_path / "tree")
    target = tmp_path / "tree" / place
    outside = tmp_path / "outside"
    target.rename(outside)
    target.symlink_to(outside)
    before = sorted(path.name for path in tmp_path.rglob("*"))
    with pytest.raises(BenchlakeError, match="link"):
        materialise(lake, tmp_path / "tree")
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_an_interrupted_release_is_completed(done, tmp_path):
    """Files of ours without a manifest, and half of one under its temporary name: what a full disk leaves."""
    lake, folder = done
    materialise(lake, tmp_path / "tree")
    (tmp_path / "tree/manifest.json").unlink()
    (tmp_path / "tree/output/task_2/gold.csv").unlink()
    (tmp_path / "tree/output/task_2/.gold.csv.1.part").write_bytes(b"half")
    assert materialise(lake, tmp_path / "tree").written == 1
    assert (tmp_path / "tree/manifest.json").read_bytes() == (folder / "release/manifest.json").read_bytes()


def test_release_stays_out_of_the_lake(done):
    lake, _ = done
    for place in ("artifacts/tmp/x", "data/x", ""):
        with pytest.raises(BenchlakeError, match="inside the lake"):
            materialise(lake, lake.path / place)


def test_an_answer_that_changes_is_no_gold(tmp_path, monkeypatch):
    """Where nothing shows why an answer changes: the frozen gold and the gold of a second run differ."""
    monkeypatch.setattr("builder.sample.instance.refuse_hidden_in_gold", lambda *_: None)
    with make_lake(tmp_path, {"hidden clock": "SELECT julianday('n' || 'ow')", "all": QUESTIONS["all"]}) as lake:
        sample(lake, Policy(budget=20))
        assert render(lake).codes == {"gold_not_repeatable": 1}


def test_what_functions_hide_is_rejected(tmp_path):
    """The clock, the time zone and results dropped for their size, where no text of the SQL shows them."""
    questions = {
        "bracket": "SELECT date(('now')) FROM team",
        "built": "SELECT strftime('%Y', replace('nox', 'x', 'w'))",
        "zone": "SELECT datetime('2020-01-01', 'localtime')",
        "large": "SELECT name FROM team WHERE printf('%.*c', 300000, 'x') IS NULL",
        "fine": "SELECT date('2020-01-01', '+1 day'), printf('%03d', amount) FROM \"order\"",
    }
    with make_lake(tmp_path, questions) as lake:
        sample(lake, Policy(budget=20))
        assert outcomes(lake, "sample") == {
            "bracket": "gold_time_dependent", "built": "gold_time_dependent", "zone": "gold_time_dependent",
            "large": "gold_sql_too_large", "fine": "ok",
        }  # fmt: skip
        assert render(lake).accepted == 1
