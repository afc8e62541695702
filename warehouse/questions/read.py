"""Question sets and relations files, by form."""

from collections.abc import Callable
from pathlib import Path

from warehouse.errors import BenchlakeError
from warehouse.questions import bird, bull, ehrsql, jsonl, spider
from warehouse.questions.files import kind_of, load_list
from warehouse.questions.model import Json, QuestionSet, SuppliedRelation
from warehouse.questions.record import NAME_BYTES, RecordError, checked_text
from warehouse.questions.tables import parse_tables

FORMS: dict[str, Callable[[Path, str | None], QuestionSet]] = {
    "spider": spider.read,
    "bird": bird.read,
    "ehrsql": ehrsql.read,
    "bull": bull.read,
    "jsonl": jsonl.read,
}

_RELATIONS = "a JSON list of {child_table, child_columns, parent_table, parent_columns}, or a Spider tables.json"


def read_questions(path: Path, form: str, db_id: str | None = None) -> QuestionSet:
    """The question set at `path`, read as `form`: spider, bird, ehrsql, bull or jsonl (pipeline.md, Ingest).

    `db_id` stands in where a record names no database. A record that cannot be used is a rejected row with a code.
    Raises BenchlakeError when the file cannot be read as that form at all, or the form or `db_id` is no good.
    """
    reader = FORMS.get(form)
    if reader is None:
        raise BenchlakeError(f"{form!a} is no form of a question set; expected one of {', '.join(FORMS)}")
    if db_id is not None:
        try:
            _name("db_id", db_id)
        except RecordError as error:
            raise BenchlakeError(f"the database id given for {path} cannot be used: {error.message}") from error
    try:
        return reader(path, db_id)
    except OSError as error:
        raise BenchlakeError(f"{path}: cannot be read ({error.strerror}); expected a question set ({form})") from error


def read_relations(path: Path) -> tuple[SuppliedRelation, ...]:
    """The relations that a file supplies, each once: a list of relations, or the foreign keys of a `tables.json`.

    A relation without `db_id` has an empty one. Raises BenchlakeError when the file or any entry cannot be used: a
    relation that someone wrote down and that has no effect would go unnoticed.
    """
    entries = load_list(path, _RELATIONS)
    if any(isinstance(entry, dict) and "column_names_original" in entry for entry in entries):
        tables = parse_tables(entries, path.name)
        for rejected in tables.rejected:
            raise BenchlakeError(f"{path}: entry {rejected.position}: {rejected.message}")
        return tables.relations
    relations: list[SuppliedRelation] = []
    for position, entry in enumerate(entries, start=1):
        try:
            relations.append(_relation(entry))
        except RecordError as error:
            raise BenchlakeError(f"{path}: entry {position}: {error.message}; expected {_RELATIONS}") from error
    return tuple(dict.fromkeys(relations))


def _relation(entry: Json) -> SuppliedRelation:
    if not isinstance(entry, dict):
        raise RecordError("relation_malformed", f"the entry is {kind_of(entry)}; expected an object")
    child = _names(entry, "child_columns")
    parent = _names(entry, "parent_columns")
    if len(child) != len(parent):
        raise RecordError("relation_malformed", f"{len(child)} child columns for {len(parent)} parent columns")
    db_id = "" if entry.get("db_id") is None else _name("db_id", entry["db_id"])
    child_table = _name("child_table", entry.get("child_table"))
    parent_table = _name("parent_table", entry.get("parent_table"))
    return SuppliedRelation(db_id, child_table, child, parent_table, parent)


def _names(entry: dict[str, Json], key: str) -> tuple[str, ...]:
    values = entry.get(key)
    if not isinstance(values, list) or not values:
        raise RecordError("relation_malformed", f'"{key}" is not a list of column names')
    return tuple(_name(key, value) for value in values)


def _name(key: str, value: Json) -> str:
    name = checked_text(key, value, NAME_BYTES)
    if not name:
        raise RecordError("relation_malformed", f'"{key}" holds an empty name')
    return name
