"""From JSON records to questions: one set of checks for all five shapes."""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from warehouse.questions.files import kind_of
from warehouse.questions.model import Json, Question, QuestionSet, Rejected

TEXT_BYTES = 1024 * 1024
NAME_BYTES = 1024
EXTRA_CHARS = 8192
EXTRA_KEYS = 32

Record = dict[str, Json]

_SPLITS = ("train", "dev", "valid", "test")
_COMMON = frozenset({"question", "evidence", "language", "split", "difficulty"})


class RecordError(Exception):
    """Why one record cannot be used: a code and a sentence."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def _as_given(record: Record, sql: str | None) -> str | None:
    return sql


@dataclass(frozen=True)
class Shape:
    """Where a published shape keeps what a question needs.

    The tuples are names to try in order. `null_sql`: JSON null as SQL marks an unanswerable question. `rewrite` gives
    the SQL to keep for a record and its published SQL. `parsed` names keys that hold a parse of the SQL, not facts.
    """

    qid: tuple[str, ...]
    db_id: tuple[str, ...]
    sql: tuple[str, ...]
    null_sql: bool = False
    rewrite: Callable[[Record, str | None], str | None] = _as_given
    parsed: frozenset[str] = frozenset()


def collect(
    records: Iterable[tuple[int, Json | RecordError]],
    shape: Shape,
    *,
    db_id: str | None,
    split: str = "",
    language: str = "",
    prefix: str = "",
    where: str = "",
) -> QuestionSet:
    """The questions of (position, record) pairs; a record that cannot be used is a rejected row with a code.

    `db_id`, `split` and `language` stand in where a record does not say. `prefix` is put before every qid and `where`
    before every message: sets whose ids restart in each file use them. A record may already be a RecordError.
    """
    questions: list[Question] = []
    rejected: list[Rejected] = []
    places: Counter[str] = Counter()
    taken: set[str] = set()
    for position, record in records:
        qid: str | None = None
        try:
            if isinstance(record, RecordError):
                raise record
            if not isinstance(record, dict):
                raise RecordError("question_malformed", f"the record is {kind_of(record)}; expected an object")
            own = _own_id(record, shape.qid)
            if own is not None:
                qid = prefix + own
            database = _short_text(record, shape.db_id) or db_id
            if not database:
                raise RecordError("question_without_db", f"no database: expected {_names(shape.db_id)}")
            place = places[database]
            places[database] += 1
            qid = qid if qid is not None else f"{prefix}{database}-{place}"
            if qid in taken:
                raise RecordError("question_duplicate_id", "another record of the set already has this id")
            questions.append(_question(record, shape, qid, database, split, language))
            taken.add(qid)
        except RecordError as error:
            rejected.append(Rejected(position, qid, error.code, where + error.message))
    return QuestionSet(tuple(questions), tuple(rejected))


def numbered(records: Iterable[Json]) -> Iterable[tuple[int, Json]]:
    """Records with their positions, counted from 1."""
    return enumerate(records, start=1)


def split_of(name: str) -> str:
    """The split that a file or folder name states (`train_spider`, `mini_dev_sqlite`, `valid`), else an empty text."""
    words = name.lower().replace("-", "_").split("_")
    return next((word for word in words if word in _SPLITS), "")


def checked_text(name: str, value: Json, limit: int) -> str:
    """`value` as text of at most `limit` UTF-8 bytes that can be stored. Raises RecordError."""
    # A name may be a key of the record, so it is no more to be trusted than its value.
    shown = ascii(name[:80])
    if not isinstance(value, str):
        raise RecordError("question_malformed", f"{shown} is {kind_of(value)} where text is expected")
    try:
        size = len(value.encode("utf-8"))
    except UnicodeEncodeError as error:
        message = f"{shown} holds half of a surrogate pair, which cannot be stored"
        raise RecordError("question_unstorable_text", message) from error
    if size > limit:
        raise RecordError("question_too_long", f"{shown} takes {size:,} bytes; the limit is {limit:,}")
    if "\0" in value:
        raise RecordError("question_unstorable_text", f"{shown} holds a NUL character, which cannot be stored")
    return value


def _question(record: Record, shape: Shape, qid: str, db_id: str, split: str, language: str) -> Question:
    question = _text(record, ("question",), TEXT_BYTES)
    if question is None or not question.strip():
        raise RecordError("question_malformed", 'no question: expected text under "question"')
    published = _sql(record, shape)
    sql = shape.rewrite(record, published)
    return Question(
        qid=qid,
        db_id=db_id,
        question=question,
        sql=sql,
        evidence=_text(record, ("evidence",), TEXT_BYTES) or "",
        language=_short_text(record, ("language",)) or language,
        split=_short_text(record, ("split",)) or split,
        difficulty=_short_text(record, ("difficulty",)) or "",
        extra=_extra(record, _COMMON.union(shape.qid, shape.db_id, shape.sql, shape.parsed)),
        source_sql=published if sql is not None and sql != published else None,
    )


def _sql(record: Record, shape: Shape) -> str | None:
    sql = _text(record, shape.sql, TEXT_BYTES)
    if sql is None and shape.null_sql and any(name in record for name in shape.sql):
        return None
    if sql is None or not sql.strip():
        raise RecordError("question_without_sql", f"no SQL: expected text under {_names(shape.sql)}")
    return sql


def _own_id(record: Record, names: tuple[str, ...]) -> str | None:
    name, value = _first(record, names)
    if value is None:
        return None
    # To Python a boolean is an int; as an id it is a mistake.
    number = isinstance(value, int) and not isinstance(value, bool)
    text = checked_text(name, str(value) if number else value, NAME_BYTES)
    if not text:
        raise RecordError("question_malformed", f"{name!a} is empty")
    return text


def _short_text(record: Record, names: tuple[str, ...]) -> str | None:
    return _text(record, names, NAME_BYTES)


def _text(record: Record, names: tuple[str, ...], limit: int) -> str | None:
    name, value = _first(record, names)
    return None if value is None else checked_text(name, value, limit)


def _first(record: Record, names: tuple[str, ...]) -> tuple[str, Json]:
    """The first of the names that the record gives a value, with that value; null counts as not given."""
    return next(((name, record[name]) for name in names if record.get(name) is not None), (names[0], None))


def _extra(record: Record, used: frozenset[str]) -> Record:
    kept: Record = {}
    for name, value in record.items():
        if name in used or len(name) > NAME_BYTES or len(kept) == EXTRA_KEYS or not _is_small(value):
            continue
        if isinstance(value, str):
            checked_text(name, value, TEXT_BYTES)
        kept[checked_text("a key", name, TEXT_BYTES)] = value
    return kept


def _is_small(value: Json) -> bool:
    if isinstance(value, str):
        return len(value) <= EXTRA_CHARS
    # JSON has no NaN and no infinity, though Python's reader lets them in.
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))


def _names(names: tuple[str, ...]) -> str:
    return " or ".join(f'"{name}"' for name in names)
