"""What a SQLite database declares: tables, columns, keys and definitions, as SQLite itself reports them."""

import sqlite3
from dataclasses import dataclass, field, replace

from warehouse.ids import quote

ROWID_NAMES = ("rowid", "_rowid_", "oid")


@dataclass(frozen=True)
class Column:
    """One column of a table, as `PRAGMA table_xinfo` gives it; `generated` is "virtual", "stored" or None."""

    name: str
    position: int
    declared_type: str
    not_null: bool
    default_sql: str | None
    key_position: int
    generated: str | None


@dataclass(frozen=True)
class ForeignKey:
    """A foreign key: columns to referenced columns in order; `problem` says why SQLite cannot enforce it."""

    position: int
    table: str
    columns: tuple[str, ...]
    ref_table: str
    ref_columns: tuple[str, ...]
    origin: str = "declared"
    problem: str | None = None


@dataclass(frozen=True)
class Index:
    """A primary key, unique key or index; a column of None is an expression. A partial index is no unique key."""

    position: int
    kind: str
    name: str | None
    columns: tuple[str | None, ...]


@dataclass(frozen=True)
class Table:
    """One table. `rowid_alias` is the name by which its rowid can be read, None when it has none to read."""

    name: str
    position: int
    kind: str
    sql: str
    without_rowid: bool
    strict: bool
    columns: tuple[Column, ...]
    rowid_alias: str | None
    indexes: tuple[Index, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()

    @property
    def stored_columns(self) -> tuple[Column, ...]:
        """Columns that an INSERT may name: all but the generated ones."""
        return tuple(column for column in self.columns if column.generated is None)

    @property
    def primary_key(self) -> tuple[str, ...]:
        """Columns of the declared primary key, in key order."""
        keyed = sorted((c for c in self.columns if c.key_position), key=lambda c: c.key_position)
        return tuple(column.name for column in keyed)

    def column(self, name: str) -> Column | None:
        """The column of that name, by SQLite's ASCII case-insensitive rule."""
        wanted = ascii_lower(name)
        return next((column for column in self.columns if ascii_lower(column.name) == wanted), None)


@dataclass(frozen=True)
class Definition:
    """A view, trigger or explicit index, as stored; or a CHECK's expression."""

    kind: str
    name: str
    table: str
    position: int
    sql: str


@dataclass(frozen=True)
class Schema:
    """All that a database declares."""

    tables: tuple[Table, ...]
    definitions: tuple[Definition, ...]
    encoding: str
    user_version: int
    by_name: dict[str, Table] = field(default_factory=dict, repr=False, compare=False)

    @property
    def computes(self) -> bool:
        """Whether reading or copying rows computes expressions: generated columns, or indexes with expressions."""
        return any(column.generated for table in self.tables for column in table.columns) or any(
            item.kind == "index" and ("(" in item.sql.partition("(")[2] or " where " in f" {item.sql.lower()} ")
            for item in self.definitions
        )

    def has_view(self, name: str) -> bool:
        """Whether a view has that name."""
        return any(d.kind == "view" and ascii_lower(d.name) == ascii_lower(name) for d in self.definitions)

    def table(self, name: str) -> Table | None:
        """The table of that name, by SQLite's ASCII case-insensitive rule."""
        return self.by_name.get(ascii_lower(name))


def ascii_lower(name: str) -> str:
    """SQLite folds only ASCII letters in identifiers."""
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in name)


