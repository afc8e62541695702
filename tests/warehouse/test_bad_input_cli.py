"""Bad input through the command line: one clear line, exit code 2, and a lake that is as it was."""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from cells import snapshots
from click.testing import CliRunner, Result
from databases import build

import cli
from builder.sample import Policy, sample
from warehouse import Lake
from warehouse.ingest import ingest_corpus

QUESTION = '{"id": "a", "db_id": "good", "question": "how many?", "sql": "SELECT count(*) FROM t"}\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, empty_lake: Path) -> Path:
    """A folder with a lake that holds one database and one sampled question, and bad files of every kind."""
    folder = tmp_path_factory.mktemp("bad")
    shutil.copytree(empty_lake, folder / "lake")
    build(folder / "good.sqlite", "CREATE TABLE t (a PRIMARY KEY)", "INSERT INTO t VALUES (1), (2)")
    (folder / "good.jsonl").write_text(QUESTION, encoding="utf-8")
    with Lake.open(folder / "lake") as lake:
        ingest_corpus(lake, "known", [folder / "good.sqlite"], folder / "good.jsonl", "jsonl")
        sample(lake, Policy())
    make_bad_files(folder)
    return folder


def make_bad_files(folder: Path) -> None:
    (folder / "empty.sqlite").touch()
    (folder / "text.sqlite").write_text("hello")
    (folder / "random.sqlite").write_bytes(random.Random(1).randbytes(5000))
    (folder / "short.sqlite").write_bytes((folder / "good.sqlite").read_bytes()[:-100])
    damaged = bytearray((folder / "good.sqlite").read_bytes())
    damaged[100:110] = b"\xff" * 10
    (folder / "damaged.sqlite").write_bytes(damaged)
    build(folder / "line\nfeed.sqlite", "CREATE TABLE t (a)")
    (folder / "esc\x1b[31m.sqlite").write_text("red")
    os.mkfifo(folder / "fifo.sqlite")
    (folder / "loop.sqlite").symlink_to("loop.sqlite")
    (folder / "nothing").mkdir()
    (folder / "again").mkdir()
    build(folder / "again" / "good.sqlite", "CREATE TABLE other (a)")
    build(folder / "hot.sqlite", "CREATE TABLE t (a)")
    (folder / "hot.sqlite-journal").write_bytes(b"\xd9\xd5" * 300)
    with closing(sqlite3.connect(folder / "collation.sqlite")) as connection:
        connection.create_collation("OWN", lambda a, b: (a > b) - (a < b))
        connection.execute("CREATE TABLE t (a COLLATE OWN PRIMARY KEY)")
    (folder / "open.json").write_text("[")
    (folder / "list.json").write_text("[1]")
    (folder / "deep.json").write_text("[" * 100_000)
    (folder / "latin.json").write_bytes(b'["\xe9"]')
    (folder / "relation.json").write_text(
        '[{"child_table": "t", "child_columns": ["x"], "parent_table": "t", "parent_columns": ["a"]}]'
    )
    (folder / "other.json").write_text(
        '[{"db_id": "other", "child_table": "t", "child_columns": ["a"], "parent_table": "t", "parent_columns": ["a"]}]'
    )
    for name, text in BAD_POLICIES.items():
        (folder / f"{name}.toml").write_text(text)
    (folder / "full").mkdir()
    (folder / "full" / "mine.txt").write_text("mine")


