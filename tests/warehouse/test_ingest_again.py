"""Ingest twice, beside others, and of what cannot be taken: what the lake keeps."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cells import same, schema_of, snapshots, take
from databases import build, forge

from warehouse import Lake, ingest_db
from warehouse.errors import BenchlakeError
from warehouse.ingest import ingest_corpus
from warehouse.ingest_db import IngestedDb


@pytest.fixture(scope="module")
def lake(module_lake: Lake) -> Lake:
    """One lake for all tests here: each has a corpus of its own."""
    return module_lake


def test_again_and_elsewhere(lake: Lake, corpus: str, tmp_path: Path) -> None:
    path = build(tmp_path / "x.sqlite", "CREATE TABLE t (a PRIMARY KEY, b)", "INSERT INTO t VALUES (1, 'x')")
    first = take(lake, corpus, path)
    before = snapshots(lake)
    again = take(lake, corpus, path)
    assert snapshots(lake) == before
    assert (again.db, again.tables, again.rows, again.new) == (first.db, first.tables, first.rows, False)
    # The same file is the same database wherever it lies.
    (tmp_path / "copy").mkdir()
    assert not take(lake, corpus, Path(shutil.copy(path, tmp_path / "copy" / "x.sqlite"))).new
    assert snapshots(lake) == before
    other = build(tmp_path / "copy" / "x.sqlite", "INSERT INTO t VALUES (2, 'y')")
    with pytest.raises(BenchlakeError, match="already holds a database 'x' with other content"):
        take(lake, corpus, other)
    assert snapshots(lake) == before
    # Another corpus may hold it under the same name, and this one under another.
    elsewhere = take(lake, corpus + "2", path)
    assert elsewhere.new and elsewhere.db != first.db
    same(lake, elsewhere, path)
    renamed = take(lake, corpus, Path(shutil.copy(path, tmp_path / "y.sqlite")))
    assert renamed.new
    assert len({schema_of(lake, done) for done in (first, elsewhere, renamed)}) == 3
    assert lake.rows("SELECT count(DISTINCT artifact) FROM source.db WHERE corpus LIKE ? || '%'", [corpus]) == [(1,)]


def test_a_name_taken_while_it_is_ingested(
    lake: Lake, corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process ingests a database of the same name into another corpus between the two commits of this one."""
    path = build(tmp_path / "taken.sqlite", "CREATE TABLE t (row_id, v)", "INSERT INTO t VALUES (1, -0.0), ('x', 2)")
    survey = ingest_db._Work.survey
    first: list[IngestedDb] = []

    def interrupted(work: Any) -> None:
        survey(work)
        if not first:
            first.append(IngestedDb("", "", 0, 0, (), True))
            work.lake.commit("ingest", work._make_schema)
            first[0] = take(lake, corpus + " first", path)

    monkeypatch.setattr(ingest_db._Work, "survey", interrupted)
    done = take(lake, corpus, path)
    same(lake, done, path)
    same(lake, first[0], path)
    assert schema_of(lake, done) != schema_of(lake, first[0])


def test_the_same_database_taken_while_it_is_ingested(
    lake: Lake, corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process ingests the same file into the same corpus meanwhile."""
    path = build(tmp_path / "x.sqlite", "CREATE TABLE t (v)", "INSERT INTO t VALUES (1)")
    survey = ingest_db._Work.survey
    after: list[tuple[int, int]] = []

    def interrupted(work: Any) -> None:
        survey(work)
        if not after:
            after.append((0, 0))
            assert take(lake, corpus, path).new
            after[0] = snapshots(lake)

    monkeypatch.setattr(ingest_db._Work, "survey", interrupted)
    assert not take(lake, corpus, path).new
    assert snapshots(lake) == after[0]


@pytest.mark.parametrize(
    ("statements", "forged"),
    [
        # Read only while the rows are taken, or only while the keys are followed.
        (
            ("CREATE TABLE t (a, b AS (a))", "INSERT INTO t VALUES (1)"),
            "CREATE TABLE t (a, b AS (a LIKE 'x' ESCAPE 'yy'))",
        ),
        (("CREATE TABLE t (a, b AS (a))", f"INSERT INTO t VALUES ({-(2**63)})"), "CREATE TABLE t (a, b AS (abs(a)))"),
        (("CREATE TABLE t (a, b AS (a))", "INSERT INTO t VALUES (2000000)"), "CREATE TABLE t (a, b AS (zeroblob(a)))"),
        (("CREATE TABLE t (a REFERENCES p (b))", "CREATE TABLE p (b COLLATE absent)"), None),
    ],
)
def test_what_cannot_be_read_leaves_no_trace(
    lake: Lake, corpus: str, tmp_path: Path, statements: tuple[str, ...], forged: str | None
) -> None:
    path = tmp_path / "x.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.create_collation("absent", lambda a, b: (a > b) - (a < b))
        for statement in statements:
            connection.execute(statement)
    if forged is not None:
        forge(path, "UPDATE sqlite_master SET sql = ?", forged)
    before = snapshots(lake)
    with pytest.raises(BenchlakeError) as caught:
        take(lake, corpus, path)
    assert str(path) in str(caught.value) and str(caught.value).isprintable()
    assert snapshots(lake) == before


def test_a_corpus_with_a_bad_database(lake: Lake, corpus: str, tmp_path: Path) -> None:
    """The others go on; the bad one is named in a line."""
    good = [build(tmp_path / f"{name}.sqlite", "CREATE TABLE t (v)") for name in ("a", "c")]
    bad = tmp_path / "b\nb.sqlite"
    bad.write_bytes(b"nothing")
    report = ingest_corpus(lake, corpus, [good[0], bad, good[1]])
    assert report.new_databases == 2 and len(report.problems) == 1
    assert report.problems[0].isprintable() and "b\\nb.sqlite" in report.problems[0]
    for name in ("", "x" * 201, "a\nb", "\x7f", "\udcff"):
        with pytest.raises(BenchlakeError, match="corpus name"):
            ingest_corpus(lake, name, good)
    with pytest.raises(BenchlakeError, match="two databases are called 'a'"):
        ingest_corpus(lake, corpus, [good[0], good[0]])
