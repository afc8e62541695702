"""What a question set is once read: its questions, what was refused and why, and what its `tables.json` says.

Text is exactly as the set gives it (no Unicode normalisation, no trimming). Every text here can be stored as UTF-8
and holds no NUL. An empty text means that the set does not say.
"""

from dataclasses import dataclass, field
from typing import TypeAlias

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None


@dataclass(frozen=True)
class Question:
    """One question with its gold SQL.

    `qid` is unique within the set: the set's own id, or `<db_id>-<place>` with the place counted from 0 among the
    records of that database. `sql` is None when the set marks the question as unanswerable. `source_sql` is the SQL as
    published when a rule of the set changed it, else None. `extra` holds small scalars under the set's own names.
    """

    qid: str
    db_id: str
    question: str
    sql: str | None
    evidence: str = ""
    language: str = ""
    split: str = ""
    difficulty: str = ""
    extra: dict[str, Json] = field(default_factory=dict)
    source_sql: str | None = None


@dataclass(frozen=True)
class Rejected:
    """A record that cannot be used.

    `position` counts from 1: the record's place in its list, or its line in JSON Lines. `qid` is None when the record
    was refused before its id was known. Codes: `question_malformed`, `question_without_sql`, `question_without_db`,
    `question_too_long`, `question_unstorable_text`, `question_duplicate_id`, `label_without_question` and, for an entry
    of a `tables.json`, `tables_malformed`.
    """

    position: int
    qid: str | None
    code: str
    message: str


@dataclass(frozen=True)
class SuppliedRelation:
    """A relation that comes with a question set or a relations file and not from the database's own schema.

    Both column tuples have the same length. `db_id` is empty when a relations file does not name the database.
    """

    db_id: str
    child_table: str
    child_columns: tuple[str, ...]
    parent_table: str
    parent_columns: tuple[str, ...]


@dataclass(frozen=True)
class ColumnLabel:
    """The natural name of a column, or of the table itself when `column` is None."""

    db_id: str
    table: str
    column: str | None
    label: str
    language: str = ""


@dataclass(frozen=True)
class QuestionSet:
    """All that was read; `relations` and `column_labels` cover the databases that the questions name."""

    questions: tuple[Question, ...]
    rejected: tuple[Rejected, ...] = ()
    relations: tuple[SuppliedRelation, ...] = ()
    column_labels: tuple[ColumnLabel, ...] = ()
