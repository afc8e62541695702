"""Databases built from chosen rows: the same values, the same declarations, the same bytes, and nothing acts."""

import random
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from cells import by_sqlite
from databases import build, forge

from warehouse.sqlite_build import NotBuilt, build_database, copy_table, open_target, run_definition
from warehouse.sqlite_file import open_immutable
from warehouse.sqlite_schema import Schema, Table, inspect, rowid_source

LITERALS = (
    "NULL", "0", "-1", "9223372036854775807", "-9223372036854775808", "-0.0", "5e-324", "9e999", "''", "'1'", "'01'",
    "'é'", "'a' || char(0) || 'b'", "x''", "x'00ff'", "CAST(x'ff' AS TEXT)", "CAST(x'eda080' AS TEXT)", "'湖𠮷'", "1.5",
    "'1.0'",
)  # fmt: skip
KINDS = (
    "CREATE TABLE classes (i INTEGER, r REAL, n NUMERIC, t TEXT, b BLOB, x, CHECK (i > 100))",
    "CREATE TABLE made (a, v AS (a || 'v'), s AS (a || 's') STORED, CHECK (a IS NULL))",
    "CREATE TABLE keyed (b TEXT COLLATE NOCASE, a REAL, x, PRIMARY KEY (b COLLATE BINARY, a DESC)) WITHOUT ROWID",
    "CREATE TABLE strict (i INTEGER, a ANY) STRICT",
    "CREATE TABLE auto (id INTEGER PRIMARY KEY AUTOINCREMENT, v)",
    "CREATE TABLE hidden (rowid, _rowid_, oid)",
    'CREATE TABLE "order" ("select", "a""b", [c d], `e`)',
    "CREATE TABLE json_each (value)",
    "CREATE TABLE chosen (id)",
    "CREATE TABLE child (a REFERENCES auto, b REFERENCES nowhere)",
    'CREATE TABLE "" ("")',
)
DEFINED = (
    "CREATE INDEX covering ON hidden (oid, _rowid_, rowid)",
    "CREATE UNIQUE INDEX expressed ON auto (lower(v), id) WHERE id > 1",
    "CREATE VIEW seen AS SELECT * FROM auto JOIN nowhere",
    "CREATE TRIGGER fired AFTER INSERT ON auto BEGIN DELETE FROM classes; SELECT RAISE(ABORT, 'fired'); END",
    "CREATE TRIGGER instead INSTEAD OF INSERT ON seen BEGIN SELECT 1; END",
)


