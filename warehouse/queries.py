"""SQL texts from the `sql` room."""

from functools import cache
from importlib.resources import files

import duckdb


@cache
def query(name: str) -> str:
    """The text of `sql/NAME.sql`, for example `query("ingest/questions")`."""
    return files("sql").joinpath(f"{name}.sql").read_text(encoding="utf-8")


def scalar(cursor: duckdb.DuckDBPyConnection, sql: str) -> int:
    """The one integer that a query gives, such as a count."""
    row = cursor.execute(sql).fetchone()
    assert row is not None
    return int(row[0])
