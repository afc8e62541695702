"""Hostile predictions through the command line: each fails its own task, in bounded time and memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from permissions import permissions_bind

MIB = 1024 * 1024
ROOT = Path(__file__).resolve().parent.parent.parent
GOLD = "g,h\n1,x\n2,y\n"
COLUMNS = [
    {"gold_index": 0, "gold_name": "g", "type": "number", "comparison": {"mode": "integer"}},
    {"gold_index": 1, "gold_name": "h", "type": "text"},
]
SECONDS = 20
BYTES = 1024 * MIB


class Suite:
    """Folders of a suite, and what the command says of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("predictions", "gold", "configs"):
            (root / name).mkdir()

    def add(self, task: str, gold: str = GOLD, columns: list[dict[str, Any]] = COLUMNS) -> Path:
        """A task; where its prediction goes."""
        config = {"schema_version": "1.0", "task_id": task, "order_sensitive": False, "columns": columns}
        (self.root / "configs" / f"{task}.json").write_text(json.dumps(config), encoding="utf-8")
        for folder in ("gold", "predictions"):
            (self.root / folder / task).mkdir()
        self.gold(task).write_text(gold, encoding="utf-8", newline="")
        return self.root / "predictions" / task / "prediction.csv"

    def gold(self, task: str) -> Path:
        return self.root / "gold" / task / "gold.csv"

    def run(self) -> dict[str, dict[str, Any]]:
        """The tasks of the summary by id; the command's time and memory are held to the bounds."""
        output = self.root / "summary.json"
        folders = [part for name in ("predictions", "gold", "configs") for part in (f"--{name}", str(self.root / name))]
        command = [sys.executable, "-c", CHILD, "score", *folders, "--output", str(output)]
        started = time.monotonic()
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS * 3)
        assert time.monotonic() - started < SECONDS
        assert done.returncode == 0, done.stderr
        assert int(done.stderr.rsplit("peak ", 1)[1]) * 1024 < BYTES
        summary = json.loads(output.read_text(encoding="utf-8"))
        assert summary["benchlake"]["undecided"] == []
        return {task["task_id"]: task for task in summary["tasks"]}


# The command in a process of its own, which says at its end how much memory it had at most. Not by getrusage, whose
# figure begins with what the process that started this one had.
CHILD = """
import sys
from cli import main
try:
    main()
finally:
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    print("peak", status["VmHWM"].split()[0], file=sys.stderr)
"""


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return Suite(tmp_path)


def linked_file(path: Path, suite: Suite) -> None:
    (suite.root / "other.csv").write_text(GOLD)
    path.symlink_to(suite.root / "other.csv")


