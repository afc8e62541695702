"""Sort keys as columns: what a query sorts by, on a real SQLite."""

import sqlite3
from contextlib import closing

import pytest

from ibis_ops.query.sort_keys import with_sort_keys

# (query, its rows with keys); None: the keys cannot be had.
CASES = [
    ("SELECT b FROM t ORDER BY a", [("x", 1), ("y", 1), ("X", 2)]),
    ("SELECT b FROM t ORDER BY a DESC, b", [("X", 2, "X"), ("x", 1, "x"), ("y", 1, "y")]),
    ("SELECT b AS a, a AS c FROM t ORDER BY a", [("X", 2, "X"), ("x", 1, "x"), ("y", 1, "y")]),
    ("SELECT b, a FROM t ORDER BY 2 LIMIT 2", [("x", 1, 1), ("y", 1, 1)]),
    ("SELECT a, count(*) FROM t GROUP BY a ORDER BY count(*) DESC", [(1, 2, 2), (2, 1, 1)]),
    ("SELECT * FROM t ORDER BY length(b), a DESC", [(2, "X", 1, 2), (1, "x", 1, 1), (1, "y", 1, 1)]),
    ("SELECT b FROM t", None),
    ("SELECT DISTINCT b FROM t ORDER BY a", None),
    ("SELECT b FROM t UNION SELECT a FROM t ORDER BY 1", None),
    ("SELECT * FROM t ORDER BY 1", None),
    ("SELECT b FROM t ORDER BY 3", None),
    ("SELECT a AS c FROM t ORDER BY c + 1", None),
    ("SELECT b FROM t ORDER BY b COLLATE NOCASE", None),
    ("SELECT (SELECT a FROM t ORDER BY a LIMIT 1)", None),
    ("DELETE FROM t", None),
    ("SELECT", None),
    ("(" * 5000, None),
    ("", None),
]


@pytest.mark.parametrize(("sql", "rows"), CASES, ids=[sql[:40] for sql, _ in CASES])
def test_the_keys_follow_the_columns(sql, rows):
    found = with_sort_keys(sql)
    assert (found is None) == (rows is None)
    if found is not None:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute("CREATE TABLE t (a, b)")
            connection.execute("INSERT INTO t VALUES (1, 'x'), (1, 'y'), (2, 'X')")
            assert connection.execute(found).fetchall() == rows
