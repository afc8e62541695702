"""Compacting a lake and removing what nothing refers to; what the lake holds, at any snapshot, stays as it is."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import duckdb

from warehouse import locks
from warehouse.errors import BenchlakeError
from warehouse.lake import Lake
from warehouse.shown import shown
from warehouse.waste import Waste, orphan_artifacts, orphan_files, scratch_leftovers, size


@dataclass(frozen=True)
class VacuumReport:
    """What a vacuum did; with `stage_at_work` it only compacted, as files about to be committed look like orphans."""

    stage_at_work: bool
    flushed_rows: int = 0
    merged_files: int = 0
    old_files: int = 0
    old_bytes: int = 0
    orphan_files: int = 0
    orphan_bytes: int = 0
    artifacts: int = 0
    artifact_bytes: int = 0
    leftovers: int = 0
    leftover_bytes: int = 0

    @property
    def changed(self) -> bool:
        """Whether there was anything to do."""
        return any(value for name, value in asdict(self).items() if name != "stage_at_work")


def vacuum(lake: Lake) -> VacuumReport:
    """Write rows kept in the catalog to Parquet, merge small files, and remove files that nothing refers to.

    Snapshots are not expired: what they held can be read as before, except for artifacts that only they refer to.
    Nothing but compaction is done while a stage is at work. A query that another process is running meanwhile may miss
    a file that was merged into another, and succeeds when run again. Doing it twice changes nothing.
    Raises BenchlakeError when the lake is open read-only, or its catalog leads out of the lake.
    """
    with locks.alone(lake.path / "active.lock") as alone, _one_thread(lake):
        flushed = sum(row[-1] for row in _call(lake, "ducklake_flush_inlined_data('lake')"))
        merged = sum(row[-2] for row in _call(lake, "ducklake_merge_adjacent_files('lake')"))
        if not alone:
            report = VacuumReport(True, flushed, merged)
        else:
            old = _remove_old_files(lake)
            orphans = lake.maintain(lambda cursor: _remove(orphan_files(lake)))
            artifacts = lake.maintain(lambda cursor: _remove(orphan_artifacts(lake)))
            leftovers = _remove(scratch_leftovers(lake))
            report = VacuumReport(
                False, flushed, merged, len(old.paths), old.bytes, len(orphans.paths), orphans.bytes,
                len(artifacts.paths), artifacts.bytes, len(leftovers.paths), leftovers.bytes,
            )  # fmt: skip
        if report.changed:
            detail = {name: value for name, value in asdict(report).items() if value}
            lake.commit("vacuum", lambda cursor: (None, detail))
            # The event is itself a small row in the catalog; it must not be what the next vacuum finds to do.
            _call(lake, "ducklake_flush_inlined_data('lake', schema_name => 'ledger', table_name => 'event')")
            _call(lake, "ducklake_merge_adjacent_files('lake', 'event', schema => 'ledger')")
            if alone:
                _remove_old_files(lake)
        return report


@contextmanager
def _one_thread(lake: Lake) -> Iterator[None]:
    """DuckLake 1.5.5 flushes tables in parallel, with a race: about one flush in 40 on a busy machine ends the process.

    Seen as heap corruption found in DuckLakeTransactionState::GetNewDataFiles; never with one thread.
    """
    threads = lake.rows("SELECT current_setting('threads')")[0][0]
    with lake.cursor() as cursor:
        cursor.execute("SET threads = 1")
        try:
            yield
        finally:
            cursor.execute(f"SET threads = {int(threads)}")


def _call(lake: Lake, call: str) -> list[tuple[int, ...]]:
    """Rows of a maintenance call, in a transaction of its own: DuckLake refuses to compact and change in one."""
    return lake.maintain(lambda cursor: cursor.execute(f"CALL {call}").fetchall())


def _remove_old_files(lake: Lake) -> Waste:
    """Files whose rows have been merged into others: DuckLake lists them, and no snapshot needs them."""

    def work(cursor: duckdb.DuckDBPyConnection) -> Waste:
        listed = cursor.execute(
            "CALL ducklake_cleanup_old_files('lake', dry_run => true, cleanup_all => true)"
        ).fetchall()
        paths = [Path(row[0]) for row in listed]
        inside = (lake.path / "data").resolve()
        for path in paths:
            if not path.resolve().is_relative_to(inside):
                raise BenchlakeError(f"the lake's catalog wants {shown(path)} removed, which is none of its data files")
        old = Waste(tuple(paths), sum(map(size, paths)))
        if paths:
            cursor.execute("CALL ducklake_cleanup_old_files('lake', cleanup_all => true)")
        return old

    return lake.maintain(work)


def _remove(waste: Waste) -> Waste:
    for path in waste.paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    return waste