def inspect(connection: sqlite3.Connection) -> Schema:
    """Read the schema of an open database. Raises sqlite3.Error when SQLite, or UTF-8, cannot read it.

    Only PRAGMA statements are asked: a table of the database may bear the name of SQLite's table-valued functions.
    """
    master = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid").fetchall()
    for row in master:
        _refuse_unreadable(*row)
    listed = {
        ascii_lower(name): (kind, bool(without_rowid), bool(strict))
        for _, name, kind, _, without_rowid, strict in connection.execute("PRAGMA main.table_list")
    }
    tables: list[Table] = []
    for _, name, _, sql in (row for row in master if row[0] == "table"):
        if name.startswith("sqlite_"):
            continue
        kind, without_rowid, strict = listed.get(ascii_lower(name), ("table", False, False))
        tables.append(_table(connection, len(tables), name, kind, sql or "", without_rowid, strict))
    by_name = {ascii_lower(table.name): table for table in tables}
    index_sql = {name: sql for kind, name, _, sql in master if kind == "index" and sql}
    tables = [_with_foreign_keys(connection, table, by_name, index_sql) for table in tables]
    definitions = [
        Definition(kind, name, table, position, sql)
        for position, (kind, name, table, sql) in enumerate(master)
        if kind in ("view", "trigger", "index") and sql
    ]
    encoding = str(connection.execute("PRAGMA encoding").fetchone()[0])
    user_version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    return Schema(
        tuple(tables), tuple(definitions), encoding, user_version, {ascii_lower(table.name): table for table in tables}
    )


def _refuse_unreadable(kind: object, name: object, table: object, sql: object) -> None:
    texts = (kind, name, table) if sql is None else (kind, name, table, sql)
    if not all(isinstance(text, str) and "\0" not in text and is_utf8(text) for text in texts):
        raise sqlite3.DataError(f"the name or definition of a {kind!a:.20} called {name!a:.200} is not text in UTF-8")


def is_utf8(text: str) -> bool:
    """Whether a text that SQLite gave is really UTF-8: no lone surrogate stands for a stray byte."""
    return text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text)


def _table(
    connection: sqlite3.Connection, position: int, name: str, kind: str, sql: str, without_rowid: bool, strict: bool
) -> Table:
    if kind == "virtual":
        return Table(name, position, kind, sql, False, False, (), None)
    columns = tuple(
        Column(column, number, declared or "", bool(not_null), default, key, {2: "virtual", 3: "stored"}.get(hidden))
        for number, (_, column, declared, not_null, default, key, hidden) in enumerate(
            connection.execute(f"PRAGMA main.table_xinfo({quote(name)})")
        )
    )
    taken = {ascii_lower(column.name) for column in columns}
    alias = None if without_rowid else next((n for n in ROWID_NAMES if n not in taken), None)
    table = Table(name, position, kind, sql, without_rowid, strict, columns, alias)
    return replace(table, indexes=_indexes(connection, table))


def _indexes(connection: sqlite3.Connection, table: Table) -> tuple[Index, ...]:
    found = [Index(0, "primary", None, table.primary_key)] if table.primary_key else []
    listed = connection.execute(f"PRAGMA main.index_list({quote(table.name)})").fetchall()
    for _, name, unique, origin, partial in reversed(listed):
        if origin == "pk":
            continue
        columns = tuple(
            column
            for _, _, column, _, _, is_key in connection.execute(f"PRAGMA main.index_xinfo({quote(name)})")
            if is_key
        )
        found.append(Index(len(found), "unique" if unique and not partial else "index", name, columns))
    return tuple(found)


def _with_foreign_keys(
    connection: sqlite3.Connection, table: Table, by_name: dict[str, Table], index_sql: dict[str, str]
) -> Table:
    if table.kind == "virtual":
        return table
    rows = connection.execute(f"PRAGMA main.foreign_key_list({quote(table.name)})").fetchall()
    keys = []
    for position in sorted({row[0] for row in rows}):
        parts = sorted((row for row in rows if row[0] == position), key=lambda row: row[1])
        targets = [part[4] for part in parts]
        columns = tuple(str(part[3]) for part in parts)
        key = resolve_foreign_key(table, by_name, position, columns, str(parts[0][2]), targets)
        if key.problem is None and None not in targets and not _collations_fit(key, by_name, index_sql):
            key = replace(key, problem="parent_not_unique")
        keys.append(key)
    return replace(table, foreign_keys=tuple(keys))


