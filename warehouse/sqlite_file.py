"""SQLite files from outside: checked, copied whole, opened so that nothing in them can act."""

import errno
import os
import shutil
import sqlite3
import time
from pathlib import Path
from urllib.parse import quote as url_quote

from warehouse.errors import BenchlakeError
from warehouse.shown import shown

MAGIC = b"SQLite format 3\0"
LOCK_WAIT_SECONDS = 2.0
MAX_VALUE_BYTES = 256 << 20
# Where a database computes: a call of instr, replace or trim takes quadratic time and cannot be interrupted.
MAX_COMPUTED_BYTES = 1 << 20
COMPUTED_SECONDS = 600.0
OPCODES_PER_CHECK = 1000
MAX_LIKE_PATTERN = 1000
# Of this process, for all of SQLite: nested common table expressions double what the parser holds, level by level.
MAX_HEAP_BYTES = 1 << 30


def copy_checked(source: Path, target: Path) -> None:
    """Copy a SQLite file that is whole and at rest.

    Raises BenchlakeError in one line when it is not SQLite (or encrypted), truncated, locked by a writer, changes
    while it is copied, or has a write-ahead log or a hot journal beside it: the main file alone would then be an older
    or a torn state.
    """
    name = shown(source)
    try:
        if not source.is_file():
            raise BenchlakeError(f"{name}: {'not a regular file' if source.exists() else 'no such file'}")
        before = source.stat()
        with source.open("rb") as handle:
            header = handle.read(100)
        if not header:
            raise BenchlakeError(f"{name}: the file is empty")
        if header[:16] != MAGIC:
            raise BenchlakeError(
                f"{name}: not a SQLite database, or an encrypted one (its first bytes are not SQLite's)"
            )
        _refuse_side_files(source)
        # The read version decides in which mode SQLite opens the file.
        if header[19:20] == b"\x02":
            # Nobody has a log open (checked above); opening it here would make one beside the user's file.
            shutil.copyfile(source, target)
        else:
            _copy_under_read_lock(source, target)
        _refuse_side_files(source)
        after = source.stat()
    except OSError as error:
        raise BenchlakeError(f"{name}: cannot be read ({error.strerror})") from error
    if (before.st_size, before.st_mtime_ns, before.st_ino) != (after.st_size, after.st_mtime_ns, after.st_ino):
        raise BenchlakeError(f"{name}: a program wrote to it while it was copied; try again when it is done")
    _refuse_truncated(name, target)


def _refuse_side_files(source: Path) -> None:
    name = shown(source)
    if _first_byte(source.with_name(source.name + "-wal")) is not None:
        raise BenchlakeError(
            f"{name}: a write-ahead log lies beside it ({shown(source.name)}-wal): close the program that uses it, "
            f'or run sqlite3 "{name}" "PRAGMA wal_checkpoint(TRUNCATE)"'
        )
    # SQLite leaves a journal with its first bytes zeroed when it is told to keep the file (journal_mode = PERSIST).
    if _first_byte(source.with_name(source.name + "-journal")) not in (None, b"\0"):
        raise BenchlakeError(
            f"{name}: a rollback journal lies beside it ({shown(source.name)}-journal): a writer is at work or has "
            f'crashed; open it once with sqlite3 "{name}" .schema'
        )


