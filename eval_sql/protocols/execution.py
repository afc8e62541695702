"""Execution match: predicted SQL is right when its result is the gold SQL's. Ours, and as BIRD and Spider have it."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval_sql.draft import Unrepresentable
from eval_sql.protocols.compare import (
    Comparison,
    Gold,
    as_gold,
    bird_equal,
    compare,
    our_comparison,
    shape_mismatch,
    spider_comparison,
)
from eval_sql.protocols.databases import find_database, opened
from eval_sql.protocols.predicted_sql import read_predictions
from eval_sql.protocols.results import Judged, Responses, judged, label_set, scratch
from ibis_ops.query.outline import NotAQuery, outline
from ibis_ops.query.sort_keys import with_sort_keys
from warehouse.errors import BenchlakeError
from warehouse.lake import append
from warehouse.questions.model import Question
from warehouse.questions.read import read_questions
from warehouse.shown import shown
from warehouse.sqlite_run import TIME_LIMIT_SECONDS, Answer, QueryFailed, run_query

# Tables wait for one evaluation of many until they are this large together.
_PORTION_BYTES = 32 << 20

Progress = Callable[[int, int], None]


@dataclass
class Verdict:
    """Of one predicted query: ours (None: the gold cannot be had), why not, and those of BIRD's and Spider's rules.

    `ours` and `its` are comparisons that are still to say `passed` and `spider`.
    """

    passed: bool | None
    code: str | None = None
    message: str | None = None
    bird: bool | None = None
    spider: bool | None = None
    ours: Comparison | None = None
    its: Comparison | None = None


def score(
    questions_file: Path,
    form: str,
    databases: Path,
    predictions_files: Sequence[Path],
    run: str | None = None,
    progress: Progress | None = None,
) -> Judged:
    """Judge predicted SQL of one or more runs on the databases of a question set (form: spider, bird, bull, jsonl).

    `databases` is a folder with ID/ID.sqlite or ID.sqlite, or one file for all questions. Raises BenchlakeError for
    files that cannot be read, records that are no questions, and databases that are not there.
    """
    found = read_questions(questions_file, form, databases.stem if databases.is_file() else None)
    if found.rejected or not found.questions:
        why = f"record {found.rejected[0].position}: {found.rejected[0].message}" if found.rejected else "no questions"
        raise BenchlakeError(f"{shown(questions_file)}: {shown(why)}")
    runs = read_predictions(predictions_files, [question.qid for question in found.questions], run)
    return judge(found.questions, databases, runs, progress)


def judge(
    questions: Sequence[Question],
    databases: Path,
    runs: Mapping[str, Responses],
    progress: Progress | None = None,
    *,
    time_limit: float = TIME_LIMIT_SECONDS,
) -> Judged:
    """Judge SQL given by run and question id; each query may take `time_limit` seconds. Raises as `score`.

    A question whose gold has no result, or none that can be a table file, is left out, with a code.
    """
    key = label_set("execution", [(question.qid, question.db_id, question.sql) for question in questions])
    files = {db_id: find_database(databases, db_id) for db_id in dict.fromkeys(q.db_id for q in questions)}
    pending = _Pending()
    found: list[tuple[Question, dict[str | None, Verdict]]] = []
    for db_id, file in files.items():
        with opened(file) as connection:
            for question in (question for question in questions if question.db_id == db_id):
                given = [responses.get(question.qid) for responses in runs.values()]
                found.append((question, _verdicts(connection, question, given, pending, time_limit)))
                if progress is not None:
                    progress(len(found), len(questions))
    pending.settle()
    with scratch() as scores:
        append(scores, "score.answer_result", list(_rows(found, runs, key)))
        return judged(scores, "execution", key, runs, [question.qid for question in questions])


class _Pending:
    """Verdicts that wait for their comparisons, which are made many at a time."""

    def __init__(self) -> None:
        self._verdicts: list[Verdict] = []
        self._bytes = 0

    def add(self, verdict: Verdict) -> Verdict:
        """Take a verdict in; settles all when their tables have become large."""
        self._verdicts.append(verdict)
        for comparison in (verdict.ours, verdict.its):
            self._bytes += len(comparison.gold) + len(comparison.prediction) if comparison is not None else 0
        if self._bytes > _PORTION_BYTES:
            self.settle()
        return verdict

    def settle(self) -> None:
        """Make the comparisons, and let go of the tables."""
        ours = [(verdict, verdict.ours) for verdict in self._verdicts if verdict.ours is not None]
        its = [(verdict, verdict.its) for verdict in self._verdicts if verdict.its is not None]
        results = compare([comparison for _, comparison in (*ours, *its)])
        for (verdict, _), result in zip(ours, results[: len(ours)], strict=True):
            verdict.passed, verdict.code, verdict.message = result.passed, result.error_code, result.message or None
        for (verdict, _), result in zip(its, results[len(ours) :], strict=True):
            verdict.spider = result.passed
        for verdict in self._verdicts:
            verdict.ours = verdict.its = None
        self._verdicts, self._bytes = [], 0


def _verdicts(
    connection: sqlite3.Connection,
    question: Question,
    given: Sequence[str | None],
    pending: _Pending,
    time_limit: float,
) -> dict[str | None, Verdict]:
    """The verdict on each distinct query that is given for one question; None stands for no query."""
    try:
        gold = _gold(connection, question.sql, time_limit)
    except (QueryFailed, NotAQuery, Unrepresentable) as error:
        code = error.code if error.code.startswith("gold_") else f"gold_{error.code}"
        return dict.fromkeys(given, Verdict(None, code, str(error)))
    return {sql: pending.add(_verdict(connection, gold, sql, time_limit)) for sql in dict.fromkeys(given)}


def _gold(connection: sqlite3.Connection, sql: str | None, time_limit: float) -> Gold:
    if sql is None:
        raise QueryFailed("missing", "the question set has no SQL for it")
    answer = run_query(connection, sql, time_limit=time_limit)
    ordered = outline(sql).ordered
    blocks = _blocks(connection, sql, answer, time_limit) if ordered else None
    return as_gold(answer, ordered=ordered, blocks=blocks, says_order_by="order by" in sql.lower())


def _blocks(connection: sqlite3.Connection, sql: str, answer: Answer, time_limit: float) -> list[int] | None:
    """For each row of the gold the first of its neighbours with equal sort keys; None when the keys cannot be had."""
    text = with_sort_keys(sql)
    if text is None or len(answer.rows) < 2:
        return None
    try:
        rows = run_query(connection, text, time_limit=time_limit).rows
    except QueryFailed:
        return None
    width = len(answer.names)
    if [row[:width] for row in rows] != answer.rows:
        return None
    blocks: list[int] = []
    for place, row in enumerate(rows):
        tied = place > 0 and row[width:] == rows[place - 1][width:]
        blocks.append(blocks[-1] if tied else place)
    return blocks


def _verdict(connection: sqlite3.Connection, gold: Gold, sql: str | None, time_limit: float) -> Verdict:
    if sql is None:
        return Verdict(False, "missing_prediction", bird=False, spider=False)
    try:
        answer = run_query(connection, sql, time_limit=time_limit)
    except QueryFailed as error:
        return Verdict(False, error.code, str(error), bird=False, spider=False)
    verdict = Verdict(False, bird=bird_equal(gold, answer))
    found = spider_comparison(gold, answer)
    if isinstance(found, Comparison):
        verdict.its = found
    else:
        verdict.spider = found
    try:
        verdict.code, verdict.message = shape_mismatch(gold, answer)
        verdict.ours = our_comparison(gold, answer) if verdict.code is None else None
    except Unrepresentable as error:
        verdict.code, verdict.message = error.code.replace("gold_", "result_"), str(error)
    return verdict


def _rows(
    found: Sequence[tuple[Question, Mapping[str | None, Verdict]]], runs: Mapping[str, Responses], key: str
) -> Iterator[dict[str, Any]]:
    """Rows of score.answer_result."""
    for question, verdicts in found:
        for run, responses in runs.items():
            verdict = verdicts[responses.get(question.qid)]
            yield {
                "run": run, "protocol": "execution", "label_set": key, "question": question.qid, "answer": "table",
                "place": 0, "label": question.sql, "passed": verdict.passed, "code": verdict.code,
                "message": None if verdict.message is None else shown(verdict.message), "published": verdict.bird,
                "published_spider": verdict.spider,
            }  # fmt: skip
