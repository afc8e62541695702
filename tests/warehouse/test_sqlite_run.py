"""Queries from outside on a SQLite database: what they may do, and for how long and how large."""

import random
import resource
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from databases import build

from warehouse import sqlite_run
from warehouse.sqlite_file import open_immutable
from warehouse.sqlite_run import QueryFailed, run_query

COUNT = "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT {})"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a view that asks the clock, and nothing else that is odd."""
    return build(
        tmp_path_factory.mktemp("run") / "x.sqlite",
        "CREATE TABLE t (a, b)",
        "INSERT INTO t VALUES (1, 'one'), (2, 'two'), (NULL, x'00ff')",
        "CREATE VIEW today AS SELECT CURRENT_DATE AS d",
        "CREATE VIEW plain AS SELECT a FROM t WHERE a > 1",
    )


@pytest.fixture
def db(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(open_immutable(path)) as connection:
        yield connection
        # Whatever happened, the connection is as it was before.
        assert run_query(connection, "SELECT count(*) AS n FROM t").rows == [(3,)]
        assert connection.execute("PRAGMA user_version").fetchone() == (0,)


def failure(db: sqlite3.Connection, sql: str, **limits: float) -> QueryFailed:
    with pytest.raises(QueryFailed) as caught:
        run_query(db, sql, **limits)  # type: ignore[arg-type]
    assert str(caught.value)
    return caught.value


def test_answers(db: sqlite3.Connection) -> None:
    answer = run_query(db, "SELECT a, b AS other FROM t ORDER BY rowid")
    assert answer.names == ("a", "other")
    assert answer.rows == [(1, "one"), (2, "two"), (None, b"\x00\xff")]
    assert run_query(db, "VALUES (1), (2.5)").rows == [(1,), (2.5,)]
    assert run_query(db, "WITH x AS (SELECT 1 AS y) SELECT y FROM x -- end\n;").rows == [(1,)]
    assert run_query(db, "SELECT a FROM plain").rows == [(2,)]
    assert run_query(db, "SELECT a FROM t WHERE b = ?", ("two",)).rows == [(2,)]
    assert run_query(db, "SELECT a FROM t WHERE 0").rows == []
    assert run_query(db, "SELECT cast(x'ff41' AS TEXT)").rows == [("\udcffA",)]


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO t VALUES (3, 3)",
        "DELETE FROM t",
        "UPDATE t SET a = 1",
        "CREATE TABLE u (a)",
        "DROP TABLE t",
        "CREATE TEMP TABLE u (a)",
        "ALTER TABLE t ADD COLUMN c",
        "REPLACE INTO t VALUES (1, 2)",
        "VACUUM",
        "ANALYZE",
        "REINDEX",
        "VACUUM INTO 'copy.sqlite'",
        "ATTACH 'other.sqlite' AS other",
        "DETACH main",
        "BEGIN",
        "COMMIT",
        "ROLLBACK",
        "SAVEPOINT s",
        "PRAGMA user_version",
        "PRAGMA user_version = 7",
        "PRAGMA writable_schema = ON",
        "PRAGMA hard_heap_limit = 1",
        "SELECT * FROM pragma_user_version",
        "SELECT * FROM pragma_table_info('t')",
        "SELECT load_extension('x')",
        "SELECT random()",
        "SELECT a FROM t ORDER BY RANDOM()",
        "SELECT randomblob(4)",
        "SELECT changes()",
        "SELECT last_insert_rowid()",
        "SELECT sqlite_version()",
        "SELECT current_timestamp",
        "SELECT CURRENT_DATE",
        "SELECT d FROM today",
        "SELECT * FROM dbstat",
        "SELECT * FROM sqlite_stmt",
        "WITH x AS (SELECT 1) INSERT INTO t SELECT 1, 2 FROM x",
        "EXPLAIN DELETE FROM t",
        "SELECT fts3_tokenizer('simple')",
        "SELECT a FROM t UNION SELECT random()",
        "DELETE FROM t RETURNING a",
        "CREATE VIRTUAL TABLE temp.x USING fts5(a)",
        "SELECT sqlite_compileoption_get(1)",
    ],
)
def test_not_allowed(db: sqlite3.Connection, sql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert failure(db, sql).code == "sql_not_allowed"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "sql",
    [
        "",
        "   ",
        "-- nothing",
        ";",
        "SELEC 1",
        "SELECT * FROM nowhere",
        "SELECT nothing FROM t",
        "SELECT 1; SELECT 2",
        "SELECT 1; DELETE FROM t",
        "SELECT 1\0",
        "SELECT '\ud800'",
        "SELECT ?",
        "SELECT :name",
        "SELECT abs(-9223372036854775808)",
        "SELECT writefile('x', 'y')",
        "SELECT readfile('/etc/passwd')",
        "SELECT edit('x')",
        "SELECT eval('x')",
        "SELECT 'open",
        "SELECT " + "(" * 2000 + "1" + ")" * 2000,
        "SELECT " + " + ".join(["1"] * 5000),
        "SELECT " + "NOT " * 3000 + "1",
        "SELECT " + ", ".join(["1"] * 3000),
        " UNION ALL ".join(["SELECT 1"] * 3000),
        "SELECT * FROM t " + ", t" * 100,
        "SELECT a FROM t WHERE b MATCH 'x'",
        "SELECT a FROM t WHERE b REGEXP 'x'",
        "SELECT json('{')",
        "SELECT \udcff FROM t",
    ],
)
def test_errors(db: sqlite3.Connection, sql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert failure(db, sql).code in ("sql_error", "sql_not_allowed")
    assert not list(tmp_path.iterdir())


def test_wrong_parameters(db: sqlite3.Connection) -> None:
    for parameters in ((), (1, 2), (2**64,), ("\ud800",), ("x" * (1 << 20),)):
        with pytest.raises(QueryFailed):
            run_query(db, "SELECT ?", parameters)


@pytest.mark.parametrize(
    "sql",
    [
        "WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c",
        COUNT.format(10**6) + " SELECT count(*) FROM c a, c b, c d",
        "SELECT count(*) FROM " + ", ".join(f"t t{n}" for n in range(40)),
        COUNT.format(-1) + " SELECT n FROM c WHERE n < 0",
    ],
)
def test_time(db: sqlite3.Connection, sql: str) -> None:
    before = time.monotonic()
    assert failure(db, sql, time_limit=0.2).code == "sql_timeout"
    assert time.monotonic() - before < 3


def test_rows(db: sqlite3.Connection) -> None:
    assert len(run_query(db, COUNT.format(1000) + " SELECT n FROM c", row_limit=1000).rows) == 1000
    assert failure(db, COUNT.format(1001) + " SELECT n FROM c", row_limit=1000).code == "sql_too_many_rows"
    assert failure(db, COUNT.format(-1) + " SELECT n FROM c").code == "sql_too_many_rows"


def test_bytes(db: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    largest = sqlite_run.VALUE_LIMIT
    assert len(run_query(db, f"SELECT zeroblob({largest})").rows[0][0]) == largest  # type: ignore[arg-type]
    monkeypatch.setattr(sqlite_run, "BYTE_LIMIT", 10 * 100_000)
    many = COUNT + " SELECT zeroblob(100000) FROM c"
    assert len(run_query(db, many.format(10)).rows) == 10
    # The eleventh row is one too many: no batch of rows is read on.
    monkeypatch.setattr(sqlite_run, "ROW_LIMIT", 10**9)
    assert failure(db, many.format(-1), row_limit=10**9).code == "sql_too_large"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT zeroblob(1000000000)",
        "SELECT zeroblob(300000)",
        "SELECT hex(zeroblob(200000))",
        "SELECT printf('%.*c', 100000000, 'x')",
        "SELECT replace(hex(zeroblob(100000)), '00', '0123456789')",
        "SELECT quote(zeroblob(250000))",
        COUNT.format(3 * 10**5) + " SELECT group_concat(n) FROM c",
        "SELECT " + " || ".join(["hex(zeroblob(100000))"] * 50),
        "SELECT json_array(hex(zeroblob(100000)), hex(zeroblob(100000)))",
        "SELECT length(zeroblob(1000000000))",
        "SELECT cast(zeroblob(1000000) AS TEXT)",
        "SELECT upper(printf('%500000s', 'x'))",
    ],
)
def test_memory_bombs(db: sqlite3.Connection, sql: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if "printf" in sql:
        # SQLite's own answer for a result that is too large.
        assert run_query(db, sql).rows == [(None,)]
    else:
        assert failure(db, sql, time_limit=5).code == "sql_too_large"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


def test_calls_that_cannot_be_interrupted_are_short(db: sqlite3.Connection) -> None:
    """The time of these grows with the square of their values, or with value times pattern."""
    half = sqlite_run.VALUE_LIMIT // 2 - 10
    for sql in (
        f"SELECT instr(zeroblob({2 * half}), zeroblob({half} - 1) || x'01')",
        f"SELECT length(replace(hex(zeroblob({half})), hex(zeroblob({half // 2} - 1)) || '1', ''))",
        f"SELECT hex(zeroblob({half})) LIKE '%' || printf('%.900c', '0') || '1'",
        f"SELECT hex(zeroblob({half})) GLOB '*0*0*0*0*0*0*0*0*0*0*1'",
    ):
        before = time.process_time()
        run_query(db, sql)
        assert time.process_time() - before < 15, sql
    assert failure(db, "SELECT 'a' LIKE printf('%.5000c', '_')").code == "sql_error"


def test_doubling_expressions_end(path: Path) -> None:
    """What doubles from level to level in the parser ends at the limit of the heap, which is far from the machine's."""
    levels = "".join(f", c{n} AS (SELECT * FROM c{n - 1} UNION ALL SELECT * FROM c{n - 1})" for n in range(1, 15))
    with closing(open_immutable(path)) as db:
        assert run_query(db, f"WITH c0 AS (SELECT 1){levels} SELECT count(*) FROM c14").rows == [(2**14,)]
        assert db.execute("PRAGMA hard_heap_limit").fetchone()[0] == 1 << 30


