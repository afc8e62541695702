"""What a protocol gives: judged answers in the lake's own shape, their metrics, and keeping them in a lake."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import duckdb

from warehouse.errors import BenchlakeError
from warehouse.extensions import check_engine
from warehouse.ids import content_id
from warehouse.lake import Lake, append
from warehouse.queries import query
from warehouse.shown import shown

# Of the rules in eval_sql/protocols and sql/score: a change of verdicts is a new version.
VERSION = 1
MAX_RUN_NAME = 200
# A response is hostile text; what is longer than this is no answer.
MAX_RESPONSE_BYTES = 1 << 20
# Responses are judged in portions of about this size, which bounds what their extraction takes.
PORTION_CHARACTERS = 4 << 20
MEMORY_LIMIT = "1GB"

METRICS = {
    "dabench": "answer_accuracy",
    "ehrsql": "reliability_score",
    "execution": "execution_accuracy",
}

# Columns of a metric and their titles.
_SUMMARY = {
    "dabench": {
        "run": "run", "questions": "questions", "answered": "answered", "proportional": "proportional",
        "by_question": "by question", "by_sub_question": "by sub-question",
        "published_proportional": "published: proportional", "published_by_question": "by question",
        "published_by_sub_question": "by sub-question",
    },
    "ehrsql": {
        "run": "run", "questions": "questions", "correct": "right", "abstained": "abstained", "wrong": "wrong",
        "rs_0": "RS(0)", "rs_5": "RS(5)", "rs_10": "RS(10)", "rs_n": "RS(N)",
    },
    "execution": {
        "run": "run", "questions": "questions", "passed_questions": "passed", "accuracy": "accuracy",
        "published_bird": "by BIRD's rule", "published_spider": "by Spider's rule", "without_gold": "without gold",
    },
}  # fmt: skip
# What all answers of a report share.
_COMMON = ("protocol", "label_set")

# Of one run, by question: None stands for no answer.
Responses = Mapping[str, str | None]


@dataclass(frozen=True)
class Judged:
    """The outcome of a protocol: metrics by run, judged answers, and what was answered without being asked.

    `metrics` are the rows of the view in `METRICS`, `answers` those of score.answer_result, as mappings by column;
    `unknown` counts responses to questions without a label. `responses` is what was judged, by run and question.
    """

    protocol: str
    label_set: str
    metrics: list[dict[str, Any]]
    answers: list[dict[str, Any]]
    unknown: int
    responses: Mapping[str, Responses]


def label_set(protocol: str, labels: Sequence[object]) -> str:
    """The id of what is held against a run."""
    return content_id("label_set", protocol=protocol, version=VERSION, labels=list(labels))


@contextmanager
def scratch() -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB in memory with the lake's tables of answers and the metrics over them, both empty."""
    check_engine()
    connection = duckdb.connect(config={"memory_limit": MEMORY_LIMIT, "threads": 2})
    try:
        connection.execute("SET temp_directory = ''")
        connection.execute("CREATE SCHEMA run; CREATE SCHEMA score")
        for name in ("schema/008_protocol", "metrics/protocols", "score/answer_values"):
            connection.execute(query(name))
        yield connection
    finally:
        connection.close()


def asked(runs: Mapping[str, Responses], questions: Sequence[str]) -> Iterator[dict[str, str | None]]:
    """A (run, question, response) row for every question asked of a run; an empty response is none."""
    for run, responses in runs.items():
        for question in questions:
            yield {"run": run, "question": question, "response": responses.get(question) or None}


def judge_portions(
    connection: duckdb.DuckDBPyConnection, protocol: str, labels: str, rows: Iterable[Mapping[str, str | None]]
) -> None:
    """Add the verdicts of `sql/score/PROTOCOL.sql` on all rows to score.answer_result, a portion of rows at a time."""
    insert = "INSERT INTO score.answer_result BY NAME " + query(f"score/{protocol}")

    def judge(portion: Sequence[Mapping[str, str | None]]) -> None:
        connection.execute("DELETE FROM response_row")
        append(connection, "response_row", portion)
        connection.execute(insert, {"label_set": labels})

    portion: list[Mapping[str, str | None]] = []
    size = 0
    for row in rows:
        length = len(row["response"] or "")
        if portion and size + length > PORTION_CHARACTERS:
            judge(portion)
            portion, size = [], 0
        portion.append(row)
        size += length
    judge(portion)


