"""Ingest of predictions: a folder of task_N/prediction.csv under the name of a run."""

from collections.abc import Callable, Sequence
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
# Bytes of predictions that one commit takes: they are in memory at once.
_COMMIT_BYTES = 64 << 20


@dataclass(frozen=True)
class PredictionReport:
    """Predictions taken now, refused now, folders that are no task of the run, and tasks still without prediction."""

    taken: int
    refused: int
    unknown: int
    missing: int
    taken_before: int


@dataclass
class _Found:
    """What the folder of one run holds: rows of run.prediction in the making, and folders that are no task."""

    run: str
    rows: list[dict[str, Any]]
    unknown: list[str]


def ingest_predictions(lake: Lake, folder: Path, run: str, corpus: str | None = None) -> PredictionReport:
    """Take the predictions of one run; see `ingest_runs`."""
    return ingest_runs(lake, [(run, folder)], corpus)[0]


def ingest_runs(
    lake: Lake,
    folders: Sequence[tuple[str, Path]],
    corpus: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[PredictionReport]:
    """Take the predictions of runs, given as (name, folder), some runs in a commit; doing it again changes nothing.

    The runs must answer the tasks of `corpus`, or all of the lake; what they lack counts as wrong. Files that are
    links, no regular files or too large are refused with a code, as are task folders that lead out of their folder;
    folders that are no task are listed. Raises BenchlakeError when no folder is a task of the run, when the run holds
    another prediction for a task already, or when it was made for another corpus; commits before that one stay.
    """
    for run, folder in folders:
        if not folder.is_dir():
            raise BenchlakeError(f"{shown(folder)}: not a folder of predictions")
        if not run or len(run) > MAX_RUN_NAME or not run.isprintable():
            raise BenchlakeError(f"a run's name has 1 to {MAX_RUN_NAME} printable characters")
    if len({run for run, _ in folders}) < len(folders):
        raise BenchlakeError("two of the folders have the same name, which would be one run: take them one by one")
    require_corpus(lake, corpus)
    tasks = lake.rows("SELECT task_name, task FROM evaluation.task WHERE $1 IS NULL OR corpus = $1", [corpus])
    names = dict(tasks)
    if not names:
        raise BenchlakeError("there are no rendered tasks to answer: run benchlake sample and benchlake render first")
    if len(names) < len(tasks):
        raise BenchlakeError("tasks of several corpora have the same names: say which with --corpus")
    reports: list[PredictionReport] = []
    waiting: list[_Found] = []
    with lake.at_work():
        for run, folder in folders:
            waiting.append(_look(folder, run, names))
            size = sum(row.get("bytes", 0) for found in waiting for row in found.rows)
            if size >= _COMMIT_BYTES or len(reports) + len(waiting) == len(folders):
                reports += _take_all(lake, waiting, corpus, names)
                waiting = []
                if progress is not None:
                    progress(len(reports), len(folders))
    return reports


def _look(folder: Path, run: str, names: dict[str, str]) -> _Found:
    found = _Found(run, [], [])
    known = 0
    for entry in sorted(folder.iterdir(), key=lambda path: path.name):
        if not entry.is_dir():
            continue
        if entry.name not in names:
            found.unknown.append(shown(entry.name))
            continue
        known += 1
        row = _take(folder, entry)
        if row is not None:
            found.rows.append({"run": run, "task": names[entry.name], "task_name": entry.name, **row})
    if not known:
        raise BenchlakeError(f"{shown(folder)}: holds no folder named as a task of the run, such as {min(names)}")
    return found


def _take_all(lake: Lake, runs: list[_Found], corpus: str | None, names: dict[str, str]) -> list[PredictionReport]:
    """Keep the files of some runs, and their rows in one commit."""
    taken = [row for found in runs for row in found.rows if "data" in row]
    contents = [row.pop("data") for row in taken]
    for row, digest in zip(taken, lake.artifacts.put_all(contents), strict=True):
        row["file"] = digest
    files = {row["file"]: data for row, data in zip(taken, contents, strict=True)}

    def work(cursor: duckdb.DuckDBPyConnection) -> tuple[list[PredictionReport], dict[str, Any] | None]:
        reports = [_record(cursor, found, corpus, names) for found in runs]
        changed = {found.run: report.taken for found, (report, new) in zip(runs, reports, strict=True) if new}
        if changed:
            table_rows(cursor, files)
        return [report for report, _ in reports], {"taken": changed} if changed else None

    return lake.commit("predictions", work)


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


def _record(
    cursor: duckdb.DuckDBPyConnection, found: _Found, corpus: str | None, names: dict[str, str]
) -> tuple[PredictionReport, bool]:
    """Put one run's rows down; the report, and whether anything is new."""
    run = found.run
    scope = cursor.execute("SELECT corpus FROM run.experiment WHERE run = ?", [run]).fetchone()
    if scope is not None and scope[0] != corpus:
        raise BenchlakeError(f"run {run!r} was made for {scope[0] or 'all tasks'}, not for {corpus or 'all tasks'}")
    before = {
        row[0]: row[1:]
        for row in cursor.execute("SELECT task, file, code FROM run.prediction WHERE run = ?", [run]).fetchall()
    }
    for row in found.rows:
        there = before.get(row["task"])
        if there is not None and there != (row.get("file"), row.get("code")):
            raise BenchlakeError(
                f"run {run!r} already holds another prediction for {row['task_name']}: name another run"
            )
    listed = {row[0] for row in cursor.execute("SELECT item FROM ledger.outcome WHERE stage = 'run'").fetchall()}
    new = [row for row in found.rows if row["task"] not in before]
    strangers = [name for name in found.unknown if f"{run}/{name}" not in listed]
    append(cursor, "run.prediction", new)
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
    missing = len(names) - len(before) - len(new)
    report = PredictionReport(len(new) - refused, refused, len(found.unknown), missing, len(before))
    return report, bool(scope is None or new or strangers)