@pytest.fixture(scope="module", params=["UTF-8", "UTF-16le"])
def source(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of every kind of table and value, with rows that break its CHECKs."""
    literals = list(LITERALS)
    random.Random(1).shuffle(literals)
    rows = []
    for number, value in enumerate(literals):
        rows += [
            f"INSERT INTO classes VALUES ({', '.join([value] * 6)})",
            f"INSERT INTO made (a) VALUES ({value})",
            f"INSERT OR IGNORE INTO keyed VALUES ('{'aA'[number % 2]}', {number // 2}, {value})",
            f"INSERT INTO strict VALUES ({number}, {value})",
            f"INSERT INTO auto VALUES ({number * 7 - 30}, {value})",
            f"INSERT INTO hidden VALUES ({value}, {number % 3}, {-number})",
            f'INSERT INTO "order" VALUES ({value}, 1, {number}, NULL)',
            f"INSERT INTO json_each VALUES ({value})",
            f"INSERT INTO chosen VALUES ({value})",
            f"INSERT INTO child VALUES ({number}, {value})",
            f'INSERT INTO "" VALUES ({value})',
        ]
    rows.append(f"INSERT INTO classes (rowid, x) VALUES ({2**63 - 1}, 1), ({-(2**63)}, 2), ({2**53 + 1}, 3)")
    return build(
        tmp_path_factory.mktemp("source") / "source.sqlite",
        f"PRAGMA encoding = '{request.param}'",
        "PRAGMA user_version = 5",
        "PRAGMA ignore_check_constraints = ON",
        *KINDS,
        *rows,
        *DEFINED,
    )


def described(path: Path) -> Schema:
    with closing(open_immutable(path)) as connection:
        return inspect(connection)


def made(
    target: Path, source: Path, rows: Mapping[str, Sequence[int]] | None, schema: Schema | None = None
) -> dict[str, int]:
    schema = schema or described(source)
    return build_database(target, source, schema, schema.tables, rows)


def row_ids(path: Path, table: Table) -> list[int]:
    with closing(open_immutable(path)) as connection:
        place, name = rowid_source(table)
        return [row[0] for row in connection.execute(f"SELECT {name} FROM {place} ORDER BY 1")]


def statements(path: Path) -> list[tuple[str, str, str]]:
    with closing(open_immutable(path)) as connection:
        return sorted(connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall())


def test_chosen_rows_are_the_source_rows(source: Path, tmp_path: Path) -> None:
    schema = described(source)
    for seed in range(6):
        dice = random.Random(seed)
        rows, expected = {}, {}
        for table in schema.tables:
            ids = row_ids(source, table)
            picked = sorted(dice.sample(range(len(ids)), dice.randrange(len(ids) + 1)))
            rows[table.name] = [ids[place] for place in picked]
            cells = by_sqlite(source, table.name)
            expected[table.name] = [cells[place] for place in picked]
            dice.shuffle(rows[table.name])
        counts = made(tmp_path / "x.sqlite", source, rows)
        assert counts == {name: len(ids) for name, ids in rows.items()}
        for table in schema.tables:
            assert by_sqlite(tmp_path / "x.sqlite", table.name) == expected[table.name], table.name


def test_all_rows_and_no_rows(source: Path, tmp_path: Path) -> None:
    made(tmp_path / "all.sqlite", source, None)
    assert set(made(tmp_path / "none.sqlite", source, {}).values()) == {0}
    for table in described(source).tables:
        assert by_sqlite(tmp_path / "all.sqlite", table.name) == by_sqlite(source, table.name)
        assert by_sqlite(tmp_path / "none.sqlite", table.name) == []
    # Rows that the source does not have are not made.
    assert made(tmp_path / "few.sqlite", source, {"auto": [-30, 999, -31]})["auto"] == 1


def test_declarations_are_the_same_and_nothing_has_acted(source: Path, tmp_path: Path) -> None:
    made(tmp_path / "x.sqlite", source, None)
    assert statements(tmp_path / "x.sqlite") == statements(source)
    ours, theirs = described(tmp_path / "x.sqlite"), described(source)
    assert (ours.encoding, ours.user_version) == (theirs.encoding, theirs.user_version)
    assert {t.name: replace(t, position=0) for t in ours.tables} == {
        t.name: replace(t, position=0) for t in theirs.tables
    }
    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() != ("malformed",)
        with pytest.raises(sqlite3.IntegrityError, match="fired"):
            connection.execute("INSERT INTO auto VALUES (999, 'x')")
    schema = described(source)
    build_database(tmp_path / "bare.sqlite", source, schema, schema.tables, None, definitions=False)
    assert {kind for kind, _, _ in statements(tmp_path / "bare.sqlite")} == {"table"}


def test_some_of_the_tables(source: Path, tmp_path: Path) -> None:
    """Definitions of tables that are left out are left out; views stay, whatever they name."""
    schema = described(source)
    build_database(tmp_path / "x.sqlite", source, schema, [t for t in schema.tables if t.name == "hidden"], None)
    assert [name for _, name, _ in statements(tmp_path / "x.sqlite")] == ["covering", "hidden", "instead", "seen"]


def test_same_input_same_bytes(source: Path, tmp_path: Path) -> None:
    schema = described(source)
    rows = {table.name: row_ids(source, table)[::2] for table in schema.tables}
    shuffled = {name: random.Random(3).sample(ids, len(ids)) for name, ids in reversed(rows.items())}
    (tmp_path / "an other").mkdir()
    made(tmp_path / "x.sqlite", source, rows)
    (tmp_path / "y.sqlite").write_bytes(b"something that was there")
    made(tmp_path / "y.sqlite", source, shuffled)
    made(tmp_path / "an other" / "100%?#.sqlite", Path(source), rows)
    data = {path.read_bytes() for path in tmp_path.rglob("*.sqlite")}
    assert len(data) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["an other", "x.sqlite", "y.sqlite"]


def test_values_that_affinity_would_change(tmp_path: Path) -> None:
    """A file whose declarations were changed after the fact: no value is converted in silence."""
    for value, declared in (
        ("'12'", "INTEGER"),
        ("12", "TEXT"),
        ("1.0", "INTEGER"),
        ("'1e3'", "REAL"),
        ("1.5", "VARCHAR(9)"),
    ):
        path = tmp_path / "x.sqlite"
        path.unlink(missing_ok=True)
        build(path, "CREATE TABLE t (a, b)", f"INSERT INTO t VALUES ({value}, 1), (NULL, 2), (x'00', 3)")
        forge(path, "UPDATE sqlite_master SET sql = ?", f"CREATE TABLE t (a {declared}, b)")
        with pytest.raises(NotBuilt, match="rows of t: a value is not of the type"):
            made(tmp_path / "y.sqlite", path, {"t": [1, 2]})
        assert made(tmp_path / "y.sqlite", path, {"t": [2, 3]}) == {"t": 2}


def test_rows_that_a_conflict_clause_would_lose(tmp_path: Path) -> None:
    path = build(tmp_path / "x.sqlite", "CREATE TABLE t (a, b)", "INSERT INTO t VALUES (1, 1), (NULL, 2)")
    forge(path, "UPDATE sqlite_master SET sql = ?", "CREATE TABLE t (a NOT NULL ON CONFLICT IGNORE, b)")
    assert made(tmp_path / "y.sqlite", path, {"t": [1]}) == {"t": 1}
    with pytest.raises(NotBuilt, match="rows of t"):
        made(tmp_path / "y.sqlite", path, {"t": [1, 2]})


HOSTILE = (
    "CREATE TABLE t (a); DROP TABLE u", "ATTACH 'made.sqlite' AS other", "DETACH source0", "PRAGMA user_version = 9",
    "VACUUM INTO 'made.sqlite'", "VACUUM", "COMMIT", "ROLLBACK", "SAVEPOINT s", "DROP TABLE u", "DELETE FROM u",
    "INSERT INTO u VALUES (9)",
    "UPDATE u SET a = 9", "ALTER TABLE u RENAME TO v", "CREATE VIRTUAL TABLE t USING fts5(a)",
    "CREATE TABLE source0.t (a)",
    "CREATE TEMP TABLE t (a)", "CREATE TRIGGER temp.t AFTER INSERT ON main.u BEGIN SELECT 1; END",
    "SELECT load_extension('x')",
    "CREATE TABLE t AS SELECT * FROM source0.u", "CREATE TABLE t AS SELECT * FROM pragma_database_list", "ANALYZE",
    "CREATE TABLE t (a\0)", "CREATE TABLE t (\udcff)", "CREATE TABLE u (a)", "INSERT INTO temp.chosen VALUES (1)",
    "DROP TABLE temp.chosen",
    "CREATE VIEW t AS SELECT", "CREATE INDEX t ON nowhere (a)", "CREATE INDEX temp.t ON u (a)",
    "WITH x AS (SELECT 1) DELETE FROM u",
)  # fmt: skip


@pytest.mark.parametrize("sql", HOSTILE)
def test_hostile_definitions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sql: str) -> None:
    monkeypatch.chdir(tmp_path)
    source = build(tmp_path / "source.sqlite", "CREATE TABLE u (a)", "INSERT INTO u VALUES (1)")
    before = source.read_bytes()
    with closing(open_target(tmp_path / "x.sqlite", "UTF-8", [source])) as connection:
        run_definition(connection, "table u", "CREATE TABLE u (a)")
        table = described(source).tables[0]
        with pytest.raises(NotBuilt, match=r"^table t: "):
            run_definition(connection, "table t", sql)
        assert connection.in_transaction
        assert copy_table(connection, "source0", table, [1]) == 1
        assert connection.execute("SELECT a FROM main.u").fetchall() == [(1,)]
        connection.execute("COMMIT")
    assert source.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["source.sqlite", "x.sqlite"]


def test_expressions_are_bounded(tmp_path: Path) -> None:
    for statement in (
        "CREATE INDEX i ON t (hex(zeroblob(a)))",
        "CREATE TABLE u (a, b AS (hex(zeroblob(a))) STORED)",
    ):
        path = tmp_path / "x.sqlite"
        path.unlink(missing_ok=True)
        table = statement.split()[1] == "TABLE"
        build(
            path,
            "CREATE TABLE t (a)",
            statement,
            f"INSERT INTO {'u' if table else 't'} (a) VALUES (1)",
        )
        assert sum(made(tmp_path / "y.sqlite", path, None).values()) == 1
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute(f"UPDATE {'u' if table else 't'} SET a = 2000000")
        with pytest.raises(NotBuilt, match="too big"):
            made(tmp_path / "y.sqlite", path, None)