def judged(
    connection: duckdb.DuckDBPyConnection,
    protocol: str,
    labels: str,
    runs: Mapping[str, Responses],
    questions: Iterable[str],
) -> Judged:
    """What the scratch database holds once all answers are in it."""
    metrics = _mappings(connection, f"SELECT * FROM metrics.{METRICS[protocol]} ORDER BY run")
    answers = _mappings(connection, "SELECT * FROM score.answer_result")
    known = set(questions)
    unknown = sum(question not in known for responses in runs.values() for question in responses)
    return Judged(protocol, labels, metrics, answers, unknown, runs)


def report(found: Judged) -> dict[str, Any]:
    """All of it as JSON values."""
    return {
        "protocol": found.protocol, "label_set": found.label_set, "unknown": found.unknown, "runs": found.metrics,
        "answers": [{key: value for key, value in answer.items() if key not in _COMMON} for answer in found.answers],
    }  # fmt: skip


def summary(found: Judged) -> tuple[list[str], list[list[object]]]:
    """The metrics as a table for people: names of columns, and a row for each run."""
    shown_columns = _SUMMARY[found.protocol]
    rows = [[_figure(run[name]) for name in shown_columns] for run in found.metrics]
    return list(shown_columns.values()), rows


def _figure(value: object) -> object:
    return f"{value:.2%}" if isinstance(value, float) else value


def keep(lake: Lake, found: Judged) -> int:
    """Keep responses and judged answers in a lake, in one commit; the number of new answers.

    Doing it again changes nothing. Raises BenchlakeError when a run there has another response to a question.
    """
    return lake.commit("score", partial(_keep, found=found))


def _keep(cursor: duckdb.DuckDBPyConnection, found: Judged) -> tuple[int, dict[str, Any] | None]:
    new_responses: list[dict[str, object]] = []
    new_runs: list[str] = []
    for run, responses in found.responses.items():
        rows = {question: text for question, text in responses.items() if text is not None}
        before = dict(cursor.execute(
            "SELECT instance, response FROM run.response WHERE run = ? AND protocol = ?", [run, found.protocol]
        ).fetchall())  # fmt: skip
        if before and before != rows:
            raise BenchlakeError(f"the run {shown(run)!r} is there already with other responses; name another run")
        if not before:
            new_responses += [
                {"run": run, "protocol": found.protocol, "instance": question, "response": text}
                for question, text in rows.items()
            ]
        done = cursor.execute(
            "SELECT 1 FROM score.answer_result WHERE run = ? AND label_set = ? LIMIT 1", [run, found.label_set]
        ).fetchone()
        if done is None:
            new_runs.append(run)
    answers = [answer for answer in found.answers if answer["run"] in new_runs]
    append(cursor, "run.response", new_responses)
    append(cursor, "score.answer_result", answers)
    detail = {"protocol": found.protocol, "label_set": found.label_set, "runs": new_runs, "answers": len(answers)}
    return len(answers), detail if new_responses or answers else None


def run_names(files: Sequence[Path], run: str | None) -> list[str]:
    """A name for the run in each file: `run`, which one file alone can have, else the file's name without its ending.

    Raises BenchlakeError for a name that cannot be one, and for two files of one name.
    """
    if run is not None and len(files) > 1:
        raise BenchlakeError("--run names the run of one file; several are named by their files")
    names = [run] if run is not None else [file.stem for file in files]
    for name in names:
        check_run_name(name)
    if len(set(names)) < len(names):
        raise BenchlakeError("two files have the same name, which would be that of two runs; rename one")
    return names


def check_run_name(name: str) -> None:
    """Raise BenchlakeError unless a run can have this name."""
    if not name or len(name) > MAX_RUN_NAME or not name.isprintable():
        raise BenchlakeError(
            f"{shown(name[:MAX_RUN_NAME])!r}: a run's name has 1 to {MAX_RUN_NAME} printable characters"
        )


def storable(text: str) -> str:
    """A text as the lake can hold it: half a surrogate pair, which UTF-8 does not have, becomes U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _mappings(connection: duckdb.DuckDBPyConnection, sql: str) -> list[dict[str, Any]]:
    cursor = connection.execute(sql)
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
