"""Foreign keys as pairs of rows: SQLite's own `foreign_key_check` decides what is violated."""

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warehouse import key_edges as module
from warehouse.key_edges import TooManyPairs, key_edges
from warehouse.sqlite_schema import ForeignKey, inspect

VALUES = [
    None,
    0,
    1,
    -1,
    2,
    1.0,
    1.5,
    -0.0,
    "1",
    "01",
    "1.0",
    " 1",
    "1 ",
    "1e0",
    "0x1",
    "a",
    "A",
    "a ",
    "",
    "é",
    "É",
    b"",
    b"1",
    b"a",
    2**53,
    2**53 + 1,
    float(2**53),
    "9007199254740993",
    2**63 - 1,
    -(2**63),
    9.223372036854775807e18,
    "9223372036854775807",
    "9223372036854775808",
    "x\0y",
    "x\0z",
    float("inf"),
    "inf",
    "1e999",
    "١",
]
PARENTS = [
    "INTEGER PRIMARY KEY",
    "TEXT PRIMARY KEY",
    "INT PRIMARY KEY",
    "PRIMARY KEY",
    "REAL UNIQUE",
    "NUMERIC UNIQUE",
    "BLOB UNIQUE",
    "UNIQUE",
    "TEXT UNIQUE",
    "TEXT UNIQUE COLLATE NOCASE",
    "TEXT COLLATE RTRIM UNIQUE",
    "INTEGER UNIQUE",
    "UNIQUE COLLATE NOCASE",
]
CHILDREN = [
    "INTEGER",
    "TEXT",
    "REAL",
    "NUMERIC",
    "BLOB",
    "",
    "TEXT COLLATE NOCASE",
    "COLLATE RTRIM",
    "INTEGER PRIMARY KEY",
]
value = st.sampled_from(VALUES)


def found(connection: sqlite3.Connection) -> dict[tuple[str, int], tuple[list[tuple[int, int]], list[int]]]:
    """Pairs and violations by (table, SQLite's number of the key)."""
    schema = inspect(connection)
    answers = {}
    for table in schema.tables:
        for key in table.foreign_keys:
            edges = key_edges(connection, schema, key)
            pairs = sorted(zip(*edges.pairs.to_pydict().values(), strict=True))
            answers[(table.name, key.position)] = (pairs, sorted(edges.violations["child_rowid"].to_pylist()))
    return answers


def by_sqlite(connection: sqlite3.Connection) -> dict[tuple[str, int], list[int]]:
    """What `foreign_key_check` reports, by (table, number of the key)."""
    answers: dict[tuple[str, int], list[int]] = {}
    for table, rowid, _, number in connection.execute("PRAGMA foreign_key_check"):
        answers.setdefault((table, number), []).append(rowid)
    return {key: sorted(rows) for key, rows in answers.items()}


def agree(connection: sqlite3.Connection) -> None:
    answers = found(connection)
    assert {key: rows for key, (_, rows) in answers.items() if rows} == by_sqlite(connection)
    for (table, _), (pairs, violations) in answers.items():
        # Keys of these tests have unique parents: a row has a parent, or a violation, or a NULL.
        children = [child for child, _ in pairs] + violations
        assert (
            len(children) == len(set(children)) <= connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
        )


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    parent=st.sampled_from(PARENTS),
    child=st.sampled_from(CHILDREN),
    parents=st.lists(value, max_size=12),
    children=st.lists(value, max_size=12),
)
def test_single_keys(parent: str, child: str, parents: list[object], children: list[object]) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE TABLE parent (k {parent}, other)")
        connection.execute(f"CREATE TABLE child (c {child} REFERENCES parent (k))")
        for key in parents:
            try_insert(connection, "INSERT OR IGNORE INTO parent VALUES (?, 1)", key)
        for key in children:
            try_insert(connection, "INSERT OR IGNORE INTO child VALUES (?)", key)
        agree(connection)


@pytest.mark.parametrize("parent", PARENTS)
def test_every_value_against_every_value(parent: str) -> None:
    for child in CHILDREN:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute(f"CREATE TABLE parent (k {parent}, other)")
            connection.execute(f"CREATE TABLE child (c {child} REFERENCES parent (k))")
            for key in VALUES:
                try_insert(connection, "INSERT OR IGNORE INTO parent VALUES (?, 1)", key)
                try_insert(connection, "INSERT OR IGNORE INTO child VALUES (?)", key)
            agree(connection)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    types=st.lists(
        st.sampled_from(["INTEGER", "TEXT", "", "REAL", "TEXT COLLATE NOCASE", "BLOB"]), min_size=4, max_size=4
    ),
    tail=st.sampled_from(["", " WITHOUT ROWID"]),
    order=st.sampled_from(["a, b", "b, a"]),
    parents=st.lists(st.tuples(value, value), max_size=12),
    children=st.lists(st.tuples(value, value), max_size=12),
)
def test_composite_keys(
    types: list[str], tail: str, order: str, parents: list[tuple[object, object]], children: list[tuple[object, object]]
) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE TABLE parent (a {types[0]}, b {types[1]}, PRIMARY KEY ({order})){tail}")
        connection.execute(
            f"CREATE TABLE child (x {types[2]}, y {types[3]}, FOREIGN KEY (x, y) REFERENCES parent (a, b))"
        )
        for pair in parents:
            try_insert(connection, "INSERT OR IGNORE INTO parent VALUES (?, ?)", *pair)
        for pair in children:
            try_insert(connection, "INSERT INTO child VALUES (?, ?)", *pair)
        agree(connection)


