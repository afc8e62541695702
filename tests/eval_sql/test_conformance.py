"""Every public conformance case must get the reference's verdict, code, mapping and counts."""

from __future__ import annotations

import base64
import gzip
import json
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from eval_sql.config import canonical_config, parse_config
from eval_sql.evaluate import Case as Task
from eval_sql.evaluate import evaluate
from eval_sql.suite import score_folders

Case = dict[str, Any]

FAMILIES = [
    "align_decoy", "align_permutation", "align_symmetric", "align_types", "boolean", "csv_bytes", "csv_headers",
    "csv_quoting", "csv_ragged", "date_forms", "date_invalid", "datetime_forms", "datetime_tz", "fuzz_mutation",
    "fuzz_reformat", "iso_fuzz", "large", "limits", "missing", "multiset", "nulls", "num_decimal_places",
    "num_extreme", "num_float_noise", "num_integer", "num_percent_div28", "num_percent_units", "num_rounding",
    "num_significant", "num_syntax", "num_unicode_digits", "order", "reference_crash", "shape", "text_basic",
    "text_unicode",
]  # fmt: skip


@cache
def read_cases(path: Path) -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = defaultdict(list)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            case = json.loads(line)
            found[case["family"]].append(case)
    return dict(found)


@pytest.fixture
def cases(shared: Path) -> dict[str, list[Case]]:
    return read_cases(shared / "conformance" / "cases.jsonl.gz")


def body(case: Case, side: str) -> bytes | None:
    if f"{side}_b64" in case:
        return base64.b64decode(case[f"{side}_b64"])
    text = case.get(f"{side}_csv")
    return None if text is None else text.encode("utf-8")


def config_bytes(case: Case) -> bytes:
    return json.dumps(case["config"], ensure_ascii=False).encode("utf-8")


def accepted(case: Case) -> Mapping[str, Any]:
    """What the reference says; where it dies, the first of the acceptable answers."""
    answer: Mapping[str, Any] = case["acceptable"][0] if "acceptable" in case else case["expected"]
    return answer


def described(case: Case, got: object) -> str:
    sides = [f"  {side}: {str(body(case, side))[:300]}" for side in ("gold", "prediction")]
    columns = f"  columns: {json.dumps(case['config']['columns'])[:300]}"
    verdicts = [f"  wanted {accepted(case)}", f"  got    {got}"]
    return "\n".join([f"{case['case_id']} {case.get('note') or ''}", columns, *sides, *verdicts])


@pytest.mark.parametrize("family", FAMILIES)
def test_every_case_of_a_family_agrees(family: str, cases: dict[str, list[Case]]) -> None:
    assert family in cases, "the family has no cases any more"
    tasks: list[Task] = []
    for case in cases[family]:
        gold = body(case, "gold")
        assert gold is not None
        config = parse_config(config_bytes(case), case["config"]["task_id"])
        tasks.append(Task(config, gold, body(case, "prediction")))
    wrong: list[str] = []
    for case, result in zip(cases[family], evaluate(tasks), strict=True):
        mapping = result.column_mapping
        got = {
            "passed": result.passed,
            "error_code": result.error_code,
            "column_mapping": mapping and [{"gold_index": j, "prediction_index": k} for j, k in mapping],
            "gold_rows": result.gold_row_count,
            "prediction_rows": result.prediction_row_count,
        }
        columns = {"gold": result.gold_column_count, "prediction": result.prediction_column_count}
        if got != accepted(case) or columns != case.get("expected_columns", columns) or result.undecided:
            wrong.append(described(case, got | {"columns": columns, "undecided": result.undecided}))
    assert not wrong, "\n".join([f"{len(wrong)} of {len(cases[family])} cases differ", *wrong[:5]])


@pytest.mark.parametrize("family", FAMILIES)
def test_every_configuration_reads_back_from_its_canonical_form(family: str, cases: dict[str, list[Case]]) -> None:
    for case in cases[family]:
        task_id = case["config"]["task_id"]
        config = parse_config(config_bytes(case), task_id)
        assert parse_config(json.dumps(canonical_config(config)).encode(), task_id) == config


def test_no_family_is_left_out(cases: dict[str, list[Case]]) -> None:
    assert sorted(cases) == sorted(FAMILIES)


def test_a_sample_agrees_when_scored_from_folders(cases: dict[str, list[Case]], tmp_path: Path) -> None:
    sample = [case for family in FAMILIES if family not in ("large", "limits") for case in cases[family][::12]]
    folders = [tmp_path / name for name in ("predictions", "gold", "configs")]
    for folder in folders:
        folder.mkdir()
    predictions, gold, configs = folders
    for case in sample:
        task = case["config"]["task_id"]
        (configs / f"{task}.json").write_bytes(config_bytes(case))
        for folder, side in ((gold, "gold"), (predictions, "prediction")):
            data = body(case, side)
            if data is not None:
                (folder / task).mkdir()
                (folder / task / f"{side}.csv").write_bytes(data)
    summary = score_folders(predictions, gold, configs)
    results = {task["task_id"]: task for task in summary["tasks"]}
    assert len(results) == len(sample) == summary["task_count"]
    for case in sample:
        result, wanted = results[case["config"]["task_id"]], accepted(case)
        got = {
            "passed": result["passed"],
            "error_code": result["error_code"],
            "column_mapping": result["column_mapping"],
            "gold_rows": result["gold_row_count"],
            "prediction_rows": result["prediction_row_count"],
        }
        assert got == wanted, described(case, got)
    assert summary["passed_task_count"] == sum(accepted(case)["passed"] for case in sample)
