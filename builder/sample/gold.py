"""Gold answers: the gold SQL run within limits, and what makes an answer no use."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from eval_sql.draft import Unrepresentable, gold_csv
from ibis_ops.query.outline import NotAQuery, Outline, outline
from warehouse.shown import plural
from warehouse.sqlite_hidden import refuse_hidden
from warehouse.sqlite_run import Answer, QueryFailed, run_query
from warehouse.sqlite_schema import Schema


class Refused(Exception):
    """A question or attempt that cannot go on: a code and one sentence. `final`: another attempt cannot help."""

    def __init__(self, code: str, message: str, *, final: bool) -> None:
        super().__init__(message)
        self.code = code
        self.final = final


@dataclass(frozen=True)
class SourceAnswer:
    """What matters of the answer on the whole source: rows, columns, whether every cell is NULL."""

    rows: int
    columns: int
    all_null: bool


def read_gold_sql(sql: str | None) -> Outline:
    """Outline of a question's gold SQL; Refused when there is none, or none that can be gold."""
    if sql is None:
        raise Refused("unanswerable", "the question set marks the question as unanswerable", final=True)
    try:
        found = outline(sql)
    except NotAQuery as error:
        raise Refused(error.code, str(error), final=True) from error
    if found.clock:
        raise Refused("gold_time_dependent", f"the answer depends on the present time: {found.clock:.200}", final=True)
    return found


def source_answer(connection: sqlite3.Connection, sql: str) -> SourceAnswer:
    """Run the gold SQL on the whole source. Refused when it fails or its result cannot be a table file."""
    answer = _run(connection, sql)
    return SourceAnswer(len(answer.rows), len(answer.names), _all_null(answer))


def gold_on_instance(
    connection: sqlite3.Connection, sql: str, found: Outline, source: SourceAnswer
) -> tuple[Answer, bytes]:
    """Run the gold SQL on an instance: the answer and its CSV.

    Refused, not finally, when the answer is degenerate and the source's is not (DataSpace A.2.5): empty, nothing but
    NULL, or fewer rows than the LIMIT.
    """
    answer = _run(connection, sql)
    if source.rows and not answer.rows:
        raise Refused("degenerate_empty", f"no rows on the sample, {source.rows} on the source", final=False)
    if answer.rows and _all_null(answer) and not source.all_null:
        raise Refused("degenerate_null", "only NULL on the sample, values on the source", final=False)
    if found.limit is not None and len(answer.rows) < min(found.limit, source.rows):
        raise Refused(
            "degenerate_limit",
            f"{plural(len(answer.rows), 'row')} on the sample where LIMIT asks for {found.limit}",
            final=False,
        )
    return answer, _csv(answer)


def refuse_hidden_in_gold(instance: Path, schema: Schema, sql: str) -> None:
    """Refused where the answer on an instance depends on the clock or lacks a value for its size, behind the SQL."""
    try:
        refuse_hidden(instance, schema, sql)
    except QueryFailed as error:
        raise Refused(f"gold_{error.code}", str(error), final=True) from error


def _run(connection: sqlite3.Connection, sql: str) -> Answer:
    try:
        answer = run_query(connection, sql)
    except QueryFailed as error:
        raise Refused(f"gold_{error.code}", str(error), final=True) from error
    return answer


def _csv(answer: Answer) -> bytes:
    try:
        return gold_csv(answer.names, answer.rows)
    except Unrepresentable as error:
        raise Refused(error.code, str(error), final=False) from error


def _all_null(answer: Answer) -> bool:
    return bool(answer.rows) and all(cell is None for row in answer.rows for cell in row)