NOT_UTF8 = b"\xff".decode("utf-8", "surrogateescape")
INGEST = ("ingest", "sqlite", "good.sqlite", "--corpus", "new")
ASKED = (*INGEST, "--questions")
BAD_DATABASES = (
    "absent.sqlite", "empty.sqlite", "text.sqlite", "random.sqlite", "short.sqlite", "damaged.sqlite",
    "line\nfeed.sqlite",
    "esc\x1b[31m.sqlite", "fifo.sqlite", "loop.sqlite", "hot.sqlite", "collation.sqlite", "/dev/zero", "", NOT_UTF8,
    "x" * 300, "good.sqlite/below", "100%41?mode=rwc#x",
)  # fmt: skip
BAD_POLICIES = {
    "open": "seed =", "key": "sed = 1", "kind": "seed = 1.5", "range": "budget = 0", "list": "tables = 3", "nul": "\0",
    "deep": "a = " + "[" * 50_000,
}  # fmt: skip
FAILS_LATE = "SELECT CASE WHEN range = 9999 THEN error('l\nate') END FROM range(10000)"
BAD = {
    "no database below": ("ingest", "sqlite", "nothing", "--corpus", "new"),
    "empty corpus": ("ingest", "sqlite", "good.sqlite", "--corpus", ""),
    "long corpus": ("ingest", "sqlite", "good.sqlite", "--corpus", "x" * 201),
    "corpus of two lines": ("ingest", "sqlite", "good.sqlite", "--corpus", "a\nb"),
    "corpus that is no text": ("ingest", "sqlite", "good.sqlite", "--corpus", NOT_UTF8),
    "no corpus": ("ingest", "sqlite", "good.sqlite"),
    "two of one name": ("ingest", "sqlite", "good.sqlite", "again/good.sqlite", "--corpus", "new"),
    "questions without a form": (*ASKED, "good.jsonl"),
    "a form that is none": (*ASKED, "good.jsonl", "--format", "csv"),
    "absent questions": (*ASKED, "absent.json", "--format", "spider"),
    "questions that are a folder": (*ASKED, "nothing", "--format", "spider"),
    "questions that are a pipe": (*ASKED, "fifo.sqlite", "--format", "jsonl"),
    "questions that do not end": (*ASKED, "open.json", "--format", "spider"),
    "questions nested without end": (*ASKED, "deep.json", "--format", "bird"),
    "questions that are not UTF-8": (*ASKED, "latin.json", "--format", "spider"),
    "questions that are a database": (*ASKED, "good.sqlite", "--format", "ehrsql"),
    "questions of another form": (*ASKED, "good.jsonl", "--format", "bull"),
    "absent relations": (*INGEST, "--relations", "absent.json"),
    "relations that are none": (*INGEST, "--relations", "list.json"),
    "relations of another database": (*INGEST, "--relations", "other.json"),
    "predictions from nowhere": ("ingest", "predictions", "absent", "--run", "r"),
    "predictions from a file": ("ingest", "predictions", "good.jsonl", "--run", "r"),
    "predictions of no corpus": ("ingest", "predictions", "nothing", "--run", "r", "--corpus", "none"),
    "predictions of no run": ("ingest", "predictions", "nothing", "--run", ""),
    "predictions of a run that is no text": ("ingest", "predictions", "nothing", "--run", NOT_UTF8),
    "sample of no corpus": ("sample", "--corpus", "none"),
    "sample of a corpus that is no text": ("sample", "--corpus", NOT_UTF8),
    "sample of none": ("sample", "--limit", "0"),
    "sample of words": ("sample", "--limit", "many"),
    "absent policy": ("sample", "--policy", "absent.toml"),
    "policy that is a folder": ("sample", "--policy", "nothing"),
    "policy that is a database": ("sample", "--policy", "good.sqlite"),
    **{f"policy {name}": ("sample", "--policy", f"{name}.toml") for name in BAD_POLICIES},
    "render of no corpus": ("render", "--corpus", "none"),
    "configuration of no task": ("config", "task_99"),
    "configuration of a task that is no text": ("config", NOT_UTF8),
    "configuration from nowhere": ("config", "task_1", "--set", "absent.json"),
    "release over a file": ("materialise", "--out", "good.jsonl"),
    "release over other files": ("materialise", "--out", "full"),
    "release of no corpus": ("materialise", "--out", "release", "--corpus", "none"),
    "score of no run": ("score", "--run", "none"),
    "score of both kinds": ("score", "--predictions", "nothing", "--run", "r"),
    "status of no corpus": ("status", "--corpus", "none"),
    "status of a corpus that is no text": ("status", "--corpus", NOT_UTF8),
    "SQL that is none": ("sql", "SELEC 1"),
    "SQL that fails late": ("sql", FAILS_LATE, "--parquet", "x.parquet"),
    "SQL that writes": ("sql", "DELETE FROM source.question"),
    "SQL that is no text": ("sql", f"SELECT '{NOT_UTF8}'"),
    "SQL in two forms": ("sql", "SELECT 1", "--csv", "--json"),
    "Parquet over a folder": ("sql", "SELECT 1", "--parquet", "nothing"),
    "Parquet nowhere": ("sql", "SELECT 1", "--parquet", "absent/x.parquet"),
    "Parquet over the root": ("sql", "SELECT 1", "--parquet", "/"),
    "export over files": ("export", "full"),
    "export over a file": ("export", "good.jsonl"),
    "import from nowhere": ("import", "absent"),
    "import from what is no export": ("import", "full"),
    "import into a lake": ("import", "nothing"),
    "completion of no shell": ("completion", "csh"),
    "no command": ("nonsense",),
}  # fmt: skip


