"""Several processes on one lake: readers never hold up writers, writers take turns, the same work is done once."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from builder.demo.corpus import write_demo
from warehouse import Lake, locks
from warehouse.digest import content_digest
from warehouse.errors import BenchlakeError
from warehouse.ledger import broken_links

# A whole minute in `make accept`.
HELD_SECONDS = 60.0 if os.environ.get("BENCHLAKE_ACCEPT") else 20.0

# Each of these says a line when it is ready, and does the next thing when it is told to by a line or the end of input.
HOLDER = """
import sys
from warehouse import Lake
with Lake.open(sys.argv[1], read_only=True) as lake:
    cursor = lake.cursor()
    count = lambda: cursor.execute("SELECT count(*) FROM ledger.setting").fetchone()[0]
    cursor.execute("BEGIN")
    print(count(), flush=True)
    sys.stdin.readline()
    print(count(), flush=True)
    cursor.execute("COMMIT")
    print(count(), flush=True)
"""
READER = """
import select, sys
from warehouse import Lake
with Lake.open(sys.argv[1], read_only=True) as lake:
    print("ready", flush=True)
    seen = [lake.rows("SELECT count(*) FROM ledger.setting")[0][0]]
    while not select.select([sys.stdin], [], [], 0.5)[0]:
        seen.append(lake.rows("SELECT count(*) FROM ledger.setting")[0][0])
    assert seen == sorted(seen), seen
    print(len(set(seen)), flush=True)
"""
WRITER = """
import select, sys, time
from warehouse import Lake
from warehouse.lake import append
name, most, pause = sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
def work(cursor):
    number = cursor.execute("SELECT count(*) FROM ledger.setting").fetchone()[0]
    append(cursor, "ledger.setting", [{"name": f"{name}:{done}", "value": str(number)}])
    return None, {"number": number}
with Lake.open(sys.argv[1]) as lake:
    print("ready", flush=True)
    sys.stdin.readline()
    done, slowest = 0, 0.0
    while done < most and not (pause and select.select([sys.stdin], [], [], pause)[0]):
        before = time.monotonic()
        lake.commit("test", work)
        done, slowest = done + 1, max(slowest, time.monotonic() - before)
    print(done, slowest, flush=True)
"""
STUCK = """
import sys
from warehouse import Lake
from warehouse.lake import append
def work(cursor):
    append(cursor, "ledger.setting", [{"name": "stuck"}])
    cursor.execute("CREATE SCHEMA stuck")
    cursor.execute("CREATE TABLE stuck.rows AS FROM range(5000)")
    print("inside", flush=True)
    sys.stdin.read()
with Lake.open(sys.argv[1]) as lake:
    lake.commit("test", work)
