"""Vacuum: what it removes and compacts, and what it must leave alone."""

import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from hostile import ODD_TABLE, hostile_database

from warehouse import BenchlakeError, Lake
from warehouse.digest import content_digest
from warehouse.ids import qualified
from warehouse.ingest_db import ingest_database
from warehouse.lake import append
from warehouse.ledger import broken_links
from warehouse.queries import query
from warehouse.vacuum import VacuumReport, vacuum

EDGES = "source.key_edge"


def put(lake: Lake, table: str, rows: list[dict[str, object]]) -> None:
    lake.commit("ingest", lambda cursor: (append(cursor, table, rows), {"rows": len(rows)}))


def edges(lake: Lake, key: str, count: int = 50) -> None:
    """Rows enough for a Parquet file of their own."""
    put(lake, EDGES, [{"db": "d", "key": key, "child_rowid": n, "parent_rowid": n} for n in range(count)])


def run(lake: Lake, statement: str) -> None:
    lake.commit("ingest", lambda cursor: (cursor.execute(statement), {}))


def parquet(lake: Lake) -> set[Path]:
    return set((lake.path / "data").rglob("*.parquet"))


def history(lake: Lake, table: str) -> dict[int, list[tuple[Any, ...]]]:
    """Rows of a table as of every snapshot that has it."""
    last = lake.rows("SELECT max(snapshot_id) FROM ducklake_snapshots('lake')")[0][0]
    found = {}
    for version in range(1, last + 1):
        rows = lake.rows(f"SELECT * FROM {table} AT (VERSION => {version})")
        found[version] = sorted(rows, key=repr)
    return found


def test_everything_at_once(lake: Lake, tmp_path: Path) -> None:
    digest = lake.artifacts.put_bytes(b"kept")
    put(lake, "evaluation.gold", [{"task": "t", "task_name": "task_1", "file": digest}])
    for key in "abc":
        edges(lake, key)
    run(lake, f"DELETE FROM {EDGES} WHERE key = 'a' AND child_rowid < 3")
    for number in range(12):
        put(lake, "run.experiment", [{"run": f"r{number}"}])
    run(lake, "DELETE FROM run.experiment WHERE run IN ('r1', 'r2')")
    run(lake, "UPDATE run.experiment SET corpus = 'c' WHERE run = 'r3'")
    before = content_digest(lake)
    pasts = {table: history(lake, table) for table in (EDGES, "run.experiment")}

    orphan = lake.artifacts.put_bytes(b"orphan")
    lost = lake.path / "data" / "source" / "key_edge" / "ducklake-lost.parquet"
    lost.write_bytes(b"12345")
    left = lake.artifacts.root / "tmp" / "tmpdead"
    (left / "inner").mkdir(parents=True)
    (left / "inner" / "file").write_bytes(b"123")
    (lake.artifacts.root / "tmp" / "stray").write_bytes(b"4567")
    (lake.artifacts.root / "tmp" / "link").symlink_to(tmp_path)

    report = vacuum(lake)
    assert (report.stage_at_work, report.changed) == (False, True)
    assert (report.flushed_rows > 12, report.merged_files, report.old_files >= 2) == (True, 2, True)
    assert report.old_bytes > 0
    assert (report.orphan_files, report.orphan_bytes) == (1, 5)
    assert (report.artifacts, report.artifact_bytes) == (1, 6)
    assert (report.leftovers, report.leftover_bytes) == (3, 7)
    assert tmp_path.is_dir()
    assert not lost.exists()
    assert list(lake.artifacts.digests()) == [digest]
    assert orphan != digest
    assert lake.artifacts.leftovers() == []
    assert content_digest(lake) == before
    assert {
        table: {v: rows for v, rows in history(lake, table).items() if v in pasts[table]} for table in pasts
    } == pasts
    with lake.cursor() as cursor:
        assert broken_links(cursor) == []
    assert lake.rows("SELECT count(*) FROM ledger.event WHERE stage = 'vacuum'") == [(1,)]

    files, snapshots = parquet(lake), lake.rows("SELECT count(*) FROM ducklake_snapshots('lake')")
    assert vacuum(lake) == VacuumReport(False)
    assert parquet(lake) == files
    assert lake.rows("SELECT count(*) FROM ducklake_snapshots('lake')") == snapshots
    assert {path.name for path in files} == {row[0] for row in lake.rows(query("integrity/data_files"))}


def test_source_tables_stay_as_they_are(lake: Lake, tmp_path: Path) -> None:
    """Names that DuckLake uses itself, structs with -0.0 and 300 columns, in tables of several files."""
    ingest_database(lake, hostile_database(tmp_path / "odd.sqlite"), "c")
    names = ("select", "tables/../up", ODD_TABLE, "wide")
    for name in names:
        table = qualified("src_odd", name)
        run(lake, f"INSERT INTO {table} SELECT * REPLACE (_rowid + 100 AS _rowid) FROM {table}")
        run(lake, f"INSERT INTO {table} SELECT * REPLACE (_rowid + 200 AS _rowid) FROM {table} WHERE _rowid = 1")
    before = content_digest(lake)
    assert vacuum(lake).merged_files >= 3 * len(names)
    assert content_digest(lake) == before
    assert vacuum(lake) == VacuumReport(False)


