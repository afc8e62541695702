"""What functions hide in an answer: found by evaluation, wherever it stands, and nothing else is found."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from databases import build

from warehouse import sqlite_hidden
from warehouse.sqlite_file import open_immutable
from warehouse.sqlite_hidden import DATE_FUNCTIONS, FORMAT_FUNCTIONS, refuse_hidden
from warehouse.sqlite_run import VALUE_LIMIT, QueryFailed, run_query
from warehouse.sqlite_schema import inspect


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database whose views and values ask for the time, and some that do not."""
    return build(
        tmp_path_factory.mktemp("hidden") / "x.sqlite",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, d TEXT, m TEXT, f TEXT)",
        "INSERT INTO t (id, d, m, f) VALUES (1, '2020-01-02 03:04:05', '+1 day', '%d'), (2, 'NoW', 'LocalTime', '%s')",
        "INSERT INTO t (id, d, m, f) VALUES (3, CAST(x'6e6f770041' AS TEXT), 'utc', ''), (4, NULL, 'bad', NULL)",
        "INSERT INTO t (id, d) VALUES (5, CAST(x'ff' AS TEXT)), (6, '2020-05-06')",
        "CREATE TABLE k (id INTEGER PRIMARY KEY, d TEXT, day AS (date(d)), p AS (printf('<%s>', d)))",
        "INSERT INTO k (id, d) VALUES (1, '2020-01-02 03:04:05'), (2, '2021-01-01'), (3, NULL)",
        "CREATE INDEX by_month ON k (strftime('%m', d))",
        "CREATE INDEX by_day ON k (day)",
        "CREATE VIEW today AS SELECT date('now') AS d",
        "CREATE VIEW deep AS SELECT d FROM today",
        "CREATE VIEW shown AS SELECT printf('%.*c', 300000, 'x') AS p",
        "CREATE VIEW known AS SELECT date(d) AS d, printf('%05d', id) AS p FROM t WHERE id IN (1, 6)",
        "CREATE VIEW here AS SELECT datetime('2020-01-02', 'localtime') AS d",
    )


def check(path: Path, sql: str) -> str | None:
    with closing(open_immutable(path)) as connection:
        run_query(connection, sql)
        schema = inspect(connection)
    try:
        refuse_hidden(path, schema, sql)
    except QueryFailed as error:
        assert len(str(error).splitlines()) == 1
        return error.code
    return None


CLOCK = (
    "date('now')", "date(('now'))", "date('n' || 'ow')", "date('NOW')", "date(x'6e6f77')", "date()", "time('now')",
    "datetime('now', 'start of day')", "julianday('now')", "unixepoch('now')", "strftime('%Y', 'now')",
    "strftime('%Y')", "date(lower('NOW'))", "\"date\"('now')", "date('now', '-1 year')", "1 + julianday('now')",
    "datetime('2020-01-02', 'localtime')", "time('12:00', 'utc')", "strftime('%H', 0, 'unixepoch', 'LOCALTIME')",
    "coalesce(NULL, date('now'))", "CASE WHEN 1 THEN date('now') END",
)  # fmt: skip


