"""The stand-alone run: folders of predictions, gold files and configurations to one summary (evaluator.md)."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from eval_sql.config import MAX_FILE_BYTES, SCHEMA_VERSION, Config, config_digest, is_task_id, parse_config, task_order
from eval_sql.evaluate import Case, evaluate, task_result
from eval_sql.result import EVALUATOR_VERSION, TaskResult, Unusable
from warehouse.errors import BenchlakeError
from warehouse.small_files import read_small

__all__ = [
    "TaskResult",
    "Unusable",
    "read_prediction",
    "score_folders",
    "task_result",
    "write_json",
]

_MAX_CONFIG_BYTES = 1 << 20
# One byte more than a table may have, so that a larger file is seen to be larger and is not read.
_READ_AT_MOST = MAX_FILE_BYTES + 1


def score_folders(
    predictions: Path, gold: Path, configs: Path, progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """Score predictions/task_N/prediction.csv against gold/task_N/gold.csv for every configs/task_N.json.

    Returns the summary, in the field names of the reference's; what only benchlake says is under "benchlake".
    `progress` is called with (tasks done, tasks in all). Raises BenchlakeError for a missing folder, a bad
    configuration or a bad gold file; nothing is written.
    """
    if not predictions.is_dir():
        raise BenchlakeError(f"{predictions}: no such folder; give the folder of the predictions")
    digest, suite = read_suite(gold, configs)
    cases: list[Case] = []
    for config, data in suite:
        own_gold = gold / config.task_id / "gold.csv"
        file = predictions / config.task_id / "prediction.csv"
        cases.append(Case(config, data, read_prediction(file, own_gold)))
        if progress is not None:
            progress(len(cases), len(suite))
    tasks = [config for config, _ in suite]
    return _summary(tasks, evaluate(cases), digest, _other_folders(predictions, {c.task_id for c in tasks}))


def read_suite(
    gold: Path, configs: Path, progress: Callable[[int, int], None] | None = None
) -> tuple[str, list[tuple[Config, bytes]]]:
    """The digest of the configurations, and each of them with the bytes of its gold, in numeric order.

    Raises BenchlakeError for a missing folder or file and for a bad configuration; gold tables are not read yet.
    """
    for what, folder in (("gold", gold), ("configs", configs)):
        if not folder.is_dir():
            raise BenchlakeError(f"{folder}: no such folder; give the folder of the {what}")
    files = _config_files(configs)
    suite: list[tuple[Config, bytes]] = []
    for stem, data in files:
        config = parse_config(data, stem)
        gold_file = gold / config.task_id / "gold.csv"
        # A gold file is held to the same rules; what fails a prediction ends the run here.
        gold_data = read_prediction(gold_file)
        if not isinstance(gold_data, bytes):
            why = "no such file" if gold_data is None else gold_data.reason
            raise BenchlakeError(f"{gold_file}: {why}; every configuration needs its gold file")
        suite.append((config, gold_data))
        if progress is not None:
            progress(len(suite), len(files))
    return config_digest(files), suite


def read_prediction(path: Path, gold: Path | None = None) -> bytes | Unusable | None:
    """The bytes of a prediction file; None when there is none, Unusable when it must not or cannot be read.

    A dangling link is no file; any other link, a folder, a FIFO, a forbidden or an oversize file is unusable
    (conformance/README.md, items 38 and 40), and so is the file `gold` under another name (a hard link). A linked
    task folder is followed. Never blocks.
    """
    try:
        kind = path.lstat().st_mode
        if stat.S_ISLNK(kind):
            return Unusable("the file is a symbolic link") if path.exists() else None
        if not stat.S_ISREG(kind):
            return Unusable("not a regular file")
        # Opened without waiting, and looked at again once open: the name may stand for something else by now.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            opened = os.fstat(handle)
            if not stat.S_ISREG(opened.st_mode):
                return Unusable("not a regular file")
            if gold is not None and os.path.samestat(opened, gold.stat()):
                return Unusable("the file is the gold file itself")
            if opened.st_size >= _READ_AT_MOST:
                return Unusable(f"the file is larger than {MAX_FILE_BYTES} bytes")
            with os.fdopen(handle, "rb", closefd=False) as file:
                return file.read(_READ_AT_MOST)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            return None
        return Unusable(f"the file cannot be read ({error.strerror})")


def write_json(path: Path, value: object) -> None:
    """Write a value as indented JSON in UTF-8, whole or not at all. Raises BenchlakeError when it cannot."""
    text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    # A lone surrogate has no UTF-8; backslashreplace spells it as the JSON escape that reads back to it.
    data = text.encode("utf-8", "backslashreplace")
    if not path.name or (path.exists() and not path.is_file()):
        raise BenchlakeError(f"{str(path)!r}: cannot be written (not a regular file); choose another place")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            part.write_bytes(data)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise BenchlakeError(f"{path}: cannot be written ({error.strerror}); choose another place") from None


def _config_files(folder: Path) -> list[tuple[str, bytes]]:
    """(stem, bytes) of every task_*.json, in numeric order."""
    files: list[tuple[str, bytes]] = []
    for path in folder.glob("task_*.json"):
        if not is_task_id(path.stem):
            raise BenchlakeError(f"{str(path)!r}: not a task name; rename it to task_ and digits or move it away")
        if not path.is_file():
            raise BenchlakeError(f"{path}: not a file; mend it or move it away")
        files.append((path.stem, read_small(path, _MAX_CONFIG_BYTES)))
    if not files:
        raise BenchlakeError(f"{folder}: no task_*.json in it; give the folder of the configurations")
    return sorted(files, key=lambda file: task_order(file[0]))


def _other_folders(predictions: Path, evaluated: set[str]) -> list[str]:
    """The names of the folders that no configuration asks for."""
    try:
        return sorted(path.name for path in predictions.iterdir() if path.name not in evaluated and path.is_dir())
    except OSError as error:
        raise BenchlakeError(f"{predictions}: cannot be listed ({error.strerror}); mend its permissions") from None


def _summary(tasks: list[Config], results: list[TaskResult], digest: str, others: list[str]) -> dict[str, Any]:
    passed = sum(result.passed for result in results)
    errors = Counter(result.error_code for result in results if result.error_code is not None)
    return {
        "evaluator": "benchlake",
        "evaluator_version": EVALUATOR_VERSION,
        "config_schema_version": SCHEMA_VERSION,
        "config_set_sha256": digest,
        "metric": "task_accuracy",
        "task_count": len(results),
        "passed_task_count": passed,
        "failed_task_count": len(results) - passed,
        "task_accuracy": passed / len(results),
        "unscored_prediction_tasks": sorted(filter(is_task_id, others), key=task_order),
        "tasks": [_task(config, result) for config, result in zip(tasks, results, strict=True)],
        "benchlake": {
            "error_counts": dict(sorted(errors.items())),
            "undecided": [result.task_id for result in results if result.undecided],
            "other_prediction_folders": [name for name in others if not is_task_id(name)],
        },
    }


def _task(config: Config, result: TaskResult) -> dict[str, Any]:
    mapping = result.column_mapping
    pairs = None if mapping is None else [{"gold_index": j, "prediction_index": k} for j, k in mapping]
    return {
        "task_id": result.task_id,
        "passed": result.passed,
        "score": int(result.passed),
        "order_sensitive": config.order_sensitive,
        "gold_column_count": result.gold_column_count,
        "prediction_column_count": result.prediction_column_count,
        "gold_row_count": result.gold_row_count,
        "prediction_row_count": result.prediction_row_count,
        "column_mapping": pairs,
        "error_code": result.error_code,
        "error": result.message or None,
    }
