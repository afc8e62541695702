"""The content digest: what changes it, and what does not."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from databases import build
from hostile import hostile_database

from warehouse import Lake
from warehouse.digest import content_digest, table_digest
from warehouse.ingest_db import ingest_database
from warehouse.inventory import one_snapshot, tables
from warehouse.lake import append

TABLE = "evaluation.table_file"
Rows = Sequence[dict[str, object]]


@pytest.fixture(scope="module")
def lake(module_lake: Lake) -> Lake:
    """One lake for the tests here."""
    return module_lake


def put(lake: Lake, rows: Rows) -> None:
    lake.commit("ingest", lambda cursor: (append(cursor, TABLE, rows), {"rows": len(rows)}))


def run(lake: Lake, statement: str) -> None:
    lake.commit("ingest", lambda cursor: (cursor.execute(statement), {}))


def digest_of(lake: Lake, *batches: Rows) -> str:
    """Digest of the table when it holds these rows, inserted in these batches."""
    run(lake, f"DELETE FROM {TABLE}")
    for batch in batches:
        put(lake, batch)
    return digests(lake)[TABLE]


def digests(lake: Lake, schema: str = "evaluation") -> dict[str, str]:
    """Digests of the tables of a schema, by name."""
    with one_snapshot(lake) as cursor:
        found = [table for table in tables(cursor) if table.schema == schema]
        return {f"{schema}.{table.name}": table_digest(cursor, table) for table in found}


def test_the_order_of_databases_changes_nothing(empty_lake: Path, tmp_path: Path) -> None:
    paths = [
        hostile_database(tmp_path / "odd 'one'.sqlite"),
        build(tmp_path / "b.sqlite", "CREATE TABLE t (a REAL)", "INSERT INTO t VALUES (1.5), (NULL)"),
    ]
    found = set()
    for number, order in enumerate((paths, paths[::-1])):
        with Lake.open(shutil.copytree(empty_lake, tmp_path / f"lake{number}")) as lake:
            for path in order:
                ingest_database(lake, path, "c")
            found.add(content_digest(lake))
    assert len(found) == 1


@pytest.mark.parametrize("batches", [[300], [1, 1, 298], [150, 5, 145]], ids=str)
def test_batches_and_the_order_of_rows_change_nothing(lake: Lake, batches: list[int]) -> None:
    rows = [{"file": f"f{n % 7}", "row_count": n, "header": [str(n), None, ""]} for n in range(300)]
    wanted = digest_of(lake, rows)
    rows.reverse()
    parts = [rows[sum(batches[:n]) : sum(batches[: n + 1])] for n in range(len(batches))]
    assert digest_of(lake, *parts) == wanted


VARIANTS: list[Rows] = [
    [],
    [{"file": "a", "row_count": 1, "header": ["x"]}],
    [{"file": "a", "row_count": 1, "header": ["x"]}] * 2,
    [{"file": "a", "row_count": 1, "header": ["x"]}] * 3,
    [{"file": "a", "row_count": 2, "header": ["x"]}],
    [{"file": "", "row_count": 1, "header": ["x"]}],
    [{"file": None, "row_count": 1, "header": ["x"]}],
    [{"file": "NULL", "row_count": 1, "header": ["x"]}],
    [{"file": "null", "row_count": 1, "header": ["x"]}],
    [{"file": "a", "row_count": None, "header": ["x"]}],
    [{"file": "a", "row_count": 1, "header": None}],
    [{"file": "a", "row_count": 1, "header": []}],
    [{"file": "a", "row_count": 1, "header": [None]}],
    [{"file": "a", "row_count": 1, "header": [""]}],
    [{"file": "a", "row_count": 1, "header": ["", ""]}],
    [{"file": "a", "row_count": 1, "header": ["NULL"]}],
    [{"file": "a", "row_count": 1, "header": ["x", None]}],
    [{"file": "a", "row_count": 1, "header": ["x, x"]}],
    [{"file": "a", "row_count": 1, "header": ["x", "x"]}],
    [{"file": 'a","row":1,"', "row_count": 1, "header": ["x"]}],
]


def test_one_value_or_null_or_copy_of_a_row_changes_the_digest(lake: Lake) -> None:
    assert len({digest_of(lake, rows) for rows in VARIANTS}) == len(VARIANTS)


# All of one storage class, and as literals of SQLite; each is another value.
VALUES = {
    "integer": ("0", "1", "9007199254740993", "9007199254740992", "-9223372036854775808"),
    "real": ("0.0", "-0.0", "1.0", "9007199254740992.0", "0.1 + 0.2", "0.3", "5e-324", "1e308", "9e999"),
    "text": ("'1'", "''", "'NULL'", "'\\x00'", "char(0)", "'é'", "'e' || char(769)", "CAST(x'00ff' AS TEXT)"),
    "blob": ("x''", "x'31'", "x'00'", "x'00ff'", "x'5c783030'"),
}


def test_source_values_are_told_apart(lake: Lake, tmp_path: Path) -> None:
    """Each value in a table of its own: alone, then among values of other classes, which makes the column a tagged one."""
    literals = ["NULL", *(value for values in VALUES.values() for value in values)]
    for name, others in (("alone", ""), ("tagged", ", (7), ('a'), (1.5), (x'61')")):
        statements = [
            statement
            for number, value in enumerate(literals)
            for statement in (f"CREATE TABLE t{number} (v)", f"INSERT INTO t{number} VALUES ({value}){others}")
        ]
        ingest_database(lake, build(tmp_path / f"{name}.sqlite", *statements), "values")
        assert len(set(digests(lake, f"src_{name}").values())) == len(literals)


def test_a_column_may_have_the_alias_of_the_row(lake: Lake, tmp_path: Path) -> None:
    path = build(tmp_path / "alias.sqlite", 'CREATE TABLE t (row0, "ROW1")', "INSERT INTO t VALUES (1, 2)")
    ingest_database(lake, path, "alias")
    before = digests(lake, "src_alias")
    run(lake, 'UPDATE src_alias.t SET "ROW1" = 3')
    assert digests(lake, "src_alias") != before


def test_names_and_types_of_columns_count(lake: Lake) -> None:
    found = set()
    for columns in ("a BIGINT, b BIGINT", "b BIGINT, a BIGINT", "a INTEGER, b BIGINT", "a BIGINT, c BIGINT"):
        run(lake, f"CREATE OR REPLACE TABLE main.made ({columns})")
        found |= set(digests(lake, "main").values())
    run(lake, "DROP TABLE main.made")
    assert len(found) == 4


def test_events_and_settings_do_not_count_and_the_name_of_a_table_does(lake: Lake) -> None:
    before = content_digest(lake)
    run(lake, "UPDATE ledger.setting SET value = 'other'")
    run(lake, "UPDATE ledger.schema_version SET name = 'other'")
    assert content_digest(lake) == before
    run(lake, "CREATE TABLE main.made (a BIGINT)")
    there = content_digest(lake)
    run(lake, "ALTER TABLE main.made RENAME TO other")
    assert len({before, there, content_digest(lake)}) == 3
    run(lake, "DROP TABLE main.other")


def test_a_digest_is_of_one_moment(lake: Lake) -> None:
    digest_of(lake, [{"file": "a", "row_count": n} for n in range(20)])
    with one_snapshot(lake) as cursor:
        first = tables(cursor)
        with Lake.open(lake.path) as other:
            put(other, [{"file": "b", "row_count": 1}])
            run(other, "CREATE TABLE main.made (a BIGINT)")
        assert tables(cursor) == first
        assert cursor.execute(f"SELECT count(*) FROM {TABLE}").fetchone() == (20,)
    run(lake, "DROP TABLE main.made")
