"""The command line: data on stdout, narration on stderr, exit codes, doing it twice."""

import csv
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import cli
from builder.demo.corpus import write_demo


def run(*arguments: object, code: int = 0):
    result = CliRunner().invoke(cli.main, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The main job by commands alone, on the clinic; returns its folder and what each command said."""
    folder = tmp_path_factory.mktemp("cli")
    sources = write_demo(folder / "sources")
    lake = folder / "lake"
    said = {}
    commands = {
        "ingest": ("ingest", "sqlite", sources.databases[1], "--corpus", "clinic", "--questions", sources.questions[1], "--format", "jsonl", "--lake", lake),
        "sample": ("sample", "--corpus", "clinic", "--limit", 8, "--lake", lake),
        "render": ("render", "--lake", lake),
        "materialise": ("materialise", "--out", folder / "release", "--lake", lake),
        "predict": ("ingest", "predictions", folder / "predictions", "--run", "me", "--lake", lake),
        "score": ("score", "--lake", lake),
    }  # fmt: skip
    for name, arguments in commands.items():
        if name == "predict":
            for task in (folder / "release/output").iterdir():
                target = folder / "predictions" / task.name / "prediction.csv"
                target.parent.mkdir(parents=True)
                shutil.copy(task / "gold.csv", target)
        said[name] = run(*arguments)
    return folder, commands, said


def test_the_main_job(built):
    folder, _, said = built
    assert "1 new database of 1: " in said["ingest"].stdout
    assert said["score"].stdout.split()[-4:] == ["me", "8", "8", "100.00%"]
    status = json.loads(run("status", "--json", "--lake", folder / "lake").stdout)
    assert status["ingest"] == {"accepted": 24, "rejected": 0, "pending": 0, "codes": {}}
    assert status["sample"]["accepted"] + status["sample"]["rejected"] == 8
    assert status["sample"]["pending"] == 16
    assert status["score"]["accepted"] == status["render"]["accepted"] == 8


@pytest.mark.parametrize("name", ["ingest", "render", "materialise", "predict", "score"])
def test_twice_says_so_and_changes_nothing(built, name):
    folder, commands, _ = built
    snapshot = (
        "sql",
        "SELECT max(snapshot_id) AS n FROM ducklake_snapshots('lake')",
        "--csv",
        "--lake",
        folder / "lake",
    )
    before = run(*snapshot).stdout
    again = run(*commands[name])
    assert "nothing to do" in again.stderr
    assert run(*snapshot).stdout == before


def test_lake_by_group_option_and_environment(built, monkeypatch):
    folder, _, _ = built
    wanted = run("status", "--lake", folder / "lake").stdout
    assert run("--lake", folder / "lake", "status").stdout == wanted
    monkeypatch.setenv("BENCHLAKE_LAKE", str(folder / "lake"))
    assert run("status").stdout == wanted


def test_no_lake_named(monkeypatch):
    monkeypatch.delenv("BENCHLAKE_LAKE", raising=False)
    assert "--lake" in run("status", code=2).stderr


QUERY = "SELECT 1 AS n, 'a,\"b' AS t, NULL AS z, 1.50::DECIMAL(9,2) AS d, [1, 2] AS l, DATE '2020-01-02' AS day"


def test_sql_formats(built, tmp_path):
    folder, _, _ = built
    lake = ("--lake", folder / "lake")
    assert list(csv.reader(io.StringIO(run("sql", QUERY, "--csv", *lake).stdout))) == [
        ["n", "t", "z", "d", "l", "day"], ["1", 'a,"b', "", "1.50", "[1, 2]", "2020-01-02"],
    ]  # fmt: skip
    text = run("sql", QUERY, "--json", *lake).stdout
    assert json.loads(text) == [{"n": 1, "t": 'a,"b', "z": None, "d": 1.5, "l": [1, 2], "day": "2020-01-02"}]
    assert "1.50" in text
    assert run("sql", "SELECT 1 WHERE false", "--json", *lake).stdout == "[]\n"
    run("sql", QUERY, "--parquet", tmp_path / "q.parquet", *lake)
    assert pq.read_table(tmp_path / "q.parquet").num_rows == 1
    assert [path.name for path in tmp_path.iterdir()] == ["q.parquet"]
    assert 'a,"b' in run("sql", QUERY, *lake).stdout
    assert "first 200 rows" in run("sql", "FROM range(300)", *lake).stderr


@pytest.mark.parametrize(
    "query",
    [
        "SELEC",
        "SELECT * FROM nothing.there",
        "",
        "DROP TABLE source.question",
        "SELECT error('x')",
        "SELECT 1; SELECT 2; DROP SCHEMA source CASCADE",
    ],
)
def test_sql_that_does_not_run(built, query):
    folder, _, _ = built
    result = run("sql", query, "--lake", folder / "lake", code=2)
    assert result.stderr.startswith("benchlake: ")
    assert len(result.stderr.splitlines()) == 1
    assert (
        run("sql", "SELECT count(*) AS n FROM source.question", "--csv", "--lake", folder / "lake").stdout == "n\n24\n"
    )


def test_tables_and_doctor(built):
    folder, _, _ = built
    found = json.loads(run("tables", "--json", "--lake", folder / "lake").stdout)
    by_name = {f"{table['schema']}.{table['name']}": table for table in found}
    assert by_name["source.question"]["rows"] == 24
    assert by_name["source.question"]["grain"] == "question"
    assert all(table["grain"] and table["comment"] for table in found)
    checked = json.loads(run("doctor", "--json", "--lake", folder / "lake").stdout)
    assert checked["held"]


def test_export_and_import(built, tmp_path):
    folder, _, _ = built
    run("export", tmp_path / "out", "--lake", folder / "lake")
    run("import", tmp_path / "out", "--lake", tmp_path / "new")
    one, two = (
        json.loads(run("doctor", "--json", "--lake", lake).stdout) for lake in (folder / "lake", tmp_path / "new")
    )
    assert one["content_digest"] == two["content_digest"]


def test_config_shows_what_the_release_holds(built):
    folder, _, _ = built
    shown = json.loads(run("config", "task_1", "--lake", folder / "lake").stdout)
    assert shown == json.loads((folder / "release/evaluation/configs/task_1.json").read_text())


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "--predictions", "p"),
        ("score", "--predictions", "p", "--gold", "g", "--configs", "c"),
        ("score", "--predictions", "p", "--gold", "g", "--configs", "c", "--output", "o", "--run", "r"),
        ("score", "--predictions", "absent", "--gold", "g", "--configs", "c", "--output", "o"),
        ("ingest", "sqlite", "x.sqlite", "--corpus", "c", "--questions", "q"),
        ("ingest", "sqlite", "--corpus", "c"),
        ("sample", "--limit", "0"),
        ("nonsense",),
    ],
)
def test_usage_errors(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run(*arguments, code=2)
    assert list(tmp_path.iterdir()) == []


def test_version_and_completion():
    assert run("--version").stdout.startswith("benchlake, version ")
    for shell in ("bash", "zsh", "fish"):
        assert "_BENCHLAKE_COMPLETE" in run("completion", shell).stdout


def test_a_reader_that_goes_away_is_no_error(built):
    folder, _, _ = built
    command = f"'{sys.executable}' -c 'import cli; cli.main()' sql 'FROM range(2000000)' --csv --lake '{folder / 'lake'}' | head -1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, cwd=Path(cli.__file__).parent
    )
    assert (done.stdout, done.stderr, done.returncode) == ("range\n", "", 0)


def test_a_damaged_lake_is_one_line(built, tmp_path):
    folder, _, _ = built
    shutil.copytree(folder / "lake", tmp_path / "lake")
    lake = ("--lake", tmp_path / "lake")
    for artifact in (tmp_path / "lake/artifacts/sha256").rglob("*"):
        if artifact.is_file():
            artifact.unlink()
    for command in (("sample",), ("materialise", "--out", tmp_path / "out")):
        result = run(*command, *lake, code=2)
        assert result.stderr.startswith("benchlake: ")
        assert len(result.stderr.splitlines()) == 1
    for file in (tmp_path / "lake/data").rglob("*.parquet"):
        file.write_bytes(b"damaged")
    result = run("sql", "FROM sampling.selected_row", *lake, code=2)
    assert len(result.stderr.splitlines()) == 1
    assert run("doctor", *lake, code=1).stdout


@pytest.mark.parametrize(
    "query", ["COPY (SELECT 1) TO '{}'", "COPY (SELECT 1) TO '{}'; SELECT 2", "SELECT 1; SELECT 2", "ATTACH '{}' AS x"]
)
def test_sql_takes_one_select_and_runs_nothing_else(built, tmp_path, query):
    folder, _, _ = built
    assert "one SELECT" in run("sql", query.format(tmp_path / "x"), "--lake", folder / "lake", code=2).stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "query",
    [
        "FROM range(2)",
        "DESCRIBE source.question",
        "PIVOT (SELECT 'a' AS k, 1 AS v) ON k USING sum(v)",
        "VALUES (1)",
        "WITH x AS (SELECT 1) FROM x;",
    ],
)
def test_sql_takes_every_form_of_a_select(built, query):
    folder, _, _ = built
    assert run("sql", query, "--csv", "--lake", folder / "lake").stdout


def test_a_damaged_column_is_found(built, tmp_path):
    """Also one that belongs to no key: the digest reads every value."""
    folder, _, _ = built
    shutil.copytree(folder / "lake", tmp_path / "lake")
    file = max((tmp_path / "lake/data/sampling/selected_row").rglob("*.parquet"), key=lambda path: path.stat().st_size)
    data = bytearray(file.read_bytes())
    data[4 : len(data) // 2] = bytes(len(data) // 2 - 4)
    file.write_bytes(data)
    result = run("doctor", "--lake", tmp_path / "lake", code=1)
    assert "FAILED" in result.stdout
    assert "selected_row" in result.stdout or "parquet" in result.stdout


def test_an_empty_folder_is_no_run(built, tmp_path):
    folder, _, _ = built
    assert "task_" in run("ingest", "predictions", tmp_path, "--run", "empty", "--lake", folder / "lake", code=2).stderr
    assert run("sql", "SELECT count(*) AS n FROM run.experiment", "--csv", "--lake", folder / "lake").stdout == "n\n1\n"


def test_an_unknown_corpus_names_those_there_are(built):
    folder, _, _ = built
    for command in (("sample",), ("render",), ("status",), ("materialise", "--out", folder / "other")):
        assert "it has: clinic" in run(*command, "--corpus", "nope", "--lake", folder / "lake", code=2).stderr
