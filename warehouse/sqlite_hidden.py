"""What SQLite's functions hide in an answer: the clock, the machine's time zone, and texts dropped for their size."""

import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

from warehouse.sqlite_file import open_immutable
from warehouse.sqlite_run import VALUE_LIMIT, Cell, QueryFailed, run_query
from warehouse.sqlite_schema import Schema

DATE_FUNCTIONS = ("date", "time", "datetime", "julianday", "unixepoch", "strftime", "timediff")
FORMAT_FUNCTIONS = ("printf", "format")


def refuse_hidden(path: Path, schema: Schema, sql: str) -> None:
    """Raise QueryFailed where a query that has an answer has it by the clock or by its size, as it is evaluated.

    Code time_dependent: a date function is asked for "now" or for a change of time zone, be it in a view or by a value
    of a row, which no reading of the SQL shows. Code sql_too_large: printf, whose result SQLite silently makes NULL
    when it is too large. The query runs once more on a connection whose functions look at what they are given and
    leave the rest to SQLite's own; the answer itself never comes from there.
    """
    texts = (sql, *(item.sql for item in schema.definitions), *(table.sql for table in schema.tables))
    lowered = "\n".join(texts).lower()
    if not any(name in lowered for name in (*DATE_FUNCTIONS, *FORMAT_FUNCTIONS)):
        return
    seen: list[BaseException] = []
    own = sqlite3.connect(":memory:")
    own.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_LIMIT)
    connection = open_immutable(path)
    try:
        # A function from here counts as unsafe in views, where a distrusted schema may not use it; the query's own
        # authorizer still denies what reaches outside.
        connection.execute("PRAGMA trusted_schema = ON")
        for name in DATE_FUNCTIONS:
            connection.create_function(name, -1, _keeping(seen, partial(_date, own, name)), deterministic=True)
        for name in FORMAT_FUNCTIONS:
            connection.create_function(name, -1, _keeping(seen, partial(_format, own, name)), deterministic=True)
        run_query(connection, sql)
    except QueryFailed:
        # A failure of any other kind, such as text that Python cannot take, says nothing about the answer.
        pass
    finally:
        connection.close()
        own.close()
    if seen:
        raise seen[0]


def _keeping(seen: list[BaseException], function: Callable[..., Cell]) -> Callable[..., Cell]:
    """A function that keeps what it raises: SQLite only tells that it raised something."""

    def keeping(*given: Cell) -> Cell:
        try:
            return function(*given)
        except (QueryFailed, KeyboardInterrupt) as error:
            seen.append(error)
            raise

    return keeping


def _date(own: sqlite3.Connection, name: str, *given: Cell) -> Cell:
    result = _call(own, name, given)
    if result is None:
        return None
    dates = given[1:] if name == "strftime" else given
    moments, modifiers = (dates, ()) if name == "timediff" else (dates[:1], dates[1:])
    if not dates or set(map(_word, moments)) & {"now", "subsec", "subsecond"}:
        message = f"the answer depends on the present time, for which {name} is asked"
        raise QueryFailed("time_dependent", message)
    for word in map(_word, modifiers):
        if word in ("localtime", "utc"):
            message = f"the answer depends on the time zone of the machine: {name} has the modifier {word}"
            raise QueryFailed("time_dependent", message)
    return result


def _format(own: sqlite3.Connection, name: str, *given: Cell) -> Cell:
    result = _call(own, name, given)
    if result is None and given and isinstance(given[0], str | bytes):
        # An empty result is NULL too; with a character more it is not.
        longer = "x" + given[0] if isinstance(given[0], str) else b"x" + given[0]
        if _call(own, name, (longer, *given[1:])) is None:
            message = f"{name} makes a value larger than {VALUE_LIMIT >> 10} KiB, for which SQLite gives NULL"
            raise QueryFailed("sql_too_large", message)
    return result


def _call(own: sqlite3.Connection, name: str, given: tuple[Cell, ...]) -> Cell:
    marks = ", ".join("?" * len(given))
    result: Cell = own.execute(f"SELECT {name}({marks})", given).fetchone()[0]
    return result


def _word(value: Cell) -> str | None:
    """A value as SQLite compares it with a word: up to a NUL, whatever its case."""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    return text.partition("\0")[0].lower() if isinstance(text, str) else None
