"""Ingest of a SQLite database: schema, rows, keys as integer edges, and the file itself as an artifact."""

import sqlite3
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from warehouse.errors import BenchlakeError
from warehouse.ids import content_id, qualified, quote
from warehouse.key_edges import NO_EDGES, Edges, TooManyPairs, key_edges, key_query
from warehouse.lake import Lake, append
from warehouse.shown import shown
from warehouse.sqlite_checks import checks
from warehouse.sqlite_file import bound_computed, check_pages, copy_checked, open_immutable
from warehouse.sqlite_rows import MAX_COLUMNS, Profile, arrow_schema, batches, larger_than_limit, profile
from warehouse.sqlite_schema import ForeignKey, Schema, Table, ascii_lower, inspect, resolve_foreign_key

# DuckLake names its folders after schema and table; a file system takes 255 bytes.
MAX_NAME = 200

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class SuppliedKey:
    """An undeclared foreign key that the user or the question set supplies.

    `hint`: it comes from a question set, which cannot express composite keys. It is taken where the parent's column is
    a key of its own, and passed over elsewhere; one that a user supplies must fit.
    """

    child_table: str
    child_columns: tuple[str, ...]
    parent_table: str
    parent_columns: tuple[str, ...]
    hint: bool = False


@dataclass(frozen=True)
class IngestedDb:
    """What an ingest of one database did; `new` is False when it was there already."""

    db: str
    db_id: str
    tables: int
    rows: int
    refused: tuple[tuple[str, str], ...]
    new: bool


def ingest_database(
    lake: Lake,
    path: Path,
    corpus: str,
    supplied: Sequence[SuppliedKey] = (),
    progress: Progress | None = None,
    db_id: str | None = None,
) -> IngestedDb:
    """Ingest one SQLite file into a corpus, in one commit.

    Every value keeps its storage class (pipeline.md, Ingest); tables that cannot be kept (virtual ones and their
    shadows) are refused by name. Doing it again changes nothing; supplied keys that are new are added.
    Raises BenchlakeError for a file that is not a sound SQLite database at rest, and when the corpus already holds
    another database of that name.
    """
    name = db_id or path.stem
    if not name or len(name) > 500 or any(unicodedata.category(c) in ("Cc", "Cs") for c in name):
        raise BenchlakeError(f"{shown(path):.500}: the file name does not make a database name")
    db = content_id("db", corpus=corpus, db_id=name)
    with lake.at_work():
        with lake.artifacts.scratch() as folder:
            staged = Path(folder) / "source.sqlite"
            copy_checked(path, staged)
            source = open_immutable(staged)
            try:
                schema, keys = _read(source, supplied, path)
            finally:
                source.close()
            digest = lake.artifacts.put_file(staged, move=True)
        source = open_immutable(lake.artifacts.path(digest))
        try:
            with _readable(path, source, schema):
                if schema.computes:
                    bound_computed(source)
                work = _Work(lake, source, schema, corpus, name, db, digest, keys, progress)
                if not lake.rows("SELECT 1 FROM source.db WHERE db = ?", [db]):
                    work.survey()
                return work.commit()
        finally:
            source.close()


def _read(source: sqlite3.Connection, supplied: Sequence[SuppliedKey], path: Path) -> tuple[Schema, list[ForeignKey]]:
    """Schema and foreign keys of a database whose every page is sound. Raises BenchlakeError."""
    with _readable(path):
        schema = inspect(source)
    with _readable(path, source, schema):
        if schema.computes:
            bound_computed(source)
        check_pages(source, shown(path))
        keys, problems = _keys(schema, supplied, path)
    if problems:
        raise BenchlakeError(problems[0])
    return schema, keys


