"""Query results for people and machines: rows, CSV, JSON, Parquet."""

import datetime
import json
import math
import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any, TextIO

import duckdb

from warehouse.errors import BenchlakeError
from warehouse.ids import quote
from warehouse.lake import Lake, refuse_not_utf8
from warehouse.shown import shown

FETCH = 5_000
_TO_QUOTE = re.compile('[",\r\n]')


class Result:
    """The result of one SELECT, read as a stream."""

    def __init__(self, relation: duckdb.DuckDBPyRelation, stop: Callable[[], None]) -> None:
        """`stop` ends the query: after Ctrl-C its threads would work on, and closing the lake would wait for them."""
        self._stop = stop
        self._relation = relation
        self._shown = _with_moments_as_text(relation)
        self.names: list[str] = list(relation.columns)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The rows, a batch in memory at a time."""
        while batch := self._fetch(FETCH):
            yield from batch

    def head(self, count: int) -> tuple[list[tuple[Any, ...]], bool]:
        """The first rows, and whether there are more."""
        rows = self._fetch(count + 1)
        return rows[:count], len(rows) > count

    def _fetch(self, count: int) -> list[tuple[Any, ...]]:
        """The next rows. DuckDB runs a query as it is read: errors of values come here, as BenchlakeError."""
        try:
            return self._shown.fetchmany(count)
        except duckdb.Error as error:
            raise _not_run(error) from error
        except (KeyboardInterrupt, RuntimeError):
            self._stop()
            raise

    def write_csv(self, out: TextIO) -> None:
        """CSV with a header and LF line ends; NULL is an empty field, an empty text a quoted one.

        In a single column NULL is quoted too: many readers skip a blank line.
        """
        out.write(",".join(map(_csv_field, self.names)) + "\n")
        for row in self.rows():
            out.write((",".join(map(_csv_field, row)) or '""') + "\n")

    def write_json(self, out: TextIO) -> None:
        """A JSON array of objects, a row a line; decimals are exact, bytes are hex, what is not finite is null.

        Of columns with the same name, the later ones get a number.
        """
        keys = [json.dumps(name, ensure_ascii=False) for name in _distinct(self.names)]
        separator = "["
        for row in self.rows():
            cells = ", ".join(f"{key}: {to_json(cell)}" for key, cell in zip(keys, row, strict=True))
            out.write(f"{separator}\n{{{cells}}}")
            separator = ","
        out.write("[]\n" if separator == "[" else "\n]\n")

    def write_parquet(self, path: Path) -> None:
        """A Parquet file, whole or not at all. Raises BenchlakeError when it cannot be written."""
        part = path.parent / f".{os.getpid()}.{secrets.token_hex(4)}.part"
        try:
            self._relation.write_parquet(str(part))
            part.replace(path)
        except (duckdb.IOException, OSError) as error:
            raise BenchlakeError(f"{shown(path)}: cannot be written ({str(error).splitlines()[0]})") from error
        except duckdb.Error as error:
            raise _not_run(error) from error
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)


def _with_moments_as_text(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """The relation with dates and timestamps as DuckDB writes them: Python has no infinity and no nanoseconds."""
    types = [_without_moments(kind) for kind in relation.types]
    if all(kind is None for kind in types):
        return relation
    # By place: names may occur twice.
    return relation.project(
        ", ".join(f"#{place}" if kind is None else f"#{place}::{kind}" for place, kind in enumerate(types, start=1))
    )


def _without_moments(kind: Any) -> str | None:
    """A type in SQL with VARCHAR for every date and timestamp in it; None when there is none."""
    if kind.id == "date" or kind.id.startswith("timestamp"):
        return "VARCHAR"
    if kind.id not in ("list", "array", "map", "struct"):
        return None
    inner = [(name, child, _without_moments(child)) for name, child in kind.children if name != "size"]
    if all(text is None for _, _, text in inner):
        return None
    parts = [(name, text or str(child)) for name, child, text in inner]
    if kind.id == "struct":
        return f"STRUCT({', '.join(f'{quote(name)} {text}' for name, text in parts)})"
    if kind.id == "map":
        return f"MAP({', '.join(text for _, text in parts)})"
    return f"{parts[0][1]}[]"


def _distinct(names: list[str]) -> list[str]:
    distinct: list[str] = []
    for name in names:
        free, number = name, 0
        while free in distinct or (number and free in names):
            number += 1
            free = f"{name}_{number}"
        distinct.append(free)
    return distinct


def select(lake: Lake, text: str) -> Result:
    """Run one SELECT on a lake. Raises BenchlakeError, before anything runs, for other statements or several.

    DuckDB's own words are given when it does not run.
    """
    refuse_not_utf8(text)
    try:
        with lake.cursor() as cursor:
            statements = cursor.extract_statements(text)
        # A PIVOT comes as two statements, the first without a text of its own.
        written = [statement for statement in statements[:-1] if statement.query.strip()]
        if not statements or written or statements[-1].type != duckdb.StatementType.SELECT:
            raise BenchlakeError("the query does not run: benchlake sql takes one SELECT, and nothing but that")
        cursor = lake.cursor()
        return Result(cursor.sql(text), cursor.interrupt)
    except duckdb.Error as error:
        raise _not_run(error) from error


def _not_run(error: duckdb.Error) -> BenchlakeError:
    lines = [line.strip() for line in str(error).splitlines()]
    return BenchlakeError(f"the query does not run: {' '.join(line for line in lines if line.strip('^'))}")


def to_json(cell: object) -> str:
    """One value as JSON text, exact."""
    if isinstance(cell, Decimal):
        return _fixed(cell) if cell.is_finite() else "null"
    if isinstance(cell, float) and not math.isfinite(cell):
        return "null"
    if isinstance(cell, list | tuple):
        return "[" + ", ".join(map(to_json, cell)) + "]"
    if isinstance(cell, dict):
        return "{" + ", ".join(f"{json.dumps(str(k), ensure_ascii=False)}: {to_json(v)}" for k, v in cell.items()) + "}"
    return json.dumps(_plain(cell), ensure_ascii=False)


def _csv_field(cell: object) -> str:
    if cell is None:
        return ""
    text = json.dumps(cell) if isinstance(cell, bool) else str(_plain(cell))
    return '"' + text.replace('"', '""') + '"' if not text or _TO_QUOTE.search(text) else text


def _plain(cell: object) -> object:
    if isinstance(cell, bytes):
        return cell.hex()
    if isinstance(cell, datetime.date | datetime.time):
        return cell.isoformat()
    if isinstance(cell, Decimal):
        return _fixed(cell)
    if cell is None or isinstance(cell, bool | int | float | str):
        return cell
    return to_json(cell) if isinstance(cell, list | tuple | dict) else str(cell)


def _fixed(cell: Decimal) -> str:
    """All digits of a decimal, without an exponent."""
    return format(cell, "f")
