"""Doctor: a sound lake holds in every check, and every kind of damage is told by name."""

import importlib.metadata
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from databases import build
from hostile import ODD_TABLE, hostile_database

from warehouse import Lake, doctor
from warehouse.doctor import Check, examine
from warehouse.ids import qualified
from warehouse.ingest_db import ingest_database

INFORMING = ("orphan_artifacts", "orphan_files", "leftovers")


def checks(lake: Lake, *, deep: bool = False) -> dict[str, Check]:
    return {check.name: check for check in examine(lake, deep=deep)}


def test_the_demo_is_sound(demo: Path) -> None:
    with Lake.open(demo / "lake", read_only=True) as lake:
        found = examine(lake, deep=True)
    assert [check for check in found if not check.held] == []
    details = {check.name: check.detail for check in found}
    assert "duckdb 1.5.5" in details["versions"]
    assert details["artifacts"].endswith("artifacts there, unchanged")
    assert [details[name] for name in INFORMING] == [
        "no artifacts that nothing refers to",
        "no data files that no snapshot knows",
        "no scratch folders of processes that died",
    ]


SMALL = (
    "CREATE TABLE p (id INTEGER PRIMARY KEY, v)",
    "CREATE TABLE c (id INTEGER PRIMARY KEY, p INT REFERENCES p(id))",
    "CREATE TABLE gone (v)",
    "CREATE TABLE dropped (v)",
    "INSERT INTO p VALUES (1, 'a'), (2, 'b')",
    "INSERT INTO c VALUES (1, 1), (2, 2)",
    "INSERT INTO gone VALUES (1)",
)

DAMAGE = (
    "UPDATE ledger.event SET detail = '{}' WHERE sequence = 2",
    "INSERT INTO source.db_column (db, table_name, column_name) VALUES ('d', NULL, 'c'), ('d', NULL, 'c')",
    f"INSERT INTO {qualified('src_odd', ODD_TABLE)} SELECT * FROM {qualified('src_odd', ODD_TABLE)} WHERE _rowid = 2",
    "DELETE FROM src_small.p WHERE _rowid = 2",
    "DROP TABLE src_small.dropped",
    "INSERT INTO sampling.instance (task, attempt, question, corpus, policy, status, artifact) VALUES "
    "('t1', 1, 'q1', 'c', 'p', 'accepted', 'absent'), ('t1', 2, 'q1', 'c', 'p', 'accepted', NULL), "
    "('t2', 1, 'q2', 'c', 'p', 'failed', NULL), ('t3', 1, 'q3', 'c', 'p', 'accepted', NULL)",
    "INSERT INTO sampling.selected_row VALUES ('t1', 1, 'c', 1, 'budget'), ('t2', 1, 'c', 7, 'budget')",
    "INSERT INTO ledger.outcome (stage, item, corpus, status, code, policy) VALUES "
    "('sample', 'q2', 'c', 'accepted', NULL, 'p'), ('sample', 'q3', 'c', 'accepted', NULL, 'other'), "
    "('sample', 'q4', 'c', 'rejected', NULL, 'p')",
    "INSERT INTO source.key_edge SELECT db, key, 99, 1 FROM source.db_key WHERE kind = 'foreign' AND table_name = 'c'",
)


