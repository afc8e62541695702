"""A whole lake as plain Parquet and files, and back: the way out of DuckLake, and into a new lake."""

import hashlib
import re
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from warehouse import manifest
from warehouse.artifacts import ArtifactStore, file_digest
from warehouse.errors import BenchlakeError
from warehouse.ids import quote
from warehouse.inventory import Table, one_snapshot, tables
from warehouse.lake import Lake, lake_root
from warehouse.manifest import Manifest, TableFile, regular_file
from warehouse.migrate import stored_version
from warehouse.queries import query
from warehouse.shown import shown

ROWS_A_BATCH = 50_000
# What a new lake says of itself.
OF_THE_LAKE = frozenset({("ledger", "schema_version"), ("ledger", "setting")})


@dataclass(frozen=True)
class ExchangeReport:
    """What was written: tables and their rows, artifacts, and the bytes of the files of both in the export."""

    tables: int
    rows: int
    artifacts: int
    bytes: int


def export_lake(lake: Lake, target: Path) -> ExchangeReport:
    """Write a lake, as of one moment, into an absent or empty folder.

    `manifest.json` lists the tables; `tables/NNNN.parquet` has the rows of each, sorted; `artifacts/` the files that
    rows refer to, by SHA-256 as in the lake. The same content gives the same bytes, but for ledger.event. The folder
    appears when it is complete. Raises BenchlakeError when it is not empty, or a file that rows refer to is gone.
    """
    _check_target(target)
    if target.resolve().is_relative_to(lake.path.resolve()):
        raise BenchlakeError(f"{shown(target)} is in the lake itself: name a folder outside of it")
    with _appearing(target) as folder, lake.at_work(), one_snapshot(lake) as cursor:
        references = cursor.execute(query("integrity/artifact_reference")).fetchall()
        written = [_copy_artifact(lake.artifacts, folder, digest, place) for digest, place in references]
        (folder / "tables").mkdir()
        entries = [_write_table(cursor, table, folder, number) for number, table in enumerate(tables(cursor))]
        manifest.write_manifest(folder, Manifest(stored_version(cursor), tuple(entries)))
        return _report(folder, entries, written)


def import_lake(source: Path, target: Path) -> ExchangeReport:
    """Make a lake in an absent or empty folder from an export, which may come from anyone.

    Every file is checked against its SHA-256, and every table against the schema version that the export names; one of
    an older version is then brought to the present schema. Events come as they are; the new lake goes on in a chain of
    its own. The lake appears when it is complete. Raises BenchlakeError, and leaves nothing behind, when the export is
    damaged, incomplete, of a newer benchlake or not one of ours.
    """
    _check_target(lake_root(target))
    listed = manifest.read_manifest(source)
    try:
        with _appearing(target) as folder:
            with Lake.create(folder, version=listed.schema_version) as lake:
                _fill(lake, source, listed)
            with Lake.open(folder) as lake:
                taken = _take_artifacts(lake, source)
                lake.maintain(lambda cursor: _settle_in(cursor, target.absolute()))
            return _report(source, listed.tables, taken)
    except (duckdb.Error, pa.ArrowException) as error:
        raise BenchlakeError(f"{shown(source)} cannot be imported: {shown(str(error).splitlines()[0])}") from error


def _check_target(target: Path) -> None:
    if target.is_symlink() or (target.exists() and not (target.is_dir() and not any(target.iterdir()))):
        raise BenchlakeError(f"{shown(target)} is not an empty folder: name an empty or a new one")
    if any("\ud800" <= c <= "\udfff" for c in str(target.absolute())):
        raise BenchlakeError(f"{shown(target)}: the path must be UTF-8")


