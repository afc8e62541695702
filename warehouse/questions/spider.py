"""Spider and its kin: a JSON list of {question, query, db_id}, with a `tables.json` beside it."""

from pathlib import Path

from warehouse.questions.files import load_list
from warehouse.questions.model import QuestionSet
from warehouse.questions.record import Shape, collect, numbered, split_of
from warehouse.questions.tables import tables_beside, with_tables

EXPECTED = "a JSON list of {question, query, db_id} (Spider)"

# Spider's own "sql" key holds a parse of the query, so it is no name for the SQL here.
_SHAPE = Shape(qid=("id",), db_id=("db_id",), sql=("query",), parsed=frozenset({"sql"}))


def read(path: Path, db_id: str | None = None) -> QuestionSet:
    """The questions of one Spider file (pipeline.md, Ingest); `db_id` stands in where a record names no database.

    Raises BenchlakeError when the file or the `tables.json` beside it cannot be read.
    """
    split = split_of(path.stem)
    questions = collect(numbered(load_list(path, EXPECTED)), _SHAPE, db_id=db_id, split=split)
    # Spider's test split has a test_tables.json of its own beside the common one.
    beside = (path.with_name(f"{split}_tables.json"), path.with_name("tables.json"))
    return with_tables(questions, tables_beside(beside))
