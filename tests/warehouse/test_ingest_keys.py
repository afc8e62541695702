"""Ingest of keys and definitions, declared and supplied."""

from pathlib import Path
from typing import Any

import pytest
from cells import snapshots, take
from databases import build

from warehouse import Lake, key_edges
from warehouse.errors import BenchlakeError
from warehouse.ingest_db import IngestedDb, SuppliedKey


@pytest.fixture(scope="module")
def lake(module_lake: Lake) -> Lake:
    """One lake for all tests here: each has a corpus of its own."""
    return module_lake


def keys(lake: Lake, done: IngestedDb) -> list[tuple[Any, ...]]:
    return lake.rows(
        "SELECT table_name, kind, columns, ref_table, ref_columns, origin, edges, violations, problem "
        "FROM source.db_key WHERE db = ? ORDER BY table_name, kind DESC, position, columns",
        [done.db],
    )


def test_keys(lake: Lake, corpus: str, tmp_path: Path) -> None:
    path = build(
        tmp_path / "x.sqlite",
        "CREATE TABLE parent (id INTEGER PRIMARY KEY, code TEXT UNIQUE, x, y, UNIQUE (x, y))",
        "CREATE INDEX by_y ON parent (y, x)",
        "CREATE UNIQUE INDEX some ON parent (y) WHERE y > 3",
        "CREATE INDEX computed ON parent (lower(code), id)",
        "CREATE TABLE child (a REFERENCES parent, b REFERENCES PARENT (CODE), c, d, e REFERENCES nowhere, "
        "FOREIGN KEY (d, c) REFERENCES parent (y, x))",
        "INSERT INTO parent VALUES (1, 'x', 1, 2), (2, 'y', 3, 4)",
        "INSERT INTO child VALUES (1, 'x', 1, 2, NULL), (9, 'y', 3, 5, 1), (NULL, NULL, NULL, 2, 2)",
    )
    done = take(lake, corpus, path)
    assert keys(lake, done) == [
        ("child", "foreign", ["d", "c"], "parent", ["y", "x"], "declared", 1, 1, None),
        ("child", "foreign", ["e"], "nowhere", [""], "declared", 0, 2, "no_such_table"),
        ("child", "foreign", ["b"], "parent", ["code"], "declared", 2, 0, None),
        ("child", "foreign", ["a"], "parent", ["id"], "declared", 1, 1, None),
        ("parent", "unique", ["code"], None, None, "declared", None, None, None),
        ("parent", "unique", ["x", "y"], None, None, "declared", None, None, None),
        ("parent", "primary", ["id"], None, None, "declared", None, None, None),
        ("parent", "index", ["y", "x"], None, None, "declared", None, None, None),
        ("parent", "index", ["y"], None, None, "declared", None, None, None),
        ("parent", "index", [None, "id"], None, None, "declared", None, None, None),
    ]
    edges = lake.rows("SELECT count(*), count(DISTINCT key) FROM source.key_edge WHERE db = ?", [done.db])
    violations = lake.rows("SELECT count(*), count(DISTINCT key) FROM source.key_violation WHERE db = ?", [done.db])
    assert (edges, violations) == ([(4, 3)], [(4, 3)])
    assert lake.rows("SELECT count(*), count(DISTINCT key) FROM source.db_key") == lake.rows(
        "SELECT count(*), count(*) FROM source.db_key"
    )


def test_supplied_keys(lake: Lake, corpus: str, tmp_path: Path) -> None:
    path = build(
        tmp_path / "x.sqlite",
        "CREATE TABLE p (id INTEGER PRIMARY KEY, code)",
        "CREATE TABLE c (p, code, q REFERENCES p)",
        "INSERT INTO p VALUES (1, 'x'), (2, 'x'), (3, 'y')",
        "INSERT INTO c VALUES (1, 'x', 1), (7, 'z', 2)",
    )
    done = take(lake, corpus, path, SuppliedKey("C", ("P",), "P", ("ID",)), SuppliedKey("c", ("q",), "p", ("id",)))
    foreign = [row for row in keys(lake, done) if row[1] == "foreign"]
    assert foreign == [
        ("c", "foreign", ["q"], "p", ["id"], "declared", 2, 0, None),
        ("c", "foreign", ["p"], "p", ["id"], "supplied", 1, 1, None),
    ]
    before = snapshots(lake)
    assert not take(lake, corpus, path, SuppliedKey("c", ("p",), "p", ("id",))).new
    assert snapshots(lake) == before
    # One that comes later is added; to equal parents it pairs with each.
    assert take(lake, corpus, path, SuppliedKey("c", ("code",), "p", ("code",))).new
    assert ("c", "foreign", ["code"], "p", ["code"], "supplied", 2, 1, "parent_not_unique") in keys(lake, done)
    before = snapshots(lake)
    for wrong, message in (
        (SuppliedKey("none", ("p",), "p", ("id",)), "table 'none'"),
        (SuppliedKey("c", ("none",), "p", ("id",)), "no_such_column"),
        (SuppliedKey("c", ("p",), "none", ("id",)), "no_such_table"),
        (SuppliedKey("c", ("p",), "p", ("none",)), "no_such_column"),
        (SuppliedKey("c", ("p",), "p", ("id", "code")), "column_count"),
    ):
        with pytest.raises(BenchlakeError, match=message):
            take(lake, corpus, path, wrong)
    assert snapshots(lake) == before


def test_a_key_with_too_many_pairs_is_named(
    lake: Lake, corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_edges, "MAX_AMBIGUOUS_PAIRS", 3)
    path = build(
        tmp_path / "x.sqlite",
        "CREATE TABLE p (a)", "CREATE TABLE c (a REFERENCES p (a))", "INSERT INTO p VALUES (1), (1)",
        "INSERT INTO c VALUES (1), (1)",
    )  # fmt: skip
    assert keys(lake, take(lake, corpus, path)) == [
        ("c", "foreign", ["a"], "p", ["a"], "declared", 0, 0, "too_many_pairs")
    ]


def test_definitions(lake: Lake, corpus: str, tmp_path: Path) -> None:
    view = "CREATE VIEW \"t\"\"v\" AS SELECT ')' AS a, x'00' FROM t -- end"
    trigger = "CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE t SET a = 'CHECK (1)'; END"
    instead = 'CREATE TRIGGER h INSTEAD OF DELETE ON "t""v" BEGIN SELECT 1; END'
    path = build(
        tmp_path / "x.sqlite",
        "CREATE TABLE t (a CHECK (a > 0), \"CHECK (x)\" /* CHECK (no) */ DEFAULT 'CHECK (no)', [check] , b, "
        "CONSTRAINT named cHeCk -- (\n ( (a) + b <> ')' AND b NOT IN ('(', \"b\") ), CHECK(b IS NOT NULL))",
        "CREATE INDEX i ON t (b) WHERE a > 1",
        view,
        trigger,
        instead,
    )
    done = take(lake, corpus, path)
    found = lake.rows(
        "SELECT kind, name, table_name, sql FROM source.definition WHERE db = ? ORDER BY kind, position", [done.db]
    )
    assert found == [
        ("check", "t:0", "t", "a > 0"),
        ("check", "t:1", "t", "(a) + b <> ')' AND b NOT IN ('(', \"b\")"),
        ("check", "t:2", "t", "b IS NOT NULL"),
        ("index", "i", "t", "CREATE INDEX i ON t (b) WHERE a > 1"),
        ("trigger", "g", "t", trigger),
        ("trigger", "h", 't"v', instead),
        ("view", 't"v', 't"v', view),
    ]
