"""Suites made elsewhere, several runs at once, and rescoring: incremental, shared, never overwritten."""

import json
import random
from pathlib import Path

import pytest
from plain_evaluator import evaluate_tree

from eval_sql.config import canonical_config, parse_config
from eval_sql.configs import edit_config, show_config
from eval_sql.predictions import ingest_runs
from eval_sql.score import score
from eval_sql.suites import ingest_suite
from warehouse import BenchlakeError, Lake

TEXT = {"type": "text"}
MONEY = {"type": "number", "comparison": {"mode": "decimal_places", "digits": 2}}
COUNT = {"type": "number", "comparison": {"mode": "integer"}}
DAY = {"type": "date"}


def config(task: str, rules: list[dict], *, ordered: bool = False) -> dict:
    columns = [{"gold_index": at, "gold_name": f"c{at}", **rule} for at, rule in enumerate(rules)]
    raw = {"schema_version": "1.0", "task_id": task, "order_sensitive": ordered, "columns": columns}
    return canonical_config(parse_config(json.dumps(raw).encode(), task))


def csv(rows: list[list[str]]) -> bytes:
    header = ",".join(f"c{at}" for at in range(len(rows[0])))
    return "".join(line + "\n" for line in [header, *(",".join(row) for row in rows)]).encode()


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Six tasks, and three runs: right but respelled, wrong in six ways, and half missing."""
    draw = random.Random(1)
    root = tmp_path / "suite"
    for number in range(1, 7):
        task = f"task_{number}"
        rules = [TEXT, MONEY, COUNT, DAY][: 1 + number % 4]
        gold = [
            [f"name {draw.randrange(20)}", f"{draw.random() * 99:.2f}", str(draw.randrange(9)), f"2024-01-{draw.randrange(1, 29):02}"][: len(rules)]
            for _ in range(20)
        ]  # fmt: skip
        right = [
            [f" {row[0]}", *(f"{cell}.00" if at == 1 else f"{cell}0" for at, cell in enumerate(row[1:2])), *row[2:]]
            for row in gold
        ]
        draw.shuffle(right)
        wrong = [list(row) for row in gold]
        if number == 1:
            wrong[3][0] += "!"
        elif number == 2:
            wrong = wrong[1:]
        elif number == 3:
            wrong = [["i", *row] for row in wrong]
        elif number == 4:
            wrong[0][0], wrong[1][0] = "swapped", "names"
        else:
            wrong = wrong[::-1]
        tables = {"right": right, "wrong": wrong, "half": right if number % 2 else None}
        for folder, name, data in [
            (root / "gold" / task, "gold.csv", csv(gold)),
            (root / "configs", f"{task}.json", json.dumps(config(task, rules, ordered=number == 5)).encode()),
            *((root / run / task, "prediction.csv", csv(rows)) for run, rows in tables.items() if rows),
        ]:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
    return root


@pytest.fixture
def lake(tmp_path: Path, suite: Path):
    with Lake.create(tmp_path / "lake") as lake:
        ingest_suite(lake, suite / "gold", suite / "configs", "bench")
        yield lake


def runs(suite: Path, *names: str) -> list[tuple[str, Path]]:
    return [(name, suite / name) for name in names]


def verdicts(lake: Lake) -> dict[tuple[str, str], tuple]:
    found = lake.rows("SELECT run, task_name, passed, error_code, column_mapping FROM score.task_result")
    return {row[:2]: (row[2], row[3], row[4] and tuple(row[4])) for row in found}


def test_a_suite_is_scored_as_the_oracle_says(lake, suite):
    """Every run and task, in the lake, against the plain evaluator."""
    ingest_runs(lake, runs(suite, "right", "wrong", "half"))
    score(lake)
    found = verdicts(lake)
    for run in ("right", "wrong", "half"):
        for task, wanted in evaluate_tree(suite / run, suite / "gold", suite / "configs").items():
            assert found[run, task] == (wanted.passed, wanted.error_code, wanted.column_mapping), (run, task)
    assert len({passed for passed, _, _ in found.values()}) == 2


def test_twice_changes_nothing(lake, suite):
    report = ingest_suite(lake, suite / "gold", suite / "configs", "bench")
    assert (report.tasks, report.new) == (6, 0)
    ingest_runs(lake, runs(suite, "right", "half"))
    # The half that is there has the files of the other run, and shares their verdicts.
    assert score(lake).scored == 6 + 3
    before = lake.rows("SELECT max(snapshot_id) FROM ducklake_snapshots('lake')")
    assert score(lake).scored == 0
    assert [report.taken for report in ingest_runs(lake, runs(suite, "right", "half"))] == [0, 0]
    assert lake.rows("SELECT max(snapshot_id) FROM ducklake_snapshots('lake')") == before


def test_only_what_is_asked_for_is_scored(lake, suite):
    ingest_runs(lake, runs(suite, "right", "wrong"))
    assert score(lake, ["wrong"], ["task_2", "task_3"]).scored == 2
    assert score(lake, ["wrong"]).scored == 4
    assert score(lake, None, ["task_1"]).scored == 1
    assert score(lake).scored == 5
    with pytest.raises(BenchlakeError, match="no task 'task_9'"):
        score(lake, None, ["task_9"])


def test_another_evaluator_gives_the_same_verdicts_and_keeps_the_old(lake, suite):
    """Rescoring uses what the lake has kept of columns and comparisons; the history has both verdicts."""
    ingest_runs(lake, runs(suite, "right", "wrong", "half"))
    first = score(lake).scored
    before = verdicts(lake)
    kept = (
        lake.rows("SELECT count(*) FROM evaluation.column_reading"),
        lake.rows("SELECT count(*) FROM evaluation.comparison"),
    )
    assert score(lake, evaluator_version="2.0.0").scored == first
    assert verdicts(lake) == before
    assert (
        lake.rows("SELECT count(*) FROM evaluation.column_reading"),
        lake.rows("SELECT count(*) FROM evaluation.comparison"),
    ) == kept
    assert lake.rows("SELECT evaluator_version, count(*) FROM score.verdict GROUP BY ALL ORDER BY ALL") == [
        ("1.0.0", first),
        ("2.0.0", first),
    ]
    assert lake.rows("SELECT DISTINCT evaluator_version FROM score.task_result") == [("2.0.0",)]
    assert lake.rows("SELECT count(*) FROM score.result_history") == [(2 * 18,)]


def test_another_configuration_rescores_its_task_alone(lake, suite, tmp_path):
    ingest_runs(lake, runs(suite, "right", "wrong"))
    score(lake)
    body = show_config(lake, "task_5")
    body["order_sensitive"] = False
    (tmp_path / "config.json").write_text(json.dumps(body))
    assert edit_config(lake, "task_5", tmp_path / "config.json")
    assert verdicts(lake)["wrong", "task_5"] == (None, None, None)
    assert score(lake).scored == 2
    assert verdicts(lake)["wrong", "task_5"][0] is True
    assert lake.rows("SELECT passed, in_force FROM score.result_history WHERE run = 'wrong' AND task_name = 'task_5' ORDER BY config_version") == [
        (False, False), (True, True),
    ]  # fmt: skip


def test_a_suite_that_does_not_fit_is_refused_whole(lake, suite, tmp_path):
    before = lake.rows("SELECT max(snapshot_id) FROM ducklake_snapshots('lake')")
    (suite / "gold" / "task_2" / "gold.csv").write_bytes(b"c0,c1,c2\nx,1,2\n")
    with pytest.raises(BenchlakeError, match="task_2 with another gold"):
        ingest_suite(lake, suite / "gold", suite / "configs", "bench")
    (suite / "gold" / "task_2" / "gold.csv").write_bytes(b"c0,c1,c2\nx,many,2\n")
    with pytest.raises(BenchlakeError, match="gold of task_2: column 1, data row 1 is not a number"):
        ingest_suite(lake, suite / "gold", suite / "configs", "other")
    with pytest.raises(BenchlakeError, match="same name"):
        ingest_runs(lake, [("a", suite / "right"), ("a", suite / "wrong")])
    assert lake.rows("SELECT max(snapshot_id) FROM ducklake_snapshots('lake')") == before


def test_tasks_of_one_name_in_two_suites_need_a_corpus(lake, suite):
    ingest_suite(lake, suite / "gold", suite / "configs", "other")
    with pytest.raises(BenchlakeError, match="--corpus"):
        ingest_runs(lake, runs(suite, "right"))
    ingest_runs(lake, runs(suite, "right"), "other")
    assert score(lake).scored == 6
    with pytest.raises(BenchlakeError, match="give the id"):
        show_config(lake, "task_1")
