"""The lake on disk: a DuckLake with a SQLite catalog, Parquet data and artifacts by content."""

import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import duckdb

from warehouse import extensions, ledger, locks, migrate
from warehouse.artifacts import ArtifactStore
from warehouse.errors import BenchlakeError

if TYPE_CHECKING:
    from ibis.backends.duckdb import Backend

T = TypeVar("T")

SQLITE_MAGIC = b"SQLite format 3\0"
COMMIT_TRIES = 40


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
    def create(cls, path: str | Path) -> Self:
        """Make a lake in an absent or empty folder, or open the one that is there.

        Raises BenchlakeError for a folder that holds other things.
        """
        root = Path(path).absolute()
        try:
            root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BenchlakeError(f"cannot make the lake folder {root}: {error.strerror}") from error
        if not (root / "catalog.sqlite").exists() and any(p.name != "writer.lock" for p in root.iterdir()):
            raise BenchlakeError(f"{root} is neither empty nor a lake: name an empty or a new folder")
        with _filesystem(root):
            (root / "data").mkdir(exist_ok=True)
            (root / "artifacts").mkdir(exist_ok=True)
            with locks.exclusive(root / "writer.lock"):
                lake = cls(root, _attach(root, read_only=False), read_only=False)
                lake._upgrade()
        return lake

    @classmethod
    def open(cls, path: str | Path, *, read_only: bool = False) -> Self:
        """Open a lake; one of an older benchlake is first brought to the present schema.

        Raises BenchlakeError when the folder is not a lake or was made by a newer benchlake.
        """
        root = Path(path).absolute()
        catalog = root / "catalog.sqlite"
        if not root.is_dir():
            raise BenchlakeError(
                f"no lake at {root}: make one with benchlake ingest sqlite DB --corpus NAME --lake DIR"
            )
        if not catalog.is_file():
            raise BenchlakeError(f"{root} is not a lake (no catalog.sqlite in it)")
        with catalog.open("rb") as handle:
            if handle.read(16) != SQLITE_MAGIC:
                raise BenchlakeError(f"{catalog} is not a SQLite file: the lake's catalog is damaged")
        with _filesystem(root):
            connection = _attach(root, read_only=read_only)
            lake = cls(root, connection, read_only=read_only)
            try:
                current = migrate.is_current(connection)
                if not current and migrate.stored_version(connection) == 0:
                    raise BenchlakeError(f"{root} is a DuckLake, but not a benchlake lake")
            except BaseException:
                lake.close()
                raise
            if current:
                return lake
            lake.close()
            with (
                locks.exclusive(root / "writer.lock"),
                cls(root, _attach(root, read_only=False), read_only=False) as old,
            ):
                old._upgrade()
            return cls(root, _attach(root, read_only=read_only), read_only=read_only)

    def close(self) -> None:
        """Close the connection; the lake on disk is complete at any time."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A cursor of its own on the lake: one per stream (another query on the same one ends a running stream)."""
        cursor = self._connection.cursor()
        cursor.execute("USE lake")
        return cursor

    def sql(
        self, query: str, parameters: Sequence[object] | Mapping[str, object] | None = None
    ) -> duckdb.DuckDBPyRelation:
        """The relation of one SELECT over the lake's schemas (`.df()`, `.to_arrow_table()`, `.fetchall()`, print)."""
        return self.cursor().sql(query, params=parameters)

    def rows(self, query: str, parameters: Sequence[object] | None = None) -> list[tuple[Any, ...]]:
        """All rows of a query, for results of bounded size."""
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
        if self.read_only:
            raise BenchlakeError("the lake is open read-only")
        cursor = self.cursor()
        try:
            for attempt in range(COMMIT_TRIES):
                with _filesystem(self.path), locks.exclusive(self.path / "writer.lock"):
                    try:
                        cursor.execute("BEGIN")
                        result, detail = work(cursor)
                        if detail is None:
                            cursor.execute("ROLLBACK")
                            return result
                        self._writer.append(cursor, stage, detail)
                        cursor.execute("COMMIT")
                        self._writer.settle()
                        return result
                    except BaseException as error:
                        _rollback(cursor)
                        if not _is_locked(error) or attempt + 1 == COMMIT_TRIES:
                            raise
                time.sleep(min(0.05 * 1.3**attempt, 2.0) * (0.5 + random.random()))
            raise AssertionError("the loop returns or raises")
        finally:
            cursor.close()

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Say that a stage is running, so that vacuum leaves its uncommitted files alone."""
        with _filesystem(self.path), locks.shared(self.path / "active.lock"):
            yield

    def _upgrade(self) -> None:
        cursor = self.cursor()
        if migrate.is_current(cursor):
            return
        cursor.execute("BEGIN")
        before = migrate.stored_version(cursor)
        migrate.apply(cursor)
        self._writer.append(cursor, "lake", {"action": "upgrade", "from": before, "to": migrate.latest_version()})
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


def _attach(root: Path, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    connection = extensions.connect()
    catalog = str(root / "catalog.sqlite").replace("'", "''")
    data = str(root / "data").replace("'", "''")
    # WAL: with SQLite's default journal one open reader blocks writers (house.md). The data path is overridden
    # so that a lake can be moved; files are recorded relative to it.
    options = f"DATA_PATH '{data}/', OVERRIDE_DATA_PATH true, META_JOURNAL_MODE 'WAL'"
    mode = ", READ_ONLY" if read_only else ""
    try:
        connection.execute("SET temp_directory = ?", [str(Path(tempfile.gettempdir()) / "benchlake-spill")])
        connection.execute("SET enable_progress_bar = false")
        for attempt in range(COMMIT_TRIES):
            try:
                connection.execute(f"ATTACH 'ducklake:sqlite:{catalog}' AS lake ({options}{mode})")
                break
            except duckdb.Error as error:
                if not _is_locked(error) or attempt + 1 == COMMIT_TRIES:
                    raise
                time.sleep(min(0.05 * 1.3**attempt, 2.0) * (0.5 + random.random()))
        connection.execute("USE lake")
    except duckdb.Error as error:
        connection.close()
        first = str(error).splitlines()[0]
        raise BenchlakeError(f"cannot open the lake {root}: {first}") from error
    return connection


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
        raise BenchlakeError(f"cannot write to the lake {root}: {error.strerror} ({error.filename})") from error
