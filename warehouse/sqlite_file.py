"""SQLite files from outside: checked, copied whole, opened so that nothing in them can act."""

import shutil
import sqlite3
from pathlib import Path
from urllib.parse import quote as url_quote

from warehouse.errors import BenchlakeError

MAGIC = b"SQLite format 3\0"
LOCK_WAIT_SECONDS = 2.0
MAX_VALUE_BYTES = 256 << 20


def copy_checked(source: Path, target: Path) -> None:
    """Copy a SQLite file that is whole and at rest.

    Raises BenchlakeError in one line when it is not SQLite (or encrypted), truncated, locked by a writer, or has a
    write-ahead log or a hot journal beside it: the main file alone would then be an older or a torn state.
    """
    try:
        if not source.is_file():
            raise BenchlakeError(f"{source}: no such file" if not source.exists() else f"{source}: not a regular file")
        with source.open("rb") as handle:
            header = handle.read(100)
    except OSError as error:
        raise BenchlakeError(f"{source}: cannot be read ({error.strerror})") from error
    if not header:
        raise BenchlakeError(f"{source}: the file is empty")
    if header[:16] != MAGIC:
        raise BenchlakeError(f"{source}: not a SQLite database, or an encrypted one (its first bytes are not SQLite's)")
    _refuse_side_files(source)
    wal_mode = header[18:20] == b"\x02\x02"
    if wal_mode:
        # Nobody has a log open (checked above); opening it here would make one beside the user's file.
        shutil.copyfile(source, target)
    else:
        _copy_under_read_lock(source, target)
    _refuse_truncated(source, target)


def _refuse_side_files(source: Path) -> None:
    for suffix, what, fix in (
        (
            "-wal",
            "a write-ahead log",
            f'close the program that uses it, or run sqlite3 "{source}" "PRAGMA wal_checkpoint(TRUNCATE)"',
        ),
        (
            "-journal",
            "a rollback journal",
            f'a writer is at work or has crashed: open it once with sqlite3 "{source}" .schema',
        ),
    ):
        side = source.with_name(source.name + suffix)
        if side.exists() and side.stat().st_size:
            raise BenchlakeError(f"{source}: {what} of {side.stat().st_size} bytes lies beside it ({side.name}): {fix}")


def _copy_under_read_lock(source: Path, target: Path) -> None:
    uri = f"file:{url_quote(str(source.absolute()))}?mode=ro"
    try:
        connection = sqlite3.connect(uri, uri=True, timeout=LOCK_WAIT_SECONDS, isolation_level=None)
        try:
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            shutil.copyfile(source, target)
        finally:
            connection.close()
    except sqlite3.Error as error:
        if "locked" in str(error):
            raise BenchlakeError(f"{source}: locked by another program; try again when it is done") from error
        raise BenchlakeError(f"{source}: not a readable SQLite database ({error})") from error
    except OSError as error:
        raise BenchlakeError(f"{source}: cannot be copied ({error.strerror})") from error


def _refuse_truncated(source: Path, copy: Path) -> None:
    with copy.open("rb") as handle:
        header = handle.read(100)
    size = copy.stat().st_size
    page = int.from_bytes(header[16:18], "big")
    page = 65536 if page == 1 else page
    pages = int.from_bytes(header[28:32], "big")
    # The page count is only valid when the version-valid-for number equals the change counter (file format, 1.3.7).
    if header[24:28] == header[92:96] and size < page * pages:
        raise BenchlakeError(f"{source}: truncated ({size} bytes of the {page * pages} its header promises)")


def open_immutable(path: Path) -> sqlite3.Connection:
    """Open a SQLite file of the lake that nobody changes, read-only, with its schema not trusted.

    Text comes back as bytes-preserving str: bytes that are not UTF-8 become lone surrogates (surrogateescape).
    """
    uri = f"file:{url_quote(str(path.absolute()))}?mode=ro&immutable=1"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    harden(connection)
    return connection


def harden(connection: sqlite3.Connection) -> None:
    """Settings for a database whose schema comes from outside."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 4)
    connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")


def check_pages(path: Path, name: str) -> None:
    """Let SQLite check every page. Raises BenchlakeError, naming `name`, when the file is damaged."""
    connection = open_immutable(path)
    try:
        found = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        raise BenchlakeError(f"{name}: damaged SQLite database ({error})") from error
    finally:
        connection.close()
    text = str(found[0]) if found else "no answer"
    # quick_check also reports rows that break NOT NULL or CHECK: those are data, kept as they are.
    if text != "ok" and not text.startswith(
        ("NULL value in", "CHECK constraint failed", "non-unique entry", "NUMERIC value in", "TEXT value in", "non-")
    ):
        raise BenchlakeError(f"{name}: damaged SQLite database ({text.splitlines()[0]})")
