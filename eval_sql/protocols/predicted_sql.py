"""Files of predicted SQL, as benchmarks publish them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from eval_sql.protocols.results import MAX_RESPONSE_BYTES, Responses, check_run_name, run_names, storable
from warehouse.errors import BenchlakeError
from warehouse.questions.files import load_object, read_text
from warehouse.questions.model import Json
from warehouse.shown import shown

EXPECTED = "a JSON object {id: SQL} or {run: {id: SQL}} (.json), or one SQL query a line, in the order of the questions"
# BIRD puts the database behind each query.
_BIRD_MARK = "\t----- bird -----\t"


def read_predictions(
    files: Sequence[Path], questions: Sequence[str], run: str | None = None
) -> Mapping[str, Responses]:
    """The predicted SQL of each run by question id; None for what is longer than a response may be.

    A file is one run under its own name, or `run`; a JSON object of objects holds several, of which `run` takes one.
    Raises BenchlakeError for what is no such file, for two runs of one name, and for a `run` that is not there.
    """
    runs: dict[str, Responses] = {}
    for file, name in zip(files, run_names(files, run), strict=True):
        for found, predictions in _runs(file, name, questions, run).items():
            check_run_name(found)
            if found in runs:
                raise BenchlakeError(f"{shown(file)}: the run {shown(found)!r} is there already; rename one")
            runs[found] = predictions
    return runs


def _runs(file: Path, name: str, questions: Sequence[str], run: str | None) -> dict[str, Responses]:
    if file.suffix.lower() != ".json":
        return {name: _lines(file, questions)}
    content = load_object(file, EXPECTED)
    objects = {key: value for key, value in content.items() if isinstance(value, dict)}
    if not objects or len(objects) < len(content):
        return {name: _by_question(file, content)}
    if run is not None and run not in objects:
        raise BenchlakeError(f"{shown(file)}: holds no run {shown(run)!r}, but {shown(', '.join(list(objects)[:5]))}")
    return {storable(key): _by_question(file, objects[key]) for key in ([run] if run is not None else objects)}


def _by_question(file: Path, content: Mapping[str, Json]) -> Responses:
    found: dict[str, str | None] = {}
    for question, value in content.items():
        if value is not None and not isinstance(value, str):
            raise BenchlakeError(f"{shown(file)}: the SQL for {shown(question)!r} is no text; expected {EXPECTED}")
        found[storable(question)] = _query(value or "")
    return found


def _lines(file: Path, questions: Sequence[str]) -> Responses:
    lines = read_text(file, EXPECTED).removesuffix("\n").split("\n")
    if len(lines) != len(questions):
        raise BenchlakeError(f"{shown(file)}: {len(lines)} lines for {len(questions)} questions; expected {EXPECTED}")
    # Spider's own files may name the database behind a tab.
    return {question: _query(line.partition("\t")[0]) for question, line in zip(questions, lines, strict=True)}


def _query(text: str) -> str | None:
    sql = storable(text.partition(_BIRD_MARK)[0]).strip()
    return sql if sql and len(sql.encode()) <= MAX_RESPONSE_BYTES else None
