"""A Spider `tables.json`: undeclared relations and the natural names of tables and columns.

One entry a database: `table_names_original`, `column_names_original` as [table, name] pairs, `foreign_keys` as
[child, parent] pairs of column indexes, and natural names in `table_names` and `column_names`. The format cannot say
which pairs make up one composite key, so every pair is a relation of one column.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from warehouse.questions.files import kind_of, load_list
from warehouse.questions.model import ColumnLabel, Json, QuestionSet, Rejected, SuppliedRelation
from warehouse.questions.record import NAME_BYTES, RecordError, checked_text

EXPECTED = "a JSON list of databases (Spider's tables.json)"

# A column: the index of its table (-1 for `*`) and its name.
Columns = list[tuple[int, str]]
Shift = Callable[[Columns, Json], int]


@dataclass(frozen=True)
class Tables:
    """What a `tables.json` says of its databases, in the file's order."""

    databases: tuple[str, ...] = ()
    relations: tuple[SuppliedRelation, ...] = ()
    labels: tuple[ColumnLabel, ...] = ()
    rejected: tuple[Rejected, ...] = ()

    def renamed(self, db_id: str) -> "Tables":
        """The same under another database id, when there is one database; unchanged otherwise."""
        if len(self.databases) != 1:
            return self
        relations = tuple(replace(relation, db_id=db_id) for relation in self.relations)
        labels = tuple(replace(label, db_id=db_id) for label in self.labels)
        return replace(self, databases=(db_id,), relations=relations, labels=labels)


def no_shift(columns: Columns, primary_keys: Json) -> int:
    """Column indexes mean what they say."""
    return 0


def tables_beside(paths: Iterable[Path], *, language: str = "", shift: Shift = no_shift) -> Tables:
    """The first of the files that exists, or nothing. Raises BenchlakeError as `read_tables`."""
    found = next((path for path in paths if path.is_file()), None)
    return Tables() if found is None else read_tables(found, language=language, shift=shift)


def read_tables(path: Path, *, language: str = "", shift: Shift = no_shift) -> Tables:
    """A `tables.json` as `parse_tables` reads it. Raises BenchlakeError when the file is not a JSON list."""
    name = f"{path.absolute().parent.name}/{path.name}"
    return parse_tables(load_list(path, EXPECTED), name, language=language, shift=shift)


def parse_tables(entries: list[Json], name: str, *, language: str = "", shift: Shift = no_shift) -> Tables:
    """Relations and labels, each once; an entry or a foreign key that makes no sense is a row `tables_malformed`.

    `name` is the file's name for messages. `shift` gives how far a database's column indexes are too high, from its
    columns and primary keys.
    """
    databases: list[str] = []
    relations: list[SuppliedRelation] = []
    labels: list[ColumnLabel] = []
    rejected: list[Rejected] = []

    def reject(position: int, error: RecordError) -> None:
        rejected.append(Rejected(position, None, "tables_malformed", f"{name}: {error.message}"))

    for position, entry in enumerate(entries, start=1):
        try:
            schema = _schema(entry)
            labels.extend(_labels(schema, language))
            offset = shift(schema.columns, schema.entry.get("primary_keys"))
            pairs = _list(schema.entry, "foreign_keys", optional=True)
        except RecordError as error:
            reject(position, error)
            continue
        databases.append(schema.db_id)
        for number, pair in enumerate(pairs, start=1):
            relation = _relation(pair, offset, schema)
            if relation is None:
                message = f"database {schema.db_id!a}: foreign key {number} is no pair of columns"
                reject(position, RecordError("tables_malformed", message))
            else:
                relations.append(relation)
    return Tables(tuple(databases), tuple(dict.fromkeys(relations)), tuple(dict.fromkeys(labels)), tuple(rejected))


def with_tables(questions: QuestionSet, tables: Tables) -> QuestionSet:
    """The set with relations and labels of the databases that its questions name."""
    named = {question.db_id for question in questions.questions}
    return replace(
        questions,
        rejected=questions.rejected + tables.rejected,
        relations=tuple(relation for relation in tables.relations if relation.db_id in named),
        column_labels=tuple(label for label in tables.labels if label.db_id in named),
    )


@dataclass(frozen=True)
class _Schema:
    """One entry, checked: its tables, and its columns in the order that indexes count."""

    entry: dict[str, Json]
    db_id: str
    tables: list[str]
    columns: Columns


def _schema(entry: Json) -> _Schema:
    if not isinstance(entry, dict):
        raise RecordError("tables_malformed", f"the entry is {kind_of(entry)}; expected an object")
    db_id = checked_text("db_id", entry.get("db_id"), NAME_BYTES)
    names = _list(entry, "table_names_original")
    tables = [checked_text("table_names_original", name, NAME_BYTES) for name in names]
    columns: Columns = []
    for column in _list(entry, "column_names_original"):
        match column:
            case [int() as table, str() as name] if -1 <= table < len(tables):
                columns.append((table, checked_text("column_names_original", name, NAME_BYTES)))
            case _:
                message = f"database {db_id!a}: a column is no pair of a table's index and a name"
                raise RecordError("tables_malformed", message)
    return _Schema(entry, db_id, tables, columns)


def _labels(schema: _Schema, language: str) -> list[ColumnLabel]:
    labels: list[ColumnLabel] = []
    for table, natural in zip(schema.tables, _list(schema.entry, "table_names", optional=True), strict=False):
        label = checked_text("table_names", natural, NAME_BYTES)
        labels.append(ColumnLabel(schema.db_id, table, None, label, language))
    pairs = zip(schema.columns, _list(schema.entry, "column_names", optional=True), strict=False)
    for (index, column), natural in pairs:
        # The two lists run in parallel; where they disagree on the table the natural name is another column's.
        match natural:
            case [int() as other, str() as name] if other == index >= 0:
                label = checked_text("column_names", name, NAME_BYTES)
                labels.append(ColumnLabel(schema.db_id, schema.tables[index], column, label, language))
    return labels


def _relation(pair: Json, offset: int, schema: _Schema) -> SuppliedRelation | None:
    match pair:
        case [int() as first, int() as second]:
            places = (first - offset, second - offset)
            if all(0 <= place < len(schema.columns) and schema.columns[place][0] >= 0 for place in places):
                (child, child_column), (parent, parent_column) = (schema.columns[place] for place in places)
                tables = schema.tables
                return SuppliedRelation(schema.db_id, tables[child], (child_column,), tables[parent], (parent_column,))
    return None


def _list(entry: dict[str, Json], name: str, *, optional: bool = False) -> list[Json]:
    value = entry.get(name)
    if value is None and optional:
        return []
    if not isinstance(value, list):
        raise RecordError("tables_malformed", f'"{name}" is {kind_of(value)}; expected a list')
    return value
