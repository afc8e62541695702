"""Many CSV files at once: which are tables, and their cells numbered by distinct text, without a loop over cells.

Most files are regular: every quote opens or closes a field, and all rows are equally wide. Such files are settled by
array arithmetic on the places of commas, line ends and quotes. All others go to the strict reader, which alone says
what is no table and why; the two agree on every file (evaluator.md, Reading CSV).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from eval_sql.columns import integers, strings
from eval_sql.config import MAX_CELL_CHARACTERS, MAX_COLUMNS, MAX_ROWS
from eval_sql.table_csv import NotATable, read_table

# Bytes looked at together: few enough to stay in the processor's cache, enough to make the calls cheap.
_PIECE_BYTES = 1 << 20

_BOM = b"\xef\xbb\xbf"
_COMMA, _LF, _QUOTE = b',\n"'

Ints = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Shape:
    """What one file is: its width and data rows, or the problem that keeps it from being a table.

    `header` is the text of the header row, as CSV. `cells`: whether the table's cells were taken.
    """

    width: int = 0
    row_count: int = 0
    header: bytes = b""
    problem: str | None = None
    cells: bool = False

    def names(self) -> list[str]:
        """The header's texts; none for what is no table."""
        if self.problem is not None:
            return []
        return read_table(self.header).header if b'"' in self.header else self.header.decode().split(",")


@dataclass(frozen=True, slots=True)
class Tables:
    """What many files are; cell i of the tables among them is `texts[ids[i]]`, file by file, row by row, no headers."""

    shapes: list[Shape]
    texts: pa.StringArray
    ids: NDArray[np.int32]


def read_tables(files: Sequence[bytes], wanted: Callable[[int, Shape], bool] | None = None) -> Tables:
    """The tables in the files' bytes, in the order given.

    With `wanted`, the cells of a table are taken only when it says so; it is asked for each table in order, with the
    file's place. All cells together may have 2 GiB.
    """
    shapes: list[Shape] = []
    chunks: list[pa.Array] = [strings([])]
    for piece in _pieces(files):
        _read_piece(piece, shapes, chunks, wanted)
    # pyarrow's own memory pool takes many times longer than the system's to grow an array.
    pool = pa.system_memory_pool()
    encoded = pc.dictionary_encode(pa.concat_arrays(chunks, memory_pool=pool), memory_pool=pool)
    # Not to_numpy, which would import pandas.
    ids = np.frombuffer(encoded.indices.buffers()[1], np.int32, len(encoded))
    return Tables(shapes, encoded.dictionary, ids)


def _pieces(files: Sequence[bytes]) -> Iterator[list[bytes]]:
    piece: list[bytes] = []
    size = 0
    for data in files:
        piece.append(data)
        size += len(data)
        if size >= _PIECE_BYTES:
            yield piece
            piece, size = [], 0
    if piece:
        yield piece


def _read_piece(
    files: list[bytes], shapes: list[Shape], chunks: list[pa.Array], wanted: Callable[[int, Shape], bool] | None
) -> None:
    """Append the files' shapes, and the cells of the tables among them, in the files' order."""
    plain = [_plain_bytes(data) for data in files]
    regular = [i for i, data in enumerate(plain) if data is not None]
    layout = _Layout([data for data in plain if data is not None])
    place = {i: at for at, i in enumerate(regular) if layout.regular[at]}
    waiting: list[int] = []
    for i, data in enumerate(files):
        cells = None
        if i in place:
            shape = layout.shape(place[i])
        else:
            shape, cells = _strict(data)
        if shape.problem is None and (wanted is None or wanted(len(shapes), shape)):
            shape = replace(shape, cells=True)
            if cells is None:
                waiting.append(place[i])
            else:
                chunks += [layout.cells(waiting), cells]
                waiting = []
        shapes.append(shape)
    chunks.append(layout.cells(waiting))


def _plain_bytes(data: bytes) -> bytes | None:
    """The file without BOM and with LF line ends, or None when it takes the strict reader to tell what it is."""
    if len(data) > MAX_CELL_CHARACTERS or b"\0" in data:
        return None
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError:
            return None
    data = data.removeprefix(_BOM)
    quotes = data.count(b'"')
    if not data or quotes & 1:
        return None
    if b"\r" in data:
        # A CR inside quotes is part of a cell.
        if quotes and any(b"\r" in inside for inside in data.split(b'"')[1::2]):
            return None
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data if data.endswith(b"\n") else data + b"\n"


