"""Ingest of predictions: a folder of task_N/prediction.csv under the name of a run."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from eval_sql.store import table_rows
from eval_sql.suite import Unusable, read_prediction
from warehouse.errors import BenchlakeError
from warehouse.lake import Lake, append
from warehouse.shown import shown
from warehouse.status import require_corpus

MAX_RUN_NAME = 200


@dataclass(frozen=True)
class PredictionReport:
    """Predictions taken now, refused now, folders that are no task of the run, and tasks still without prediction."""

    taken: int
    refused: int
    unknown: int
    missing: int
    taken_before: int


def ingest_predictions(lake: Lake, folder: Path, run: str, corpus: str | None = None) -> PredictionReport:
    """Take the predictions of a run, in one commit; taking the same folder again changes nothing.

    The run must answer the tasks of `corpus`, or all of the lake; what it lacks counts as wrong. Files that are links,
    no regular files or too large are refused with a code, as are task folders that lead out of `folder`; folders that
    are no task are listed. Raises BenchlakeError when no folder is a task of the run, when the run holds another
    prediction for a task already, or when it was made for another corpus.
    """
    if not folder.is_dir():
        raise BenchlakeError(f"{folder}: not a folder of predictions")
    if not run or len(run) > MAX_RUN_NAME or not run.isprintable():
        raise BenchlakeError(f"a run's name has 1 to {MAX_RUN_NAME} printable characters")
    require_corpus(lake, corpus)
    tasks = lake.rows("SELECT task_name, task FROM evaluation.task WHERE $1 IS NULL OR corpus = $1", [corpus])
    names = dict(tasks)
    if not names:
        raise BenchlakeError("there are no rendered tasks to answer: run benchlake sample and benchlake render first")
    if len(names) < len(tasks):
        raise BenchlakeError("tasks of several corpora have the same names: say which with --corpus")
    found: list[dict[str, object]] = []
    unknown: list[str] = []
    known = 0
    with lake.at_work():
        for entry in sorted(folder.iterdir(), key=lambda path: path.name):
            if not entry.is_dir():
                continue
            if entry.name not in names:
                unknown.append(shown(entry.name))
                continue
            known += 1
            row = _take(folder, entry)
            if row is not None:
                found.append({"run": run, "task": names[entry.name], "task_name": entry.name, **row})
        if not known:
            raise BenchlakeError(f"{shown(folder)}: holds no folder named as a task of the run, such as {min(names)}")
        _keep(lake, found)
        return lake.commit("predictions", lambda cursor: _commit(lake, cursor, run, corpus, found, unknown, names))


def _take(folder: Path, entry: Path) -> dict[str, object] | None:
    """One task folder: the file's bytes, or why it is refused; None when there is no file."""
    if entry.is_symlink() and not entry.resolve().is_relative_to(folder.resolve()):
        return {"code": "unsafe_path", "problem": "the task folder is a link that leads out of the predictions"}
    data = read_prediction(entry / "prediction.csv")
    if data is None:
        return None
    if isinstance(data, Unusable):
        return {"code": "unusable_file", "problem": data.reason}
    return {"data": data, "bytes": len(data)}


def _keep(lake: Lake, found: list[dict[str, object]]) -> None:
    """Make artifacts of the bytes, and name them by their digests."""
    taken = [row for row in found if "data" in row]
    for row, digest in zip(taken, lake.artifacts.put_all([row.pop("data") for row in taken]), strict=True):
        row["file"] = digest


def _commit(
    lake: Lake,
    cursor: duckdb.DuckDBPyConnection,
    run: str,
    corpus: str | None,
    found: list[dict[str, object]],
    unknown: list[str],
    names: dict[str, str],
) -> tuple[PredictionReport, dict[str, Any] | None]:
    scope = cursor.execute("SELECT corpus FROM run.experiment WHERE run = ?", [run]).fetchone()
    if scope is not None and scope[0] != corpus:
        raise BenchlakeError(f"run {run!r} was made for {scope[0] or 'all tasks'}, not for {corpus or 'all tasks'}")
    before = {
        row[0]: row[1:]
        for row in cursor.execute("SELECT task, file, code FROM run.prediction WHERE run = ?", [run]).fetchall()
    }
    for row in found:
        there = before.get(str(row["task"]))
        if there is not None and there != (row.get("file"), row.get("code")):
            raise BenchlakeError(
                f"run {run!r} already holds another prediction for {row['task_name']}: name another run"
            )
    listed = {row[0] for row in cursor.execute("SELECT item FROM ledger.outcome WHERE stage = 'run'").fetchall()}
    new = [row for row in found if row["task"] not in before]
    strangers = [name for name in unknown if f"{run}/{name}" not in listed]
    append(cursor, "run.prediction", new)
    table_rows(lake, cursor, [str(row["file"]) for row in new if row.get("file")])
    append(cursor, "ledger.outcome", [
        {
            "stage": "run", "item": f"{run}/{name}", "corpus": corpus, "status": "rejected", "code": "unknown_task",
            "message": f"the folder {name} is no task of this run",
        }
        for name in strangers
    ])  # fmt: skip
    if scope is None:
        append(cursor, "run.experiment", [{"run": run, "corpus": corpus}])
    refused = sum("code" in row for row in new)
    report = PredictionReport(
        len(new) - refused, refused, len(unknown), len(names) - len(before) - len(new), len(before)
    )
    changed = scope is None or new or strangers
    return report, {"run": run, "taken": report.taken, "refused": refused} if changed else None
