"""Scoring folders: which files count, what a hostile file does, and the summary."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eval_sql.suite import read_prediction, score_folders, write_json
from warehouse.errors import BenchlakeError

Folders = tuple[Path, Path, Path]
GOLD = "g\n1\n2\n"


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    made = (tmp_path / "predictions", tmp_path / "gold", tmp_path / "configs")
    for folder in made:
        folder.mkdir()
    return made


def add(folders: Folders, task: str, prediction: str | None, **changes: Any) -> Path:
    """One task with a one-column gold file; where its prediction is or would be."""
    predictions, gold, configs = folders
    column = {"gold_index": 0, "gold_name": "g", "type": "number", "comparison": {"mode": "integer"}}
    config = {"schema_version": "1.0", "task_id": task, "order_sensitive": False, "columns": [column]} | changes
    (configs / f"{task}.json").write_text(json.dumps(config), encoding="utf-8")
    (gold / task).mkdir()
    (gold / task / "gold.csv").write_text(GOLD, encoding="utf-8")
    (predictions / task).mkdir()
    file = predictions / task / "prediction.csv"
    if prediction is not None:
        file.write_text(prediction, encoding="utf-8")
    return file


def test_the_summary(folders: Folders) -> None:
    add(folders, "task_10", "x\n2\n1\n", order_sensitive=True)
    add(folders, "task_2", "x\n2\n1.0\n")
    add(folders, "task_01", None)
    for name in ("task_30", "task_4", ".cache", "task_x"):
        (folders[0] / name).mkdir()
    (folders[0] / "notes.txt").touch()
    steps: list[tuple[int, int]] = []
    summary = score_folders(*folders, progress=lambda done, count: steps.append((done, count)))
    digest = summary.pop("config_set_sha256")
    assert len(digest) == 64 and int(digest, 16)
    tasks = summary.pop("tasks")
    assert summary == {
        "evaluator": "benchlake",
        "evaluator_version": "1.0.0",
        "config_schema_version": "1.0",
        "metric": "task_accuracy",
        "task_count": 3,
        "passed_task_count": 1,
        "failed_task_count": 2,
        "task_accuracy": 1 / 3,
        "unscored_prediction_tasks": ["task_4", "task_30"],
        "benchlake": {
            "error_counts": {"missing_prediction": 1, "relation_mismatch": 1},
            "undecided": [],
            "other_prediction_folders": [".cache", "task_x"],
        },
    }
    assert [task["task_id"] for task in tasks] == ["task_01", "task_2", "task_10"]
    assert tasks[1] == {
        "task_id": "task_2",
        "passed": True,
        "score": 1,
        "order_sensitive": False,
        "gold_column_count": 1,
        "prediction_column_count": 1,
        "gold_row_count": 2,
        "prediction_row_count": 2,
        "column_mapping": [{"gold_index": 0, "prediction_index": 0}],
        "error_code": None,
        "error": None,
    }
    assert (tasks[2]["score"], tasks[2]["error"]) == (0, "no mapping of columns makes the sequence of rows equal")
    assert steps == [(1, 3), (2, 3), (3, 3)]


def link_to_file(path: Path) -> None:
    target = path.with_name("real.csv")
    target.write_text(GOLD, encoding="utf-8")
    path.symlink_to(target)


def oversize(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(20 * 1024 * 1024 + 1)


def behind_a_file(path: Path) -> None:
    path.parent.rmdir()
    path.parent.touch()


@pytest.mark.parametrize(
    ("make", "code", "says"),
    [
        (link_to_file, "invalid_prediction_csv", "symbolic link"),
        (lambda path: path.symlink_to("nowhere"), "missing_prediction", "no prediction file"),
        (lambda path: path.symlink_to(path), "missing_prediction", "no prediction file"),
        (lambda path: path.mkdir(), "invalid_prediction_csv", "not a regular file"),
        (lambda path: os.mkfifo(path), "invalid_prediction_csv", "not a regular file"),
        (lambda path: path.symlink_to("/dev/zero"), "invalid_prediction_csv", "symbolic link"),
        (oversize, "invalid_prediction_csv", "larger than 20971520 bytes"),
        (behind_a_file, "missing_prediction", "no prediction file"),
        (lambda path: path.parent.rmdir(), "missing_prediction", "no prediction file"),
        (lambda path: path.write_text("x\n1e999999999\n2\n"), "type_normalization_failed", "gold column 0"),
        (lambda path: path.write_text("," * 10_000_000), "invalid_prediction_csv", "10000001 columns"),
    ],
)
def test_a_hostile_file_fails_its_own_task(
    make: Callable[[Path], object], code: str, says: str, folders: Folders
) -> None:
    make(add(folders, "task_1", None))
    add(folders, "task_2", GOLD)
    first, second = score_folders(*folders)["tasks"]
    assert (first["passed"], first["error_code"]) == (False, code)
    assert says in first["error"]
    assert second["passed"]


def test_a_forbidden_file_fails_its_own_task(folders: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    add(folders, "task_1", GOLD)

    def refuse(path: Path, flags: int) -> int:
        if path.name == "prediction.csv":
            raise PermissionError(13, "Permission denied")
        return os_open(path, flags)

    # Permission bits do not stop root, which is who runs the tests in a container.
    os_open = os.open
    monkeypatch.setattr(os, "open", refuse)
    task = score_folders(*folders)["tasks"][0]
    assert (task["error_code"], task["error"]) == (
        "invalid_prediction_csv",
        "the file cannot be read (Permission denied)",
    )


def test_a_linked_task_folder_is_followed(folders: Folders, tmp_path: Path) -> None:
    file = add(folders, "task_1", None)
    file.parent.rmdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "prediction.csv").write_text(GOLD, encoding="utf-8")
    file.parent.symlink_to(tmp_path / "elsewhere")
    assert score_folders(*folders)["passed_task_count"] == 1


def test_a_prediction_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "prediction.csv").write_bytes(b"a\n\xff")
    assert read_prediction(tmp_path / "prediction.csv") == b"a\n\xff"


def remove_gold(folders: Folders) -> None:
    (folders[1] / "task_1" / "gold.csv").unlink()


def link_gold(folders: Folders) -> None:
    remove_gold(folders)
    link_to_file(folders[1] / "task_1" / "gold.csv")


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (remove_gold, "gold.csv: no such file"),
        (link_gold, "gold.csv: the file is a symbolic link"),
        (lambda f: (f[1] / "task_1" / "gold.csv").write_text("g\nx\n"), "gold of task_1: column 0, data row 1"),
        (lambda f: (f[2] / "task_1.json").write_text("[]"), "task_1.json: the configuration is a JSON list"),
        (lambda f: (f[2] / "task_foo.json").touch(), "task_foo.json': not a task name"),
        (lambda f: (f[2] / "task_3.json").mkdir(), "task_3.json: not a file"),
        (lambda f: os.mkfifo(f[2] / "task_3.json"), "task_3.json: not a file"),
        (lambda f: (f[2] / "task_1.json").unlink(), "configs: no task_*.json"),
        (lambda f: f[0].rename(f[0].with_name("away")), "predictions: no such folder"),
    ],
)
def test_a_bad_configuration_or_gold_file_ends_the_run(
    spoil: Callable[[Folders], object], says: str, folders: Folders
) -> None:
    (add(folders, "task_1", GOLD).parent / "prediction.csv").unlink()
    (folders[0] / "task_1").rmdir()
    spoil(folders)
    with pytest.raises(BenchlakeError) as error:
        score_folders(*folders)
    assert says in str(error.value) and "\n" not in str(error.value)


def test_json_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "new" / "summary.json"
    value = {"name": "名 \ud800", "n": 1}
    write_json(path, value)
    assert json.loads(path.read_text(encoding="utf-8")) == value
    with pytest.raises(TypeError):
        write_json(path, {"name": object()})
    assert json.loads(path.read_text(encoding="utf-8")) == value
    assert [file.name for file in path.parent.iterdir()] == ["summary.json"]


def test_json_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(BenchlakeError, match="cannot be written"):
        write_json(tmp_path / "folder", {})
    assert [file.name for file in tmp_path.iterdir()] == ["folder"]
