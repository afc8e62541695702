"""EHRSQL: `data.json` with `label.json` and `answer.json` (the 2024 task), or one JSON list (the first edition).

The gold SQL is published in a form that does not run: `current_time` stands for the moment of asking,
`heart_rate_lower` and the like for the normal range of a vital sign, `> =` for `>=`, and the first edition was
lowercased, `strftime('%y', ...)` included. The set's official evaluation rewrites it before execution; so does this
reader, token by token, so that no string literal changes but a format given to `strftime`.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from warehouse.errors import BenchlakeError
from warehouse.questions.files import kind_of, load_json, load_object
from warehouse.questions.model import Json, QuestionSet
from warehouse.questions.record import Record, RecordError, Shape, collect, numbered, split_of
from warehouse.questions.tables import tables_beside, with_tables

EXPECTED = "an EHRSQL data.json, or a JSON list of {id, question, query, db_id, is_impossible}"

# The moment of asking: the data are shifted in time, the first edition's (MIMIC-III, eICU) to another year.
NOW = "2100-12-31 23:59:00"
NOW_FIRST_EDITION = "2105-12-31 23:59:00"

_RANGES = {
    "temperature": ("35.5", "38.1"),
    "sao2": ("95.0", "100.0"),
    "heart_rate": ("60.0", "100.0"),
    "respiration": ("12.0", "18.0"),
    "systolic_bp": ("90.0", "120.0"),
    "diastolic_bp": ("60.0", "90.0"),
    "mean_bp": ("60.0", "110.0"),
}
_VITALS = {
    f"{vital}_{end}": value
    for vital, ends in _RANGES.items()
    for end, value in zip(("lower", "upper"), ends, strict=True)
}

# SQLite's tokens as far as they matter here. Possessive quantifiers keep the scan linear; an unclosed quote or comment
# runs to the end of the text.
_TOKEN = re.compile(
    r"""
      (?P<string> '[^']*+(?:''[^']*+)*+(?:'|\Z) )
    | (?P<blank> \s++ | --[^\n]*+ | /\*(?s:.*?)(?:\*/|\Z) )
    | (?P<quoted> "[^"]*+(?:"|\Z) | `[^`]*+(?:`|\Z) | \[[^\]]*+(?:\]|\Z) )
    | (?P<name> [^\W\d][\w$]*+ )
    | (?P<number> \d[\w.]*+ )
    | (?P<operator> [<>!]\s++= )
    | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL,
)


def read(path: Path, db_id: str | None = None) -> QuestionSet:
    """The questions of an EHRSQL folder, its `data.json`, or a list of the first edition (pipeline.md, Ingest).

    `tables.json` is looked for in the file's folder and its parent. In the 2024 form the database is `db_id`, else the
    one of `tables.json`; published answers are kept as `extra["answer"]`. SQL "null" is an unanswerable question.
    Raises BenchlakeError when a file is missing or cannot be read, or no database is known.
    """
    file = path / "data.json" if path.is_dir() else path
    folder = file.absolute().parent
    tables = tables_beside((folder / "tables.json", folder.parent / "tables.json"))
    only = tables.databases[0] if len(tables.databases) == 1 else None
    database = db_id or only
    match load_json(file, EXPECTED):
        case list(records):
            questions = collect(_listed(records), _SHAPE, db_id=database, split=split_of(file.stem))
        case {"data": list(records), **rest}:
            if database is None:
                raise BenchlakeError(f"{file}: no database is known; name one, or add a tables.json with one database")
            version = rest.get("version")
            split = split_of(folder.name) or split_of(version if isinstance(version, str) else "")
            questions = collect(_joined(file, records), _SHAPE, db_id=database, split=split)
        case value:
            raise BenchlakeError(f'{file}: holds {kind_of(value)} without a list under "data"; expected {EXPECTED}')
    if db_id is not None and any(question.db_id == db_id for question in questions.questions):
        tables = tables.renamed(db_id)
    return with_tables(questions, tables)


def post_process(sql: str, now: str = NOW) -> str:
    """Gold SQL as the set's official evaluation runs it; SQL that needs no rule comes back unchanged.

    Implements the official rewriting (pinned clock, normal ranges, split operators, `%y` and `%j` of strftime) over
    tokens. It leaves out what would reach into literals: folding blanks and, in the first edition, lower case and `''`.
    """
    out: list[str] = []
    before = last = ""
    for match in _TOKEN.finditer(sql):
        text = match.group()
        if match.lastgroup == "blank":
            out.append(text)
            continue
        out.append(_replaced(match, text, (before, last), now))
        before, last = last, text.lower()
    return "".join(out)


def _replaced(match: re.Match[str], text: str, before: tuple[str, str], now: str) -> str:
    if match.lastgroup == "operator":
        return f"{text[0]}="
    if match.lastgroup == "string" and before == ("strftime", "("):
        return text.replace("%y", "%Y").replace("%j", "%J")
    # A name next to a point is a column or a table of that name.
    if match.lastgroup == "name" and before[1] != "." and not match.string.startswith(".", match.end()):
        name = text.lower()
        return f"'{now}'" if name == "current_time" else _VITALS.get(name, text)
    return text


def _joined(file: Path, records: list[Json]) -> Iterator[tuple[int, Json | RecordError]]:
    """Each question of `data.json` with its SQL and published answer; then the labels that no question asks for."""
    labels = load_object(file.with_name("label.json"), "the gold SQL of data.json, {id: SQL}")
    answers_file = file.with_name("answer.json")
    answers = load_object(answers_file, "published answers, {id: answer}") if answers_file.is_file() else {}
    asked: set[str] = set()
    for position, record in numbered(records):
        if isinstance(record, dict) and isinstance(record.get("id"), str | int):
            key = str(record["id"])
            asked.add(key)
            found = {name: values[key] for name, values in (("query", labels), ("answer", answers)) if key in values}
            record = {**record, **found}
        yield position, record
    unasked = (key for key in labels if key not in asked)
    for position, key in enumerate(unasked, start=len(records) + 1):
        message = f"label.json has SQL for {key[:80]!a}, which data.json does not ask"
        yield position, RecordError("label_without_question", message)


def _listed(records: list[Json]) -> Iterator[tuple[int, Json]]:
    """Records of a list; an impossible question needs no SQL."""
    for position, record in numbered(records):
        impossible = isinstance(record, dict) and record.get("is_impossible") is True
        yield position, {**record, "query": None} if impossible and isinstance(record, dict) else record


def _rewrite(record: Record, sql: str | None) -> str | None:
    impossible = record.get("is_impossible", False)
    if not isinstance(impossible, bool):
        raise RecordError("question_malformed", f'"is_impossible" is {kind_of(impossible)}; expected a boolean')
    if sql is None or sql.strip().lower() == "null":
        return None
    # Only the first edition marks every record as possible or not.
    return post_process(sql, NOW_FIRST_EDITION if "is_impossible" in record else NOW)


_SHAPE = Shape(qid=("id",), db_id=("db_id",), sql=("query",), null_sql=True, rewrite=_rewrite)