@contextmanager
def _readable(path: Path, source: sqlite3.Connection | None = None, schema: Schema | None = None) -> Iterator[None]:
    """One clear line for whatever a database from outside makes the engines say."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if "too big" in str(error) and source is not None and schema is not None:
            raise _too_large(path, source, schema) from error
        # SQLite's own words are a UnicodeDecodeError where they quote what is not UTF-8.
        raise BenchlakeError(f"{shown(path)}: cannot be read ({shown(str(error))})") from error
    except MemoryError as error:
        raise BenchlakeError(f"{shown(path)}: cannot be read (SQLite needs too much memory for it)") from error
    except (duckdb.Error, pa.ArrowException, UnicodeEncodeError) as error:
        first = str(error).splitlines()[0]
        raise BenchlakeError(f"{shown(path)}: cannot be kept in the lake ({shown(first)})") from error


def _too_large(path: Path, source: sqlite3.Connection, schema: Schema) -> BenchlakeError:
    limit = source.getlimit(sqlite3.SQLITE_LIMIT_LENGTH)
    place = larger_than_limit(source, schema) or "a row, or an entry of an index"
    why = " in a database with generated columns or indexes on expressions" if schema.computes else ""
    return BenchlakeError(f"{shown(path)}: {shown(place)}: a value larger than {limit >> 20} MiB, the limit{why}")


def _keys(schema: Schema, supplied: Sequence[SuppliedKey], path: Path) -> tuple[list[ForeignKey], list[str]]:
    """Declared and supplied foreign keys; supplied ones must name tables and columns that exist."""
    keys = [key for table in schema.tables for key in table.foreign_keys]
    known = {(ascii_lower(k.table), k.columns, ascii_lower(k.ref_table), k.ref_columns) for k in keys}
    problems = []
    for number, item in enumerate(supplied):
        table = schema.table(item.child_table)
        if table is None:
            if item.hint:
                continue
            problems.append(
                f"{shown(path)}: a supplied relation names the table {item.child_table!r}, which it does not have"
            )
            continue
        key = resolve_foreign_key(
            table, schema.by_name, 10_000 + number, item.child_columns, item.parent_table,
            list(item.parent_columns), "supplied",
        )  # fmt: skip
        if key.problem is not None and item.hint:
            continue
        if key.problem not in (None, "parent_not_unique"):
            problems.append(
                f"{shown(path)}: the supplied relation {item.child_table}({', '.join(item.child_columns)}) -> "
                f"{item.parent_table}({', '.join(item.parent_columns)}) cannot be bound: {key.problem}"
            )
            continue
        identity = (ascii_lower(key.table), key.columns, ascii_lower(key.ref_table), key.ref_columns)
        if identity not in known:
            known.add(identity)
            keys.append(key)
    return keys, problems


class _SchemaTaken(Exception):
    """The schema made for a database belongs to another one by now."""


@dataclass
class _Work:
    """The one transaction that brings a database into the lake."""

    lake: Lake
    source: sqlite3.Connection
    schema: Schema
    corpus: str
    db_id: str
    db: str
    digest: str
    keys: list[ForeignKey]
    progress: Progress | None
    surveyed: dict[str, tuple[int, list[Profile]]] = field(default_factory=dict)
    fresh: bool = False
    prepared: str | None = None

    def survey(self) -> None:
        """Profile every table and try every key, so that a database that cannot be read leaves the lake as it is."""
        self.fresh = True
        for table in self.schema.tables:
            if not _refusal(table):
                self.surveyed[table.name] = profile(self.source, table)
        for key in self.keys:
            query = key_query(self.schema, key)
            if query is not None:
                self.source.execute(f"EXPLAIN {query}").fetchall()

    def commit(self) -> IngestedDb:
        """Make the schema for the database's tables, unless they are there, and bring it in."""
        while True:
            if self.fresh:
                self.lake.commit("ingest", self._make_schema)
                self.lake.commit("ingest", self._keep_out_of_catalog)
            try:
                return self.lake.commit("ingest", self)
            except _SchemaTaken:
                # A database of that name has come into another corpus meanwhile: ours needs a schema of its own.
                continue

    def _make_schema(self, cursor: duckdb.DuckDBPyConnection) -> tuple[None, dict[str, Any] | None]:
        if self._there(cursor) is not None:
            return None, None
        self.prepared = self._schema_name(cursor)
        cursor.execute(f"CREATE SCHEMA IF NOT EXISTS {quote(self.prepared)}")
        return None, {"action": "schema", "corpus": self.corpus, "db_id": self.db_id}

    def _keep_out_of_catalog(self, cursor: duckdb.DuckDBPyConnection) -> tuple[None, dict[str, Any] | None]:
        if self.prepared is None:
            return None, None
        # DuckLake keeps small inserts in the catalog, where a REAL inside a STRUCT does not survive (seen with -0.0)
        # and where names such as row_id are reserved. The option that prevents it needs a schema already committed.
        cursor.execute("CALL lake.set_option('data_inlining_row_limit', 0, schema => ?)", [self.prepared])
        return None, {"action": "option", "corpus": self.corpus, "db_id": self.db_id}

    def _there(self, cursor: duckdb.DuckDBPyConnection) -> tuple[str, int, int] | None:
        return cursor.execute(
            "SELECT artifact, table_count, row_count FROM source.db WHERE db = ?", [self.db]
        ).fetchone()

    def __call__(self, cursor: duckdb.DuckDBPyConnection) -> tuple[IngestedDb, dict[str, Any] | None]:
        there = self._there(cursor)
        if there is not None:
            return self._again(cursor, *there)
        lake_schema = self._schema_name(cursor)
        if lake_schema != self.prepared:
            raise _SchemaTaken
        refused: list[tuple[str, str]] = []
        tables: list[dict[str, object]] = []
        columns: list[dict[str, object]] = []
        names: set[str] = set()
        for number, table in enumerate(self.schema.tables):
            if self.progress:
                self.progress(table.name, number, len(self.schema.tables))
            reason = _refusal(table)
            if reason:
                refused.append((table.name, reason))
                tables.append(self._table_row(table, None, 0, (None, None), reason))
                continue
            lake_name = free_name(table.name, names, f"table_{number}")
            count, profiles = self.surveyed[table.name]
            span = self._copy_rows(cursor, lake_schema, lake_name, table, profiles, columns)
            tables.append(self._table_row(table, lake_name, count, span, None))
        row_count = sum(int(str(row["row_count"])) for row in tables)
        append(cursor, "source.db_table", tables)
        append(cursor, "source.db_column", columns)
        append(cursor, "source.definition", [
            {"db": self.db, "kind": d.kind, "name": d.name, "table_name": d.table, "position": d.position, "sql": d.sql}
            for d in (*self.schema.definitions, *(c for table in self.schema.tables for c in checks(table)))
        ])  # fmt: skip
        self._add_keys(cursor, self.keys, with_indexes=True)
        append(cursor, "source.db", [{
            "db": self.db, "corpus": self.corpus, "db_id": self.db_id, "schema_name": lake_schema,
            "artifact": self.digest, "bytes": self.lake.artifacts.path(self.digest).stat().st_size,
            "encoding": self.schema.encoding, "user_version": self.schema.user_version,
            "table_count": len(names), "row_count": row_count,
        }])  # fmt: skip
        done = IngestedDb(self.db, self.db_id, len(names), row_count, tuple(refused), True)
        return done, {"action": "database", "corpus": self.corpus, "db_id": self.db_id, "artifact": self.digest}

    def _again(
        self, cursor: duckdb.DuckDBPyConnection, artifact: str, table_count: int, row_count: int
    ) -> tuple[IngestedDb, dict[str, Any] | None]:
        if artifact != self.digest:
            raise BenchlakeError(
                f"corpus {self.corpus!r} already holds a database {self.db_id!r} with other content: "
                f"name another corpus, or another file"
            )
        known = {row[0] for row in cursor.execute("SELECT key FROM source.db_key WHERE db = ?", [self.db]).fetchall()}
        fresh = [key for key in self.keys if key_id(self.db, key) not in known]
        self._add_keys(cursor, fresh, with_indexes=False)
        refused = cursor.execute(
            "SELECT table_name, refused FROM source.db_table WHERE db = ? AND refused IS NOT NULL ORDER BY position",
            [self.db],
        ).fetchall()
        done = IngestedDb(self.db, self.db_id, table_count, row_count, tuple(refused), bool(fresh))
        detail = {"action": "keys", "corpus": self.corpus, "db_id": self.db_id, "keys": len(fresh)}
        return done, detail if fresh else None

    def _schema_name(self, cursor: duckdb.DuckDBPyConnection) -> str:
        taken = {row[0].casefold() for row in cursor.execute("SELECT schema_name FROM source.db").fetchall()}
        return free_name(f"src_{self.db_id}", taken, f"src_{self.db}")

    def _copy_rows(
        self,
        cursor: duckdb.DuckDBPyConnection,
        lake_schema: str,
        lake_name: str,
        table: Table,
        profiles: list[Profile],
        columns: list[dict[str, object]],
    ) -> tuple[int | None, int | None]:
        """Create and fill one lake table; returns its smallest and largest _rowid."""
        taken = {"_rowid"}
        names = [free_name(p.column.name, taken, f"column_{p.column.position}") for p in profiles]
        target = qualified(lake_schema, lake_name)
        cursor.register("source_rows", arrow_schema(profiles, names).empty_table())
        try:
            cursor.execute(f"CREATE TABLE {target} AS SELECT * FROM source_rows")
            cursor.unregister("source_rows")
            cursor.register("source_rows", batches(self.source, table, profiles, names))
            cursor.execute(f"INSERT INTO {target} SELECT * FROM source_rows")
        finally:
            cursor.unregister("source_rows")
        comment = f"Rows of table {table.name} of database {self.db_id}. Grain: (_rowid)".replace("'", "''")
        cursor.execute(f"COMMENT ON TABLE {target} IS '{comment}'")
        columns += [
            {
                "db": self.db, "table_name": table.name, "position": p.column.position, "column_name": p.column.name,
                "lake_column": lake_column, "declared_type": p.column.declared_type, "not_null": p.column.not_null,
                "default_sql": p.column.default_sql, "generated": p.column.generated,
                "key_position": p.column.key_position, "storage": p.storage,
                **{f"{name}_count": count for name, count in p.counts.items()}, "invalid_text_count": p.invalid_text,
            }
            for p, lake_column in zip(profiles, names, strict=True)
        ]  # fmt: skip
        span = cursor.execute(f"SELECT min(_rowid), max(_rowid) FROM {target}").fetchone()
        return span if span else (None, None)

    def _table_row(
        self, table: Table, lake_name: str | None, count: int, span: tuple[int | None, int | None], refused: str | None
    ) -> dict[str, object]:
        return {
            "db": self.db, "table_name": table.name, "position": table.position, "kind": table.kind,
            "lake_table": lake_name, "row_count": count, "first_rowid": span[0], "last_rowid": span[1],
            "rowid_alias": table.rowid_alias, "without_rowid": table.without_rowid, "strict": table.strict,
            "definition": table.sql, "refused": refused,
        }  # fmt: skip

    def _add_keys(self, cursor: duckdb.DuckDBPyConnection, keys: list[ForeignKey], *, with_indexes: bool) -> None:
        rows: list[dict[str, object]] = []
        if with_indexes:
            rows += [
                {
                    "key": content_id(
                        "key", db=self.db, table=table.name, kind=index.kind, name=index.name, columns=index.columns
                    ),
                    "db": self.db, "table_name": table.name, "position": index.position, "kind": index.kind,
                    "name": index.name, "columns": list(index.columns), "origin": "declared",
                }
                for table in self.schema.tables
                for index in table.indexes
            ]  # fmt: skip
        for key in keys:
            identity = key_id(self.db, key)
            problem = key.problem
            try:
                edges = key_edges(self.source, self.schema, key)
            except TooManyPairs:
                edges, problem = NO_EDGES, "too_many_pairs"
            _append_edges(cursor, self.db, identity, edges)
            rows.append({
                "key": identity, "db": self.db, "table_name": key.table, "position": key.position, "kind": "foreign",
                "columns": list(key.columns), "ref_table": key.ref_table, "ref_columns": list(key.ref_columns),
                "origin": key.origin, "edges": len(edges.pairs), "violations": len(edges.violations),
                "problem": problem,
            })  # fmt: skip
        append(cursor, "source.db_key", rows)


