"""Stages killed at any moment: what is in the lake is whole, and running them again completes the work."""

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.demo.corpus import write_demo
from builder.render import render
from builder.sample import Policy, sample
from warehouse import Lake
from warehouse.digest import content_digest
from warehouse.doctor import examine
from warehouse.ids import quote
from warehouse.ingest import ingest_corpus
from warehouse.ledger import broken_links
from warehouse.queries import query

KILLS = 20
EXAMINED_EVERY = 5
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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a lake of the demo's databases and questions."""
    folder = tmp_path_factory.mktemp("kill")
    demo = write_demo(folder / "sources")
    with Lake.create(folder / "lake") as lake:
        for database, questions in zip(demo.databases, demo.questions, strict=True):
            assert not ingest_corpus(lake, database.stem, [database], questions, "jsonl").problems
    return folder


@pytest.fixture(scope="module")
def undisturbed(folder: Path) -> Iterator[str]:
    """The content of a lake in which nothing was killed."""
    shutil.copytree(folder / "lake", folder / "undisturbed")
    with Lake.open(folder / "undisturbed") as lake:
        sample(lake, Policy())
        render(lake)
        yield content_digest(lake)


def test_killed_at_random_moments(folder: Path, undisturbed: str) -> None:
    shutil.copytree(folder / "lake", folder / "random")
    dice = random.Random(20)
    for command in ("sample", "render"):
        before = time.monotonic()
        assert start(folder / "random", command, "--limit", "1").wait() == 0
        usual = time.monotonic() - before
        killed = 0
        for number in range(1, KILLS + 1):
            process = start(folder / "random", command, "--limit", "2")
            try:
                process.wait(usual * dice.uniform(0.35, 1.15))
            except subprocess.TimeoutExpired:
                process.kill()
                killed += 1
            assert process.wait() in (0, -9)
            check(folder / "random", fully=number % EXAMINED_EVERY == 0)
        assert killed >= KILLS / 2
        assert start(folder / "random", command).wait() == 0
    complete(folder / "random", undisturbed)


def test_killed_at_chosen_calls(folder: Path, undisturbed: str) -> None:
    shutil.copytree(folder / "lake", folder / "chosen")
    for command, *call in (
        ("sample", "warehouse.artifacts", "ArtifactStore", "_adopt", "before", 3),
        ("sample", "builder.sample.stage", "", "append", "after", 2),
        ("sample", "warehouse.ledger", "Writer", "append", "after", 1),
        ("sample", "warehouse.ledger", "Writer", "settle", "before", 1),
        ("sample", "warehouse.ledger", "Writer", "settle", "before", 99),
        ("render", "warehouse.artifacts", "ArtifactStore", "_adopt", "after", 2),
        ("render", "builder.render.stage", "", "append", "before", 3),
        ("render", "warehouse.ledger", "Writer", "append", "after", 1),
        ("render", "warehouse.ledger", "Writer", "settle", "before", 1),
    ):
        arguments = [*map(str, call), "--lake", str(folder / "chosen"), command, "--limit", "3"]
        code = subprocess.run([sys.executable, "-c", AT_A_CALL, *arguments], capture_output=True).returncode
        assert code == (0 if call[-1] == 99 else -9)
        check(folder / "chosen")
    # A commit that was made before the kill is there, and only that.
    with Lake.open(folder / "chosen") as lake:
        counts = dict(lake.rows("SELECT stage, count(*) FROM ledger.outcome WHERE stage <> 'ingest' GROUP BY 1"))
        assert counts == {"sample": 6, "render": 3}
        sample(lake, Policy())
        render(lake)
    complete(folder / "chosen", undisturbed)


def start(lake: Path, *arguments: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "cli", "--lake", str(lake), *arguments]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def check(folder: Path, *, fully: bool = False) -> None:
    """The lake opens, its chains and grains hold, and every file that it refers to is there."""
    with Lake.open(folder, read_only=True) as lake:
        if fully:
            assert not [found for found in examine(lake) if not found.held]
            return
        assert not broken_links(lake.cursor())
        found = lake.rows(query("integrity/relations"))
        tables = [(row[0], row[1], row[4]) for row in found if row[0] in WRITTEN and row[2] == "table"]
        assert len(tables) > 10
        repeated = " UNION ALL ".join(
            f"SELECT '{name}', count(*) FROM "
            f"(SELECT 1 FROM {schema}.{name} GROUP BY {columns(grain)} HAVING count(*) > 1)"
            for schema, name, grain in tables
        )
        assert not [name for name, count in lake.rows(repeated) if count]
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


def columns(grain: str) -> str:
    return ", ".join(quote(name.strip()) for name in grain.split(","))


def complete(folder: Path, undisturbed: str) -> None:
    check(folder, fully=True)
    with Lake.open(folder, read_only=True) as lake:
        assert content_digest(lake) == undisturbed
        assert lake.rows("SELECT count(*) > 20 FROM workspace.task") == [(True,)]
