"""The demo: the main job from two generated databases to a scored benchmark, in one folder."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from builder.demo.answerers import ANSWERERS
from builder.demo.corpus import write_demo
from builder.release import materialise
from builder.render import render
from builder.render.certificate import task_records
from builder.sample import Policy, sample
from eval_sql.predictions import ingest_predictions
from eval_sql.score import score
from warehouse.errors import BenchlakeError
from warehouse.ingest_db import ingest_database
from warehouse.ingest_questions import ingest_questions
from warehouse.lake import Lake
from warehouse.questions.read import read_questions
from warehouse.shown import plural

CORPUS = "demo"
SEED = 7

Progress = Callable[[str, int, int], None]


@dataclass
class DemoReport:
    """What the demo made: folders, (step, what happened, seconds), and accuracy (run, tasks, passed, accuracy)."""

    lake: str
    release: str
    predictions: str
    steps: list[tuple[str, str, float]] = field(default_factory=list)
    runs: list[tuple[str, int, int, float]] = field(default_factory=list)
    changed: bool = False


def run_demo(folder: Path, progress: Progress | None = None) -> DemoReport:
    """Build the demo below `folder`: sources, lake, release, predictions of three scripted answerers, scores.

    The same bytes come out each time; a second call finds all of it done. Raises BenchlakeError for a folder that
    holds other things.
    """
    known = {"sources", "lake", "release", "predictions"}
    if folder.is_dir() and any(entry.name not in known for entry in folder.iterdir()):
        raise BenchlakeError(f"{folder}: holds files that are not the demo's; name a new or an empty folder")
    report = DemoReport(str(folder / "lake"), str(folder / "release"), str(folder / "predictions"))

    def bar(step: str) -> Callable[[int, int], None]:
        return lambda done, total: progress(step, done, total) if progress else None

    with _step(report, "generate") as say:
        corpus = write_demo(folder / "sources", SEED)
        say(f"{len(corpus.databases)} databases with questions, written by a seeded generator")
    with Lake.create(folder / "lake") as lake:
        before = lake.rows("SELECT count(*) FROM ledger.event")[0][0]
        with _step(report, "ingest") as say:
            rows = sum(ingest_database(lake, path, CORPUS).rows for path in corpus.databases)
            found = [ingest_questions(lake, CORPUS, read_questions(path, "jsonl")) for path in corpus.questions]
            say(f"{plural(rows, 'row')}, {plural(found[-1].accepted, 'question')}")
        with _step(report, "sample") as say:
            sampled = sample(lake, Policy(seed=SEED), corpus=CORPUS, progress=bar("sample"))
            say(f"{sampled.accepted} instances, {sampled.rejected} rejected {_codes(sampled.codes)}".strip())
        with _step(report, "render") as say:
            rendered = render(lake, corpus=CORPUS, progress=bar("render"))
            say(f"{rendered.accepted} workspaces, {rendered.rejected} rejected {_codes(rendered.codes)}".strip())
        with _step(report, "materialise") as say:
            tree = materialise(lake, folder / "release", corpus=CORPUS, progress=bar("materialise"))
            say(f"{tree.tasks} tasks, {tree.files} files, {tree.written} written")
        with _step(report, "answer") as say:
            written = _answer(lake, folder, bar("answer"))
            say(f"{written} predictions of {len(ANSWERERS)} scripted answerers")
        with _step(report, "score") as say:
            for name in ANSWERERS:
                ingest_predictions(lake, folder / "predictions" / name, name, CORPUS)
            scored = score(lake, progress=bar("score"))
            say(plural(scored.scored, "verdict"))
        report.runs = scored.runs
        report.changed = lake.rows("SELECT count(*) FROM ledger.event")[0][0] != before
    return report


def _answer(lake: Lake, folder: Path, progress: Callable[[int, int], None]) -> int:
    records = list(task_records(lake, CORPUS))
    written = 0
    with TemporaryDirectory() as scratch:
        for number, (name, record) in enumerate(records, start=1):
            context = folder / "release" / "input" / name / "context"
            for who, answerer in ANSWERERS.items():
                data = answerer(context, record, Path(scratch) / "rebuilt.sqlite", SEED)
                if data is not None:
                    target = folder / "predictions" / who / name / "prediction.csv"
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(data)
                    written += 1
            progress(number, len(records))
    for who in ANSWERERS:
        (folder / "predictions" / who).mkdir(parents=True, exist_ok=True)
    return written


@contextmanager
def _step(report: DemoReport, name: str) -> Iterator[Callable[[str], None]]:
    started = time.monotonic()
    said: list[str] = []
    yield said.append
    report.steps.append((name, " ".join(said), time.monotonic() - started))


def _codes(codes: dict[str, int]) -> str:
    return "(" + ", ".join(f"{code} {count}" for code, count in codes.items()) + ")" if codes else ""