def key_id(db: str, key: ForeignKey) -> str:
    """Content id of a foreign key: the position tells two declarations of the same columns apart."""
    return content_id(
        "key", db=db, table=key.table, kind="foreign", position=key.position if key.origin == "declared" else None,
        columns=key.columns, ref_table=key.ref_table, ref_columns=key.ref_columns,
    )  # fmt: skip


def free_name(name: str, taken: set[str], fallback: str) -> str:
    """A name the lake can hold that no other in `taken` equals, ignoring case; `taken` gets it.

    Names stay as they are unless empty, too long for a folder, or taken.
    """
    wanted = (
        name
        if name and len(name) <= MAX_NAME
        else (name[: MAX_NAME - 20] + "_" + content_id("name", name=name) if name else fallback)
    )
    free, number = wanted, 0
    while free.casefold() in taken:
        number += 1
        free = f"{wanted}_{number}"
    taken.add(free.casefold())
    return free


def _refusal(table: Table) -> str | None:
    if table.kind in ("virtual", "shadow"):
        return f"{table.kind}_table"
    return "too_many_columns" if len(table.columns) > MAX_COLUMNS else None


def _append_edges(cursor: duckdb.DuckDBPyConnection, db: str, key: str, edges: Edges) -> None:
    for table, columns, values in (
        ("source.key_edge", ("child_rowid", "parent_rowid"), edges.pairs),
        ("source.key_violation", ("child_rowid",), edges.violations),
    ):
        if len(values):
            cursor.register("edges_to_append", values)
            cursor.execute(
                f"INSERT INTO {table} SELECT ?, ?, {', '.join(columns)} FROM edges_to_append ORDER BY ALL", [db, key]
            )
            cursor.unregister("edges_to_append")