class _Layout:
    """Where the cells of some files lie, and which of the files are regular. Every file ends in LF."""

    def __init__(self, files: list[bytes]) -> None:
        self.data = np.frombuffer(b"".join(files), np.uint8)
        self.ends = np.cumsum([len(data) for data in files])
        self.starts = self.ends - [len(data) for data in files]
        quotes = np.flatnonzero(self.data == _QUOTE)
        separators = np.flatnonzero((self.data == _COMMA) | (self.data == _LF))
        if len(quotes):
            separators = separators[np.searchsorted(quotes, separators) & 1 == 0]
        self.separators = separators
        # Per file: its first separator, and its first line end and number of line ends among the separators.
        self.first = np.searchsorted(separators, self.starts)
        count = np.searchsorted(separators, self.ends) - self.first
        lines = np.flatnonzero(self.data[separators] == _LF)
        first_line = np.searchsorted(lines, self.first)
        self.lines = np.searchsorted(lines, self.first + count) - first_line
        # A file whose quotes never close before its end would have no line end of its own.
        sane = self.lines > 0
        self.header_end = lines[np.minimum(first_line, max(len(lines) - 1, 0))] if len(lines) else np.zeros_like(count)
        self.width = self.header_end - self.first + 1
        self.regular = sane & (self.width <= MAX_COLUMNS) & (self.lines <= MAX_ROWS + 1)
        self.regular &= count == self.width * self.lines
        row = np.arange(len(lines)) - np.repeat(first_line, self.lines)
        wanted = np.repeat(self.first, self.lines) + np.repeat(self.width, self.lines) * (row + 1) - 1
        self._irregular_at(separators[lines[lines != wanted]])
        # A blank line is a row of no cells; the byte before the first file's first is its last, a line end.
        line_ends = separators[lines]
        self._irregular_at(line_ends[self.data[line_ends - 1] == _LF])
        self.quotes = self._structural(quotes)

    def _structural(self, quotes: Ints) -> Ints:
        """The quotes that are no part of a cell. Marks files in which a quote stands inside a plain cell."""
        opening, closing = quotes[0::2], quotes[1::2]
        before = self.data[opening - 1]
        after = self.data[closing + 1]
        self._irregular_at(opening[(before != _COMMA) & (before != _LF) & (before != _QUOTE)])
        self._irregular_at(closing[(after != _COMMA) & (after != _LF) & (after != _QUOTE)])
        # Of two quotes that stand for one, the first closes and the second opens again: the second is kept.
        return np.sort(np.concatenate([opening[before != _QUOTE], closing]))

    def _irregular_at(self, places: Ints) -> None:
        self.regular[np.searchsorted(self.ends, places, side="right")] = False

    def shape(self, file: int) -> Shape:
        header = self.data[self.starts[file] : self.separators[self.header_end[file]]].tobytes()
        return Shape(int(self.width[file]), int(self.lines[file]) - 1, header)

    def cells(self, files: list[int]) -> pa.StringArray:
        """The cells of these regular files, without their headers."""
        is_cell = np.zeros(len(self.separators), np.bool_)
        is_kept = np.zeros(len(self.data), np.bool_)
        for file in files:
            header_end = self.header_end[file]
            is_cell[header_end + 1 : self.first[file] + self.width[file] * self.lines[file]] = True
            is_kept[self.separators[header_end] + 1 : self.ends[file]] = True
        is_kept[self.separators] = False
        is_kept[self.quotes] = False
        lengths = np.diff(self.separators, prepend=-1) - 1
        if len(self.quotes):
            lengths -= np.diff(np.searchsorted(self.quotes, self.separators), prepend=0)
        offsets = np.zeros(int(is_cell.sum()) + 1, np.int32)
        np.cumsum(lengths[is_cell], out=offsets[1:])
        return pa.StringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(self.data[is_kept]))


def _strict(data: bytes) -> tuple[Shape, pa.Array | None]:
    """One file by the strict reader."""
    try:
        table = read_table(data)
    except NotATable as error:
        return Shape(problem=f"{error.code}: {error}"), None
    width = len(table.columns)
    ids = np.empty((table.row_count, width), np.int32)
    texts: list[str] = []
    for column, place in zip(table.columns, range(width), strict=True):
        ids[:, place] = np.frombuffer(column.index, np.int32) + len(texts)
        texts += column.texts
    return Shape(width, table.row_count, header_bytes(table.header)), strings(texts).take(integers(ids.reshape(-1)))


def header_bytes(header: Sequence[str]) -> bytes:
    """A header row as CSV in which every name is quoted."""
    return ",".join('"' + name.replace('"', '""') + '"' for name in header).encode()
