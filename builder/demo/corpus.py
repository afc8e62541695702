"""Writing the demo corpus: two small relational databases and their questions, the same bytes for the same seed.

The databases are built from rows that Python makes from the seed; the questions and their gold SQL are shipped files
that hold for every seed.
"""

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from builder.demo.clinic import clinic
from builder.demo.fund import Rows, fund_house
from warehouse.errors import BenchlakeError

# Set before the first table, so that the layout of the pages does not hang on the defaults of the SQLite in use.
_LAYOUT = (
    "PRAGMA page_size = 4096",
    "PRAGMA encoding = 'UTF-8'",
    "PRAGMA auto_vacuum = NONE",
    "PRAGMA foreign_keys = ON",
)


@dataclass(frozen=True)
class DemoCorpus:
    """The files of a written corpus: databases and question files in the same order, fund house first."""

    databases: tuple[Path, ...]
    questions: tuple[Path, ...]


def write_demo(out: Path, seed: int = 7) -> DemoCorpus:
    """Write fund_house.sqlite, clinic.sqlite and their .questions.jsonl into `out`, made when absent.

    The same seed and SQLite version give the same bytes. A file that already has them is left alone, another of the
    same name is replaced as a whole. Questions do not depend on the seed: one JSON object a line with id, db_id,
    question, sql (SQLite), evidence, language (en, zh) and difficulty (easy, medium, hard).
    Raises BenchlakeError when `out` cannot be written. Source: house.md, rule 1.
    """
    contents = {
        "fund_house.sqlite": _database("fund_schema.sql", fund_house(seed)),
        "clinic.sqlite": _database("clinic_schema.sql", clinic(seed)),
        "fund_house.questions.jsonl": _shipped("fund_questions.jsonl"),
        "clinic.questions.jsonl": _shipped("clinic_questions.jsonl"),
    }
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            _put(out / name, content)
    except OSError as error:
        reason = error.strerror or "it failed"
        raise BenchlakeError(
            f"cannot write the demo corpus to {out}: {reason}; name a folder that can be written"
        ) from error
    paths = [out / name for name in contents]
    return DemoCorpus(databases=tuple(paths[:2]), questions=tuple(paths[2:]))


def _shipped(name: str) -> bytes:
    return files("builder.demo").joinpath(name).read_bytes()


def _database(schema: str, tables: dict[str, Rows]) -> bytes:
    """The bytes of a fresh SQLite file with this schema and these rows, inserted in the order given.

    Built in memory: the header of such a file holds neither a count of changes nor the version of the library.
    """
    with closing(sqlite3.connect(":memory:")) as connection:
        for pragma in _LAYOUT:
            connection.execute(pragma)
        connection.executescript(_shipped(schema).decode("utf-8"))
        with connection:
            for table, rows in tables.items():
                marks = ", ".join("?" * len(rows[0]))
                # The names of the tables are constants of this package.
                connection.executemany(f'INSERT INTO "{table}" VALUES ({marks})', rows)
        connection.execute("VACUUM")
        return connection.serialize()


def _put(path: Path, content: bytes) -> None:
    if path.is_file() and path.read_bytes() == content:
        return
    draft = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
