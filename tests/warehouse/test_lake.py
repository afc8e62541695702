"""The lake on disk: making and opening it, its versions, its one way of writing."""

import importlib.util
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest
from permissions import permissions_bind

from warehouse import Lake, extensions, ids, migrate
from warehouse import lake as module
from warehouse.errors import BenchlakeError
from warehouse.lake import append
from warehouse.ledger import broken_links


def refusal(action: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(BenchlakeError) as caught:
        action(*arguments, **options)
    message = str(caught.value)
    assert message.isprintable(), message
    return message


def snapshot(lake: Lake) -> int:
    return int(lake.rows("SELECT max(snapshot_id) FROM ducklake_snapshots('lake')")[0][0])


def note(name: str, value: str = "x") -> Any:
    """Work that writes one row."""

    def work(cursor: duckdb.DuckDBPyConnection) -> tuple[str, dict[str, Any]]:
        append(cursor, "ledger.setting", [{"name": name, "value": value}])
        return name, {"name": name}

    return work


def notes(lake: Lake) -> list[str]:
    return [row[0] for row in lake.rows("SELECT name FROM ledger.setting WHERE name <> 'views_digest' ORDER BY name")]


def listing(folder: Path) -> list[tuple[str, bytes | None]]:
    return sorted(
        (str(path.relative_to(folder)), path.read_bytes() if path.is_file() else None) for path in folder.rglob("*")
    )


def test_create_open_and_what_is_in_it(tmp_path: Path) -> None:
    with Lake.create(tmp_path / "deep" / "er" / "lake") as lake:
        assert not lake.read_only
        assert lake.commit("test", note("a")) == "a"
    assert {"catalog.sqlite", "data", "artifacts"} <= {path.name for path in lake.path.iterdir()}
    with Lake.create(lake.path) as again:
        assert notes(again) == ["a"]
        assert again.rows("SELECT stage FROM ledger.event ORDER BY recorded_at") == [("lake",), ("test",)]
    with Lake.open(str(lake.path), read_only=True) as reader:
        assert reader.sql("SELECT 1 AS one").fetchall() == [(1,)]
        assert reader.ibis().table("setting", database="ledger").count().to_pyarrow().as_py() == 2
        assert not broken_links(reader.cursor())


FOREIGN: dict[str, Callable[[Path], object]] = {
    "a SQLite file of something else": lambda path: make_sqlite(path, "CREATE TABLE mine (a)"),
    "not a SQLite file": lambda path: path.write_bytes(b"hello"),
    "damaged": lambda path: path.write_bytes(b"SQLite format 3\0" + b"x" * 5000),
    "empty": lambda path: path.touch(),
    "no tables": lambda path: make_sqlite(path, "CREATE TABLE mine (a)", "DROP TABLE mine"),
    "a folder": lambda path: path.mkdir(),
}


def make_sqlite(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_catalog_that_is_none(tmp_path: Path, kind: str) -> None:
    """Nothing of what is there is touched."""
    FOREIGN[kind](tmp_path / "catalog.sqlite")
    (tmp_path / "letter.txt").write_text("dear")
    before = listing(tmp_path)
    for read_only in (True, False):
        assert str(tmp_path) in refusal(Lake.open, tmp_path, read_only=read_only)
        assert listing(tmp_path) == before
    if kind not in ("empty", "no tables"):
        assert str(tmp_path) in refusal(Lake.create, tmp_path)
        assert listing(tmp_path) == before


def test_folders_that_are_none(tmp_path: Path) -> None:
    assert "no lake at" in refusal(Lake.open, tmp_path / "absent")
    assert "make one with benchlake ingest" in refusal(Lake.open, tmp_path / "absent")
    assert "no catalog.sqlite" in refusal(Lake.open, tmp_path)
    (tmp_path / "file").write_text("x")
    assert "no lake at" in refusal(Lake.open, tmp_path / "file")
    assert "File exists" in refusal(Lake.create, tmp_path / "file")
    assert "Not a directory" in refusal(Lake.create, tmp_path / "file" / "below")
    before = listing(tmp_path)
    assert "neither empty nor a lake" in refusal(Lake.create, tmp_path)
    assert listing(tmp_path) == before
    (tmp_path / "other" / "data").mkdir(parents=True)
    (tmp_path / "other" / "data" / "mine.parquet").touch()
    assert "neither empty nor a lake" in refusal(Lake.create, tmp_path / "other")


def test_what_an_interrupted_create_leaves_is_completed(tmp_path: Path, empty_lake: Path) -> None:
    def attached(root: Path) -> None:
        connection = extensions.connect()
        connection.execute(f"ATTACH 'ducklake:sqlite:{root}/catalog.sqlite' AS lake (DATA_PATH '{root}/data/')")
        connection.close()

    stages: dict[str, Any] = {
        "lock": lambda root: (root / "writer.lock").touch(),
        "folders": lambda root: ((root / "data").mkdir(), (root / "artifacts").mkdir(), (root / "writer.lock").touch()),
        "empty catalog": lambda root: ((root / "data").mkdir(), (root / "catalog.sqlite").touch()),
        "no schema": attached,
    }
    for name, leave in stages.items():
        root = tmp_path / name
        root.mkdir()
        leave(root)
        assert "lake" in refusal(Lake.open, root)
        with Lake.create(root) as lake:
            assert notes(lake) == []
    assert "first ingest was interrupted" in refusal_of_ducklake(tmp_path / "half", attached)


def refusal_of_ducklake(root: Path, leave: Any) -> str:
    root.mkdir()
    leave(root)
    return refusal(Lake.open, root)


@pytest.mark.parametrize("name", ["it's a lake", "湖 湖", "a[1]*?b", "100%41#1", "l\nf", 'say "x"'])
def test_paths(tmp_path: Path, empty_lake: Path, name: str) -> None:
    """A lake may be moved anywhere, and works on there with rows in the catalog and in Parquet."""
    folder = tmp_path / name
    shutil.copytree(empty_lake, folder)

    def big(cursor: duckdb.DuckDBPyConnection) -> tuple[None, dict[str, Any]]:
        cursor.execute("CREATE SCHEMA big")
        cursor.execute("CREATE TABLE big.numbers AS FROM range(5000)")
        return None, {}

    with Lake.open(folder) as lake:
        lake.commit("test", note("a"))
        lake.commit("test", big)
        digest = lake.artifacts.put_bytes(b"kept")
    assert list(folder.glob("data/big/**/*.parquet"))
    moved = folder.rename(tmp_path / "moved elsewhere")
    with Lake.open(moved) as lake:
        assert notes(lake) == ["a"]
        assert lake.rows("SELECT count(*), sum(range) FROM big.numbers") == [(5000, sum(range(5000)))]
        assert lake.artifacts.path(digest).read_bytes() == b"kept"
        lake.commit("test", note("b"))
        assert notes(lake) == ["a", "b"]


def test_paths_that_cannot_be(tmp_path: Path) -> None:
    for name, message in (
        ("back\\slash", "backslash"),
        (b"\xff".decode("utf-8", "surrogateescape"), "UTF-8"),
        ("/".join(["d" * 200] * 3), "400 bytes"),
    ):
        for action in (Lake.create, Lake.open):
            assert message in refusal(action, tmp_path / name)
    assert not list(tmp_path.iterdir())


@permissions_bind
def test_a_folder_one_may_not_write(tmp_path: Path, empty_lake: Path) -> None:
    folder = Path(shutil.copytree(empty_lake, tmp_path / "lake"))
    for path in (*folder.rglob("*"), folder):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        for read_only in (True, False):
            assert "copy the lake to a folder that you may write" in refusal(Lake.open, folder, read_only=read_only)
        assert "a folder that you may write" in refusal(Lake.create, folder)
        assert "Permission denied" in refusal(Lake.create, folder / "below")
        # As another user's lake is that is in use.
        folder.chmod(0o755)
        with Lake.open(folder, read_only=True) as lake:
            assert notes(lake) == []
        (folder / "writer.lock").chmod(0o444)
        with Lake.open(folder) as lake:
            assert "cannot write to the lake" in refusal(lake.commit, "test", note("a"))
    finally:
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755)


def test_a_lake_of_a_newer_benchlake(lake_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = migrate.schema_files()
    monkeypatch.setattr(migrate, "schema_files", lambda: files[:-1])
    for action in (Lake.open, Lake.create):
        assert "upgrade benchlake" in refusal(action, lake_folder)
    monkeypatch.undo()
    with Lake.open(lake_folder) as lake:
        assert notes(lake) == []


@pytest.mark.parametrize("read_only", [True, False])
def test_a_lake_of_an_older_benchlake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_only: bool) -> None:
    files, views = migrate.schema_files(), migrate.view_files()
    monkeypatch.setattr(migrate, "schema_files", lambda: files[:3])
    monkeypatch.setattr(migrate, "view_files", lambda: [])
    with Lake.create(tmp_path / "lake") as lake:
        lake.commit("test", note("kept"))
        assert lake.rows("SELECT max(version) FROM ledger.schema_version") == [(3,)]
    monkeypatch.setattr(migrate, "schema_files", lambda: files)
    monkeypatch.setattr(migrate, "view_files", lambda: views)
    with Lake.open(tmp_path / "lake", read_only=read_only) as lake:
        assert notes(lake) == ["kept"]
        assert lake.rows("SELECT version, name FROM ledger.schema_version ORDER BY 1") == [
            (number, file.name) for number, file in enumerate(files, start=1)
        ]
        assert lake.rows("FROM metrics.task_accuracy") == []
        upgrade = lake.rows("SELECT detail FROM ledger.event WHERE stage = 'lake' ORDER BY recorded_at")[-1][0]
        assert upgrade == ids.canonical_json({"action": "upgrade", "from": 3, "to": len(files)})
        assert not broken_links(lake.cursor())
        before = snapshot(lake)
    with Lake.open(tmp_path / "lake") as lake:
        assert snapshot(lake) == before


def test_stale_views_are_made_anew(lake_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Lake.open(lake_folder) as lake:

        def spoil(cursor: duckdb.DuckDBPyConnection) -> tuple[None, dict[str, Any]]:
            cursor.execute("CREATE OR REPLACE VIEW workspace.task AS SELECT 'stale' AS task")
            cursor.execute("UPDATE ledger.setting SET value = 'of another version' WHERE name = 'views_digest'")
            return None, {}

        lake.commit("test", spoil)
        assert lake.rows("FROM workspace.task") == [("stale",)]
    with Lake.open(lake_folder, read_only=True) as lake:
        assert lake.rows("FROM workspace.task") == []
        assert lake.rows("SELECT count(*) FROM ledger.setting WHERE name = 'views_digest'") == [(1,)]


def test_commit_is_all_or_nothing(lake: Lake) -> None:
    before = snapshot(lake)

    def fails(cursor: duckdb.DuckDBPyConnection) -> tuple[None, dict[str, Any]]:
        cursor.execute("CREATE SCHEMA half")
        cursor.execute("CREATE TABLE half.done AS FROM range(5000)")
        note("half")(cursor)
        raise KeyError("on purpose")

    with pytest.raises(KeyError, match="on purpose"):
        lake.commit("test", fails)
    with pytest.raises(duckdb.Error):
        lake.commit("test", lambda cursor: (cursor.execute("SELECT error('late')").fetchall(), {}))
    assert snapshot(lake) == before and notes(lake) == []
    assert lake.rows("SELECT count(*) FROM duckdb_schemas() WHERE schema_name = 'half'") == [(0,)]
    # The chain goes on after a failure.
    lake.commit("test", note("a"))
    assert not broken_links(lake.cursor()) and snapshot(lake) == before + 1


def test_nothing_to_do_makes_no_snapshot(lake: Lake) -> None:
    before = snapshot(lake)

    def nothing(cursor: duckdb.DuckDBPyConnection) -> tuple[str, None]:
        note("a")(cursor)
        return "nothing", None

    assert lake.commit("test", nothing) == "nothing"
    assert snapshot(lake) == before and notes(lake) == []


def test_read_only_refuses(lake_folder: Path) -> None:
    before = listing(lake_folder / "data")
    with Lake.open(lake_folder, read_only=True) as lake:
        assert refusal(lake.commit, "test", note("a")) == "the lake is open read-only"
        with pytest.raises(duckdb.Error, match="read-only"):
            lake.cursor().execute("DELETE FROM ledger.event")
    assert listing(lake_folder / "data") == before


def test_a_locked_catalog_is_tried_again(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[int] = []
    monkeypatch.setattr(module, "_pause", pauses.append)
    calls = iter(range(99))

    def work(cursor: duckdb.DuckDBPyConnection) -> tuple[int, dict[str, Any]]:
        note("a")(cursor)
        if (call := next(calls)) < 3:
            raise duckdb.TransactionException("Failed to commit DuckLake transaction: database is locked")
        return call, {}

    assert lake.commit("test", work) == 3
    assert pauses == [0, 1, 2] and notes(lake) == ["a"]

    def never(cursor: duckdb.DuckDBPyConnection) -> tuple[None, dict[str, Any]]:
        raise duckdb.TransactionException("database is locked")

    with pytest.raises(duckdb.Error, match="locked"):
        lake.commit("test", never)
    assert len(pauses) == 3 + module.COMMIT_TRIES - 1


def test_two_lakes_of_one_process(lake: Lake) -> None:
    """Opening a lake again does not take away the locks that the first holds on the catalog."""
    lake.commit("test", note("a"))
    cursor = lake.cursor()
    cursor.execute("BEGIN")
    cursor.execute("FROM ledger.setting").fetchall()
    for number in range(2):
        with Lake.open(lake.path) as other:
            other.commit("test", note(f"b{number}"))
    assert len(cursor.execute("FROM ledger.setting").fetchall()) == 2
    cursor.execute("ROLLBACK")
    assert notes(lake) == ["a", "b0", "b1"]
    assert not broken_links(lake.cursor())


def test_append(lake: Lake) -> None:
    def work(cursor: duckdb.DuckDBPyConnection) -> tuple[None, dict[str, Any]]:
        append(cursor, "ledger.setting", [])
        append(cursor, "ledger.setting", [{"value": text, "name": f"{n:02}"} for n, text in enumerate(TEXTS)])
        append(
            cursor,
            "evaluation.table_file",
            [{"file": f"{n}", "row_count": n, "header": list(row)} for n, row in enumerate(ROWS)],
        )
        append(cursor, "ledger.setting", [{"name": "absent"}])
        return None, {"text": TEXTS}

    lake.commit("test", work)
    with Lake.open(lake.path, read_only=True) as reader:
        read = reader.rows("SELECT value FROM ledger.setting WHERE name <> 'views_digest' ORDER BY name")
        assert [row[0] for row in read] == [*TEXTS, None]
        assert [
            tuple(row[0]) for row in reader.rows("SELECT header FROM evaluation.table_file ORDER BY row_count")
        ] == ROWS
        assert not broken_links(reader.cursor())


TEXTS = [
    "",
    "NULL",
    "'",
    '"',
    "\\",
    "a\0b",
    "\n",
    "\r\n",
    "[",
    "]",
    "{}",
    ",",
    " x ",
    "湖𠮷",
    "\ufeff",
    "\x01",
    "%s",
    "?",
    "$1",
    "--",
    ";",
]
ROWS: list[tuple[str | None, ...]] = [
    *((text,) for text in TEXTS),
    tuple(TEXTS),
    (),
    (None,),
    ("NULL", None, ""),
    (None, None),
]


def test_another_duckdb(lake_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duckdb, "__version__", "2.0.1")
    for action in (Lake.open, Lake.create):
        message = refusal(action, lake_folder)
        assert "2.0.1 is installed" in message and f"pip install 'duckdb=={extensions.DUCKDB_VERSION}'" in message


def test_extensions_that_are_absent_or_of_another_version(
    lake_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec

    def without(package: str) -> Any:
        return None if package.endswith("ducklake") else find(package)

    monkeypatch.setattr(extensions, "find_spec", without)
    message = refusal(Lake.open, lake_folder)
    assert "pip install 'duckdb-extension-ducklake==1.5.5'" in message
    monkeypatch.undo()
    monkeypatch.setattr(extensions, "DUCKDB_VERSION", "1.5.4")
    monkeypatch.setattr(duckdb, "__version__", "1.5.4")
    assert "pip install 'duckdb-extension-sqlite-scanner==1.5.4'" in refusal(Lake.open, lake_folder)
    monkeypatch.undo()
    broken = tmp_path / "broken.duckdb_extension"
    broken.write_bytes(b"nothing")
    monkeypatch.setattr(extensions, "extension_path", lambda name: broken)
    assert "does not load" in refusal(Lake.open, lake_folder)
