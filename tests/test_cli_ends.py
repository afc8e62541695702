"""How commands end: closed and broken streams, Ctrl-C, names from outside on a terminal, one thing and two."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner
from databases import build

import cli
from warehouse import BenchlakeError, Lake, interrupt
from warehouse.doctor import examine
from warehouse.results import Result
from warehouse.shown import plural

HERE = Path(cli.__file__).parent
ODD = "a\x1b[31m\nb"
COMMAND = [sys.executable, "-c", "import cli; cli.main()"]


@pytest.fixture(autouse=True)
def ctrl_c_counts():
    """Ctrl-C acts here and in children even where the tests run in the background, to which shells deny it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake of a database whose names act on a terminal."""
    folder = tmp_path_factory.mktemp("ends")
    database = build(
        folder / "x.sqlite",
        f'CREATE VIRTUAL TABLE "{ODD}" USING fts5(a)',
        "CREATE TABLE t (a)",
        "INSERT INTO t VALUES (1)",
    )
    done = run("ingest", "sqlite", database, "--corpus", "c", "--lake", folder / "lake")
    assert "refused x.a\\x1b[31m\\nb: virtual_table" in done.stdout
    return folder / "lake"


def run(*arguments: object, code: int = 0):
    result = CliRunner().invoke(cli.main, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


def shell(line: str, lake: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "BENCHLAKE_LAKE": str(lake)}
    text = line.replace("benchlake", " ".join(f"'{word}'" for word in COMMAND))
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {text}"], cwd=HERE, env=environment, capture_output=True, text=True
    )


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("benchlake status >&-", 0),
        ("benchlake status --json >&- 2>&-", 0),
        ("benchlake status <&- >&- 2>&-", 0),
        ("benchlake sql 'FROM range(3)' --csv >&-", 0),
        ("benchlake sql 'FROM nowhere' >&- 2>&-", 2),
        ("benchlake sql 'FROM range(3)' | true", 0),
        ("benchlake sql 'FROM range(100000)' | head -1 >&2", 0),
        ("benchlake sql 'FROM range(1000000)' --json | head -1 >&2", 0),
        ("benchlake tables | head -1 >&2", 0),
        ("benchlake status > /dev/full", 2),
    ],
)
def test_streams_that_nobody_reads(lake: Path, line: str, code: int) -> None:
    done = shell(line, lake)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr
    assert len(done.stderr.splitlines()) <= 2


def test_streams_that_nobody_reads_leave_the_lake_sound(lake: Path) -> None:
    with Lake.open(lake, read_only=True) as opened:
        assert all(check.held for check in examine(opened))


def test_ctrl_c_while_rows_are_printed(lake: Path) -> None:
    command = [*COMMAND, "sql", "FROM range(100000000000)", "--csv", "--lake", str(lake)]
    with subprocess.Popen(command, cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == "range\n"
        late = threading.Timer(60, process.kill)
        late.start()
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        said = process.stderr.read()
        late.cancel()
    assert process.returncode == 130
    assert said.startswith("benchlake: interrupted") and len(said.splitlines()) == 1


def test_ctrl_c_while_a_query_computes(lake: Path, monkeypatch) -> None:
    """The query is stopped with it: closing the lake does not wait for what would run for days."""
    original = Result.head

    def head(result: Result, count: int):
        threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
        return original(result, count)

    monkeypatch.setattr(Result, "head", head)
    endless = "SELECT count(*) FROM range(100000000000) a, range(1000) b WHERE a.range * b.range % 7 = 3"
    assert run("sql", endless, "--lake", lake, code=130).stderr.startswith("benchlake: interrupted")


@pytest.mark.parametrize(
    "swallowed",
    [
        None,
        RuntimeError("Query interrupted"),
        BenchlakeError("cannot be read (interrupted)"),
        OSError(5, "x"),
        SystemExit(2),
    ],
)
def test_ctrl_c_that_an_engine_makes_an_error_of(lake: Path, monkeypatch, swallowed) -> None:
    def pressed(*_: object) -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            if swallowed is not None:
                raise swallowed from None
            raise

    monkeypatch.setattr("warehouse.status.stage_status", pressed)
    said = run("status", "--lake", lake, code=130).stderr
    assert said.startswith("benchlake: interrupted") and len(said.splitlines()) == 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_that_is_swallowed_commits_nothing(lake: Path, tmp_path: Path, monkeypatch) -> None:
    """A stage that takes it for a fault of its input goes on; it ends at the next commit."""
    shutil.copytree(lake, tmp_path / "lake")
    databases = [build(tmp_path / f"{name}.sqlite", "CREATE TABLE t (a)") for name in "pq"]
    from warehouse import ingest_db

    original = ingest_db.check_pages

    def pressed(connection, name):
        if "p.sqlite" in name:
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                raise BenchlakeError("p.sqlite: cannot be read (interrupted)") from None
        original(connection, name)

    monkeypatch.setattr(ingest_db, "check_pages", pressed)
    arguments = ("ingest", "sqlite", *databases, "--corpus", "other", "--lake", tmp_path / "lake")
    assert len(run(*arguments, code=130).stderr.splitlines()) == 1
    with Lake.open(tmp_path / "lake", read_only=True) as opened:
        assert opened.rows("SELECT count(*) FROM source.db WHERE corpus = 'other'") == [(0,)]
        assert all(check.held for check in examine(opened))
    monkeypatch.setattr(ingest_db, "check_pages", original)
    assert "2 new databases of 2" in run(*arguments).stdout


def test_a_watch_ends_with_its_body(lake: Path) -> None:
    with pytest.raises(KeyboardInterrupt), interrupt.watched():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert interrupt.pressed()
        interrupt.check()
    assert not interrupt.pressed()
    with Lake.open(lake, read_only=True) as opened:
        assert opened.rows("SELECT 1") == [(1,)]


@pytest.mark.parametrize(
    "arguments",
    [
        ("status", "--lake", ODD),
        ("status", "--corpus", ODD),
        ("sql", f'FROM "{ODD}"'),
        ("sql", "SELECT 1", "--parquet", f"{ODD}/x/y"),
        ("config", ODD),
        ("config", ODD, "--set", ODD),
        ("sample", "--policy", ODD),
        ("render", "--corpus", ODD),
        ("materialise", "--out", ODD, "--corpus", ODD),
        ("score", "--run", ODD),
        ("score", "--predictions", ODD, "--gold", ODD, "--configs", ODD, "--output", ODD),
        ("ingest", "sqlite", ODD, "--corpus", "c"),
        ("ingest", "sqlite", ".", "--corpus", "c"),
        ("ingest", "sqlite", "x.db", "--corpus", ODD),
        ("ingest", "sqlite", "x.db", "--corpus", "c", "--relations", ODD),
        ("ingest", "sqlite", "x.db", "--corpus", "c", "--questions", ODD, "--format", "jsonl"),
        ("ingest", "predictions", ODD, "--run", "r"),
        ("export", f"{ODD}/../x.db"),
        ("import", ODD),
        ("demo", "--out", "."),
    ],
)
def test_names_in_messages_do_not_act_on_a_terminal(lake: Path, tmp_path: Path, monkeypatch, arguments) -> None:
    folder = tmp_path / ODD
    folder.mkdir()
    (folder / "file").write_text("")
    monkeypatch.chdir(folder)
    if arguments != ("ingest", "sqlite", ".", "--corpus", "c"):
        build(Path("x.db"), "CREATE TABLE t (a)")
    monkeypatch.setenv("BENCHLAKE_LAKE", str(lake))
    said = run(*arguments, code=2)
    assert said.stderr
    for text in (said.stdout, said.stderr):
        assert "\x1b" not in text
    assert len([line for line in said.stderr.splitlines() if line.startswith("benchlake:")]) <= 1


def test_names_in_reports_do_not_act_on_a_terminal(lake: Path, tmp_path: Path) -> None:
    place = tmp_path / ODD
    texts = [
        run("export", place / "out", "--lake", lake).stdout,
        run("import", place / "out", "--lake", place / "lake").stdout,
        run("sql", "SELECT 1 AS x", "--parquet", place / "x.parquet", "--lake", place / "lake").stderr,
        run("sql", f"SELECT '{ODD}' AS \"{ODD}\"", "--lake", lake).stdout,
        run("tables", "--lake", lake).stdout,
        run("doctor", "--lake", place / "lake").stdout,
    ]
    assert not any("\x1b" in text for text in texts)


def test_one_and_many(lake: Path, tmp_path: Path) -> None:
    assert [plural(count, "row") for count in (0, 1, 2)] == ["0 rows", "1 row", "2 rows"]
    database = build(tmp_path / "one.sqlite", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)")
    (tmp_path / "q.jsonl").write_text(json.dumps({"id": 1, "question": "?", "sql": "SELECT a FROM t"}))
    new = ("--lake", tmp_path / "lake")
    said = [
        run("ingest", "sqlite", database, "--corpus", "c", "--questions", tmp_path / "q.jsonl", "--format", "jsonl", *new),
        run("sample", *new), run("render", *new), run("materialise", "--out", tmp_path / "out", *new),
        run("doctor", *new),
    ]  # fmt: skip
    (tmp_path / "predictions" / "task_1").mkdir(parents=True)
    predict = ("ingest", "predictions", tmp_path / "predictions", "--run", "r", *new)
    first = run(*predict)
    assert "nothing to do" not in first.stderr
    # Also where the run has no prediction yet: the second time nothing is new.
    assert "nothing to do" in run(*predict).stderr
    shutil.copy(tmp_path / "out/output/task_1/gold.csv", tmp_path / "predictions/task_1/prediction.csv")
    again = run(*predict)
    assert "1 prediction taken" in again.stdout and "nothing to do" not in again.stderr
    (tmp_path / "predictions" / "task_9").mkdir()
    assert "nothing to do" not in run(*predict).stderr
    assert "nothing to do" in run(*predict).stderr
    said += [first, again, run("score", *new)]
    text = "\n".join(item.output for item in said)
    for things in (
        "databases",
        "tables",
        "rows",
        "questions",
        "workspaces",
        "tasks",
        "predictions",
        "folders",
        "writers",
        "new verdicts",
        "files",
    ):
        assert f" 1 {things}" not in f" {text}", things
