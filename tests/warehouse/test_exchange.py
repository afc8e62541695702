"""Export and import of whole lakes: nothing is lost, and nothing bad comes in."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from databases import build
from hostile import NAMES, hostile_database
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from warehouse import BenchlakeError, Lake, migrate
from warehouse.digest import content_digest, table_digest
from warehouse.doctor import examine
from warehouse.exchange import export_lake, import_lake
from warehouse.ids import qualified, quote
from warehouse.ingest_db import ingest_database
from warehouse.inventory import one_snapshot, tables
from warehouse.lake import append
from warehouse.ledger import broken_links
from warehouse.manifest import regular_file

Body = dict[str, Any]
SOURCE = "src_odd 'one' 湖"


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def manifest(folder: Path) -> Body:
    return json.loads((folder / "manifest.json").read_bytes())


def entry(body: Body, schema: str, name: str) -> Body:
    (found,) = (item for item in body["tables"] if (item["schema"], item["name"]) == (schema, name))
    return found


def without_events(folder: Path) -> tuple[dict[str, bytes], Body]:
    """An export but for its events, which an import adds to."""
    files, body = tree(folder), manifest(folder)
    event = entry(body, "ledger", "event")
    del files["manifest.json"], files[event["file"]], event["sha256"], event["rows"]
    return files, body


@pytest.fixture(scope="module")
def sample(empty_lake: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """An export of a lake with odd names and values, and the lake's content digest; copy it to change it."""
    folder = tmp_path_factory.mktemp("sample")
    with Lake.open(shutil.copytree(empty_lake, folder / "lake")) as lake:
        ingest_database(lake, hostile_database(folder / "odd 'one' 湖.sqlite"), "c")
        rows = [{"place": 0, "examples": ["", None, "NULL"]}, {"place": 1, "examples": []}]
        lake.commit("ingest", lambda cursor: (append(cursor, "score.symptom", rows), {}))
        export_lake(lake, folder / "export")
        return folder / "export", content_digest(lake)


@pytest.fixture
def export(sample: tuple[Path, str], tmp_path: Path) -> Path:
    """An export of one's own."""
    return Path(shutil.copytree(sample[0], tmp_path / "export"))