HOSTILE: dict[str, tuple[Callable[[Path, Suite], object], str, str]] = {
    "exponent": (lambda p, s: p.write_text("a,b\n1e999999999,x\n2,y\n"), "type_normalization_failed", "column 0"),
    "digits": (lambda p, s: p.write_text(f"a,b\n{'9' * 2_000_000},x\n2,y\n"), "relation_mismatch", "multiset"),
    "long cell": (lambda p, s: p.write_bytes(b"a,b\n1," + b"x" * (20 * MIB - 6)), "invalid_prediction_csv", "limit"),
    "long quoted cell": (lambda p, s: p.write_bytes(b'a,b\n1,"' + b"x" * (20 * MIB - 8) + b'"'), "invalid_prediction_csv", "limit"),
    "longest cell": (lambda p, s: p.write_bytes(b"a,b\n1," + b"x" * 2 * MIB + b"\n2,y\n"), "relation_mismatch", "multiset"),
    "combining marks": (lambda p, s: p.write_text("a,b\n1," + "a\u0301\u0327" * 600_000 + "\n2,y\n"), "relation_mismatch", "multiset"),
    "one run of marks": (lambda p, s: p.write_text("a,b\n1,a" + "\u0301\u0327" * 900_000 + "\n2,y\n"), "relation_mismatch", "multiset"),
    "too large": (lambda p, s: p.write_bytes(b"a,b\n1," + b"x" * 20 * MIB), "invalid_prediction_csv", "larger"),
    "sparse terabyte": (lambda p, s: (p.touch(), os.truncate(p, 1 << 40)), "invalid_prediction_csv", "larger"),
    "a million columns": (lambda p, s: p.write_bytes(b"," * 1_000_000 + b"\n"), "invalid_prediction_csv", "1000001 columns"),
    "blank lines": (lambda p, s: p.write_bytes(b"a,b\n" + b"\n" * 100_000), "invalid_prediction_csv", "blank line"),
    "only blank lines": (lambda p, s: p.write_bytes(b"\n" * 100_000), "invalid_prediction_csv", "header"),
    "too many rows": (lambda p, s: p.write_bytes(b"a,b\n" + b",\n" * 2_000_000), "invalid_prediction_csv", "100000 data rows"),
    "quotes": (lambda p, s: p.write_bytes(b"a,b\n" + b'"' * (20 * MIB - 5)), "invalid_prediction_csv", "CSV"),
    "nul": (lambda p, s: p.write_bytes(b"a,b\n1,x\0\n2,y\n"), "invalid_prediction_csv", "NUL"),
    "lone surrogate": (lambda p, s: p.write_bytes(b"a,b\n1,\xed\xa0\x80\n2,y\n"), "invalid_prediction_csv", "not UTF-8"),
    "half a character": (lambda p, s: p.write_bytes(b"a,b\n1,x\n2,\xf0\x9f"), "invalid_prediction_csv", "not UTF-8"),
    "linked file": (linked_file, "invalid_prediction_csv", "symbolic link"),
    "dangling link": (lambda p, s: p.symlink_to("nowhere"), "missing_prediction", "no prediction"),
    "linked device": (lambda p, s: p.symlink_to("/dev/zero"), "invalid_prediction_csv", "symbolic link"),
    "linked gold": (lambda p, s: p.symlink_to(s.gold(p.parent.name)), "invalid_prediction_csv", "symbolic link"),
    "hard link to gold": (lambda p, s: p.hardlink_to(s.gold(p.parent.name)), "invalid_prediction_csv", "the gold file itself"),
    "fifo": (lambda p, s: os.mkfifo(p), "invalid_prediction_csv", "not a regular file"),
    "folder": (lambda p, s: p.mkdir(), "invalid_prediction_csv", "not a regular file"),
    "linked folder without file": (lambda p, s: (p.parent.rmdir(), p.parent.symlink_to("/")), "missing_prediction", "no prediction"),
    "folder linked to itself": (lambda p, s: (p.parent.rmdir(), p.parent.symlink_to(p.parent.name)), "invalid_prediction_csv", "cannot be read"),
}  # fmt: skip


def test_each_fails_its_own_task_only(suite: Suite) -> None:
    """All of them in one suite, between tasks that are right."""
    tasks = {}
    for number, (name, (make, _, _)) in enumerate(HOSTILE.items()):
        make(suite.add(f"task_{2 * number}"), suite)
        suite.add(f"task_{2 * number + 1}").write_text("p,q\ny, 2.0\nx,1\n")
        tasks[name] = f"task_{2 * number}"
    found = suite.run()
    wrong = []
    for name, (_, code, says) in HOSTILE.items():
        task = found.pop(tasks[name])
        if (task["passed"], task["error_code"]) != (False, code) or says not in task["error"]:
            wrong.append(f"{name}: {task['error_code']}, {task['error']}")
    assert not wrong, "\n".join(wrong)
    assert len(found) == len(HOSTILE) and all(task["passed"] for task in found.values())


def test_a_linked_task_folder_is_followed(suite: Suite) -> None:
    folder = suite.add("task_1").parent
    folder.rename(suite.root / "elsewhere")
    folder.symlink_to(suite.root / "elsewhere")
    (suite.root / "elsewhere" / "prediction.csv").write_text(GOLD)
    suite.add("task_2").hardlink_to(suite.gold("task_1"))
    assert all(task["passed"] for task in suite.run().values())


@permissions_bind
def test_a_forbidden_file_fails_its_own_task(suite: Suite) -> None:
    suite.add("task_1").write_text(GOLD)
    suite.add("task_2").write_text(GOLD)
    suite.add("task_3").write_text(GOLD)
    (suite.root / "predictions" / "task_1" / "prediction.csv").chmod(0)
    (suite.root / "predictions" / "task_3").chmod(0)
    try:
        found = suite.run()
    finally:
        (suite.root / "predictions" / "task_3").chmod(0o755)
    assert {name: task["error_code"] for name, task in found.items()} == {
        "task_1": "invalid_prediction_csv", "task_2": None, "task_3": "invalid_prediction_csv",
    }  # fmt: skip
    assert "Permission denied" in found["task_1"]["error"] and "Permission denied" in found["task_3"]["error"]
