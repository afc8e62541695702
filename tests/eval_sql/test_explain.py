"""Diagnosis on the lake, and benchlake explain: what it keeps, what it shows, and that hostile text stays text."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli import main
from eval_sql.diagnosis import diagnose
from eval_sql.explain import explain
from eval_sql.predictions import ingest_predictions
from eval_sql.score import score
from eval_sql.suites import ingest_suite
from warehouse import BenchlakeError, Lake

TYPES = {
    "task_1": [{"type": "text"}, {"type": "number", "comparison": {"mode": "decimal_places", "digits": 2}}],
    "task_2": [{"type": "text"}],
    "task_3": [{"type": "text"}],
}
GOLD = {"task_1": "name,score\nann,1.50\nbob,2.25\ncid,3.75\n", "task_2": "a\nx\ny\n", "task_3": "a\nx\n"}
# ESC, a bell, an override of direction and a new line.
HOSTILE = "\x1b[2J\x07\u202e"


def suite(folder: Path) -> tuple[Path, Path]:
    """Folders of gold and configurations."""
    for task, columns in TYPES.items():
        (folder / "gold" / task).mkdir(parents=True)
        (folder / "gold" / task / "gold.csv").write_text(GOLD[task], encoding="utf-8")
        (folder / "configs").mkdir(exist_ok=True)
        named = [{"gold_index": place, "gold_name": f"g{place}", **column} for place, column in enumerate(columns)]
        config = {"schema_version": "1.0", "task_id": task, "order_sensitive": False, "columns": named}
        (folder / "configs" / f"{task}.json").write_text(json.dumps(config), encoding="utf-8")
    return folder / "gold", folder / "configs"


def predict(lake: Lake, folder: Path, run: str, **texts: str) -> None:
    for task, text in texts.items():
        (folder / run / task).mkdir(parents=True)
        (folder / run / task / "prediction.csv").write_bytes(text.encode())
    ingest_predictions(lake, folder / run, run, "suite")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a suite of three tasks and a lake of two runs: both made the same mistake in task_1."""
    folder = tmp_path_factory.mktemp("explain")
    with Lake.create(folder / "lake") as lake:
        ingest_suite(lake, *suite(folder), "suite")
        wrong = "name,score\nann,150\nbob,225\ncid,375\n"
        predict(lake, folder, "agent", task_1=wrong, task_2="a\nx\ny\n")
        predict(lake, folder, "twin", task_1=wrong, task_2=f'"{HOSTILE}\nname"\nx\n"{HOSTILE}\nz"\n')
        score(lake)
    return folder


@pytest.fixture
def scored(template: Path, tmp_path: Path) -> Iterator[Lake]:
    """The lake of the template, scored, to change."""
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    with Lake.open(tmp_path / "lake") as lake:
        yield lake


def test_failed_verdicts_are_diagnosed_once(scored: Lake) -> None:
    """Runs that made the same file share symptoms; each run and task has its own rows in the view."""
    assert diagnose(scored, ["agent"]) == 2
    assert diagnose(scored, tasks=["task_1"]) == 0
    assert diagnose(scored) == 1
    kept = scored.rows("SELECT * FROM score.symptom ORDER BY ALL")
    assert diagnose(scored) == 0 and scored.rows("SELECT * FROM score.symptom ORDER BY ALL") == kept
    assert scored.rows(
        "SELECT run, task_name, place, code, gold_name, prediction_name FROM score.diagnosis ORDER BY ALL"
    ) == [
        ("agent", "task_1", 1, "off_by_100", "g1", "score"),
        ("agent", "task_3", 1, "missing_prediction", None, None),
        ("twin", "task_1", 1, "off_by_100", "g1", "score"),
        ("twin", "task_2", 1, "changed_values", "g0", f"{HOSTILE}\nname"),
        ("twin", "task_3", 1, "missing_prediction", None, None),
    ]
    assert len(kept) == 3
    # Of another version of the evaluator the verdicts are diagnosed anew; the symptoms of those before stay.
    score(scored, evaluator_version="9.0.0")
    assert diagnose(scored) == 3
    assert scored.rows("SELECT count(*) FROM score.symptom") == [(6,)]
    assert scored.rows("SELECT count(*) FROM score.diagnosis") == [(5,)]


