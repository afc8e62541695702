"""benchlake's own question set: JSON Lines, one object a line."""

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from warehouse.errors import BenchlakeError
from warehouse.questions.files import read_text
from warehouse.questions.model import Json, QuestionSet
from warehouse.questions.record import RecordError, Shape, collect

EXPECTED = "JSON Lines, one {id, db_id, question, sql} object a line"

_SHAPE = Shape(qid=("id",), db_id=("db_id",), sql=("sql", "query", "SQL"), null_sql=True)


def read(path: Path, db_id: str | None = None) -> QuestionSet:
    """The questions of a JSON Lines file (pipeline.md, Ingest); null as SQL marks an unanswerable question.

    A line that is no question is a rejected row under its line number; blank lines are no records. `db_id` stands in
    where a line names no database. Raises BenchlakeError when the file cannot be read or is a JSON list.
    """
    text = read_text(path, EXPECTED)
    if re.match(r"\s*\[", text):
        raise BenchlakeError(f"{path}: holds a list; expected {EXPECTED}")
    return collect(_records(text), _SHAPE, db_id=db_id)


def _records(text: str) -> Iterator[tuple[int, Json | RecordError]]:
    # Only a line feed ends a line: JSON text may hold the other characters that Python counts as line ends.
    for number, line in enumerate(io.StringIO(text, newline="\n"), start=1):
        if line.strip(" \t\r\n"):
            yield number, _parsed(line)


def _parsed(line: str) -> Json | RecordError:
    try:
        return cast(Json, json.loads(line))
    except RecursionError:
        return RecordError("question_malformed", "the line is nested too deep")
    except json.JSONDecodeError as error:
        return RecordError("question_malformed", f"the line is not JSON at column {error.colno} ({error.msg})")
    except ValueError:
        return RecordError("question_malformed", "the line holds a number that is too long")
