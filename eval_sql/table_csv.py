"""CSV bytes to a table of distinct texts, or the reason why they are not one (evaluator.md, Reading CSV)."""

from __future__ import annotations

import csv
import io
import threading
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from eval_sql.config import MAX_CELL_CHARACTERS, MAX_COLUMNS, MAX_FILE_BYTES, MAX_ROWS

# Rows are parsed this many at a time: enough to run at C speed, few enough that the lists of cells stay small.
_CHUNK = 2048

_Value = TypeVar("_Value")


class NotATable(ValueError):
    """The bytes are not a table within the limits; `code` says which rule they break, the text says where."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Ids(dict[_Value, int]):
    """Numbers for values, in order of first look-up: `ids[value]` gives the value's number."""

    def __missing__(self, value: _Value) -> int:
        number = self[value] = len(self)
        return number


@dataclass(frozen=True, slots=True)
class Column:
    """A column's distinct texts, and for each row the place of its text among them."""

    texts: list[str]
    index: array[int]


@dataclass(frozen=True, slots=True)
class Table:
    """A CSV table by column; a table of no rows still has columns. The header's texts are never compared."""

    header: list[str]
    columns: list[Column]
    row_count: int


def read_table(data: bytes) -> Table:
    """The table in the bytes of a CSV file.

    Reads what Python's `csv.reader(strict=True)` reads from a UTF-8 file opened with `newline=""`.
    Raises NotATable with code too_large, nul, not_utf8, csv_syntax, no_header, too_many_columns, too_many_rows,
    cell_too_long or ragged_row.
    """
    if len(data) > MAX_FILE_BYTES:
        raise NotATable("too_large", f"the file is larger than {MAX_FILE_BYTES} bytes")
    if b"\0" in data:
        raise NotATable("nul", "a cell holds a NUL character")
    text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", newline="")
    try:
        with _room_for_cells(len(data)):
            return _parse(csv.reader(text, strict=True), long_cells=len(data) > MAX_CELL_CHARACTERS)
    except UnicodeDecodeError as error:
        raise NotATable("not_utf8", f"not UTF-8: {error.reason}") from None
    except csv.Error as error:
        raise NotATable("csv_syntax", f"not strict CSV: {error}") from None


def _parse(rows: Iterator[list[str]], *, long_cells: bool) -> Table:
    header = next(rows, None)
    if not header:
        raise NotATable("no_header", "there is no header row" if header is None else "the header row is blank")
    width = len(header)
    if width > MAX_COLUMNS:
        raise NotATable("too_many_columns", f"{width} columns; at most {MAX_COLUMNS} are allowed")
    if long_cells:
        _check_lengths([header], 0)
    ids: list[Ids[str]] = [Ids() for _ in header]
    indexes = [array("i") for _ in header]
    count = 0
    while chunk := list(islice(rows, _CHUNK)):
        if count + len(chunk) > MAX_ROWS:
            raise NotATable("too_many_rows", f"more than {MAX_ROWS} data rows")
        if set(map(len, chunk)) != {width}:
            at = next(i for i, row in enumerate(chunk) if len(row) != width)
            found = f"data row {count + at + 1} has {len(chunk[at])} cells, the header has {width}"
            raise NotATable("ragged_row", found if chunk[at] else f"{found} (a blank line is a row of no cells)")
        if long_cells:
            _check_lengths(chunk, count)
        for number, index, cells in zip(ids, indexes, zip(*chunk, strict=True), strict=True):
            index.extend(map(number.__getitem__, cells))
        count += len(chunk)
    columns = [Column(list(number), index) for number, index in zip(ids, indexes, strict=True)]
    return Table(header, columns, count)


def _check_lengths(rows: list[list[str]], done: int) -> None:
    for at, row in enumerate(rows):
        if max(map(len, row)) > MAX_CELL_CHARACTERS:
            raise NotATable(
                "cell_too_long", f"row {done + at + 1} has a cell of more than {MAX_CELL_CHARACTERS} characters"
            )


_limit_lock = threading.Lock()
_limit_users = 0
_limit_before = 0


@contextmanager
def _room_for_cells(size: int) -> Iterator[None]:
    """Let the csv module pass cells up to our own limit while a file of `size` bytes is read.

    The module has one limit for the whole process. It is only ever raised here, and put back by the last reader
    that needed it, so that readers in other threads never meet a smaller one halfway.
    """
    global _limit_users, _limit_before
    with _limit_lock:
        raising = _limit_users > 0 or size > csv.field_size_limit()
        if raising and not _limit_users:
            _limit_before = csv.field_size_limit()
            csv.field_size_limit(max(_limit_before, MAX_CELL_CHARACTERS))
        _limit_users += raising
    try:
        yield
    finally:
        with _limit_lock:
            _limit_users -= raising
            if raising and not _limit_users:
                csv.field_size_limit(_limit_before)
