"""What a SQLite database declares: tables, columns, keys and definitions, as SQLite itself reports them."""

import sqlite3
from dataclasses import dataclass, field

import sqlglot
from sqlglot import exp

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
    """A primary key, unique key or index; a column of None is an expression."""

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

    def table(self, name: str) -> Table | None:
        """The table of that name, by SQLite's ASCII case-insensitive rule."""
        return self.by_name.get(ascii_lower(name))


def ascii_lower(name: str) -> str:
    """SQLite folds only ASCII letters in identifiers."""
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in name)


def inspect(connection: sqlite3.Connection) -> Schema:
    """Read the schema of an open database. Raises sqlite3.Error when SQLite cannot read it."""
    master = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid").fetchall()
    listed = {
        ascii_lower(name): (kind, bool(without_rowid), bool(strict))
        for name, kind, without_rowid, strict in connection.execute(
            "SELECT name, type, wr, strict FROM pragma_table_list WHERE schema = 'main'"
        )
    }
    tables: list[Table] = []
    for _, name, _, sql in (row for row in master if row[0] == "table"):
        if name.startswith("sqlite_"):
            continue
        kind, without_rowid, strict = listed.get(ascii_lower(name), ("table", False, False))
        tables.append(_table(connection, len(tables), name, kind, sql or "", without_rowid, strict))
    by_name = {ascii_lower(table.name): table for table in tables}
    tables = [_with_foreign_keys(connection, table, by_name) for table in tables]
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


def _table(
    connection: sqlite3.Connection, position: int, name: str, kind: str, sql: str, without_rowid: bool, strict: bool
) -> Table:
    if kind == "virtual":
        return Table(name, position, kind, sql, False, False, (), None)
    columns = tuple(
        Column(column, number, declared or "", bool(not_null), default, key, {2: "virtual", 3: "stored"}.get(hidden))
        for number, (column, declared, not_null, default, key, hidden) in enumerate(
            connection.execute(
                'SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?)', [name]
            )
        )
    )
    taken = {ascii_lower(column.name) for column in columns}
    alias = None if without_rowid else next((n for n in ROWID_NAMES if n not in taken), None)
    table = Table(name, position, kind, sql, without_rowid, strict, columns, alias)
    return Table(name, position, kind, sql, without_rowid, strict, columns, alias, _indexes(connection, table))


def _indexes(connection: sqlite3.Connection, table: Table) -> tuple[Index, ...]:
    found = [Index(0, "primary", None, table.primary_key)] if table.primary_key else []
    listed = connection.execute(
        'SELECT name, "unique", origin FROM pragma_index_list(?) ORDER BY seq DESC', [table.name]
    ).fetchall()
    for name, unique, origin in listed:
        if origin == "pk":
            continue
        columns = tuple(
            row[0]
            for row in connection.execute("SELECT name FROM pragma_index_xinfo(?) WHERE key = 1 ORDER BY seqno", [name])
        )
        kind = "unique" if unique else "index"
        found.append(Index(len(found), kind, name, columns))
    return tuple(found)


def _with_foreign_keys(connection: sqlite3.Connection, table: Table, by_name: dict[str, Table]) -> Table:
    if table.kind == "virtual":
        return table
    rows = connection.execute(
        'SELECT id, seq, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq', [table.name]
    ).fetchall()
    keys = []
    for position in dict.fromkeys(row[0] for row in rows):
        parts = [row for row in rows if row[0] == position]
        target = [part[4] for part in parts]
        columns = tuple(str(part[3]) for part in parts)
        keys.append(resolve_foreign_key(table, by_name, position, columns, str(parts[0][2]), target))
    return Table(
        table.name, table.position, table.kind, table.sql, table.without_rowid, table.strict, table.columns,
        table.rowid_alias, table.indexes, tuple(keys),
    )  # fmt: skip


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
    wanted = {ascii_lower(name) for name in columns}
    return any(
        index.kind in ("primary", "unique") and {ascii_lower(c) for c in index.columns if c is not None} == wanted
        for index in table.indexes
    )


def checks(table: Table) -> list[Definition]:
    """CHECK expressions of a table; none when sqlglot cannot read its definition (the definition itself is kept)."""
    if "check" not in table.sql.lower():
        return []
    try:
        tree = sqlglot.parse_one(table.sql, dialect="sqlite")
    except (sqlglot.errors.SqlglotError, RecursionError):
        return []
    found = [node.this for node in tree.find_all(exp.CheckColumnConstraint)]
    return [
        Definition("check", f"{table.name}:{number}", table.name, number, check.sql(dialect="sqlite"))
        for number, check in enumerate(found)
    ]


def rowid_source(table: Table, database: str = "main") -> tuple[str, str]:
    """SQL for (the table with its row id, the row id's expression) in SQLite.

    The id is SQLite's rowid; for a table without a readable one it is the ordinal in key order, from 1.
    """
    place = f"{database}.{quote(table.name)}"
    if table.rowid_alias is not None:
        return place, table.rowid_alias
    taken = {ascii_lower(column.name) for column in table.columns}
    name = next(n for n in (f"ordinal{i}" for i in range(len(taken) + 1)) if n not in taken)
    order = f"ORDER BY {', '.join(quote(c) for c in table.primary_key)}" if table.without_rowid else ""
    return f"(SELECT *, row_number() OVER ({order}) AS {name} FROM {place})", name