def test_views_that_double(tmp_path: Path) -> None:
    views = [f"CREATE VIEW v{n} AS SELECT * FROM v{n - 1} UNION ALL SELECT * FROM v{n - 1}" for n in range(1, 40)]
    path = build(tmp_path / "x.sqlite", "CREATE VIEW v0 AS SELECT 1 AS x", *views)
    with closing(open_immutable(path)) as db:
        before = time.process_time()
        assert failure(db, "SELECT count(*) FROM v39").code == "sql_error"
        assert time.process_time() - before < 20


def test_random_text_as_sql(db: sqlite3.Connection) -> None:
    words = (  # noqa: SIM905
        "SELECT FROM WHERE a b t ( ) , * 1 'x' \"a\" UNION ALL GROUP BY ORDER LIMIT ; -- /* */ "
        "\0 \ud83d \udcff [ ] ` ' \" ? :n || ~ - CASE WHEN END"
    ).split(" ")
    for seed in range(500):
        dice = random.Random(seed)
        sql = " ".join(dice.choices(words, k=dice.randrange(12)))
        try:
            run_query(db, ("SELECT " if seed % 2 else "") + sql, time_limit=2)
        except QueryFailed as error:
            assert error.code.startswith("sql_")


def test_ctrl_c_is_no_fault_of_the_query() -> None:
    """An interrupt that arrives while SQLite asks for the time is an interrupt, not a timeout."""
    connection = sqlite3.connect(":memory:")
    seen = iter((0.0, 0.0))

    def interrupted() -> float:
        try:
            return next(seen)
        except StopIteration:
            if time.monotonic is interrupted:
                time.monotonic = clock
                raise KeyboardInterrupt from None
            raise

    clock, time.monotonic = time.monotonic, interrupted
    try:
        with pytest.raises(KeyboardInterrupt):
            run_query(
                connection,
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
                time_limit=1e12,
            )
    finally:
        time.monotonic = clock
