"""How far the stages are, and what the lake holds."""

from pathlib import Path

import pytest
from cells import take
from databases import build

from warehouse import Lake
from warehouse.errors import BenchlakeError
from warehouse.ingest_questions import ingest_questions
from warehouse.questions.read import read_questions
from warehouse.status import STAGES, list_tables, stage_status


def ask(lake: Lake, corpus: str, folder: Path, *lines: str) -> None:
    (folder / "q.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    ingest_questions(lake, corpus, read_questions(folder / "q.jsonl", "jsonl"))


NOTHING = {"accepted": 0, "rejected": 0, "pending": 0, "codes": {}}


def test_an_empty_lake(lake: Lake) -> None:
    assert stage_status(lake) == dict.fromkeys(STAGES, NOTHING)
    for name in ("none", "", "x' OR 1 --", "\udcff"):
        with pytest.raises(BenchlakeError):
            stage_status(lake, name)


def test_questions_with_and_without_a_database(lake: Lake, tmp_path: Path) -> None:
    good = '{"id": "a", "db_id": "x", "question": "?", "sql": "SELECT 1"}'
    other = '{"id": "b", "db_id": "y", "question": "?", "sql": "SELECT 2"}'
    ask(lake, "early", tmp_path, good, other, "{")
    # A corpus may have its questions before its databases.
    status = stage_status(lake, "early")
    assert status["ingest"]["rejected"] == 3 and status["ingest"]["codes"]["database_not_ingested"] == 2
    assert status["sample"] == NOTHING
    take(lake, "early", build(tmp_path / "x.sqlite", "CREATE TABLE t (a)"))
    ask(lake, "early", tmp_path, good, other, "{")
    status = stage_status(lake, "early")
    assert (status["ingest"]["accepted"], status["ingest"]["rejected"]) == (1, 2)
    assert status["sample"] == {**NOTHING, "pending": 1}
    ask(lake, "late", tmp_path, good)
    assert stage_status(lake, "early") == status
    assert stage_status(lake)["ingest"]["rejected"] == 3


def test_tables(lake: Lake, tmp_path: Path) -> None:
    name = 'x"; DROP SCHEMA source; --\n\x1b'
    quoted = '"' + name.replace('"', '""') + '"'
    take(
        lake,
        "c",
        build(tmp_path / "it's 100%.sqlite", f"CREATE TABLE {quoted} (a)", f"INSERT INTO {quoted} VALUES (1), (2)"),
    )
    found = {(row["schema"], row["name"]): row for row in list_tables(lake)}
    assert found[("src_it's 100%", name)]["rows"] == 2
    assert found[("src_it's 100%", name)]["grain"] == "_rowid"
    assert found[("source", "db")]["rows"] == 1
    assert all(row["grain"] for row in found.values()), [key for key, row in found.items() if not row["grain"]]
    assert {row["kind"] for row in found.values()} == {"table", "view"}


def test_more_tables_than_a_statement_takes(lake: Lake, tmp_path: Path) -> None:
    take(lake, "c", build(tmp_path / "x.sqlite", *(f"CREATE TABLE t{number} (a)" for number in range(70))))
    assert sum(row["schema"] == "src_x" for row in list_tables(lake)) == 70
