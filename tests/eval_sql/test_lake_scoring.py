"""Predictions, configurations and verdicts on the lake, over the demo's tasks."""

import json
import os
import shutil
from pathlib import Path

import pytest

from eval_sql.configs import edit_config, show_config
from eval_sql.predictions import ingest_predictions
from eval_sql.score import score
from eval_sql.suite import score_folders
from warehouse import BenchlakeError, Lake


@pytest.fixture
def copy(demo: Path, tmp_path: Path):
    """The demo's lake to change, beside the demo's release to read."""
    shutil.copytree(demo / "lake", tmp_path / "lake")
    with Lake.open(tmp_path / "lake") as lake:
        yield lake


def snapshot(lake):
    return lake.rows("SELECT max(snapshot_id) FROM ducklake_snapshots('lake')")


def write(folder: Path, task: str, data: bytes) -> None:
    (folder / task).mkdir(parents=True, exist_ok=True)
    (folder / task / "prediction.csv").write_bytes(data)


def test_lake_and_stand_alone_agree(copy, demo):
    """The same verdicts, field by field, for every answerer of the demo."""
    release = demo / "release"
    for run in ("rebuilder", "careless", "shallow"):
        summary = score_folders(demo / "predictions" / run, release / "output", release / "evaluation" / "configs")
        lake_side = {
            row[0]: row[1:]
            for row in copy.rows(
                "SELECT task_name, passed, error_code, column_mapping, gold_row_count, prediction_row_count "
                "FROM score.task_result WHERE run = ?", [run],
            )
        }  # fmt: skip
        assert len(summary["tasks"]) == len(lake_side)
        for task in summary["tasks"]:
            mapping = task["column_mapping"]
            assert lake_side[task["task_id"]] == (
                task["passed"], task["error_code"], [pair["prediction_index"] for pair in mapping] if mapping else None,
                task["gold_row_count"], task["prediction_row_count"],
            )  # fmt: skip
        accuracy = copy.rows("SELECT accuracy FROM metrics.task_accuracy WHERE run = ?", [run])
        assert accuracy == [(summary["task_accuracy"],)]


def test_gold_against_itself_is_perfect(copy, demo, tmp_path):
    for task in (demo / "release/output").iterdir():
        write(tmp_path / "p", task.name, (task / "gold.csv").read_bytes())
    ingest_predictions(copy, tmp_path / "p", "gold")
    assert score(copy, ["gold"]).runs[0][3] == 1.0


def test_hostile_tree(copy, demo, tmp_path):
    """Every odd entry ends in its own row; the rest of the run is scored."""
    folder = tmp_path / "p"
    gold = demo / "release/output"
    names = sorted(path.name for path in gold.iterdir())
    write(folder, names[0], (gold / names[0] / "gold.csv").read_bytes())
    (folder / names[1]).mkdir()
    (folder / names[1] / "prediction.csv").symlink_to(gold / names[1] / "gold.csv")
    (folder / names[2] / "prediction.csv").mkdir(parents=True)
    (folder / names[3]).mkdir()
    os.mkfifo(folder / names[3] / "prediction.csv")
    (folder / names[4]).symlink_to(gold / names[4])
    write(folder, names[5], b"a,b\n1\n")
    write(folder, names[6], b"\xff\xfe")
    write(folder, names[7], b"")
    write(folder, "task_999999", b"a\n1\n")
    write(folder, "..hidden", b"a\n1\n")
    (folder / "stray.txt").write_text("x")
    report = ingest_predictions(copy, folder, "hostile")
    assert (report.taken, report.refused, report.unknown) == (4, 4, 2)
    score(copy, ["hostile"])
    verdicts = dict(
        copy.rows("SELECT task_name, coalesce(error_code, 'passed') FROM score.task_result WHERE run = 'hostile'")
    )
    assert verdicts[names[0]] == "passed"
    assert {verdicts[name] for name in names[1:8]} == {"invalid_prediction_csv"}
    assert {verdicts[name] for name in names[8:]} == {"missing_prediction"}
    codes = dict(copy.rows("SELECT task_name, code FROM run.prediction WHERE run = 'hostile' AND code IS NOT NULL"))
    assert codes == {
        names[1]: "unusable_file",
        names[2]: "unusable_file",
        names[3]: "unusable_file",
        names[4]: "unsafe_path",
    }
    problems = dict(
        copy.rows(
            "SELECT t.file, t.problem FROM evaluation.table_file t JOIN run.prediction USING (file) WHERE run = 'hostile' AND t.problem IS NOT NULL"
        )
    )
    assert len(problems) == 3