@pytest.fixture(scope="module")
def sick(empty_lake: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Check]:
    """The checks of a lake with every damage that raw SQL and lost files can do, all at once."""
    folder = tmp_path_factory.mktemp("sick")
    with Lake.open(shutil.copytree(empty_lake, folder / "lake")) as lake:
        ingest_database(lake, build(folder / "small.sqlite", *SMALL), "c")
        ingest_database(lake, hostile_database(folder / "odd.sqlite"), "c")
        for statement in DAMAGE:
            with lake.cursor() as cursor:
                cursor.execute(statement)
        (gone,) = (lake.path / "data" / "src_small" / "gone").glob("*.parquet")
        gone.unlink()
        small, odd = (row[0] for row in lake.rows("SELECT artifact FROM source.db ORDER BY db_id DESC"))
        lake.artifacts.remove(small)
        lake.artifacts.path(odd).chmod(0o644)
        lake.artifacts.path(odd).write_bytes(b"other")
        lake.artifacts.put_bytes(b"orphan")
        (lake.path / "data" / "ducklake-lost.parquet").write_bytes(b"123")
        (lake.artifacts.root / "tmp" / "tmpdead").mkdir()
    with closing(sqlite3.connect(folder / "lake" / "catalog.sqlite", isolation_level=None)) as catalog:
        catalog.execute("CREATE TABLE broken (v)")
        catalog.execute("INSERT INTO broken VALUES (NULL)")
        catalog.execute("PRAGMA writable_schema = ON")
        catalog.execute("UPDATE sqlite_master SET sql = 'CREATE TABLE broken (v NOT NULL)' WHERE name = 'broken'")
    with Lake.open(folder / "lake", read_only=True) as lake:
        return checks(lake, deep=True)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("catalog", ["NULL value in broken.v"]),
        ("ledger", ["1 broken event; event 2 of writer ", "the hash does not fit the content"]),
        (
            "grain",
            [
                "src_small.gone cannot be read: ",
                "source.db_column has 2 rows of (db, table_name, column_name) = (d, NULL, c)",
                f"src_odd.{ODD_TABLE} has 2 rows of (_rowid) = (2)",
            ],
        ),
        (
            "source_rows",
            [
                f"src_odd.{ODD_TABLE} has 4 rows, but 3 were ingested",
                "src_small.dropped is not there",
                "src_small.p has 1 row, but 2 were ingested",
            ],
        ),
        ("selected_rows", ["row 7 of table c is selected for task t2, attempt 1, which is not accepted"]),
        ("key_edges", [" has child rows 1 to 99, outside of table c"]),
        ("accepted_attempts", ["task t1 has 2 accepted attempts"]),
        ("outcomes", ["question q1 has an instance, but no outcome; and 3 more"]),
        (
            "artifacts",
            [
                "source.db.artifact refers to the artifact ",
                "(source.db.artifact) has other content than its name says",
                "sampling.instance.artifact refers to the artifact absent, which is not there",
            ],
        ),
    ],
)
def test_damage_is_named(sick: dict[str, Check], name: str, parts: list[str]) -> None:
    assert not sick[name].held
    for part in parts:
        assert part in sick[name].detail
    assert sick[name].detail.isprintable()


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        ("orphan_artifacts", "1 artifacts that nothing refers to, 6 bytes: benchlake vacuum removes them"),
        ("orphan_files", "1 data files that no snapshot knows, 3 bytes: benchlake vacuum removes them"),
        ("leftovers", "1 scratch folders of processes that died, 0 bytes: benchlake vacuum removes them"),
    ],
)
def test_what_lies_about_is_only_told(sick: dict[str, Check], name: str, detail: str) -> None:
    assert sick[name] == Check(name, True, detail)


def test_every_check_is_made_to_fail_or_informs(sick: dict[str, Check]) -> None:
    """Versions, extensions and schema have tests of their own, below."""
    assert {name for name, check in sick.items() if check.held} == {"versions", "extensions", "schema", *INFORMING}


def run(lake: Lake, statement: str) -> None:
    with lake.cursor() as cursor:
        cursor.execute(statement)