def test_beside_a_stage_it_only_compacts(lake: Lake) -> None:
    for key in "ab":
        edges(lake, key)
    orphan = lake.artifacts.put_bytes(b"about to be referred to")
    lost = lake.path / "data" / "ducklake-lost.parquet"
    lost.write_bytes(b"1")
    with lake.at_work(), lake.artifacts.scratch() as scratch:
        files = parquet(lake)
        report = vacuum(lake)
        assert report.stage_at_work
        assert report.changed
        assert (report.merged_files, report.old_files) == (2, 0)
        assert files <= parquet(lake)
        assert Path(scratch).is_dir()
        assert list(lake.artifacts.digests()) == [orphan]
        assert vacuum(lake) == VacuumReport(True)
    report = vacuum(lake)
    assert (report.stage_at_work, report.orphan_files, report.artifacts) == (False, 1, 1)
    assert report.old_files >= 2
    assert not lost.exists()
    assert vacuum(lake) == VacuumReport(False)


def test_a_commit_in_progress_loses_nothing(lake: Lake) -> None:
    """Its files look like orphans; vacuum waits for it."""
    edges(lake, "a")
    reports: list[VacuumReport] = []

    def clean() -> None:
        with Lake.open(lake.path) as other:
            reports.append(vacuum(other))

    cleaner = threading.Thread(target=clean)

    def work(cursor: Any) -> tuple[None, dict[str, Any]]:
        rows = [{"db": "d", "key": "b", "child_rowid": n, "parent_rowid": n} for n in range(50)]
        before = parquet(lake)
        append(cursor, EDGES, rows)
        assert parquet(lake) - before
        cleaner.start()
        return None, {}

    lake.commit("ingest", work)
    cleaner.join()
    assert reports[0].orphan_files == 0
    assert lake.rows(f"SELECT key, count(*) FROM {EDGES} GROUP BY key ORDER BY key") == [("a", 50), ("b", 50)]


@pytest.mark.parametrize("name", ["lake*", "it's 湖 [12]"])
def test_the_lake_beside_is_left_alone(empty_lake: Path, tmp_path: Path, name: str) -> None:
    """A name that is a pattern matches only itself."""
    with Lake.open(shutil.copytree(empty_lake, tmp_path / "lake1")) as beside:
        edges(beside, "a")
        theirs = parquet(beside)
    with Lake.open(shutil.copytree(empty_lake, tmp_path / name)) as lake:
        edges(lake, "a")
        lost = lake.path / "data" / "ducklake-lost.parquet"
        lost.write_bytes(b"1")
        assert vacuum(lake).orphan_files == 1
        assert not lost.exists()
        assert lake.rows(f"SELECT count(*) FROM {EDGES}") == [(50,)]
    assert {path for path in theirs if path.exists()} == theirs


def test_a_moved_lake(lake: Lake, tmp_path: Path) -> None:
    for key in "ab":
        edges(lake, key)
    before = content_digest(lake)
    lake.close()
    shutil.move(lake.path, tmp_path / "moved")
    with Lake.open(tmp_path / "moved") as moved:
        report = vacuum(moved)
        assert (report.merged_files, report.old_files, report.orphan_files) == (2, 2, 0)
        assert content_digest(moved) == before
        assert len([path for path in parquet(moved) if path.parent.name == "key_edge"]) == 1


def test_a_catalog_that_leads_out_of_the_lake_is_refused(lake: Lake, tmp_path: Path) -> None:
    victim = tmp_path / "victim.parquet"
    victim.write_bytes(b"1")
    lake.maintain(
        lambda cursor: cursor.execute(
            "INSERT INTO __ducklake_metadata_lake.ducklake_files_scheduled_for_deletion VALUES (1, ?, 0, now()::VARCHAR)",
            [str(victim)],
        )
    )
    with pytest.raises(BenchlakeError, match=r"victim\.parquet removed, which is none of its data files"):
        vacuum(lake)
    assert victim.exists()


def test_links_among_the_data_are_not_followed(lake: Lake, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    kept = tmp_path / "elsewhere" / "other.parquet"
    kept.write_bytes(b"1")
    (lake.path / "data" / "folder").symlink_to(tmp_path / "elsewhere")
    (lake.path / "data" / "link.parquet").symlink_to(kept)
    assert vacuum(lake).orphan_files == 0
    assert kept.exists()


def test_a_read_only_lake_is_refused(lake_folder: Path) -> None:
    with Lake.open(lake_folder, read_only=True) as lake, pytest.raises(BenchlakeError, match="read-only"):
        vacuum(lake)


def test_every_column_that_names_an_artifact_is_known(lake: Lake) -> None:
    """Vacuum removes what no known column names: a new column of digests must be added, or said to be none."""
    none = {
        "evaluation.config.digest", "ledger.event.hash", "ledger.schema_version.digest", "ledger.setting.name",
        "sampling.instance.sql_hash", "workspace.representation.relation_hash",
    }  # fmt: skip
    described = {
        f"{schema}.{table}.{column}"
        for schema, table, column in lake.rows(
            "SELECT schema_name, table_name, column_name FROM duckdb_columns() WHERE database_name = 'lake' "
            "AND comment LIKE '%SHA-256%'"
        )
    }
    text = query("integrity/artifact_reference")
    assert {column for column in described - none if f"'{column}'" not in text} == set()


def test_the_demo(demo: Path, tmp_path: Path) -> None:
    with Lake.open(shutil.copytree(demo / "lake", tmp_path / "lake")) as lake:
        before = content_digest(lake)
        report = vacuum(lake)
        assert report.changed
        assert (report.orphan_files, report.artifacts, report.leftovers) == (0, 0, 0)
        assert content_digest(lake) == before
        assert vacuum(lake) == VacuumReport(False)