def test_a_file_that_could_not_be_taken(scored: Lake, tmp_path: Path) -> None:
    """Each run has the reason of its own file."""
    for run in ("linked", "folder"):
        (tmp_path / run / "task_2").mkdir(parents=True)
    (tmp_path / "linked" / "task_2" / "prediction.csv").symlink_to(tmp_path / "gold" / "task_2" / "gold.csv")
    (tmp_path / "folder" / "task_2" / "prediction.csv").mkdir()
    for run in ("linked", "folder"):
        ingest_predictions(scored, tmp_path / run, run, "suite")
    score(scored)
    diagnose(scored)
    assert scored.rows(
        "SELECT run, code, sentence FROM score.diagnosis WHERE code = 'unreadable_csv' ORDER BY ALL"
    ) == [
        ("folder", "unreadable_csv", "not a regular file"),
        ("linked", "unreadable_csv", "the file is a symbolic link"),
    ]
    assert explain(scored, "linked", "task_2").symptoms[0].sentence == "the file is a symbolic link"


def test_rows_side_by_side(scored: Lake, tmp_path: Path) -> None:
    """The nearest rows stand beside each other; what has no counterpart is missing or extra."""
    rows = "s,n\nx,bob\n9.99,zoe\n1.5,ann\n"
    predict(scored, tmp_path, "moved", task_1=rows)
    score(scored, ["moved"])
    found = explain(scored, "moved", "task_1")
    assert [(c.gold_column, c.gold_name, c.prediction_column, c.prediction_name) for c in found.columns] == [
        (0, "name", 1, "n"), (1, "score", 0, "s")
    ]  # fmt: skip
    assert (found.gold_rows_differing, found.prediction_rows_differing) == (2, 2)
    assert [
        (row.gold_row, row.prediction_row, [(c.gold, c.prediction, c.state) for c in row.cells]) for row in found.rows
    ] == [
        (1, 0, [("bob", "bob", "equal"), ("2.25", "x", "unreadable")]),
        (2, None, [("cid", None, "missing"), ("3.75", None, "missing")]),
        (None, 1, [(None, "zoe", "extra"), (None, "9.99", "extra")]),
    ]
    assert len(explain(scored, "moved", "task_1", rows=1).rows) == 1


def test_an_ordered_task_is_compared_by_place(scored: Lake, tmp_path: Path) -> None:
    config = json.loads((tmp_path / "configs" / "task_1.json").read_text())
    (tmp_path / "configs" / "task_1.json").write_text(json.dumps(config | {"order_sensitive": True}))
    ingest_suite(scored, tmp_path / "gold", tmp_path / "configs", "suite")
    predict(scored, tmp_path, "turned", task_1="name,score\nbob,2.25\nann,1.5\ncid,3.75\n")
    score(scored, ["turned"])
    found = explain(scored, "turned", "task_1")
    assert [symptom.code for symptom in found.symptoms] == ["wrong_order"]
    assert [(row.gold_row, row.prediction_row) for row in found.rows] == [(0, 0), (1, 1)]


def run(lake: Lake, *arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, [*arguments, "--lake", str(lake.path)])
    assert result.exit_code == code, result.output
    return result.output


def test_on_the_terminal(scored: Lake) -> None:
    text = run(scored, "explain", "agent", "task_1")
    assert text.startswith("task_1 of run agent: failed, relation_mismatch\nno mapping of columns")
    for piece in ("off_by_100", "1.50 → 150", "Rows that differ: 3 of gold, 3 of the prediction"):
        assert piece in text
    assert "task_2 of run agent: passed" in run(scored, "explain", "agent", "task_2")
    found = json.loads(run(scored, "explain", "agent", "task_1", "--json", "--rows", "2"))
    assert found["symptoms"][0]["row_count"] == 3 and len(found["rows"]) == 2


def test_hostile_names_and_cells_do_not_act_on_the_terminal(scored: Lake) -> None:
    text = run(scored, "explain", "twin", "task_2")
    assert not set(HOSTILE) - set("[2J") & set(text)
    assert "\\x1b[2J\\x07\\u202e\\nname" in text and "y → \\x1b[2J\\x07\\u202e\\nz" in text


def test_score_command_diagnoses(scored: Lake) -> None:
    run(scored, "score")
    assert scored.rows("SELECT count(*) FROM score.symptom") == [(3,)]


def test_not_scored_yet(scored: Lake, tmp_path: Path) -> None:
    predict(scored, tmp_path, "late", task_2="a\nx\n")
    assert run(scored, "explain", "late", "task_2") == "task_2 of run late: not scored yet\nrun benchlake score first\n"
    assert explain(scored, "late", "task_2").passed is None
    assert "no run 'agent\\x1b'" in run(scored, "explain", "agent\x1b", "task_2", code=2)


@pytest.mark.parametrize(
    ("name", "task", "says"),
    [
        ("nobody", "task_1", "the lake has no run 'nobody'"),
        ("agent", "task_9", "the lake has no task 'task_9'"),
    ],
)
def test_unknown_names(scored: Lake, name: str, task: str, says: str) -> None:
    with pytest.raises(BenchlakeError) as error:
        explain(scored, name, task)
    assert says in str(error.value)