def test_twice_changes_nothing(copy, demo):
    before = snapshot(copy)
    report = ingest_predictions(copy, demo / "predictions/careless", "careless", "demo")
    assert (report.taken, report.taken_before > 0) == (0, True)
    assert score(copy).scored == 0
    assert snapshot(copy) == before


def test_a_prediction_is_never_replaced(copy, demo, tmp_path):
    write(tmp_path / "p", "task_1", b"a\n1\n")
    before = snapshot(copy)
    with pytest.raises(BenchlakeError, match="another prediction"):
        ingest_predictions(copy, tmp_path / "p", "careless", "demo")
    with pytest.raises(BenchlakeError, match="was made for"):
        ingest_predictions(copy, tmp_path / "p", "careless")
    assert snapshot(copy) == before


@pytest.mark.parametrize("run", ["", "x" * 201, "a\nb"])
def test_bad_run_names(copy, demo, run):
    with pytest.raises(BenchlakeError, match="name"):
        ingest_predictions(copy, demo / "predictions/careless", run)


def test_unknown_things(copy, demo, tmp_path):
    with pytest.raises(BenchlakeError, match="no corpus"):
        ingest_predictions(copy, demo / "predictions/careless", "x", "nope")
    with pytest.raises(BenchlakeError, match="not a folder"):
        ingest_predictions(copy, tmp_path / "absent", "x")
    with pytest.raises(BenchlakeError, match="no run"):
        score(copy, ["nope"])


def test_cells_are_in_sql(copy, demo):
    rows = copy.rows(
        "SELECT row, column_index, column_name, text FROM evaluation.gold_cell WHERE task_name = 'task_1' ORDER BY ALL"
    )
    lines = (demo / "release/output/task_1/gold.csv").read_text().splitlines()
    assert [text for _, _, _, text in rows][: len(rows) // (len(lines) - 1)] == lines[1].split(",")
    assert copy.rows(
        "SELECT count(*) > 0 FROM run.prediction_cell WHERE run = 'rebuilder' AND task_name = 'task_1'"
    ) == [(True,)]


def test_an_edited_configuration_is_a_new_version_and_rescores(copy, tmp_path):
    name = "task_1"
    body = show_config(copy, name)
    assert copy.rows("SELECT digest FROM evaluation.config WHERE task_name = ?", [name]) == copy.rows(
        "SELECT config_digest FROM workspace.task WHERE task_name = ?", [name]
    )
    body["order_sensitive"] = not body["order_sensitive"]
    path = tmp_path / "config.json"
    path.write_text(json.dumps(body))
    assert edit_config(copy, name, path)
    assert not edit_config(copy, name, path)
    assert show_config(copy, name)["order_sensitive"] == body["order_sensitive"]
    before = copy.rows("SELECT count(*) FROM score.result_history")[0][0]
    # Runs that answered with the same bytes share a verdict.
    files = copy.rows("SELECT count(DISTINCT file) FROM run.prediction WHERE task_name = ?", [name])[0][0]
    assert score(copy).scored == files
    assert copy.rows("SELECT count(*) FROM score.result_history")[0][0] == before + 3
    assert copy.rows("SELECT count(*) FROM score.task_result WHERE passed IS NULL") == [(0,)]


@pytest.mark.parametrize(
    "change",
    [
        {"schema_version": "2.0"},
        {"task_id": "task_2"},
        {"columns": []},
        {"columns": [{"gold_index": 0, "gold_name": "x", "type": "date"}]},
        {"order_sensitive": "yes"},
    ],
)
def test_a_configuration_that_does_not_fit_is_refused(copy, tmp_path, change):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(show_config(copy, "task_1") | change))
    before = snapshot(copy)
    with pytest.raises(BenchlakeError):
        edit_config(copy, "task_1", path)
    assert snapshot(copy) == before
