"""Stages killed at any moment: what is in the lake is whole, and running them again completes the work."""

import os
import random
import shutil
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest

from builder.demo.corpus import write_demo
from builder.render import render
from builder.sample import Policy, sample
from warehouse import Lake
from warehouse.digest import content_digest
from warehouse.doctor import examine
from warehouse.ingest import ingest_corpus
from warehouse.ledger import broken_links
from warehouse.queries import query

# Per stage; two stages are killed.
KILLS = 20 if os.environ.get("BENCHLAKE_ACCEPT") else 10
OPENED_EVERY = 5
# What these two stages write; the sources stay as they are.
WRITTEN = ("ledger", "sampling", "workspace", "evaluation")

# The process dies by its own hand in the middle of what it does: at the n-th call of a function.
AT_A_CALL = """
import importlib, os, signal, sys
import cli
module, owner, name, when, left = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5])
place = importlib.import_module(module)
place = getattr(place, owner) if owner else place
original = getattr(place, name)
def dying(*arguments, **options):
    global left
    left -= 1
    if left == 0 and when == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    result = original(*arguments, **options)
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return result
setattr(place, name, dying)
cli.main(sys.argv[6:])
"""


CALLS = (
    ("sample", "warehouse.artifacts", "ArtifactStore", "_adopt", "before", 3),
    ("sample", "builder.sample.stage", "", "append", "after", 2),
    ("sample", "warehouse.ledger", "Writer", "append", "after", 1),
    ("sample", "warehouse.ledger", "Writer", "settle", "before", 1),
    ("render", "warehouse.artifacts", "ArtifactStore", "_adopt", "after", 2),
    ("render", "builder.render.stage", "", "append", "before", 3),
    ("render", "warehouse.ledger", "Writer", "settle", "before", 1),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two equal lakes: in `undisturbed` all is done, in `lake` nothing yet."""
    folder = tmp_path_factory.mktemp("kill")
    demo = write_demo(folder / "sources")
    with Lake.create(folder / "lake") as lake:
        assert not ingest_corpus(lake, "clinic", [demo.databases[1]], demo.questions[1], "jsonl").problems
    shutil.copytree(folder / "lake", folder / "undisturbed")
    with Lake.open(folder / "undisturbed") as lake:
        sample(lake, Policy())
        render(lake)
    return folder


def test_killed_and_run_again(folder: Path) -> None:
    """Kills of all kinds add up in one lake; at the end it holds what one holds in which nothing was killed."""
    with Lake.open(folder / "lake", read_only=True) as reader:
        for command, *call in CALLS:
            arguments = [*map(str, call), "--lake", str(folder / "lake"), command, "--limit", "2"]
            died = subprocess.run([sys.executable, "-c", AT_A_CALL, *arguments], capture_output=True)
            assert died.returncode == -9, died.stderr
            check(reader)
        # A commit that was made before the kill is there, and only that.
        outcomes = "SELECT stage, count(*) FROM ledger.outcome WHERE stage <> 'ingest' GROUP BY 1"
        assert dict(reader.rows(outcomes)) == {"sample": 2, "render": 2}
        kill_at_random(reader, "sample")
        kill_at_random(reader, "render")
        assert not [found for found in examine(reader) if not found.held]
        with Lake.open(folder / "undisturbed", read_only=True) as undisturbed:
            assert content_digest(reader) == content_digest(undisturbed)
            assert undisturbed.rows("SELECT count(*) > 20 FROM workspace.task") == [(True,)]


def kill_at_random(reader: Lake, command: str) -> None:
    """Kill the command at random moments, and then let it complete the work."""
    dice = random.Random(20)
    usual, killed = run_time(reader.path, command), 0
    for number in range(KILLS):
        before = time.monotonic()
        process = start(reader.path, command, "--limit", "2")
        try:
            process.wait(usual * dice.uniform(0.25, 1.05))
            # The moments follow the machine, whose other work may end meanwhile.
            usual = min(usual, time.monotonic() - before)
        except subprocess.TimeoutExpired:
            process.kill()
            killed += 1
        assert process.wait() in (0, -9)
        check(reader)
        if number % OPENED_EVERY == 0:
            with Lake.open(reader.path) as lake:
                check(lake)
    # How many depends on the machine; that some did is what makes this a test.
    assert killed >= KILLS / 4
    assert start(reader.path, command).wait() == 0


def run_time(lake: Path, command: str) -> float:
    """Seconds that the command takes for one item."""
    before = time.monotonic()
    assert start(lake, command, "--limit", "1").wait() == 0
    return time.monotonic() - before


def start(lake: Path, *arguments: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "cli", "--lake", str(lake), *arguments]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def check(lake: Lake) -> None:
    """Chains and grains hold, every file that the lake refers to is there, and whatever is there is whole."""
    assert not broken_links(lake.cursor())
    assert not [name for name, count in lake.rows(repeated_rows(lake)) if count]
    files = lake.rows(
        "SELECT artifact FROM sampling.instance WHERE artifact IS NOT NULL UNION SELECT gold_artifact "
        "FROM sampling.instance WHERE gold_artifact IS NOT NULL UNION SELECT artifact FROM workspace.artifact"
    )
    assert all(lake.artifacts.path(digest).is_file() for (digest,) in files)
    # Every sampled question has its outcome and every rendered task its workspace: whole batches only.
    assert lake.rows(
        "SELECT count(*) FROM sampling.instance WHERE question NOT IN "
        "(SELECT item FROM ledger.outcome WHERE stage = 'sample')"
    ) == [(0,)]
    assert lake.rows(
        "SELECT count(*) FROM (SELECT item FROM ledger.outcome WHERE stage = 'render' AND status = 'accepted' "
        "EXCEPT SELECT task FROM workspace.task)"
    ) == [(0,)]


@cache
def repeated_rows(lake: Lake) -> str:
    """SQL for (table, rows that break its grain), over the tables that these stages write."""
    tables = [(row[0], row[1], row[4]) for row in lake.rows(query("integrity/relations")) if row[2] == "table"]
    counts = [
        f"SELECT '{name}', count(*) FROM (SELECT 1 FROM {schema}.{name} GROUP BY {grain} HAVING count(*) > 1)"
        for schema, name, grain in tables
        if schema in WRITTEN
    ]
    assert len(counts) > 10
    return " UNION ALL ".join(counts)
