"""SQL texts from the `sql` room."""

from functools import cache
from importlib.resources import files


@cache
def query(name: str) -> str:
    """The text of `sql/NAME.sql`, for example `query("ingest/questions")`."""
    return files("sql").joinpath(f"{name}.sql").read_text(encoding="utf-8")