def _collations_fit(key: ForeignKey, by_name: dict[str, Table], index_sql: dict[str, str]) -> bool:
    """Whether the parent's unique index compares as its columns do, which SQLite demands of a parent key.

    SQLite tells nobody the collation of a column, so it is asked to check such a key on an empty copy of the parent.
    """
    parent = by_name[ascii_lower(key.ref_table)]
    indexes = [index_sql[index.name] for index in parent.indexes if index.name in index_sql]
    if not any("collate" in sql.lower() for sql in (parent.sql, *indexes)):
        return True
    taken = {ascii_lower(name) for name in (parent.name, *(index.name or "" for index in parent.indexes))}
    probe = next(name for name in (f"child{number}" for number in range(len(taken) + 1)) if name not in taken)
    names = [f"c{number}" for number in range(len(key.columns))]
    targets = ", ".join(map(quote, key.ref_columns))
    copy = sqlite3.connect(":memory:")
    try:
        for sql in (parent.sql, *indexes):
            copy.execute(sql)
        columns = ", ".join(names)
        copy.execute(
            f"CREATE TABLE {probe} ({columns}, FOREIGN KEY ({columns}) REFERENCES {quote(parent.name)} ({targets}))"
        )
        copy.execute(f"PRAGMA foreign_key_check({probe})").fetchall()
    except (sqlite3.Error, sqlite3.Warning):
        return False
    finally:
        copy.close()
    return True


def resolve_foreign_key(
    table: Table,
    by_name: dict[str, Table],
    position: int,
    columns: tuple[str, ...],
    ref_table: str,
    ref_columns: list[str | None],
    origin: str = "declared",
) -> ForeignKey:
    """Bind a foreign key to real tables and columns, or name its problem.

    A missing column list means the parent's primary key. `parent_not_unique` keys can still be followed.
    """
    parent = by_name.get(ascii_lower(ref_table))
    if parent is None or parent.kind == "virtual":
        names = tuple(name or "" for name in ref_columns)
        return ForeignKey(position, table.name, columns, ref_table, names, origin, "no_such_table")
    targets = list(parent.primary_key) if all(name is None for name in ref_columns) else [n or "" for n in ref_columns]
    children = [table.column(name) for name in columns]
    parents = [parent.column(name) for name in targets]
    problem = None
    if len(targets) != len(columns):
        problem = "column_count"
    elif None in children or None in parents:
        problem = "no_such_column"
    elif not _is_unique(parent, tuple(column.name for column in parents if column)):
        problem = "parent_not_unique"
    own = tuple(column.name if column else name for column, name in zip(children, columns, strict=True))
    there = tuple(column.name if column else name for column, name in zip(parents, targets, strict=True))
    return ForeignKey(position, table.name, own, parent.name, there, origin, problem)


def _is_unique(table: Table, columns: tuple[str, ...]) -> bool:
    wanted = sorted(ascii_lower(name) for name in columns)
    return any(
        index.kind in ("primary", "unique") and sorted(ascii_lower(c or "") for c in index.columns) == wanted
        for index in table.indexes
        if None not in index.columns
    )


def rowid_source(table: Table, database: str = "main") -> tuple[str, str]:
    """SQL for (the table with its row id, the row id's expression) in SQLite.

    The id is SQLite's rowid; for a table without a readable one it is the ordinal in key order, from 1: the order of
    the primary key, or that of the rowid where columns hide all of its names.
    """
    place = f"{database}.{quote(table.name)}"
    if table.rowid_alias is not None:
        return place, table.rowid_alias
    taken = {ascii_lower(column.name) for column in table.columns}
    name = next(n for n in (f"ordinal{i}" for i in range(len(taken) + 1)) if n not in taken)
    # A scan without an index is in the order of the key, with its collations; an index that covers the table, which
    # SQLite may choose for one query and not for another, would give its own.
    return f"(SELECT *, row_number() OVER () AS {name} FROM {place} NOT INDEXED)", name