@contextmanager
def _appearing(target: Path) -> Iterator[Path]:
    """A folder that becomes `target` when all has gone well, and else is removed."""
    near = target.absolute().parent
    while not near.exists():
        near = near.parent
    folder = near / f".benchlake-{secrets.token_hex(8)}"
    folder.mkdir()
    try:
        yield folder
        target.parent.mkdir(parents=True, exist_ok=True)
        folder.replace(target)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _write_table(cursor: duckdb.DuckDBPyConnection, table: Table, folder: Path, number: int) -> TableFile:
    file = f"tables/{number:04}.parquet"
    path = folder / file
    # Sorting by the row id alone is enough for a source table, and lighter where it has many columns.
    order = quote("_rowid") if table.columns[0][0] == "_rowid" else "ALL"
    place = str(path).replace("'", "''")
    copied = cursor.execute(
        f"COPY (SELECT * FROM {table.sql} ORDER BY {order}) TO '{place}' (FORMAT parquet, COMPRESSION zstd)"
    ).fetchone()
    return TableFile(table, int(copied[0]) if copied else 0, file, file_digest(path))


def _copy_artifact(store: ArtifactStore, folder: Path, digest: str, place: str) -> Path:
    found = store.path(digest)
    if not re.fullmatch("[0-9a-f]{64}", digest) or not found.is_file():
        raise BenchlakeError(f"{place} refers to the artifact {shown(digest):.80}, which is gone: see benchlake doctor")
    copy = ArtifactStore(folder / "artifacts").path(digest)
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(found, copy)
    if file_digest(copy) != digest:
        raise BenchlakeError(f"the artifact {digest} ({place}) is damaged: see benchlake doctor")
    return copy


def _fill(lake: Lake, source: Path, listed: Manifest) -> None:
    """Make schemas, then tables with their rows."""
    schemas = sorted({entry.table.schema for entry in listed.tables if entry.of_source})

    def make_schemas(cursor: duckdb.DuckDBPyConnection) -> tuple[None, dict[str, Any] | None]:
        for schema in schemas:
            cursor.execute(f"CREATE SCHEMA {quote(schema)}")
        return None, {"action": "schemas", "schemas": len(schemas)} if schemas else None

    def keep_out_of_catalog(cursor: duckdb.DuckDBPyConnection) -> tuple[None, dict[str, Any] | None]:
        # As ingest does, and for its reasons (ingest_db.py).
        for schema in schemas:
            cursor.execute("CALL lake.set_option('data_inlining_row_limit', 0, schema => ?)", [schema])
        return None, {"action": "options", "schemas": len(schemas)} if schemas else None

    def take_tables(cursor: duckdb.DuckDBPyConnection) -> tuple[None, dict[str, Any]]:
        _check_tables(cursor, source, listed)
        for entry in listed.tables:
            _take_table(cursor, source, entry)
        _check_schemas(cursor, source, schemas)
        rows = sum(entry.rows for entry in listed.tables)
        return None, {
            "action": "tables", "schema_version": listed.schema_version, "tables": len(listed.tables), "rows": rows,
            "manifest": hashlib.sha256((source / manifest.NAME).read_bytes()).hexdigest(),
        }  # fmt: skip

    lake.commit("import", make_schemas)
    lake.commit("import", keep_out_of_catalog)
    lake.commit("import", take_tables)


def _check_tables(cursor: duckdb.DuckDBPyConnection, source: Path, listed: Manifest) -> None:
    """Beside those of sources, the export has exactly the tables of its schema version."""
    wanted = {(table.schema, table.name): table.columns for table in tables(cursor)}
    given = {(e.table.schema, e.table.name): e.table.columns for e in listed.tables if not e.of_source}
    for schema, name in sorted(wanted.keys() | given.keys()):
        if wanted.get((schema, name)) != given.get((schema, name)):
            raise BenchlakeError(
                f"{shown(source)}: table {shown(schema)}.{shown(name)} is not what schema version "
                f"{listed.schema_version} has: the export is damaged or not benchlake's"
            )