def _first_byte(path: Path) -> bytes | None:
    """The first byte of a file; None when it is absent or empty, or its name is too long for one to exist."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENAMETOOLONG):
            return None
        raise
    try:
        return os.read(handle, 1) or None
    finally:
        os.close(handle)


def _copy_under_read_lock(source: Path, target: Path) -> None:
    try:
        connection = sqlite3.connect(_uri(source), uri=True, timeout=LOCK_WAIT_SECONDS, isolation_level=None)
        try:
            connection.execute("BEGIN")
            # Takes the lock without parsing a schema from outside.
            connection.execute("PRAGMA user_version").fetchone()
            shutil.copyfile(source, target)
        finally:
            connection.close()
    except sqlite3.Error as error:
        if "locked" in str(error):
            raise BenchlakeError(f"{shown(source)}: locked by another program; try again when it is done") from error
        raise BenchlakeError(f"{shown(source)}: not a readable SQLite database ({shown(str(error))})") from error
    except MemoryError as error:
        raise BenchlakeError(f"{shown(source)}: cannot be read (SQLite needs too much memory for it)") from error


def _refuse_truncated(name: str, copy: Path) -> None:
    with copy.open("rb") as handle:
        header = handle.read(100)
    size = copy.stat().st_size
    page = int.from_bytes(header[16:18], "big")
    page = 65536 if page == 1 else page
    pages = int.from_bytes(header[28:32], "big")
    # The page count is only valid when the version-valid-for number equals the change counter (file format, 1.3.7).
    if header[24:28] == header[92:96] and size < page * pages:
        raise BenchlakeError(f"{name}: truncated ({size} bytes of the {page * pages} its header promises)")


def open_immutable(path: Path) -> sqlite3.Connection:
    """Open a SQLite file of the lake that nobody changes, read-only, with its schema not trusted.

    Text comes back as bytes-preserving str: bytes that are not UTF-8 become lone surrogates (surrogateescape).
    Raises BenchlakeError when SQLite cannot open a file of that path.
    """
    try:
        connection = sqlite3.connect(
            f"{_uri(path)}&immutable=1", uri=True, isolation_level=None, check_same_thread=False
        )
    except sqlite3.Error as error:
        raise BenchlakeError(
            f"{shown(path)}: cannot be opened ({error}; SQLite takes paths of up to 500 bytes)"
        ) from error
    harden(connection)
    return connection


def sqlite_uri(path: Path) -> str:
    """The file: URI of a path, whatever bytes it is made of."""
    # An empty authority: a path may begin with two slashes.
    return f"file://{url_quote(os.fsencode(path.absolute()))}"


def _uri(path: Path) -> str:
    return f"{sqlite_uri(path)}?mode=ro"


def harden(connection: sqlite3.Connection) -> None:
    """Settings for a database whose schema comes from outside."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute(f"PRAGMA hard_heap_limit = {MAX_HEAP_BYTES}")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, MAX_LIKE_PATTERN)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 4)
    connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")


def bound_computed(connection: sqlite3.Connection) -> None:
    """Bound in size and time what expressions of a schema from outside compute, from now on."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_COMPUTED_BYTES)
    deadline = time.monotonic() + COMPUTED_SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > deadline, OPCODES_PER_CHECK)


def check_pages(connection: sqlite3.Connection, name: str) -> None:
    """Let SQLite check every page and index of an open database. Raises BenchlakeError, naming it, when it is damaged.

    Raises sqlite3.DataError where a value is larger than the connection's limit.
    The full check: where an index differs from its table, an answer would hang on SQLite's choice between them.
    """
    # Expressions of CHECKs from outside are not for us to compute.
    connection.execute("PRAGMA ignore_check_constraints = ON")
    try:
        found = connection.execute("PRAGMA integrity_check(100)").fetchall()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if "too big" in str(error):
            # A limit of ours, no damage; who knows the schema says where.
            raise
        if "no such collation sequence" in str(error):
            message = f"{name}: made with a collation that SQLite itself does not have ({shown(str(error))})"
            raise BenchlakeError(message) from error
        raise BenchlakeError(f"{name}: damaged SQLite database ({shown(str(error))})") from error
    finally:
        connection.execute("PRAGMA ignore_check_constraints = OFF")
    for (text,) in found:
        # Values that break NOT NULL, UNIQUE, their column's type or STRICT are data, kept as they are.
        if text != "ok" and not text.startswith(("NULL value in", "NUMERIC value in", "TEXT value in", "non-")):
            raise BenchlakeError(f"{name}: damaged SQLite database ({shown(text.splitlines()[0])})")
