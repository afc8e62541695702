"""Ingest of databases whose names are odd, and of many tables."""

import time
from pathlib import Path

import pytest
from cells import same, take
from databases import build

from warehouse import Lake
from warehouse.errors import BenchlakeError
from warehouse.ids import quote


@pytest.fixture(scope="module")
def lake(module_lake: Lake) -> Lake:
    """One lake for all tests here: each has a corpus of its own."""
    return module_lake


NAMES = (
    "order", "select", "a b", " lead", "trail ", 'q"uote', "a'b", "[x]", "`x`", "a.b", "a/b", "..", ".", "\\", "*?",
    "%41", "line\nfeed", "\x01", "é", "É",
    "e\u0301", "ß", "ẞ", "ss", "ı", "İ", "湖" * 60, "湖" * 200, "x" * 200, "x" * 600, "x" * 599 + "y", "",
    "source_rows", "_rowid", "snapshot_id",
    "row_id", "filename", "file_row_number", "_ducklake_internal_row_id", "_ducklake_internal_snapshot_id",
    "begin_snapshot", "end_snapshot",
    "data_file_id", "CON", "null", "main", "lake", "-- x", "; DROP TABLE y", "\u202e", "\ufeff", "１",
)  # fmt: skip


def test_names_of_tables(lake: Lake, corpus: str, tmp_path: Path) -> None:
    path = build(
        tmp_path / "x.sqlite",
        *(f"CREATE TABLE {quote(name)} (v)" for name in NAMES),
        *(f"INSERT INTO {quote(name)} VALUES ({number})" for number, name in enumerate(NAMES)),
    )
    done = take(lake, corpus, path)
    same(lake, done, path)
    given = dict(
        lake.rows("SELECT table_name, lake_table FROM source.db_table WHERE db = ? ORDER BY position", [done.db])
    )
    assert list(given) == list(NAMES)
    assert len({name.casefold() for name in given.values()}) == len(NAMES)
    assert all(given[name] == name for name in NAMES if 0 < len(name) <= 200 and name not in ("É", "ẞ", "ss", "İ"))


def test_names_of_columns(lake: Lake, corpus: str, tmp_path: Path) -> None:
    columns = ", ".join(map(quote, NAMES))
    cells = ", ".join(f"'{number}'" for number in range(len(NAMES)))
    path = build(tmp_path / "x.sqlite", f"CREATE TABLE t ({columns})", f"INSERT INTO t VALUES ({cells}), ({cells})")
    done = take(lake, corpus, path)
    same(lake, done, path)
    assert [
        name
        for (name,) in lake.rows("SELECT column_name FROM source.db_column WHERE db = ? ORDER BY position", [done.db])
    ] == list(NAMES)


def test_names_of_databases(lake: Lake, corpus: str, tmp_path: Path) -> None:
    for name in ("a b", "é", "É", "x.y", "quote'd", 'q"', "n" * 240, "湖" * 80, "main", "-"):
        path = build(tmp_path / f"{name}.sqlite", "CREATE TABLE t (v)", "INSERT INTO t VALUES (1)")
        done = take(lake, corpus, path)
        assert done.db_id == name
        same(lake, done, path)
    schemas = [name for (name,) in lake.rows("SELECT schema_name FROM source.db WHERE corpus = ?", [corpus])]
    assert len({name.casefold() for name in schemas}) == 10
    for name in ("line\nfeed", "\x1b[1m", b"\xff".decode("utf-8", "surrogateescape")):
        path = build(tmp_path / f"{name}.sqlite", "CREATE TABLE t (v)")
        with pytest.raises(BenchlakeError, match="does not make a database name") as caught:
            take(lake, corpus, path)
        assert str(caught.value).isprintable()


def test_many_tables(lake: Lake, corpus: str, tmp_path: Path) -> None:
    statements = [f"CREATE TABLE t{number} (a INTEGER PRIMARY KEY, b TEXT, c REAL)" for number in range(300)]
    path = build(
        tmp_path / "x.sqlite",
        *statements,
        *(f"INSERT INTO t{number} VALUES ({number}, 'x', 0.5)" for number in range(300)),
    )
    before = time.process_time()
    done = take(lake, corpus, path)
    assert time.process_time() - before < 30
    assert done.tables == done.rows == 300