BREACHES = [
    ("accepted_attempts", "INSERT INTO sampling.instance (task, attempt, status) VALUES ('t', 1, 'accepted')", None),
    ("selected_rows", "INSERT INTO sampling.selected_row VALUES ('t', 2, 'c', 1, 'budget')", "attempt 2, which is not"),
    ("selected_rows", "INSERT INTO sampling.selected_row VALUES (NULL, 1, 'c', 1, 'budget')", "a row lacks a value"),
    ("key_edges", "INSERT INTO source.key_edge VALUES ('d', 'k', 1, 1)", "key k, which is no foreign key of database d"),
    ("key_edges", "INSERT INTO source.key_violation VALUES ('d', 'k', 1)", "key k, which is no foreign key of database d"),
    (
        "key_edges",
        "INSERT INTO source.db_key (db, key, kind, table_name, ref_table) VALUES ('e', 'k', 'foreign', 'c', 'p');"
        "INSERT INTO source.db_table (db, table_name, first_rowid, last_rowid) VALUES ('e', 'c', 1, 9), ('e', 'p', 5, 6);"
        "INSERT INTO source.key_edge VALUES ('e', 'k', 1, 5), ('e', 'k', 9, 7)",
        "key k has parent rows 5 to 7, outside of table p",
    ),
    (
        "key_edges",
        "INSERT INTO source.db_key (db, key, kind, table_name, ref_table) VALUES ('f', 'k', 'foreign', 'c', 'p');"
        "INSERT INTO source.db_table (db, table_name) VALUES ('f', 'c'), ('f', 'p');"
        "INSERT INTO source.key_violation VALUES ('f', 'k', 1)",
        "key k has child rows 1 to 1, outside of table c",
    ),
    ("outcomes", "INSERT INTO ledger.outcome (stage, item, status) VALUES ('sample', 'q', 'accepted')", "no accepted instance"),
    ("outcomes", "INSERT INTO ledger.outcome (stage, item, status) VALUES ('sample', 'q', 'rejected')", "its code being NULL"),
    (
        "outcomes",
        "INSERT INTO ledger.outcome (stage, item, status, code) VALUES ('sample', 'q', 'rejected', 'x');"
        "INSERT INTO sampling.instance (task, attempt, question, status) VALUES ('t', 1, 'q', 'failed')",
        None,
    ),
    (
        "outcomes",
        "INSERT INTO ledger.outcome (stage, item, status, code) VALUES ('sample', 'q', 'rejected', 'x');"
        "INSERT INTO sampling.instance (task, attempt, question, status) VALUES ('t', 1, 'q', 'accepted')",
        "question q is rejected, but has an accepted instance",
    ),
    (
        "outcomes",
        "INSERT INTO ledger.outcome (stage, item, status, corpus, policy) VALUES ('sample', 'q', 'accepted', 'c', 'p');"
        "INSERT INTO sampling.instance (task, attempt, question, status, corpus, policy) VALUES "
        "('t', 1, 'q', 'failed', 'c', 'other'), ('t', 2, 'q', 'accepted', 'c', 'p')",
        None,
    ),
    (
        "outcomes",
        "INSERT INTO ledger.outcome (stage, item, status, corpus, policy) VALUES ('sample', 'q', 'accepted', 'c', 'p');"
        "INSERT INTO sampling.instance (task, attempt, question, status, corpus, policy) VALUES "
        "('t', 1, 'q', 'accepted', 'd', 'p')",
        "an instance of another corpus or policy than its outcome",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "damage", "detail"), BREACHES)
def test_references_between_tables(module_lake: Lake, name: str, damage: str, detail: str | None) -> None:
    with module_lake.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute(damage)
        text = doctor.query(f"integrity/{name}")
        found = [row[0] for row in cursor.execute(text).fetchall()]
        cursor.execute("ROLLBACK")
    if detail is None:
        assert found == []
    else:
        (sentence,) = found
        assert sentence is None if detail == "a row lacks a value" else detail in sentence


@pytest.mark.parametrize(
    ("damage", "detail"),
    [
        ("UPDATE ledger.setting SET value = 'x'", "the views are of another benchlake"),
        ("DELETE FROM ledger.setting", "the views are of another benchlake"),
        ("UPDATE ledger.schema_version SET digest = 'x' WHERE version = 3", "another 003_sampling.sql than this benchlake"),
        ("DELETE FROM ledger.schema_version WHERE version > 5", "the lake has schema version 5, this benchlake needs"),
    ],
)  # fmt: skip
def test_schema_and_views(lake: Lake, damage: str, detail: str) -> None:
    run(lake, damage)
    found = doctor._check("schema", doctor._schema, lake)
    assert not found.held
    assert detail in found.detail


@pytest.mark.parametrize(
    ("damage", "detail"),
    [
        ("DELETE FROM ledger.event WHERE sequence = 2", "event 3 of writer w: an event before it is missing"),
        ("UPDATE ledger.event SET hash = NULL WHERE sequence = 3", "event 3 of writer w: the hash does not fit"),
        ("UPDATE ledger.event SET recorded_at = recorded_at + INTERVAL 1 MICROSECOND WHERE sequence = 1", "event 1 of"),
        ("UPDATE ledger.event SET writer = 'v' WHERE sequence = 3", "event 3 of writer v: the hash does not fit"),
    ],
)
def test_the_chain_of_events(lake: Lake, damage: str, detail: str) -> None:
    for number in range(2):
        lake.commit("ingest", lambda cursor, number=number: (None, {"number": number}))
    writer = lake.rows("SELECT DISTINCT writer FROM ledger.event WHERE sequence = 1 AND stage = 'ingest'")[0][0]
    run(lake, f"DELETE FROM ledger.event WHERE writer <> '{writer}'")
    lake.commit("ingest", lambda cursor: (None, {"number": 2}))
    assert doctor._ledger(lake) == (True, "3 events of 1 writer")
    run(lake, damage)
    held, found = doctor._ledger(lake)
    assert not held
    assert detail in found.replace(writer, "w")