"""


class Child:
    """A process that is talked to line by line."""

    def __init__(self, script: str, *arguments: object) -> None:
        command = [sys.executable, "-W", "error", "-c", script, *map(str, arguments)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def hear(self) -> str:
        assert self.process.stdout and self.process.stderr
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        return line.strip()

    def tell(self) -> None:
        assert self.process.stdin
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


@contextmanager
def children(*started: Child) -> Iterator[tuple[Child, ...]]:
    with ExitStack() as stack:
        for child in started:
            stack.callback(child.end)
        yield started


def test_readers_do_not_hold_up_writers(lake_folder: Path) -> None:
    """One process holds a read transaction open all the while, one reads all the time, two write."""
    with children(
        Child(HOLDER, lake_folder),
        Child(READER, lake_folder),
        Child(WRITER, lake_folder, "a", 10**6, 1.5),
        Child(WRITER, lake_folder, "b", 10**6, 1.7),
    ) as (holder, reader, *writers):
        assert holder.hear() == "1"
        since = time.monotonic()
        assert reader.hear() == "ready"
        for writer in writers:
            assert writer.hear() == "ready"
            writer.tell()
        # The reader ends when it is told; until then it is what this waits for.
        with pytest.raises(subprocess.TimeoutExpired):
            reader.process.wait(HELD_SECONDS - (time.monotonic() - since))
        written = []
        for writer in writers:
            writer.tell()
            done, slowest = writer.hear().split()
            written.append(int(done))
            assert float(slowest) < 20
        holder.tell()
        # Its transaction sees what it saw before; the next one sees all.
        assert [holder.hear(), holder.hear()] == ["1", str(1 + sum(written))]
        reader.tell()
        assert int(reader.hear()) > 5
    assert min(written) > 5
    with Lake.open(lake_folder, read_only=True) as lake:
        assert not broken_links(lake.cursor())


def test_writers_take_turns(lake_folder: Path) -> None:
    with children(Child(WRITER, lake_folder, "a", 25, 0), Child(WRITER, lake_folder, "b", 25, 0)) as writers:
        for writer in writers:
            assert writer.hear() == "ready"
        for writer in writers:
            writer.tell()
        assert [writer.hear().split()[0] for writer in writers] == ["25", "25"]
    with Lake.open(lake_folder, read_only=True) as lake:
        names = [row[0] for row in lake.rows("SELECT name FROM ledger.setting WHERE name <> 'views_digest' ORDER BY 1")]
        assert names == sorted(f"{name}:{number}" for name in "ab" for number in range(25))
        # What the work of a commit reads cannot change before it is written: every count was another one.
        counts = [int(row[0]) for row in lake.rows("SELECT value FROM ledger.setting WHERE name <> 'views_digest'")]
        assert sorted(counts) == list(range(1, 51))
        assert lake.rows("SELECT count(*) FROM ledger.event WHERE stage = 'test'") == [(50,)]
        assert not broken_links(lake.cursor())


def test_a_killed_writer_leaves_nothing_and_holds_up_nobody(lake_folder: Path) -> None:
    with children(Child(STUCK, lake_folder)) as (stuck,), Lake.open(lake_folder) as lake:
        assert stuck.hear() == "inside"
        before = lake.rows("SELECT max(snapshot_id) FROM ducklake_snapshots('lake')")
        with (
            pytest.raises(BenchlakeError, match=r"another process has been writing to .* try again"),
            locks.exclusive(lake_folder / "writer.lock", wait=0.05),
        ):
            pass
        stuck.end()
        lake.commit("test", lambda cursor: (None, {"after": "the kill"}))
        assert lake.rows("SELECT max(snapshot_id) FROM ducklake_snapshots('lake')")[0][0] == before[0][0] + 1
        assert lake.rows("SELECT count(*) FROM ledger.setting") == [(1,)]
        assert lake.rows("SELECT count(*) FROM duckdb_schemas() WHERE schema_name = 'stuck'") == [(0,)]


def test_locks(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    with locks.alone(path) as alone:
        assert alone
        with locks.alone(path) as second:
            assert not second
    with locks.shared(path), locks.shared(path), locks.alone(path) as alone:
        assert not alone
    with locks.alone(path) as alone, locks.exclusive(tmp_path / "y.lock"):
        assert alone


def test_the_same_work_by_two_processes(tmp_path: Path) -> None:
    """Two runs of every command at once end well, and leave what one run leaves."""
    demo = write_demo(tmp_path / "sources")
    ingest = (
        "ingest",
        "sqlite",
        demo.databases[1],
        "--corpus",
        "c",
        "--questions",
        demo.questions[1],
        "--format",
        "jsonl",
    )
    for command in (ingest, ("sample",), ("render",)):
        both = [benchlake(tmp_path / "both", *command) for _ in range(2)]
        for process in (*both, benchlake(tmp_path / "one", *command)):
            _, narration = process.communicate()
            assert process.returncode == 0, narration
    with Lake.open(tmp_path / "both", read_only=True) as both_lake, Lake.open(tmp_path / "one", read_only=True) as lake:
        assert content_digest(both_lake) == content_digest(lake)
        assert not broken_links(both_lake.cursor())
        assert lake.rows("SELECT count(*) > 0 FROM workspace.task") == [(True,)]


def benchlake(lake: Path, *arguments: object) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "cli", "--lake", str(lake), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
