"""BIRD, dev and Mini-Dev: a JSON list of {question_id, question, SQL, evidence, db_id, difficulty}."""

from pathlib import Path

from warehouse.questions.files import load_list
from warehouse.questions.model import QuestionSet
from warehouse.questions.record import Shape, collect, numbered, split_of
from warehouse.questions.tables import tables_beside, with_tables

EXPECTED = "a JSON list of {question_id, question, SQL, evidence, db_id, difficulty} (BIRD)"

_SHAPE = Shape(qid=("question_id", "id"), db_id=("db_id",), sql=("SQL", "query"))


def read(path: Path, db_id: str | None = None) -> QuestionSet:
    """The questions of one BIRD file (pipeline.md, Ingest); `db_id` stands in where a record names no database.

    Raises BenchlakeError when the file or the tables file beside it (`dev_tables.json`) cannot be read.
    """
    split = split_of(path.stem)
    questions = collect(numbered(load_list(path, EXPECTED)), _SHAPE, db_id=db_id, split=split)
    beside = (path.with_name(f"{split}_tables.json"), path.with_name("tables.json"))
    return with_tables(questions, tables_beside(beside))