REQUIREMENTS = [
    "click>=8.1", "duckdb==1.5.5", "duckdb-extension-ducklake==1.5.5", "ibis-framework[duckdb]==12.*",
    "pyarrow<27,>=26", "sqlglot<30.18,>=30", 'pyarrow>=99; extra == "other"',
]  # fmt: skip
INSTALLED = {
    "duckdb": "1.5.5", "duckdb-extension-ducklake": "1.5.5", "ibis-framework": "12.0.0", "pyarrow": "26.0.1",
    "sqlglot": "30.17.0", "click": "1",
}  # fmt: skip


@pytest.mark.parametrize(
    ("package", "version", "detail"),
    [
        ("click", "2", None),
        ("duckdb", "1.5.6", "duckdb 1.5.6 does not fit ==1.5.5: run pip install 'duckdb==1.5.5'"),
        ("duckdb", "1.5.5.1", "duckdb 1.5.5.1 does not fit"),
        ("duckdb-extension-ducklake", "1.5.4", "duckdb-extension-ducklake 1.5.4 does not fit"),
        ("duckdb-extension-ducklake", None, "duckdb-extension-ducklake is not installed: run pip install"),
        ("ibis-framework", "12.1.5", None),
        ("ibis-framework", "120.0", "ibis-framework 120.0 does not fit ==12.*"),
        ("ibis-framework", "11.9", "ibis-framework 11.9 does not fit ==12.*"),
        ("pyarrow", "26", None),
        ("pyarrow", "26.99.9", None),
        ("pyarrow", "27.0.0", "pyarrow 27.0.0 does not fit <27,>=26: run pip install 'pyarrow<27,>=26'"),
        ("pyarrow", "25.1", "pyarrow 25.1 does not fit"),
        ("sqlglot", "30.18.0", "sqlglot 30.18.0 does not fit <30.18,>=30"),
        ("sqlglot", "30.9", None),
        ("sqlglot", "30.17.1rc1", None),
        ("sqlglot", "unknown", "sqlglot unknown does not fit"),
    ],
)
def test_versions(
    monkeypatch: pytest.MonkeyPatch, module_lake: Lake, package: str, version: str | None, detail: str | None
) -> None:
    def installed(name: str) -> str:
        found = version if name == package else INSTALLED[name]
        if found is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return found

    monkeypatch.setattr(importlib.metadata, "requires", lambda name: REQUIREMENTS)
    monkeypatch.setattr(importlib.metadata, "version", installed)
    held, found = doctor._versions(module_lake)
    assert held == (detail is None)
    assert (detail or "duckdb 1.5.5, ") in found


def test_the_requirements_of_benchlake_are_all_understood() -> None:
    pinned = [text for text in importlib.metadata.requires("benchlake") or [] if "extra" not in text]
    held, found = doctor._versions(None)  # type: ignore[arg-type]
    assert held
    assert sum(text.startswith(("duckdb", "ibis", "pyarrow", "sqlglot")) for text in pinned) == found.count(", ") + 1


def test_without_a_distribution(monkeypatch: pytest.MonkeyPatch, module_lake: Lake) -> None:
    def absent(name: str) -> list[str]:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "requires", absent)
    assert doctor._versions(module_lake) == (
        True,
        "benchlake is not installed as a distribution: its pins cannot be compared",
    )


def test_an_extension_that_is_not_loaded(monkeypatch: pytest.MonkeyPatch, module_lake: Lake) -> None:
    monkeypatch.setattr("warehouse.extensions.EXTENSIONS", ("ducklake", "spatial"))
    assert doctor._extensions(module_lake) == (False, "not loaded: spatial")


def test_a_check_that_cannot_be_made_has_not_held(lake: Lake) -> None:
    run(lake, "DROP TABLE evaluation.gold")
    found = checks(lake)
    assert not found["artifacts"].held
    assert found["artifacts"].detail.startswith("cannot be checked: Catalog Error")
    assert not found["grain"].held
    assert "evaluation.gold_cell cannot be read: " in found["grain"].detail
    assert found["ledger"].held


def test_only_deep_reads_artifacts(lake: Lake, tmp_path: Path) -> None:
    ingest_database(lake, build(tmp_path / "x.sqlite", "CREATE TABLE t (v)"), "c")
    (digest,) = lake.artifacts.digests()
    lake.artifacts.path(digest).chmod(0o644)
    lake.artifacts.path(digest).write_bytes(b"other")
    assert doctor._artifacts(lake, deep=False) == (True, "1 artifact there")
    assert doctor._artifacts(lake, deep=True)[0] is False
