"""JSON artifacts: a list of records with the same keys in the same order."""

import json

from builder.render.csv_format import text_obstacle
from builder.render.relation import Relation

SUFFIX = ".json"


def obstacle(relation: Relation) -> str | None:
    """Why record JSON cannot hold this relation faithfully; None when it can."""
    if not relation.rows:
        return "no rows: a list without records does not show the columns"
    for place, name in enumerate(relation.columns):
        if any(isinstance(row[place], bytes) for row in relation.rows):
            return f"column {name} holds BLOBs"
    return text_obstacle(relation)


def write(relation: Relation) -> bytes:
    """The relation as UTF-8 JSON, a record a line."""
    records = [json.dumps(dict(zip(relation.columns, row, strict=True)), ensure_ascii=False) for row in relation.rows]
    return ("[\n" + ",\n".join(records) + "\n]\n").encode()


def read(data: bytes, name: str, types: tuple[str, ...]) -> Relation:
    """Rebuild the relation from the file's bytes. Raises ValueError when the file does not fit."""
    try:
        records = json.loads(data.decode("utf-8"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(records, list) or not records or not all(isinstance(record, dict) for record in records):
        raise ValueError("not a list of records")
    columns = tuple(records[0])
    if len(columns) != len(types) or any(tuple(record) != columns for record in records):
        raise ValueError("the records do not share the expected keys")
    return Relation(name, columns, [tuple(record.values()) for record in records])
