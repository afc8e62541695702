"""CSV artifacts. NULL is an unquoted empty field, an empty text a quoted one; every text is quoted, no number is."""

import io
import math

import pyarrow as pa
import pyarrow.csv as pa_csv

from builder.render.relation import BLOB, INTEGER, MIXED, NUMBER, REAL, Relation, is_utf8
from warehouse.sqlite_run import Cell

SUFFIX = ".csv"


def obstacle(relation: Relation) -> str | None:
    """Why CSV cannot hold this relation faithfully; None when it can."""
    if not relation.columns:
        return "no columns"
    for name, kind in zip(relation.columns, relation.column_types(), strict=True):
        if kind in (BLOB, MIXED):
            return f"column {name} holds {'BLOBs' if kind == BLOB else 'cells of several storage classes'}"
    if len(relation.columns) == 1 and any(row[0] is None for row in relation.rows):
        return "a NULL of the only column would be a blank line, which many readers skip"
    return text_obstacle(relation)


def text_obstacle(relation: Relation) -> str | None:
    """Cells that no text format here holds: numbers that are not finite, text that is not UTF-8 or has a NUL."""
    for row in relation.rows:
        for name, cell in zip(relation.columns, row, strict=True):
            if isinstance(cell, float) and not math.isfinite(cell):
                return f"column {name} holds {cell}"
            if isinstance(cell, str) and ("\0" in cell or not is_utf8(cell)):
                return f"column {name} holds text with a NUL or that is not UTF-8"
    return None


def write(relation: Relation) -> bytes:
    """The relation as UTF-8 CSV with LF line ends and a header."""
    lines = [",".join(_quoted(name) for name in relation.columns)]
    lines += [",".join(map(_field, row)) for row in relation.rows]
    return ("\n".join(lines) + "\n").encode()


def read(data: bytes, name: str, types: tuple[str, ...]) -> Relation:
    """Rebuild the relation from the file's bytes and the cell types. Raises ValueError when the file does not fit."""
    numbers = [kind == NUMBER for kind in types]
    column_types = [{INTEGER: pa.int64(), REAL: pa.float64()}.get(kind, pa.string()) for kind in types]
    try:
        table = pa_csv.read_csv(
            io.BytesIO(data),
            # One block: a row longer than a block is an error.
            read_options=pa_csv.ReadOptions(
                use_threads=False, autogenerate_column_names=True, block_size=max(len(data), 1 << 16)
            ),
            parse_options=pa_csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
            convert_options=pa_csv.ConvertOptions(
                column_types={f"f{place}": pa.string() for place in range(len(types))},
                null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False,
            ),
        )  # fmt: skip
    except pa.ArrowInvalid as error:
        raise ValueError(str(error)) from error
    if table.num_columns != len(types) or not table.num_rows:
        raise ValueError(f"{table.num_columns} columns where {len(types)} are expected")
    columns = tuple(str(table.column(place)[0].as_py()) for place in range(len(types)))
    body = table.slice(1)
    cells = []
    for place, kind in enumerate(column_types):
        column = body.column(place)
        if kind != pa.string():
            try:
                column = column.cast(kind)
            except pa.ArrowInvalid as error:
                raise ValueError(str(error)) from error
        values = column.to_pylist()
        cells.append([_number(value) for value in values] if numbers[place] else values)
    return Relation(name, columns, list(zip(*cells, strict=True)))


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _field(cell: Cell) -> str:
    if cell is None:
        return ""
    return _quoted(cell) if isinstance(cell, str) else repr(cell)


def _number(text: str | None) -> Cell:
    if text is None:
        return None
    return int(text) if text.lstrip("-").isdigit() else float(text)