def test_there_and_back(sample: tuple[Path, str], tmp_path: Path) -> None:
    export, digest = sample
    report = import_lake(export, tmp_path / "new" / "lake")
    with Lake.open(tmp_path / "new" / "lake") as lake:
        assert content_digest(lake) == digest
        assert [check for check in examine(lake, deep=True) if not check.held] == []
        with lake.cursor() as cursor:
            assert broken_links(cursor) == []
            again = {(t.schema, t.name): t.comment for t in tables(cursor)}
        assert again == {(item["schema"], item["name"]): item["comment"] for item in manifest(export)["tables"]}
        stages = lake.rows("SELECT stage, count(*), count(DISTINCT writer) FROM ledger.event GROUP BY ALL ORDER BY ALL")
        assert stages == [("import", 3, 1), ("ingest", 4, 1), ("lake", 2, 2)]
        assert export_lake(lake, tmp_path / "again").tables == report.tables
        # The option that keeps rows of sources out of the catalog has come along.
        table = qualified(SOURCE, "select")
        before = set((lake.path / "data").rglob("*.parquet"))
        lake.commit("x", lambda cursor: (cursor.execute(f"INSERT INTO {table} (_rowid) VALUES (77)"), {}))
        assert len(set((lake.path / "data").rglob("*.parquet")) - before) == 1
    assert without_events(tmp_path / "again") == without_events(export)
    assert report.artifacts == 1
    assert report.rows == sum(item["rows"] for item in manifest(export)["tables"])
    assert report.bytes == sum(len(data) for name, data in tree(export).items() if name != "manifest.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "new"]
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["lake"]


def test_an_export_is_plain_parquet(sample: tuple[Path, str]) -> None:
    export, _ = sample
    body = manifest(export)
    assert (body["format"], body["schema_version"]) == (1, migrate.latest_version())
    assert [item["file"] for item in body["tables"]] == [f"tables/{n:04}.parquet" for n in range(len(body["tables"]))]
    assert {item["name"] for item in body["tables"] if item["schema"].startswith("src_")} == set(NAMES)
    for item in body["tables"]:
        table = pq.read_table(export / item["file"])
        assert table.num_rows == item["rows"]
        assert table.column_names == [column["name"] for column in item["columns"]]
        assert hashlib.sha256((export / item["file"]).read_bytes()).hexdigest() == item["sha256"]
    rows = pq.read_table(export / entry(body, SOURCE, "select")["file"]).to_pylist()
    assert [row["row_id"] for row in rows] == [1, 2**63 - 1, -(2**63), 0, None]
    assert [row["名 前"] for row in rows] == [0.0, 1e308, 0.0, 5e-324, None]
    rows = pq.read_table(export / entry(body, SOURCE, "tables/../up")["file"]).to_pylist()
    assert [row["snapshot_id"]["tag"] for row in rows] == ["real", "integer", "text"]
    # Both zeros in one column: tagged, the negative one as its eight bytes.
    assert [(row["r"]["blob"], row["r"]["real"]) for row in rows[:2]] == [(b"\x80" + bytes(7), None), (None, 0.0)]
    assert sorted(name for name in tree(export) if name.startswith("artifacts/")) == [
        f"artifacts/sha256/{item[:2]}/{item}" for item in (_only_artifact(export),)
    ]


def _only_artifact(export: Path) -> str:
    (row,) = pq.read_table(export / entry(manifest(export), "source", "db")["file"]).to_pylist()
    return str(row["artifact"])


def test_the_same_content_gives_the_same_bytes(empty_lake: Path, tmp_path: Path) -> None:
    paths = [hostile_database(tmp_path / "a.sqlite"), build(tmp_path / "b.sqlite", "CREATE TABLE t (v)")]
    rows = [{"db": "d", "key": f"k{n % 3}", "child_rowid": n, "parent_rowid": -n} for n in range(40)]
    found = []
    for name, order, batches in (
        ("one", paths, [rows]),
        ("two", paths[::-1], [rows[n : n + 8] for n in range(0, 40, 8)]),
    ):
        with Lake.open(shutil.copytree(empty_lake, tmp_path / name)) as lake:
            for path in order:
                ingest_database(lake, path, "c")
            for batch in batches:
                lake.commit("x", lambda cursor, batch=batch: (append(cursor, "source.key_edge", batch[::-1]), {}))
            export_lake(lake, tmp_path / f"{name} export")
        found.append(without_events(tmp_path / f"{name} export"))
    assert found[0] == found[1]


def test_odd_folders(lake: Lake, tmp_path: Path) -> None:
    name = "with 'quotes' and [a]*?{b}%20 湖"
    (tmp_path / name).mkdir()
    export_lake(lake, tmp_path / name / "export")
    import_lake(tmp_path / name / "export", tmp_path / name / "lake")
    with Lake.open(tmp_path / name / "lake", read_only=True) as new:
        export_lake(new, tmp_path / name / "again")
    assert without_events(tmp_path / name / "again") == without_events(tmp_path / name / "export")


def test_an_export_is_of_one_moment(
    lake: Lake, lake_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another process commits while tables are written is in none of them."""
    done: list[int] = []

    def commit_between(folder: Path, *rest: object) -> str:
        if not done:
            done.append(1)
            with Lake.open(lake_folder) as other:
                row = [{"run": "later", "corpus": None}]
                other.commit("x", lambda cursor: (append(cursor, "run.experiment", row), {}))
        return hashlib.sha256(folder.read_bytes()).hexdigest()

    monkeypatch.setattr("warehouse.exchange.file_digest", commit_between)
    export_lake(lake, tmp_path / "export")
    assert done
    assert entry(manifest(tmp_path / "export"), "run", "experiment")["rows"] == 0
    assert entry(manifest(tmp_path / "export"), "ledger", "event")["rows"] == 1


def test_the_demo(demo: Path, tmp_path: Path) -> None:
    with Lake.open(demo / "lake", read_only=True) as lake:
        export_lake(lake, tmp_path / "export")
        digest = content_digest(lake)
    import_lake(tmp_path / "export", tmp_path / "lake")
    with Lake.open(tmp_path / "lake", read_only=True) as lake:
        assert content_digest(lake) == digest
        assert [check for check in examine(lake) if not check.held] == []
        assert lake.rows("SELECT count(*) FROM metrics.task_accuracy")[0][0] == 3


# What is refused


@contextmanager
def refused(folder: Path, match: str) -> Iterator[None]:
    """The call is refused with one clear line, and leaves nothing behind; lakes that are open may change files."""

    def there() -> list[tuple[Path, bytes | None]]:
        paths = [path for path in sorted(folder.rglob("*")) if not (path.parent / "writer.lock").exists()]
        return [(path, path.read_bytes() if path.is_file() else None) for path in paths]

    before = there()
    with pytest.raises(BenchlakeError, match=match) as caught:
        yield
    assert str(caught.value).isprintable()
    assert there() == before


def test_targets_that_are_taken(lake: Lake, export: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("x")
    (tmp_path / "file").write_text("x")
    (tmp_path / "nowhere").symlink_to(tmp_path / "absent")
    for name in ("full", "file", "nowhere"):
        with refused(tmp_path, "is not an empty folder"):
            export_lake(lake, tmp_path / name)
        with refused(tmp_path, "is not an empty folder"):
            import_lake(export, tmp_path / name)
    with refused(tmp_path, "is in the lake itself"):
        export_lake(lake, lake.path / "export")
    with refused(tmp_path, "cannot have a backslash"):
        import_lake(export, tmp_path / "back\\slash")
    with refused(tmp_path, "must be UTF-8"):
        export_lake(lake, tmp_path / os.fsdecode(b"\xff"))
    (tmp_path / "empty").mkdir()
    import_lake(export, tmp_path / "empty")
    assert (tmp_path / "empty" / "catalog.sqlite").is_file()


def test_an_export_without_its_artifacts_is_not_made(lake: Lake, tmp_path: Path) -> None:
    ingest_database(lake, build(tmp_path / "a.sqlite", "CREATE TABLE t (v)"), "c")
    (digest,) = lake.artifacts.digests()
    lake.artifacts.path(digest).chmod(0o644)
    lake.artifacts.path(digest).write_bytes(b"other")
    with refused(tmp_path, "is damaged: see benchlake doctor"):
        export_lake(lake, tmp_path / "export")
    lake.artifacts.remove(digest)
    with refused(tmp_path, "is gone: see benchlake doctor"):
        export_lake(lake, tmp_path / "export")
    lake.commit("x", lambda cursor: (cursor.execute("UPDATE source.db SET artifact = '../../catalog.sqlite'"), {}))
    with refused(tmp_path, "is gone: see benchlake doctor"):
        export_lake(lake, tmp_path / "export")


def change(key: str, value: object) -> Callable[[Body], None]:
    return lambda body: body.__setitem__(key, value)


def change_table(key: str, value: object) -> Callable[[Body], None]:
    return lambda body: entry(body, "run", "experiment").__setitem__(key, value)


def change_source(key: str, value: object) -> Callable[[Body], None]:
    return lambda body: entry(body, SOURCE, "empty").__setitem__(key, value)


def drop_table(body: Body) -> None:
    body["tables"].remove(entry(body, "run", "experiment"))


def double_table(body: Body) -> None:
    body["tables"].append(entry(body, "run", "experiment") | {"name": "EXPERIMENT", "file": "tables/9999.parquet"})


COLUMNS = [{"name": "_rowid", "type": "BIGINT"}, {"name": "a", "type": "VARCHAR"}, {"name": "b", "type": "VARCHAR"}]
BAD_MANIFESTS: list[tuple[Callable[[Body], object], str]] = [
    (change("format", 2), "newer benchlake: upgrade benchlake"),
    (change("format", 0), "never wrote format 0"),
    (change("format", True), "format is not a number"),
    (change("schema_version", 999), "newer benchlake: upgrade benchlake"),
    (change("schema_version", 0), "never wrote format 1, schema version 0"),
    (change("schema_version", "7"), "schema_version is not a number"),
    (change("schema_version", -1), "schema_version is not a number"),
    (change("tables", {}), "tables is not a list"),
    (change("tables", [1]), "table 0: schema is missing"),
    (change("tables", []), "is not what schema version"),
    (lambda body: body.pop("tables"), "tables is missing"),
    (drop_table, "table run.experiment is not what schema version"),
    (double_table, "run.experiment comes twice"),
    (change_table("file", "../manifest.json"), r"is not of the form tables/0000.parquet"),
    (change_table("file", "/etc/passwd"), "is not of the form"),
    (change_table("file", "tables/../tables/0001.parquet"), "is not of the form"),
    (change_table("file", "tables/0001.parquet\n"), "is not of the form"),
    (change_table("file", "tables/0000.parquet"), "tables/0000.parquet comes twice"),
    (change_table("file", "tables/777777.parquet"), "777777.parquet is not there: no complete export"),
    (change_table("file", None), "is not of the form"),
    (change_table("sha256", "0" * 64), "other content than the manifest says"),
    (change_table("sha256", "X" * 64), "not 64 hex digits"),
    (change_table("rows", 1), "has 0 rows, and 1 by the manifest"),
    (change_table("rows", -1), "rows is not a number"),
    (change_table("rows", 1.0), "rows is not a number"),
    (change_table("name", "other"), "table run.experiment is not what schema version"),
    (change_table("name", ""), "name does not have 1 to 255 characters"),
    (change_table("name", "x" * 256), "name does not have 1 to 255 characters"),
    (change_table("name", "a\0b"), "not a text of Unicode characters other than NUL"),
    (change_table("name", "\ud800"), "not a text of Unicode characters other than NUL"),
    (change_table("name", 1), "not a text"),
    (change_table("schema", "src_unknown"), "run.experiment is not what schema version"),
    (change_table("comment", 1), "comment is not a text"),
    (change_table("columns", []), "columns is not a list of columns"),
    (change_table("columns", [{"name": "run"}]), "column|type is missing"),
    (change_table("columns", [{"name": "run", "type": "VARCHAR"}]), "run.experiment is not what schema version"),
    (change_source("schema", "src_unknown"), "the tables of src_unknown belong to no ingested database"),
    (change_source("schema", "SRC_ODD 'ONE' 湖"), "is not what schema version"),
    (change_source("schema", "src_odd 'ONE' 湖"), "cannot be imported: "),
    (change_source("columns", COLUMNS[:2]), "does not have the columns of src_odd 'one' 湖.empty"),
    (change_source("columns", [*COLUMNS[:2], {"name": "b", "type": "BLOB"}]), "does not have the columns"),
    (change_source("columns", [*COLUMNS[:2], {"name": "B", "type": "VARCHAR"}]), "does not have the columns"),
    (change_source("columns", [*COLUMNS[:2], {"name": "A", "type": "VARCHAR"}]), "table [0-9]+: a comes twice"),
    (
        change_source("columns", [*COLUMNS[:2], {"name": "b", "type": "INT); DROP TABLE run.experiment; --"}]),
        "which no lake has",
    ),
    (change_source("columns", [*COLUMNS[:2], {"name": "b", "type": ["VARCHAR"]}]), "which no lake has"),
]


@pytest.mark.parametrize(("damage", "match"), BAD_MANIFESTS, ids=[match for _, match in BAD_MANIFESTS])
def test_a_bad_manifest_is_refused(export: Path, tmp_path: Path, damage: Callable[[Body], object], match: str) -> None:
    body = manifest(export)
    damage(body)
    (export / "manifest.json").write_text(json.dumps(body), encoding="utf-8")
    with refused(tmp_path, match):
        import_lake(export, tmp_path / "lake")


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "is not JSON"),
        (b"\xff\xfe\x00", "is not JSON"),
        (b"[" * 200_000, "is not JSON"),
        (b'{"format": ' + b"1" * 5000 + b"}", "is not JSON"),
        (b"[]", "format is missing"),
        (b'{"format": NaN}', "format is not a number"),
    ],
)
def test_what_is_no_manifest_is_refused(export: Path, tmp_path: Path, data: bytes, match: str) -> None:
    (export / "manifest.json").write_bytes(data)
    with refused(tmp_path, match):
        import_lake(export, tmp_path / "lake")


def test_a_huge_manifest_is_not_read(export: Path, tmp_path: Path) -> None:
    with (export / "manifest.json").open("r+b") as handle:
        handle.truncate((64 << 20) + 1)
    with pytest.raises(BenchlakeError, match="is larger than 64 MiB"):
        import_lake(export, tmp_path / "lake")
    assert [path.name for path in tmp_path.iterdir()] == ["export"]


def test_files_that_are_gone_or_links(tmp_path: Path) -> None:
    file = tmp_path / "export" / "tables" / "0000.parquet"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"1")
    aside = tmp_path / "aside"

    def found() -> Path:
        return regular_file(tmp_path / "export", "tables/0000.parquet")

    assert found() == file
    file.rename(aside)
    with refused(tmp_path, "is not there: no complete export"):
        found()
    file.symlink_to(aside)
    with refused(tmp_path, "is a link: an export has none"):
        found()
    aside.rename(tmp_path / "elsewhere")
    with refused(tmp_path, "is a link: an export has none"):
        found()
    file.unlink()
    file.mkdir()
    with refused(tmp_path, "is not a file"):
        found()
    file.rmdir()
    os.mkfifo(file)
    with refused(tmp_path, "is not a file"):
        found()
    file.unlink()
    (tmp_path / "elsewhere").rename(file)
    file.parent.rename(aside)
    file.parent.symlink_to(aside)
    with refused(tmp_path, "is a link: an export has none"):
        found()
    (tmp_path / "export").rename(tmp_path / "moved")
    (tmp_path / "export").symlink_to(tmp_path / "moved")
    file.parent.unlink()
    aside.rename(file.parent)
    assert found() == file


@pytest.mark.parametrize("what", ["tables", "artifacts"])
def test_folders_that_are_links(export: Path, tmp_path: Path, what: str) -> None:
    (export / what).rename(tmp_path / "aside")
    (export / what).symlink_to(tmp_path / "aside")
    with refused(tmp_path, f"{what} is a link: an export has none"):
        import_lake(export, tmp_path / "lake")


def test_a_folder_that_is_no_export(tmp_path: Path) -> None:
    with refused(tmp_path, "manifest.json is not there: no complete export of benchlake"):
        import_lake(tmp_path / "absent", tmp_path / "lake")


def test_an_artifact_with_other_content(export: Path, tmp_path: Path) -> None:
    name = _only_artifact(export)
    (export / "artifacts" / "sha256" / name[:2] / name).write_bytes(b"other")
    with refused(tmp_path, "other content than its name says"):
        import_lake(export, tmp_path / "lake")


def rewrite(export: Path, schema: str, name: str, data: bytes | pa.Table, rows: int) -> None:
    """Put other content under a table, with a manifest that fits it."""
    body = manifest(export)
    item = entry(body, schema, name)
    path = export / item["file"]
    if isinstance(data, bytes):
        path.write_bytes(data)
    else:
        pq.write_table(data, path)
    item |= {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "rows": rows}
    (export / "manifest.json").write_text(json.dumps(body), encoding="utf-8")


def texts(*values: bytes) -> pa.Array:
    """Text that may not be UTF-8."""
    cells = pa.array(values, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(cells), cells.buffers())


def test_parquet_files_that_are_none_or_hold_other_things(export: Path, tmp_path: Path) -> None:
    whole = (export / entry(manifest(export), "ledger", "outcome")["file"]).read_bytes()
    cases: list[tuple[bytes | pa.Table, str]] = [
        (b"", "Parquet"),
        (b"PAR1" + b"\0" * 100 + b"PAR1", "is not a sound Parquet file"),
        (whole, "does not have the columns of run.experiment"),
        (pa.table({"run": [1], "corpus": ["c"]}), "does not have the columns"),
        (pa.table([["r"], ["c"]], names=["corpus", "run"]), "does not have the columns"),
        (pa.table([["r"], ["c"]], names=["run", "run"]), "does not have the columns"),
        (pa.table({"run": ["r", "s"], "corpus": ["c", None]}), "has 2 rows, and 1 by the manifest"),
        (pa.table({"run": texts(b"\xff"), "corpus": texts(b"c")}), "cannot be imported: .*UTF8"),
    ]
    for data, match in cases:
        rewrite(export, "run", "experiment", data, 1)
        with refused(tmp_path, match):
            import_lake(export, tmp_path / "lake")
    rewrite(export, "run", "experiment", pa.table({"run": ["r"], "corpus": ["c"]}), 1)
    import_lake(export, tmp_path / "lake")


def test_rows_that_name_no_digest(export: Path, tmp_path: Path) -> None:
    gold = pa.table({"task": ["t"], "task_name": ["n"], "file": ["../../../etc/passwd"]})
    rewrite(export, "evaluation", "gold", gold, 1)
    with refused(tmp_path, "evaluation.gold.file has ../../../etc/passwd, which is no SHA-256"):
        import_lake(export, tmp_path / "lake")


def test_an_export_of_an_older_schema_is_brought_up(empty_lake: Path, export: Path, tmp_path: Path) -> None:
    older = migrate.latest_version() - 1
    with Lake.create(tmp_path / "older", version=older) as lake, one_snapshot(lake) as cursor:
        had = {(table.schema, table.name) for table in tables(cursor)}
    body = manifest(export)
    body["schema_version"] = older
    body["tables"] = [
        item for item in body["tables"] if item["schema"].startswith("src_") or (item["schema"], item["name"]) in had
    ]
    (export / "manifest.json").write_text(json.dumps(body), encoding="utf-8")
    import_lake(export, tmp_path / "lake")
    with Lake.open(tmp_path / "lake", read_only=True) as lake:
        assert [check for check in examine(lake) if not check.held] == []
        details = lake.rows("SELECT detail FROM ledger.event WHERE stage = 'lake' ORDER BY recorded_at DESC LIMIT 2")
        assert [json.loads(row[0])["to"] for row in details] == [older + 1, older]


# Any small table

CELLS = (
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.binary(max_size=8),
)
CLASSES = (CELLS, *((kind,) for kind in CELLS))
IDENTIFIERS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)


@st.composite
def small_tables(draw: st.DrawFn) -> tuple[list[str], list[tuple[object, ...]]]:
    """A table's columns and rows; columns hold one class of cells or any."""
    columns = draw(st.lists(IDENTIFIERS, min_size=1, max_size=4, unique_by=str.casefold))
    kinds = draw(st.lists(st.sampled_from(CLASSES), min_size=len(columns), max_size=len(columns)))
    return columns, draw(st.lists(st.tuples(*(st.one_of(st.none(), *kind) for kind in kinds)), max_size=6))


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    drawn=st.dictionaries(
        IDENTIFIERS.filter(lambda name: not name.lower().startswith("sqlite_")), small_tables(), min_size=1
    )
)
def test_any_small_tables_come_back(
    empty_lake: Path,
    tmp_path_factory: pytest.TempPathFactory,
    drawn: dict[str, tuple[list[str], list[tuple[object, ...]]]],
) -> None:
    distinct = {name.casefold(): (name, *table) for name, table in drawn.items()}.values()
    folder = tmp_path_factory.mktemp("any")
    path = build(
        folder / "any.sqlite",
        *(f"CREATE TABLE {quote(name)} ({', '.join(map(quote, columns))})" for name, columns, _ in distinct),
        rows={
            f"INSERT INTO {quote(name)} VALUES ({', '.join('?' * len(columns))})": rows
            for name, columns, rows in distinct
        },
    )
    with Lake.open(shutil.copytree(empty_lake, folder / "lake")) as lake:
        ingest_database(lake, path, "c")
        export_lake(lake, folder / "export")
        before = source_digests(lake)
    assert len(before) == len(distinct)
    import_lake(folder / "export", folder / "new")
    with Lake.open(folder / "new", read_only=True) as lake:
        assert source_digests(lake) == before


def source_digests(lake: Lake) -> dict[str, str]:
    with one_snapshot(lake) as cursor:
        return {t.name: table_digest(cursor, t) for t in tables(cursor) if t.schema.startswith("src_")}
