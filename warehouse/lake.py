"""The lake on disk: a DuckLake with a SQLite catalog, Parquet data and artifacts by content."""

import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import duckdb

from warehouse import extensions, interrupt, ledger, locks, migrate
from warehouse.artifacts import ArtifactStore
from warehouse.errors import BenchlakeError
from warehouse.shown import shown

if TYPE_CHECKING:
    from ibis.backends.duckdb import Backend

T = TypeVar("T")

COMMIT_TRIES = 40
# SQLite opens paths of up to 512 bytes; those of the files in a lake are up to 100 bytes longer than the lake's.
MAX_PATH_BYTES = 400
SMALL_LAKE_BYTES = 100_000_000


class Lake:
    """An open lake. Use `Lake.open(path)` or `Lake.create(path)`, best in a `with` statement.

    `LAKE/catalog.sqlite` is the DuckLake catalog, `LAKE/data/` its Parquet, `LAKE/artifacts/` files by content
    (house.md, The lake on disk). Any number of processes may read while one commits; writers take turns.
    """

    def __init__(self, path: Path, connection: duckdb.DuckDBPyConnection, *, read_only: bool) -> None:
        self.path = path
        self.read_only = read_only
        self.artifacts = ArtifactStore(path / "artifacts")
        self._connection = connection
        self._writer = ledger.Writer()

    @classmethod
    def create(cls, path: str | Path, *, version: int | None = None) -> Self:
        """Make a lake in an absent or empty folder, or open the one that is there.

        `version` makes a new one as an older benchlake did, to be filled with what that one exported; `open` brings it
        to the present schema. What a killed `create` has left is completed. Raises BenchlakeError for a folder that
        holds other things.
        """
        root = lake_root(path)
        try:
            root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BenchlakeError(f"cannot make the lake folder {shown(root)}: {error.strerror}") from error
        with _filesystem(root):
            if not (root / "catalog.sqlite").exists() and not all(map(_is_beginning, root.iterdir())):
                raise BenchlakeError(f"{shown(root)} is neither empty nor a lake: name an empty or a new folder")
            connection = _connect(root, read_only=False, create=True)
            lake = cls(root, connection, read_only=False)
            try:
                with locks.exclusive(root / "writer.lock"):
                    lake._upgrade(version)
            except BaseException:
                lake.close()
                raise
        return lake

    @classmethod
    def open(cls, path: str | Path, *, read_only: bool = False) -> Self:
        """Open a lake; one of an older benchlake is first brought to the present schema.

        Raises BenchlakeError when the folder is not a lake or was made by a newer benchlake.
        """
        root = lake_root(path)
        if not root.is_dir():
            raise BenchlakeError(
                f"no lake at {shown(root)}: make one with benchlake ingest sqlite DB --corpus NAME --lake DIR"
            )
        if not (root / "catalog.sqlite").is_file():
            raise BenchlakeError(f"{shown(root)} is not a lake (no catalog.sqlite in it)")
        with _filesystem(root):
            lake = cls(root, _connect(root, read_only=read_only), read_only=read_only)
            if lake._is_current():
                return lake
            lake.close()
            with (
                locks.exclusive(root / "writer.lock"),
                cls(root, _connect(root, read_only=False), read_only=False) as old,
            ):
                old._upgrade()
            return cls(root, _connect(root, read_only=read_only), read_only=read_only)

    def close(self) -> None:
        """Close the connection; the lake on disk is complete at any time."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A cursor of its own on the lake: one per stream (another query on the same one ends a running stream)."""
        interrupt.check()
        cursor = self._connection.cursor()
        cursor.execute("USE lake")
        return cursor

    def sql(
        self, query: str, parameters: Sequence[object] | Mapping[str, object] | None = None
    ) -> duckdb.DuckDBPyRelation:
        """The relation of one SELECT over the lake's schemas, with `.df()`, `.to_arrow_table()`, `.fetchall()`."""
        refuse_not_utf8(query, parameters)
        return self.cursor().sql(query, params=parameters)

    def rows(self, query: str, parameters: Sequence[object] | None = None) -> list[tuple[Any, ...]]:
        """All rows of a query, for results of bounded size."""
        refuse_not_utf8(query, parameters)
        with self.cursor() as cursor:
            return cursor.execute(query, parameters).fetchall()

    def ibis(self) -> "Backend":
        """An Ibis DuckDB backend on the lake; tables are `con.table(name, database=schema)`."""
        import ibis  # late: 0.6 s of start-up that SQL users do not need

        return ibis.duckdb.from_connection(self.cursor())

    def commit(self, stage: str, work: Callable[[duckdb.DuckDBPyConnection], tuple[T, dict[str, Any] | None]]) -> T:
        """Run `work` in one transaction and append its ledger event: the only way anything is written.

        `work(cursor)` returns (result, event detail); a detail of None means that there was nothing to do, and
        nothing is committed. Writers take turns by a file lock, so what `work` reads cannot change before its commit;
        a catalog locked all the same is retried with jitter, and `work` runs again.
        """

        def transaction(cursor: duckdb.DuckDBPyConnection) -> T:
            cursor.execute("BEGIN")
            result, detail = work(cursor)
            if detail is None:
                cursor.execute("ROLLBACK")
                return result
            self._writer.append(cursor, stage, detail)
            interrupt.check()
            cursor.execute("COMMIT")
            self._writer.settle()
            return result

        return self.maintain(transaction)

    def maintain(self, work: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        """Run `work` as the only writer, outside of any transaction: for vacuum, whose calls refuse to share one.

        Retried as in `commit`; it must leave the content of every table as it is.
        """
        if self.read_only:
            raise BenchlakeError("the lake is open read-only")
        cursor = self.cursor()
        try:
            for attempt in range(COMMIT_TRIES):
                with _filesystem(self.path), locks.exclusive(self.path / "writer.lock"):
                    try:
                        return work(cursor)
                    except BaseException as error:
                        _rollback(cursor)
                        if not _is_locked(error) or attempt + 1 == COMMIT_TRIES:
                            raise
                _pause(attempt)
            raise AssertionError("the loop returns or raises")
        finally:
            cursor.close()

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Say that a stage is running, so that vacuum leaves its uncommitted files alone."""
        with _filesystem(self.path), locks.shared(self.path / "active.lock"):
            yield

    def _is_current(self) -> bool:
        """Whether schema and views are of this benchlake; closes the lake when it is none."""
        try:
            current = migrate.is_current(self._connection)
            if not current and migrate.stored_version(self._connection) == 0:
                raise BenchlakeError(
                    f"{shown(self.path)} is a DuckLake, but not a benchlake lake (where a first ingest was "
                    "interrupted, run it again)"
                )
            return current
        except duckdb.Error as error:
            self.close()
            raise _cannot_open(self.path, error) from error
        except BaseException:
            self.close()
            raise

    def _upgrade(self, version: int | None = None) -> None:
        cursor = self.cursor()
        if migrate.is_current(cursor):
            return
        cursor.execute("BEGIN")
        before = migrate.stored_version(cursor)
        migrate.apply(cursor, version)
        after = migrate.stored_version(cursor)
        self._writer.append(cursor, "lake", {"action": "upgrade", "from": before, "to": after})
        cursor.execute("COMMIT")
        self._writer.settle()


def append(cursor: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Insert rows, given as mappings from column name to value, into a lake table; absent columns become NULL.

    `table` is a name of ours (`schema.table`), never one from outside.
    """
    if not rows:
        return
    import pyarrow as pa

    schema = cursor.execute(f"SELECT * FROM {table} LIMIT 0").to_arrow_table().schema
    batch = pa.Table.from_pylist(list(rows), schema=schema)
    cursor.register("rows_to_append", batch)
    try:
        cursor.execute(f"INSERT INTO {table} BY NAME SELECT * FROM rows_to_append")
    finally:
        cursor.unregister("rows_to_append")


def lake_root(path: str | Path) -> Path:
    """The lake's folder, absolute. Raises BenchlakeError for a path that DuckLake or SQLite cannot use."""
    root = Path(path).absolute()
    if "\\" in str(root):
        raise BenchlakeError(f"{shown(root)}: the path of a lake cannot have a backslash in it")
    if len(os.fsencode(root)) > MAX_PATH_BYTES:
        raise BenchlakeError(f"{shown(root)}: the path of a lake has up to {MAX_PATH_BYTES} bytes")
    if any("\ud800" <= c <= "\udfff" for c in str(root)):
        raise BenchlakeError(f"{shown(root)}: the path of a lake must be UTF-8")
    return root


def _is_beginning(entry: Path) -> bool:
    """Whether a lake whose making was interrupted before it had a catalog may hold this."""
    if entry.name in ("data", "artifacts"):
        return entry.is_dir() and not any(entry.iterdir())
    # A catalog may appear while another process makes the lake.
    return entry.name == "writer.lock" or entry.name.startswith("catalog.sqlite")


def _connect(root: Path, *, read_only: bool, create: bool = False) -> duckdb.DuckDBPyConnection:
    """A DuckDB with the lake attached as `lake`; with `create`, also one that has no catalog yet."""
    connection = extensions.connect()
    try:
        spill = Path(tempfile.gettempdir()) / f"benchlake-spill-{os.getuid()}"
        # Not as a parameter: binding one imports pandas, which takes longer than most commands.
        connection.execute("SET temp_directory = '{}'".format(str(spill).replace("'", "''")))
        connection.execute("SET enable_progress_bar = false")
        tables = _catalog_tables(connection, root)
        fresh = create and not tables
        if not fresh and "ducklake_metadata" not in tables:
            raise BenchlakeError(f"{shown(root)} is not a lake (its catalog.sqlite is a SQLite file of something else)")
        with locks.exclusive(root / "writer.lock") if fresh else nullcontext():
            if fresh:
                (root / "data").mkdir(exist_ok=True)
                (root / "artifacts").mkdir(exist_ok=True)
            _attach(connection, root, read_only=read_only, create=fresh)
        connection.execute("USE lake")
        if _is_small(connection):
            connection.execute("SET threads = 1")
    except duckdb.Error as error:
        connection.close()
        raise _cannot_open(root, error) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _catalog_tables(connection: duckdb.DuckDBPyConnection, root: Path) -> set[str]:
    """Names of the tables in the catalog; none when it is absent, or empty as an interrupted `create` leaves it."""
    if not (root / "catalog.sqlite").exists():
        return set()
    # Before DuckLake sees the file: it would make its tables in any SQLite file, or change its journal mode. Through
    # DuckDB's own SQLite: a second one in the process, or closing the file by other means, would drop the locks that
    # an open lake of this process holds on it (sqlite.org/howtocorrupt.html, 2.2).
    catalog = str(root / "catalog.sqlite").replace("'", "''")
    found: list[tuple[str]] = []

    def look() -> None:
        connection.execute(f"ATTACH IF NOT EXISTS '{catalog}' AS probe (TYPE sqlite, READ_ONLY)")
        names = "SELECT table_name FROM duckdb_tables() WHERE database_name = 'probe'"
        found[:] = connection.execute(names).fetchall()
        connection.execute("DETACH probe")

    try:
        _patiently(look)
    except duckdb.Error as error:
        if "file is not a database" in str(error):
            message = f"{shown(root / 'catalog.sqlite')} is not a SQLite file: the lake's catalog is damaged"
            raise BenchlakeError(message) from error
        raise
    return {row[0] for row in found}


def _attach(connection: duckdb.DuckDBPyConnection, root: Path, *, read_only: bool, create: bool) -> None:
    catalog = str(root / "catalog.sqlite").replace("'", "''")
    data = str(root / "data").replace("'", "''")
    # WAL: with SQLite's default journal one open reader blocks writers (house.md). The data path is overridden
    # so that a lake can be moved; files are recorded relative to it.
    options = f"DATA_PATH '{data}/', OVERRIDE_DATA_PATH true, META_JOURNAL_MODE 'WAL', CREATE_IF_NOT_EXISTS {create}"
    mode = ", READ_ONLY" if read_only else ""
    _patiently(lambda: connection.execute(f"ATTACH 'ducklake:sqlite:{catalog}' AS lake ({options}{mode})"))


def _is_small(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether one thread reads the lake faster than many.

    To plan one table DuckLake asks its catalog several times, and with more than one thread the SQLite scanner opens
    the catalog anew for each.
    """
    files = "SELECT coalesce(sum(file_size_bytes), 0) FROM __ducklake_metadata_lake.ducklake_data_file"
    row = connection.execute(files).fetchone()
    return row is not None and row[0] < SMALL_LAKE_BYTES


def _patiently(action: Callable[[], object]) -> None:
    """Do what a writer at work may refuse for a moment."""
    for attempt in range(COMMIT_TRIES):
        try:
            action()
            return
        except duckdb.Error as error:
            if not _is_locked(error) or attempt + 1 == COMMIT_TRIES:
                raise
        _pause(attempt)


def _pause(attempt: int) -> None:
    time.sleep(min(0.05 * 1.3**attempt, 2.0) * (0.5 + random.random()))


def _cannot_open(root: Path, error: duckdb.Error) -> BenchlakeError:
    if "readonly database" in str(error) or "unable to open database file" in str(error):
        return BenchlakeError(
            f"cannot open the lake {shown(root)}: SQLite must be able to write beside its catalog, also for reading; "
            "copy the lake to a folder that you may write"
        )
    return BenchlakeError(f"cannot open the lake {shown(root)}: {shown(str(error).splitlines()[0])}")


def _rollback(cursor: duckdb.DuckDBPyConnection) -> None:
    try:
        cursor.execute("ROLLBACK")
    except duckdb.Error:
        # The failed COMMIT has ended the transaction already; there is nothing left to undo.
        return


def _is_locked(error: BaseException) -> bool:
    text = str(error)
    return isinstance(error, duckdb.Error) and ("database is locked" in text or "database table is locked" in text)


@contextmanager
def _filesystem(root: Path) -> Iterator[None]:
    try:
        yield
    except PermissionError as error:
        file = shown(str(error.filename))
        raise BenchlakeError(f"cannot write to the lake {shown(root)}: {error.strerror} ({file})") from error


def refuse_not_utf8(query: str, parameters: Sequence[object] | Mapping[str, object] | None = None) -> None:
    """Raise BenchlakeError for text that is none, as the command line may give it: DuckDB's own words would be many."""
    given = parameters.values() if isinstance(parameters, Mapping) else parameters or ()
    for text in (query, *given):
        if isinstance(text, str) and any("\ud800" <= c <= "\udfff" for c in text):
            raise BenchlakeError(f"{shown(text):.200}: not text in UTF-8, which is all that the lake holds")
