"""Arrow tables made from buffers and lent to DuckDB.

`pyarrow.array`, and DuckDB when it is given a pyarrow table, import pandas, which takes as long as scoring a benchmark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def strings(texts: Iterable[str]) -> pa.StringArray:
    """The texts as an Arrow array without NULLs. Texts must have UTF-8 (no lone surrogates)."""
    encoded = [text.encode() for text in texts]
    offsets = np.zeros(len(encoded) + 1, np.int32)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    return pa.StringArray.from_buffers(len(encoded), pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded)))


def integers(values: Sequence[int] | NDArray[np.signedinteger]) -> pa.Int32Array:
    """32-bit integers as an Arrow array without NULLs."""
    numbers = np.ascontiguousarray(values, np.int32)
    return pa.Int32Array.from_buffers(pa.int32(), len(numbers), [None, pa.py_buffer(numbers)])


def longs(values: Sequence[int | None]) -> pa.Int64Array:
    """64-bit integers as an Arrow array; None becomes NULL."""
    valid = np.packbits(np.array([value is not None for value in values], np.bool_), bitorder="little")
    numbers = np.array([value or 0 for value in values], np.int64)
    return pa.Int64Array.from_buffers(pa.int64(), len(numbers), [pa.py_buffer(valid), pa.py_buffer(numbers)])


def lists(values: pa.Array, widths: Sequence[int] | NDArray[np.int64]) -> pa.ListArray:
    """The values cut into lists of the given widths, which sum to their number."""
    offsets = np.zeros(len(widths) + 1, np.int32)
    np.cumsum(widths, out=offsets[1:])
    return pa.ListArray.from_arrays(integers(offsets), values)


def table(**columns: pa.Array) -> pa.Table:
    """An Arrow table of named columns."""
    return pa.Table.from_arrays(list(columns.values()), list(columns))


def batches(rows: pa.Table, costs: Sequence[int], limit: int) -> Iterator[pa.Table]:
    """The rows in order, cut so that the costs of a batch stay within the limit unless one row alone exceeds it."""
    start, spent = 0, 0
    for place, cost in enumerate(costs):
        if start < place and spent + cost > limit:
            yield rows.slice(start, place - start)
            start, spent = place, 0
        spent += cost
    if costs:
        yield rows.slice(start)


@contextmanager
def lent(cursor: duckdb.DuckDBPyConnection, name: str, rows: pa.Table) -> Iterator[None]:
    """Show the rows to the cursor under a name; they can be read once."""
    cursor.register(name, rows.__arrow_c_stream__())
    try:
        yield
    finally:
        cursor.unregister(name)
