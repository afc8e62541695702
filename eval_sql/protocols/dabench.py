"""DABench: closed-form answers @name[value] in free text, held against labels."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eval_sql.protocols.results import (
    MAX_RESPONSE_BYTES,
    Judged,
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
from warehouse.questions.files import read_text
from warehouse.shown import shown

_LABELS = 'JSON Lines of {"id": ..., "common_answers": [[name, value], ...]} (DABench labels)'
_RESPONSES = 'JSON Lines of {"id": ..., "response": "... @name[value] ..."} (DABench responses)'

# (question, answers as (name, value) pairs).
Labels = Sequence[tuple[str, Sequence[tuple[str, str]]]]


def score(labels_file: Path, responses_files: Sequence[Path], run: str | None = None) -> Judged:
    """Judge the responses of one or more runs, a JSON Lines file each, by the rule of DABench (InfiAgent-DABench).

    Our verdicts count every labelled question and treat a name that the labels repeat as a set of values; those as
    published are given beside them (sql/score/dabench.sql). Raises BenchlakeError for files that cannot be read.
    """
    labels = read_labels(labels_file)
    names = run_names(responses_files, run)
    return judge(labels, {name: read_responses(file) for name, file in zip(names, responses_files, strict=True)})


def judge(labels: Labels, runs: dict[str, dict[str, str | None]]) -> Judged:
    """Judge responses, given by run and question."""
    key = label_set("dabench", labels)
    rows: list[dict[str, object]] = [
        {"question": question, "ordinal": ordinal, "answer": name, "label": value}
        for ordinal, (question, name, value) in enumerate(
            (question, name, value) for question, answers in labels for name, value in answers
        )
    ]
    with scratch() as connection:
        connection.execute("CREATE TABLE label_row (question VARCHAR, ordinal BIGINT, answer VARCHAR, label VARCHAR)")
        connection.execute("CREATE TABLE response_row (run VARCHAR, question VARCHAR, response VARCHAR)")
        append(connection, "label_row", rows)
        questions = [question for question, _ in labels]
        judge_portions(connection, "dabench", key, asked(runs, questions))
        return judged(connection, "dabench", key, runs, questions)


def read_labels(file: Path) -> Labels:
    """The labels of a file. Raises BenchlakeError, naming the line, for what is no label."""
    labels: dict[str, list[tuple[str, str]]] = {}
    for number, record in _lines(file, _LABELS):
        question = _id(file, number, record, _LABELS)
        answers = record.get("common_answers")
        if not isinstance(answers, list) or not answers:
            raise _bad(file, number, '"common_answers" is no list of answers', _LABELS)
        if question in labels:
            raise _bad(file, number, f"the id {shown(question)!r} is there a second time", _LABELS)
        pairs: list[tuple[str, str]] = []
        for pair in answers:
            if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(part, str) for part in pair):
                raise _bad(file, number, "an answer is not a pair of texts, [name, value]", _LABELS)
            pairs.append((storable(pair[0]), storable(pair[1])))
        labels[question] = pairs
    if not labels:
        raise BenchlakeError(f"{shown(file)}: no labels in it; expected {_LABELS}")
    return list(labels.items())


def read_responses(file: Path) -> dict[str, str | None]:
    """The first response to each question that is not empty, None for one that is too long to be read.

    Raises BenchlakeError, naming the line, for what is no response.
    """
    responses: dict[str, str | None] = {}
    for number, record in _lines(file, _RESPONSES):
        question = _id(file, number, record, _RESPONSES)
        text = record.get("response")
        if text is not None and not isinstance(text, str):
            raise _bad(file, number, '"response" is no text', _RESPONSES)
        if text and question not in responses:
            text = storable(text)
            responses[question] = text if len(text.encode()) <= MAX_RESPONSE_BYTES else None
    return responses


def _lines(file: Path, expected: str) -> list[tuple[int, dict[str, Any]]]:
    records: list[tuple[int, dict[str, Any]]] = []
    for number, line in enumerate(read_text(file, expected).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            raise _bad(file, number, "not JSON", expected) from None
        if not isinstance(record, dict):
            raise _bad(file, number, "not a JSON object", expected)
        records.append((number, record))
    return records


def _id(file: Path, number: int, record: dict[str, Any], expected: str) -> str:
    value = record.get("id")
    if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
        raise _bad(file, number, '"id" is neither an integer nor a text', expected)
    return storable(str(value))


def _bad(file: Path, number: int, problem: str, expected: str) -> BenchlakeError:
    return BenchlakeError(f"{shown(file)}: line {number}: {problem}; expected {expected}")