def _take_table(cursor: duckdb.DuckDBPyConnection, source: Path, entry: TableFile) -> None:
    table = entry.table
    path = regular_file(source, entry.file)
    if file_digest(path) != entry.sha256:
        raise BenchlakeError(f"{shown(path)} has other content than the manifest says: the export is damaged")
    if (table.schema, table.name) in OF_THE_LAKE:
        return
    if entry.of_source:
        columns = ", ".join(f"{quote(name)} {kind}" for name, kind in table.columns)
        cursor.execute(f"CREATE TABLE {table.sql} ({columns})")
        if table.comment is not None:
            comment = table.comment.replace("'", "''")
            cursor.execute(f"COMMENT ON TABLE {table.sql} IS '{comment}'")
    try:
        with pq.ParquetFile(path) as parquet:
            taken = _take_rows(cursor, parquet, table, path)
    except OSError as error:
        if error.errno is not None:
            raise
        raise BenchlakeError(f"{shown(path)} is not a sound Parquet file: {shown(str(error))}") from error
    if taken != entry.rows:
        raise BenchlakeError(f"{shown(path)} has {taken} rows, and {entry.rows} by the manifest: the export is damaged")


def _take_rows(cursor: duckdb.DuckDBPyConnection, parquet: pq.ParquetFile, table: Table, path: Path) -> int:
    cursor.register("rows_to_import", parquet.schema_arrow.empty_table())
    found = cursor.execute("DESCRIBE SELECT * FROM rows_to_import").fetchall()
    cursor.unregister("rows_to_import")
    if tuple((row[0], row[1]) for row in found) != table.columns:
        raise BenchlakeError(f"{shown(path)} does not have the columns of {shown(table.schema)}.{shown(table.name)}")
    cursor.register("rows_to_import", pa.RecordBatchReader.from_batches(parquet.schema_arrow, _batches(parquet)))
    taken = cursor.execute(f"INSERT INTO {table.sql} SELECT * FROM rows_to_import").fetchone()
    cursor.unregister("rows_to_import")
    return int(taken[0]) if taken else 0


def _batches(parquet: pq.ParquetFile) -> Iterator[pa.RecordBatch]:
    for batch in parquet.iter_batches(batch_size=ROWS_A_BATCH):
        # Text that is not UTF-8 would go through unseen.
        batch.validate(full=True)
        yield batch


def _check_schemas(cursor: duckdb.DuckDBPyConnection, source: Path, schemas: list[str]) -> None:
    """Every schema of source tables belongs to an ingested database."""
    known = {row[0] for row in cursor.execute("SELECT schema_name FROM source.db").fetchall()}
    for schema in schemas:
        if schema not in known:
            raise BenchlakeError(f"{shown(source)}: the tables of {shown(schema)} belong to no ingested database")


def _take_artifacts(lake: Lake, source: Path) -> list[Path]:
    taken = []
    for digest, place in lake.rows(query("integrity/artifact_reference")):
        if not re.fullmatch("[0-9a-f]{64}", digest):
            raise BenchlakeError(f"{shown(source)}: {place} has {shown(digest):.80}, which is no SHA-256")
        path = regular_file(source, f"artifacts/sha256/{digest[:2]}/{digest}")
        if lake.artifacts.put_file(path) != digest:
            raise BenchlakeError(f"{shown(path)} has other content than its name says: the export is damaged")
        taken.append(path)
    return taken


def _settle_in(cursor: duckdb.DuckDBPyConnection, target: Path) -> None:
    """Name the folder to which the lake moves; benchlake does not go by that, but other users of DuckLake do."""
    cursor.execute(
        "UPDATE __ducklake_metadata_lake.ducklake_metadata SET value = ? WHERE key = 'data_path'", [f"{target}/data/"]
    )


def _report(folder: Path, entries: Sequence[TableFile], artifacts: Sequence[Path]) -> ExchangeReport:
    files = [folder / entry.file for entry in entries] + list(artifacts)
    size = sum(file.stat().st_size for file in files)
    return ExchangeReport(len(entries), sum(entry.rows for entry in entries), len(artifacts), size)
