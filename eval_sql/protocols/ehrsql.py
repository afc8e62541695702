"""EHRSQL: reliability scores of answers that are tables, or SQL that gives them, with the right to refuse."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from eval_sql.protocols.databases import opened
from eval_sql.protocols.results import (
    MAX_RESPONSE_BYTES,
    Judged,
    Responses,
    asked,
    judge_portions,
    judged,
    label_set,
    run_names,
    scratch,
    storable,
)
from warehouse.errors import BenchlakeError
from warehouse.lake import append
from warehouse.questions.ehrsql import post_process
from warehouse.questions.files import load_object
from warehouse.shown import shown
from warehouse.sqlite_run import Cell, QueryFailed, run_query

REFUSED = "null"
EXPECTED = "a JSON object {id: table as text, SQL, or null} (EHRSQL answer.json, label.json or predictions)"
# What the benchmark compares of a result, and how exactly.
COMPARED_ROWS = 100
DECIMALS = 3
# Results up to this size are kept, for the next prediction with the same SQL.
_KEPT_CHARACTERS = 10_000

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Table:
    """A table as text, or the code and the sentence that say why there is none."""

    text: str | None
    code: str | None = None
    message: str | None = None


def score(
    labels_file: Path,
    predictions_files: Sequence[Path],
    database: Path | None = None,
    run: str | None = None,
    progress: Progress | None = None,
) -> Judged:
    """Judge the predictions of one or more runs, a file each, by the rule of EHRSQL 2024 (reliability score).

    Labels and predictions map ids to tables as published, `[['a'], ['1.5']]`, to null for a refusal, or, with a
    database, to SQL, which is run as the benchmark runs it: with its clock pinned; and within limits, reading only.
    Raises BenchlakeError for files that cannot be read, for labels that are SQL when there is no database, and for a
    label whose SQL does not run.
    """
    names = run_names(predictions_files, run)
    labels = {question: text or "" for question, text in read_answers(labels_file).items()}
    if not labels:
        raise BenchlakeError(f"{shown(labels_file)}: no labels in it; expected {EXPECTED}")
    runs = {name: read_answers(file) for name, file in zip(names, predictions_files, strict=True)}
    with opened(database) if database is not None else nullcontext() as connection:
        return judge(labels, runs, connection, progress)


def judge(
    labels: Mapping[str, str],
    runs: Mapping[str, Responses],
    connection: sqlite3.Connection | None = None,
    progress: Progress | None = None,
) -> Judged:
    """Judge predictions, given by run and question. Without a connection, SQL is no table. Raises as `score`."""
    kept: dict[str, Table] = {}
    done, total = 0, sum(map(len, runs.values()))

    def table_of(text: str) -> Table:
        if connection is None or not _is_sql(text):
            return Table(text)
        if text not in kept:
            found = run_sql(connection, text)
            if len(found.text or "") > _KEPT_CHARACTERS:
                return found
            kept[text] = found
        return kept[text]

    def rows() -> Iterator[dict[str, str | None]]:
        nonlocal done
        for row in asked(runs, list(labels)):
            response = row["response"]
            table = Table(None, "missing_response") if response is None else table_of(response)
            yield {**row, "response": table.text, "code": table.code, "message": table.message}
            done += response is not None
            if progress is not None:
                progress(done, total)

    tables = {question: _label(question, text, table_of) for question, text in labels.items()}
    key = label_set("ehrsql", list(tables.items()))
    with scratch() as scores:
        scores.execute("CREATE TABLE label_row (question VARCHAR, ordinal BIGINT, label VARCHAR)")
        scores.execute(
            "CREATE TABLE response_row (run VARCHAR, question VARCHAR, response VARCHAR, code VARCHAR, message VARCHAR)"
        )
        append(scores, "label_row", [
            {"question": question, "ordinal": ordinal, "label": table}
            for ordinal, (question, table) in enumerate(tables.items())
        ])  # fmt: skip
        judge_portions(scores, "ehrsql", key, rows())
        return judged(scores, "ehrsql", key, runs, labels)


def read_answers(file: Path) -> dict[str, str | None]:
    """The answers of a file by question; None for one that is too long. Raises BenchlakeError for what is none."""
    answers: dict[str, str | None] = {}
    for question, value in load_object(file, EXPECTED).items():
        if value is not None and not isinstance(value, str):
            raise BenchlakeError(f"{shown(file)}: the answer to {shown(question)!r} is no text; expected {EXPECTED}")
        text = REFUSED if value is None else storable(value).strip()
        answers[storable(question)] = text if len(text.encode()) <= MAX_RESPONSE_BYTES else None
    return answers


def run_sql(connection: sqlite3.Connection, sql: str) -> Table:
    """The result of SQL as the benchmark publishes results: rows of texts, sorted, the first hundred."""
    try:
        rows = run_query(connection, post_process(sql)).rows
    except QueryFailed as error:
        return Table(None, error.code, storable(str(error)))
    text = repr(sorted([_published(cell) for cell in row] for row in rows)[:COMPARED_ROWS])
    if len(text) > MAX_RESPONSE_BYTES:
        return Table(None, "sql_too_large", f"the result takes more than {MAX_RESPONSE_BYTES} characters")
    return Table(text)


def _published(cell: Cell) -> str:
    return str(round(cell, DECIMALS) if isinstance(cell, float) else cell)


def _is_sql(text: str) -> bool:
    return text != REFUSED and not text.startswith("[")


def _label(question: str, text: str, table_of: Callable[[str], Table]) -> str:
    table = table_of(text)
    if table.text is None:
        raise BenchlakeError(f"the label of {shown(question)!r} has no result: {shown(table.message or '')}")
    if _is_sql(table.text):
        message = f"the label of {shown(question)!r} is SQL or nothing; give the database to run it on (--database)"
        raise BenchlakeError(message)
    return table.text
