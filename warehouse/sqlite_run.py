"""Bounded execution of a query from outside on a SQLite database."""

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass

TIME_LIMIT_SECONDS = 30.0
ROW_LIMIT = 100_000
BYTE_LIMIT = 64 << 20
# Of one value or sorted row. One call of a function cannot be interrupted, and instr, replace and trim take quadratic
# time: some seconds at this size.
VALUE_LIMIT = 256 << 10
OPCODES_PER_CHECK = 20_000

# Functions whose result is not a function of the data, or that reach outside the query.
REFUSED_FUNCTIONS = frozenset(
    {"random", "randomblob", "load_extension", "changes", "total_changes", "last_insert_rowid", "sqlite_version",
     "sqlite_source_id", "sqlite_compileoption_get", "sqlite_compileoption_used", "sqlite_log", "fts3_tokenizer",
     "readfile", "writefile", "edit", "zipfile", "fsdir", "current_timestamp", "current_date", "current_time"}
)  # fmt: skip
# SQLite's own tables about statements and pages.
REFUSED_TABLES = frozenset({"sqlite_stmt", "sqlite_dbpage", "dbstat"})

Cell = None | int | float | str | bytes


@dataclass(frozen=True)
class Answer:
    """The result of a query: column names and rows in SQLite's own types."""

    names: tuple[str, ...]
    rows: list[tuple[Cell, ...]]


class QueryFailed(Exception):
    """A query without answer: `code` is sql_error, sql_not_allowed, sql_timeout, sql_too_many_rows, sql_too_large
    (and time_dependent, see sqlite_hidden)."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def run_query(
    connection: sqlite3.Connection,
    sql: str,
    parameters: Sequence[Cell] = (),
    *,
    time_limit: float = TIME_LIMIT_SECONDS,
    row_limit: int = ROW_LIMIT,
) -> Answer:
    """Run one reading statement within limits of time (seconds), rows, and bytes of a value and of the result.

    An authorizer lets it read and nothing else: no write, no ATTACH, no PRAGMA, no function of the clock's or chance's
    kind. Raises QueryFailed with a code; the connection stays usable.
    """
    refused: list[str] = []
    deadline = time.monotonic() + time_limit

    def authorize(
        action: int, first: str | None, second: str | None, _database: str | None, _trigger: str | None
    ) -> int:
        if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ and (first or "").lower() not in REFUSED_TABLES:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() not in REFUSED_FUNCTIONS:
            return sqlite3.SQLITE_OK
        refused.append(
            f"function {second}"
            if action == sqlite3.SQLITE_FUNCTION
            else f"action {action} on {first or 'the database'}"
        )
        return sqlite3.SQLITE_DENY

    connection.set_authorizer(authorize)
    connection.set_progress_handler(lambda: time.monotonic() > deadline, OPCODES_PER_CHECK)
    value_limit = connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_LIMIT)
    try:
        cursor = connection.execute(sql, parameters)
        if cursor.description is None:
            raise QueryFailed("sql_not_allowed", "the statement is not a query")
        names = tuple(str(item[0]) for item in cursor.description)
        rows = _fetch(cursor, row_limit)
    except sqlite3.Error as error:
        if refused:
            raise QueryFailed("sql_not_allowed", f"the query may only read; it wants {refused[0]}") from error
        if str(error) == "interrupted":
            if time.monotonic() <= deadline:
                # Ctrl-C came while SQLite asked us: its exception is lost there, and the query is not to blame.
                raise KeyboardInterrupt from error
            raise QueryFailed("sql_timeout", f"the query ran longer than {time_limit:g} s") from error
        if "too big" in str(error):
            message = f"the query makes or reads a value larger than {VALUE_LIMIT >> 10} KiB"
            raise QueryFailed("sql_too_large", message) from error
        raise QueryFailed("sql_error", f"SQLite: {error}") from error
    except MemoryError as error:
        raise QueryFailed("sql_too_large", "the query needs too much memory") from error
    except (OverflowError, ValueError, sqlite3.Warning) as error:
        raise QueryFailed("sql_error", f"SQLite: {error}") from error
    finally:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, value_limit)
        connection.set_progress_handler(None, 0)
        connection.set_authorizer(None)
    return Answer(names, rows)


def _fetch(cursor: sqlite3.Cursor, row_limit: int) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = []
    size = 0
    try:
        for row in cursor:
            rows.append(row)
            size += sum(len(cell) for cell in row if isinstance(cell, str | bytes))
            if len(rows) > row_limit:
                raise QueryFailed("sql_too_many_rows", f"the query returns more than {row_limit} rows")
            if size > BYTE_LIMIT:
                raise QueryFailed("sql_too_large", f"the query returns more than {BYTE_LIMIT >> 20} MiB of text")
    finally:
        cursor.close()
    return rows
