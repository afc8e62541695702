"""The manifest of an exported lake: what tables it has, and in which files."""

import json
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warehouse import migrate
from warehouse.errors import BenchlakeError
from warehouse.inventory import Table
from warehouse.shown import shown

FORMAT = 1
NAME = "manifest.json"
MAX_BYTES = 64 << 20
MAX_NAME = 255
SOURCE_PREFIX = "src_"
TYPES = frozenset(
    {"BIGINT", "BLOB", "BOOLEAN", "DOUBLE", "INTEGER", "INTEGER[]", "TIMESTAMP WITH TIME ZONE", "VARCHAR", "VARCHAR[]",
     'STRUCT(tag VARCHAR, "integer" BIGINT, "real" DOUBLE, "text" VARCHAR, blob BLOB)'}
)  # fmt: skip


@dataclass(frozen=True)
class TableFile:
    """A table, the number of its rows, and its Parquet file: path below the folder of the export, and SHA-256."""

    table: Table
    rows: int
    file: str
    sha256: str

    @property
    def of_source(self) -> bool:
        """Whether it holds rows of an ingested database, in a schema src_<db_id>."""
        return self.table.schema.startswith(SOURCE_PREFIX)


@dataclass(frozen=True)
class Manifest:
    """All tables of a lake of one schema version."""

    schema_version: int
    tables: tuple[TableFile, ...]


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write `manifest.json` of an export: same tables, same bytes."""
    entries = [
        {
            "schema": entry.table.schema, "name": entry.table.name, "comment": entry.table.comment,
            "columns": [{"name": name, "type": kind} for name, kind in entry.table.columns],
            "rows": entry.rows, "file": entry.file, "sha256": entry.sha256,
        }
        for entry in manifest.tables
    ]  # fmt: skip
    body = {"format": FORMAT, "schema_version": manifest.schema_version, "tables": entries}
    text = json.dumps(body, ensure_ascii=False, indent=1) + "\n"
    (folder / NAME).write_text(text, encoding="utf-8", newline="\n")


def read_manifest(folder: Path) -> Manifest:
    """Read and check the manifest of an export that anyone may have written.

    Raises BenchlakeError, naming the part, for one that is not sound, of a newer benchlake, or with names, types or
    file paths that no export has.
    """
    path = regular_file(folder, NAME)
    if path.stat().st_size > MAX_BYTES:
        raise BenchlakeError(f"{shown(path)} is larger than {MAX_BYTES >> 20} MiB: no manifest of benchlake")
    try:
        body = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise BenchlakeError(f"{shown(path)} is not JSON: {error}") from error
    where = shown(path)
    form = _whole(_member(body, "format", where), f"{where}: format")
    version = _whole(_member(body, "schema_version", where), f"{where}: schema_version")
    if form > FORMAT or version > migrate.latest_version():
        raise BenchlakeError(f"{where} is of a newer benchlake: upgrade benchlake")
    if form != FORMAT or version < 1:
        raise BenchlakeError(f"{where}: benchlake never wrote format {form}, schema version {version}")
    listed = _member(body, "tables", where)
    if not isinstance(listed, list):
        raise BenchlakeError(f"{where}: tables is not a list")
    entries = tuple(_entry(item, f"{where}: table {number}") for number, item in enumerate(listed))
    _no_double([entry.file for entry in entries], where)
    _no_double([f"{entry.table.schema}.{entry.table.name}".casefold() for entry in entries], where)
    return Manifest(version, entries)


def regular_file(folder: Path, relative: str) -> Path:
    """The path of a file below a folder. Raises BenchlakeError when it is absent, or anything on the way is a link."""
    path = folder
    for part in Path(relative).parts:
        path /= part
        mode = path.lstat().st_mode if path.is_symlink() or path.exists() else 0
        if not mode:
            raise BenchlakeError(f"{shown(path)} is not there: no complete export of benchlake")
        if stat.S_ISLNK(mode):
            raise BenchlakeError(f"{shown(path)} is a link: an export has none")
    if not stat.S_ISREG(mode):
        raise BenchlakeError(f"{shown(path)} is not a file")
    return path


def _entry(item: object, where: str) -> TableFile:
    schema, name = (_name(_member(item, key, where), f"{where}: {key}") for key in ("schema", "name"))
    comment = _member(item, "comment", where)
    if comment is not None:
        comment = _text(comment, f"{where}: comment")
    columns = _member(item, "columns", where)
    if not isinstance(columns, list) or not columns:
        raise BenchlakeError(f"{where}: columns is not a list of columns")
    named = [
        (_name(_member(column, "name", where), f"{where}: column"), _member(column, "type", where))
        for column in columns
    ]
    for column, kind in named:
        if not isinstance(kind, str) or kind not in TYPES:
            raise BenchlakeError(
                f"{where}: column {shown(column)} has the type {shown(str(kind)):.100}, which no lake has"
            )
    _no_double([column.casefold() for column, _ in named], where)
    rows = _whole(_member(item, "rows", where), f"{where}: rows")
    file, digest = _member(item, "file", where), _member(item, "sha256", where)
    if not isinstance(file, str) or not re.fullmatch(r"tables/[0-9]{4,9}\.parquet", file):
        raise BenchlakeError(f"{where}: file {shown(str(file)):.100} is not of the form tables/0000.parquet")
    if not isinstance(digest, str) or not re.fullmatch("[0-9a-f]{64}", digest):
        raise BenchlakeError(f"{where}: sha256 is not 64 hex digits")
    return TableFile(Table(schema, name, comment, tuple(named)), rows, file, digest)


def _member(item: object, key: str, where: str) -> Any:
    if not isinstance(item, dict) or key not in item:
        raise BenchlakeError(f"{where}: {key} is missing")
    return item[key]


def _text(value: object, where: str) -> str:
    """Text that DuckDB takes in a statement."""
    if not isinstance(value, str) or any(c == "\0" or "\ud800" <= c <= "\udfff" for c in value):
        raise BenchlakeError(f"{where} is not a text of Unicode characters other than NUL")
    return value


def _name(value: object, where: str) -> str:
    name = _text(value, where)
    if not 0 < len(name) <= MAX_NAME:
        raise BenchlakeError(f"{where} does not have 1 to {MAX_NAME} characters")
    return name


def _whole(value: object, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise BenchlakeError(f"{where} is not a number of 0 or more")
    return value


def _no_double(names: Iterable[str], where: str) -> None:
    seen = set()
    for name in names:
        if name in seen:
            raise BenchlakeError(f"{where}: {shown(name)} comes twice")
        seen.add(name)