@pytest.fixture(scope="module")
def reader(folder: Path) -> Iterator[Lake]:
    """The lake, open beside the commands."""
    with Lake.open(folder / "lake", read_only=True) as lake:
        yield lake


@pytest.fixture
def invoke(folder: Path, reader: Lake, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Result]]:
    """Runs a command on the lake; afterwards the lake and every other file must be as before."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("BENCHLAKE_LAKE", "lake")

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(cli.main, list(arguments))

    before, content = listing(folder), snapshots(reader)
    yield run
    assert (listing(folder), snapshots(reader)) == (before, content)


def listing(folder: Path) -> list[tuple[str, int]]:
    """What lies beside the lake."""
    return sorted((path.name, path.lstat().st_size) for path in folder.iterdir() if path.name != "lake")


def said(result: Result) -> str:
    """The one line of a refusal, whoever wrote it."""
    assert result.exit_code == 2, (result.exit_code, result.output, result.exception)
    assert isinstance(result.exception, SystemExit)
    lines = result.stderr.splitlines()
    if lines[0].startswith("Usage: "):
        # Click's own form: usage, a hint, an empty line and the error.
        assert lines[-1].startswith("Error: ") and len(lines) <= 4, lines
        return lines[-1]
    assert len(lines) == 1 and lines[0].startswith("benchlake: ") and len(lines[0]) > 20, lines
    assert lines[0].isprintable(), lines
    return lines[0]


@pytest.mark.parametrize("name", BAD_DATABASES)
def test_bad_databases(invoke: Callable[..., Result], name: str) -> None:
    said(invoke("ingest", "sqlite", name, "--corpus", "new"))


def test_a_bad_database_among_good_ones_as_json(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the good one is taken: the report on stdout is whole, whatever the bad one's name is."""
    monkeypatch.chdir(folder)
    arguments = ["ingest", "sqlite", "good.sqlite", NOT_UTF8, "--corpus", "mixed", "--json", "--lake", "lake"]
    result = CliRunner().invoke(cli.main, arguments)
    assert said(result)
    assert '"new_databases": 1' in result.stdout and "\\\\udcff: the file name" in result.stdout


@pytest.mark.parametrize("case", BAD)
def test_bad_commands(invoke: Callable[..., Result], case: str) -> None:
    result = invoke(*BAD[case])
    said(result)
    assert result.stdout == ""


def test_what_the_lake_holds_already(invoke: Callable[..., Result]) -> None:
    assert "other content" in said(invoke("ingest", "sqlite", "again/good.sqlite", "--corpus", "known"))
    assert "cannot be bound" in said(
        invoke("ingest", "sqlite", "good.sqlite", "--corpus", "known", "--relations", "relation.json")
    )


@pytest.mark.parametrize(
    "lake",
    ["absent", "nothing", "good.sqlite", "good.sqlite/below", "back\\slash", NOT_UTF8, "x" * 300, "/dev/null", ""],
)
def test_lakes_that_are_none(folder: Path, monkeypatch: pytest.MonkeyPatch, lake: str) -> None:
    monkeypatch.chdir(folder)
    before = listing(folder)
    for command in (("sample",), ("status",), ("sql", "SELECT 1"), ("doctor",), ("vacuum",), ("export", "out")):
        said(CliRunner().invoke(cli.main, [*command, "--lake", lake]))
    assert listing(folder) == before


def test_the_real_command(folder: Path) -> None:
    """No traceback from the interpreter itself, bytes that are no text and closed streams included."""
    command = [sys.executable, "-m", "cli"]
    for arguments in (
        [b"ingest", b"sqlite", b"\xff\xfe.sqlite", b"--corpus", b"x", b"--lake", b"lake"],
        [b"sql", b"SELECT '\xff'", b"--lake", b"lake"],
        [b"status", b"--corpus", b"\xff", b"--lake", b"lake"],
    ):
        done = subprocess.run(
            [*command, *arguments],
            capture_output=True,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(Path(cli.__file__).parent)},
        )
        assert done.returncode == 2, done
        assert done.stderr.startswith(b"benchlake: ") and done.stderr.count(b"\n") == 1, done.stderr