@pytest.mark.parametrize("expression", CLOCK)
def test_the_clock_is_found_in_every_expression(path: Path, expression: str) -> None:
    for sql in (
        f"SELECT {expression} AS x",
        f"SELECT id FROM t WHERE {expression} IS NOT NULL",
        f"SELECT id FROM t ORDER BY id = {expression}",
        f"WITH c AS (SELECT {expression} AS x) SELECT count(*) FROM c",
        f"SELECT id FROM t WHERE id IN (SELECT id FROM t WHERE {expression} > '')",
    ):
        if "count(*)" not in sql:  # SQLite does not evaluate what nobody asks for
            assert check(path, sql) == "time_dependent", sql


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT d FROM today", "time_dependent"),
        ("SELECT d FROM deep", "time_dependent"),
        ("SELECT d FROM here", "time_dependent"),
        ("SELECT date(d) FROM t WHERE id = 2", "time_dependent"),
        ("SELECT date(d) FROM t WHERE id = 3", "time_dependent"),
        ("SELECT datetime('2020-01-01', m) FROM t WHERE id = 2", "time_dependent"),
        ("SELECT datetime('2020-01-01', m) FROM t WHERE id = 3", "time_dependent"),
        ("SELECT datetime('2020-01-01', m) FROM t WHERE id IN (1, 4)", None),
        ("SELECT date(d) FROM t WHERE id IN (1, 4, 6)", None),
        ("SELECT day, p FROM k ORDER BY day", None),
        ("SELECT d, p FROM known", None),
        ("SELECT 'now' AS now, d FROM t WHERE d = 'now'", None),
        ("SELECT date('today'), date('now', 'bad'), date(NULL, 'localtime'), date(' now')", None),
        ("SELECT count(*) FROM k WHERE strftime('%m', d) = '01' AND day > '2020-06-01'", None),
        ("SELECT printf('%s', 'now'), format('%d', 3), printf(''), printf(NULL), printf('%s', ''), printf()", None),
        ("SELECT CASE WHEN 0 THEN date('now') END", None),
        # Text that is not UTF-8 does not reach a function of ours, and is no fault of the query.
        ("SELECT date(d), printf('%s', d) FROM t WHERE id = 5", None),
        (f"SELECT length(printf('%.*c', {VALUE_LIMIT - 1}, 'x'))", None),
        (f"SELECT length(printf('%.*c', {VALUE_LIMIT + 1}, 'x'))", "sql_too_large"),
        ("SELECT p FROM shown", "sql_too_large"),
        ("SELECT length(p) FROM shown", "sql_too_large"),
        ("SELECT format('%400000s', id) FROM t", "sql_too_large"),
        ("SELECT id FROM t WHERE printf('%400000s', id) IS NULL", "sql_too_large"),
        ("SELECT coalesce(printf('%0400000d', 1), 'short')", "sql_too_large"),
        (f"SELECT printf('%s%20d', hex(zeroblob({VALUE_LIMIT // 2 - 9})), id) FROM t", "sql_too_large"),
        ("SELECT printf(f, 1) FROM t WHERE id IN (3, 4)", None),
    ],
)
def test_views_and_values(path: Path, sql: str, code: str | None) -> None:
    assert check(path, sql) == code


def test_functions_give_what_sqlite_gives(path: Path) -> None:
    """Whatever they are given but the clock and the zone; else an answer could be looked at in another way than it came."""
    values = (
        "2020-01-02", "2020-01-02 03:04:05.678", "12:00", "-4713-11-24", "9999-12-31 23:59:59", "", "x", "%Y-%m-%d %H:%M:%f",
        "%%", "%s %d %q", "%5.2f|%x|%c", "+1 day", "weekday 0", "start of month", "unixepoch", "auto", "é\0é", None,
        0, -1, 1e10, 2458850.5, 2**62, -0.0, 1e308, b"2020-01-02", b"a\0b", b"",
    )  # fmt: skip
    dice = random.Random(7)
    with closing(sqlite3.connect(":memory:")) as plain, closing(open_immutable(path)) as ours:
        plain.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_LIMIT)
        for name in (*DATE_FUNCTIONS, *FORMAT_FUNCTIONS):
            inner = sqlite_hidden._date if name in DATE_FUNCTIONS else sqlite_hidden._format
            if not plain.execute("SELECT count(*) FROM pragma_function_list WHERE name = ?", [name]).fetchone()[0]:
                continue
            ours.create_function(name, -1, lambda *given, n=name, f=inner: f(plain, n, *given), deterministic=True)
            for _ in range(400):
                given = dice.choices(values, k=dice.randrange(1, 5))
                if name == "strftime" and len(given) == 1:
                    continue
                sql = f"SELECT typeof(v), quote(v) FROM (SELECT {name}({', '.join('?' * len(given))}) AS v)"
                assert ours.execute(sql, given).fetchone() == plain.execute(sql, given).fetchone(), (name, given)


def test_ctrl_c_inside_a_function_is_not_lost(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("warehouse.sqlite_hidden._call", interrupted)
    with closing(open_immutable(path)) as connection:
        schema = inspect(connection)
    with pytest.raises(KeyboardInterrupt):
        refuse_hidden(path, schema, "SELECT date('2020-01-02')")
