"""SQLite files from outside: what is refused, in one clear line, and what is taken."""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from databases import build, forge
from permissions import permissions_bind

from warehouse import sqlite_file
from warehouse.errors import BenchlakeError
from warehouse.ingest_db import _read, _readable
from warehouse.key_edges import key_edges
from warehouse.sqlite_file import bound_computed, check_pages, copy_checked, open_immutable
from warehouse.sqlite_rows import batches, profile

RICH = (
    "CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT UNIQUE COLLATE NOCASE, v)",
    "CREATE TABLE child (p REFERENCES parent, q TEXT REFERENCES parent(name), g AS (p + 1), CHECK (p > 0))",
    "CREATE TABLE keyed (a TEXT, b REAL, PRIMARY KEY (a, b)) WITHOUT ROWID",
    "CREATE INDEX by_v ON parent (v, lower(name)) WHERE v > 3",
    "CREATE VIEW seen AS SELECT * FROM parent JOIN child ON p = id",
    "CREATE TRIGGER fired AFTER INSERT ON parent BEGIN DELETE FROM child; END",
)


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small database with a bit of everything, over several pages."""
    return build(
        tmp_path_factory.mktemp("rich") / "rich.sqlite",
        "PRAGMA page_size = 512",
        *RICH,
        rows={
            "INSERT INTO parent VALUES (?, ?, ?)": [(n, f"name {n}", n * 1.5) for n in range(120)],
            "INSERT INTO child VALUES (?, ?)": [(n % 130 + 1, f"NAME {n}") for n in range(120)],
            "INSERT INTO keyed VALUES (?, ?)": [(f"k{n}", n / 7) for n in range(80)],
        },
    )


def refused(source: Path, target: Path) -> str:
    """The one line with which a file is refused."""
    with pytest.raises(BenchlakeError) as caught:
        copy_checked(source, target)
    return one_line(caught.value)


def one_line(error: BenchlakeError) -> str:
    message = str(error)
    assert message and "\n" not in message and message.isprintable(), message
    return message


def read_all(path: Path, scratch: Path) -> None:
    """All that an ingest does with a file before anything is written to the lake."""
    copy_checked(path, scratch)
    with closing(open_immutable(scratch)) as connection:
        schema, keys = _read(connection, (), path)
        with _readable(path):
            for table in schema.tables:
                if table.kind == "table":
                    _, profiles = profile(connection, table)
                    names = [f"c{number}" for number in range(len(profiles))]
                    batches(connection, table, profiles, names).read_all()
            for key in keys:
                key_edges(connection, schema, key)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail, instead of hanging, when the body blocks."""

    def late(*_: object) -> None:
        raise AssertionError(f"still at it after {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"hello", "not a SQLite database"),
        (b"SQLite format 2\0" + bytes(500), "not a SQLite database"),
        (random.Random(1).randbytes(4096), "or an encrypted one"),
        (b"SQLite format 3", "not a SQLite database"),
        (b"SQLite format 3\0", "not a readable SQLite database"),
        (b"SQLite format 3\0" + bytes(84), "not a readable SQLite database"),
        (b"SQLite format 3\0" + b"\x03" * 4080, "not a readable SQLite database"),
    ],
)
def test_other_content(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "x.sqlite"
    path.write_bytes(content)
    assert message in refused(path, tmp_path / "copy")
    assert sorted(entry.name for entry in tmp_path.iterdir() if entry.name != "copy") == ["x.sqlite"]


@pytest.mark.parametrize("kept", [1, 16, 99, 100, 511, 512, 513, 0.5, -512, -1])
def test_truncated(tmp_path: Path, rich: Path, kept: float) -> None:
    data = rich.read_bytes()
    size = int(len(data) * kept) if 0 < kept < 1 else int(kept) if kept > 0 else len(data) + int(kept)
    path = tmp_path / "x.sqlite"
    path.write_bytes(data[:size])
    with pytest.raises(BenchlakeError) as caught:
        read_all(path, tmp_path / "copy")
    assert str(path) in one_line(caught.value)


def test_more_than_the_pages(tmp_path: Path, rich: Path) -> None:
    path = tmp_path / "x.sqlite"
    path.write_bytes(rich.read_bytes() + bytes(5000))
    read_all(path, tmp_path / "copy")


def test_not_files(tmp_path: Path) -> None:
    fifo, loop, gone = tmp_path / "fifo", tmp_path / "loop", tmp_path / "gone"
    os.mkfifo(fifo)
    loop.symlink_to(loop)
    gone.symlink_to(tmp_path / "nothing")
    with within(5):
        for path, message in (
            (fifo, "not a regular file"),
            (tmp_path, "not a regular file"),
            (Path("/dev/zero"), "not a regular file"),
            (Path("/dev/null"), "not a regular file"),
            (loop, "no such file"),
            (gone, "no such file"),
            (tmp_path / "absent.sqlite", "no such file"),
            (fifo / "below", "no such file"),
            (tmp_path / ("n" * 300), "File name too long"),
            (tmp_path / "nul\0name", "no such file"),
        ):
            assert message in refused(path, tmp_path / "copy"), path


def test_a_side_file_that_would_block(tmp_path: Path, rich: Path) -> None:
    path = Path(shutil.copy(rich, tmp_path / "x.sqlite"))
    os.mkfifo(tmp_path / "x.sqlite-wal")
    with within(5):
        copy_checked(path, tmp_path / "copy")


@permissions_bind
def test_permission_denied(tmp_path: Path, rich: Path) -> None:
    path = Path(shutil.copy(rich, tmp_path / "x.sqlite"))
    path.chmod(0)
    assert "Permission denied" in refused(path, tmp_path / "copy")


@pytest.mark.parametrize(
    "name",
    [
        "line\nfeed",
        "quote'd",
        'double"d',
        "100%41",
        "what?mode=rwc",
        "sharp#1",
        "sp ace",
        "semi;colon",
        "a&b=c",
        "湖",
        "esc\x1b[31m",
        b"not-utf8-\xff".decode("utf-8", "surrogateescape"),
        "n" * 240,
        "back\\slash",
        ":memory:",
        "file:x",
    ],
)
def test_names_that_need_escapes(tmp_path: Path, rich: Path, name: str) -> None:
    good, bad = tmp_path / f"{name}.sqlite", tmp_path / f"{name}.txt"
    shutil.copy(rich, good)
    copy_checked(good, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == rich.read_bytes()
    with closing(open_immutable(good)) as connection:
        assert connection.execute("SELECT count(*) FROM parent").fetchone() == (120,)
    bad.write_bytes(b"no")
    refused(bad, tmp_path / "copy2")
    assert len(list(tmp_path.iterdir())) == 3


def test_a_path_with_two_slashes(tmp_path: Path, rich: Path) -> None:
    path = Path(f"/{shutil.copy(rich, tmp_path / 'x.sqlite')}")
    assert str(path).startswith("//")
    copy_checked(path, tmp_path / "copy")


def test_a_path_longer_than_sqlite_takes(tmp_path: Path, rich: Path) -> None:
    folder = tmp_path / ("a" * 250) / ("b" * 250)
    folder.mkdir(parents=True)
    path = Path(shutil.copy(rich, folder / "x.sqlite"))
    assert "unable to open" in refused(path, tmp_path / "copy")
    with pytest.raises(BenchlakeError, match="up to 500 bytes"):
        open_immutable(path)


def test_a_write_ahead_log(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE t (a)")
        assert "write-ahead log" in refused(path, tmp_path / "copy")
    copy_checked(path, tmp_path / "copy")
    (tmp_path / "x.sqlite-wal").touch()
    copy_checked(path, tmp_path / "copy")


def test_wal_mode_without_a_log_makes_none(tmp_path: Path) -> None:
    path = build(tmp_path / "x.sqlite", "PRAGMA journal_mode = WAL", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)")
    data = bytearray(path.read_bytes())
    for write_version in (1, 2):
        data[18] = write_version
        folder = tmp_path / f"version{write_version}"
        folder.mkdir()
        source = folder / "x.sqlite"
        source.write_bytes(data)
        folder.chmod(0o555)
        try:
            copy_checked(source, tmp_path / "copy")
        finally:
            folder.chmod(0o755)
        assert [entry.name for entry in folder.iterdir()] == ["x.sqlite"]
        with closing(open_immutable(tmp_path / "copy")) as connection:
            check_pages(connection, "x")
            assert connection.execute("SELECT * FROM t").fetchall() == [(1,)]


CRASH = """
import os, sqlite3, sys
c = sqlite3.connect(sys.argv[1], isolation_level=None)
c.execute("PRAGMA cache_size = 1")
c.execute("BEGIN")
c.executemany("INSERT INTO t VALUES (?)", ((b"x" * 3000,) for _ in range(200)))
os._exit(0)
"""


def test_a_hot_journal(tmp_path: Path) -> None:
    path = build(tmp_path / "x.sqlite", "CREATE TABLE t (a)")
    subprocess.run([sys.executable, "-c", CRASH, str(path)], check=True)
    assert (tmp_path / "x.sqlite-journal").stat().st_size
    assert "rollback journal" in refused(path, tmp_path / "copy")


@pytest.mark.parametrize("mode", ["PERSIST", "TRUNCATE", "DELETE", "MEMORY", "OFF"])
def test_a_journal_at_rest(tmp_path: Path, mode: str) -> None:
    path = build(
        tmp_path / "x.sqlite", f"PRAGMA journal_mode = {mode}", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"
    )
    copy_checked(path, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == path.read_bytes()


HOLD = """
import sqlite3, sys
c = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)
for sql in sys.argv[2:]:
    try:
        c.execute(sql)
    except sqlite3.OperationalError as error:
        assert "locked" in str(error), error
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def holding(path: Path, *statements: str) -> Iterator[None]:
    """Another process that has run these statements on the database and keeps its locks."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path), *statements], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin and process.stdout
    try:
        assert process.stdout.readline() == b"held\n"
        yield
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


def test_locked_by_another_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_file, "LOCK_WAIT_SECONDS", 0.05)
    path = build(tmp_path / "x.sqlite", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)")
    with holding(path, "BEGIN EXCLUSIVE"):
        assert "locked by another program" in refused(path, tmp_path / "copy")
    # A writer that waits for a reader to end: nobody else may begin to read.
    reading = ("BEGIN", "SELECT * FROM t")
    writing = ("BEGIN", "UPDATE t SET a = 2", "COMMIT")
    with holding(path, *reading), holding(path, *writing):
        message = refused(path, tmp_path / "copy")
        assert "locked by another program" in message or "rollback journal" in message
    with holding(path, *reading):
        copy_checked(path, tmp_path / "copy")


def test_changed_while_it_is_copied(tmp_path: Path, rich: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(shutil.copy(rich, tmp_path / "x.sqlite"))
    copy = shutil.copyfile

    def meddle(source: Path, target: Path) -> None:
        copy(source, target)
        with path.open("ab") as handle:
            handle.write(b"x")

    monkeypatch.setattr(shutil, "copyfile", meddle)
    assert "while it was copied" in refused(path, tmp_path / "copy")


def test_random_damage(tmp_path: Path, rich: Path) -> None:
    """Any damage ends in one clear line or in a read; in a few hundred files both are seen."""
    original = rich.read_bytes()
    # The texts of sqlite_master lie at the end of its pages: half of the damage goes there.
    schema = [place for place in range(len(original)) if original[place : place + 7] == b"CREATE "]
    ends = {"read": 0, "refused": 0}
    path = tmp_path / "x.sqlite"
    for seed in range(300):
        dice = random.Random(seed)
        data = bytearray(original)
        for _ in range(dice.choice((1, 1, 2, 5, 40))):
            place = dice.randrange(len(data))
            if seed % 2:
                place = min(dice.choice(schema) + dice.randrange(150), len(data) - 1)
            data[place] = dice.choice((0, 255, 0x22, 0x27, 0x28, 0x29, dice.randrange(256), data[place] ^ 1))
        path.write_bytes(data)
        try:
            with within(20):
                read_all(path, tmp_path / "copy")
            ends["read"] += 1
        except BenchlakeError as error:
            one_line(error)
            ends["refused"] += 1
    assert min(ends.values()) > 10, ends


STATEMENTS = (
    "CREATE TABLE t (a, b)",
    "CREATE VIEW t AS SELECT 1",
    "CREATE INDEX t ON t (a)",
    'CREATE TABLE "" ("")',
    "",
    "CREATE",
    "CREATE VIRTUAL TABLE t USING fts5(a)",
    "CREATE VIRTUAL TABLE t USING nothing(a)",
    "CREATE TABLE t (a AS (1), b)",
    "CREATE TABLE t (a, b) WITHOUT ROWID",
    "CREATE TABLE t (a PRIMARY KEY, b) WITHOUT ROWID",
    "CREATE TABLE t AS SELECT 1",
    "CREATE TABLE t (a COLLATE nothing UNIQUE, b)",
    "CREATE TABLE t (a, b AS (nothing(a)))",
    "CREATE TEMP TABLE t (a)",
    "CREATE TABLE t (a, b); DROP TABLE u",
    "CREATE TABLE t (a\0b)",
    "CREATE TABLE t (a CHECK (b IN (SELECT 1)), b)",
    "CREATE TRIGGER t AFTER INSERT ON u BEGIN SELECT 1; END",
    "SELECT 1",
    "CREATE TABLE main.t (a, b)",
    None,
    7,
    b"CREATE TABLE t (a, b)",
    b"\xff\xfe",
    "ATTACH 'x' AS y",
    "PRAGMA user_version = 3",
    "CREATE TABLE t (a COLLATE nothing, b)",
    "CREATE TABLE t (a, b, FOREIGN KEY (a, b) REFERENCES u (a, a))",
    "CREATE TABLE t (a REFERENCES u (a), b) STRICT",
    b"CREATE TABLE t (\xff, b)",
    "CREATE TABLE t (a, b DEFAULT (nothing(1)))",
    "CREATE TABLE t (a INTEGER PRIMARY KEY, b)",
    "CREATE TABLE t (a REFERENCES t, b REFERENCES nowhere)",
    "CREATE TABLE t (rowid, oid)",
    "CREATE TABLE t (a, b, c, d)",
)
OTHERS = (None, "t", "u", "", "view", "sqlite_x", 2, 3, 99, "a\0b", b"\xff", "a\nb", "table")


def test_forged_schemas(tmp_path: Path) -> None:
    """sqlite_master that says what no CREATE statement could have left there."""
    ends = {"read": 0, "refused": 0}
    path = tmp_path / "x.sqlite"
    forgeries = [("sql", value, row) for value in STATEMENTS for row in (1, 2)]
    forgeries += [
        (column, value, row)
        for column in ("name", "tbl_name", "type", "rootpage")
        for value in OTHERS
        for row in (1, 3)
    ]
    for column, value, row in forgeries:
        path.unlink(missing_ok=True)
        build(
            path,
            "CREATE TABLE t (a, b)",
            "INSERT INTO t VALUES (1, 2)",
            "CREATE TABLE u (a, b)",
            "CREATE INDEX i ON u (a)",
        )
        if row == 2 and isinstance(value, str):
            value = value.replace(" t ", " u ")
        forge(path, f"UPDATE sqlite_master SET {column} = ? WHERE rowid = ?", value, row)
        try:
            with within(20):
                read_all(path, tmp_path / "copy")
            ends["read"] += 1
        except BenchlakeError as error:
            one_line(error)
            ends["refused"] += 1
    assert min(ends.values()) > 10, ends


def check(path: Path) -> None:
    with closing(open_immutable(path)) as connection:
        bound_computed(connection)
        check_pages(connection, path.name)


def test_values_that_break_their_declarations_are_data(tmp_path: Path) -> None:
    path = build(
        tmp_path / "x.sqlite",
        "CREATE TABLE t (a TEXT CHECK (a > 5), b INTEGER, c)",
        "PRAGMA ignore_check_constraints = ON",
        "INSERT INTO t VALUES ('1', 2, NULL)",
    )
    check(path)
    for declared in ("a TEXT, b INTEGER, c NOT NULL", "a INTEGER, b INTEGER, c", "a TEXT, b TEXT, c"):
        check(forge(path, "UPDATE sqlite_master SET sql = ?", f"CREATE TABLE t ({declared})"))
    check(forge(path, "UPDATE sqlite_master SET sql = ?", "CREATE TABLE t (a INT, b TEXT, c BLOB) STRICT"))


def test_an_index_that_differs_from_its_table(tmp_path: Path) -> None:
    path = build(
        tmp_path / "x.sqlite", "CREATE TABLE t (a, b)", "CREATE INDEX i ON t (a)", "INSERT INTO t VALUES (1, 2), (3, 4)"
    )
    check(path)
    forge(path, "UPDATE sqlite_master SET sql = ? WHERE type = 'index'", "CREATE INDEX i ON t (b)")
    with pytest.raises(BenchlakeError, match="missing from index i"):
        check(path)


def test_check_constraints_are_not_computed(tmp_path: Path) -> None:
    bomb = "instr(zeroblob(200000000), zeroblob(100000000) || x'01') = 0"
    path = build(
        tmp_path / "x.sqlite",
        "PRAGMA ignore_check_constraints = ON",
        f"CREATE TABLE t (a CHECK ({bomb}))",
        "INSERT INTO t VALUES (1)",
    )
    with within(5):
        check(path)


def test_a_collation_that_sqlite_lacks(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.create_collation("LOCALIZED", lambda a, b: (a > b) - (a < b))
        connection.execute("CREATE TABLE t (a TEXT COLLATE LOCALIZED PRIMARY KEY) WITHOUT ROWID")
    with pytest.raises(BenchlakeError, match=r"a collation that SQLite itself does not have.*LOCALIZED"):
        check(path)
