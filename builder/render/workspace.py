"""One workspace: an instance's tables routed, written, read back and compared."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from builder.render import csv_format, json_format
from builder.render.names import safe_name
from builder.render.relation import Relation, read_relation
from builder.render.route import Descriptor, route
from warehouse.lake import Lake
from warehouse.sqlite_build import NotBuilt, build_database
from warehouse.sqlite_file import open_immutable
from warehouse.sqlite_schema import Schema, Table, inspect

TEXT_FORMATS = {"csv": csv_format, "json": json_format}


class NotRendered(Exception):
    """A table that no format holds faithfully: one sentence."""


@dataclass(frozen=True)
class Artifact:
    """A file of a workspace: path under context/, format, SHA-256, size and rows."""

    path: str
    format: str
    digest: str
    bytes: int
    rows: int


@dataclass(frozen=True)
class Representation:
    """A table in a file: hash of its canonical relation, the parser's side record, and what was tried before."""

    table: str
    path: str
    format: str
    rows: int
    relation_hash: str
    column_types: tuple[tuple[str, str], ...]
    tried: Mapping[str, str]


@dataclass(frozen=True)
class Workspace:
    """All files of a workspace and which table is where."""

    artifacts: tuple[Artifact, ...]
    representations: tuple[Representation, ...]


def make_workspace(lake: Lake, instance: Path, seed: int, database_name: str) -> Workspace:
    """Render every table of an instance, each in one format, and keep the files as artifacts.

    A format is used only when parsing its file gives the canonical relation back (Eq. 16); else the next one is tried.
    Raises NotRendered when none holds a table.
    """
    connection = open_immutable(instance)
    try:
        schema = inspect(connection)
        relations = {table.name: read_relation(connection, table) for table in schema.tables}
    finally:
        connection.close()
    descriptors = [Descriptor(name, len(relation.rows), _obstacles(relation)) for name, relation in relations.items()]
    routes = route(descriptors, seed)
    taken: set[str] = set()
    artifacts: list[Artifact] = []
    found: list[Representation] = []
    in_database: list[Table] = []
    tried: dict[str, dict[str, str]] = {d.name: dict(d.obstacles) for d in descriptors}
    for table in schema.tables:
        relation = relations[table.name]
        for form in routes[table.name]:
            if form == "sqlite":
                in_database.append(table)
                break
            made = _write_text(lake, relation, form, taken)
            if made is not None:
                artifacts.append(made[0])
                found.append(_represent(relation, made[1], made[0], tried[table.name]))
                break
            tried[table.name][form] = "the file did not give the table back"
        else:
            raise NotRendered(
                f"no format holds table {table.name}: {json.dumps(tried[table.name], ensure_ascii=False)}"
            )
    if in_database:
        file = _write_database(
            lake, instance, schema, in_database, relations, f"{safe_name(database_name, taken)}.sqlite"
        )
        artifacts.append(file)
        found += [
            _represent(relations[table.name], relations[table.name].digest(), file, tried[table.name])
            for table in in_database
        ]
    return Workspace(tuple(sorted(artifacts, key=lambda a: a.path)), tuple(sorted(found, key=lambda r: r.table)))


def _obstacles(relation: Relation) -> dict[str, str]:
    reasons = {name: module.obstacle(relation) for name, module in TEXT_FORMATS.items()}
    return {name: reason for name, reason in reasons.items() if reason is not None}


def _write_text(lake: Lake, relation: Relation, form: str, taken: set[str]) -> tuple[Artifact, str] | None:
    """Write one table as a text file; None when reading it back gives another relation."""
    module = TEXT_FORMATS[form]
    data = module.write(relation)
    digest = relation.digest()
    try:
        if module.read(data, relation.name, relation.column_types()).digest() != digest:
            return None
    except ValueError:
        return None
    path = safe_name(relation.name, taken) + module.SUFFIX
    return Artifact(path, form, lake.artifacts.put_bytes(data), len(data), len(relation.rows)), digest


def _write_database(
    lake: Lake, instance: Path, schema: Schema, tables: list[Table], relations: Mapping[str, Relation], path: str
) -> Artifact:
    with lake.artifacts.scratch() as folder:
        target = Path(folder) / "workspace.sqlite"
        try:
            build_database(target, instance, schema, tables, definitions=False)
        except NotBuilt as error:
            raise NotRendered(str(error)) from error
        connection = open_immutable(target)
        try:
            for table in tables:
                if read_relation(connection, table).digest() != relations[table.name].digest():
                    raise NotRendered(f"table {table.name} is not the same in the workspace's SQLite file")
        finally:
            connection.close()
        size = target.stat().st_size
        digest = lake.artifacts.put_file(target, move=True)
    return Artifact(path, "sqlite", digest, size, sum(len(relations[table.name].rows) for table in tables))


def _represent(relation: Relation, digest: str, file: Artifact, tried: Mapping[str, str]) -> Representation:
    types = tuple(zip(relation.columns, relation.column_types(), strict=True))
    return Representation(relation.name, file.path, file.format, len(relation.rows), digest, types, dict(tried))
