"""Ingest of databases: every value as SQLite has it, or a refusal by name."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from cells import same, schema_of, snapshots, take
from databases import build

from warehouse import BenchlakeError, Lake
from warehouse.ids import qualified

VALUES = (
    "NULL", "0", "1", "-1", "9223372036854775807", "-9223372036854775808", "9007199254740993", "9223372036854775808",
    "0.0", "-0.0",
    "1.0", "0.1", "5e-324", "1.7976931348623157e308", "9e999", "-9e999", "9e999 - 9e999", "''", "'a'", "'1'", "'01'",
    "'1.0'", "'1e3'",
    "'0x10'", "' 1 '", "'NULL'", "'é'", "'湖𠮷'", "'a' || char(0) || 'b'", "char(0)", "char(10, 13, 9, 34, 39, 92)",
    "x''", "x'00'",
    "x'ff00fe'", "CAST(x'ff' AS TEXT)", "CAST(x'eda080' AS TEXT)", "CAST(x'c080' AS TEXT)", "CAST(x'f4908080' AS TEXT)",
    "CAST(x'61c3' AS TEXT)", "char(55296)", "char(65534, 65535, 1114111)", "'inf'", "'nan'", "zeroblob(3)", "true",
    "'2024-01-01'",
)  # fmt: skip


@pytest.fixture(scope="module")
def lake(module_lake: Lake) -> Lake:
    """One lake for all tests here: each has a corpus of its own."""
    return module_lake


def test_every_class_in_every_affinity(lake: Lake, corpus: str, tmp_path: Path) -> None:
    types = [
        "INTEGER",
        "REAL",
        "NUMERIC",
        "TEXT",
        "BLOB",
        "",
        "VARCHAR(10)",
        "BOOLEAN",
        "DATETIME",
        "DECIMAL(10)",
        "FLOAT",
    ]
    columns = ", ".join(f"c{number} {declared}" for number, declared in enumerate(types))
    path = build(
        tmp_path / "x.sqlite",
        f"CREATE TABLE t ({columns})",
        *(f"INSERT INTO t VALUES ({', '.join([value] * len(types))})" for value in VALUES),
    )
    same(lake, take(lake, corpus, path), path)


def test_columns_of_one_class(lake: Lake, corpus: str, tmp_path: Path) -> None:
    statements = []
    with closing(sqlite3.connect(":memory:")) as connection:
        for value in VALUES:
            kind = connection.execute(f"SELECT typeof({value})").fetchone()[0]
            statements += [
                f"INSERT INTO {kind}_only VALUES ({value})",
                f"INSERT INTO {kind}_or_null VALUES ({value}), (NULL)",
            ]
    tables = [
        f"CREATE TABLE {kind}_{tail} (v)"
        for kind in ("null", "integer", "real", "text", "blob")
        for tail in ("only", "or_null")
    ]
    path = build(
        tmp_path / "x.sqlite",
        *tables,
        "CREATE TABLE reals (v)",
        "INSERT INTO reals VALUES (-0.0), (1.5), (9e999)",
        "CREATE TABLE valid (v)",
        "INSERT INTO valid VALUES ('é'), (''), (char(0))",
        *statements,
    )
    done = take(lake, corpus, path)
    same(lake, done, path)
    storage = dict(lake.rows("SELECT table_name, storage FROM source.db_column WHERE db = ?", [done.db]))
    assert storage == {
        "null_only": "empty", "null_or_null": "empty", "integer_only": "integer", "integer_or_null": "integer",
        "real_only": "tagged", "real_or_null": "tagged", "text_only": "tagged", "text_or_null": "tagged",
        "blob_only": "blob", "blob_or_null": "blob", "reals": "real", "valid": "text",
    }  # fmt: skip


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
def test_encodings(lake: Lake, corpus: str, tmp_path: Path, encoding: str) -> None:
    path = build(
        tmp_path / "x.sqlite",
        f"PRAGMA encoding = '{encoding}'",
        "CREATE TABLE 湖 (é, v)",
        *(f"INSERT INTO 湖 VALUES ({value}, 'é𠮷')" for value in VALUES),
        *(
            f"INSERT INTO 湖 VALUES (CAST(x'{code}' AS TEXT), '')"
            for code in ("00d8", "d800", "dc00", "00d80041", "4100", "41", "feff")
        ),
    )
    done = take(lake, corpus, path)
    same(lake, done, path)
    assert lake.rows("SELECT encoding FROM source.db WHERE db = ?", [done.db]) == [(encoding,)]


def test_kinds_of_tables_and_columns(lake: Lake, corpus: str, tmp_path: Path) -> None:
    path = build(
        tmp_path / "x.sqlite",
        "PRAGMA user_version = 7",
        "CREATE TABLE made (a, v AS (a * 2), s TEXT AS (a || 'x') STORED, b DEFAULT (1 + 1) NOT NULL)",
        "INSERT INTO made (a) VALUES (1), ('t'), (NULL)",
        "CREATE TABLE keyed (b TEXT, a REAL, c, PRIMARY KEY (a DESC, b)) WITHOUT ROWID",
        "INSERT INTO keyed VALUES ('x', 2, 1), ('y', 1, 2), ('x', 1, 3)",
        "CREATE TABLE folded (k TEXT COLLATE NOCASE, v, PRIMARY KEY (k COLLATE BINARY)) WITHOUT ROWID",
        "INSERT INTO folded VALUES ('b', 1), ('B', 2), ('a', 3), ('A', 4)",
        "CREATE INDEX covering ON folded (v DESC, k)",
        "CREATE TABLE strict (i INTEGER, t TEXT, b BLOB, r REAL, a ANY, n INT) STRICT",
        "INSERT INTO strict VALUES (1, 'x', x'00', 1, '1', 2), (NULL, NULL, NULL, NULL, 1.5, NULL)",
        "CREATE TABLE auto (id INTEGER PRIMARY KEY AUTOINCREMENT, v)",
        "INSERT INTO auto VALUES (5, 'a'), (-3, 'b'), (9223372036854775807, 'c')",
        "CREATE TABLE gaps (v)",
        "INSERT INTO gaps (rowid, v) VALUES (10, 'a'), (-9223372036854775808, 'b'), (3, 'c')",
        "CREATE TABLE empty (a INTEGER, b)",
        "CREATE TABLE nulls (a, b)",
        "INSERT INTO nulls VALUES (NULL, NULL), (NULL, NULL)",
    )
    done = take(lake, corpus, path)
    same(lake, done, path)
    generated = lake.rows(
        "SELECT column_name, generated FROM source.db_column WHERE db = ? AND generated IS NOT NULL ORDER BY 1",
        [done.db],
    )
    assert generated == [("s", "stored"), ("v", "virtual")]
    about = lake.rows(
        "SELECT table_name, rowid_alias, without_rowid, strict, first_rowid, last_rowid "
        "FROM source.db_table WHERE db = ? ORDER BY position",
        [done.db],
    )
    assert about == [
        ("made", "rowid", False, False, 1, 3),
        ("keyed", None, True, False, 1, 3),
        ("folded", None, True, False, 1, 4),
        ("strict", "rowid", False, True, 1, 2),
        ("auto", "rowid", False, False, -3, 2**63 - 1),
        ("gaps", "rowid", False, False, -(2**63), 10),
        ("empty", "rowid", False, False, None, None),
        ("nulls", "rowid", False, False, 1, 2),
    ]
    assert lake.rows("SELECT user_version, table_count, row_count FROM source.db WHERE db = ?", [done.db]) == [
        (7, 8, 20)
    ]


def test_columns_that_hide_the_rowid(lake: Lake, corpus: str, tmp_path: Path) -> None:
    hidden = (
        "rowid, v",
        "rowid, _rowid_",
        "RowId, _ROWID_, oid",
        "oid, _rowid_",
        "_rowid, v",
        "rowid INTEGER PRIMARY KEY, _rowid_, oid",
        "ordinal0, rowid, _rowid_, oid",
    )
    statements = []
    for number, columns in enumerate(hidden):
        width = columns.count(",") + 1
        statements.append(f"CREATE TABLE t{number} ({columns})")
        statements.append(f"CREATE INDEX i{number} ON t{number} ({columns.replace(' INTEGER PRIMARY KEY', '')})")
        statements += [f"INSERT INTO t{number} VALUES ({', '.join([value] * width)})" for value in ("30", "10", "20")]
    path = build(tmp_path / "x.sqlite", *statements)
    done = take(lake, corpus, path)
    same(lake, done, path)
    aliases = [
        alias
        for (alias,) in lake.rows("SELECT rowid_alias FROM source.db_table WHERE db = ? ORDER BY position", [done.db])
    ]
    assert aliases == ["_rowid_", "oid", None, "rowid", "rowid", None, None]
    # The order of the hidden rowid, not that of the index that covers the table.
    assert lake.rows(f"SELECT _rowid, oid FROM {qualified(schema_of(lake, done), 't2')} ORDER BY 1") == [
        (1, 30),
        (2, 10),
        (3, 20),
    ]
    assert lake.rows(f"SELECT rowid FROM {qualified(schema_of(lake, done), 't0')} ORDER BY _rowid") == [
        (30,),
        (10,),
        (20,),
    ]
    assert lake.rows(
        "SELECT column_name, lake_column FROM source.db_column WHERE db = ? AND table_name = 't4'", [done.db]
    ) == [
        ("_rowid", "_rowid_1"),
        ("v", "v"),
    ]


def test_many_columns(lake: Lake, corpus: str, tmp_path: Path) -> None:
    columns = ", ".join(f"c{number}" for number in range(1500))
    cells = ", ".join(VALUES[number % len(VALUES)] for number in range(1500))
    path = build(tmp_path / "x.sqlite", f"CREATE TABLE t ({columns})", f"INSERT INTO t VALUES ({cells})")
    same(lake, take(lake, corpus, path), path)
    columns = ", ".join(f"c{number}" for number in range(2000))
    path = build(tmp_path / "y.sqlite", f"CREATE TABLE t ({columns})", "CREATE TABLE u (a)")
    assert take(lake, corpus, path).refused == (("t", "too_many_columns"),)


def test_no_tables(lake: Lake, corpus: str, tmp_path: Path) -> None:
    path = build(tmp_path / "x.sqlite", "CREATE VIEW v AS SELECT 1")
    done = take(lake, corpus, path)
    assert (done.tables, done.rows, done.new) == (0, 0, True)
    before = snapshots(lake)
    assert not take(lake, corpus, path).new
    assert snapshots(lake) == before
    vacuumed = build(tmp_path / "y.sqlite", "CREATE TABLE t (a)", "DROP TABLE t", "VACUUM")
    assert take(lake, corpus, vacuumed).tables == 0


def test_values_larger_than_a_batch(lake: Lake, corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warehouse.sqlite_rows.BATCH_BYTES", 100_000)
    monkeypatch.setattr("warehouse.sqlite_rows.BATCH_ROWS", 50)
    path = build(
        tmp_path / "x.sqlite",
        "CREATE TABLE t (a, b)",
        "CREATE TABLE n (a)",
        rows={
            "INSERT INTO t VALUES (?, ?)": [("x" * (n * 40), bytes(n * 3000 % 90_000)) for n in range(170)],
            "INSERT INTO n VALUES (?)": [(n,) for n in range(120)],
        },
    )
    same(lake, take(lake, corpus, path), path)


def test_virtual_tables_and_their_shadows(lake: Lake, corpus: str, tmp_path: Path) -> None:
    path = build(
        tmp_path / "x.sqlite",
        "CREATE VIRTUAL TABLE words USING fts5(body)",
        "INSERT INTO words VALUES ('some words')",
        "CREATE VIRTUAL TABLE old USING fts4(body)",
        "CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1)",
        "INSERT INTO boxes VALUES (1, 0, 1)",
        "CREATE TABLE plain (a)",
        "INSERT INTO plain VALUES (1)",
    )
    done = take(lake, corpus, path)
    same(lake, done, path)
    assert done.tables == 1
    reasons = dict(done.refused)
    assert reasons["words"] == reasons["old"] == reasons["boxes"] == "virtual_table"
    assert reasons["words_data"] == reasons["boxes_node"] == "shadow_table"
    assert len(done.refused) == len(reasons) == 3 + 5 + 5 + 3
    kinds = lake.rows(
        "SELECT kind, count(*), count(lake_table) FROM source.db_table WHERE db = ? GROUP BY 1 ORDER BY 1", [done.db]
    )
    assert kinds == [("shadow", 13, 0), ("table", 1, 1), ("virtual", 3, 0)]


def test_tables_named_as_functions_of_sqlite(lake: Lake, corpus: str, tmp_path: Path) -> None:
    functions = (
        "pragma_table_list",
        "pragma_table_xinfo",
        "pragma_index_list",
        "pragma_index_xinfo",
        "pragma_foreign_key_list",
        "json_each",
        "sqlite_stmt",
        "generate_series",
    )
    tables = [
        f'CREATE TABLE "{name}" (a PRIMARY KEY, b REFERENCES json_each)' for name in functions if name != "sqlite_stmt"
    ]
    path = build(
        tmp_path / "x.sqlite",
        *tables,
        "INSERT INTO json_each VALUES (1, 1), (2, 3)",
        "CREATE VIEW pragma_encoding AS SELECT 'x' AS encoding",
    )
    done = take(lake, corpus, path)
    same(lake, done, path)
    assert lake.rows(
        "SELECT edges, violations FROM source.db_key WHERE db = ? AND table_name = 'json_each' AND kind = 'foreign'",
        [done.db],
    ) == [(1, 1)]


LARGE = "printf('%.*c', 2000000, 'x')"


@pytest.mark.parametrize(
    ("statements", "place"),
    [
        (("CREATE TABLE \"big one\" (k, \"long\ntext\")", f"INSERT INTO \"big one\" VALUES (1, {LARGE})",
          "CREATE TABLE g (x INT, y AS (x + 1))", "INSERT INTO g (x) VALUES (1)"),
         r"table big one, column long\ntext: a value larger than 1 MiB"),
        (("CREATE TABLE g (x TEXT, y AS (length(x)))", f"INSERT INTO g (x) VALUES ({LARGE})"), "table g, column x:"),
        (("CREATE TABLE g (x INT, y AS (zeroblob(x)))", "INSERT INTO g (x) VALUES (2000000)"), "table g, column y:"),
        (("CREATE TABLE g (x INT, y AS (zeroblob(x)) STORED)", "INSERT INTO g (x) VALUES (2000000)"), "table g, column y:"),
        (("CREATE TABLE g (x TEXT)", "CREATE INDEX i ON g (lower(x))", f"INSERT INTO g (x) VALUES ({LARGE})"),
         "table g, column x:"),
        (("CREATE TABLE g (x INT)", "CREATE INDEX i ON g (zeroblob(x))", "INSERT INTO g (x) VALUES (2000000)"),
         "an entry of an index:"),
        (("CREATE TABLE w (x INT PRIMARY KEY, y BLOB) WITHOUT ROWID", "INSERT INTO w VALUES (1, zeroblob(3000000))",
          "CREATE TABLE g (x INT, y AS (x + 1))"), "table w, column y:"),
    ],
)  # fmt: skip
def test_a_value_too_large_for_a_database_that_computes(
    lake: Lake, corpus: str, tmp_path: Path, statements: tuple[str, ...], place: str
) -> None:
    """Refused by table and column, and not as damaged: the file is sound."""
    path = build(tmp_path / "x.sqlite", *statements)
    with pytest.raises(BenchlakeError) as caught:
        take(lake, corpus, path)
    assert place in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    assert lake.rows("SELECT count(*) FROM source.db WHERE corpus = ?", [corpus]) == [(0,)]


def test_a_value_over_the_limit_of_all_databases(
    lake: Lake, corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("warehouse.sqlite_file.MAX_VALUE_BYTES", 1 << 20)
    path = build(tmp_path / "x.sqlite", "CREATE TABLE t (a, b)", f"INSERT INTO t VALUES (1, {LARGE})")
    with pytest.raises(BenchlakeError, match=r"table t, column b: a value larger than 1 MiB, the limit$"):
        take(lake, corpus, path)
