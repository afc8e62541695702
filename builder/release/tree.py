"""The release tree: input/task_N, output/task_N/gold.csv, evaluation/configs/task_N.json, manifest.json."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from warehouse.artifacts import file_digest
from warehouse.errors import BenchlakeError
from warehouse.lake import Lake
from warehouse.status import require_corpus

MANIFEST = "manifest.json"
README = """# A benchlake release

input/task_N/task.json holds the question of a task, input/task_N/context/ the files that answer it.
output/task_N/gold.csv is the reference answer, evaluation/configs/task_N.json says how it is compared.
An answer is a CSV file with a header, predictions/task_N/prediction.csv; score all with

    benchlake score --predictions predictions --gold output --configs evaluation/configs --output summary.json

In the CSV files of a context, text is quoted and numbers are not; an empty field without quotes is NULL, "" is an empty
text. manifest.json lists every file with its size and SHA-256.
"""

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class MaterialiseReport:
    """Tasks in the tree, and files written, left as they were, and removed."""

    tasks: int
    files: int
    written: int
    unchanged: int
    removed: int


@dataclass(frozen=True)
class _File:
    """A file of the tree: an artifact of the lake, or bytes made here."""

    digest: str
    size: int
    source: Path | None
    data: bytes | None


def materialise(
    lake: Lake, out: Path, *, corpus: str | None = None, progress: Progress | None = None
) -> MaterialiseReport:
    """Write the rendered tasks of a corpus (or of the lake) below `out`; doing it again writes only what differs.

    The folder must be absent, empty, or hold an earlier tree of ours: files that are not in its manifest, or were
    changed since, are never overwritten. Raises BenchlakeError before anything is written.
    """
    require_corpus(lake, corpus)
    tasks = lake.rows("SELECT * FROM workspace.task WHERE $1 IS NULL OR corpus = $1", [corpus])
    if not tasks:
        raise BenchlakeError("there are no rendered tasks: run benchlake sample and benchlake render first")
    if out.resolve().is_relative_to(lake.path.resolve()):
        raise BenchlakeError(f"{out}: lies inside the lake; name another folder")
    files = _expected(lake, corpus)
    before = _read_manifest(out)
    stale = _check(out, files, before)
    todo = [path for path in files if not _holds(out / path, files[path])]
    for number, path in enumerate(todo, start=1):
        _write(out / path, files[path])
        if progress:
            progress(number, len(todo))
    for path in stale:
        (out / path).unlink()
        _prune(out, (out / path).parent)
    manifest = _manifest(files)
    if todo or stale or before != json.loads(manifest):
        _write(out / MANIFEST, _made(manifest))
        detail = {"tasks": len(tasks), "corpus": corpus, "manifest": hashlib.sha256(manifest).hexdigest()}
        lake.commit("materialise", lambda cursor: _event(cursor, detail))
    return MaterialiseReport(len(tasks), len(files), len(todo), len(files) - len(todo), len(stale))


def _event(cursor: duckdb.DuckDBPyConnection, detail: dict[str, Any]) -> tuple[None, dict[str, Any]]:
    return None, detail


def _expected(lake: Lake, corpus: str | None) -> dict[str, _File]:
    files: dict[str, _File] = {"README.md": _made(README.encode())}
    tasks = lake.rows(
        "SELECT t.task_name, t.question_text, t.evidence, t.gold_file, c.body FROM workspace.task t "
        "JOIN evaluation.config c ON c.task = t.task AND c.version = t.config_version "
        "WHERE $1 IS NULL OR t.corpus = $1 ORDER BY length(t.task_name), t.task_name",
        [corpus],
    )
    for name, question, evidence, gold, config in tasks:
        body = {"task_id": name, "question": question, **({"evidence": evidence} if evidence else {})}
        files[f"input/{name}/task.json"] = _made(_json(body))
        files[f"output/{name}/gold.csv"] = _kept(lake, gold)
        files[f"evaluation/configs/{name}.json"] = _made(_json(json.loads(config)))
    artifacts = lake.rows(
        "SELECT t.task_name, a.path, a.artifact FROM workspace.task t "
        "JOIN workspace.artifact a ON a.task = t.task AND a.version = t.version WHERE $1 IS NULL OR t.corpus = $1 "
        "ORDER BY length(t.task_name), t.task_name, a.path",
        [corpus],
    )
    for name, path, digest in artifacts:
        files[f"input/{name}/context/{path}"] = _kept(lake, digest)
    return files


def _check(out: Path, files: dict[str, _File], before: dict[str, Any]) -> list[str]:
    """Refuse a folder whose files are not ours; returns those of an earlier tree that do not belong any more."""
    if out.exists() and not out.is_dir():
        raise BenchlakeError(f"{out}: not a folder")
    if out.is_dir() and not before and not _is_beginning(out, files):
        raise BenchlakeError(f"{out}: not empty and not a release of benchlake; name a new or an empty folder")
    ours = {entry["path"]: entry["sha256"] for entry in before.get("files", [])}
    for path, file in files.items():
        target = out / path
        _refuse_links(out, path)
        if target.exists() and not target.is_file():
            raise BenchlakeError(f"{target}: is no file; move it away, or name another folder")
        if target.is_file() and not _holds(target, file) and ours.get(path) != file_digest(target):
            raise BenchlakeError(f"{target}: was changed by hand; move it away, or name another folder")
    stale = [path for path in ours if path not in files and (out / path).is_file()]
    for path in stale:
        _refuse_links(out, path)
        if ".." in Path(path).parts or Path(path).is_absolute() or file_digest(out / path) != ours[path]:
            raise BenchlakeError(f"{out / path}: belongs to no task any more and was changed by hand; move it away")
    return stale


def _is_beginning(out: Path, files: dict[str, _File]) -> bool:
    """Whether a folder without manifest holds nothing but what an interrupted call has left: files of ours, whole."""
    found = [path for path in out.rglob("*") if not path.is_dir() or path.is_symlink()]
    return all(
        not path.is_symlink()
        and (path.name.endswith(".part") or ((key := str(path.relative_to(out))) in files and _holds(path, files[key])))
        for path in found
    )


def _refuse_links(out: Path, path: str) -> None:
    """A link below the folder would lead what is written or removed out of it."""
    place = out
    for part in Path(path).parts:
        place = place / part
        if place.is_symlink():
            raise BenchlakeError(f"{place}: is a link; a release has none. Move it away, or name another folder")


def _read_manifest(out: Path) -> dict[str, Any]:
    path = out / MANIFEST
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        entries = [(entry["path"], entry["sha256"]) for entry in found["files"]]
        if not all(isinstance(name, str) and isinstance(digest, str) for name, digest in entries):
            raise ValueError("a file entry is no text")
    except (ValueError, KeyError, TypeError, OSError, RecursionError) as error:
        raise BenchlakeError(f"{path}: not a manifest of benchlake ({error}); name another folder") from error
    return dict(found)


def _manifest(files: dict[str, _File]) -> bytes:
    entries = [{"path": path, "bytes": file.size, "sha256": file.digest} for path, file in sorted(files.items())]
    return _json({"format": "benchlake release 1", "files": entries})


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def _made(data: bytes) -> _File:
    return _File(hashlib.sha256(data).hexdigest(), len(data), None, data)


def _kept(lake: Lake, digest: str) -> _File:
    path = lake.artifacts.path(digest)
    if not path.is_file():
        raise BenchlakeError(f"the lake lacks artifact {digest}: run benchlake doctor")
    return _File(digest, path.stat().st_size, path, None)


def _holds(path: Path, file: _File) -> bool:
    return path.is_file() and path.stat().st_size == file.size and file_digest(path) == file.digest


def _write(path: Path, file: _File) -> None:
    """Write a file whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name[:60]}.{os.getpid()}.part")
        try:
            if file.source is not None:
                shutil.copyfile(file.source, part)
            else:
                part.write_bytes(file.data or b"")
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise BenchlakeError(f"{path}: cannot be written ({error.strerror})") from error


def _prune(out: Path, folder: Path) -> None:
    while folder != out and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
