"""The real corpora of ../shared/data through the main job: what `make accept` runs whole and the suite in part."""

import shutil
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from builder.release import materialise
from builder.render import render
from builder.sample import Policy, sample
from eval_sql.predictions import ingest_predictions
from eval_sql.score import score
from eval_sql.suite import score_folders
from warehouse.ingest import ingest_corpus
from warehouse.lake import Lake


@dataclass(frozen=True)
class Corpus:
    """Where a corpus lies below shared/data, in which form, and the share of its golds with rows that must be tasks."""

    name: str
    databases: str
    questions: str
    form: str
    least_share: float = 0.8


CORPORA = (
    Corpus("spider_dev", "spider_dev/database/*/*.sqlite", "spider_dev/questions.json", "spider"),
    Corpus("spider_train_pick", "spider_train_pick/database/*/*.sqlite", "spider_train_pick/questions.json", "spider"),
    Corpus("bird_superhero", "bird_superhero/*.sqlite", "bird_superhero/questions.json", "bird"),
    Corpus("chinook", "chinook/*.sqlite", "chinook/questions.json", "spider"),
    Corpus("ehrsql_mimic_iv_demo", "ehrsql_mimic_iv_demo/*.sqlite", "ehrsql_mimic_iv_demo/valid", "ehrsql", 0.3),
)


@dataclass
class Outcome:
    """What became of a corpus; `share` is of the questions whose gold returns rows on the source."""

    corpus: str
    questions: int = 0
    with_rows: int = 0
    tasks: int = 0
    tasks_with_rows: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    gold_accuracy: float = 0.0
    trivial_passes: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def share(self) -> float:
        """Tasks among the questions whose gold returns rows."""
        return self.tasks_with_rows / self.with_rows if self.with_rows else 0.0


def run_corpus(corpus: Corpus, shared: Path, work: Path, limit: int | None = None) -> Outcome:
    """Ingest, sample, render, materialise and score gold against itself, and three trivial answers against gold."""
    started = time.monotonic()
    data = shared / "data"
    outcome = Outcome(corpus.name)
    with Lake.create(work / "lake") as lake:
        databases = sorted(data.glob(corpus.databases))
        report = ingest_corpus(lake, corpus.name, databases, data / corpus.questions, corpus.form)
        assert not report.problems, report.problems
        sample(lake, Policy(), corpus=corpus.name, limit=limit)
        render(lake, corpus=corpus.name)
        materialise(lake, work / "release", corpus=corpus.name)
        _count(lake, corpus.name, outcome, limit)
        gold = work / "release" / "output"
        configs = work / "release" / "evaluation" / "configs"
        _predict(work, gold, "gold", lambda name: (gold / name / "gold.csv").read_bytes())
        ingest_predictions(lake, work / "gold", "gold", corpus.name)
        outcome.gold_accuracy = score(lake, ["gold"]).runs[0][3]
        trivial = {
            "empty": lambda name: b"",
            "header only": lambda name: (gold / name / "gold.csv").read_bytes().split(b"\n")[0] + b"\n",
            "unmodified input": lambda name: _first_input(work / "release" / "input" / name / "context"),
        }
        for kind, answer in trivial.items():
            _predict(work, gold, kind, answer)
            summary = score_folders(work / kind, gold, configs)
            outcome.trivial_passes += [
                f"{kind}: {task['task_id']}"
                for task in summary["tasks"]
                if task["passed"] and not _is_that(work / kind, gold, task["task_id"])
            ]
            outcome.undecided += summary["benchlake"]["undecided"]
    outcome.seconds = time.monotonic() - started
    return outcome


def _count(lake: Lake, corpus: str, outcome: Outcome, limit: int | None) -> None:
    rows = lake.rows(
        "SELECT status, code, count(*) FROM ledger.outcome WHERE stage = 'sample' AND corpus = ? GROUP BY ALL", [corpus]
    )
    outcome.questions = sum(row[2] for row in rows)
    outcome.codes.update({row[1]: row[2] for row in rows if row[1]})
    outcome.codes.update(
        dict(
            lake.rows(
                "SELECT code, count(*) FROM ledger.outcome WHERE stage = 'render' AND code IS NOT NULL GROUP BY 1"
            )
        )
    )
    outcome.tasks = lake.rows("SELECT count(*) FROM workspace.task WHERE corpus = ?", [corpus])[0][0]
    outcome.with_rows, outcome.tasks_with_rows = lake.rows(
        "SELECT count(DISTINCT task) FILTER (source_rows > 0), "
        "count(DISTINCT task) FILTER (source_rows > 0 AND status = 'accepted') FROM sampling.instance WHERE corpus = ?",
        [corpus],
    )[0]
    asked = lake.rows("SELECT count(*) FROM source.question WHERE corpus = ?", [corpus])[0][0]
    assert outcome.questions == min(asked, limit or asked), "a question ended neither as a task nor as a rejection"


def _predict(work: Path, gold: Path, name: str, answer) -> None:
    shutil.rmtree(work / name, ignore_errors=True)
    for task in gold.iterdir():
        folder = work / name / task.name
        folder.mkdir(parents=True)
        (folder / "prediction.csv").write_bytes(answer(task.name))


def _first_input(context: Path) -> bytes:
    found = sorted(context.glob("*.csv")) or sorted(context.iterdir())
    return found[0].read_bytes()


def _is_that(predictions: Path, gold: Path, task: str) -> bool:
    """Whether the gold is the trivial answer: the same rows below the header, or no rows at all."""
    theirs = (predictions / task / "prediction.csv").read_bytes().split(b"\n", 1)[1:]
    ours = (gold / task / "gold.csv").read_bytes().split(b"\n", 1)[1:]
    return theirs == ours or sorted(_cells(theirs)) == sorted(_cells(ours))


def _cells(body: list[bytes]) -> list[bytes]:
    return body[0].replace(b'"', b"").splitlines() if body else []


def scratch() -> "tempfile.TemporaryDirectory[str]":
    """A folder for one run."""
    return tempfile.TemporaryDirectory(prefix="benchlake-accept-")