def try_insert(connection: sqlite3.Connection, sql: str, *values: object) -> None:
    try:
        connection.execute(sql, values)
    except sqlite3.IntegrityError as error:
        # An INTEGER PRIMARY KEY takes no text.
        assert "datatype mismatch" in str(error)


SHAPES = {
    "self": (
        "CREATE TABLE t (id INTEGER PRIMARY KEY, up REFERENCES t)",
        "INSERT INTO t VALUES (1, 1), (2, 1), (3, 9), (4, NULL)",
    ),
    "cycle": (
        "CREATE TABLE t (id INTEGER PRIMARY KEY, u REFERENCES u)",
        "CREATE TABLE u (id INTEGER PRIMARY KEY, t REFERENCES t)",
        "INSERT INTO t VALUES (1, 1), (2, 3)",
        "INSERT INTO u VALUES (1, 2), (2, 7)",
    ),
    "several tables for one column": (
        "CREATE TABLE p (id INTEGER PRIMARY KEY)",
        "CREATE TABLE q (id INTEGER PRIMARY KEY)",
        "CREATE TABLE t (e REFERENCES p, FOREIGN KEY (e) REFERENCES q (id), FOREIGN KEY (e) REFERENCES nowhere)",
        "INSERT INTO p VALUES (1)",
        "INSERT INTO q VALUES (2)",
        "INSERT INTO t VALUES (1), (2), (3), (NULL)",
    ),
    "other case": (
        "CREATE TABLE Parent (Id TEXT PRIMARY KEY)",
        "CREATE TABLE Child (C REFERENCES PARENT (ID), D REFERENCES parent (iD))",
        "INSERT INTO Parent VALUES ('a')",
        "INSERT INTO Child VALUES ('a', 'b'), ('b', 'a')",
    ),
    "unique target": (
        "CREATE TABLE p (id INTEGER PRIMARY KEY, code TEXT UNIQUE)",
        "CREATE TABLE t (c REFERENCES p (code))",
        "INSERT INTO p VALUES (1, 'x'), (2, NULL), (3, NULL)",
        "INSERT INTO t VALUES ('x'), ('y'), (NULL)",
    ),
    "unique by an index": (
        "CREATE TABLE p (code TEXT)",
        "CREATE UNIQUE INDEX i ON p (code)",
        "CREATE TABLE t (c REFERENCES p (code))",
        "INSERT INTO p VALUES ('x')",
        "INSERT INTO t VALUES ('x'), ('y')",
    ),
    "parts that are NULL": (
        "CREATE TABLE p (a, b, PRIMARY KEY (a, b))",
        "CREATE TABLE t (a, b, FOREIGN KEY (a, b) REFERENCES p)",
        "INSERT INTO p VALUES (1, 2)",
        "INSERT INTO t VALUES (1, 2), (1, NULL), (NULL, 2), (NULL, NULL), (1, 3)",
    ),
    "affinities": (
        "CREATE TABLE i (k INTEGER PRIMARY KEY)",
        "CREATE TABLE s (k TEXT PRIMARY KEY)",
        "CREATE TABLE t (i TEXT REFERENCES i, s INTEGER REFERENCES s)",
        "INSERT INTO i VALUES (1)",
        "INSERT INTO s VALUES ('1')",
        "INSERT INTO t VALUES ('01', 1), ('1', '01'), ('1.0', 1.0)",
    ),
    "names": (
        'CREATE TABLE "order" ("select" PRIMARY KEY, "a""b", UNIQUE ("a""b"))',
        'CREATE TABLE [my table] ("c d" REFERENCES "order", e REFERENCES "order" ("a""b"))',
        "INSERT INTO \"order\" VALUES (1, 'x')",
        "INSERT INTO [my table] VALUES (1, 'x'), (2, 'y')",
    ),
    "hidden rowids": (
        "CREATE TABLE p (rowid, _rowid_, oid UNIQUE)",
        "CREATE INDEX every ON p (oid, _rowid_, rowid)",
        "CREATE TABLE t (c REFERENCES p (oid))",
        "INSERT INTO p VALUES (3, 2, 'c'), (2, 1, 'a'), (1, 0, 'b')",
        "INSERT INTO t VALUES ('a'), ('b'), ('c'), ('d')",
    ),
    "generated": (
        "CREATE TABLE p (a, b AS (a + 1) UNIQUE)",
        "CREATE TABLE t (x, y AS (x * 2) REFERENCES p (b))",
        "INSERT INTO p VALUES (1), (3)",
        "INSERT INTO t VALUES (1), (2), (3)",
    ),
    "no parent table": (
        "CREATE TABLE t (a REFERENCES nowhere, b REFERENCES nowhere (x))",
        "INSERT INTO t VALUES (1, 2), (NULL, 3)",
    ),
    "no rows": ("CREATE TABLE p (id INTEGER PRIMARY KEY)", "CREATE TABLE t (c REFERENCES p)"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(shape: str) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in SHAPES[shape]:
            connection.execute(statement)
        agree(connection)


def test_the_pairs_themselves() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in SHAPES["hidden rowids"]:
            connection.execute(statement)
        # Ordinals in the order of the hidden rowid, whatever index covers the table.
        assert found(connection) == {("t", 0): ([(1, 2), (2, 3), (3, 1)], [4])}
        connection.execute("CREATE TABLE w (a, b, PRIMARY KEY (b, a)) WITHOUT ROWID")
        connection.execute("INSERT INTO w VALUES (1, 'z'), (2, 'y'), (3, 'x')")
        connection.execute("CREATE TABLE v (a, b, FOREIGN KEY (a, b) REFERENCES w (a, b))")
        connection.execute("INSERT INTO v VALUES (1, 'z'), (3, 'x')")
        assert found(connection)[("v", 0)] == ([(1, 3), (2, 1)], [])


@pytest.mark.parametrize(
    ("parent", "key", "problem"),
    [
        (("CREATE TABLE p (a)",), "REFERENCES p (a)", "parent_not_unique"),
        (("CREATE TABLE p (a)", "CREATE INDEX i ON p (a)"), "REFERENCES p (a)", "parent_not_unique"),
        (("CREATE TABLE p (a, b, UNIQUE (a, b))",), "REFERENCES p (a)", "parent_not_unique"),
        (("CREATE TABLE p (a)", "CREATE UNIQUE INDEX i ON p (a) WHERE a > 0"), "REFERENCES p (a)", "parent_not_unique"),
        (
            ("CREATE TABLE p (a, b)", "CREATE UNIQUE INDEX i ON p (a, lower(b))"),
            "REFERENCES p (a)",
            "parent_not_unique",
        ),
        (
            ("CREATE TABLE p (a)", "CREATE UNIQUE INDEX i ON p (a COLLATE NOCASE)"),
            "REFERENCES p (a)",
            "parent_not_unique",
        ),
        (("CREATE TABLE p (a COLLATE NOCASE, UNIQUE (a COLLATE BINARY))",), "REFERENCES p (a)", "parent_not_unique"),
        (("CREATE TABLE p (a COLLATE NOCASE)", "CREATE UNIQUE INDEX i ON p (a)"), "REFERENCES p (a)", None),
        (("CREATE TABLE child2 (a COLLATE NOCASE UNIQUE)",), "REFERENCES child2 (a)", None),
        (("CREATE TABLE p (a COLLATE NOCASE, PRIMARY KEY (a COLLATE BINARY))",), "REFERENCES p", None),
        (("CREATE TABLE p (a, b, PRIMARY KEY (a, b))",), "REFERENCES p", "column_count"),
        (("CREATE TABLE p (a)",), "REFERENCES p", "column_count"),
        (("CREATE TABLE p (a)",), "REFERENCES p (absent)", "no_such_column"),
        (("CREATE TABLE q (a)", "CREATE VIEW p AS SELECT a FROM q"), "REFERENCES p (a)", "no_such_table"),
        (("CREATE VIRTUAL TABLE p USING fts5(a)",), "REFERENCES p (a)", "no_such_table"),
    ],
)
def test_problems_are_those_of_sqlite(parent: tuple[str, ...], key: str, problem: str | None) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in (*parent, f"CREATE TABLE child (c {key})", "INSERT INTO child VALUES (1)"):
            connection.execute(statement)
        table = inspect(connection).table("CHILD")
        assert table and [item.problem for item in table.foreign_keys] == [problem]
        try:
            connection.execute("PRAGMA foreign_key_check(child)").fetchall()
            enforced = True
        except sqlite3.OperationalError as error:
            assert "foreign key mismatch" in str(error)
            enforced = False
        assert enforced == (problem is None)


def test_a_key_to_many_equal_parents_is_followed_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_AMBIGUOUS_PAIRS", 9)
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE p (a)")
        connection.execute("CREATE TABLE t (c REFERENCES p (a))")
        connection.executemany("INSERT INTO p VALUES (?)", [(1,)] * 3)
        connection.executemany("INSERT INTO t VALUES (?)", [(1,)] * 3)
        assert len(found(connection)[("t", 0)][0]) == 9
        connection.execute("INSERT INTO t VALUES (1)")
        schema = inspect(connection)
        table = schema.table("t")
        assert table
        with pytest.raises(TooManyPairs):
            key_edges(connection, schema, table.foreign_keys[0])
        absent = ForeignKey(0, "t", ("c",), "nowhere", (), problem="no_such_table")
        assert len(key_edges(connection, schema, absent).violations) == 4
