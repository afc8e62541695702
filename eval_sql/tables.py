"""Table files as rows of text ids over the dictionary `evaluation.text`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from eval_sql.bulk_csv import Shape, read_tables
from eval_sql.columns import integers, lent, lists, strings, table
from warehouse.queries import query, scalar


def store_tables(
    cursor: duckdb.DuckDBPyConnection,
    files: Sequence[tuple[str, bytes]],
    wanted: Callable[[int, Shape], bool] | None = None,
) -> list[Shape]:
    """Store files, given as (digest, bytes) and none of them stored yet, in evaluation.table_file and table_row.

    A file that is no readable table gets its problem and no rows. With `wanted`, so does one that it refuses; it is
    asked for each table in order. Returns the shapes in the order of the files. Changes the caller's transaction only.
    """
    tables = read_tables([data for _, data in files], wanted)
    first = scalar(cursor, "SELECT coalesce(max(file_no), 0) + 1 FROM evaluation.table_file")
    kept = [i for i, shape in enumerate(tables.shapes) if shape.cells]
    widths = np.array([tables.shapes[i].width for i in kept], np.int64)
    counts = np.array([tables.shapes[i].row_count for i in kept], np.int64)
    ends = np.cumsum(counts)
    rows = table(
        file_no=integers(np.repeat(np.array(kept, np.int32) + first, counts)),
        row=integers(np.arange(counts.sum()) - np.repeat(ends - counts, counts)),
        cells=lists(integers(_numbered(cursor, tables.texts)[tables.ids]), np.repeat(widths, counts)),
    )
    with lent(cursor, "incoming", rows):
        cursor.execute("INSERT INTO evaluation.table_row SELECT * FROM incoming")
    _store_files(cursor, [digest for digest, _ in files], tables.shapes, first)
    return tables.shapes


def _numbered(cursor: duckdb.DuckDBPyConnection, texts: pa.StringArray) -> NDArray[np.int32]:
    """The dictionary's ids of distinct texts, which are added to it where they are new."""
    incoming = table(place=integers(np.arange(len(texts))), text=texts)
    known = scalar(cursor, "SELECT count(*) FROM evaluation.text")
    with lent(cursor, "incoming", incoming):
        if not known:
            cursor.execute("INSERT INTO evaluation.text SELECT place + 1, text FROM incoming")
            return np.arange(1, len(texts) + 1, dtype=np.int32)
        cursor.execute("CREATE OR REPLACE TEMP TABLE new_text_place AS SELECT * FROM incoming")
    cursor.execute(query("score/new_texts"))
    found = cursor.execute(query("score/text_ids")).to_arrow_table().column(0).combine_chunks()
    return np.frombuffer(found.buffers()[1], np.int32, len(found))


def _store_files(cursor: duckdb.DuckDBPyConnection, digests: list[str], shapes: list[Shape], first: int) -> None:
    headers = [shape.names() for shape in shapes]
    incoming = table(
        file=strings(digests),
        file_no=integers(np.arange(first, first + len(digests))),
        header=lists(strings([name for names in headers for name in names]), [len(names) for names in headers]),
        row_count=integers([shape.row_count for shape in shapes]),
        column_count=integers([shape.width for shape in shapes]),
        problem=strings([shape.problem or "" for shape in shapes]),
    )
    with lent(cursor, "incoming", incoming):
        cursor.execute(query("score/new_files"))
